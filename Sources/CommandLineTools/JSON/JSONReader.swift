// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import PropertyListFormat

/// A strict JSON reader (RFC 8259).
package struct JSONReader {
  /// The maximum nesting depth. The tools' formats need five levels.
  private static let maximumDepth = 64

  private let bytes: [UInt8]
  private var at = 0
  private var depth = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The byte order mark of UTF-8, which some editors write.
  package static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the value of a JSON text, which can follow a byte order mark.
  /// - Throws: ``Failure`` with the byte offset of the first error.
  package static func read(_ data: Data) throws(Failure) -> JSONValue {
    var reader = JSONReader([UInt8](data))
    if reader.bytes.starts(with: byteOrderMark) { reader.at = byteOrderMark.count }
    let value = try reader.value()
    reader.skipSpace()
    guard reader.at == reader.bytes.count else { throw reader.failure("expected the end of the text") }
    return value
  }

  private func failure(_ expected: String, at offset: Int? = nil) -> Failure {
    let offset = offset ?? at
    let found = offset < bytes.count ? EscapedText.quoted(String(decoding: [bytes[offset]], as: UTF8.self)) : "the end"
    return Failure(.notAnArchive, "malformedJSON", "\(expected), found \(found)", place: ["byte \(offset)"])
  }

  private var next: UInt8? { at < bytes.count ? bytes[at] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { at += 1 }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: character) else { return false }
    at += 1
    return true
  }

  private mutating func value() throws(Failure) -> JSONValue {
    skipSpace()
    let start = at
    switch next {
    case UInt8(ascii: "{")?: return JSONValue(kind: .object(try object()), offset: start)
    case UInt8(ascii: "[")?: return JSONValue(kind: .array(try array()), offset: start)
    case UInt8(ascii: "\"")?: return JSONValue(kind: .string(try string()), offset: start)
    case UInt8(ascii: "t")?: return JSONValue(kind: .boolean(true), offset: try word("true"))
    case UInt8(ascii: "f")?: return JSONValue(kind: .boolean(false), offset: try word("false"))
    case UInt8(ascii: "n")?: return JSONValue(kind: .null, offset: try word("null"))
    default: return JSONValue(kind: .number(try number()), offset: start)
    }
  }

  private mutating func descend() throws(Failure) {
    depth += 1
    guard depth <= Self.maximumDepth else {
      throw Failure(
        .limitReached, "limitReached", "JSON nested deeper than \(Self.maximumDepth) levels", place: ["byte \(at)"])
    }
    at += 1
    skipSpace()
  }

  private mutating func object() throws(Failure) -> [(key: String, value: JSONValue)] {
    try descend()
    defer { depth -= 1 }
    var members: [(key: String, value: JSONValue)] = []
    if take("}") { return members }
    repeat {
      skipSpace()
      guard next == UInt8(ascii: "\"") else { throw failure("expected a key in quotes") }
      let key = try string()
      skipSpace()
      guard take(":") else { throw failure("expected ':' after a key") }
      members.append((key, try value()))
      skipSpace()
    } while take(",")
    guard take("}") else { throw failure("expected ',' or '}'") }
    return members
  }

  private mutating func array() throws(Failure) -> [JSONValue] {
    try descend()
    defer { depth -= 1 }
    var values: [JSONValue] = []
    if take("]") { return values }
    repeat {
      values.append(try value())
      skipSpace()
    } while take(",")
    guard take("]") else { throw failure("expected ',' or ']'") }
    return values
  }

  private mutating func word(_ word: String) throws(Failure) -> Int {
    let start = at
    guard bytes[at...].starts(with: word.utf8) else { throw failure("expected '\(word)'") }
    at += word.utf8.count
    return start
  }

  private mutating func number() throws(Failure) -> String {
    let start = at
    _ = take("-")
    let whole = at
    digits()
    guard at > whole, at == whole + 1 || bytes[whole] != UInt8(ascii: "0") else {
      throw failure("expected a value", at: start)
    }
    if take(".") { try someDigits() }
    if take("e") || take("E") {
      if !take("+") { _ = take("-") }
      try someDigits()
    }
    return String(decoding: bytes[start..<at], as: UTF8.self)
  }

  private mutating func digits() {
    while let byte = next, UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte { at += 1 }
  }

  private mutating func someDigits() throws(Failure) {
    let start = at
    digits()
    guard at > start else { throw failure("expected a digit") }
  }

  /// Reads a string from its opening quote.
  private mutating func string() throws(Failure) -> String {
    let start = at
    at += 1
    var text: [UInt8] = []
    while true {
      let run = at
      while let byte = next, byte >= 0x20, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { at += 1 }
      text.append(contentsOf: bytes[run..<at])
      guard let byte = next, byte >= 0x20 else { throw failure("expected '\"' at the end of a string") }
      at += 1
      if byte == UInt8(ascii: "\"") { break }
      try escape(into: &text)
    }
    guard let string = String(validUTF8: text) else {
      throw Failure(.notAnArchive, "malformedJSON", "a string is not valid UTF-8", place: ["byte \(start)"])
    }
    return string
  }

  /// Reads the rest of an escape after its backslash.
  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    guard let byte = next else { throw failure("expected a letter after '\\'") }
    at += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"):
      let start = at
      var value = UInt32(try unit())
      if 0xD800..<0xDC00 ~= value, take("\\"), take("u") {
        let low = UInt32(try unit())
        value = 0xDC00..<0xE000 ~= low ? 0x1_0000 + (value & 0x3FF) << 10 + low & 0x3FF : 0xD800
      }
      guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else {
        throw failure("expected a low surrogate after a high one", at: start)
      }
      text.append(contentsOf: encoded)
    default: throw failure("expected one of \"\\/bfnrtu after '\\'", at: at - 1)
    }
  }

  private mutating func unit() throws(Failure) -> UInt16 {
    guard bytes.count - at >= 4,
      let unit = UInt16(String(decoding: bytes[at..<at + 4], as: UTF8.self), radix: 16), bytes[at] != UInt8(ascii: "+"),
      bytes[at] != UInt8(ascii: "-")
    else { throw failure("expected four hexadecimal digits") }
    at += 4
    return unit
  }
}

