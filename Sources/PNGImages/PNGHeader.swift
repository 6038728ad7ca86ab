// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A PNG colour type, as the image header names it (PNG specification, 11.2.1).
public enum PNGColorType: UInt8, Hashable, Sendable, CaseIterable {
  /// One grey sample a pixel.
  case gray = 0
  /// Red, green and blue.
  case rgb = 2
  /// An index into the palette.
  case palette = 3
  /// Grey and alpha.
  case grayAlpha = 4
  /// Red, green, blue and alpha.
  case rgba = 6

  /// How many samples a pixel has in the file.
  var samplesPerPixel: Int {
    switch self {
    case .gray, .palette: 1
    case .grayAlpha: 2
    case .rgb: 3
    case .rgba: 4
    }
  }

  /// Whether the format allows samples of `bitDepth` bits.
  func allows(bitDepth: Int) -> Bool {
    switch self {
    case .gray: bitDepth == 1 || bitDepth == 2 || bitDepth == 4 || bitDepth == 8 || bitDepth == 16
    case .palette: bitDepth == 1 || bitDepth == 2 || bitDepth == 4 || bitDepth == 8
    case .rgb, .grayAlpha, .rgba: bitDepth == 8 || bitDepth == 16
    }
  }
}

/// What the header of a PNG file says, once the file around it has been found sound.
public struct PNGHeader: Hashable, Sendable {
  /// Pixels in a row, at least 1.
  public let width: Int
  /// Rows, at least 1.
  public let height: Int
  /// Bits of a sample (of a palette index, for palette images): 1, 2, 4, 8 or 16.
  public let bitDepth: Int
  /// What the samples of a pixel are.
  public let colorType: PNGColorType
  /// Whether the rows are stored in the seven passes of Adam7.
  public let isInterlaced: Bool
}

extension PNGHeader {
  /// Bits of a pixel in the file, 1 to 64.
  var bitsPerPixel: Int { bitDepth * colorType.samplesPerPixel }

  /// The distance, in bytes, at which the filters look back.
  var filterDistance: Int { max(1, bitsPerPixel / 8) }

  /// The passes in which the pixels are stored, those without pixels left out.
  var passes: [Adam7Pass] {
    isInterlaced ? Adam7Pass.interlaced(width: width, height: height) : [.whole(width: width, height: height)]
  }

  /// The bytes of a row of `count` pixels without its filter byte.
  func byteCount(ofRowOf count: Int) -> Int? {
    let (bits, overflow) = count.multipliedReportingOverflow(by: bitsPerPixel)
    return overflow ? nil : bits / 8 + (bits % 8 == 0 ? 0 : 1)
  }

  /// The bytes of all rows with their filter bytes, or nil where that is not a number.
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
