// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Rows in aligned columns under their titles.
///
/// A terminal gets lines that fit its width: flexible columns are made narrower, the widest first, and what is left out
/// is marked. Into pipes and files everything is written. What could harm a terminal is escaped in any case.
package struct TextTable {
  /// A column.
  package struct Column: Sendable {
    /// What stands above it.
    package var title: String
    /// Whether cells end in one line, as numbers should.
    package var isRightAligned: Bool
    /// Whether its cells may be cut.
    package var isFlexible: Bool
    /// The colour of its cells.
    package var role: Style.Role?

    /// Describes a column.
    package init(
      _ title: String, isRightAligned: Bool = false, isFlexible: Bool = false, role: Style.Role? = nil
    ) {
      self.title = title
      self.isRightAligned = isRightAligned
      self.isFlexible = isFlexible
      self.role = role
    }
  }

  /// A flexible column is not made narrower than this, nor than its title.
  private static let leastWidth = 8
  /// The blanks between columns.
  private static let gap = 2

  private let columns: [Column]
  private var rows: [[String]] = []
  /// The widest cell of each column.
  private var widths: [Int]

  /// A table without rows.
  package init(_ columns: [Column]) {
    self.columns = columns
    widths = columns.map { DisplayWidth.of($0.title) }
  }

  /// Adds a row; cells that are missing are empty, and there is no place for more than there are columns.
  package mutating func add(_ cells: [String]) {
    let row = zip(columns, cells).map { EscapedText.plain($1) }
    for (column, cell) in row.enumerated() { widths[column] = max(widths[column], DisplayWidth.of(cell)) }
    rows.append(row)
  }

  /// Writes titles and rows; nothing at all if there are no rows.
  package func write(to output: TextOutput, style: Style) {
    guard !rows.isEmpty else { return }
    let limit = output.width
    let widths = limit.map { fitted(to: $0) } ?? self.widths
    output.write(line(columns.map(\.title), widths, limit) { _, text in style(.heading, text) })
    for row in rows {
      let line = line(row, widths, limit) { column, text in columns[column].role.map { style($0, text) } ?? text }
      output.write(line)
    }
  }

  private func line(
    _ cells: [String], _ widths: [Int], _ limit: Int?, _ styled: (_ column: Int, _ text: String) -> String
  ) -> String {
    var line = ""
    /// Where the next column starts, and how far the line reaches: blanks are only written in front of something.
    var (start, end) = (0, 0)
    for (column, cell) in cells.enumerated() {
      let room = min(widths[column], limit.map { $0 - start } ?? .max)
      guard room > 0 else { break }
      let text = DisplayWidth.cut(cell, to: room)
      let width = DisplayWidth.of(text)
      if width > 0 {
        let place = columns[column].isRightAligned ? start + room - width : start
        line += String(repeating: " ", count: place - end) + styled(column, text)
        end = place + width
      }
      start += widths[column] + Self.gap
    }
    return line + "\n"
  }

  /// The columns' widths in a terminal of so many columns.
  private func fitted(to limit: Int) -> [Int] {
    var widths = widths
    let least = columns.indices.map { column in
      columns[column].isFlexible
        ? min(widths[column], max(Self.leastWidth, DisplayWidth.of(columns[column].title))) : widths[column]
    }
    // None needs more than the whole line, which also bounds the steps below.
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