/// A JSON value with its offset in the text. Numbers keep their digits, and objects the order of their keys.
package struct JSONValue {
  package enum Kind {
    case null
    case boolean(Bool)
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([(key: String, value: JSONValue)])
  }

  package let kind: Kind
  /// The byte offset of its first character; nil if the value is not from a JSON text.
  package let offset: Int?

  /// Creates a value.
  /// - Parameters:
  ///   - kind: The kind, with the contents.
  ///   - offset: The byte offset of its first character.
  package init(kind: Kind, offset: Int? = nil) {
    self.kind = kind
    self.offset = offset
  }

  /// The location of the value in an error.
  package var place: [String] { offset.map { ["byte \($0)"] } ?? [] }

  /// The value for a key, if this is an object that has it.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = kind else { return nil }
    return members.first { $0.key == key }?.value
  }

  package var string: String? { if case .string(let text) = kind { text } else { nil } }

  package var boolean: Bool? { if case .boolean(let value) = kind { value } else { nil } }

  package var array: [JSONValue]? { if case .array(let values) = kind { values } else { nil } }

  /// A finite number, or the bits of a float as `bits:` and hexadecimal digits.
  package var float: Float? { real { UInt32($0, radix: 16).map(Float.init(bitPattern:)) } }

  /// A finite number, or the bits of a double as `bits:` and hexadecimal digits.
  package var double: Double? { real { UInt64($0, radix: 16).map(Double.init(bitPattern:)) } }

  private func real<Real: LosslessStringConvertible & BinaryFloatingPoint>(_ bits: (Substring) -> Real?) -> Real? {
    switch kind {
    case .number(let digits): Real(digits).flatMap { $0.isFinite ? $0 : nil }
    case .string(let text): text.rest(after: "bits:").flatMap { bits($0) }
    default: nil
    }
  }

  /// Returns the value as an integer. Strings of digits count, because many programs read numbers as doubles.
  package func integer<Value: FixedWidthInteger>(as type: Value.Type = Value.self) -> Value? {
    digits.flatMap { Value($0) }
  }

  /// The value as an integer of up to 128 bits.
  package var wideInteger: WideInteger? { digits.flatMap { WideInteger($0) } }

  private var digits: String? {
    switch kind {
    case .number(let digits), .string(let digits): digits
    default: nil
    }
  }
}
