// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// An archived time zone: its name and its rules. Decoding it needs no time zone database.
public struct ArchivedTimeZone: SecureKeyedCoding, SharedByValue, Hashable, Sendable {
  /// The name, such as `Europe/Paris`.
  public var name: String
  /// The rules, in the format of TZif files.
  public var rules: Data?

  /// Creates a time zone.
  /// - Parameters:
  ///   - name: The name, such as `Europe/Paris`.
  ///   - rules: The rules, in the format of TZif files.
  public init(name: String, rules: Data? = nil) {
    self.name = name
    self.rules = rules
  }

  /// Returns whether the names and the rules have the same bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.name == b.name && a.rules.map(FullyHashedData.init) == b.rules.map(FullyHashedData.init)
  }

  /// Hashes all properties.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(rules.map { FullyHashedData($0) })
  }

  /// The archived class name, `NSTimeZone`.
  public static var archiveClassName: String { "NSTimeZone" }

  /// Encodes the name for the key `NS.name`, and the rules as mutable data for the key `NS.data`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "NS.name")
    coder.encode(rules.map { ArchivedMutableData($0) }, forKey: "NS.data")
  }

  /// Decodes the name and the rules.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NS.name")
    rules = try coder.decodeIfPresent(Data.self, forKey: "NS.data")
  }

  /// Records equal time zones as one object, because Apple's systems have one object for each name.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    record(self, in: coder)
  }

  /// Records a value with these properties: this one, or the system's time zone.
  fileprivate func record(_ zone: any KeyedCoding, in coder: KeyedArchiver) -> RecordedValue {
    coder.recorded(sharedAs: "NSTimeZone \(name) \(rules?.base64EncodedString() ?? "-")") { TimeZoneObject(zone) }
  }
}

/// The object that represents all equal time zones of an archive. It is archived as the first of them.
private final class TimeZoneObject: SecureKeyedCoding, ValueStorage {
  let value: any KeyedCoding

  init(_ zone: any KeyedCoding) { value = zone }

  static var archiveClassName: String { ArchivedTimeZone.archiveClassName }

  func encode(with coder: KeyedArchiver) throws { try value.encode(with: coder) }

  init?(coder: KeyedUnarchiver) throws {
    throw coder.malformed("invalid request: the object of a time zone is decoded only as its value")
  }
}

extension TimeZone: SecureKeyedCoding {
  /// The archived class name, `NSTimeZone`.
  public static var archiveClassName: String { "NSTimeZone" }

  /// Encodes the name; readers look up the rules. To store the rules as well, archive an ``ArchivedTimeZone``.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { ArchivedTimeZone(name: identifier).encode(with: coder) }

  /// Decodes the name, which this system must know. ``ArchivedTimeZone`` decodes all.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is missing or malformed, or if the system does not know the time zone.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedTimeZone(coder: coder) else { return nil }
    try coder.checkName(archived.name, forKey: "NS.name")
    guard let zone = TimeZone(identifier: archived.name) else {
      throw KeyedArchiveError(
        .malformedValue, "unknown time zone \(archived.name.debugDescription) on this system",
        at: coder.storage.state.place(to: "NS.name"),
        remedy: "Request ArchivedTimeZone, or link Foundation, which knows more zones than FoundationEssentials")
    }
    self = zone
  }

  /// Records equal time zones as one object, because Apple's systems have one object for each name.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue {
    ArchivedTimeZone(name: identifier).record(self, in: coder)
  }
}
