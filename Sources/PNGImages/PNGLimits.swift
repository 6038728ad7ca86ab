// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How much a reader of images is willing to spend on bytes it was handed.
///
/// All of them are judged from the header and the chunks, before anything is reserved. Independent of them, no memory is
/// reserved for rows that the compressed bytes in the file cannot possibly hold. The defaults let a 48-megapixel
/// photo pass.
public struct PNGLimits: Hashable, Sendable {
  /// How many pixels wide an image may be.
  public var maximumWidth: Int
  /// How many pixels high an image may be.
  public var maximumHeight: Int
  /// How many pixels an image may have; each costs four bytes once decoded.
  public var maximumPixelCount: Int
  /// How many bytes one chunk may hold.
  public var maximumChunkByteCount: Int
  /// How many bytes the rows may have once inflated.
  public var maximumInflatedByteCount: Int
  /// How often larger than their compressed bytes the inflated rows may be.
  ///
  /// Deflate itself cannot do better than 1032, which is the default: plain one-colour images come close to it.
  public var maximumExpansion: Int

  /// Makes limits; what is not given keeps its default.
  /// - Parameters:
  ///   - maximumWidth: pixels, 2^17 unless given.
  ///   - maximumHeight: pixels, 2^17 unless given.
  ///   - maximumPixelCount: pixels, 50 million unless given.
  ///   - maximumChunkByteCount: bytes, 256 MiB unless given.
  ///   - maximumInflatedByteCount: bytes, 256 MiB unless given.
  ///   - maximumExpansion: inflated over compressed, 1032 unless given.
  public init(
    maximumWidth: Int = 1 << 17, maximumHeight: Int = 1 << 17, maximumPixelCount: Int = 50_000_000,
    maximumChunkByteCount: Int = 1 << 28, maximumInflatedByteCount: Int = 1 << 28, maximumExpansion: Int = 1032
  ) {
    self.maximumWidth = maximumWidth
    self.maximumHeight = maximumHeight
    self.maximumPixelCount = maximumPixelCount
    self.maximumChunkByteCount = maximumChunkByteCount
    self.maximumInflatedByteCount = maximumInflatedByteCount
    self.maximumExpansion = maximumExpansion
  }

  /// The limits that apply where none are given.
  public static let `default` = PNGLimits()
}

extension PNGLimits {
  /// Checks a size against the limits, in arithmetic that cannot overflow, and returns its number of pixels.
  func pixelCount(width: Int, height: Int, at byteOffset: Int? = nil) throws(PNGError) -> Int {
    if width > maximumWidth || height > maximumHeight {
      throw PNGError(
        .limitReached, at: byteOffset,
        "An image of \(width) x \(height) pixels is larger than the \(maximumWidth) x \(maximumHeight) that are "
          + "allowed; raise PNGLimits.maximumWidth and maximumHeight to accept it")
    }
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    // Four bytes a pixel must be countable as well.
    if overflow || count > maximumPixelCount || count > Int.max / 4 {
      throw PNGError(
        .limitReached, at: byteOffset,
        "An image of \(width) x \(height) pixels has more than the \(maximumPixelCount) pixels that are allowed; "
          + "raise PNGLimits.maximumPixelCount to accept it")
    }
    return count
  }
}
