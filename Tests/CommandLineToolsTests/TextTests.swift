// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import PropertyListFormat
import TestSupport
import Testing

@Suite("EscapedText and DateText")
struct TextTests {
  @Test(
    "escapes every control, line-ending, formatting and bidirectional character",
    arguments: [
      "\u{0}", "\u{7}", "\u{8}", "\u{1B}", "\u{7F}", "\u{9B}", "\u{200B}", "\u{200E}", "\u{202A}", "\u{202E}",
      "\u{2028}",
      "\u{2029}", "\u{2066}", "\u{2069}", "\u{61C}", "\u{FEFF}", "\u{AD}", "\u{E0041}", "\r", "\n", "\t",
    ] as [Unicode.Scalar])
  func hostile(scalar: Unicode.Scalar) {
    #expect(EscapedText.isHostile(scalar))
    #expect(!EscapedText.quoted("a\(scalar)b").unicodeScalars.contains(scalar))
    #expect(!EscapedText.plain("a\(scalar)b").unicodeScalars.contains(scalar))
    var json = JSONWriter()
    json.string("a\(scalar)b")
    #expect(
      !json.bytes.contains { $0 < 0x20 } && !String(decoding: json.bytes, as: UTF8.self).unicodeScalars.contains(scalar)
    )
  }

  /// The planes that have characters, and every 97th scalar of the others; with `WHOLE_TESTS`, all.
  private static let scalars = (0...0x10_FFFF as ClosedRange<UInt32>).filter {
    Sample.isWhole || $0 < 0x3_2400 || (0xE_0000..<0xE_0200).contains($0) || $0 % 97 == 0
  }.compactMap(Unicode.Scalar.init)

  @Test("characters are hostile by their general category, except the two joiners")
  func categories() {
    let hostile: Set<Unicode.GeneralCategory> = [.control, .lineSeparator, .paragraphSeparator, .format]
    for scalar in Self.scalars {
      let expected = hostile.contains(scalar.properties.generalCategory) && ![0x200C, 0x200D].contains(scalar.value)
      if EscapedText.isHostile(scalar) != expected { Issue.record("U+\(String(scalar.value, radix: 16))") }
    }
  }

  @Test("JSON has all characters of a text, which Foundation reads back")
  func json() throws {
    let some = Array(Self.scalars.filter { $0.value < 0x300 || $0.value % 61 == 0 || EscapedText.isHostile($0) })
    let texts = some.map { "a\($0)\($0)ä\($0)" } + ["", "\"", "\\", "𝄞😀\u{E0041}\u{1D173}", "\r\n\t"]
    var json = JSONWriter()
    json.beginArray()
    for text in texts { json.string(text) }
    json.endArray()
    let read = try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String]
    #expect(read?.map { Array($0.utf8) } == texts.map { Array($0.utf8) })
  }

  @Test("keeps all other characters of any script", arguments: ["Ghost", "äöü", "日本語", "👩‍👩‍👧", "نص", "a b"])
  func harmless(text: String) {
    #expect(EscapedText.plain(text) == text)
    #expect(EscapedText.quoted(text) == "\"\(text)\"")
  }

  @Test("escapes quotes and backslashes, and cuts and counts long text")
  func quoted() {
    #expect(EscapedText.quoted(#"a"b\c"#) == #""a\"b\\c""#)
    #expect(EscapedText.quoted("abcdef", limit: 3) == "\"abc…\" (6 bytes)")
    #expect(EscapedText.quoted("abc", limit: 3) == "\"abc\"")
  }

  // Expected values by Python: datetime(2001,1,1) + timedelta(seconds=...).
  @Test(
    "writes dates in ISO 8601 and UTC",
    arguments: [
      (0, "2001-01-01T00:00:00Z"), (-978_307_200, "1970-01-01T00:00:00Z"), (0.25, "2001-01-01T00:00:00.250Z"),
      (-0.5, "2000-12-31T23:59:59.500Z"), (123_456_789.3, "2004-11-29T21:33:09.300Z"),
      (-63_113_903_999, "0001-01-01T00:00:01Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
      (94_608_000 + 59 * 86400, "2004-02-29T00:00:00Z"),
      (1e300, "1e+300 s since 2001-01-01T00:00:00Z"), (-.infinity, "-inf s since 2001-01-01T00:00:00Z"),
      (.nan, "nan s since 2001-01-01T00:00:00Z"),
    ] as [(Double, String)])
  func dates(seconds: Double, expected: String) {
    #expect(DateText.iso8601(seconds) == expected)
  }

  @Test(
    "the exact text has the seconds if the text in ISO 8601 is that of another number",
    arguments: [
      (0.25, "2001-01-01T00:00:00.250Z"), (123_456_789.3, "2004-11-29T21:33:09.300Z"), (0, "2001-01-01T00:00:00Z"),
      (0.1234, "2001-01-01T00:00:00.123Z (0.1234 s since 2001)"),
      (123_456_789.3.nextUp, "2004-11-29T21:33:09.300Z (123456789.30000001 s since 2001)"),
      (-0.0, "2001-01-01T00:00:00Z (-0.0 s since 2001)"), (1e300, "1e+300 s since 2001-01-01T00:00:00Z"),
    ] as [(Double, String)])
  func exactDates(seconds: Double, expected: String) {
    #expect(DateText.exact(seconds) == expected)
  }
}
