// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import SystemFiles
import TestSupport
import Testing

/// A value of each type that has its own container function, at a limit of its range.
private struct Kinds: Codable, Equatable {
  var bool = true
  var string = "é"
  var double = -0.5
  var float: Float = 0.1
  var int = Int.min
  var int8 = Int8.min
  var int16 = Int16.min
  var int32 = Int32.min
  var int64 = Int64.min
  var uint = UInt.max
  var uint8 = UInt8.max
  var uint16 = UInt16.max
  var uint32 = UInt32.max
  var uint64 = UInt64.max

  /// The property-list value of each property, in the order above.
  static let objects: [(name: String, object: PropertyListValue)] = [
    ("bool", .boolean(true)), ("string", .string("é")), ("double", .double(-0.5)), ("float", .float(0.1)),
    ("int", .integer(-9_223_372_036_854_775_808)), ("int8", .integer(-128)), ("int16", .integer(-32768)),
    ("int32", .integer(-2_147_483_648)), ("int64", .integer(-9_223_372_036_854_775_808)),
    ("uint", .wideInteger(high: 0, low: .max)), ("uint8", .integer(255)), ("uint16", .integer(65535)),
    ("uint32", .integer(4_294_967_295)), ("uint64", .wideInteger(high: 0, low: .max)),
  ]
}

/// The same values in an array, coded by the function for each type.
private struct KindsInARow: Codable, Equatable {
  var kinds = Kinds()

  init() {}

  func encode(to encoder: any Encoder) throws {
    var row = encoder.unkeyedContainer()
    try row.encode(kinds.bool)
    try row.encode(kinds.string)
    try row.encode(kinds.double)
    try row.encode(kinds.float)
    try row.encode(kinds.int)
    try row.encode(kinds.int8)
    try row.encode(kinds.int16)
    try row.encode(kinds.int32)
    try row.encode(kinds.int64)
    try row.encode(kinds.uint)
    try row.encode(kinds.uint8)
    try row.encode(kinds.uint16)
    try row.encode(kinds.uint32)
    try row.encode(kinds.uint64)
    #expect(row.count == 14 && row.codingPath.isEmpty)
  }

  init(from decoder: any Decoder) throws {
    var row = try decoder.unkeyedContainer()
    #expect(row.count == 14)
    kinds.bool = try row.decode(Bool.self)
    kinds.string = try row.decode(String.self)
    kinds.double = try row.decode(Double.self)
    kinds.float = try row.decode(Float.self)
    kinds.int = try row.decode(Int.self)
    kinds.int8 = try row.decode(Int8.self)
    kinds.int16 = try row.decode(Int16.self)
    kinds.int32 = try row.decode(Int32.self)
    kinds.int64 = try row.decode(Int64.self)
    kinds.uint = try row.decode(UInt.self)
    kinds.uint8 = try row.decode(UInt8.self)
    kinds.uint16 = try row.decode(UInt16.self)
    kinds.uint32 = try row.decode(UInt32.self)
    kinds.uint64 = try row.decode(UInt64.self)
    #expect(row.isAtEnd)
  }
}

/// A value that codes itself with functions of a test.
private struct Handwritten: Codable {
  enum Key: String, CodingKey { case first, second, third }

  @TaskLocal static var encoding: @Sendable (any Encoder) throws -> Void = { _ in }
  @TaskLocal static var decoding: @Sendable (any Decoder) throws -> Void = { _ in }

  init() {}
  func encode(to encoder: any Encoder) throws { try Self.encoding(encoder) }
  init(from decoder: any Decoder) throws { try Self.decoding(decoder) }

  static func encoded(
    _ options: PropertyListCodingOptions = PropertyListCodingOptions(),
    _ body: @escaping @Sendable (any Encoder) throws -> Void
  ) throws -> PropertyListValue {
    try $encoding.withValue(body) { try PropertyListValueEncoder(options: options).encode(Handwritten()) }
  }

