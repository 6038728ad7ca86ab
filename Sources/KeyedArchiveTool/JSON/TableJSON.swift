// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import CommandLineTools
import KeyedArchiving
import PropertyListFormat

/// A lossless JSON form of a property list: its object table, in the order of the file.
///
/// ```json
/// { "keyedarchive": 1, "format": "binary", "top": 0, "objects": [ … ] }
/// ```
/// An XML file with the document type from before 2006 also has `documentType`, and one with carriage returns that are not
/// character references has `plainReturns`.
///
/// An object is a JSON string, `true`, `false`, `null`, an integer, or a JSON object with one key. The key is its kind:
/// - `uid`
/// - `integer` (beyond 2^53, as text) and `integer16` (stored in 16 bytes, as text)
/// - `float` and `double` (a number, or if it is not finite, `bits:` and hexadecimal digits)
/// - `date` (seconds since 2001, likewise)
/// - `data` (Base64)
/// - `array` and `set` (object indexes)
/// - `dictionary` (pairs of object indexes, key and value, in the order of the file)
enum TableJSON {
  static let version = 1
  /// The largest integer that programs with doubles for numbers read exactly.
  private static let largestSafe: Int64 = 1 << 53

  /// Returns the list as JSON, with one line per object.
  /// - Parameters:
  ///   - list: The list.
  ///   - format: The format of the original file; nil if it is that of the list.
  ///   - limit: The limit of the output.
  /// - Returns: The JSON.
  /// - Throws: ``Failure`` for a damaged object, and if overlapping objects exceed the limit.
  static func write(
    _ list: PropertyList, format: PropertyList.Format? = nil, within limit: OutputLimit
  ) throws(Failure) -> Data {
    var json = JSONWriter()
    json.beginObject()
    json.newline()
    json.field("keyedarchive", version)
    json.field("format", (format ?? list.format).rawValue)
    if list.documentType != .apple { json.field("documentType", list.documentType.rawValue) }
    if list.hasPlainReturns { json.field("plainReturns", true) }
    json.field("top", list.top.rawValue)
    json.key("objects")
    json.beginArray()
    for row in 0..<UInt32(list.objectCount) {
      put(try Failure.convertingListError(try list.object(ObjectRef(rawValue: row))), to: &json)
      json.collect()
      guard json.byteCount <= limit.byteCount else {
        throw limit.failure("JSON", remedy: "Convert to binary, or show a part of the archive with 'get --json'")
      }
    }
    json.newline()
    json.endArray()
    json.newline()
    json.endObject()
    json.newline()
    return json.takeData()
  }

