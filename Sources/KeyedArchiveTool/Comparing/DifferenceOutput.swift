// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchiveTools
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Writes differences as text, one per line.
struct DifferenceText {
  private let style: Style
  private let text: ValueText
  private var old: GraphReader
  private var new: GraphReader

  init(from old: KeyedArchive, to new: KeyedArchive, style: Style) {
    self.style = style
    text = ValueText(TextStyle(style))
    self.old = GraphReader(old)
    self.new = GraphReader(new)
  }

  /// Returns a difference as a line.
  mutating func line(_ difference: ArchiveDifference) -> String {
    let path = style(.key, EscapedText.plain(difference.path))
    let before = difference.oldPath.map { style(.dim, " (was \(EscapedText.plain($0)))") } ?? ""
    return "\(mark(difference.kind)) \(path)\(before): \(content(difference))\n"
  }

  private func mark(_ kind: ArchiveDifference.Kind) -> String {
    switch kind {
    case .added: style(.string, "+")
    case .removed: style(.wrong, "-")
    case .changed, .archiver: style(.number, "~")
    case .form: style(.dim, "=")
    case .className: style(.className, "c")
    case .sharing: style(.number, "s")
    }
  }

  private mutating func content(_ difference: ArchiveDifference) -> String {
    let before = difference.old.map { side($0, difference, &old) }
    let after = difference.new.map { side($0, difference, &new) }
    var content = [before, after].compactMap(\.self).joined(separator: " → ")
    if difference.count > 1 { content += style(.dim, " (\(CountText.text(difference.count, "object")))") }
    return content
  }

  private func side(
    _ value: ArchiveDifference.Value, _ difference: ArchiveDifference, _ reader: inout GraphReader
  ) -> String {
    switch value {
    case .null: return "null"
    case .primitive(let value, let uid):
      guard difference.kind == .form else { return text.text(value) + date(value, difference) }
      return text.text(value) + style(.dim, uid == nil ? " inline" : " boxed")
    case .object(_, let uid): return text.head(reader.shape(of: .reference(uid))) + style(.dim, " \(uid)")
    case .array(let count): return "array" + style(.dim, " (\(CountText.text(count, "element")))")
    case .dictionary(let count): return "dictionary" + style(.dim, " (\(CountText.text(count, "key")))")
    case .classRecord(let description): return text.text(description)
    case .shared(let uid, let path):
      return path.map { "the object at \(style(.key, EscapedText.plain($0)))" } ?? "the object \(uid)"
    case .unshared: return "a separate object"
    case .name(let name): return style(.string, EscapedText.quoted(name, limit: ValueText.maximumLength))
    }
  }

  /// Returns the date for the seconds of an NSDate.
  private func date(_ value: KeyedArchive.StoredValue, _ difference: ArchiveDifference) -> String {
    guard case .double(let seconds) = value, difference.path.hasSuffix(".NS.time") else { return "" }
    return style(.dim, " (\(DateText.iso8601(seconds)))")
  }
}

extension ValueText {
  /// Returns a class with its superclasses and hints.
  func text(_ description: ClassDescription) -> String {
    var names = description.chain
    if names.first != description.name { names.insert(description.name, at: 0) }
    // Only hostile files have longer superclass chains.
    var text = names.prefix(32).map { style(.className, Self.name($0)) }.joined(separator: " < ")
    if names.count > 32 { text += " < …" }
    if !description.hints.isEmpty {
      text += " or " + description.hints.prefix(32).map { style(.className, Self.name($0)) }.joined(separator: ", ")
    }
    return text
  }
}

extension JSONWriter {
  /// Writes a difference as an object.
  mutating func difference(_ difference: ArchiveDifference) {
    beginObject()
    field("kind", difference.kind.rawValue)
    field("path", difference.path)
    if let path = difference.oldPath { field("oldPath", path) }
    if let value = difference.old { field("old", value) }
    if let value = difference.new { field("new", value) }
    if difference.count > 1 { field("objects", difference.count) }
    endObject()
  }

  private mutating func field(_ key: String, _ value: ArchiveDifference.Value) {
    self.key(key)
    beginObject()
    switch value {
    case .null: field("type", "null")
    case .primitive(let value, let uid):
      plain(value)
      if let uid { field("object", uid.rawValue) }
    case .object(let name, let uid):
      field("type", "object")
      field("class", name)
      field("object", uid.rawValue)
    case .array(let count):
      field("type", "array")
      field("count", count)
    case .dictionary(let count):
      field("type", "dictionary")
      field("count", count)
    case .classRecord(let description):
      field("type", "class")
      field("name", description.name)
      field("classes", description.chain)
      if !description.hints.isEmpty { field("hints", description.hints) }
    case .shared(let uid, let path):
      field("type", "shared")
      field("object", uid.rawValue)
      if let path { field("path", path) }
    case .unshared(let uid):
      field("type", "own")
      field("object", uid.rawValue)
    case .name(let name):
      field("type", "name")
      field("value", name)
    }
    endObject()
  }

  /// Writes a primitive value and its type. Integers that some JSON readers would round are strings.
  private mutating func plain(_ value: KeyedArchive.StoredValue) {
    func type(_ name: String) { field("type", name) }
    switch value {
    case .boolean(let value):
      type("boolean")
      field("value", value)
    case .integer(let value):
      type("integer")
      if value.magnitude <= 1 << 53 { field("value", value) } else { field("value", "\(value)") }
    case .wideInteger(let high, let low):
      type("integer16")
      field("value", "\(WideInteger(high: high, low: low))")
    case .float(let value):
      type("float")
      field("value", value)
    case .double(let value):
      type("double")
      field("value", value)
    case .date(let value):
      type("date")
      field("value", value)
    case .string(let text):
      type("string")
      field("value", text)
    case .data(let bytes):
      type("data")
      field("value", bytes.base64EncodedString())
    case .reference, .array, .dictionary: type("other")
    }
  }
}
