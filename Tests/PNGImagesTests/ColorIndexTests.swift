// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Testing

@testable import PNGImages

@Suite("The index of an image's colors")
struct ColorIndexTests {
  /// Colors with the same first slot in an index with a known factor.
  private static func colors(colliding factor: UInt32) -> [UInt32] {
    // Each step doubles the number of correct bits of the inverse.
    var inverse = factor
    for _ in 0..<5 { inverse = inverse &* (2 &- factor &* inverse) }
    return (0..<256).map { $0 &* inverse }
  }

  @Test("spreads colors that are chosen to share a slot")
  func chosenColors() {
    let factor: UInt32 = 0x9E37_79B1
    let colors = Self.colors(colliding: factor)
    #expect(Set(colors.map { ColorIndex(factor: factor).firstSlot(of: $0) }).count == 1)
    // A random factor is a bad one for these colors once in thousands of times.
    let counts = (0..<8).map { _ in
      let index = ColorIndex()
      return Set(colors.map { index.firstSlot(of: $0) }).count
    }
    #expect((counts.max() ?? 0) > 64)
  }

  @Test("has another order of slots in each image")
  func randomFactors() {
    let slots = (0..<8).map { _ in
      let index = ColorIndex()
      return (1...64).map { index.firstSlot(of: $0) }
    }
    #expect(Set(slots).count > 1)
  }

  @Test("does not affect the file of an image")
  func deterministic() throws {
    let pixels = Self.colors(colliding: 0x9E37_79B1).flatMap { color in
      (0..<4).map { UInt8(truncatingIfNeeded: color >> (8 * $0)) }
    }
    let image = try PNGImage(width: 512, height: 16, pixels: Array(repeatElement(pixels, count: 32).joined()))
    let file = image.pngData()
    #expect(try PNGImage.check(file).colorType == .palette)
    for _ in 0..<4 { #expect(image.pngData() == file) }
  }
}
