// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// A key path in an archive's graph: `root.creatures[3].Title`, `root["a key.with dots"]`, `#12.NS.relative`.
///
/// It begins with a top-level key or a UID. A key with characters of the grammar is in brackets and quotes. Dots need
/// none, because a name without a value is also tried together with the following names.
struct GraphPath: Equatable {
  enum Step: Equatable {
    /// A key without quotes.
    case name(String)
    case quoted(String)
    case index(Int)
    /// An object by its UID; always the first step.
    case object(UInt32)
  }

  let steps: [Step]

  init(_ text: String) throws(UsageError) {
    var parser = GraphPathParser(text)
    steps = try parser.parse()
  }
}

extension GraphPath: CustomStringConvertible {
  var description: String { Self.text(steps[...]) }

  /// Returns steps in the syntax of a path.
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

/// Parses a key path, scalar by scalar.
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
      guard let number = UInt32(digits) else { throw failure("expected a UID") }
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

  /// Parses a step after its opening bracket.
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

  /// Parses a key up to its closing quote. A backslash begins the escapes of the output, and quotes any other
  /// character.
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
        throw failure("expected a character's hexadecimal number and '}'")
      }
      return String(scalar)
    default: return String(character)
    }
  }

  private func failure(_ expected: String) -> UsageError {
    UsageError(
      "invalid key path \(EscapedText.quoted(text)): \(expected) at character \(text.unicodeScalars.count - rest.count + 1)",
      remedy: #"Examples: root.items[3].Title, root["a key"], #12"#)
  }
}

extension GraphPath {
  /// Returns the value at the path.
  /// - Throws: ``Failure`` with the part of the path that has no value, and the existing keys.
  func resolve(in reader: inout GraphReader) throws(Failure) -> KeyedArchive.StoredValue {
    var place = Place.top(try Failure.convertingArchiveError(try reader.archive.top))
    var at = 0
    while at < steps.count {
      guard let (next, count) = try step(at, from: place, &reader) else { throw missing(at, place, &reader) }
      place = .value(next)
      at += count
    }
    guard case .value(let value) = place else { throw Failure(.negative, "valueNotFound", "the key path is empty") }
    return value
  }

  private enum Place {
    case top([KeyedArchive.Entry])
    case value(KeyedArchive.StoredValue)
  }

  /// Takes one step, or several that form a key with dots; returns nil if the value does not exist.
  private func step(
    _ at: Int, from place: Place, _ reader: inout GraphReader
  ) throws(Failure) -> (KeyedArchive.StoredValue, count: Int)? {
    let children = try Self.children(of: place, &reader)
    switch steps[at] {
    case .object(let number):
      guard Int(clamping: number) < reader.archive.objectCount else { return nil }
      return (.reference(ArchiveUID(rawValue: number)), 1)
    case .index(let index):
      guard children.elements.indices.contains(index) else { return nil }
      return (children.elements[index], 1)
    case .quoted(let key): return Self.value(key, children, &reader).map { ($0, 1) }
    case .name(var key):
      if let value = Self.value(key, children, &reader) { return (value, 1) }
      for next in steps.indices.dropFirst(at + 1).prefix(8) {
        guard case .name(let more) = steps[next] else { break }
        key += ".\(more)"
        if let value = Self.value(key, children, &reader) { return (value, next - at + 1) }
      }
      return nil
    }
  }

  /// The children of a value.
  private struct Children {
    var entries: [KeyedArchive.Entry] = []
    var elements: [KeyedArchive.StoredValue] = []
    var pairs: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)] = []
  }

  private static func children(of place: Place, _ reader: inout GraphReader) throws(Failure) -> Children {
    guard case .value(let stored) = place else {
      if case .top(let entries) = place { return Children(entries: entries) }
      return Children()
    }
    switch reader.shape(of: stored) {
    case .object(_, let contents):
      // Foundation's own keys are accepted too.
      var entries = contents.entries
      if contents.elements != nil || contents.pairs != nil { entries = self.entries(of: stored, reader) }
      let pairs = contents.pairs ?? []
      // The library's paths number the values of a dictionary.
      return Children(entries: entries, elements: contents.elements ?? pairs.map(\.value), pairs: pairs)
    case .value: return Children(entries: entries(of: stored, reader))
    case .array(let values): return Children(elements: values)
    case .dictionary(let entries): return Children(entries: entries)
    case .damaged(let error): throw Failure(reading: error)
    case .null, .scalar, .classRecord: return Children()
    }
  }

  private static func entries(of stored: KeyedArchive.StoredValue, _ reader: GraphReader) -> [KeyedArchive.Entry] {
    guard case .reference(let uid) = stored, case .instance(_, let entries)? = try? reader.archive.object(uid) else {
      return []
    }
    return entries
  }

  private static func value(
    _ key: String, _ children: Children, _ reader: inout GraphReader
  ) -> KeyedArchive.StoredValue? {
    if let entry = children.entries.first(where: { $0.key.hasSameBytes(as: key) }) { return entry.value }
    for (name, value) in children.pairs where text(name, &reader)?.hasSameBytes(as: key) ?? false { return value }
    return nil
  }

  private static func text(_ stored: KeyedArchive.StoredValue, _ reader: inout GraphReader) -> String? {
    switch reader.shape(of: stored) {
    case .scalar(.string(let text)), .value(_, .string(let text)): text
    default: nil
    }
  }

  private func missing(_ at: Int, _ place: Place, _ reader: inout GraphReader) -> Failure {
    let holder = at == 0 ? "the archive" : "'\(Self.text(steps[..<at]))'"
    if case .object = steps[at] {
      return Failure(
        .negative, "valueNotFound",
        "no object \(Self.text(steps[at...at])): the archive has the UIDs #0 to #\(reader.archive.objectCount - 1)")
    }
    var failure = Failure(.negative, "valueNotFound", "\(holder) has no '\(Self.text(steps[at...at]))'")
    guard let children = try? Self.children(of: place, &reader) else { return failure }
    var names = children.entries.map(\.key).filter { !$0.hasPrefix("NS.") || children.pairs.isEmpty }
    for (key, _) in children.pairs.prefix(40) { names += [Self.text(key, &reader)].compactMap(\.self) }
    failure.detail = "\(holder) has no '\(Self.text(steps[at...missingEnd(at, names)]))'"
    if !children.elements.isEmpty, children.pairs.isEmpty { names.append("[0] to [\(children.elements.count - 1)]") }
    let shown = names.prefix(20).map {
      EscapedText.plain(String(String.UnicodeScalarView($0.unicodeScalars.prefix(80))))
    }.joined(separator: ", ")
    failure.remedy = names.isEmpty ? "It has no keys" : "It has \(shown)\(names.count > 20 ? ", …" : "")"
    return failure
  }

  /// Returns the last step of the missing key, which has several steps if an existing key begins with them and a dot.
  private func missingEnd(_ at: Int, _ names: [String]) -> Int {
    guard case .name(var key) = steps[at] else { return at }
    var end = at
    while end + 1 < steps.count, case .name(let more) = steps[end + 1],
      names.contains(where: { $0.hasPrefix(key + ".") })
    {
      key += ".\(more)"
      end += 1
    }
    return end
  }
}
