// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Breaks long lines of generated source. Code outside of comments must be ASCII.
enum LineFolding {
  /// The maximum number of columns of a line.
  static let width = 120
  /// The minimum length of a comment's or literal's part, however deep its line is indented.
  private static let minimumPart = 40

  /// Returns lines of which those with more columns are broken.
  static func folded(_ lines: [String]) -> [String] {
    lines.flatMap { $0.utf8.count > width ? folded($0) : [$0] }
  }

  private static func folded(_ line: String) -> [String] {
    let bytes = Array(line.utf8)
    let indent = bytes.prefix { $0 == UInt8(ascii: " ") }.count
    let text = bytes[indent...]
    for mark in ["///", "//"] where text.starts(with: mark.utf8) {
      return comment(String(decoding: text.dropFirst(mark.utf8.count), as: UTF8.self), mark, indent)
    }
    return code(text, indent)
  }

  private static func line(_ text: some Sequence<UInt8>, _ indent: Int, _ end: String = "") -> String {
    String(decoding: [UInt8](repeating: UInt8(ascii: " "), count: indent) + text + end.utf8, as: UTF8.self)
  }

  // MARK: Comments

  /// Breaks a comment between words, and words that are longer than a line.
  private static func comment(_ text: String, _ mark: String, _ indent: Int) -> [String] {
    let start = line(mark.utf8, indent)
    let room = max(width - indent - mark.utf8.count - 1, minimumPart)
    var lines: [String] = []
    var current = String.UnicodeScalarView()
    for word in text.unicodeScalars.split(separator: " ") {
      var word = word
      if !current.isEmpty, current.count + 1 + word.count > room {
        lines.append("\(start) \(String(current))")
        current = .init()
      }
      while word.count > room {
        lines.append("\(start) \(String(String.UnicodeScalarView(word.prefix(room))))")
        word = word.dropFirst(room)
      }
      if !current.isEmpty { current.append(" ") }
      current.append(contentsOf: word)
    }
    if !current.isEmpty { lines.append("\(start) \(String(current))") }
    return lines
  }

  // MARK: Code

  /// Breaks code inside of its longest brackets, or else in its longest literal, or else between words.
  private static func code(_ text: ArraySlice<UInt8>, _ indent: Int) -> [String] {
    let text = trimmed(text)
    guard indent + text.count > width else { return [line(text, indent)] }
    let outline = Outline(text)
    if let inside = outline.brackets.max(by: { $0.count < $1.count }), !trimmed(text[inside]).isEmpty {
      var lines = code(text[..<inside.lowerBound], indent)
      if text[inside.lowerBound - 1] == UInt8(ascii: "{") {
        lines += code(text[inside], indent + 2)
      } else {
        for item in Outline(text[inside]).items { lines += code(item, indent + 2) }
      }
      return lines + code(text[inside.upperBound...], indent)
    }
    if let literal = outline.literals.max(by: { $0.count < $1.count }), literal.count > minimumPart {
      return multiline(text, literal, indent)
    }
    guard let place = outline.gaps.last(where: { indent + $0 - text.startIndex <= width }) ?? outline.gaps.first else {
      return [line(text, indent)]
    }
    return [line(trimmed(text[..<place]), indent)] + code(text[place...], indent + 2)
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var text = text.drop { $0 == UInt8(ascii: " ") }
    while text.last == UInt8(ascii: " ") { text.removeLast() }
    return text
  }

  /// Writes a literal over several lines, with a backslash at the end of each. A concatenation of many parts would take
  /// the compiler too long.
  private static func multiline(_ text: ArraySlice<UInt8>, _ literal: Range<Int>, _ indent: Int) -> [String] {
    var lines = [line(text[..<literal.lowerBound], indent, "\"\"\"")]
    // One column is for the backslash.
    let room = max(width - indent - 3, minimumPart)
    var rest = text[literal].dropFirst().dropLast()
    while rest.count > room {
      var count = 0
      while true {
        let next = escapeLength(rest.dropFirst(count))
        guard count + next <= room else { break }
        count += next
      }
      lines.append(line(rest.prefix(count), indent + 2, "\\"))
      rest = rest.dropFirst(count)
    }
    lines.append(line(rest, indent + 2))
    lines.append(line("\"\"\"".utf8, indent + 2) + String(decoding: text[literal.upperBound...], as: UTF8.self))
    return lines
  }

  /// Returns the length of the first character of a literal: 1, or more for an escape.
  private static func escapeLength(_ text: ArraySlice<UInt8>) -> Int {
    guard text.first == UInt8(ascii: "\\") else { return 1 }
    guard text.dropFirst().first == UInt8(ascii: "u") else { return 2 }
    return (text.firstIndex(of: UInt8(ascii: "}")) ?? text.startIndex) - text.startIndex + 1
  }
}

/// The places where a line of code can be broken.
private struct Outline {
  /// The contents of matched brackets, without brackets in other brackets.
  private(set) var brackets: [Range<Int>] = []
  /// The literals, with their quotes.
  private(set) var literals: [Range<Int>] = []
  /// The parts after which a comma follows, with the comma, and the last part.
  private(set) var items: [ArraySlice<UInt8>] = []
  /// The places outside of brackets and literals before which the line can be broken.
  private(set) var gaps: [Int] = []

  init(_ text: ArraySlice<UInt8>) {
    var open: [Int] = []
    var pairs: [Range<Int>] = []
    var commas: [Int] = []
    var place = text.startIndex
    while place < text.endIndex {
      switch text[place] {
      case UInt8(ascii: "\""):
        let start = place
        place += 1
        while place < text.endIndex, text[place] != UInt8(ascii: "\"") {
          place += text[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        literals.append(start..<min(place + 1, text.endIndex))
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"): open.append(place)
      case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
        if let start = open.popLast() { pairs.append(start + 1..<place) }
      case UInt8(ascii: ","): commas.append(place)
      case UInt8(ascii: " ") where Self.isGap(text, place): gaps.append(place + 1)
      default: break
      }
      place += 1
    }
    // A pair follows those that it contains.
    for pair in pairs {
      while let last = brackets.last, last.lowerBound > pair.lowerBound { brackets.removeLast() }
      brackets.append(pair)
    }
    let brackets = brackets
    gaps.removeAll { gap in brackets.contains { $0.contains(gap) } }
    var start = text.startIndex
    for comma in commas where !brackets.contains(where: { $0.contains(comma) }) {
      items.append(text[start...comma])
      start = comma + 1
    }
    items.append(text[start...])
  }

  /// Returns whether a line can be broken at a space: after `=` and a colon, and before `as?`.
  private static func isGap(_ text: ArraySlice<UInt8>, _ place: Int) -> Bool {
    guard place > text.startIndex else { return false }
    let before = text[place - 1]
    return before == UInt8(ascii: "=") || before == UInt8(ascii: ":") || text[(place + 1)...].starts(with: "as? ".utf8)
  }
}
