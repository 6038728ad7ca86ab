// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import PropertyListFormat

/// Marks parts of a text by their roles, for example with colors.
package struct TextStyle {
  /// The role of a piece of text.
  package enum Role {
    case key, className, string, number, dim, wrong
  }

  private let mark: (Role, String) -> String

  /// Creates a style from a function that returns marked text.
  package init(_ mark: @escaping (Role, String) -> String) { self.mark = mark }

  /// The style without marks.
  package static var plain: TextStyle { TextStyle { $1 } }

  package func callAsFunction(_ role: Role, _ text: String) -> String { mark(role, text) }
}

/// Writes single values as text.
package struct ValueText {
  package let style: TextStyle
  /// The maximum length of a string; `get` prints strings whole.
  package static let maximumLength = 1000

  package init(_ style: TextStyle) { self.style = style }

  /// Returns a key before its value in a line. It is in quotes where a key path has it in quotes, and if it is cut. So a key
  /// cannot look like a key with a value.
  package static func key(_ text: String) -> String {
    let isCut = text.unicodeScalars.prefix(maximumLength).endIndex < text.endIndex
    return !isCut && KeyPathText.isUnquoted(text, isFirst: true)
      ? text : EscapedText.quoted(text, limit: maximumLength)
  }

  /// Returns a key or a class name, without quotes.
  package static func name(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(maximumLength)
    guard start.endIndex < text.endIndex else { return EscapedText.plain(text) }
    return "\(EscapedText.plain(String(start)))… (\(text.utf8.count) bytes)"
  }

  /// Returns a value in the syntax of source code, if it is not a container.
  package func text(_ stored: KeyedArchive.StoredValue, limit: Int = maximumLength) -> String {
    switch stored {
    case .boolean(let value): style(.number, value ? "true" : "false")
    case .integer(let value): style(.number, "\(value)")
    case .wideInteger(let high, let low):
      style(.number, "\(WideInteger(high: high, low: low))") + style(.dim, " (16 bytes)")
    case .float(let value): style(.number, "\(value)") + style(.dim, " (float)")
    case .double(let value): style(.number, "\(value)")
    case .date(let seconds): DateText.iso8601(seconds)
    case .string(let text): style(.string, EscapedText.quoted(text, limit: limit))
    case .data(let bytes): "<\(DataSummary.text(bytes))>"
    case .reference(let uid): "\(uid)"
    case .array(let values): CountText.text(values.count, "element")
    case .dictionary(let entries): CountText.text(entries.count, "key")
    }
  }

  /// Returns a single value without its class; nil for null and for containers.
  package func text(_ shape: GraphReader.Shape, limit: Int = maximumLength) -> String? {
    switch shape {
    case .scalar(let value, _): text(value, limit: limit)
    case .url(let text, _): style(.string, EscapedText.quoted(text, limit: limit))
    case .uuid(let uuid, _): uuid.uuidString
    case .null, .nullObject, .object, .array, .dictionary, .classRecord, .damaged: nil
    }
  }
}

extension ValueText {
  /// Returns a value's class, value and meaning in a line, without its UID.
  package func head(
    _ shape: GraphReader.Shape, _ meaning: Meaning? = nil, limit: Int = ValueText.maximumLength, counted: Bool = true
  ) -> String {
    switch shape {
    case .null: return "null"
    case .scalar, .url, .uuid, .nullObject:
      let name = shape.className.map { style(.className, Self.name($0.shown)) }
      return [name, text(shape, limit: limit)].compactMap(\.self).joined(separator: " ")
    case .object(let name, let contents):
      let meaning = meaning.map { " " + text($0, limit: limit) } ?? ""
      let name = style(.className, Self.name(name.shown)) + meaning
      guard counted else { return name }
      if let pairs = contents.pairs { return name + style(.dim, " (\(CountText.text(pairs.count, "pair")))") }
      guard let elements = contents.elements else { return name }
      return name + style(.dim, " (\(CountText.text(elements.count, "element")))")
    case .array(let values): return "array" + style(.dim, " (\(CountText.text(values.count, "element")))")
    case .dictionary(let entries): return "dictionary" + style(.dim, " (\(CountText.text(entries.count, "key")))")
    case .classRecord(let description): return "class " + style(.className, Self.name(description.name))
    case .damaged(let failure): return style(.wrong, "damaged: " + EscapedText.plain("\(failure)"))
    }
  }
}
