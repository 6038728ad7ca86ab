// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// Source in lines that are not too long.
enum SourceText {
  /// Items between two texts in one line, or with a line for each.
  static func wrapped(
    _ start: String, _ items: [String], _ end: String, indent: Int, from width: Int = 110
  ) -> [String] {
    let line = start + items.joined(separator: ", ") + end
    guard line.utf8.count > width else { return [line] }
    let blanks = String(repeating: " ", count: indent)
    let last = String(repeating: " ", count: max(indent - 2, 0)) + end
    return [start] + items.indices.map { blanks + items[$0] + ($0 < items.count - 1 ? "," : "") } + [last]
  }
}
