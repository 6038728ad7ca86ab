// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Testing

@_spi(Archiving) @testable import PropertyListFormat

@Suite("Span comparisons")
struct ByteComparisonTests {
  @Test("isASCII finds a byte above 0x7F at each position", arguments: 0...40)
  func ascii(_ count: Int) {
    let plain = [UInt8](repeating: 0x7F, count: count)
    #expect(isASCII(plain))
    for place in 0..<count {
      var bytes = plain
      bytes[place] = 0x80
      #expect(!isASCII(bytes), "byte \(place) of \(count)")
    }
  }

  @Test("hasSameBytes finds a difference at each position", arguments: 0...40)
  func sameBytes(_ count: Int) {
    let bytes = (0..<count).map { UInt8($0) }
    #expect(areSame(bytes, Array(bytes)))
    #expect(!areSame(bytes, (bytes + [0])))
    for place in 0..<count {
      var other = bytes
      other[place] ^= 0x80
      #expect(!areSame(bytes, other), "byte \(place) of \(count)")
    }
  }

  @Test("canonically equivalent strings are different")
  func sameText() {
    #expect("é".hasSameBytes(as: "\u{E9}"))
    #expect(!"\u{E9}".hasSameBytes(as: "e\u{301}"))
    // The Kelvin sign equals the letter K but is longer. Two orders of combining marks are equal and have the same
    // length.
    #expect(!"K".hasSameBytes(as: "\u{212A}"))
    #expect(!"a\u{323}\u{307}".hasSameBytes(as: "a\u{307}\u{323}"))
    #expect("".hasSameBytes(as: ""))
  }

  private func isASCII(_ bytes: [UInt8]) -> Bool { bytes.span.isASCII }

  private func areSame(_ a: [UInt8], _ b: [UInt8]) -> Bool { a.span.hasSameBytes(as: b.span) }
}
