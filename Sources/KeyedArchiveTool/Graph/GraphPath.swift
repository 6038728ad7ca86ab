// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import PropertyListFormat

/// A way through an archive's graph: `root.creatures[3].Title`, `root["a key.with dots"]`, `#12.NS.relative`.
///
/// It begins with a top-level key or an object's number. A key with characters of the grammar stands in brackets and
/// quotes; dots alone need none, since a name that leads nowhere is tried together with those that follow.
struct GraphPath: Equatable {
  enum Step: Equatable {
    /// A key that stood there plainly.
    case name(String)
    /// A key in quotes.
    case quoted(String)
    case index(Int)
    /// An object by its number; only ever the first step.
    case object(UInt32)
  }

  /// At least one.
  let steps: [Step]

  init(_ text: String) throws(UsageError) {
    var parser = GraphPathParser(text)
    steps = try parser.parse()
  }
}

extension GraphPath: CustomStringConvertible {
  var description: String { Self.text(steps[...]) }

  /// Some of a path's steps as they are written.
  static func text(_ steps: ArraySlice<Step>) -> String {
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

/// Takes a key path apart, scalar by scalar.
private struct GraphPathParser {
  let text: String
  var rest: Substring.UnicodeScalarView

  init(_ text: String) {
    self.text = text
    rest = text[...].unicodeScalars
  }

  mutating func parse() throws(UsageError) -> [GraphPath.Step] {
    var steps: [GraphPath.Step] = []
    if take("#") {
      let digits = takeDigits()
      guard let number = UInt32(digits) else { throw failure("expected an object's number") }
      steps.append(.object(number))
    } else if rest.first != "[" {
      steps.append(.name(try name()))
    }
    while !rest.isEmpty {
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

  private mutating func name() throws(UsageError) -> String {
    let name = rest.prefix { $0 != "." && $0 != "[" && $0 != "]" }
    guard !name.isEmpty else { throw failure("expected a key") }
    rest.removeFirst(name.count)
    return String(Substring(name))
  }

  /// What follows an opening bracket.
  private mutating func bracketed() throws(UsageError) -> GraphPath.Step {
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

  /// A key up to its closing quote. A backslash begins what output has in place of control characters, and takes any other
  /// character as it is.
  private mutating func quoted(upTo quote: Unicode.Scalar) throws(UsageError) -> String {
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

  private mutating func escaped(_ character: Unicode.Scalar) throws(UsageError) -> String {
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
        throw failure("expected a character's number in hexadecimal digits and '}'")
      }
      return String(scalar)
    default: return String(character)
    }
  }

  private func failure(_ expected: String) -> UsageError {
    UsageError(
      "in the key path \(EscapedText.quoted(text)), \(expected) at character \(text.unicodeScalars.count - rest.count + 1)",
      remedy: #"Key paths look like root.items[3].Title, root["a key"], #12"#)
  }
}
