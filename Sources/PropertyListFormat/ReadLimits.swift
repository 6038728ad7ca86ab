// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The limits on untrusted input.
///
/// The defaults accept all files of the test corpus and reject files that only an attacker would write. Whatever the limits
/// are, a reader checks each length in a file against the size of the file before it allocates memory.
public struct ReadLimits: Hashable, Sendable {
  /// The maximum depth of nested containers, and of objects decoded inside of objects. A value that was decoded before counts
  /// with all of its levels. CoreFoundation's limit is 512.
  public var maximumDepth: Int
  /// The maximum number of objects in the object table.
  public var maximumObjectCount: Int
  /// The maximum size of the input in bytes.
  public var maximumByteCount: Int
  /// The maximum ratio of the size of the values to the size of the input. Shared values count once for each reference.
  ///
  /// An input of less than 8 KiB counts as 8 KiB.
  public var maximumExpansion: Int
  /// The maximum size of a string in the input, in bytes.
  ///
  /// In binary files, strings of less than 15 characters are accepted whatever the limit is.
  public var maximumStringByteCount: Int
  /// The maximum size of data in the input, in bytes.
  ///
  /// In binary files, data of less than 15 bytes is accepted whatever the limit is.
  public var maximumDataByteCount: Int

  /// Creates limits.
  /// - Parameters:
  ///   - maximumDepth: The maximum depth of nested containers. The default is 512.
  ///   - maximumObjectCount: The maximum number of objects. The default is 2^27.
  ///   - maximumByteCount: The maximum size of the input. The default is 4 GiB, or `Int.max` where that is less.
  ///   - maximumExpansion: The maximum ratio of the size of the values to the size of the input. The default is 64.
  ///   - maximumStringByteCount: The maximum size of a string. The default is 1 GiB.
  ///   - maximumDataByteCount: The maximum size of data. The default is 4 GiB, or `Int.max` where that is less.
  public init(
    maximumDepth: Int = 512, maximumObjectCount: Int = 1 << 27, maximumByteCount: Int = Int(clamping: 1 << 32 as Int64),
    maximumExpansion: Int = 64, maximumStringByteCount: Int = 1 << 30,
    maximumDataByteCount: Int = Int(clamping: 1 << 32 as Int64)
  ) {
    self.maximumDepth = maximumDepth
    self.maximumObjectCount = maximumObjectCount
    self.maximumByteCount = maximumByteCount
    self.maximumExpansion = maximumExpansion
    self.maximumStringByteCount = maximumStringByteCount
    self.maximumDataByteCount = maximumDataByteCount
  }

  /// No limits. Use it for trusted input only.
  package static let none = ReadLimits(
    maximumDepth: .max, maximumObjectCount: .max, maximumByteCount: .max, maximumExpansion: .max,
    maximumStringByteCount: .max, maximumDataByteCount: .max)

  /// The default limits.
  public static let `default` = ReadLimits()
}
