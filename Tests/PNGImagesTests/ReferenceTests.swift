// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import PNGImages
import Testing

@Suite("PNG decoding, against a simple writer")
struct ReferenceTests {
  private static let kinds: [(colorType: UInt8, depth: Int)] = [
    (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (2, 8), (2, 16), (3, 1), (3, 2), (3, 4), (3, 8), (4, 8), (4, 16), (6, 8),
    (6, 16),
  ]
  private static let samplesPerPixel: [UInt8: Int] = [0: 1, 2: 3, 3: 1, 4: 2, 6: 4]

  /// The pixel that the specification requires.
  private static func rgba(_ s: [Int], _ image: ReferencePNG) -> [UInt8] {
    func byte(_ sample: Int) -> UInt8 {
      image.depth == 16 ? UInt8(sample >> 8) : UInt8(sample * 255 / ((1 << image.depth) - 1))
    }
    func key(_ i: Int) -> Int { Int(image.transparency[2 * i]) << 8 | Int(image.transparency[2 * i + 1]) }
    let hasKey = !image.transparency.isEmpty
    switch image.colorType {
    case 0: return [byte(s[0]), byte(s[0]), byte(s[0]), hasKey && s[0] == key(0) ? 0 : 255]
    case 2:
      return s.map(byte) + [hasKey && s[0] == key(0) && s[1] == key(1) && s[2] == key(2) ? 0 : 255]
    case 3:
      let alpha = s[0] < image.transparency.count ? image.transparency[s[0]] : 255
      return Array(image.palette[3 * s[0]..<3 * s[0] + 3]) + [alpha]
    case 4: return [byte(s[0]), byte(s[0]), byte(s[0]), byte(s[1])]
    default: return s.map(byte)
    }
  }

  private static func check(_ width: Int, _ height: Int, _ kind: Int, interlaced: Bool, seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (colorType, depth) = kinds[kind]
    let perPixel = samplesPerPixel[colorType] ?? 1
    // Few distinct samples, so that the transparent color occurs.
    let values = (0..<3).map { _ in Int.random(in: 0..<1 << depth, using: &random) }
    let samples = (0..<width * height * perPixel).map { _ in values.randomElement(using: &random) ?? 0 }
    var image = ReferencePNG(width: width, height: height, depth: depth, colorType: colorType, isInterlaced: interlaced)
    { x, y in
      let at = (y * width + x) * perPixel
      return Array(samples[at..<at + perPixel])
    }
    let filters = random.bytes(64).map { $0 % 5 }
    image.filter = { filters[$0 % 64] }
    let withKey = Bool.random(using: &random)
    switch colorType {
    case 0 where withKey: image.transparency = [UInt8(values[0] >> 8), UInt8(values[0] & 255)]
    case 2 where withKey: image.transparency = values.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    case 3:
      image.palette = random.bytes(3 << depth)
      if withKey { image.transparency = random.bytes(1 + values[0]) }
    default: break
    }
    let expected = (0..<width * height).flatMap { rgba(image.samples($0 % width, $0 / width), image) }
    let decoded = try PNGImage(image.data())
    #expect(decoded.pixels == expected, "\(width) x \(height), type \(colorType), \(depth) bits, seed \(seed)")
  }

  @Test("Every colour type and depth, interlaced or not, with all filters", arguments: 0..<15, [false, true])
  func everyKind(_ kind: Int, _ interlaced: Bool) throws {
    for seed in 0..<4 as Range<UInt64> {
      try Self.check(13 + Int(seed), 11 - Int(seed), kind, interlaced: interlaced, seed: seed)
    }
  }

  @Test("Every size around the edges of the Adam7 grid", arguments: 1...10)
  func adam7Edges(_ width: Int) throws {
    for height in 1...10 {
      for kind in [0, 5, 13] {
        try Self.check(width, height, kind, interlaced: true, seed: UInt64(100 * width + height))
      }
    }
  }

  @Test("All filters on pixels of three and four bytes, in rows of random bytes", arguments: [5, 13])
  func filters(_ kind: Int) throws {
    let perPixel = kind == 5 ? 3 : 4
    for filter in 0...4 as ClosedRange<UInt8> {
      var random = SeededRandom(seed: UInt64(filter))
      for width in [1, 2, 3, 7, 16] {
        let bytes = random.bytes(width * 9 * perPixel).map { Int($0) }
        var image = ReferencePNG(width: width, height: 9, depth: 8, colorType: Self.kinds[kind].colorType) { x, y in
          Array(bytes[(y * width + x) * perPixel..<(y * width + x + 1) * perPixel])
        }
        image.filter = { _ in filter }
        let expected = (0..<width * 9).flatMap { Self.rgba(image.samples($0 % width, $0 / width), image) }
        #expect(try PNGImage(image.data()).pixels == expected, "filter \(filter), width \(width)")
      }
    }
  }

  @Test("only the sample's bits of a transparent gray value count")
  func maskedTransparency() throws {
    var image = ReferencePNG(width: 4, height: 1, depth: 2, colorType: 0, samples: { x, _ in [x] })
    image.transparency = [0xFF, 0xFE]
    let pixels = try PNGImage(image.data()).pixels
    #expect(pixels == [0, 0, 0, 255, 85, 85, 85, 255, 170, 170, 170, 0, 255, 255, 255, 255])
  }
}
