// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import Foundation
import PNGImages
import Testing

@Suite("Scaling and compositing")
struct ScalingTests {
  private func image(_ width: Int, _ pixels: [[UInt8]]) throws -> PNGImage {
    try PNGImage(width: width, height: pixels.count / width, pixels: pixels.flatMap { $0 })
  }

  /// Computes area averages as exact fractions, pixel by pixel.
  private func reference(_ image: PNGImage, _ newWidth: Int, _ newHeight: Int) -> [UInt8] {
    var result: [UInt8] = []
    for y in 0..<newHeight {
      for x in 0..<newWidth {
        var color = [0, 0, 0]
        var alpha = 0
        for oldY in 0..<image.height {
          // An old pixel is as many units wide as the new image has columns.
          let overlapY = min((oldY + 1) * newHeight, (y + 1) * image.height) - max(oldY * newHeight, y * image.height)
          if overlapY <= 0 { continue }
          for oldX in 0..<image.width {
            let overlapX = min((oldX + 1) * newWidth, (x + 1) * image.width) - max(oldX * newWidth, x * image.width)
            if overlapX <= 0 { continue }
            let at = 4 * (oldY * image.width + oldX)
            let weight = overlapX * overlapY * Int(image.pixels[at + 3])
            for c in 0..<3 { color[c] += weight * Int(image.pixels[at + c]) }
            alpha += weight
          }
        }
        let area = image.width * image.height
        let newAlpha = (2 * alpha + area) / (2 * area)
        result +=
          newAlpha == 0 ? [0, 0, 0, 0] : color.map { UInt8((2 * $0 + alpha) / (2 * alpha)) } + [UInt8(newAlpha)]
      }
    }
    return result
  }

  @Test("averages four pixels per channel, with one rounding")
  func mean() throws {
    let four = try image(2, [[0, 10, 255, 255], [1, 20, 255, 255], [2, 30, 255, 255], [4, 41, 255, 255]])
    #expect(try four.scaled(toWidth: 1, height: 1).pixels == [2, 25, 255, 255])
  }

  @Test("weights colors by alpha, so transparent pixels do not bleed")
  func alpha() throws {
    let pair = try image(2, [[200, 100, 50, 255], [0, 255, 0, 0]])
    #expect(try pair.scaled(toWidth: 1, height: 1).pixels == [200, 100, 50, 128])
    let uneven = try image(2, [[255, 0, 0, 192], [0, 0, 255, 64]])
    #expect(try uneven.scaled(toWidth: 1, height: 1).pixels == [191, 0, 64, 128])
  }

  @Test("A plain image keeps its colour at any size", arguments: [(1, 1), (3, 7), (10, 4), (31, 50)])
  func plain(_ width: Int, _ height: Int) throws {
    let plain = try image(10, [[UInt8]](repeating: [12, 34, 56, 78], count: 70))
    let scaled = try plain.scaled(toWidth: width, height: height)
    #expect(scaled.pixels == Array([[UInt8]](repeating: [12, 34, 56, 78], count: width * height).joined()))
  }

  @Test("whole factors repeat pixels, and scaling back is exact")
  func repeated() throws {
    let small = try image(2, [[1, 2, 3, 255], [4, 5, 6, 40], [7, 8, 9, 255], [10, 11, 12, 200]])
    let large = try small.scaled(toWidth: 6, height: 4)
    #expect(Array(large.pixels[0..<16]) == [1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255, 4, 5, 6, 40])
    #expect(try large.scaled(toWidth: 2, height: 2) == small)
  }

  @Test("Any size to any size is the exact mean by area", arguments: 0..<40 as Range<UInt64>)
  func exact(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (width, height) = (Int.random(in: 1...12, using: &random), Int.random(in: 1...12, using: &random))
    let source = try PNGImage(width: width, height: height, pixels: random.bytes(4 * width * height))
    let (newWidth, newHeight) = (Int.random(in: 1...15, using: &random), Int.random(in: 1...15, using: &random))
    guard newWidth != width || newHeight != height else { return }
    let scaled = try source.scaled(toWidth: newWidth, height: newHeight)
    #expect(scaled.pixels == reference(source, newWidth, newHeight))
  }

  @Test("the same size returns the same image, with hidden colors")
  func same() throws {
    let hidden = try image(1, [[9, 8, 7, 0]])
    #expect(try hidden.scaled(toWidth: 1, height: 1) == hidden)
  }

