// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import PropertyListFormat

extension TableJSON {
  /// Whether bytes that are no property list begin like JSON.
  static func recognizes(_ data: Data) -> Bool {
    let first = data.prefix(1024).first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  /// The list that JSON as this tool writes it stands for, and the format of the file that it was made from.
  static func read(_ data: Data) throws(Failure) -> (list: PropertyList, format: PropertyList.Format) {
    let json = try JSONReader.read(data)
    guard let version = json["keyedarchive"] else {
      throw Failure(
        .notAnArchive, "notLossless", "the JSON has no key 'keyedarchive', so it was not made by 'convert --to json'",
        remedy: "JSON made with --plain is for reading and cannot be converted back")
    }
    guard version.integer(as: Int.self) == self.version else {
      throw failure(version, "'keyedarchive' must be \(self.version)")
    }
    guard let objects = json["objects"], let rows = objects.array else {
      throw failure(json["objects"] ?? json, "'objects' must be an array")
    }
    guard let top = json["top"], let topRow = top.integer(as: UInt32.self), Int(topRow) < rows.count else {
      throw failure(json["top"] ?? json, "'top' must be the number of a row")
    }
    var table: [PropertyListObject] = []
    table.reserveCapacity(rows.count)
    for row in rows { table.append(try object(row, count: rows.count)) }
    do {
      var list = try PropertyList(table: table, top: ObjectRef(rawValue: topRow))
      list.documentType = json["documentType"]?.string.flatMap { XMLDocumentType(exactly: $0) } ?? .apple
      return (list, json["format"]?.string.flatMap { PropertyList.Format(exactly: $0) } ?? .binary)
    } catch {
      throw Failure(error)
    }
  }

  private static func failure(_ value: JSONValue, _ detail: String) -> Failure {
    Failure(.notAnArchive, "malformedJSON", detail, place: ["byte \(value.offset)"])
  }

  private static func object(_ json: JSONValue, count: Int) throws(Failure) -> PropertyListObject {
    switch json.kind {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .string(let text): return .string(text)
    case .number:
      guard let value = json.integer(as: Int64.self) else {
        throw failure(json, "a bare number must be a 64-bit integer; a real is written {\"double\": 1.5}")
      }
      return .integer(value)
    case .array: throw failure(json, "an array is written {\"array\": [...]}")
    case .object(let members):
      guard members.count == 1, let (tag, value) = members.first else {
        throw failure(json, "a row has one key, which says its kind")
      }
      return try tagged(tag, value, count)
    }
  }

  private static func tagged(_ tag: String, _ value: JSONValue, _ count: Int) throws(Failure) -> PropertyListObject {
    switch tag {
    case "uid": return .uid(try integer(value, "a UID"))
    case "integer": return .integer(try integer(value, "a 64-bit integer"))
    case "integer16": return .wideInteger(try integer(value, "a 128-bit integer"))
    case "float":
      guard let number = float(value) else { throw failure(value, "'float' must be a number or 'bits:' and 8 digits") }
      return .float(number)
    case "double": return .double(try double(value, tag))
    case "date": return .date(try double(value, tag))
    case "data":
      guard let text = value.string, let bytes = Data(base64Encoded: text) else {
        throw failure(value, "'data' must be Base64")
      }
      return .data(bytes)
    case "array": return .array(try references(value, count))
    case "set": return .set(try references(value, count))
    case "dictionary":
      guard let pairs = value.array else { throw failure(value, "'dictionary' must be an array of pairs") }
      var (keys, values): ([ObjectRef], [ObjectRef]) = ([], [])
      for pair in pairs {
        let refs = try references(pair, count)
        guard refs.count == 2 else { throw failure(pair, "a pair has the rows of a key and of a value") }
        keys.append(refs[0])
        values.append(refs[1])
      }
      return .dictionary(keys: keys, values: values)
    default:
      throw failure(
        value,
        "\(EscapedText.quoted(tag)) is no kind of row: uid, integer, integer16, float, double, date, data, "
          + "array, set and dictionary are")
    }
  }

  private static func integer<Value: FixedWidthInteger>(_ json: JSONValue, _ what: String) throws(Failure) -> Value {
    guard let value = json.integer(as: Value.self) else { throw failure(json, "expected \(what)") }
    return value
  }

  private static func float(_ json: JSONValue) -> Float? {
    switch json.kind {
    case .number(let digits): Float(digits).flatMap { $0.isFinite ? $0 : nil }
    case .string(let text):
      text.rest(after: "bits:").flatMap { UInt32($0, radix: 16) }.map { Float(bitPattern: $0) }
    default: nil
    }
  }

  private static func double(_ json: JSONValue, _ tag: String) throws(Failure) -> Double {
    switch json.kind {
    case .number(let digits): if let value = Double(digits), value.isFinite { return value }
    case .string(let text):
      if let bits = text.rest(after: "bits:").flatMap({ UInt64($0, radix: 16) }) { return Double(bitPattern: bits) }
    default: break
    }
    throw failure(json, "'\(tag)' must be a number or 'bits:' and 16 digits")
  }

  private static func references(_ json: JSONValue, _ count: Int) throws(Failure) -> [ObjectRef] {
    guard let values = json.array else { throw failure(json, "expected an array of rows") }
    var refs: [ObjectRef] = []
    refs.reserveCapacity(values.count)
    for value in values {
      guard let row = value.integer(as: UInt32.self), Int(row) < count else {
        throw failure(value, "expected the number of a row, below \(count)")
      }
      refs.append(ObjectRef(rawValue: row))
    }
    return refs
  }
}
