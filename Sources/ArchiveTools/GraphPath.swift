// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import PropertyListFormat

/// A key path in an archive's graph: `root.creatures[3].Title`, `root["a key.with dots"]`, `#12.NS.relative`.
///
/// It begins with a top-level key or a UID. A key with characters of the grammar is in brackets and quotes. Dots need
/// none, because a name without a value is also tried together with the following names. If the part before a dot is a key,
/// too, quotes are necessary. Only the name `NS` is first tried together with the next one.
package struct GraphPath: Equatable, Sendable {
  package enum Step: Equatable, Sendable {
    /// A key without quotes.
    case name(String)
    case quoted(String)
    case index(Int)
    /// An object by its UID; always the first step.
    case object(UInt32)
  }

  package let steps: [Step]

  /// The part of Foundation's keys before the dot, as in `NS.relative`.
  package static let foundationPrefix = KeyPathText.foundationPrefix

  /// The path of the top-level value.
  package static let top = GraphPath([])

  init(_ steps: [Step]) { self.steps = steps }

  /// Parses a path.
  package init(_ text: String) throws(SyntaxError) {
    var parser = GraphPathParser(text, hasSeveral: false)
    steps = try parser.parse()[0].steps
  }

  /// Parses the paths of data inside of data, from the outside in: `windows[0].state > #3`. The path `.` is that of the
  /// top-level value of a property list.
  package static func nested(_ text: String) throws(SyntaxError) -> [GraphPath] {
    var parser = GraphPathParser(text, hasSeveral: true)
    return try parser.parse()
  }

  /// An error in the text of a path.
  package struct SyntaxError: Error {
    package let detail: String
    package let remedy: String
  }
}

extension GraphPath: CustomStringConvertible {
  package var description: String { Self.text(steps[...]) }

  /// Returns steps in the syntax of a path; `.` without steps.
  package static func text(_ steps: ArraySlice<Step>) -> String {
    if steps.isEmpty { return "." }
    var text = ""
    for step in steps {
      switch step {
      case .name(let name): text += text.isEmpty ? name : ".\(name)"
      case .quoted(let key): text += "[\(EscapedText.quoted(key))]"
      case .index(let index): text += "[\(index)]"
      case .object(let number): text += "#\(number)"
      }
    }
    return text
  }
}

/// Parses a key path, scalar by scalar.
private struct GraphPathParser {
  let text: String
  /// Whether ` > ` separates paths.
  let hasSeveral: Bool
  var rest: Substring.UnicodeScalarView

  init(_ text: String, hasSeveral: Bool) {
    self.text = text
    self.hasSeveral = hasSeveral
    rest = text[...].unicodeScalars
  }

  /// Returns at least one path.
  mutating func parse() throws(GraphPath.SyntaxError) -> [GraphPath] {
    var paths = [GraphPath(try parsePath())]
    while takeSeparator() { paths.append(GraphPath(try parsePath())) }
    return paths
  }

  private static let separator = " > ".unicodeScalars

  private var isAtSeparator: Bool { hasSeveral && rest.starts(with: Self.separator) }

  private mutating func takeSeparator() -> Bool {
    guard isAtSeparator else { return false }
    rest.removeFirst(Self.separator.count)
    return true
  }

  private mutating func parsePath() throws(GraphPath.SyntaxError) -> [GraphPath.Step] {
    var steps: [GraphPath.Step] = []
    // The top-level value, which may be data.
    if hasSeveral, rest.first == ".", rest.dropFirst().isEmpty || rest.dropFirst().starts(with: Self.separator) {
      rest.removeFirst()
      return steps
    }
    if take("#") {
      let digits = takeDigits()
      guard let number = UInt32(digits) else { throw failure("expected a UID") }
      steps.append(.object(number))
    } else if rest.first != "[" {
      steps.append(.name(try name()))
    }
    while !rest.isEmpty, !isAtSeparator {
      if take(".") {
        steps.append(.name(try name()))
      } else if take("[") {
        steps.append(try bracketed())
      } else {
        throw failure("expected '.' or '['")
      }
    }
    return steps
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func takeDigits() -> Substring {
    let digits = rest.prefix { ("0"..."9").contains($0) }
    rest.removeFirst(digits.count)
    return Substring(digits)
  }

  private mutating func name() throws(GraphPath.SyntaxError) -> String {
    var name = ""
    while let character = rest.first, character != ".", character != "[", character != "]", !isAtSeparator {
      name.unicodeScalars.append(character)
      rest.removeFirst()
    }
    guard !name.isEmpty else { throw failure("expected a key") }
    return name
  }

  /// Parses a step after its opening bracket.
  private mutating func bracketed() throws(GraphPath.SyntaxError) -> GraphPath.Step {
    let step: GraphPath.Step
    if take("\"") {
      step = .quoted(try quoted(upTo: "\""))
    } else if take("'") {
      step = .quoted(try quoted(upTo: "'"))
    } else {
      guard let index = Int(takeDigits()) else { throw failure("expected an index or a key in quotes") }
      step = .index(index)
    }
    guard take("]") else { throw failure("expected ']'") }
    return step
  }

  /// Parses a key up to its closing quote. A backslash begins the escapes of the output, and quotes any other
  /// character.
  private mutating func quoted(upTo quote: Unicode.Scalar) throws(GraphPath.SyntaxError) -> String {
    var key = ""
    while let character = rest.popFirst() {
      if character == quote { return key }
      if character == "\\", let escaped = rest.popFirst() {
        key.unicodeScalars.append(contentsOf: try self.escaped(escaped).unicodeScalars)
      } else {
        key.unicodeScalars.append(character)
      }
    }
    throw failure("expected the closing quote")
  }

  private mutating func escaped(_ character: Unicode.Scalar) throws(GraphPath.SyntaxError) -> String {
    switch character {
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "0": return "\0"
    case "u":
      guard take("{") else { return "u" }
      let digits = rest.prefix { $0.properties.isASCIIHexDigit }
      rest.removeFirst(digits.count)
      guard let number = UInt32(Substring(digits), radix: 16), let scalar = Unicode.Scalar(number), take("}") else {
        throw failure("expected a character's hexadecimal number and '}'")
      }
      return String(scalar)
    default: return String(character)
    }
  }

  private func failure(_ expected: String) -> GraphPath.SyntaxError {
    GraphPath.SyntaxError(
      detail: "invalid key path \(EscapedText.quoted(text)): \(expected) at character "
        + "\(text.unicodeScalars.count - rest.count + 1)",
      remedy: #"Examples: root.items[3].Title, root["a key"], #12"#)
  }
}
