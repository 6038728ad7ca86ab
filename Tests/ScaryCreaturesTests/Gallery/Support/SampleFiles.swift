// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import ScaryCreatures

/// Files that are pictures, or say so.
enum SampleFiles {
  /// A picture of one colour.
  static func png(_ red: UInt8, _ green: UInt8, _ blue: UInt8, side: Int = 8) throws -> Data {
    let pixels = [[UInt8]](repeating: [red, green, blue, 255], count: side * side).flatMap { $0 }
    return try PNGImage(width: side, height: side, pixels: pixels).pngData()
  }

  /// How a JPEG file begins.
  static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16, 0x4A, 0x46, 0x49, 0x46, 0])
  /// A drawing that runs a script where it is opened as a document.
  static let svg = Data("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)
  /// A page under the name of a picture.
  static let html = Data("<!DOCTYPE html><script>alert(1)</script>".utf8)
  /// A photo that browsers do not show.
  static let heic = Data([0, 0, 0, 24]) + Data("ftypheic".utf8) + Data(count: 12)
  /// Nothing known.
  static let unknown = Data([1, 2, 3, 4, 5])
}
