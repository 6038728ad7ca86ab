// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The null object of collections, `NSNull` on Apple's systems.
public struct ArchiveNull: SecureKeyedCoding, SharedByValue, Hashable, Sendable {
  /// Creates a null. All are equal.
  public init() {}

  /// The archived class name, `NSNull`.
  public static var archiveClassName: String { "NSNull" }

  /// Encodes nothing, because a null has no values.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {}

  /// Decodes nothing, because a null has no values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: No error.
  public init?(coder: KeyedUnarchiver) throws {}

  /// Records the archive's only null object.
  /// - Parameter coder: The archiver.
  /// - Returns: The recorded value.
  public func record(in coder: KeyedArchiver) -> RecordedValue { RecordedValue(.nullObject) }

  /// Returns the object that is archived for the text `$null`, which as a primitive would decode as nil. Returns nil for
  /// any other text.
  static func object(ifNull text: String) -> (any KeyedCoding)? {
    text == "$null" ? ArchivedMutableString(text) : nil
  }
}
