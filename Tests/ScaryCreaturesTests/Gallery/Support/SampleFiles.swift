// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import ScaryCreatures

/// Image files and other files.
enum SampleFiles {
  /// An image of one color.
  static func png(_ red: UInt8, _ green: UInt8, _ blue: UInt8, side: Int = 8) throws -> Data {
    let pixels = [[UInt8]](repeating: [red, green, blue, 255], count: side * side).flatMap { $0 }
    return try PNGImage(width: side, height: side, pixels: pixels).pngData()
  }

  /// The start of a JPEG file.
  static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0])
  /// An SVG file that runs a script when it is opened as a document.
  static let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)
  /// An HTML file with the name of an image.
  static let html = Data("<!DOCTYPE html><script>alert(1)</script>".utf8)
  /// The start of a WebP file.
  static let webP = Data("RIFF".utf8) + Data([24, 0, 0, 0]) + Data("WEBPVP8 ".utf8) + Data(count: 16)
  /// The start of a HEIC file, a photo that only some browsers display.
  static let heic = Data([0, 0, 0, 24]) + Data("ftypheic".utf8) + Data(count: 12)
  /// Bytes of an unknown format.
  static let unknown = Data([1, 2, 3, 4, 5])
}
