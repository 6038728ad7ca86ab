// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// Writes JSON piece by piece, in one line or with one line per item.
///
/// Characters that could control a terminal are escaped, so the result is safe to show.
package struct JSONWriter {
  /// The JSON, without what ``collect()`` moved out of it.
  package private(set) var bytes: [UInt8] = []
  private var collected = Data()
  /// For each open array or object, whether it has an item.
  private var hasItems: [Bool] = []
  private var isAfterKey = false
  private let isPretty: Bool
  /// The maximum indentation; without it, the indentation of a deep graph would outgrow the graph.
  private static let maximumIndent = 20

  package init(isPretty: Bool = false) { self.isPretty = isPretty }

  /// The size of the JSON so far.
  package var byteCount: Int { collected.count + bytes.count }

  /// Moves the bytes so far to the result of ``takeData()``, if they are many.
  ///
  /// Writers of large JSON call this between values. Single bytes are appended fastest to an array, but an array is copied
  /// when it grows, and once more to become `Data`.
  package mutating func collect() {
    guard bytes.count >= 1 << 16 else { return }
    collected.append(contentsOf: bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Returns the JSON, and starts anew.
  package mutating func takeData() -> Data {
    defer { (collected, bytes) = (Data(), []) }
    guard !collected.isEmpty else { return Data(bytes) }
    collected.append(contentsOf: bytes)
    return collected
  }

  package mutating func beginObject() { begin("{") }

  package mutating func endObject() { end("}") }

  package mutating func beginArray() { begin("[") }

  package mutating func endArray() { end("]") }

  /// Writes the key of an object's next value.
  package mutating func key(_ key: String) {
    separate()
    put(key)
    bytes.append(contentsOf: isPretty ? ": ".utf8 : ":".utf8)
    isAfterKey = true
  }

  package mutating func string(_ text: String) {
    separate()
    put(text)
  }

  /// Writes a number, `true`, `false`, `null`, or text that is JSON.
  package mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// Writes a number; infinities and NaN become strings, because JSON has no numbers for them.
  package mutating func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
    if value.isFinite { raw(value.description) } else { string(value.description) }
  }

  /// Writes a text, or `null` for nil.
  package mutating func field(_ key: String, _ value: String?) {
    self.key(key)
    if let value { string(value) } else { raw("null") }
  }

  /// Writes a number, or `null` for nil.
  package mutating func field<Number: BinaryInteger>(_ key: String, _ value: Number?) {
    self.key(key)
    raw(value.map { String($0) } ?? "null")
  }

  package mutating func field(_ key: String, _ value: some BinaryFloatingPoint & CustomStringConvertible) {
    self.key(key)
    number(value)
  }

  package mutating func field(_ key: String, _ value: Bool) {
    self.key(key)
    raw(value ? "true" : "false")
  }

  package mutating func field(_ key: String, _ values: [String]) {
    self.key(key)
    beginArray()
    for value in values { string(value) }
    endArray()
  }

  /// Suppresses the comma before the next value.
  package mutating func continueItem() { isAfterKey = true }

  package mutating func newline() { bytes.append(UInt8(ascii: "\n")) }

  private mutating func begin(_ bracket: Unicode.Scalar) {
    separate()
    bytes.append(UInt8(ascii: bracket))
    hasItems.append(false)
  }

  private mutating func end(_ bracket: Unicode.Scalar) {
    let hadItems = hasItems.popLast() ?? false
    if hadItems { indent() }
    bytes.append(UInt8(ascii: bracket))
  }

  private mutating func separate() {
    if isAfterKey {
      isAfterKey = false
      return
    }
    guard let last = hasItems.indices.last else { return }
    if hasItems[last] { bytes.append(UInt8(ascii: ",")) }
    hasItems[last] = true
    indent()
  }

  private mutating func indent() {
    guard isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<min(hasItems.count, Self.maximumIndent) { bytes.append(contentsOf: "  ".utf8) }
  }

  private mutating func put(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    text.withBytes { text in
      // Appending the bytes between escapes at once takes less time than appending each.
      var start = 0
      var index = 0
      while index < text.count {
        let (scalar, length) = text.scalar(at: index)
        if scalar == "\"" || scalar == "\\" || EscapedText.isHostile(scalar) {
          bytes.append(text.extracting(start..<index))
          putEscape(scalar)
          start = index &+ length
        }
        index &+= length
      }
      bytes.append(text.extracting(start..<text.count))
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func putEscape(_ scalar: Unicode.Scalar) {
    switch scalar {
    case "\"", "\\": put(escape: UInt8(ascii: scalar))
    case "\n": put(escape: UInt8(ascii: "n"))
    case "\t": put(escape: UInt8(ascii: "t"))
    case "\r": put(escape: UInt8(ascii: "r"))
    default:
      for unit in UTF16.encode(scalar) ?? .init() {
        put(escape: UInt8(ascii: "u"))
        // Without a string for each unit, because a text can consist of such characters.
        for shift in [12, 8, 4, 0] as [UInt16] {
          let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
          bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
      }
    }
  }

  private mutating func put(escape byte: UInt8) {
    bytes.append(UInt8(ascii: "\\"))
    bytes.append(byte)
  }
}
