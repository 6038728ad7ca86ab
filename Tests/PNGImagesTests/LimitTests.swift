// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import Testing

@Suite("Limits")
struct LimitTests {
  private func code(_ data: Data, _ limits: PNGLimits) -> PNGError.Code? {
    do {
      try PNGImage.check(data, limits: limits)
      _ = try PNGImage(data, limits: limits)
      return nil
    } catch {
      return error.code
    }
  }

  @Test("Each limit stops what is one beyond it, and nothing at it")
  func eachLimit() {
    let image = ReferencePNG(width: 10, height: 6, depth: 8, colorType: 2, samples: { x, y in [x, y, 0] })
    let data = image.data()
    #expect(code(data, PNGLimits(maximumWidth: 10, maximumHeight: 6, maximumPixelCount: 60)) == nil)
    #expect(code(data, PNGLimits(maximumWidth: 9)) == .limitReached)
    #expect(code(data, PNGLimits(maximumHeight: 5)) == .limitReached)
    #expect(code(data, PNGLimits(maximumPixelCount: 59)) == .limitReached)
    // Six rows of thirty bytes and a filter.
    #expect(code(data, PNGLimits(maximumInflatedByteCount: 186)) == nil)
    #expect(code(data, PNGLimits(maximumInflatedByteCount: 185)) == .limitReached)
    #expect(code(data, PNGLimits(maximumChunkByteCount: image.zlib.count)) == nil)
    #expect(code(data, PNGLimits(maximumChunkByteCount: image.zlib.count - 1)) == .limitReached)
    #expect(code(data, PNGLimits(maximumExpansion: 1)) == nil)
    #expect(code(data, PNGLimits(maximumExpansion: 0)) == .limitReached)
  }

  @Test("Gigabytes that a header claims are refused from the header")
  func claims() throws {
    let data = try Fixtures.data("bomb-claims-gigabytes.png")
    #expect(code(data, .default) == .limitReached)
    // With all limits lifted, what speaks against it is that four kilobytes cannot hold fourteen gigabytes.
    let all = PNGLimits(
      maximumWidth: .max, maximumHeight: .max, maximumPixelCount: .max, maximumChunkByteCount: .max,
      maximumInflatedByteCount: .max, maximumExpansion: .max)
    #expect(code(data, all) == .truncated)
  }

  @Test("The largest header there can be is refused without overflow, whatever the limits")
  func largest() {
    let all = PNGLimits(
      maximumWidth: .max, maximumHeight: .max, maximumPixelCount: .max, maximumChunkByteCount: .max,
      maximumInflatedByteCount: .max, maximumExpansion: .max)
    for colorType in [0, 2, 6] as [UInt8] {
      for interlace in [0, 1] as [UInt8] {
        let size = ReferencePNG.number(0x7FFF_FFFF) + ReferencePNG.number(0x7FFF_FFFF)
        let header = size + [16, colorType, 0, 0, interlace]
        let data = ReferencePNG.file([("IHDR", header), ("IDAT", ReferencePNG.dot.zlib), ("IEND", [])])
        #expect([.limitReached, .truncated].contains(code(data, all)))
        #expect(code(data, .default) == .limitReached)
      }
    }
  }

  @Test("More rows than the header claims are refused at the first byte too many")
  func moreRows() throws {
    let data = try Fixtures.data("bomb-more-rows-than-claimed.png")
    let clock = ContinuousClock()
    let took = clock.measure { #expect(code(data, .default) == .badImageData) }
    #expect(took < .milliseconds(500))
  }

  @Test("Negative and zero limits refuse everything and trap nowhere")
  func nonsense() {
    for value in [0, -1, Int.min] {
      let limits = PNGLimits(
        maximumWidth: value, maximumHeight: value, maximumPixelCount: value, maximumChunkByteCount: value,
        maximumInflatedByteCount: value, maximumExpansion: value)
      #expect(code(ReferencePNG.dot.data(), limits) == .limitReached)
    }
  }
}
