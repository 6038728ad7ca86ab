// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A row in a property list's object table.
///
/// Not to be confused with a UID, which is a value inside a property list that some higher format gives a meaning.
public struct ObjectRef: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The row, counted from 0.
  public let rawValue: UInt32

  /// Makes a reference to a row.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Earlier rows come first.
  @inlinable
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The row as people read it.
  public var description: String { "object \(rawValue)" }

  /// The row as an array index.
  @_spi(Archiving) @inlinable
  public var index: Int { Int(rawValue) }
}
