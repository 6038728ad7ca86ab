// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A table with aligned columns and a title row.
///
/// On a terminal, lines fit its width: the widest flexible columns shrink first, and an ellipsis marks cut cells. Pipes
/// and files get the whole text. One long cell does not widen all their lines: after it, the line continues out of
/// alignment. Characters that could control a terminal are escaped.
package struct TextTable {
  package struct Column: Sendable {
    package var title: String
    /// Whether cells are right-aligned, as for numbers.
    package var isRightAligned: Bool
    /// Whether cells may be cut.
    package var isFlexible: Bool
    /// The color of the cells.
    package var role: Style.Role?

    package init(_ title: String, isRightAligned: Bool = false, isFlexible: Bool = false, role: Style.Role? = nil) {
      self.title = title
      self.isRightAligned = isRightAligned
      self.isFlexible = isFlexible
      self.role = role
    }
  }

  /// The minimum width of a flexible column, unless its title is wider.
  private static let minimumWidth = 8
  /// The maximum width of a flexible column in a pipe or file. Longer cells reach into the next column.
  private static let maximumWidth = 60
  /// The number of spaces between columns.
  private static let gap = 2

  private let columns: [Column]
  private var rows: [[String]] = []
  /// The width of the widest cell of each column.
  private var widths: [Int]

  package init(_ columns: [Column]) {
    self.columns = columns
    widths = columns.map { DisplayWidth.of($0.title) }
  }

  /// Adds a row. Missing cells are empty; surplus cells are dropped.
  package mutating func add(_ cells: [String]) {
    let row = zip(columns, cells).map { EscapedText.plain($1) }
    for (column, cell) in row.enumerated() { widths[column] = max(widths[column], DisplayWidth.of(cell)) }
    rows.append(row)
  }

  /// Writes titles and rows, or nothing if the table has no rows. Each row follows what `before` returns for its index.
  package func write(to output: TextOutput, style: Style, before: (_ row: Int) -> String? = { _ in nil }) {
    guard !rows.isEmpty else { return }
    let limit = output.width
    let widths = limit.map { fitted(to: $0) } ?? paddedWidths
    output.write(line(columns.map(\.title), widths, limit) { _, text in style(.heading, text) })
    for (index, row) in rows.enumerated() {
      if let text = before(index) { output.write(text) }
      let line = line(row, widths, limit) { column, text in columns[column].role.map { style($0, text) } ?? text }
      output.write(line)
    }
  }

  private func line(
    _ cells: [String], _ widths: [Int], _ limit: Int?, _ styled: (_ column: Int, _ text: String) -> String
  ) -> String {
    var line = ""
    /// The start of the next column, and the end of the line so far: no line ends in spaces.
    var (start, end) = (0, 0)
    for (column, cell) in cells.enumerated() {
      let room = min(widths[column], limit.map { $0 - start } ?? .max)
      guard room > 0 else { break }
      let text = limit == nil ? cell : DisplayWidth.cut(cell, to: room)
      let width = DisplayWidth.of(text)
      if width > 0 {
        let place = columns[column].isRightAligned ? start + max(0, room - width) : start
        line += String(repeating: " ", count: place - end) + styled(column, text)
        end = place + width
      }
      start += max(widths[column], width) + Self.gap
    }
    return line + "\n"
  }

  /// The columns' widths in a pipe or file.
  private var paddedWidths: [Int] {
    columns.indices.map { column in
      columns[column].isFlexible
        ? min(widths[column], max(Self.maximumWidth, DisplayWidth.of(columns[column].title))) : widths[column]
    }
  }

  /// Returns the columns' widths for a terminal of `limit` columns.
  private func fitted(to limit: Int) -> [Int] {
    var widths = widths
    let least = columns.indices.map { column in
      columns[column].isFlexible
        ? min(widths[column], max(Self.minimumWidth, DisplayWidth.of(columns[column].title))) : widths[column]
    }
    // No column is wider than the line, which also bounds the loop below.
    for column in columns.indices { widths[column] = max(least[column], min(widths[column], limit)) }
    var excess = widths.reduce(0, +) + Self.gap * (columns.count - 1) - limit
    while excess > 0 {
      let shrinkable = columns.indices.filter { widths[$0] > least[$0] }
      guard let widest = shrinkable.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    return widths
  }
}

/// The width of text on a terminal.
package enum DisplayWidth {
  /// Returns the number of columns of a text without control characters, which ``EscapedText`` replaces.
  package static func of(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// Returns a text cut to at most `width` columns, the last of them an ellipsis.
  package static func cut(_ text: String, to width: Int) -> String {
    var used = 0
    /// The end of the text if an ellipsis follows.
    var end = text.startIndex
    for index in text.indices {
      used += Self.width(text[index])
      if used > width { return width > 0 ? text[..<end] + "…" : "" }
      if used < width { end = text.index(after: index) }
    }
    return text
  }

  private static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count == 1 { return width(first) }
    let isEmoji =
      first.properties.isEmojiPresentation
      || first.properties.isEmoji
        && scalars.contains { $0 == "\u{FE0F}" || $0.properties.isEmojiModifier }
    // Joined characters change the picture of an emoji, not its width.
    return isEmoji ? 2 : scalars.reduce(0) { $0 + width($1) }
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    // Below U+0300, only the soft hyphen is not one column wide.
    if scalar.value < 0x300 { return scalar == "\u{AD}" ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Hangul vowels and finals share the columns of their initial.
    if 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value { return 0 }
    return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if value > wide[middle].upperBound { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }

  /// The wide and full-width characters of EastAsianWidth.txt of Unicode 14 that are not emoji, with unassigned gaps
  /// filled.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
