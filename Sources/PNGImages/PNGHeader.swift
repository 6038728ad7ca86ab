// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A PNG color type (PNG specification, 11.2.1).
public enum PNGColorType: UInt8, Hashable, Sendable, CaseIterable {
  /// One gray sample per pixel.
  case gray = 0
  /// Red, green and blue.
  case rgb = 2
  /// An index into the palette.
  case palette = 3
  /// Gray and alpha.
  case grayAlpha = 4
  /// Red, green, blue and alpha.
  case rgba = 6

  /// The number of samples per pixel.
  var samplesPerPixel: Int {
    switch self {
    case .gray, .palette: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// Returns whether the format allows samples of `bitDepth` bits.
  func allows(bitDepth: Int) -> Bool {
    switch self {
    case .gray: [1, 2, 4, 8, 16].contains(bitDepth)
    case .palette: [1, 2, 4, 8].contains(bitDepth)
    case .rgb, .grayAlpha, .rgba: bitDepth == 8 || bitDepth == 16
    }
  }
}

/// The header of a validated PNG file.
public struct PNGHeader: Hashable, Sendable {
  /// The number of pixels in a row, at least 1.
  public let width: Int
  /// The number of rows, at least 1.
  public let height: Int
  /// The number of bits per sample, or per palette index: 1, 2, 4, 8 or 16.
  public let bitDepth: Int
  /// The meaning of a pixel's samples.
  public let colorType: PNGColorType
  /// A Boolean value that indicates whether the rows are stored in the seven passes of Adam7.
  public let isInterlaced: Bool
}

extension PNGHeader {
  /// The number of bits per pixel in the file, 1 to 64.
  var bitsPerPixel: Int { bitDepth * colorType.samplesPerPixel }

  /// The distance in bytes to the previous pixel. The filters use it.
  var filterDistance: Int { max(1, bitsPerPixel / 8) }

  /// The passes that have pixels.
  var passes: [Adam7Pass] {
    isInterlaced ? Adam7Pass.interlaced(width: width, height: height) : [.whole(width: width, height: height)]
  }

  /// Returns the size of a row of `count` pixels without its filter byte, or nil on overflow.
  func byteCount(ofRowOf count: Int) -> Int? {
    let (bits, overflow) = count.multipliedReportingOverflow(by: bitsPerPixel)
    return overflow ? nil : bits / 8 + (bits % 8 == 0 ? 0 : 1)
  }

  /// The size of all rows with their filter bytes, or nil on overflow.
  var inflatedByteCount: Int? {
    var total = 0
    for pass in passes {
      guard let row = byteCount(ofRowOf: pass.width) else { return nil }
      let (rows, tooMany) = (row + 1).multipliedReportingOverflow(by: pass.height)
      let (sum, overflow) = total.addingReportingOverflow(rows)
      if tooMany || overflow { return nil }
      total = sum
    }
    return total
  }
}

/// A pass of the Adam7 interlace: a smaller image whose pixels form a grid in the whole one.
///
/// The grids are in the PNG specification, 8.2. An image without interlace is one pass with a grid of 1.
struct Adam7Pass {
  let firstX: Int
  let firstY: Int
  let stepX: Int
  let stepY: Int
  let width: Int
  let height: Int

  /// Returns the only pass of an image without interlace.
  static func whole(width: Int, height: Int) -> Self {
    Self(firstX: 0, firstY: 0, stepX: 1, stepY: 1, width: width, height: height)
  }

  /// Returns the passes of an interlaced image. Empty passes of small images are omitted, as in the file.
  static func interlaced(width: Int, height: Int) -> [Self] {
    let grids = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    return grids.compactMap { x, y, stepX, stepY in
      guard x < width, y < height else { return nil }
      return Self(
        firstX: x, firstY: y, stepX: stepX, stepY: stepY, width: (width - x - 1) / stepX + 1,
        height: (height - y - 1) / stepY + 1)
    }
  }
}