  static func decode(
    _ object: PropertyListValue, _ options: PropertyListCodingOptions = PropertyListCodingOptions(),
    _ body: @escaping @Sendable (any Decoder) throws -> Void
  ) throws {
    _ = try $decoding.withValue(body) {
      try PropertyListValueDecoder(options: options).decode(Handwritten.self, from: object)
    }
  }
}

@Suite("Coding containers")
struct CodingContainerTests {
  private func message(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "nothing thrown"
    } catch DecodingError.keyNotFound(let key, let context) {
      return "\(key.stringValue) at [\(path(context.codingPath))]: \(context.debugDescription)"
    } catch DecodingError.dataCorrupted(let context), DecodingError.typeMismatch(_, let context),
      DecodingError.valueNotFound(_, let context)
    {
      return "[\(path(context.codingPath))]: \(context.debugDescription)"
    } catch EncodingError.invalidValue(_, let context) {
      return "[\(path(context.codingPath))]: \(context.debugDescription)"
    } catch {
      return "\(error)"
    }
  }

  private func path(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ", ") }

  @Test("a keyed container codes each primitive type")
  func keyed() throws {
    let object = try PropertyListValueEncoder().encode(Kinds())
    #expect(object == .dictionary(PropertyListDictionary(Kinds.objects.map { ($0.name, $0.object) })))
    #expect(try PropertyListValueDecoder().decode(Kinds.self, from: object) == Kinds())
  }

  @Test("an unkeyed container codes each primitive type")
  func unkeyed() throws {
    let object = try PropertyListValueEncoder().encode(KindsInARow())
    #expect(object == .array(Kinds.objects.map(\.object)))
    #expect(try PropertyListValueDecoder().decode(KindsInARow.self, from: object) == KindsInARow())
  }

  @Test("a single-value container codes each primitive type")
  func single() throws {
    func check<Value: Codable & Equatable>(_ value: Value, _ name: String) throws {
      let object = try PropertyListValueEncoder().encode(value)
      #expect(object == Kinds.objects.first { $0.name == name }?.object)
      #expect(try PropertyListValueDecoder().decode(Value.self, from: object) == value)
    }
    let kinds = Kinds()
    try check(kinds.bool, "bool")
    try check(kinds.string, "string")
    try check(kinds.double, "double")
    try check(kinds.float, "float")
    try check(kinds.int, "int")
    try check(kinds.int8, "int8")
    try check(kinds.int16, "int16")
    try check(kinds.int32, "int32")
    try check(kinds.int64, "int64")
    try check(kinds.uint, "uint")
    try check(kinds.uint8, "uint8")
    try check(kinds.uint16, "uint16")
    try check(kinds.uint32, "uint32")
    try check(kinds.uint64, "uint64")
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("each container codes integers of 128 bits")
  func integersOf128Bits() throws {
    let (lowest, highest) = (PropertyListValue.wideInteger(high: .min, low: 0), UInt128(Int128.max))
    let row = try Handwritten.encoded {
      var row = $0.unkeyedContainer()
      try row.encode(Int128.min)
      try row.encode(highest)
    }
    #expect(row == [lowest, .wideInteger(high: .max, low: .max)])
    try Handwritten.decode(row) {
      var row = try $0.unkeyedContainer()
      #expect(try row.decode(Int128.self) == .min)
      #expect(try row.decode(UInt128.self) == highest)
    }
    let keyed = try Handwritten.encoded {
      var container = $0.container(keyedBy: Handwritten.Key.self)
      try container.encode(Int128.min, forKey: .first)
      try container.encode(highest, forKey: .second)
      try container.encode(Int128(7), forKey: .third)
    }
    #expect(keyed == ["first": lowest, "second": .wideInteger(high: .max, low: .max), "third": 7])
    try Handwritten.decode(keyed) {
      let container = try $0.container(keyedBy: Handwritten.Key.self)
      #expect(try container.decode(Int128.self, forKey: .first) == .min)
      #expect(try container.decode(UInt128.self, forKey: .second) == highest)
      #expect(try container.decode(UInt128.self, forKey: .third) == 7)
      #expect(throws: DecodingError.self) { try container.decode(UInt128.self, forKey: .first) }
    }
    #expect(try PropertyListValueEncoder().encode(highest) == .wideInteger(high: .max, low: .max))
    #expect(try PropertyListValueDecoder().decode(UInt128.self, from: .wideInteger(high: 0, low: .max)) == 1 << 64 - 1)
    let error = #expect(throws: EncodingError.self) { try PropertyListValueEncoder().encode(highest + 1) }
    guard case .invalidValue(_, let context)? = error else { return }
    #expect(
      context.debugDescription == "integer out of range: found 170141183460469231731687303715884105728; "
        + "expected at most 170141183460469231731687303715884105727")
  }

  @Test("raw-representable types are coded as their raw values")
  func rawValues() throws {
    enum Text: String, Codable { case a }
    enum Real: Double, Codable { case half = 0.5 }
    enum Number: Int, Codable { case seven = 7 }
    struct Flag: RawRepresentable, Codable, Equatable { var rawValue: Bool }
    #expect(try PropertyListValueEncoder().encode([Text.a]) == ["a"])
    #expect(try PropertyListValueEncoder().encode([Real.half]) == [0.5])
    #expect(try PropertyListValueEncoder().encode([Number.seven]) == [7])
    #expect(try PropertyListValueEncoder().encode([Flag(rawValue: true)]) == [true])
    #expect(try PropertyListValueDecoder().decode([Text].self, from: ["a"]) == [.a])
    #expect(try PropertyListValueDecoder().decode([Real].self, from: [0.5]) == [.half])
    #expect(try PropertyListValueDecoder().decode([Number].self, from: [7]) == [.seven])
    #expect(try PropertyListValueDecoder().decode([Flag].self, from: [true]) == [Flag(rawValue: true)])
  }

  @Test("nested containers keep their values and coding paths")
  func nested() throws {
    let object = try Handwritten.encoded { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      var inner = outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      try inner.encode(1, forKey: .second)
      #expect(inner.codingPath.map(\.stringValue) == ["first"])
      var row = outer.nestedUnkeyedContainer(forKey: .second)
      var inRow = row.nestedContainer(keyedBy: Handwritten.Key.self)
      try inRow.encode("x", forKey: .first)
      var rowInRow = row.nestedUnkeyedContainer()
      try rowInRow.encode(2.5)
      #expect(rowInRow.codingPath.map(\.stringValue) == ["second", "Index 1"] && rowInRow.codingPath[1].intValue == 1)
      try row.superEncoder().singleValue { try $0.encode(true) }
      #expect(row.count == 3)
      // An unused container is an empty dictionary.
      _ = outer.superEncoder(forKey: .third)
    }
    #expect(object == ["first": ["second": 1], "second": [["first": "x"], [2.5], true], "third": [:]])
    try Handwritten.decode(object) { decoder in
      let outer = try decoder.container(keyedBy: Handwritten.Key.self)
      #expect(Set(outer.allKeys.map(\.rawValue)) == ["first", "second", "third"])
      let inner = try outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      #expect(try inner.decode(Int.self, forKey: .second) == 1)
      #expect(inner.codingPath.map(\.stringValue) == ["first"])
      var row = try outer.nestedUnkeyedContainer(forKey: .second)
      let inRow = try row.nestedContainer(keyedBy: Handwritten.Key.self)
      #expect(try inRow.decode(String.self, forKey: .first) == "x")
      var rowInRow = try row.nestedUnkeyedContainer()
      #expect(rowInRow.codingPath.map(\.stringValue) == ["second", "Index 1"])
      #expect(try rowInRow.decode(Double.self) == 2.5)
      let flag = try row.superDecoder().singleValueContainer()
      #expect(try flag.decode(Bool.self) && flag.codingPath.map(\.stringValue) == ["second", "Index 2"])
      #expect(try outer.superDecoder(forKey: .third).container(keyedBy: Handwritten.Key.self).allKeys.isEmpty)
    }
  }

  /// A value that encodes a plan of numbers and nested containers, in which keys repeat.
  private struct Plan: Encodable {
    enum Step {
      case number(Int, String)
      case nested(Plan, String)
      case row([Int], String)
    }

    struct Key: CodingKey {
      let stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    var steps: [Step] = []
    /// Whether the value ends with an error.
    var fails = false

    /// Creates a random plan. A nested container has the key of its kind, so that requests for a key repeat.
    init(depth: Int, using random: inout SeededRandom) {
      for step in 0..<Int.random(in: 1...5, using: &random) {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: steps.append(.number(step, "\(Int.random(in: 0..<1000, using: &random))"))
        case 1 where depth > 0:
          steps.append(
            .nested(Plan(depth: depth - 1, using: &random), "n\(Int.random(in: 0..<2, using: &random))"))
        default: steps.append(.row([step], "r\(Int.random(in: 0..<2, using: &random))"))
        }
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try encode(to: &container)
    }

    private func encode(to container: inout KeyedEncodingContainer<Key>) throws {
      for step in steps {
        switch step {
        case .number(let number, let key): try container.encode(number, forKey: Key(stringValue: key))
        case .nested(let plan, let key):
          var nested = container.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: key))
          try plan.encode(to: &nested)
        case .row(let numbers, let key):
          var row = container.nestedUnkeyedContainer(forKey: Key(stringValue: key))
          for number in numbers { try row.encode(number) }
        }
      }
      if fails {
        throw EncodingError.invalidValue(
          self, EncodingError.Context(codingPath: container.codingPath, debugDescription: "on purpose"))
      }
    }
  }

  @Test("all requests for a nested container with one key get the same container, as those of JSONEncoder do")
  func repeatedNested() throws {
    var random = SeededRandom(seed: 21)
    for _ in 0..<200 {
      let plan = Plan(depth: 3, using: &random)
      let expected = try JSONSerialization.jsonObject(with: JSONEncoder().encode(plan)) as? NSDictionary
      let file = try PropertyListValueEncoder().encode(plan, as: .binary)
      let found = try unsafe PropertyListSerialization.propertyList(from: file, format: nil) as? NSDictionary
      #expect(found == expected)
    }
  }

  @Test("two kinds of nested containers with one key are an error")
  func conflictingNested() throws {
    let error = #expect(throws: EncodingError.self) {
      try Handwritten.encoded { encoder in
        var outer = encoder.container(keyedBy: Handwritten.Key.self)
        var inner = outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
        try inner.encode(1, forKey: .second)
        var row = outer.nestedUnkeyedContainer(forKey: .first)
        try row.encode(2)
      }
    }
    #expect("\(error as Any)".contains("conflicting containers"))
  }

  private final class Token: Sendable {}

  @Test("an encoder keeps nothing after it has encoded nested containers, or failed", arguments: [false, true])
  func released(fails: Bool) throws {
    var random = SeededRandom(seed: 22)
    for _ in 0..<20 {
      var plan = Plan(depth: 4, using: &random)
      plan.fails = fails
      weak var token: Token?
      do {
        let made = Token()
        token = made
        var options = PropertyListCodingOptions()
        options.userInfo[try #require(CodingUserInfoKey(rawValue: "token"))] = made
        let encoder = PropertyListValueEncoder(options: options)
        let file = try? encoder.encode(plan, as: .binary)
        #expect((file == nil) == fails)
      }
      #expect(token == nil)
    }
  }

  @Test("containers that are nested deeper than the stack allows are an error", .notHanging)
  func deeplyNested() throws {
    struct Deep: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Handwritten.Key.self)
        for _ in 0..<20_000 { container = container.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first) }
      }
    }
    let error = #expect(throws: EncodingError.self) { try PropertyListValueEncoder().encode(Deep()) }
    #expect("\(error as Any)".contains("nesting limit"))
  }

  @Test("spellings of one character that are one key of the type are an error")
  func equalRawValues() throws {
    enum Key: String, Codable { case first = "é" }
    let one: PropertyListValue = ["e\u{301}": 1]
    #expect(try PropertyListValueDecoder().decode([Key: Int].self, from: one) == [.first: 1])
    let error = #expect(throws: DecodingError.self) {
      try PropertyListValueDecoder().decode([Key: Int].self, from: ["é": 1, "e\u{301}": 2])
    }
    #expect("\(error as Any)".contains("repeated key"))
  }

  @Test("nil is coded in the chosen form in each container")
  func nils() throws {
    @Sendable func all(_ encoder: any Encoder) throws {
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      try outer.encodeNil(forKey: .first)
      var row = outer.nestedUnkeyedContainer(forKey: .second)
      try row.encodeNil()
      try row.encode(1)
      try outer.superEncoder(forKey: .third).singleValue { try $0.encodeNil() }
    }
    let mark: PropertyListValue = ["$null": true]
    #expect(
      try Handwritten.encoded(PropertyListCodingOptions(), all) == ["first": mark, "second": [mark, 1], "third": mark])
    #expect(try Handwritten.encoded(.foundation, all) == ["first": "$null", "second": ["$null", 1], "third": "$null"])
    var omitting = PropertyListCodingOptions()
    omitting.nils = .omitted
    #expect(
      try Handwritten.encoded(omitting) { encoder in
        var outer = encoder.container(keyedBy: Handwritten.Key.self)
        try outer.encodeNil(forKey: .first)
        try outer.encode(1, forKey: .second)
      } == ["second": 1])
    #expect(message { _ = try Handwritten.encoded(omitting, all) }.contains("Choose another form for nil"))
    enum Letter: String, Codable { case a, b }
    let letters: [Letter: Int?] = [.a: nil, .b: 1]
    #expect(try PropertyListValueEncoder(options: omitting).encode(letters) == ["b": 1])
    #expect(try PropertyListValueDecoder(options: omitting).decode([Letter: Int?].self, from: ["b": 1]) == [.b: 1])

    try Handwritten.decode(["first": mark, "second": [mark, 1]]) { decoder in
      let outer = try decoder.container(keyedBy: Handwritten.Key.self)
      #expect(try outer.decodeNil(forKey: .first))
      #expect(try !outer.decodeNil(forKey: .second))
      var row = try outer.nestedUnkeyedContainer(forKey: .second)
      // decodeNil() skips an element only if it is nil.
      #expect(try row.decodeNil() && row.currentIndex == 1)
      #expect(try !row.decodeNil() && row.currentIndex == 1)
      #expect(try row.decode(Int.self) == 1)
      // After the last element it fails, as all other calls do.
      let error = #expect(throws: DecodingError.self) { try row.decodeNil() }
      if case .valueNotFound = error {} else { Issue.record("\(String(describing: error))") }
      #expect(try row.decodeIfPresent(Int.self) == nil)
    }
  }

  @Test("a dictionary like the marker of nil is not nil, also if its key is encoded repeatedly")
  func repeatedMarker() throws {
    struct Twice: Codable {
      var flag: Bool
      enum CodingKeys: String, CodingKey { case flag = "$null" }
      init() { flag = true }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        for _ in 0..<3 { try container.encode(flag, forKey: .flag) }
      }
    }
    let value = try PropertyListValueEncoder().encode(["x": Twice()])
    let decoded = try PropertyListValueDecoder().decode([String: Twice?].self, from: value)
    #expect(decoded["x"]??.flag == true)
  }

  /// A tenth of the dates; with `WHOLE_TESTS`, all.
  @Test("dates of each thousandth of a second keep their text in ISO 8601 format")
  func isoDates() throws {
    var options = PropertyListCodingOptions()
    options.dates = .iso8601
    for second in ["2023-03-08T20:26:40", "1500-01-01T00:00:00", "1969-12-31T23:59:59", "9999-12-31T23:59:59"] {
      for thousandth in Sample.cases(1000..<2000, each: 10) {
        let text = PropertyListValue.string("\(second).\("\(thousandth)".dropFirst())Z")
        let date = try PropertyListValueDecoder(options: options).decode(Date.self, from: text)
        #expect(try PropertyListValueEncoder(options: options).encode(date) == text)
      }
    }
    // Python's datetime has the same calendar: (datetime(1500, 1, 1) - datetime(2001, 1, 1)).total_seconds().
    let old = Date(timeIntervalSinceReferenceDate: -15_810_076_800)
    #expect(try PropertyListValueEncoder(options: options).encode(old) == "1500-01-01T00:00:00.000Z")
    for (text, distance) in [
      ("2001-01-01T01:30:00+01:30", 0.0), ("2000-12-31T21:00:00.5-0300", 0.5), ("2001-01-01T00:00:01Z", 1),
    ] {
      #expect(
        try PropertyListValueDecoder(options: options).decode(Date.self, from: .string(text))
          == Date(timeIntervalSinceReferenceDate: distance))
    }
    // Near 2001, a sum of seconds and fraction would differ from the nearest number.
    for thousandths in Sample.cases(-100_000...100_000, each: 71) {
      let date = Date(timeIntervalSinceReferenceDate: Double(thousandths) / 1000)
      let text = try PropertyListValueEncoder(options: options).encode(date)
      #expect(try PropertyListValueDecoder(options: options).decode(Date.self, from: text) == date)
    }
    for (fraction, distance) in [("9999999999", -0.0000000001), ("0000001", -0.9999999), ("10", -0.9), ("000", -1)] {
      #expect(
        try PropertyListValueDecoder(options: options).decode(
          Date.self, from: .string("2000-12-31T23:59:59.\(fraction)Z"))
          == Date(timeIntervalSinceReferenceDate: distance))
    }
    // Rounded, it is in the year 10000.
    let last = Date(timeIntervalSinceReferenceDate: 252_423_993_599.9996)
    #expect(throws: EncodingError.self) { try PropertyListValueEncoder(options: options).encode(last) }
    for text in [
      "2001-01-01T00:00:00", "2001-01-01T00:00:00.Z", "2001-01-01T00:00:00+1:30", "2001-01-01T00:00:00+01:3",
    ] {
      #expect(throws: DecodingError.self) {
        try PropertyListValueDecoder(options: options).decode(Date.self, from: .string(text))
      }
    }
  }

  @Test("a missing key is reported with its coding path")
  func missingKeys() {
    #expect(
      message { _ = try PropertyListValueDecoder().decode([Kinds].self, from: [[:]]) }
        == "bool at [Index 0]: missing key: the dictionary has no value for 'bool'")
    #expect(
      message {
        try Handwritten.decode(["first": 1]) { decoder in
          _ = try decoder.container(keyedBy: Handwritten.Key.self).superDecoder()
        }
      } == "super at []: missing key: the dictionary has no value for 'super'")
  }

  @Test("a missing element is reported with its index")
  func ends() {
    let said = message {
      try Handwritten.decode([1]) { decoder in
        var row = try decoder.unkeyedContainer()
        _ = try row.decode(Int.self)
        _ = try row.decode(Int.self)
      }
    }
    #expect(said == "[Index 1]: missing element: the array has only 1 elements")
  }

  @Test("a type mismatch is reported with the expected and the found kind")
  func kinds() {
    let decoder = PropertyListValueDecoder()
    #expect(
      message { _ = try decoder.decode([String: [UInt8]].self, from: ["a": [1, 256]]) }
        == "[a, Index 1]: out of range for UInt8: found 256")
    #expect(
      message { _ = try decoder.decode(Int64.self, from: .wideInteger(high: 1, low: 0)) }
        == "[]: out of range for Int64: found 18446744073709551616")
    #expect(
      message { _ = try decoder.decode([Int].self, from: "x") }
        == "[]: type mismatch for Array<Any>: found a value of kind string; expected an array")
    // Only dictionaries with string keys are decoded from a dictionary in place of an array.
    #expect(
      message { _ = try decoder.decode([Int].self, from: ["a": 1]) }
        == "[]: type mismatch for Array<Any>: found a value of kind dictionary; expected an array")
    #expect(
      message {
        try Handwritten.decode(["first": ["a": 1]]) { decoder in
          _ = try decoder.container(keyedBy: Handwritten.Key.self).nestedUnkeyedContainer(forKey: .first)
        }
      } == "[first]: type mismatch for Array<Any>: found a value of kind dictionary; expected an array")
    #expect(
      message { _ = try decoder.decode(Kinds.self, from: []) }
        == "[]: type mismatch for Dictionary<String, Any>: found a value of kind array; expected a dictionary")
    #expect(message { _ = try decoder.decode(Data.self, from: "x") }.hasSuffix("; expected data"))
    #expect(message { _ = try decoder.decode(URL.self, from: true) }.hasSuffix("; expected a URL"))
    for count in [0, 15, 17, 32] {
      let said = message { _ = try decoder.decode(UUID.self, from: .data(Data(count: count))) }
      #expect(said.hasSuffix("; expected a UUID"), "\(count) bytes")
    }
  }

  @Test("a URL with invalid components is rejected")
  func badURLs() {
    for object: PropertyListValue in [
      [:], ["relative": 1], ["relative": "a", "base": "b"], ["relative": "a", "base": ["relative": 1]],
      ["relative": "a", "base": ["relative": ""]],
    ] {
      #expect(throws: DecodingError.self) { try PropertyListValueDecoder().decode(URL.self, from: object) }
    }
  }

  @Test("URLs have custom forms, and are decoded from data only with a function")
  func customURLs() throws {
    let url = try #require(URL(string: "https://example.com/a"))
    var options = PropertyListCodingOptions()
    options.urls = .init { .data(Data($0.absoluteString.utf8)) }
    let encoded = try PropertyListValueEncoder(options: options).encode([url])
    #expect(encoded == [.data(Data("https://example.com/a".utf8))])
    #expect(throws: DecodingError.self) {
      try PropertyListValueDecoder(options: options).decode([URL].self, from: encoded)
    }
    options.urlFromData = { URL(string: String(decoding: $0, as: UTF8.self)) }
    #expect(try PropertyListValueDecoder(options: options).decode([URL].self, from: encoded) == [url])
  }

  @Test("types receive the user info")
  func userInfo() throws {
    let key = try #require(CodingUserInfoKey(rawValue: "who"))
    var options = PropertyListCodingOptions()
    options.userInfo[key] = "me"
    let object = try Handwritten.encoded(options) { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(encoder.userInfo[key] as? String)
      #expect(container.codingPath.isEmpty)
    }
    #expect(object == "me")
    try Handwritten.decode(object, options) { #expect($0.userInfo[key] as? String == "me") }
  }

  @Test("a type that encodes nothing is reported by its name")
  func nothing() {
    #expect(
      message { _ = try Handwritten.encoded { _ in } }
        == "[]: missing value: Handwritten encoded nothing. Encode a value or request a container in encode(to:)")
  }

  @Test("integers are decoded as dates in seconds, as decimals, and as exact reals")
  func integers() throws {
    var options = PropertyListCodingOptions()
    options.dates = .secondsSince1970
    #expect(
      try PropertyListValueDecoder(options: options).decode(Date.self, from: 86400)
        == Date(timeIntervalSince1970: 86400))
    options.dates = .secondsSinceReferenceDate
    #expect(
      try PropertyListValueDecoder(options: options).decode(Date.self, from: 5)
        == Date(timeIntervalSinceReferenceDate: 5))
    #expect(try PropertyListValueDecoder().decode(Decimal.self, from: 12) == 12)
    let greatest = try #require(PropertyListValue(exactly: UInt64.max))
    #expect(try PropertyListValueDecoder().decode(Decimal.self, from: greatest) == Decimal(UInt64.max))
    #expect(try PropertyListValueDecoder().decode(Double.self, from: .wideInteger(high: 1 << 36, low: 0)) == 0x1p100)
    #expect(throws: DecodingError.self) {
      try PropertyListValueDecoder().decode(Double.self, from: .wideInteger(high: 1 << 36, low: 1))
    }
  }

  @Test("values that nest deeper than the stack allows are an error", arguments: [true, false])
  func depth(_ isEncoding: Bool) throws {
    indirect enum Nest: Codable { case end, more(Nest) }
    let found = Locked("")
    try System.onThread(stackBytes: 256 << 10) {
      let text = message {
        if isEncoding {
          var nest = Nest.end
          for _ in 0..<500 { nest = .more(nest) }
          _ = try PropertyListValueEncoder().encode(nest)
        } else {
          var object: PropertyListValue = ["end": [:]]
          for _ in 0..<500 { object = ["more": ["_0": object]] }
          _ = try PropertyListValueDecoder().decode(Nest.self, from: object)
        }
      }
      found.withLock { $0 = text }
    }
    #expect(found.withLock { $0 }.hasSuffix("values nest deeper than the stack of this thread allows"))
  }
}