  @Test("rejects sizes below one or beyond the limits, and never traps")
  func sizes() throws {
    let dot = try image(1, [[1, 2, 3, 255]])
    for (width, height) in [(0, 1), (1, 0), (-5, 1), (Int.min, Int.max)] {
      #expect(throws: PNGError(.badDimensions, "")) { try dot.scaled(toWidth: width, height: height) }
    }
    #expect(throws: PNGError(.badDimensions, "")) { try dot.scaled(toWidth: Int.max, height: Int.max) }
    #expect(throws: PNGError(.limitReached, "")) { try dot.scaled(toWidth: 1 << 30, height: 1 << 30) }
    let column = try image(1, [[UInt8]](repeating: [1, 2, 3, 255], count: 1000))
    #expect(throws: PNGError(.limitReached, "")) {
      try column.scaled(toWidth: 1000, height: 1, limits: PNGLimits(maximumPixelCount: 10_000))
    }
  }

  @Test("applies the limits for the new size if it equals the old one, too")
  func sameSizeLimits() throws {
    let line = try PNGImage(width: 300, height: 1, pixels: [UInt8](repeating: 255, count: 1200))
    let (enough, tooFew) = (PNGLimits(maximumWidth: 300), PNGLimits(maximumWidth: 299))
    #expect(try line.scaled(toWidth: 300, height: 1, limits: enough) == line)
    #expect(throws: PNGError(.limitReached, "")) { try line.scaled(toWidth: 300, height: 1, limits: tooFew) }
    #expect(try line.thumbnail(points: 1, scale: 1, limits: enough) == line)
    #expect(throws: PNGError(.limitReached, "")) { try line.thumbnail(points: 1, scale: 1, limits: tooFew) }
  }

  @Test("requires the exact number of bytes for an image")
  func dimensions() throws {
    for (width, height, count) in [(0, 0, 0), (1, 1, 3), (1, 1, 5), (-1, -1, 4), (Int.max, Int.max, 4), (0, 5, 0)] {
      #expect(throws: PNGError(.badDimensions, "")) {
        try PNGImage(width: width, height: height, pixels: [UInt8](repeating: 0, count: count))
      }
    }
  }

  @Test(
    "the shorter side of a thumbnail is 107 points at scale 2, without cropping",
    arguments: [
      (1000, 1000, 214, 214), (400, 300, 285, 214), (300, 400, 214, 285), (214, 500, 214, 500), (50, 25, 428, 214),
    ])
  func thumbnailSize(_ width: Int, _ height: Int, _ newWidth: Int, _ newHeight: Int) throws {
    let source = try PNGImage(width: width, height: height, pixels: [UInt8](repeating: 200, count: 4 * width * height))
    let size = try source.size(withShorterSide: 107 * 2)
    #expect(size == (newWidth, newHeight))
  }

  @Test("a thumbnail is opaque with a background and keeps alpha without")
  func thumbnailBackground() throws {
    let source = try image(2, [[200, 100, 50, 255], [0, 0, 0, 0], [200, 100, 50, 255], [0, 0, 0, 0]])
    let opaque = try source.thumbnail(points: 1, scale: 1, background: .black)
    #expect(opaque.pixels == [100, 50, 25, 255])
    #expect(opaque.isOpaque)
    let clear = try source.thumbnail(points: 1, scale: 1)
    #expect(clear.pixels == [200, 100, 50, 128])
  }

  @Test("a small image grows or keeps its size, as requested")
  func upscaling() throws {
    let small = try image(2, [[1, 2, 3, 255], [4, 5, 6, 255]])
    #expect(try small.thumbnail(points: 2).height == 4)
    #expect(try small.thumbnail(points: 2).width == 8)
    #expect(try small.thumbnail(points: 2, upscales: false) == small)
  }

  @Test("rejects a thumbnail of a very long image")
  func extremes() throws {
    let thread = try PNGImage(width: 1, height: 20_000, pixels: [UInt8](repeating: 255, count: 80_000))
    #expect(throws: PNGError(.limitReached, "")) { try thread.thumbnail() }
    #expect(throws: PNGError(.badDimensions, "")) { try thread.thumbnail(points: .max) }
    #expect(throws: PNGError(.badDimensions, "")) { try thread.thumbnail(points: .max, scale: 1) }
    #expect(throws: PNGError(.badDimensions, "")) { try thread.thumbnail(points: 0) }
    #expect(throws: PNGError(.badDimensions, "")) { try thread.thumbnail(points: -1, upscales: false) }
    #expect(throws: PNGError(.badDimensions, "")) { try thread.size(withShorterSide: Int.min, upscales: false) }
  }

  @Test("compositing is the mean weighted by alpha")
  func compositing() throws {
    let source = try image(3, [[255, 0, 100, 255], [255, 0, 100, 0], [255, 0, 100, 51]])
    let result = source.composited(on: PNGColor(red: 0, green: 255, blue: 200))
    #expect(result.pixels == [255, 0, 100, 255, 0, 255, 200, 255, 51, 204, 180, 255])
    #expect(source.composited(on: .white).isOpaque)
  }
}
