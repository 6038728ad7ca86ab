// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import Testing

@Suite("Errors")
struct PNGErrorTests {
  @Test("Errors are equal by code, place and format; the words do not count")
  func equality() {
    #expect(PNGError(.truncated, at: 7, "one") == PNGError(.truncated, at: 7, "two"))
    #expect(PNGError(.truncated, at: 7, "one") != PNGError(.truncated, at: 8, "one"))
    #expect(PNGError(.truncated, at: 7, "one") != PNGError(.badChunk, at: 7, "one"))
    #expect(PNGError(.notPNG, format: .jpeg, "") != PNGError(.notPNG, format: .gif, ""))
  }

  @Test("A person reads what was found, where, and what helps")
  func words() throws {
    let jpeg = try Fixtures.data("named-png-but-jpeg.png")
    let error = #expect(throws: PNGError.self) { try PNGImage(jpeg) }
    #expect(
      error?.errorDescription == "Expected a PNG file, found JPEG; rename it to .jpg or convert it to PNG (byte 0)")
    #expect("\(PNGError.Code.notPNG)" == "notPNG")
  }

  @Test("A file of no bytes is cut off, one of other bytes is no PNG")
  func nothing() {
    #expect(throws: PNGError(.truncated, at: 0, "")) { try PNGImage(Data()) }
    #expect(throws: PNGError(.truncated, at: 3, "")) { try PNGImage(Data([0x89, 0x50, 0x4E])) }
    #expect(throws: PNGError(.notPNG, at: 0, "")) { try PNGImage(Data("Hello".utf8)) }
  }

  @Test("An image says its size and not its four million bytes")
  func description() throws {
    let image = try PNGImage(width: 2, height: 1, pixels: [UInt8](repeating: 0, count: 8))
    #expect("\(image)" == "PNG image of 2 x 1 pixels")
  }
}
