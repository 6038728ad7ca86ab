// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import Testing

@Suite("PictureHeader")
struct PictureHeaderTests {
  /// Signatures and headers, written by hand from the formats' specifications.
  static let png: [UInt8] =
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 2, 0x80, 0, 0, 1, 0xE0]
  static let gif: [UInt8] = Array("GIF89a".utf8) + [0x80, 2, 0xE0, 1, 0, 0, 0]
  static let jpeg: [UInt8] = [
    0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 1, 2, 0xFF, 0xDB, 0, 3, 0, 0xFF, 0xFF, 0xC2, 0, 11, 8, 1, 0xE0, 2, 0x80, 1, 1, 0x11,
    0,
  ]

  @Test(
    "reads the size of the three formats",
    arguments: [(png, PictureHeader.Format.png), (gif, .gif), (jpeg, .jpeg)] as [([UInt8], PictureHeader.Format)])
  func sizes(bytes: [UInt8], format: PictureHeader.Format) throws {
    let image = try #require(PictureHeader(Data(bytes)))
    #expect(image.format == format && image.width == 640 && image.height == 480)
    // Every prefix is a picture of this size, or not a picture.
    for count in 0..<bytes.count {
      let cut = PictureHeader(Data(bytes.prefix(count)))
      #expect(cut == nil || (cut?.width == 640 && cut?.height == 480))
    }
  }

  @Test("rejects empty pictures and other data")
  func others() {
    var empty = Self.gif
    empty[6...7] = [0, 0]
    #expect(PictureHeader(Data(empty)) == nil)
    var large = Self.png
    large.replaceSubrange(16..<24, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
    #expect(PictureHeader(Data(large))?.width == Int(clamping: UInt32.max))
    // Segments without length, and only markers.
    #expect(PictureHeader(Data([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 100_000))) == nil)
    #expect(PictureHeader(Data([0xFF, 0xD8] + [0xFF, 0xE0, 0, 0, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0])) == nil)
    #expect(PictureHeader(Data("<svg xmlns='http://www.w3.org/2000/svg'>".utf8)) == nil)
  }

  @Test("a summary of data has the size of a picture")
  func summary() {
    #expect(DataSummary.text(Data(Self.gif)) == "13 bytes, gif 640 × 480, 47494638 39618002 e0010000 00")
    #expect(DataSummary.text(Data(Self.gif.prefix(8))) == "8 bytes, gif, 47494638 39618002")
  }
}
