// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How much a reader is willing to spend on bytes it was handed.
///
/// The defaults let every real file pass and stop what only an attacker would write. Counts that a file claims are
/// checked against the bytes that back them before anything is reserved, whatever the limits are.
public struct ReadLimits: Hashable, Sendable {
  /// How deep containers, and objects decoded within objects, may nest. CoreFoundation's own limit is 512.
  public var maximumDepth: Int
  /// How many rows the object table may have.
  public var maximumObjectCount: Int
  /// How many bytes the input may have.
  public var maximumByteCount: Int
  /// How often larger than the input its values may become when shared ones are written or decoded once per reference.
  ///
  /// An input of less than 8 KiB counts as one of 8 KiB.
  public var maximumExpansion: Int
  /// How many bytes a string may take in the input.
  public var maximumStringByteCount: Int
  /// How many bytes data may take in the input.
  public var maximumDataByteCount: Int

  /// Makes limits; what is not given keeps its default.
  /// - Parameters:
  ///   - maximumDepth: levels of nesting, 512 unless given.
  ///   - maximumObjectCount: rows of the object table, 2^27 unless given.
  ///   - maximumByteCount: bytes of input, 4 GiB unless given.
  ///   - maximumExpansion: output over input, 64 unless given.
  ///   - maximumStringByteCount: bytes of one string, 1 GiB unless given.
  ///   - maximumDataByteCount: bytes of one data, 4 GiB unless given.
  public init(
    maximumDepth: Int = 512, maximumObjectCount: Int = 1 << 27, maximumByteCount: Int = 1 << 32,
    maximumExpansion: Int = 64, maximumStringByteCount: Int = 1 << 30, maximumDataByteCount: Int = 1 << 32
  ) {
    self.maximumDepth = maximumDepth
    self.maximumObjectCount = maximumObjectCount
    self.maximumByteCount = maximumByteCount
    self.maximumExpansion = maximumExpansion
    self.maximumStringByteCount = maximumStringByteCount
    self.maximumDataByteCount = maximumDataByteCount
  }

  /// No limits, for bytes that nobody else made.
  package static let none = ReadLimits(
    maximumDepth: .max, maximumObjectCount: .max, maximumByteCount: .max, maximumExpansion: .max,
    maximumStringByteCount: .max, maximumDataByteCount: .max)

  /// The limits that apply where none are given.
  public static let `default` = ReadLimits()
}
