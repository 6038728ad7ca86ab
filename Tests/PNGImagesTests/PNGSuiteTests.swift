// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages
import Foundation
import PNGImages
import Testing

@Suite("The PNG conformance suite")
struct PNGSuiteTests {
  @Test("the SHA-256 for comparing pixels has the published value for abc")
  func sha256() {
    #expect(
      SHA256.digest(Array("abc".utf8)).hexadecimal == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    )
  }

  @Test(
    "decodes every valid file to the pixels of an independent decoder",
    .enabled(if: Fixtures.pngSuite != nil, "the large corpora do not lie beside the package"),
    arguments: try SuiteEntry.all().filter(\.valid))
  func valid(_ entry: SuiteEntry) throws {
    let data = try entry.data()
    let header = try PNGImage.check(data)
    #expect(header.width == entry.width)
    #expect(header.height == entry.height)
    #expect(header.bitDepth == entry.bitDepth)
    #expect(header.colorType.rawValue == entry.colorType)
    #expect(header.isInterlaced == (entry.interlace == 1))
    let image = try PNGImage(data)
    #expect(image.width == entry.width)
    #expect(image.height == entry.height)
    if let expected = entry.rgba8_sha256 { #expect(SHA256.digest(image.pixels).hexadecimal == expected) }
  }

  @Test(
    "rejects every corrupt file, already in the check",
    .enabled(if: Fixtures.pngSuite != nil, "the large corpora do not lie beside the package"),
    arguments: try SuiteEntry.all().filter { !$0.valid })
  func corrupt(_ entry: SuiteEntry) throws {
    let data = try entry.data()
    #expect(throws: PNGError.self) { try PNGImage.check(data) }
    #expect(throws: PNGError.self) { try PNGImage(data) }
  }

  @Test(
    "decoded, written and decoded again, every file has the same pixels",
    .enabled(if: Fixtures.pngSuite != nil, "the large corpora do not lie beside the package"),
    arguments: try SuiteEntry.all().filter(\.valid))
  func roundTrip(_ entry: SuiteEntry) throws {
    let image = try PNGImage(entry.data())
    #expect(try PNGImage(image.pngData()) == image)
  }
}

@Suite("Fixtures of other programs")
struct FixtureTests {
  @Test("Each gives the pixels that libpng gives", arguments: try ExpectedPixels.all())
  func pixels(_ expected: ExpectedPixels) throws {
    let image = try PNGImage(Fixtures.data(expected.name))
    #expect(image.width == expected.width)
    #expect(image.height == expected.height)
    #expect(SHA256.digest(image.pixels).hexadecimal == expected.sha256)
  }

  @Test("reads a data slice that does not start at 0")
  func slice() throws {
    let data = try Fixtures.data("rgb.png")
    let padded = Data([1, 2, 3]) + data
    #expect(try PNGImage(padded[3...]) == PNGImage(data))
    #expect(ImageFormat(sniffing: padded[3...]) == .png)
  }
}

extension [UInt8] {
  /// Two digits per byte.
  fileprivate var hexadecimal: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
