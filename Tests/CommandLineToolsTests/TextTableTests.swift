// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import TestSupport
import Testing
import ToolTestSupport

@Suite("TextTable")
struct TextTableTests {
  private static let columns = [
    TextTable.Column("no", isRightAligned: true), TextTable.Column("title", isFlexible: true, role: .string),
    TextTable.Column("images"),
  ]

  /// Returns the lines of a table; without a width, in a pipe.
  private func lines(
    _ rows: [[String]], _ columns: [TextTable.Column] = columns, width: Int? = nil, style: Style = Style(isOn: false)
  ) -> [String] {
    var text = ""
    let output = TextOutput(isTerminal: width != nil, width: { width ?? 0 }) {
      text += String(decoding: $0, as: UTF8.self)
      return .written
    }
    var table = TextTable(columns)
    for row in rows { table.add(row) }
    table.write(to: output, style: style)
    output.flush()
    return text.split(separator: "\n").map(String.init)
  }

  @Test("aligns columns under titles, numbers to the right, without trailing spaces")
  func aligned() {
    #expect(
      lines([["1", "Ghost", "2"], ["10", "Slug", ""], ["100"], ["2", "", "1"]]) == [
        " no  title  images", "  1  Ghost  2", " 10  Slug", "100", "  2         1",
      ])
  }

  @Test("writes nothing without rows")
  func empty() {
    #expect(lines([]) == [])
  }

  @Test("aligns wide characters, marks and emoji")
  func wide() {
    #expect(
      lines([["1", "日本", "a"], ["2", "e\u{301}", "b"], ["3", "👻!", "c"], ["4", "Ghost", "d"]]) == [
        "no  title  images", " 1  日本   a", " 2  e\u{301}      b", " 3  👻!    c", " 4  Ghost  d",
      ])
  }

  @Test("escapes control characters and measures the escapes")
  func escaped() {
    #expect(
      lines([["1", "a\u{1B}[2J\nb", "x"], ["2", "Ghost", "y"]]) == [
        "no  title          images", #" 1  a\u{1b}[2J\nb  x"#, " 2  Ghost          y",
      ])
  }

  @Test("cuts nothing in a pipe")
  func pipe() {
    let title = String(repeating: "x", count: 500)
    #expect(lines([["1", title, "2"]])[1] == " 1  \(title)  2")
  }

  @Test("does not pad all lines of a pipe to one long cell")
  func longCell() {
    let title = String(repeating: "x", count: 100_000)
    let rows = lines([["1", title, "2"], ["2", "Ghost", "3"], ["3", String(repeating: "y", count: 60), "4"]])
    #expect(rows[0] == "no  title" + String(repeating: " ", count: 57) + "images")
    #expect(rows[1] == " 1  \(title)  2")
    #expect(rows[2] == " 2  Ghost" + String(repeating: " ", count: 57) + "3")
    #expect(rows[3] == " 3  " + String(repeating: "y", count: 60) + "  4")
  }

  @Test("in a terminal flexible columns are cut, with an ellipsis", arguments: [21, 22, 30, 53])
  func cut(width: Int) {
    let rows = lines([["1", String(repeating: "x", count: 500), "2"], ["2", "Ghost", "3"]], width: width)
    #expect(rows[1].hasSuffix("x…  2") && rows[2].hasSuffix("  3"))
    #expect(DisplayWidth.of(rows[0]) == width, "\(rows)")
  }

  @Test("shrinks the widest flexible column first")
  func widest() {
    let columns = [TextTable.Column("a", isFlexible: true), TextTable.Column("b", isFlexible: true)]
    let rows = lines(
      [[String(repeating: "x", count: 20), String(repeating: "y", count: 60)]], columns, width: 52)
    #expect(rows[1] == String(repeating: "x", count: 20) + "  " + String(repeating: "y", count: 29) + "…")
  }

  @Test("no line is wider than the terminal, however narrow", arguments: [1, 2, 3, 5, 8, 13, 15])
  func narrow(width: Int) {
    for line in lines([["123456", "日本語日本語日本語", "👻👻👻👻👻👻"]], width: width) {
      #expect(DisplayWidth.of(line) <= width)
    }
  }

  @Test("shrinks a title of a million characters without delay", .notHanging)
  func long() {
    let title = String(repeating: "x", count: 1_000_000)
    let columns = [TextTable.Column("a", isFlexible: true), TextTable.Column("b", isFlexible: true)]
    #expect(lines([[title, title]], columns, width: 80)[1].count == 80)
  }

  @Test("colors do not change the alignment")
  func coloured() {
    #expect(
      lines([["1", "Ghost", "2"]], style: Style(isOn: true)) == [
        "\u{1B}[1mno\u{1B}[0m  \u{1B}[1mtitle\u{1B}[0m  \u{1B}[1mimages\u{1B}[0m", " 1  \u{1B}[32mGhost\u{1B}[0m  2",
      ])
    #expect(ToolRun(.beasts, ["list"]).output == "name   legs\nGhost     0\n")
  }
}
