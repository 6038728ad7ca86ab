// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import Foundation
import TestSupport
import Testing

@Suite("PreviewImage")
struct PreviewImageTests {
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
    arguments: [(png, PreviewImage.Format.png), (gif, .gif), (jpeg, .jpeg)] as [([UInt8], PreviewImage.Format)])
  func sizes(bytes: [UInt8], format: PreviewImage.Format) throws {
    let image = try #require(PreviewImage(Data(bytes)))
    #expect(image.format == format && image.width == 640 && image.height == 480 && image.bytes == Data(bytes))
    // Every prefix is an image of this size, or not an image.
    for count in 0..<bytes.count {
      let cut = PreviewImage(Data(bytes.prefix(count)))
      #expect(cut == nil || (cut?.width == 640 && cut?.height == 480))
    }
  }

  @Test("rejects empty images and those too large for a browser")
  func claims() {
    var large = Self.png
    large.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
    #expect(PreviewImage(Data(large)) == nil)
    var empty = Self.gif
    empty[6...7] = [0, 0]
    #expect(PreviewImage(Data(empty)) == nil)
    // Segments without length, and only markers.
    #expect(PreviewImage(Data([0xFF, 0xD8] + [UInt8](repeating: 0xFF, count: 100_000))) == nil)
    #expect(PreviewImage(Data([0xFF, 0xD8] + [0xFF, 0xE0, 0, 0, 0xFF, 0xE0, 0, 0, 0, 0, 0, 0])) == nil)
    #expect(PreviewImage(Data("<svg xmlns='http://www.w3.org/2000/svg'>".utf8)) == nil)
  }
}
