// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A table of a documentation page.
public struct MarkdownTable: Sendable {
  /// What stands above the columns.
  public var columns: [String]
  /// The cells of each row.
  public var rows: [[String]]

  /// All tables of a page, in their order.
  public static func all(in page: String) -> [MarkdownTable] {
    var tables: [MarkdownTable] = []
    var isInTable = false
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        isInTable = false
        continue
      }
      let cells = line.dropFirst().split(separator: "|", omittingEmptySubsequences: false).dropLast()
        .map { String($0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()) }
      if !isInTable {
        tables.append(MarkdownTable(columns: cells, rows: []))
      } else if !cells.allSatisfy({ $0.allSatisfy { "-: ".contains($0) } }) {
        tables[tables.count - 1].rows.append(cells)
      }
      isInTable = true
    }
    return tables
  }

  /// What stands as code in a cell; names that the documentation links to among it.
  public static func code(in cell: String) -> [String] { cell.matches(of: /``?([^`]+)``?/).map { String($0.1) } }
}