  private static func put(_ object: PropertyListObject, to json: inout JSONWriter) {
    switch object {
    case .null: json.line("null")
    case .boolean(let value): json.line(value ? "true" : "false")
    case .integer(let value):
      if -largestSafe...largestSafe ~= value { json.line("\(value)") } else { json.tagged("integer", text: "\(value)") }
    case .wideInteger(let high, let low): json.tagged("integer16", text: "\(WideInteger(high: high, low: low))")
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

extension TableJSON {
  /// Returns whether bytes begin like JSON.
  static func recognizes(_ data: Data) -> Bool {
    let mark = JSONReader.byteOrderMark
    let name = ForeignFormat.name(of: data.starts(with: mark) ? data.dropFirst(mark.count) : data)
    return name?.hasSameBytes(as: ForeignFormat.json) == true
  }

  /// Reads JSON of this form.
  /// - Parameter data: The JSON.
  /// - Returns: The property list, and the format of the original file.
  /// - Throws: ``Failure`` with the byte offset of an invalid value.
  static func read(_ data: Data) throws(Failure) -> (list: PropertyList, format: PropertyList.Format) {
    let json = try JSONReader.read(data)
    try checkKeys(json)
    guard let version = json["keyedarchive"] else {
      throw Failure(
        .notAnArchive, "notLossless", "missing key 'keyedarchive': expected the output of 'convert --to json'",
        remedy: "JSON made with --plain cannot be converted back")
    }
    guard version.integer(as: Int.self) == self.version else {
      throw failure(version, "'keyedarchive' must be \(self.version)")
    }
    guard let objects = json["objects"], let rows = objects.array else {
      throw failure(json["objects"] ?? json, "'objects' must be an array")
    }
    guard let top = json["top"], let topRow = top.integer(as: UInt32.self), Int(clamping: topRow) < rows.count else {
      throw failure(json["top"] ?? json, "'top' must be an object index")
    }
    var table: [PropertyListObject] = []
    table.reserveCapacity(rows.count)
    for row in rows { table.append(try object(row, count: rows.count)) }
    var list = try Failure.convertingListError(try PropertyList(table: table, top: ObjectRef(rawValue: topRow)))
    list.documentType =
      try value(json["documentType"], "'documentType' must be a document type that this command writes") {
        $0.string.flatMap { XMLDocumentType(exactly: $0) }
      } ?? .apple
    list.hasPlainReturns = try value(json["plainReturns"], "'plainReturns' must be true or false", \.boolean) ?? false
    let format = try value(json["format"], "'format' must be 'binary' or 'xml'") {
      $0.string.flatMap { PropertyList.Format(exactly: $0) }
    }
    return (list, format ?? .binary)
  }

  /// Throws if a key occurs twice. Readers differ in which of the two counts.
  private static func checkKeys(_ json: JSONValue) throws(Failure) {
    guard case .object(let members) = json.kind else { return }
    var keys: Set<BytewiseString> = []
    for (key, value) in members where !keys.insert(key) {
      throw failure(value, "duplicate key \(EscapedText.quoted(key))")
    }
  }

  /// Returns a value that can be missing, but not of another kind.
  private static func value<Value>(
    _ json: JSONValue?, _ detail: String, _ convert: (JSONValue) -> Value?
  ) throws(Failure) -> Value? {
    guard let json else { return nil }
    guard let value = convert(json) else { throw failure(json, detail) }
    return value
  }

  private static func failure(_ value: JSONValue, _ detail: String) -> Failure {
    Failure(.notAnArchive, "malformedJSON", detail, place: value.place)
  }

  private static func object(_ json: JSONValue, count: Int) throws(Failure) -> PropertyListObject {
    switch json.kind {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .string(let text): return .string(text)
    case .number:
      guard let value = json.integer(as: Int64.self) else {
        throw failure(json, "a number must be a 64-bit integer; write a real as {\"double\": 1.5}")
      }
      return .integer(value)
    case .array: throw failure(json, "unexpected array; write {\"array\": [...]}")
    case .object(let members):
      guard members.count == 1, let (tag, value) = members.first else {
        throw failure(json, "an object must have one key, its kind")
      }
      return try tagged(tag, value, count)
    }
  }

  private static func tagged(_ tag: String, _ value: JSONValue, _ count: Int) throws(Failure) -> PropertyListObject {
    switch tag {
    case "uid": return .uid(try integer(value, "a UID"))
    case "integer": return .integer(try integer(value, "a 64-bit integer"))
    case "integer16":
      guard let number = value.wideInteger else { throw failure(value, "expected a 128-bit integer") }
      return .wideInteger(number)
    case "float":
      guard let number = value.float else { throw failure(value, "'float' must be a number or 'bits:' and 8 digits") }
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
        guard refs.count == 2 else { throw failure(pair, "a pair must have the object indexes of a key and a value") }
        keys.append(refs[0])
        values.append(refs[1])
      }
      return .dictionary(keys: keys, values: values)
    default:
      throw failure(
        value,
        "unknown kind \(EscapedText.quoted(tag)): expected uid, integer, integer16, float, double, date, data, "
          + "array, set or dictionary")
    }
  }

  private static func integer<Value: FixedWidthInteger>(_ json: JSONValue, _ what: String) throws(Failure) -> Value {
    guard let value = json.integer(as: Value.self) else { throw failure(json, "expected \(what)") }
    return value
  }

  private static func double(_ json: JSONValue, _ tag: String) throws(Failure) -> Double {
    guard let value = json.double else { throw failure(json, "'\(tag)' must be a number or 'bits:' and 16 digits") }
    return value
  }

  private static func references(_ json: JSONValue, _ count: Int) throws(Failure) -> [ObjectRef] {
    guard let values = json.array else { throw failure(json, "expected an array of object indexes") }
    var refs: [ObjectRef] = []
    refs.reserveCapacity(values.count)
    for value in values {
      guard let row = value.integer(as: UInt32.self), Int(clamping: row) < count else {
        throw failure(value, "expected an object index below \(count)")
      }
      refs.append(ObjectRef(rawValue: row))
    }
    return refs
  }
}
