// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Writes JSON piece by piece, in the order it is told, in one line or in lines by the caller's choice.
///
/// Characters that are hostile to terminals are written as escapes, so the result may be shown as it is.
package struct JSONWriter {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []
  /// For each open array or object, whether it has something already.
  private var hasItems: [Bool] = []
  private var isAfterKey = false
  /// Whether each item starts a line of its own.
  private let isPretty: Bool
  /// Deeper levels are not indented further, for a deep graph's indentation would outgrow the graph.
  private static let deepestIndent = 20

  /// Begins; pretty JSON has a line for each item.
  package init(isPretty: Bool = false) { self.isPretty = isPretty }

  /// Opens an object.
  package mutating func beginObject() { begin("{") }

  /// Closes an object.
  package mutating func endObject() { end("}") }

  /// Opens an array.
  package mutating func beginArray() { begin("[") }

  /// Closes an array.
  package mutating func endArray() { end("]") }

  /// The key of an object's next value.
  package mutating func key(_ key: String) {
    separate()
    put(key)
    bytes.append(contentsOf: isPretty ? ": ".utf8 : ":".utf8)
    isAfterKey = true
  }

  /// A string.
  package mutating func string(_ text: String) {
    separate()
    put(text)
  }

  /// A number, `true`, `false`, `null`, or an array or object that is JSON already.
  package mutating func raw(_ text: String) {
    separate()
    bytes.append(contentsOf: text.utf8)
  }

  /// A number; JSON has no infinities, they are strings.
  package mutating func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) {
    if value.isFinite { raw(value.description) } else { string(value.description) }
  }

  /// A key and a string.
  package mutating func field(_ key: String, _ value: String) {
    self.key(key)
    string(value)
  }

  /// A key and a whole number.
  package mutating func field(_ key: String, _ value: Int) {
    self.key(key)
    raw(String(value))
  }

  /// A key and a number.
  package mutating func field(_ key: String, _ value: some BinaryFloatingPoint & CustomStringConvertible) {
    self.key(key)
    number(value)
  }

  /// A key and a truth.
  package mutating func field(_ key: String, _ value: Bool) {
    self.key(key)
    raw(value ? "true" : "false")
  }

  /// A key and an array of strings.
  package mutating func field(_ key: String, _ values: [String]) {
    self.key(key)
    beginArray()
    for value in values { string(value) }
    endArray()
  }

  /// Lets the next value stand directly behind what was written last, without a comma.
  package mutating func continueItem() { isAfterKey = true }

  /// Starts a new line, where the caller wants one in JSON that is not pretty.
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
    for _ in 0..<min(hasItems.count, Self.deepestIndent) { bytes.append(contentsOf: "  ".utf8) }
  }

  private mutating func put(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": bytes.append(contentsOf: #"\""#.utf8)
      case "\\": bytes.append(contentsOf: #"\\"#.utf8)
      case "\n": bytes.append(contentsOf: #"\n"#.utf8)
      case "\t": bytes.append(contentsOf: #"\t"#.utf8)
      case "\r": bytes.append(contentsOf: #"\r"#.utf8)
      case _ where EscapedText.isHostile(scalar): for unit in UTF16.encode(scalar) ?? .init() { put(escaped: unit) }
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func put(escaped unit: UInt16) {
    let digits = String(unit, radix: 16)
    bytes.append(contentsOf: "\\u".utf8)
    bytes.append(contentsOf: String(repeating: "0", count: 4 - digits.count).utf8)
    bytes.append(contentsOf: digits.utf8)
  }
}
