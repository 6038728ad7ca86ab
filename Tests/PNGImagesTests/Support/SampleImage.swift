// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import PNGImages
import Testing

/// Images for every case of the encoder.
struct SampleImage: CustomTestStringConvertible, Sendable {
  let testDescription: String
  let image: PNGImage

  init(_ name: String, _ width: Int, _ height: Int, _ pixel: (Int, Int) -> [UInt8]) throws {
    testDescription = name
    var pixels: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width { pixels += pixel(x, y) }
    }
    image = try PNGImage(width: width, height: height, pixels: pixels)
  }

  static func all() throws -> [SampleImage] { try images.get() }

  private static let images = Result { try make() }

  private static func make() throws -> [SampleImage] {
    var random = SeededRandom(seed: 11)
    let noise = random.bytes(4 * 64 * 64)
    func grain(_ x: Int, _ y: Int, _ channel: Int) -> Int { Int(noise[(y * 64 + x) * 4 + channel] & 7) }
    return [
      try SampleImage("one opaque pixel", 1, 1) { _, _ in [1, 2, 3, 255] },
      try SampleImage("one transparent pixel", 1, 1) { _, _ in [0, 0, 0, 0] },
      try SampleImage("plain", 64, 64) { _, _ in [200, 30, 40, 255] },
      try SampleImage("two colours", 61, 17) { x, y in (x + y) % 3 == 0 ? [0, 0, 0, 255] : [255, 255, 255, 255] },
      try SampleImage("four colours, three transparent", 33, 20) { x, y in
        [9, 9, 9, [0, 80, 160, 255][(x / 3 + y) % 4]]
      },
      try SampleImage("sixteen colours", 50, 40) { x, y in [UInt8(x / 13 * 60), UInt8(y / 10 * 60), 77, 255] },
      try SampleImage("256 colours", 64, 64) { x, y in [UInt8(x / 4 * 16), UInt8(y / 4 * 16), 5, 255] },
      try SampleImage("257 colours", 257, 2) { x, _ in [UInt8(min(x, 255)), 0, UInt8(x / 256), 255] },
      try SampleImage("grey", 64, 64) { x, y in
        let v = UInt8(2 * x + y + grain(x, y, 0))
        return [v, v, v, 255]
      },
      try SampleImage("grey with alpha", 64, 64) { x, y in
        let v = UInt8(3 * x)
        return [v, v, v, UInt8(4 * y)]
      },
      try SampleImage("photo", 64, 64) { x, y in
        [UInt8(100 + x + grain(x, y, 0)), UInt8(3 * y + grain(x, y, 1)), UInt8(x + y + grain(x, y, 2)), 255]
      },
      try SampleImage("photo with soft edge", 64, 64) { x, y in
        [UInt8(100 + x + grain(x, y, 0)), UInt8(3 * y), UInt8(x + y), UInt8(max(0, 255 - 8 * abs(x - 32)))]
      },
      try SampleImage("noise", 64, 64) { x, y in Array(noise[(y * 64 + x) * 4..<(y * 64 + x) * 4 + 4]) },
      try SampleImage("more noise than one stored block holds", 150, 120) { _, _ in random.bytes(4) },
      try SampleImage("one column", 1, 300) { _, y in [UInt8(y & 255), UInt8(y / 2), 9, 255] },
      try SampleImage("one row", 300, 1) { x, _ in [UInt8(x & 255), UInt8(x / 2), 9, UInt8(255 - x / 2)] },
      try SampleImage("hidden colours under full transparency", 20, 20) { x, y in [UInt8(x * 12), UInt8(y * 12), 3, 0]
      },
    ]
  }
}
