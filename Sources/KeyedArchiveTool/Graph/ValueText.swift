// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Single values as people read them.
struct ValueText {
  let style: Style
  /// Longer strings are cut; `get` prints them whole.
  static let longest = 1000

  init(_ style: Style) { self.style = style }

  /// A key or a class's name, without quotes.
  static func name(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(longest)
    guard start.endIndex < text.endIndex else { return EscapedText.plain(text) }
    return "\(EscapedText.plain(String(start)))… (\(text.utf8.count) bytes)"
  }

  /// A value that is no container, as source code would have it.
  func text(_ stored: KeyedArchive.StoredValue, limit: Int = longest) -> String {
    switch stored {
    case .boolean(let value): style(.number, value ? "true" : "false")
    case .integer(let value): style(.number, "\(value)")
    case .wideInteger(let value): style(.number, "\(value)") + style(.dim, " (16 bytes)")
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

  func text(_ value: GraphReader.Value, limit: Int = longest) -> String? {
    switch value {
    case .date(let seconds): DateText.iso8601(seconds)
    case .url(let text): style(.string, EscapedText.quoted(text, limit: limit))
    case .uuid(let uuid): uuid.uuidString
    case .string(let text): style(.string, EscapedText.quoted(text, limit: limit))
    case .data(let bytes): "<\(DataSummary.text(bytes))>"
    case .null: nil
    }
  }
}
