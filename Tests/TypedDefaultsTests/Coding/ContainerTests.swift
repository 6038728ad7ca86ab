// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import Testing
import TypedDefaults
import TypedDefaultsTesting

/// A value of each kind that containers have a function of their own for, at an end of what it holds.
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
  var int128 = Int128.min
  var uint = UInt.max
  var uint8 = UInt8.max
  var uint16 = UInt16.max
  var uint32 = UInt32.max
  var uint64 = UInt64.max
  var uint128 = UInt128(Int128.max)

  /// What each is as an object, in the order above.
  static let objects: [(name: String, object: PropertyListValue)] = [
    ("bool", .boolean(true)), ("string", .string("é")), ("double", .double(-0.5)), ("float", .float(0.1)),
    ("int", .integer(-9_223_372_036_854_775_808)), ("int8", .integer(-128)), ("int16", .integer(-32768)),
    ("int32", .integer(-2_147_483_648)), ("int64", .integer(-9_223_372_036_854_775_808)),
    ("int128", .wideInteger(-170_141_183_460_469_231_731_687_303_715_884_105_728)),
    ("uint", .wideInteger(18_446_744_073_709_551_615)), ("uint8", .integer(255)), ("uint16", .integer(65535)),
    ("uint32", .integer(4_294_967_295)), ("uint64", .wideInteger(18_446_744_073_709_551_615)),
    ("uint128", .wideInteger(170_141_183_460_469_231_731_687_303_715_884_105_727)),
  ]
}

/// The same in an array, each put in and taken out by the function for its type.
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
    try row.encode(kinds.int128)
    try row.encode(kinds.uint)
    try row.encode(kinds.uint8)
    try row.encode(kinds.uint16)
    try row.encode(kinds.uint32)
    try row.encode(kinds.uint64)
    try row.encode(kinds.uint128)
    #expect(row.count == 16 && row.codingPath.isEmpty)
  }

  init(from decoder: any Decoder) throws {
    var row = try decoder.unkeyedContainer()
    #expect(row.count == 16)
    kinds.bool = try row.decode(Bool.self)
    kinds.string = try row.decode(String.self)
    kinds.double = try row.decode(Double.self)
    kinds.float = try row.decode(Float.self)
    kinds.int = try row.decode(Int.self)
    kinds.int8 = try row.decode(Int8.self)
    kinds.int16 = try row.decode(Int16.self)
    kinds.int32 = try row.decode(Int32.self)
    kinds.int64 = try row.decode(Int64.self)
    kinds.int128 = try row.decode(Int128.self)
    kinds.uint = try row.decode(UInt.self)
    kinds.uint8 = try row.decode(UInt8.self)
    kinds.uint16 = try row.decode(UInt16.self)
    kinds.uint32 = try row.decode(UInt32.self)
    kinds.uint64 = try row.decode(UInt64.self)
    kinds.uint128 = try row.decode(UInt128.self)
    #expect(row.isAtEnd)
  }
}

/// A value that encodes and decodes itself as a test says.
private struct Handwritten: Codable {
  enum Key: String, CodingKey { case first, second, third }

  @TaskLocal static var encoding: @Sendable (any Encoder) throws -> Void = { _ in }
  @TaskLocal static var decoding: @Sendable (any Decoder) throws -> Void = { _ in }

  init() {}
  func encode(to encoder: any Encoder) throws { try Self.encoding(encoder) }
  init(from decoder: any Decoder) throws { try Self.decoding(decoder) }

  static func encoded(
    _ options: DefaultsCodingOptions = DefaultsCodingOptions(), _ body: @escaping @Sendable (any Encoder) throws -> Void
  ) throws -> PropertyListValue {
    try $encoding.withValue(body) { try UserDefaultsEncoder(options: options).encode(Handwritten()) }
  }

  static func decode(
    _ object: PropertyListValue, _ options: DefaultsCodingOptions = DefaultsCodingOptions(),
    _ body: @escaping @Sendable (any Decoder) throws -> Void
  ) throws {
    _ = try $decoding.withValue(body) {
      try UserDefaultsDecoder(options: options).decode(Handwritten.self, from: object)
    }
  }
}

@Suite("The containers of the coders")
struct ContainerTests {
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

  @Test("hold each kind of number in a dictionary")
  func keyed() throws {
    let object = try UserDefaultsEncoder().encode(Kinds())
    #expect(object == .dictionary(PropertyListDictionary(Kinds.objects.map { ($0.name, $0.object) })))
    #expect(try UserDefaultsDecoder().decode(Kinds.self, from: object) == Kinds())
  }

