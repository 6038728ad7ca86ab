// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

/// The tutorial's model for the toolchain's Foundation, after the change to secure coding.
///
/// Here Foundation's archiver cannot rename a class. The names of these classes, with their module, are therefore as
/// long as the tutorial's, which replace them in the file.
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

/// The model before the change.
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

/// The model of a public copy of the app, which writes as before the change but requires secure coding.
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

/// The app, implemented only with the toolchain's Foundation.
enum FoundationApp {
  static let className = "ScaryCreatures.ScaryCreatureData"

  /// Archives under a top-level key and a class name. In a binary file, the name must be as long as that of the class.
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

  /// Reads as the app does after the change.
  static func readSecurely(_ data: Data) throws -> SecureRecord? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = true
    unarchiver.setClass(SecureRecord.self, forClassName: className)
    defer { unarchiver.finishDecoding() }
    return unarchiver.decodeObject(of: SecureRecord.self, forKey: "root")
  }

  /// Reads as the app does before the change.
  static func readInsecurely(_ data: Data) throws -> LegacyRecord? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.decodingFailurePolicy = .setErrorAndReturn
    unarchiver.requiresSecureCoding = false
    unarchiver.setClass(LegacyRecord.self, forClassName: className)
    defer { unarchiver.finishDecoding() }
    return unarchiver.decodeObject(forKey: "root") as? LegacyRecord
  }
}
