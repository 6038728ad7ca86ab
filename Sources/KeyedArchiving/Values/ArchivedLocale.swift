// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A locale as it is archived: its identifier. Reading one needs no locale data.
public struct ArchivedLocale: SecureKeyedCoding, Hashable, Sendable {
  /// The identifier, such as `de_DE`; empty for the locale of no region.
  public var identifier: String

  /// Makes a locale.
  public init(identifier: String) { self.identifier = identifier }

  /// Equal if the identifiers have the same bytes.
  public static func == (a: Self, b: Self) -> Bool { a.identifier == b.identifier }

  /// Hashes the identifier.
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

  /// `NSLocale`.
  public static var archiveClassName: String { "NSLocale" }

  /// Stores the identifier under `NS.identifier`.
  public func encode(with coder: KeyedArchiver) { coder.encode(identifier, forKey: "NS.identifier") }

  /// Reads the identifier.
  public init?(coder: KeyedUnarchiver) throws { identifier = try coder.decode(String.self, forKey: "NS.identifier") }
}
