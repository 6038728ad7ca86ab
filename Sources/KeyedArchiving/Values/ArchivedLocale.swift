// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// An archived locale: its identifier. Decoding it needs no locale data.
public struct ArchivedLocale: SecureKeyedCoding, Hashable, Sendable {
  /// The identifier, such as `de_DE`; empty for the locale of no region.
  public var identifier: String

  /// Creates a locale.
  /// - Parameter identifier: The identifier, such as `de_DE`.
  public init(identifier: String) { self.identifier = identifier }

  /// Returns whether the identifiers have the same bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether the identifiers have the same bytes.
  public static func == (a: Self, b: Self) -> Bool { a.identifier == b.identifier }

  /// Hashes the identifier.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

  /// The archived class name, `NSLocale`.
  public static var archiveClassName: String { "NSLocale" }

  /// Encodes the identifier for the key `NS.identifier`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encode(identifier, forKey: "NS.identifier") }

  /// Decodes the identifier.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the identifier is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws { identifier = try coder.decode(String.self, forKey: "NS.identifier") }
}

extension Locale: SecureKeyedCoding {
  /// The archived class name, `NSLocale`.
  public static var archiveClassName: String { "NSLocale" }

  /// Encodes the identifier for the key `NS.identifier`.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encode(identifier, forKey: "NS.identifier") }

  /// Decodes the identifier. A program without locale data, such as one without Foundation, knows only one locale, and
  /// fails to decode others. ``ArchivedLocale`` decodes all.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the identifier is missing or malformed, or if the program does not know the
  ///   locale.
  public init?(coder: KeyedUnarchiver) throws {
    let identifier = try coder.decode(String.self, forKey: "NS.identifier")
    try coder.checkName(identifier, forKey: "NS.identifier")
    let locale = Locale(identifier: identifier)
    guard locale.identifier == identifier || Locale.isComplete else {
      throw KeyedArchiveError(
        .malformedValue, "unknown locale \(identifier.debugDescription) in this program",
        at: coder.storage.state.place(),
        remedy: "Request ArchivedLocale, or link Foundation, which has the locales that FoundationEssentials lacks")
    }
    self = locale
  }

  /// Whether the program has locale data, and thus calendars other than the Gregorian. FoundationEssentials alone maps
  /// every identifier to the same locale.
  static var isComplete: Bool { Locale(identifier: "de_DE").identifier != Locale(identifier: "fr_FR").identifier }
}
