// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// How much a library is willing to read.
public struct LibraryLimits: Hashable, Sendable {
  /// Bytes of a data file.
  public var maximumDataByteCount: Int
  /// Bytes of an attachment.
  public var maximumAttachmentByteCount: Int
  /// What may be spent on decoding a data file.
  public var reading: ReadLimits

  /// Makes limits; what is not given keeps its default.
  /// - Parameters:
  ///   - maximumDataByteCount: bytes of a data file, 64 MiB unless given.
  ///   - maximumAttachmentByteCount: bytes of an attachment, 256 MiB unless given.
  ///   - reading: what may be spent on decoding a data file.
  public init(
    maximumDataByteCount: Int = 1 << 26, maximumAttachmentByteCount: Int = 1 << 28, reading: ReadLimits = .default
  ) {
    self.maximumDataByteCount = maximumDataByteCount
    self.maximumAttachmentByteCount = maximumAttachmentByteCount
    self.reading = reading
  }

  /// The limits that apply where none are given.
  public static let `default` = LibraryLimits()
}
