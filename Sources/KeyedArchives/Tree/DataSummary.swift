// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeyedArchiving
import PropertyListFormat

/// Summarizes bytes: their number, their likely format, the size of a picture, and the first bytes.
package enum DataSummary {
  /// Returns a summary such as `263 bytes, keyed archive, 62706c69 73743030 …`.
  package static func text(_ data: Data) -> String {
    guard !data.isEmpty else { return "0 bytes" }
    let size = data.count == 1 ? "1 byte" : "\(data.count) bytes"
    return [size, picture(data) ?? guess(data), start(data)].compactMap(\.self).joined(separator: ", ")
  }

  /// Returns the format and the size of a picture, such as `png 64 × 48`; nil for other data.
  package static func picture(_ data: Data) -> String? {
    PictureHeader(data).map { "\($0.format.rawValue) \($0.width) × \($0.height)" }
  }

  /// Returns the likely format of bytes by their beginning; nil if it is unknown.
  package static func guess(_ data: Data) -> String? {
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

  /// The number of bytes that decide whether data is text. A file can refer to long data a million times.
  private static let inspectedByteCount = 512

  /// Returns whether the first bytes are valid UTF-8 without control characters.
  private static func isText(_ data: Data) -> Bool {
    let bytes = data.span.extracting(first: inspectedByteCount)
    for index in bytes.indices where bytes[index] < 0x20 || bytes[index] == 0x7F {
      guard bytes[index] == 0x09 || bytes[index] == 0x0A || bytes[index] == 0x0D else { return false }
    }
    guard let invalid = bytes.firstInvalidUTF8 else { return true }
    // The end may separate the bytes of a character, which has at most four.
    return bytes.count < data.count && invalid > bytes.count - 4 && bytes[invalid] >= 0xC2
  }

  /// Returns the first sixteen bytes in groups of four.
  private static func start(_ data: Data) -> String {
    var text = ""
    for (place, byte) in data.prefix(16).enumerated() {
      if place > 0, place % 4 == 0 { text += " " }
      text += HexText.digits(byte, count: 2)
    }
    return data.count > 16 ? text + " …" : text
  }
}
