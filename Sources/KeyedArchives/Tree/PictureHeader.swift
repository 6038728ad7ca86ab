// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The format and size of a picture, by its first bytes.
package struct PictureHeader: Sendable, Equatable {
  package enum Format: String, Sendable {
    case png, jpeg, gif
  }

  package let format: Format
  /// The number of pixels in a row, and of rows; never zero.
  package let width: Int, height: Int

  /// Reads a header; returns nil for another format or an invalid header.
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
    guard let size, size.width > 0, size.height > 0 else { return nil }
    (width, height) = size
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

  /// The number of segments in which the frame header is searched. A file can refer to one picture a million times.
  private static let maximumSegmentCount = 1024

  /// Reads the size from the frame header, a segment before the image (ITU-T T.81, B.2.2).
  private static func sizeOfJPEG(_ data: Data) -> (Int, Int)? {
    let bytes = data.span
    var at = 2
    for _ in 0..<maximumSegmentCount where at + 9 <= bytes.count && bytes[at] == 0xFF {
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
