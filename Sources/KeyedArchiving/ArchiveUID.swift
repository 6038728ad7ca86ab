// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The number of an object in a keyed archive: its index in `$objects`.
public struct ArchiveUID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The index in `$objects`.
  public let rawValue: UInt32

  /// Makes a UID from an index in `$objects`.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The number that stands for nil.
  public static let null = ArchiveUID(rawValue: 0)

  /// Smaller numbers come first.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The number as people read it, `#12`.
  public var description: String { "#\(rawValue)" }

  package var index: Int { Int(rawValue) }
}
