// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport

/// A PNG file built from chunks, valid or with one error.
struct HandmadePNG {
  var width: UInt32
  var height: UInt32
  /// The content of the image data chunk. The default is that of black pixels.
  var imageData: [UInt8]?

  init(width: UInt32, height: UInt32, imageData: [UInt8]? = nil) {
    self.width = width
    self.height = height
    self.imageData = imageData
  }

  var data: Data {
    let header = Self.bigEndian(width) + Self.bigEndian(height) + [8, 0, 0, 0, 0]
    let rows = imageData ?? ReferenceZlib.stream(stored: [UInt8](repeating: 0, count: Int(height * (width + 1))))
    return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Self.chunk("IHDR", header)
      + Self.chunk("IDAT", rows) + Self.chunk("IEND", [])
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> Data {
    let body = Array(name.utf8) + content
    return Data(bigEndian(UInt32(content.count)) + body + bigEndian(ReferenceZlib.crc(body)))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: value >> shift) }
  }

  /// The width and the height in the header of a PNG file.
  static func size(_ png: Data?) -> [UInt32] {
    guard let png, png.count > 24 else { return [] }
    let bytes = [UInt8](png)
    return [16, 20].map { start in bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) } }
  }
}
