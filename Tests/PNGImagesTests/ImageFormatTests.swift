// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PNGImages
import Testing

@Suite("ImageFormat")
struct ImageFormatTests {
  @Test(
    "the error names other formats in .png files",
    arguments: [
      ("jpeg", .jpeg), ("gif", .gif), ("webp", .webP), ("bmp", .bmp), ("tiff", .tiff), ("ico", .ico), ("pdf", .pdf),
      ("avif", .avif), ("jpeg2000", .jpeg2000),
    ] as [(String, ImageFormat)])
  func wrongName(_ name: String, _ format: ImageFormat) throws {
    let data = try Fixtures.data("named-png-but-\(name).png")
    #expect(ImageFormat(sniffing: data) == format)
    let error = #expect(throws: PNGError.self) { try PNGImage.check(data) }
    #expect(error?.code == .notPNG)
    #expect(error?.format == format)
    #expect(error?.description.contains(format.name) == true)
  }

  @Test(
    "recognizes formats without a fixture by their first bytes",
    arguments: [
      ("\u{0}\u{0}\u{0}\u{18}ftypheic", .heic), ("\u{0}\u{0}\u{0}\u{18}ftypmif1", .heic), ("bplist00", .propertyList),
      ("<?xml version", .markup), ("\n <svg xmlns", .markup), ("8BPS", .photoshop), ("icns", .icns),
    ] as [(String, ImageFormat)])
  func firstBytes(_ start: String, _ format: ImageFormat) {
    #expect(ImageFormat(sniffing: Data(start.utf8)) == format)
  }

  @Test(
    "Text, nothing, and starts of signatures are no format", arguments: ["", "Hello", "GIF8", "RIFF1234WAVE", "BM"])
  func unknown(_ start: String) {
    #expect(ImageFormat(sniffing: Data(start.utf8)) == nil)
  }

  @Test("no truncated fixture traps")
  func prefixes() throws {
    for name in ["jpeg", "webp", "avif", "jpeg2000", "ico"] {
      let data = try Fixtures.data("named-png-but-\(name).png")
      for count in 0...40 { _ = ImageFormat(sniffing: data.prefix(count)) }
    }
  }

  @Test("reports a signature changed by a text-mode transfer as damaged")
  func damagedSignature() throws {
    let data = try Fixtures.data("rgb.png")
    var withoutReturn = data
    withoutReturn.remove(at: 4)
    var sevenBits = data
    sevenBits[0] = 0x09
    for damaged in [withoutReturn, sevenBits] {
      #expect(throws: PNGError(.damagedSignature, at: damaged == sevenBits ? 0 : 4, "")) {
        try PNGImage.check(damaged)
      }
    }
  }

  @Test("names Xcode's private variant of PNG and how to convert it")
  func appleOptimized() {
    let data = ReferencePNG.file([("CgBI", [0x50, 0, 0x20, 2]), ("IHDR", ReferencePNG.dot.header), ("IEND", [])])
    let error = #expect(throws: PNGError.self) { try PNGImage.check(data) }
    #expect(error?.code == .appleOptimized)
    #expect(error?.errorDescription?.contains("pngcrush") == true)
  }
}
