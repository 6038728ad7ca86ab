// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// A range of places, as `NSValue` holds an `NSRange`. Where none was found the location is the largest integer.
public struct ArchivedRange: SecureKeyedCoding, Hashable, Sendable {
  /// The first place.
  public var location: Int
  /// How many places there are.
  public var length: Int

  /// Makes a range.
  public init(location: Int, length: Int) {
    self.location = location
    self.length = length
  }

  /// `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// As two numbers, the length first.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(4, forKey: "NS.special")
    coder.encodeObject(length, forKey: "NS.rangeval.length")
    coder.encodeObject(location, forKey: "NS.rangeval.location")
  }

  /// Reads a value that must be a range; neither number is negative.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(4, "a range")
    length = try coder.count("NS.rangeval.length")
    location = try coder.count("NS.rangeval.location")
  }
}
