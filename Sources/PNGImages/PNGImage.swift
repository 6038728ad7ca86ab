// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// An image in memory: rows from top to bottom, four bytes a pixel.
///
/// ```swift
/// let image = try PNGImage(data)                      // decoded within the default limits
/// let thumb = try image.thumbnail(background: .black) // the shorter side becomes 214 pixels
/// try thumb.pngData().write(to: url)
/// ```
///
/// Colours are as the file has them: no colour profile or gamma is applied, and none is written.
public struct PNGImage: Hashable, Sendable {
  /// Pixels in a row, at least 1.
  public let width: Int
  /// Rows, at least 1.
  public let height: Int
  /// Red, green, blue and alpha of each pixel, not premultiplied: `4 * width * height` bytes.
  public let pixels: [UInt8]

  /// Makes an image from pixels.
  /// - Parameters:
  ///   - width: pixels in a row.
  ///   - height: rows.
  ///   - pixels: red, green, blue and alpha of each pixel, not premultiplied.
  /// - Throws: ``PNGError`` with code `badDimensions` unless there are exactly `4 * width * height` bytes and at least
  ///   one pixel.
  public init(width: Int, height: Int, pixels: [UInt8]) throws(PNGError) {
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    let (byteCount, tooMany) = count.multipliedReportingOverflow(by: 4)
    guard width >= 1, height >= 1, width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF, !overflow, !tooMany,
      byteCount == pixels.count
    else {
      throw PNGError(
        .badDimensions,
        "An image of \(width) x \(height) pixels needs 4 bytes for each and at least one pixel; given are "
          + "\(pixels.count) bytes")
    }
    self.init(unchecked: pixels, width: width, height: height)
  }

  /// The same, where the count is known to be right.
  package init(unchecked pixels: [UInt8], width: Int, height: Int) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// Whether no pixel lets anything shine through.
  public var isOpaque: Bool {
    pixels.withBytes { bytes in
      var i = 3
      while i < bytes.byteCount {
        if bytes.byte(at: i) != 255 { return false }
        i &+= 4
      }
      return true
    }
  }
}

extension PNGImage: CustomStringConvertible {
  /// The size, in words.
  public var description: String { "PNG image of \(width) x \(height) pixels" }
}
