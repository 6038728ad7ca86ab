// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import CommandLineTools

@Suite("DisplayWidth")
struct DisplayWidthTests {
  @Test(
    "measures letters, wide characters, marks, emoji and joined emoji",
    arguments: [
      ("", 0), ("Ghost", 5), ("äöü", 3), ("a\u{308}", 1), ("日本語", 6), ("ｱｲｳ", 3), ("ＡＢ", 4), ("한글", 4),
      ("\u{1112}\u{1161}\u{11AB}", 2), ("👻", 2), ("👩‍👩‍👧", 2), ("👍🏽", 2), ("☝🏽", 2), ("🇩🇪", 2), ("❤", 1), ("❤️", 2),
      ("1️⃣", 2), ("\u{200D}", 0), ("\u{301}", 0), ("क्ष", 2), ("…", 1), ("─", 1), ("\u{20000}", 2),
    ])
  func widths(text: String, expected: Int) {
    #expect(DisplayWidth.of(text) == expected)
  }

  /// The first and the last character of each range of one width, and every 32nd; with `WHOLE_TESTS`, all.
  @Test(
    "agrees with Python's Unicode tables about wide characters",
    .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func python() throws {
    // Except changes of newer Unicode versions, marks and emoji.
    let program = """
      import sys, unicodedata as u
      print(u.unidata_version.split('.')[0])
      def width(c):
        k = u.category(chr(c))
        if k in ('Cn', 'Cs', 'Co', 'Mn', 'Me', 'Cf') or 0x1160 <= c <= 0x11FF or 0xD7B0 <= c <= 0xD7FF: return 0
        return 2 if u.east_asian_width(chr(c)) in 'WF' else 1
      start = 0x300
      for c in range(0x301, 0x110001):
        if c == 0x110000 or width(c) != width(start):
          if width(start): print(start, c - 1, width(start))
          start = c
      """
    let lines = String(decoding: try Python.run(program), as: UTF8.self).split(separator: "\n")
    guard let version = Int(lines[0]), version <= 15 else { return }
    var wrong: [String] = []
    var count = 0
    // Ranges of characters of one width.
    for line in lines.dropFirst() {
      let numbers = line.split(separator: " ").compactMap { UInt32($0) }
      for value in numbers[0]...numbers[1] where !(0x1F1E6...0x1F1FF).contains(value) {
        count += 1
        guard numbers[0] == value || numbers[1] == value || Sample.includes(Int(value), each: 32),
          let scalar = Unicode.Scalar(value)
        else { continue }
        if DisplayWidth.of(String(scalar)) != Int(numbers[2]) { wrong.append("U+\(String(value, radix: 16))") }
      }
    }
    #expect(count > 130_000 && wrong == [])
  }

  @Test(
    "a cut text ends in an ellipsis and never exceeds the width",
    arguments: [
      ("Ghost", 5, "Ghost"), ("Ghost", 4, "Gho…"), ("Ghost", 1, "…"), ("Ghost", 0, ""), ("", 0, ""),
      ("日本語", 6, "日本語"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 2, "…"),
      ("a\u{301}b\u{301}c\u{301}", 2, "a\u{301}…"), ("👩‍👩‍👧👻", 3, "👩‍👩‍👧…"), ("日a", 3, "日a"), ("abc日", 4, "abc…"),
    ])
  func cut(text: String, width: Int, expected: String) {
    let cut = DisplayWidth.cut(text, to: width)
    #expect(cut == expected && DisplayWidth.of(cut) <= width)
  }
}
