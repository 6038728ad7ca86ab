// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PNGImages
import Testing

@Suite("PNG limits")
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

  @Test("each limit rejects one more than it, and accepts its value")
  func eachLimit() {
    let image = ReferencePNG(width: 10, height: 6, depth: 8, colorType: 2, samples: { x, y in [x, y, 0] })
    let data = image.data()
    #expect(code(data, PNGLimits(maximumWidth: 10, maximumHeight: 6, maximumPixelCount: 60)) == nil)
    #expect(code(data, PNGLimits(maximumWidth: 9)) == .limitReached)
    #expect(code(data, PNGLimits(maximumHeight: 5)) == .limitReached)
    #expect(code(data, PNGLimits(maximumPixelCount: 59)) == .limitReached)
    // Six rows of 30 bytes and a filter byte.
    #expect(code(data, PNGLimits(maximumInflatedByteCount: 186)) == nil)
    #expect(code(data, PNGLimits(maximumInflatedByteCount: 185)) == .limitReached)
    #expect(code(data, PNGLimits(maximumChunkByteCount: image.zlib.count)) == nil)
    #expect(code(data, PNGLimits(maximumChunkByteCount: image.zlib.count - 1)) == .limitReached)
    #expect(code(data, PNGLimits(maximumExpansion: 1)) == nil)
    #expect(code(data, PNGLimits(maximumExpansion: 0)) == .limitReached)
  }

  @Test("rejects an oversized image from its header, before allocating")
  func claims() throws {
    let data = try Fixtures.data("bomb-claims-gigabytes.png")
    #expect(code(data, .default) == .limitReached)
    // Without limits, the reason is that four kilobytes cannot contain fourteen gigabytes.
    let all = PNGLimits(
      maximumWidth: .max, maximumHeight: .max, maximumPixelCount: .max, maximumChunkByteCount: .max,
      maximumInflatedByteCount: .max, maximumExpansion: .max)
    #expect(code(data, all) == .truncated)
  }

  @Test("rejects the largest possible header without overflow at any limits")
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

  @Test("rejects surplus rows at their first byte")
  func moreRows() throws {
    let data = try Fixtures.data("bomb-more-rows-than-claimed.png")
    let took = System.time { #expect(code(data, .default) == .badImageData) }
    #expect(took < .milliseconds(500))
  }

  @Test("rejects compressed data of blocks without content, whose time the pixels do not limit")
  func emptyBlocks() {
    let dot = ReferencePNG.dot
    // A dot has a row of a filter byte and its samples; blocks of 5 bytes precede it.
    let rowCount = dot.rows().count
    for (byteCount, expected) in [(65_536 + 16 * rowCount, nil), (65_536 + 16 * (rowCount + 2), .badImageData)]
      as [(Int, PNGError.Code?)]
    {
      let blocks = [[UInt8]](repeating: [0, 0, 0, 0xFF, 0xFF], count: (byteCount - dot.zlib.count) / 5).joined()
      let data = dot.zlib.prefix(2) + blocks + dot.zlib.dropFirst(2)
      let file = ReferencePNG.file([("IHDR", dot.header), ("IDAT", Array(data)), ("IEND", [])])
      #expect(code(file, .default) == expected)
    }
  }

  @Test("negative and zero limits reject everything and never trap")
  func nonsense() {
    for value in [0, -1, Int.min] {
      let limits = PNGLimits(
        maximumWidth: value, maximumHeight: value, maximumPixelCount: value, maximumChunkByteCount: value,
        maximumInflatedByteCount: value, maximumExpansion: value)
      #expect(code(ReferencePNG.dot.data(), limits) == .limitReached)
    }
  }
}
