// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The details of a value that its row does not show.
package struct Preview: Sendable {
  package var text: String?
  /// Whether the text is incomplete.
  package var isCut = false
  /// The size of the value, if the text or bytes are incomplete.
  package var byteCount: Int?
  package var bytes: Data?
  /// The image in data.
  package var image: PreviewImage?
  /// Seconds since 2001.
  package var date: Double?
  /// The color to show as a swatch.
  package var color: Color?
  /// Whether the contained rows are those of a nested archive, which has separate UIDs.
  package var isArchive = false
  /// A remark.
  package var note: String?

  package init(text: String? = nil, isCut: Bool = false, byteCount: Int? = nil, date: Double? = nil) {
    self.text = text
    self.isCut = isCut
    self.byteCount = byteCount
    self.date = date
  }

  /// Creates the preview of a color.
  package init(color: Color) { self.color = color }

  /// An RGB color with 8 bits per component. A page writes it only as numbers.
  package struct Color: Sendable {
    package let red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
      (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }
  }

  var weight: Int {
    160 + (text.map { Outline.weight(of: $0) } ?? 0) + (bytes?.count ?? 0) * 4 / 3 + (image?.bytes.count ?? 0) * 4 / 3
      + (note.map { Outline.weight(of: $0) } ?? 0)
  }
}

/// An image in a page.
///
/// The first bytes determine the format, and the header determines the size. The size matters because a browser would
/// try to draw an image of gigabytes, which a small file can claim.
package struct PreviewImage: Sendable {
  /// Formats that every browser shows, and that contain only images.
  package enum Format: String, Sendable {
    case png, jpeg, gif
  }

  /// The maximum number of pixels.
  package static let maximumPixels = 1 << 26

  package let format: Format
  package let width: Int
  package let height: Int
  package let bytes: Data

  /// Reads an image; returns nil for another format, an invalid header, or too many pixels.
  package init?(_ data: Data) {
    let size: (width: Int, height: Int)?
    if data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      format = .png
      size = Self.sizeOfPNG(data)
    } else if data.starts(with: [0xFF, 0xD8, 0xFF]) {
      format = .jpeg
      size = Self.sizeOfJPEG(data)
    } else if data.starts(with: Array("GIF87a".utf8)) || data.starts(with: Array("GIF89a".utf8)) {
      format = .gif
      size = Self.sizeOfGIF(data)
    } else {
      return nil
    }
    guard let size, size.width > 0, size.height > 0, size.width <= Self.maximumPixels / size.height else { return nil }
    (width, height) = size
    bytes = data
  }

  /// The header comes first and begins with the size (PNG, 11.2.2).
  private static func sizeOfPNG(_ data: Data) -> (Int, Int)? {
    let bytes = data.span
    guard bytes.count >= 24, bytes[12] == 0x49, bytes[13] == 0x48, bytes[14] == 0x44, bytes[15] == 0x52 else {
      return nil
    }
    func number(_ at: Int) -> Int { Int(clamping: (0..<4).reduce(0) { $0 << 8 | UInt32(bytes[at + $1]) }) }
    return (number(16), number(20))
  }

  /// Reads the size of the logical screen, least significant byte first (GIF89a, 18).
  private static func sizeOfGIF(_ data: Data) -> (Int, Int)? {
    let bytes = data.span
    guard bytes.count >= 10 else { return nil }
    return (Int(bytes[6]) | Int(bytes[7]) << 8, Int(bytes[8]) | Int(bytes[9]) << 8)
  }

  /// Reads the size from the frame header, a segment before the image (ITU-T T.81, B.2.2).
  private static func sizeOfJPEG(_ data: Data) -> (Int, Int)? {
    let bytes = data.span
    var at = 2
    while at + 9 <= bytes.count, bytes[at] == 0xFF {
      let marker = bytes[at + 1]
      switch marker {
      case 0xFF:
        at += 1
        continue
      case 0x01, 0xD0...0xD8:
        at += 2
        continue
      case 0xC0...0xCF where marker != 0xC4 && marker != 0xC8 && marker != 0xCC:
        return (Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]), Int(bytes[at + 5]) << 8 | Int(bytes[at + 6]))
      case 0xD9, 0xDA: return nil
      default: at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
      }
    }
    return nil
  }
}
