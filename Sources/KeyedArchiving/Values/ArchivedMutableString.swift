// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A string that is archived as an `NSMutableString`: an object with a key, where a `String` is a bare value.
///
/// Asking for `String` reads either.
public struct ArchivedMutableString: SecureKeyedCoding, Hashable, Sendable {
  /// The text.
  public var text: String

  /// Makes a mutable string.
  public init(_ text: String) { self.text = text }

  /// Equal if the texts have the same bytes.
  public static func == (a: Self, b: Self) -> Bool { a.text == b.text }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(text) }

  /// `NSMutableString`.
  public static var archiveClassName: String { "NSMutableString" }

  /// Down to `NSString`.
  public static var archiveClassChain: [String] { ["NSMutableString", "NSString", "NSObject"] }

  /// Stores the text under `NS.string`.
  public func encode(with coder: KeyedArchiver) { text.encode(with: coder) }

  /// Reads the text from `NS.string`, or from UTF-8 in `NS.bytes`.
  public init?(coder: KeyedUnarchiver) throws { text = try String.made(by: coder) }
}
