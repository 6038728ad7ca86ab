// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The limits for decoding an image.
///
/// All limits are checked against the header and the chunks, before memory is allocated. Independently, no memory is
/// allocated for rows that the compressed data is too short to contain. The defaults allow photos of 48 megapixels.
public struct PNGLimits: Hashable, Sendable {
  /// The maximum width in pixels.
  public var maximumWidth: Int
  /// The maximum height in pixels.
  public var maximumHeight: Int
  /// The maximum number of pixels; each takes four bytes after decoding.
  public var maximumPixelCount: Int
  /// The maximum size of a chunk in bytes.
  public var maximumChunkByteCount: Int
  /// The maximum size of the decompressed rows in bytes.
  public var maximumInflatedByteCount: Int
  /// The maximum ratio of the decompressed rows to the compressed data.
  ///
  /// Deflate reaches at most 1032, the default; images of one color come close to it.
  public var maximumExpansion: Int

  /// Creates limits.
  /// - Parameters:
  ///   - maximumWidth: The maximum width in pixels, by default 2^17.
  ///   - maximumHeight: The maximum height in pixels, by default 2^17.
  ///   - maximumPixelCount: The maximum number of pixels, by default 50 million.
  ///   - maximumChunkByteCount: The maximum size of a chunk, by default 256 MiB.
  ///   - maximumInflatedByteCount: The maximum size of the decompressed rows, by default 256 MiB.
  ///   - maximumExpansion: The maximum compression ratio, by default 1032.
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

  /// The default limits.
  public static let `default` = PNGLimits()
}

extension PNGLimits {
  /// Returns the number of pixels of a size within the limits, without overflow.
  func pixelCount(width: Int, height: Int, at byteOffset: Int? = nil) throws(PNGError) -> Int {
    if width > maximumWidth || height > maximumHeight {
      throw PNGError(
        .limitReached, at: byteOffset,
        "Image too large: found \(width) x \(height) pixels; expected at most \(maximumWidth) x \(maximumHeight)",
        remedy: "If you trust the file, raise PNGLimits.maximumWidth and maximumHeight")
    }
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    // The size in bytes must not overflow either.
    if overflow || count > maximumPixelCount || count > Int.max / 4 {
      throw PNGError(
        .limitReached, at: byteOffset,
        "Image too large: found \(width) x \(height) pixels; expected at most \(maximumPixelCount)",
        remedy: "If you trust the file, raise PNGLimits.maximumPixelCount")
    }
    return count
  }
}
