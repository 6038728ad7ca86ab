// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation

/// The tutorial's model for the toolchain's Foundation after its switch to secure coding.
final class SecureFoundationCreature: NSObject, NSSecureCoding {
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
final class InsecureFoundationCreature: NSObject, NSCoding {
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
final class MixedFoundationCreature: NSObject, NSSecureCoding {
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

  /// Archives under a top-level key and a class name.
  static func archive(
    _ creature: any NSObject & NSCoding, secure: Bool, topKey: String = "root", className: String = className,
    _ format: PropertyListSerialization.PropertyListFormat = .binary
  ) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: secure)
    archiver.outputFormat = format
    archiver.setClassName(className, for: type(of: creature))
    archiver.encode(creature, forKey: topKey)
    archiver.finishEncoding()
    return archiver.encodedData
  }

  /// Reads as the app after the switch does.
  static func readSecurely(_ data: Data) throws -> SecureFoundationCreature? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = true
    unarchiver.setClass(SecureFoundationCreature.self, forClassName: className)
    defer { unarchiver.finishDecoding() }
    return unarchiver.decodeObject(of: SecureFoundationCreature.self, forKey: "root")
  }

  /// Reads as the app before the switch does.
  static func readInsecurely(_ data: Data) throws -> InsecureFoundationCreature? {
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = false
    unarchiver.setClass(InsecureFoundationCreature.self, forClassName: className)
    defer { unarchiver.finishDecoding() }
    return unarchiver.decodeObject(forKey: "root") as? InsecureFoundationCreature
  }
}
