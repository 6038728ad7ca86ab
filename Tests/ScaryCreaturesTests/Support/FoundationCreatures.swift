// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

/// The tutorial's model for the toolchain's Foundation after its switch to secure coding.
///
/// Here Foundation does not let an archiver rename a class. So these names are, with their module, as long as the tutorial's,
/// which can then take their place in a file.
final class SecureRecord: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let title: String
  let rating: Float

  init(title: String, rating: Float) {
    self.title = title
    self.rating = rating
  }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "Title")
    coder.encode(NSNumber(value: rating), forKey: "Rating")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "Title"),
      let rating = coder.decodeObject(of: NSNumber.self, forKey: "Rating")
    else { return nil }
    self.title = title as String
    self.rating = rating.floatValue
  }
}

/// The same before the switch.
final class LegacyRecord: NSObject, NSCoding {
  let title: String
  let rating: Float

  init(title: String, rating: Float) {
    self.title = title
    self.rating = rating
  }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(forKey: "Title") as? String else { return nil }
    self.title = title
    rating = coder.decodeFloat(forKey: "Rating")
  }
}

/// The same as one public copy of the app has it: written as before the switch, with secure coding demanded.
final class HybridRecord: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  let title: String
  let rating: Float

  init(title: String, rating: Float) {
    self.title = title
    self.rating = rating
  }

  func encode(with coder: NSCoder) {
    coder.encode(title as NSString, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
  }

  init?(coder: NSCoder) { nil }
}

/// The app's side, with nothing but the toolchain's Foundation.
enum FoundationApp {
  static let className = "ScaryCreatures.ScaryCreatureData"

  /// Archives under a top-level key and a class name; in binary, the name must be as long as the class's own.
  static func archive(
    _ creature: any NSObject & NSCoding, secure: Bool, topKey: String = "root", className: String = className,
    _ format: PropertyListSerialization.PropertyListFormat = .binary
  ) throws -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: secure)
    archiver.outputFormat = format
    archiver.encode(creature, forKey: topKey)
    archiver.finishEncoding()
    let ownName = NSStringFromClass(type(of: creature))
    try #require(format == .xml || ownName.utf8.count == className.utf8.count)
    var data = archiver.encodedData
    var count = 0
    while let range = data.range(of: Data(ownName.utf8)) {
      data.replaceSubrange(range, with: Data(className.utf8))
      count += 1
    }
    try #require(count > 0)
    return data
  }

  /// Reads as the app after the switch does.
  static func readSecurely(_ data: Data) throws -> SecureRecord? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = true
    unarchiver.setClass(SecureRecord.self, forClassName: className)
    defer { unarchiver.finishDecoding() }
    return unarchiver.decodeObject(of: SecureRecord.self, forKey: "root")
  }

  /// Reads as the app before the switch does.
  static func readInsecurely(_ data: Data) throws -> LegacyRecord? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = false
    unarchiver.setClass(LegacyRecord.self, forClassName: className)
    defer { unarchiver.finishDecoding() }
    return unarchiver.decodeObject(forKey: "root") as? LegacyRecord
  }
}
