// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// The description of a class in an archive.
public struct ClassDescription: Hashable, Sendable {
  /// The archived class name, `$classname`.
  public var name: String
  /// The superclass chain, `$classes`: the class and its superclasses, up to `NSObject`. Empty if the record has no
  /// chain.
  public var chain: [String]
  /// The class hints, `$classhints`: substitute classes for readers that lack the class. Empty if the record has no
  /// hints.
  public var hints: [String]

  /// Returns whether all properties are equal.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.chain == b.chain && a.hints == b.hints }

  /// Hashes all properties.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(chain)
    hasher.combine(hints)
  }

  /// Creates a description.
  /// - Parameters:
  ///   - name: The archived class name.
  ///   - chain: The class and its superclasses, up to `NSObject`.
  ///   - hints: The substitute classes.
  public init(name: String, chain: [String], hints: [String] = []) {
    self.name = name
    self.chain = chain
    self.hints = hints
  }
}

/// The UID of an object in a keyed archive: its index in `$objects`.
public struct ArchiveUID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The index in `$objects`.
  public let rawValue: UInt32

  /// Creates a UID from an index in `$objects`.
  /// - Parameter rawValue: The index in `$objects`.
  @inlinable
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The UID of `$null`, which represents nil.
  public static let null = ArchiveUID(rawValue: 0)

  /// Returns whether the first index is smaller.
  /// - Parameters:
  ///   - a: A UID.
  ///   - b: Another UID.
  /// - Returns: Whether the index of `a` is smaller.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The UID in messages, such as `#12`.
  public var description: String { "#\(rawValue)" }

  package var index: Int { rawValue <= UInt(Int.max) ? Int(truncatingIfNeeded: rawValue) : .max }
}