extension Encoder {
  fileprivate func singleValue(_ body: (inout any SingleValueEncodingContainer) throws -> Void) rethrows {
    var container = singleValueContainer()
    try body(&container)
  }
}

/// A value of one of two forms, which shows only after its contents are decoded.
private indirect enum Shape: Decodable {
  case group(Group), list(List)

  struct Group: Decodable {
    var c: Shape?
    var name: String
  }

  struct List: Decodable { var c: Shape? }

  init(from decoder: any Decoder) throws {
    if let group = try? Group(from: decoder) { self = .group(group) } else { self = .list(try List(from: decoder)) }
  }

  var depth: Int {
    switch self {
    case .group(let group): 1 + (group.c?.depth ?? 0)
    case .list(let list): 1 + (list.c?.depth ?? 0)
    }
  }
}

@Suite("Values that are decoded as several types in turn")
struct RepeatedDecodingTests {
  private func nested(_ depth: Int, isGroup: (Int) -> Bool) -> PropertyListValue {
    (0..<depth).reduce(.dictionary([:])) { value, level in
      .dictionary(isGroup(level) ? ["c": value, "name": .string("n")] : ["c": value])
    }
  }

  // The time was once 2 to the power of the number of levels.
  @Test("end in an error if each level doubles the time", .notHanging)
  func exponential() throws {
    let error = #expect(throws: DecodingError.self) {
      try PropertyListValueDecoder().decode(Shape.self, from: nested(40) { _ in false })
    }
    guard case .dataCorrupted(let context)? = error else {
      Issue.record("\(error as Any)")
      return
    }
    #expect(context.debugDescription.contains("repetition limit"))
  }

  @Test("are decoded if few levels do, or if the first type is the right one")
  func few() throws {
    #expect(try PropertyListValueDecoder().decode(Shape.self, from: nested(10) { _ in false }).depth == 11)
    #expect(try PropertyListValueDecoder().decode(Shape.self, from: nested(100) { _ in true }).depth == 101)
    let wide = PropertyListValue.array((0..<1000).map { _ in nested(3) { _ in false } })
    #expect(try PropertyListValueDecoder().decode([Shape].self, from: wide).count == 1000)
  }
}
