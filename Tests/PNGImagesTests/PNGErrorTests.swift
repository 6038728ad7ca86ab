// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import Testing

@Suite("PNGError")
struct PNGErrorTests {
  @Test("compares code, offset and format, but not the detail")
  func equality() {
    #expect(PNGError(.truncated, at: 7, "one") == PNGError(.truncated, at: 7, "two"))
    #expect(PNGError(.truncated, at: 7, "one") != PNGError(.truncated, at: 8, "one"))
    #expect(PNGError(.truncated, at: 7, "one") != PNGError(.badChunk, at: 7, "one"))
    #expect(PNGError(.notPNG, format: .jpeg, "") != PNGError(.notPNG, format: .gif, ""))
  }

  @Test("the description has what was found, its location, and the remedy")
  func words() throws {
    let jpeg = try Fixtures.data("named-png-but-jpeg.png")
    let error = #expect(throws: PNGError.self) { try PNGImage(jpeg) }
    #expect(
      error?.errorDescription == "Not a PNG file: found JPEG (byte 0). Rename the file to .jpg or convert it to PNG")
    #expect("\(PNGError.Code.notPNG)" == "notPNG")
  }

  @Test("an error that is created without a remedy has one for its code")
  func remedies() {
    let codes: [PNGError.Code] = [
      .notPNG, .damagedSignature, .truncated, .checksumMismatch, .badChunk, .badChunkOrder, .unknownCriticalChunk,
      .badHeader, .badPalette, .badTransparency, .badCompressedData, .badImageData, .limitReached, .badDimensions,
    ]
    for code in codes { #expect(PNGError(code, "").remedy != nil, "\(code)") }
    #expect(PNGError(.truncated, "", remedy: "Wait").remedy == "Wait")
  }

  @Test("an empty file is truncated; other bytes are not PNG")
  func nothing() {
    #expect(throws: PNGError(.truncated, at: 0, "")) { try PNGImage(Data()) }
    #expect(throws: PNGError(.truncated, at: 3, "")) { try PNGImage(Data([0x89, 0x50, 0x4E])) }
    #expect(throws: PNGError(.notPNG, at: 0, "")) { try PNGImage(Data("Hello".utf8)) }
  }

  @Test("the description of an image is its size")
  func description() throws {
    let image = try PNGImage(width: 2, height: 1, pixels: [UInt8](repeating: 0, count: 8))
    #expect("\(image)" == "PNG image of 2 x 1 pixels")
  }
}
