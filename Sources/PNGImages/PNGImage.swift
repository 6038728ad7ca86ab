// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DeflateCoding

/// An image in memory: rows from top to bottom, four bytes per pixel.
///
/// ```swift
/// let image = try PNGImage(data)                      // decoded within the default limits
/// let thumb = try image.thumbnail(background: .black) // the shorter side becomes 214 pixels
/// try thumb.pngData().write(to: url)
/// ```
///
/// Colors are those of the file: color profiles and gamma are neither applied nor written.
public struct PNGImage: Hashable, Sendable {
  /// The number of pixels in a row, at least 1.
  public let width: Int
  /// The number of rows, at least 1.
  public let height: Int
  /// The red, green, blue and alpha samples of each pixel, not premultiplied: `4 * width * height` bytes.
  public let pixels: [UInt8]

  /// Creates an image from pixels.
  /// - Parameters:
  ///   - width: The number of pixels in a row.
  ///   - height: The number of rows.
  ///   - pixels: The red, green, blue and alpha samples of each pixel, not premultiplied.
  /// - Throws: ``PNGError`` with code `badDimensions` unless `pixels` has `4 * width * height` bytes, and at least one
  ///   pixel.
  public init(width: Int, height: Int, pixels: [UInt8]) throws(PNGError) {
    let (count, overflow) = width.multipliedReportingOverflow(by: height)
    let (byteCount, tooMany) = count.multipliedReportingOverflow(by: 4)
    guard width >= 1, height >= 1, width <= 0x7FFF_FFFF, height <= 0x7FFF_FFFF, !overflow, !tooMany,
      byteCount == pixels.count
    else {
      throw PNGError(
        .badDimensions,
        "Invalid size: found \(pixels.count) bytes for \(width) x \(height) pixels; expected 4 for each of at least one"
      )
    }
    self.init(unchecked: pixels, width: width, height: height)
  }

  /// Creates an image from the right number of pixels.
  package init(unchecked pixels: [UInt8], width: Int, height: Int) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// A Boolean value that indicates whether every pixel is opaque.
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
