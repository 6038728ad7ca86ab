// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat

/// A property list as JSON that loses nothing: its object table, row by row, as the file has it.
///
/// ```json
/// { "keyedarchive": 1, "format": "binary", "top": 0, "objects": [ … ] }
/// ```
/// An XML file with the document type of before 2006 has it as `documentType`.
///
/// A row is a JSON string, `true`, `false`, `null`, an integer, or an object with one key that says its kind:
/// `uid`, `integer` (beyond 2^53, as text), `integer16` (stored in 16 bytes, as text), `float` and `double` (a number,
/// or as text the bits in hexadecimal if it is no finite number), `date` (seconds since 2001, likewise), `data`
/// (Base64), `array` and `set` (rows), `dictionary` (pairs of rows, key and value, in the order of the file).
enum TableJSON {
  static let version = 1
  /// Beyond it, integers are not safe in programs that read numbers as doubles.
  private static let largestSafe: Int64 = 1 << 53

  /// The list as JSON, a row a line.
  /// - Throws: ``Failure`` for a damaged row, and for rows that share their bytes many times over.
  static func write(_ list: PropertyList, within limit: OutputLimit) throws(Failure) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.newline()
    json.field("keyedarchive", version)
    json.field("format", list.format.rawValue)
    // Only what a reader would not take for granted.
    if list.documentType != .apple { json.field("documentType", list.documentType.rawValue) }
    json.field("top", Int(list.top.rawValue))
    json.key("objects")
    json.beginArray()
    for row in 0..<UInt32(list.objectCount) {
      do {
        let object = try list.object(ObjectRef(rawValue: row))
        put(object, to: &json)
      } catch {
        throw Failure(error)
      }
      guard json.bytes.count <= limit.byteCount else {
        throw limit.failure("JSON", remedy: "Convert it to binary, or ask 'get --json' for a part of it")
      }
    }
    json.newline()
    json.endArray()
    json.newline()
    json.endObject()
    json.newline()
    return json.bytes
  }

  private static func put(_ object: PropertyListObject, to json: inout JSONWriter) {
    switch object {
    case .null: json.line("null")
    case .boolean(let value): json.line(value ? "true" : "false")
    case .integer(let value):
      if -largestSafe...largestSafe ~= value { json.line("\(value)") } else { json.tagged("integer", text: "\(value)") }
    case .wideInteger(let value): json.tagged("integer16", text: "\(value)")
    case .float(let value):
      if value.isFinite { json.tagged("float", raw: "\(value)") } else { json.tagged("float", bits: value.bitPattern) }
    case .double(let value): put("double", value, to: &json)
    case .date(let value): put("date", value, to: &json)
    case .data(let bytes): json.tagged("data", text: bytes.base64EncodedString())
    case .string(let text): json.line(string: text)
    case .uid(let value): json.tagged("uid", raw: "\(value)")
    case .array(let refs): json.tagged("array", raw: list(refs))
    case .set(let refs): json.tagged("set", raw: list(refs))
    case .dictionary(let keys, let values):
      let pairs = zip(keys, values).map { "[\($0.rawValue),\($1.rawValue)]" }
      json.tagged("dictionary", raw: "[\(pairs.joined(separator: ","))]")
    }
  }

  private static func put(_ tag: String, _ value: Double, to json: inout JSONWriter) {
    if value.isFinite { json.tagged(tag, raw: "\(value)") } else { json.tagged(tag, bits: value.bitPattern) }
  }

  private static func list(_ refs: [ObjectRef]) -> String {
    "[\(refs.map { String($0.rawValue) }.joined(separator: ","))]"
  }
}

extension JSONWriter {
  fileprivate mutating func line(_ raw: String) { self.raw("\n" + raw) }

  fileprivate mutating func line(string: String) {
    self.raw("\n")
    continueItem()
    self.string(string)
  }

  fileprivate mutating func tagged(_ tag: String, raw: String) { line("{\"\(tag)\":\(raw)}") }

  fileprivate mutating func tagged(_ tag: String, text: String) { tagged(tag, raw: "\"\(text)\"") }

  fileprivate mutating func tagged(_ tag: String, bits: some FixedWidthInteger & UnsignedInteger) {
    tagged(tag, text: "bits:" + String(bits, radix: 16))
  }
}
