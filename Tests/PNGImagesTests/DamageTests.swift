// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import PNGImages
import TestSupport
import Testing

@Suite("Damaged PNG files")
struct DamageTests {
  /// Decodes data and accepts only an image or a typed error; a trap ends the test.
  private func survives(_ data: Data) -> PNGError? {
    do {
      let image = try PNGImage(data)
      #expect(image.pixels.count == 4 * image.width * image.height)
      return nil
    } catch {
      return error
    }
  }

  @Test(
    "rejects a file truncated at any byte, also in the check",
    arguments: ["gray-16-bit.png", "palette-2-bit.png", "interlaced-rgb.png"])
  func truncation(_ name: String) throws {
    let data = try Fixtures.data(name)
    for count in Sample.cases(0..<data.count, each: 3) {
      #expect(survives(data.prefix(count)) != nil, "\(count) bytes")
      #expect(throws: PNGError.self) { try PNGImage.check(data.prefix(count)) }
    }
  }

  @Test("A single changed bit anywhere is noticed", arguments: ["gray-16-bit.png", "palette-2-bit.png"])
  func bitFlips(_ name: String) throws {
    let data = try Fixtures.data(name)
    for bit in Sample.cases(0..<8 * data.count, each: 5) {
      var damaged = data
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      #expect(throws: PNGError.self, "bit \(bit)") { try PNGImage.check(damaged) }
    }
  }

  @Test("a changed bit under corrected checksums gives an error or other pixels, and never traps")
  func bitFlipsBehindChecksums() throws {
    let data = try Fixtures.data("palette-2-bit.png")
    for bit in Sample.cases(8 * 8..<8 * data.count, each: 5) {
      var damaged = data
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      _ = survives(Self.withGoodChecksums(damaged))
    }
  }

  @Test(
    "random changes under corrected checksums give an error or an image",
    arguments: ["palette-2-bit.png", "gray-1-bit.png", "interlaced-rgb.png", "deflate-many-blocks.png"])
  func mutations(_ name: String) throws {
    var random = SeededRandom(seed: 99)
    let data = try Fixtures.data(name)
    // Lower limits save time, because a damaged header may claim a large image.
    let limits = PNGLimits(maximumPixelCount: 100_000)
    for round in 0..<600 {
      var damaged = data
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let at = Int.random(in: 8..<damaged.count, using: &random)
        switch round % 4 {
        case 0: damaged[at] = UInt8.random(in: 0...255, using: &random)
        case 1: damaged.remove(at: at)
        case 2: damaged.insert(UInt8.random(in: 0...255, using: &random), at: at)
        default: damaged.append(contentsOf: damaged[at..<min(at + 20, damaged.count)])
        }
      }
      // Every fifth file; with `WHOLE_TESTS`, each.
      guard Sample.includes(round, each: 5) else { continue }
      do {
        let image = try PNGImage(Self.withGoodChecksums(damaged), limits: limits)
        #expect(image.pixels.count == 4 * image.width * image.height)
      } catch {
        #expect(!error.detail.isEmpty)
      }
    }
  }

  @Test("Random bytes as image data end in an error", arguments: 0..<8 as Range<UInt64>)
  func randomStreams(_ seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let image = ReferencePNG(width: 9, height: 9, depth: 8, colorType: 2, samples: { _, _ in [] })
    for _ in 0..<150 {
      let stream = [0x78, 0x01] + random.bytes(Int.random(in: 0...120, using: &random))
      #expect(survives(ReferencePNG.file([("IHDR", image.header), ("IDAT", stream), ("IEND", [])])) != nil)
    }
  }

  /// Returns the chunks with corrected checksums, up to the first invalid chunk.
  private static func withGoodChecksums(_ data: Data) -> Data {
    var bytes = [UInt8](data)
    var at = 8
    while at + 12 <= bytes.count {
      let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
      guard length <= bytes.count - at - 12 else { break }
      let crc = ReferencePNG.number(Int(ReferenceZlib.crc(Array(bytes[at + 4..<at + 8 + length]))))
      bytes.replaceSubrange(at + 8 + length..<at + 12 + length, with: crc)
      at += 12 + length
    }
    return Data(bytes)
  }
}