  @Test("hold each kind of number in an array")
  func unkeyed() throws {
    let object = try UserDefaultsEncoder().encode(KindsInARow())
    #expect(object == .array(Kinds.objects.map(\.object)))
    #expect(try UserDefaultsDecoder().decode(KindsInARow.self, from: object) == KindsInARow())
  }

  @Test("hold each kind of number on its own")
  func single() throws {
    func check<Value: Codable & Equatable>(_ value: Value, _ name: String) throws {
      let object = try UserDefaultsEncoder().encode(value)
      #expect(object == Kinds.objects.first { $0.name == name }?.object)
      #expect(try UserDefaultsDecoder().decode(Value.self, from: object) == value)
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
    try check(kinds.int128, "int128")
    try check(kinds.uint, "uint")
    try check(kinds.uint8, "uint8")
    try check(kinds.uint16, "uint16")
    try check(kinds.uint32, "uint32")
    try check(kinds.uint64, "uint64")
    try check(kinds.uint128, "uint128")
  }

  @Test("hold booleans, texts, reals and integers of enums, which encode themselves as one value")
  func rawValues() throws {
    enum Text: String, Codable { case a }
    enum Real: Double, Codable { case half = 0.5 }
    enum Number: Int, Codable { case seven = 7 }
    struct Flag: RawRepresentable, Codable, Equatable { var rawValue: Bool }
    #expect(try UserDefaultsEncoder().encode([Text.a]) == ["a"])
    #expect(try UserDefaultsEncoder().encode([Real.half]) == [0.5])
    #expect(try UserDefaultsEncoder().encode([Number.seven]) == [7])
    #expect(try UserDefaultsEncoder().encode([Flag(rawValue: true)]) == [true])
    #expect(try UserDefaultsDecoder().decode([Text].self, from: ["a"]) == [.a])
    #expect(try UserDefaultsDecoder().decode([Real].self, from: [0.5]) == [.half])
    #expect(try UserDefaultsDecoder().decode([Number].self, from: [7]) == [.seven])
    #expect(try UserDefaultsDecoder().decode([Flag].self, from: [true]) == [Flag(rawValue: true)])
  }

  @Test("nest, in dictionaries and arrays, and are read again")
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
      // One that nothing is put into is an empty dictionary.
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

  @Test("hold nil in the form that was chosen, in dictionaries, arrays and on its own")
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
      try Handwritten.encoded(DefaultsCodingOptions(), all) == ["first": mark, "second": [mark, 1], "third": mark])
    #expect(try Handwritten.encoded(.foundation, all) == ["first": "$null", "second": ["$null", 1], "third": "$null"])
    var omitting = DefaultsCodingOptions()
    omitting.nils = .omitted
    #expect(
      try Handwritten.encoded(omitting) { encoder in
        var outer = encoder.container(keyedBy: Handwritten.Key.self)
        try outer.encodeNil(forKey: .first)
        try outer.encode(1, forKey: .second)
      } == ["second": 1])
    #expect(message { _ = try Handwritten.encoded(omitting, all) }.contains("choose another form for nil"))

    try Handwritten.decode(["first": mark, "second": [mark, 1]]) { decoder in
      let outer = try decoder.container(keyedBy: Handwritten.Key.self)
      #expect(try outer.decodeNil(forKey: .first))
      #expect(try !outer.decodeNil(forKey: .second))
      var row = try outer.nestedUnkeyedContainer(forKey: .second)
      // What is nil is gone past, what is not stays next.
      #expect(try row.decodeNil() && row.currentIndex == 1)
      #expect(try !row.decodeNil() && row.currentIndex == 1)
      #expect(try row.decode(Int.self) == 1)
      #expect(try !row.decodeNil())
    }
  }

  @Test("say which key is missing, and where")
  func missingKeys() {
    #expect(
      message { _ = try UserDefaultsDecoder().decode([Kinds].self, from: [[:]]) }
        == "bool at [Index 0]: there is no value for 'bool'")
    #expect(
      message {
        try Handwritten.decode(["first": 1]) { decoder in
          _ = try decoder.container(keyedBy: Handwritten.Key.self).superDecoder()
        }
      } == "super at []: there is no value for 'super'")
  }

  @Test("say where an array ends too early")
  func ends() {
    let said = message {
      try Handwritten.decode([1]) { decoder in
        var row = try decoder.unkeyedContainer()
        _ = try row.decode(Int.self)
        _ = try row.decode(Int.self)
      }
    }
    #expect(said == "[Index 1]: the array has only 1 elements")
  }

  @Test("say what was expected and what was found")
  func kinds() {
    let decoder = UserDefaultsDecoder()
    #expect(
      message { _ = try decoder.decode([String: [UInt8]].self, from: ["a": [1, 256]]) }
        == "[a, Index 1]: UInt8 does not hold 256")
    #expect(
      message { _ = try decoder.decode(Int64.self, from: .wideInteger(1 << 64)) }
        == "[]: Int64 does not hold 18446744073709551616")
    #expect(
      message { _ = try decoder.decode([Int].self, from: "x") }
        == "[]: expected an array for Array<Any>, found a value of kind string")
    // A dictionary where there should be an array is not always one of keys and values.
    #expect(
      message { _ = try decoder.decode([Int].self, from: ["a": 1]) }
        == "[]: expected an array for Array<Any>, found a value of kind dictionary")
    #expect(
      message {
        try Handwritten.decode(["first": ["a": 1]]) { decoder in
          _ = try decoder.container(keyedBy: Handwritten.Key.self).nestedUnkeyedContainer(forKey: .first)
        }
      } == "[first]: expected an array for Array<Any>, found a value of kind dictionary")
    #expect(
      message { _ = try decoder.decode(Kinds.self, from: []) }
        == "[]: expected a dictionary for Dictionary<String, Any>, found a value of kind array")
    #expect(message { _ = try decoder.decode(Data.self, from: "x") }.hasPrefix("[]: expected data for Data"))
    #expect(message { _ = try decoder.decode(URL.self, from: true) }.hasPrefix("[]: expected a URL"))
    #expect(
      message { _ = try decoder.decode(UUID.self, from: .data(Data(count: 15))) }.hasPrefix("[]: expected a UUID"))
  }

  @Test("refuse a URL whose parts are none")
  func badURLs() {
    for object: PropertyListValue in [
      [:], ["relative": 1], ["relative": "a", "base": "b"], ["relative": "a", "base": ["relative": 1]],
      ["relative": "a", "base": ["relative": ""]],
    ] {
      #expect(throws: DecodingError.self) { try UserDefaultsDecoder().decode(URL.self, from: object) }
    }
  }

  @Test("know what a program tells its types")
  func userInfo() throws {
    let key = try #require(CodingUserInfoKey(rawValue: "who"))
    var options = DefaultsCodingOptions()
    options.userInfo[key] = "me"
    let object = try Handwritten.encoded(options) { encoder in
      var container = encoder.singleValueContainer()
      try container.encode(encoder.userInfo[key] as? String)
      #expect(container.codingPath.isEmpty)
    }
    #expect(object == "me")
    try Handwritten.decode(object, options) { #expect($0.userInfo[key] as? String == "me") }
  }

  @Test("A type that encodes nothing is told by name")
  func nothing() {
    #expect(message { _ = try Handwritten.encoded { _ in } } == "[]: Handwritten did not encode any value")
  }

  @Test("Integers are read as dates in seconds, as decimals, and as reals that hold them")
  func integers() throws {
    var options = DefaultsCodingOptions()
    options.dates = .secondsSince1970
    #expect(
      try UserDefaultsDecoder(options: options).decode(Date.self, from: 86400) == Date(timeIntervalSince1970: 86400))
    options.dates = .secondsSinceReferenceDate
    #expect(
      try UserDefaultsDecoder(options: options).decode(Date.self, from: 5) == Date(timeIntervalSinceReferenceDate: 5))
    #expect(try UserDefaultsDecoder().decode(Decimal.self, from: 12) == 12)
    #expect(try UserDefaultsDecoder().decode(Double.self, from: .wideInteger(1 << 100)) == 0x1p100)
    #expect(throws: DecodingError.self) {
      try UserDefaultsDecoder().decode(Double.self, from: .wideInteger((1 << 100) + 1))
    }
  }

  @Test("A value nested too deep for the stack is an error", arguments: [true, false])
  func depth(_ isEncoding: Bool) throws {
    indirect enum Nest: Codable { case end, more(Nest) }
    let said = ValueRecorder<String>()
    try System.onThread(stackBytes: 256 << 10) {
      said.add(
        message {
          if isEncoding {
            var nest = Nest.end
            for _ in 0..<500 { nest = .more(nest) }
            _ = try UserDefaultsEncoder().encode(nest)
          } else {
            var object: PropertyListValue = ["end": [:]]
            for _ in 0..<500 { object = ["more": ["_0": object]] }
            _ = try UserDefaultsDecoder().decode(Nest.self, from: object)
          }
        })
    }
    #expect(said.all.count == 1 && said.all[0].hasSuffix("values nest deeper than the stack allows"))
  }
}

extension Encoder {
  fileprivate func singleValue(_ body: (inout any SingleValueEncodingContainer) throws -> Void) rethrows {
    var container = singleValueContainer()
    try body(&container)
  }
}
