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

/// Writes single values as text.
struct ValueText {
  let style: Style
  /// The maximum length of a string; `get` prints strings whole.
  static let maximumLength = 1000

  init(_ style: Style) { self.style = style }

  /// Returns a key or a class name, without quotes.
  static func name(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(maximumLength)
    guard start.endIndex < text.endIndex else { return EscapedText.plain(text) }
    return "\(EscapedText.plain(String(start)))… (\(text.utf8.count) bytes)"
  }

  /// Returns a value in the syntax of source code, if it is not a container.
  func text(_ stored: KeyedArchive.StoredValue, limit: Int = maximumLength) -> String {
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

  func text(_ value: GraphReader.Value, limit: Int = maximumLength) -> String? {
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

extension ValueText {
  /// Returns a value's class and value in a line, without its UID.
  func head(_ shape: GraphReader.Shape, limit: Int = ValueText.maximumLength, counted: Bool = true) -> String {
    switch shape {
    case .null: return "null"
    case .scalar(let value): return text(value, limit: limit)
    case .value(let name, let value):
      let name = style(.className, Self.name(name.shown))
      return text(value, limit: limit).map { "\(name) \($0)" } ?? name
    case .object(let name, let contents):
      let name = style(.className, Self.name(name.shown))
      guard counted else { return name }
      if let pairs = contents.pairs { return name + style(.dim, " (\(CountText.text(pairs.count, "pair")))") }
      guard let elements = contents.elements else { return name }
      return name + style(.dim, " (\(CountText.text(elements.count, "element")))")
    case .array(let values): return "array" + style(.dim, " (\(CountText.text(values.count, "element")))")
    case .dictionary(let entries): return "dictionary" + style(.dim, " (\(CountText.text(entries.count, "key")))")
    case .classRecord(let description): return "class " + style(.className, Self.name(description.name))
    case .damaged(let failure): return style(.wrong, "damaged: " + EscapedText.plain(failure.line))
    }
  }
}

/// Summarizes bytes: their number, their likely format, and the first of them.
enum DataSummary {
  /// Returns a summary such as `263 bytes, keyed archive, 62706c69 73743030 …`.
  static func text(_ data: Data) -> String {
    guard !data.isEmpty else { return "0 bytes" }
    let size = data.count == 1 ? "1 byte" : "\(data.count) bytes"
    return [size, guess(data), start(data)].compactMap(\.self).joined(separator: ", ")
  }

  /// Returns the likely format of bytes by their beginning; nil if it is unknown.
  static func guess(_ data: Data) -> String? {
    func begins(_ bytes: [UInt8]) -> Bool { data.starts(with: bytes) }
    if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return "png" }
    if begins([0xFF, 0xD8, 0xFF]) { return "jpeg" }
    if begins(Array("GIF8".utf8)) { return "gif" }
    if begins([0x4D, 0x4D, 0x00, 0x2A]) || begins([0x49, 0x49, 0x2A, 0x00]) { return "tiff" }
    if begins(Array("%PDF-".utf8)) { return "pdf" }
    if begins(Array("bplist".utf8)) {
      return (try? KeyedArchive(data, archivers: .any)) == nil ? "plist" : "keyed archive"
    }
    guard isText(data) else { return nil }
    if begins(Array("<?xml".utf8)) || begins(Array("<plist".utf8)) || begins(Array("<!DOCTYPE plist".utf8)) {
      // The keys of the envelope are sorted, so this one comes first.
      let beginning = String(decoding: data.prefix(1024), as: UTF8.self)
      if beginning.contains("<key>$archiver</key>") { return "keyed archive" }
      if beginning.contains("<plist") { return "plist" }
    }
    return "text"
  }

  /// Returns whether the bytes are valid UTF-8 without control characters.
  private static func isText(_ data: Data) -> Bool {
    let bytes = data.span
    for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F {
      guard bytes[index] == 0x09 || bytes[index] == 0x0A || bytes[index] == 0x0D else { return false }
    }
    return bytes.firstInvalidUTF8 == nil
  }

  /// Returns the first sixteen bytes in groups of four.
  private static func start(_ data: Data) -> String {
    var text = ""
    for (place, byte) in data.prefix(16).enumerated() {
      if place > 0, place % 4 == 0 { text += " " }
      text += byte < 16 ? "0" : ""
      text += String(byte, radix: 16)
    }
    return data.count > 16 ? text + " …" : text
  }
}
