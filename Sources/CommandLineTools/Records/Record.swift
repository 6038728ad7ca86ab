// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat

/// A line of a stream of archives: a name, a tab, and the bytes of an archive as text.
package struct Record: Sendable {
  /// The form of the bytes in a line.
  package enum Form: Sendable {
    case base64, hexadecimal
  }

  /// The text before the last tab.
  package let name: String
  /// The bytes, or the reason why they cannot be read.
  package let content: Result<Data, Failure>

  /// The maximum size of a line.
  package static let maximumLineByteCount = 1 << 28
  /// The number of bytes of a name in a line without a tab.
  private static let maximumNameByteCount = 240

  /// Reads a line without its end.
  package init(_ line: [UInt8], isWhole: Bool = true, form: Form) {
    guard isWhole else {
      // Only the name is of use.
      let tab = line.lastIndex(of: UInt8(ascii: "\t")) ?? min(line.count, Self.maximumNameByteCount)
      name = String(decoding: line[..<tab], as: UTF8.self)
      content = .failure(
        Failure(
          .limitReached, "limitReached",
          "record too large: the line has more than \(Self.maximumLineByteCount >> 20) MiB",
          remedy: "Write the archive to a file"))
      return
    }
    guard let tab = line.lastIndex(of: UInt8(ascii: "\t")) else {
      name = String(decoding: line.prefix(Self.maximumNameByteCount), as: UTF8.self)
      content = .failure(
        Failure(
          .unreadable, "malformedRecord", "malformed record: found no tab; expected a name, a tab and the archive",
          remedy: "Separate the columns with tabs"))
      return
    }
    name = String(decoding: line[..<tab], as: UTF8.self)
    var text = line[(tab + 1)...]
    // Lines of other systems end in CR LF.
    if text.last == UInt8(ascii: "\r") { text.removeLast() }
    let bytes: Data? =
      switch form {
      case .base64: Data(base64Encoded: Data(text))
      case .hexadecimal: Self.hexadecimal(text)
      }
    guard let bytes else {
      let expected = form == .base64 ? "Base64" : "an even number of hexadecimal digits"
      let remedy = form == .base64 ? "For hexadecimal digits, add --hex" : "For Base64, omit --hex"
      content = .failure(
        Failure(
          .unreadable, "malformedRecord", "malformed record: expected \(expected) after the last tab", remedy: remedy))
      return
    }
    content = .success(bytes)
  }

  /// Reads hexadecimal digits, which may follow `\x`, as PostgreSQL writes them, or `0x`.
  private static func hexadecimal(_ text: ArraySlice<UInt8>) -> Data? {
    var digits = text
    if digits.starts(with: "0x".utf8) {
      digits = digits.dropFirst(2)
    } else if digits.first == UInt8(ascii: "\\") {
      digits = digits.drop { $0 == UInt8(ascii: "\\") }
      guard digits.popFirst() == UInt8(ascii: "x") else { return nil }
    }
    guard digits.count.isMultiple(of: 2) else { return nil }
    var bytes = Data(capacity: digits.count / 2)
    var high: UInt8?
    for digit in digits {
      guard let value = Self.value(of: digit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
