// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import TestSupport
import Testing

@Suite("PNG chunk rules")
struct ChunkRuleTests {
  private let dot = ReferencePNG.dot

  private func expect(
    _ code: PNGError.Code?, _ chunks: [(String, [UInt8])], _ comment: Comment,
    _ place: SourceLocation = #_sourceLocation
  ) {
    let data = ReferencePNG.file(chunks)
    #expect(Self.code { _ = try PNGImage(data) } == code, comment, sourceLocation: place)
    // Only decoding finds errors in the pixels.
    let expected = code == .badImageData ? nil : code
    #expect(Self.code { try PNGImage.check(data) } == expected, comment, sourceLocation: place)
  }

  private static func code(of body: () throws -> Void) -> PNGError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? PNGError)?.code
    }
  }

  @Test("requires header, image data and end in this order")
  func order() {
    let (header, pixels) = (dot.header, dot.zlib)
    expect(nil, [("IHDR", header), ("IDAT", pixels), ("IEND", [])], "the least there can be")
    expect(.badChunkOrder, [("IDAT", pixels), ("IHDR", header), ("IEND", [])], "header second")
    expect(.badChunkOrder, [("IHDR", header), ("IHDR", header), ("IDAT", pixels), ("IEND", [])], "two headers")
    expect(.badChunkOrder, [("IHDR", header), ("IEND", [])], "no pixels")
    expect(.truncated, [("IHDR", header), ("IDAT", pixels)], "no end")
    expect(.badChunk, [("IHDR", header), ("IDAT", pixels), ("IEND", [1])], "an end with content")
  }

  @Test("accepts split and empty image chunks, but no interruption")
  func split() {
    let (header, pixels) = (dot.header, dot.zlib)
    let halves = (Array(pixels[..<5]), Array(pixels[5...]))
    expect(
      nil, [("IHDR", header), ("IDAT", []), ("IDAT", halves.0), ("IDAT", []), ("IDAT", halves.1), ("IEND", [])], "split"
    )
    expect(
      .badChunkOrder, [("IHDR", header), ("IDAT", halves.0), ("tEXt", []), ("IDAT", halves.1), ("IEND", [])],
      "interrupted")
  }

  @Test("skips unknown chunks unless they are critical")
  func unknownChunks() {
    let (header, pixels) = (dot.header, dot.zlib)
    expect(nil, [("IHDR", header), ("vpAg", [1, 2]), ("IDAT", pixels), ("zzzz", []), ("IEND", [])], "ancillary")
    expect(.unknownCriticalChunk, [("IHDR", header), ("ABCD", []), ("IDAT", pixels), ("IEND", [])], "critical")
    expect(.badChunk, [("IHDR", header), ("a1cd", []), ("IDAT", pixels), ("IEND", [])], "not four letters")
  }

  @Test("rejects a checksum mismatch in any chunk")
  func checksums() throws {
    var data = ReferencePNG.file([("IHDR", dot.header), ("tEXt", [65, 0, 66]), ("IDAT", dot.zlib), ("IEND", [])])
    data[8 + 25 + 8] ^= 1
    let error = #expect(throws: PNGError.self) { try PNGImage.check(data) }
    #expect(error == PNGError(.checksumMismatch, at: 8 + 25 + 8 + 3, ""))
  }

  @Test("rejects invalid sizes, methods, and depths for the color type")
  func header() {
    func expectHeader(_ code: PNGError.Code?, _ header: [UInt8], _ comment: Comment) {
      expect(code, [("IHDR", header), ("IDAT", ReferenceZlib.stream(stored: [0, 7])), ("IEND", [])], comment)
    }
    let size: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 1]
    expectHeader(.badHeader, [0, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0], "no width")
    expectHeader(.badHeader, [0, 0, 0, 1, 0, 0, 0, 0, 8, 0, 0, 0, 0], "no height")
    expectHeader(.badHeader, [0x80, 0, 0, 0, 0, 0, 0, 1, 8, 0, 0, 0, 0], "a width of 2^31")
    expectHeader(.badHeader, size + [8, 0, 0, 0], "twelve bytes")
    expectHeader(.badHeader, size + [8, 0, 1, 0, 0], "another compression")
    expectHeader(.badHeader, size + [8, 0, 0, 1, 0], "another filter method")
    expectHeader(.badHeader, size + [8, 0, 0, 0, 2], "another interlace")
    let allowed: [UInt8: Set<UInt8>] = [0: [1, 2, 4, 8, 16], 2: [8, 16], 3: [1, 2, 4, 8], 4: [8, 16], 6: [8, 16]]
    for colorType in 0..<8 as Range<UInt8> {
      for depth in 0...17 as ClosedRange<UInt8> where allowed[colorType]?.contains(depth) != true {
        expectHeader(.badHeader, size + [depth, colorType, 0, 0, 0], "colour type \(colorType), depth \(depth)")
      }
    }
  }

  @Test("requires a palette for palette images, allows it for color, and rejects it for gray")
  func palette() {
    var image = ReferencePNG(width: 1, height: 1, depth: 2, colorType: 3, samples: { _, _ in [1] })
    image.palette = [1, 2, 3, 4, 5, 6]
    let (header, pixels) = (image.header, image.zlib)
    expect(nil, [("IHDR", header), ("PLTE", image.palette), ("IDAT", pixels), ("IEND", [])], "two colours")
    expect(.badPalette, [("IHDR", header), ("IDAT", pixels), ("IEND", [])], "no palette")
    for count in [0, 4, 15] {
      let palette = [UInt8](repeating: 0, count: count)
      expect(
        .badPalette, [("IHDR", header), ("PLTE", palette), ("IDAT", pixels), ("IEND", [])], "\(count) bytes of palette")
    }
    expect(
      .badImageData, [("IHDR", header), ("PLTE", [1, 2, 3]), ("IDAT", pixels), ("IEND", [])], "a colour too high")
    let twice = [("IHDR", header), ("PLTE", image.palette), ("PLTE", image.palette), ("IDAT", pixels), ("IEND", [])]
    expect(.badChunkOrder, twice, "two palettes")
    expect(
      .badChunkOrder, [("IHDR", dot.header), ("IDAT", dot.zlib), ("PLTE", [1, 2, 3]), ("IEND", [])], "too late")
    expect(.badPalette, [("IHDR", dot.header), ("PLTE", [1, 2, 3]), ("IDAT", dot.zlib), ("IEND", [])], "grey")
  }

  @Test("requires transparency after the palette, of the right size, and not with alpha")
  func transparency() {
    var image = ReferencePNG(width: 1, height: 1, depth: 8, colorType: 3, samples: { _, _ in [0] })
    image.palette = [1, 2, 3, 4, 5, 6]
    let (header, pixels) = (image.header, image.zlib)
    func file(_ content: [UInt8]) -> [(String, [UInt8])] {
      [("IHDR", header), ("PLTE", image.palette), ("tRNS", content), ("IDAT", pixels), ("IEND", [])]
    }
    expect(nil, file([1]), "one alpha")
    expect(nil, file([1, 2]), "two alphas")
    expect(.badTransparency, file([]), "none")
    expect(.badTransparency, file([1, 2, 3]), "more than colours")
    expect(
      .badChunkOrder,
      [("IHDR", header), ("tRNS", [1]), ("PLTE", image.palette), ("IDAT", pixels), ("IEND", [])], "before the palette")
    expect(
      .badTransparency, [("IHDR", dot.header), ("tRNS", [1]), ("IDAT", dot.zlib), ("IEND", [])], "short, for grey")
    let alpha = ReferencePNG(width: 1, height: 1, depth: 8, colorType: 4, samples: { _, _ in [1, 2] })
    expect(
      .badTransparency, [("IHDR", alpha.header), ("tRNS", [0, 1]), ("IDAT", alpha.zlib), ("IEND", [])], "with alpha")
  }

  @Test("rejects unknown filters and a wrong number of rows")
  func rows() {
    func expectRows(_ code: PNGError.Code?, _ rows: [UInt8], _ comment: Comment) {
      expect(code, [("IHDR", dot.header), ("IDAT", ReferenceZlib.stream(stored: rows)), ("IEND", [])], comment)
    }
    expectRows(nil, [4, 9], "the last filter")
    expectRows(.badImageData, [5, 9], "a filter too high")
    expectRows(.badImageData, [0], "a byte too few")
    expectRows(.badImageData, [0, 9, 9], "a byte too many")
  }

  @Test("an error in the compressed data has its file offset, also across chunks")
  func offsetsInImageData() {
    let stream: [UInt8] = [0x78, 0x01, 0x07, 0, 0]
    let chunks = [("IHDR", ReferencePNG.dot.header)] + stream.map { ("IDAT", [$0]) } + [("IEND", [])]
    // The third chunk of one byte: 33 bytes of header, two chunks of 13, and its own eight bytes.
    #expect(throws: PNGError(.badCompressedData, at: 33 + 26 + 8, "")) { try PNGImage(ReferencePNG.file(chunks)) }
  }
}
