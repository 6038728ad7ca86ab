// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

extension Locale: SecureKeyedCoding {
  /// `NSLocale`.
  public static var archiveClassName: String { "NSLocale" }

  /// Stores the identifier under `NS.identifier`.
  public func encode(with coder: KeyedArchiver) { coder.encode(identifier, forKey: "NS.identifier") }

  /// Reads the identifier. A program that has no locale data, as one without Foundation, knows only one locale, and
  /// reading another fails; ``ArchivedLocale`` has any.
  public init?(coder: KeyedUnarchiver) throws {
    let identifier = try coder.decode(String.self, forKey: "NS.identifier")
    let locale = Locale(identifier: identifier)
    guard locale.identifier == identifier || Locale.isComplete else {
      throw KeyedArchiveError(
        .malformedValue, "this program knows no locale \(identifier.debugDescription)",
        keyPath: coder.storage.state.keyPath(),
        remedy: "Ask for ArchivedLocale, or link Foundation, which has the locales that FoundationEssentials lacks")
    }
    self = locale
  }

  /// Whether the program has locale data, and with it other calendars than the Gregorian: FoundationEssentials alone
  /// takes every identifier for the same locale.
  static var isComplete: Bool { Locale(identifier: "de_DE").identifier != Locale(identifier: "fr_FR").identifier }
}
