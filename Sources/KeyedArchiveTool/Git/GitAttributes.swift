// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import PropertyListFormat

/// The lines of a file of attributes that assign git's diff driver to patterns; all other lines stay as they are.
struct GitAttributes {
  /// The attribute of the driver.
  static let attribute = "diff=\(GitSettings.driver)"

  private(set) var lines: [String]

  init(_ lines: [String]) { self.lines = lines }

  /// Returns the line that assigns the driver to a pattern.
  static func line(for pattern: String) -> String {
    // Git reads a pattern in quotes like a string in C.
    let isPlain = !pattern.contains(" ") && !pattern.contains("\t") && !pattern.contains("\"")
    let escaped = pattern.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\(isPlain ? pattern : "\"\(escaped)\"") \(attribute)"
  }

  /// Returns whether a line assigns the driver, and nothing else, to a pattern.
  private func isLine(_ line: String, for pattern: String) -> Bool {
    guard let rest = Self.attributes(in: line, of: pattern) else { return false }
    return rest == [Self.attribute]
  }

  /// Returns the attributes that a line assigns to a pattern; nil if it has another pattern.
  private static func attributes(in line: String, of pattern: String) -> [String]? {
    let name = Self.line(for: pattern).rest(before: " \(attribute)").map { String($0) } ?? ""
    guard let rest = line.rest(after: name), rest.hasPrefix(" ") || rest.hasPrefix("\t") else { return nil }
    return rest.unicodeScalars.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map { String($0) }
  }

  /// Returns the number of the last line with a pattern, and whether it assigns the driver.
  private func lastLine(for pattern: String) -> (index: Int, assigns: Bool)? {
    for index in lines.indices.reversed() {
      guard let words = Self.attributes(in: lines[index], of: pattern) else { continue }
      if words.contains(Self.attribute) { return (index, true) }
      let others = ["binary", "diff", "-diff", "!diff"]
      if words.contains(where: { others.contains($0) || $0.hasPrefix("diff=") }) { return (index, false) }
    }
    return nil
  }

  /// The numbers of the lines that assign the driver, from 1 on.
  var assigningLines: [Int] {
    lines.indices.filter { index in
      let words = lines[index].unicodeScalars.split { $0 == " " || $0 == "\t" || $0 == "\r" }.map { String($0) }
      // The first word is the pattern, or the mark of a comment.
      return !(words.first ?? "").hasPrefix("#") && words.dropFirst().contains { $0 == Self.attribute }
    }.map { $0 + 1 }
  }

  /// Adds a line for a pattern, unless one assigns the driver already. Returns a description of the change, or nil.
  mutating func add(_ pattern: String) -> String? {
    let last = lastLine(for: pattern)
    if last?.assigns == true { return nil }
    let line = Self.line(for: pattern)
    lines.append(line)
    // Of several lines, the last one decides.
    return "'\(line)'" + (last.map { ", which overrides line \($0.index + 1)" } ?? "")
  }

  /// Removes the lines of a pattern that have only the attribute. Returns a description of the change, or nil.
  mutating func remove(_ pattern: String) -> String? {
    let count = lines.count
    lines = lines.filter { !isLine($0, for: pattern) }
    return lines.count == count ? nil : "'\(Self.line(for: pattern))'"
  }
}
