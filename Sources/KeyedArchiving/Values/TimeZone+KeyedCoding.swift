// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension TimeZone: SecureKeyedCoding {
  /// `NSTimeZone`.
  public static var archiveClassName: String { "NSTimeZone" }

  /// Stores the name; readers look up the rules. To store rules as well archive an ``ArchivedTimeZone``.
  public func encode(with coder: KeyedArchiver) { ArchivedTimeZone(name: identifier).encode(with: coder) }

  /// Reads the name, which must be one that this system knows. ``ArchivedTimeZone`` has any.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedTimeZone(coder: coder) else { return nil }
    guard let zone = TimeZone(identifier: archived.name) else {
      throw KeyedArchiveError(
        .malformedValue, "this system knows no time zone \(archived.name.debugDescription)",
        keyPath: coder.storage.state.keyPath(to: "NS.name"),
        remedy: "Ask for ArchivedTimeZone, or link Foundation, which knows more zones than FoundationEssentials")
    }
    self = zone
  }

  /// Equal time zones are one object: the system has one of each name.
  public func _record(in coder: KeyedArchiver) -> _RecordedValue {
    ArchivedTimeZone(name: identifier)._record(in: coder)
  }
}
