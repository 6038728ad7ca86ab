// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A time zone as it is archived: its name and its rules. Reading one needs no time zone database.
public struct ArchivedTimeZone: SecureKeyedCoding, SharedByValue, Hashable, Sendable {
  /// The name, such as `Europe/Paris`.
  public var name: String
  /// The rules, in the format of TZif files.
  public var rules: Data?

  /// Makes a time zone.
  public init(name: String, rules: Data? = nil) {
    self.name = name
    self.rules = rules
  }

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.rules == b.rules }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(rules)
  }

  /// `NSTimeZone`.
  public static var archiveClassName: String { "NSTimeZone" }

  /// Stores the name under `NS.name` and the rules, as mutable data, under `NS.data`.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "NS.name")
    coder.encode(rules.map { ArchivedMutableData($0) }, forKey: "NS.data")
  }

  /// Reads name and rules.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NS.name")
    rules = try coder.decodeIfPresent(Data.self, forKey: "NS.data")
  }

  /// Equal time zones are one object: the system has one of each name.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    coder.note(sharedAs: "NSTimeZone \(name) \(rules?.base64EncodedString() ?? "-")") { TimeZoneObject(self) }
  }
}

/// The object that stands for a time zone in an archive.
private final class TimeZoneObject: SecureKeyedCoding {
  let zone: ArchivedTimeZone

  init(_ zone: ArchivedTimeZone) { self.zone = zone }

  static var archiveClassName: String { ArchivedTimeZone.archiveClassName }
  static var archiveClassChain: [String] { ArchivedTimeZone.archiveClassChain }

  func encode(with coder: KeyedArchiver) { zone.encode(with: coder) }

  init?(coder: KeyedUnarchiver) throws {
    guard let zone = try ArchivedTimeZone(coder: coder) else { return nil }
    self.zone = zone
  }
}
