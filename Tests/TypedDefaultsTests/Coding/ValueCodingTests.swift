// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import Testing
import TypedDefaults

@Suite("PropertyListValueEncoder and PropertyListValueDecoder")
struct ValueCodingTests {
  private enum Mood: String, Codable { case happy, sad }
  private struct Profile: Codable, Equatable {
    var name: String
    var age: Int
    var nick: String?
    var tags: [String] = []
  }

  private func roundTrip<Value: Codable>(
    _ value: Value, _ options: PropertyListCodingOptions = PropertyListCodingOptions()
  ) throws -> Value {
    let object = try PropertyListValueEncoder(options: options).encode(value)
    let direct = try PropertyListValueDecoder(options: options).decode(Value.self, from: object)
    // A file must preserve the value.
    let bytes = try PropertyListValue.array([object]).propertyList()
    #expect(try PropertyListValue(propertyList: bytes) == [object])
    return direct
  }

  @Test("a structure becomes a dictionary without nil properties")
  func structs() throws {
    let profile = Profile(name: "Ada", age: 36, nick: nil, tags: ["a"])
    #expect(try PropertyListValueEncoder().encode(profile) == ["age": 36, "name": "Ada", "tags": ["a"]])
    #expect(try roundTrip(profile) == profile)
  }

  @Test("the string $null stays a string")
  func nullText() throws {
    #expect(try roundTrip("$null") == "$null")
    #expect(try roundTrip(["$null", nil, "x"] as [String?]) == ["$null", nil, "x"])
    #expect(try roundTrip(["$null": "$null"]) == ["$null": "$null"])
    #expect(try roundTrip(Profile(name: "$null", age: 1, nick: "$null")).nick == "$null")
    #expect(try roundTrip(["a": nil, "$null": "b"] as [String: String?]) == ["a": nil, "$null": "b"])
  }

  @Test("dictionaries similar to the nil marker stay dictionaries")
  func marker() throws {
    let maps: [[String: Bool]?] = [["$null": true], nil, ["$$null": true], ["$null": false], [:]]
    #expect(try roundTrip(maps) == maps)
    #expect(try PropertyListValueEncoder().encode([Int?.none]) == [["$null": true]])
    // Other dictionaries with the key $null are not escaped.
    #expect(try PropertyListValueEncoder().encode(["$null": 1]) == ["$null": 1])
  }

  @Test("nil can be omitted or a string")
  func nilForms() throws {
    var options = PropertyListCodingOptions()
    options.nils = .omitted
    #expect(try PropertyListValueEncoder(options: options).encode(["a": nil, "b": 1] as [String: Int?]) == ["b": 1])
    #expect(throws: EncodingError.self) { try PropertyListValueEncoder(options: options).encode([nil, 1] as [Int?]) }
    options.nils = .text
    #expect(try PropertyListValueEncoder(options: options).encode([nil, 1] as [Int?]) == ["$null", 1])
    #expect(try PropertyListValueDecoder(options: options).decode([Int?].self, from: ["$null", 1]) == [nil, 1])
  }

  @Test(
    "NaN, infinities and negative zero are preserved",
    arguments: [
      Double.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude,
    ])
  func nonFinite(_ number: Double) throws {
    #expect(try roundTrip([number])[0].bitPattern == number.bitPattern)
    #expect(try roundTrip(number).bitPattern == number.bitPattern)
    #expect(try roundTrip(Float(number)).bitPattern == Float(number).bitPattern)
  }

  @Test("integers of all widths are preserved")
  func integers() throws {
    #expect(try roundTrip([UInt64.max, 0]) == [UInt64.max, 0])
    #expect(try roundTrip([Int64.min, .max]) == [Int64.min, .max])
    #expect(throws: DecodingError.self) { try PropertyListValueDecoder().decode(Int8.self, from: 128) }
  }

  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
  @Test("integers of 128 bits are preserved, and wider ones rejected")
  func integersOf128Bits() throws {
    #expect(try roundTrip([Int128.min, .max]) == [Int128.min, .max])
    #expect(throws: EncodingError.self) { try PropertyListValueEncoder().encode(UInt128.max) }
    #expect(PropertyListValue(plain: UInt128.max) == nil)
    #expect(PropertyListValue(plain: Int128.min) == .wideInteger(high: .min, low: 0))
    let wide = PropertyListValue.wideInteger(high: 1, low: 0)
    #if OLD_SYSTEMS
      // Older systems have no type for it, so it stays as it is stored.
      #expect(wide.plain as? PropertyListValue == wide)
    #else
      #expect(wide.plain as? Int128 == 1 << 64)
    #endif
    #expect(PropertyListValue(Int128.max) == .wideInteger(high: .max, low: .max))
    #expect(PropertyListValue(exactly: Int128.min)?.int128 == .min)
    #expect(PropertyListValue(-1 as Int128) == -1 && PropertyListValue.integer(-1).int128 == -1)
    #expect(PropertyListValue.double(1).int128 == nil)
  }

  @Test("URLs are read in all three forms")
  func urls() throws {
    let plain = try #require(URL(string: "https://nuomi1.github.io/a?b=c#d"))
    let relative = try #require(URL(string: "a/b?c", relativeTo: URL(string: "https://example.com/x/")))
    for form in [PropertyListCodingOptions.URLForm.string, .dictionary, .archive] {
      var options = PropertyListCodingOptions()
      options.urls = form
      for url in [plain, relative] {
        let object = try PropertyListValueEncoder(options: options).encode(url)
        let read = try PropertyListValueDecoder(options: .defaults).decode(URL.self, from: object)
        #expect(read.relativeString == url.relativeString)
        #expect(read.baseURL == url.baseURL)
      }
    }
    #expect(try PropertyListValueEncoder().encode(plain) == .string(plain.absoluteString))
    #expect(
      try PropertyListValueEncoder(options: .foundation).encode(relative)
        == ["base": ["relative": "https://example.com/x/"], "relative": "a/b?c"])
  }

  @Test("dates, UUIDs and decimals have several forms")
  func forms() throws {
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.125)
    for form in [PropertyListCodingOptions.DateForm.native, .secondsSince1970, .secondsSinceReferenceDate, .iso8601] {
      var options = PropertyListCodingOptions()
      options.dates = form
      #expect(try roundTrip(date, options) == date)
    }
    var options = PropertyListCodingOptions()
    options.dates = .iso8601
    #expect(try PropertyListValueEncoder(options: options).encode(date) == "2023-03-08T20:26:40.125Z")
    for date in [Date(timeIntervalSince1970: .nan), .distantFuture + 1e18] {
      #expect(throws: EncodingError.self) { try PropertyListValueEncoder(options: options).encode(date) }
    }
    let id = UUID()
    #expect(try PropertyListValueEncoder().encode(id) == .string(id.uuidString))
    options.uuids = .data
    guard case .data(let bytes) = try PropertyListValueEncoder(options: options).encode(id) else {
      Issue.record("no data")
      return
    }
    #expect(bytes.count == 16)
    #expect(try roundTrip(id, options) == id)
    let decimal = try #require(Decimal(string: "0.1"))
    #expect(try PropertyListValueEncoder().encode(decimal) == "0.1")
    #expect(try roundTrip(decimal) == decimal)
    #expect(try roundTrip(decimal, .foundation) == decimal)
    for decimal in [Decimal.nan, .greatestFiniteMagnitude, -.leastNonzeroMagnitude] {
      #expect(try roundTrip([decimal]) == [decimal])
    }
    #expect(try roundTrip(Duration.milliseconds(1500)) == .milliseconds(1500))
    #expect(try roundTrip(1...3) == 1...3)
  }

  @Test("dictionaries with enumeration keys stay dictionaries")
  func enumKeys() throws {
    let moods: [Mood: [Mood: Int?]] = [.happy: [.sad: 1], .sad: [:]]
    #expect(try PropertyListValueEncoder().encode(moods) == ["happy": ["sad": 1], "sad": [:]])
    #expect(try roundTrip(moods) == moods)
    #expect(try PropertyListValueDecoder().decode([Mood: Int].self, from: ["happy", 3]) == [.happy: 3])
    #expect(throws: DecodingError.self) { try PropertyListValueDecoder().decode([Mood: Int].self, from: ["angry": 3]) }
    #expect(try roundTrip([1: "a", 2: "b"]) == [1: "a", 2: "b"])
  }

  @Test("equal collections give equal bytes")
  func deterministic() throws {
    let numbers = Array(0..<100)
    let encoder = PropertyListValueEncoder()
    let sets = (0..<5).map { _ in Set(numbers.shuffled()) }
    let bytes = try Set(sets.map { try encoder.encode($0, as: .binary) })
    #expect(bytes.count == 1)
    let ids = (0..<20).map { _ in UUID() }
    let maps = (0..<5).map { _ in Dictionary(uniqueKeysWithValues: ids.shuffled().map { ($0, 1) }) }
    #expect(try Set(maps.map { try encoder.encode($0, as: .binary) }).count == 1)
    #expect(try roundTrip(maps[0]) == maps[0])
  }

  @Test("a custom conversion applies to nested values")
  func hooks() throws {
    struct Point: Codable, Equatable { var x, y: Int }
    var options = PropertyListCodingOptions()
    options.convert(Point.self) {
      .string("\($0.x),\($0.y)")
    } decode: { value in
      guard case .string(let text) = value else { throw CocoaError(.coderInvalidValue) }
      let parts = text.split(separator: ",").compactMap { Int($0) }
      return Point(x: parts[0], y: parts[1])
    }
    let object = try PropertyListValueEncoder(options: options).encode(["p": Point(x: 1, y: 2)])
    #expect(object == ["p": "1,2"])
    #expect(
      try PropertyListValueDecoder(options: options).decode([String: Point].self, from: object)["p"]
        == Point(x: 1, y: 2))
  }

  @Test("a custom conversion applies to primitive types")
  func scalarHooks() throws {
    struct Numbers: Codable, Equatable {
      var one: Int
      var more: [Int]
      var text: String
      var maybe: Int?
      var wide: UInt64 = 3
    }
    var options = PropertyListCodingOptions()
    options.convert(Int.self) {
      .string("#\($0)")
    } decode: { value in
      guard case .string(let text) = value, let number = Int(text.dropFirst()) else {
        throw CocoaError(.coderInvalidValue)
      }
      return number
    }
    options.convert(String.self, encode: { .data(Data($0.utf8)) }) { value in
      guard case .data(let data) = value else { throw CocoaError(.coderInvalidValue) }
      return String(decoding: data, as: UTF8.self)
    }
    let numbers = Numbers(one: 1, more: [2], text: "x", maybe: 5)
    let object = try PropertyListValueEncoder(options: options).encode(numbers)
    #expect(object == ["one": "#1", "more": ["#2"], "text": .data(Data("x".utf8)), "maybe": "#5", "wide": 3])
    #expect(try roundTrip(numbers, options) == numbers)
    #expect(try roundTrip(["a": 1], options) == ["a": 1])
    #expect(try PropertyListValueEncoder(options: options).encode(7) == "#7")
    let key = DefaultsKey("n", default: 0, options: options)
    let store = MemoryStore()
    try store.set(4, for: key)
    #expect(try store.rawValue(for: "n") == "#4" && store.value(for: key) == 4)
  }

  @Test("values of another kind are rejected")
  func kinds() {
    let decoder = PropertyListValueDecoder()
    #expect(throws: DecodingError.self) { try decoder.decode(String.self, from: 1) }
    #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: "1") }
    #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: 1.0) }
    #expect(throws: DecodingError.self) { try decoder.decode(Bool.self, from: 1) }
    #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: true) }
    #expect(throws: DecodingError.self) { try decoder.decode(Float.self, from: 1e300) }
    #expect(throws: DecodingError.self) { try decoder.decode(Double.self, from: .integer(.max)) }
    #expect(throws: DecodingError.self) { try decoder.decode(Date.self, from: 1) }
    // Foundation's readers ignore text after the number.
    for text in ["12abc", "1,5", "1-2", "", "٣", "1e"] {
      #expect(throws: DecodingError.self) { try decoder.decode(Decimal.self, from: .string(text)) }
    }
    var options = PropertyListCodingOptions()
    options.dates = .iso8601
    for text in ["2023-03-08T20:26:40.125Zx", "2023-03-08T20:26:40Z ", "2023-03-08", "x2023-03-08T20:26:40Z"] {
      #expect(throws: DecodingError.self) {
        try PropertyListValueDecoder(options: options).decode(Date.self, from: .string(text))
      }
    }
  }

  @Test("errors have the coding path and the found kind")
  func errors() throws {
    do {
      _ = try PropertyListValueDecoder().decode([Profile].self, from: [["name": "a", "age": "1"]])
      Issue.record("decoded")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["Index 0", "age"])
      #expect(context.debugDescription.contains("string"))
    }
  }

  @Test("superclasses, nested containers and empty types are coded")
  func shapes() throws {
    class Animal: Codable { var legs = 4 }
    final class Dog: Animal {
      var name = "Rex"
      private enum Keys: String, CodingKey { case name }
      override init() { super.init() }
      required init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: Keys.self)
        name = try values.decode(String.self, forKey: .name)
        try super.init(from: values.superDecoder())
      }
      override func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: Keys.self)
        try values.encode(name, forKey: .name)
        try super.encode(to: values.superEncoder())
      }
    }
    struct Empty: Codable, Equatable {}
    let dog = Dog()
    dog.legs = 3
    #expect(try PropertyListValueEncoder().encode(dog) == ["name": "Rex", "super": ["legs": 3]])
    #expect(try roundTrip(dog).legs == 3)
    #expect(try roundTrip([Empty()]) == [Empty()])
    #expect(try roundTrip([Int]()) == [])
    #expect(try roundTrip([String: Int]()) == [:])
  }

  @Test("property-list values convert to Swift's types and back")
  func plain() throws {
    let values: [(any Sendable, PropertyListValue)] = [
      (true, true), ("x", "x"), (7, 7), (2.5, 2.5), (Float(0.5), .float(0.5)),
      (Date(timeIntervalSinceReferenceDate: 1), .date(Date(timeIntervalSinceReferenceDate: 1))),
      (Data([1]), .data(Data([1]))), (UInt8(3), 3), (UInt64.max, .wideInteger(high: 0, low: .max)),
      ([1, "a"] as [any Sendable], [1, "a"]), (["k": [true]] as [String: any Sendable], ["k": [true]]),
      (PropertyListValue.uid(4), .uid(4)),
    ]
    for (value, object) in values { #expect(PropertyListValue(plain: value) == object) }
    for value in [[Self.self], ["k": Self.self], Self.self] as [Any] {
      #expect(PropertyListValue(plain: value) == nil)
    }

    #expect(PropertyListValue.boolean(true).plain as? Bool == true)
    #expect(PropertyListValue.integer(-1).plain as? Int == -1)
    #expect(PropertyListValue.wideInteger(high: 0, low: 1 << 63).plain as? UInt64 == 1 << 63)
    #expect(PropertyListValue.float(0.5).plain as? Float == 0.5)
    #expect(PropertyListValue.double(0.5).plain as? Double == 0.5)
    #expect(PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1)).plain is Date)
    #expect(PropertyListValue.data(Data([1])).plain as? Data == Data([1]))
    #expect(PropertyListValue.string("x").plain as? String == "x")
    #expect(PropertyListValue.uid(4).plain as? UInt64 == 4)
    #expect(PropertyListValue.array([1, 2]).plain as? [Int] == [1, 2])
    #expect(PropertyListValue.dictionary(["a": 1]).plain as? [String: Int] == ["a": 1])
  }

  @Test("Foundation's numbers 0 and 1 are numbers, and its Booleans are Booleans")
  func foundationNumbers() throws {
    for number in [0, 1, 5] {
      #expect(PropertyListValue(plain: NSNumber(value: number)) == .integer(Int64(number)))
      let object = try JSONSerialization.jsonObject(with: Data(#"{"n": [\#(number), true, false]}"#.utf8))
      #expect(PropertyListValue(plain: object) == ["n": [.integer(Int64(number)), true, false]])
    }
    #expect(PropertyListValue(plain: Bool??(true) as Any) == true)
  }

  @Test(
    "plain values may nest as deep as files, and deeper ones take no more of the stack", arguments: [512, 513, 2000])
  func plainDepth(_ levels: Int) {
    var (value, plain) = (PropertyListValue.array([]), [] as [Any])
    for _ in 1..<levels { (value, plain) = ([value], [plain]) }
    #expect(PropertyListValue(plain: plain) == (levels > 512 ? nil : value))
    let converted = value.plain
    #expect(PropertyListValue(plain: converted) == value)
    // The file of the deepest value is one that Foundation reads.
    if levels == 512 { #expect(PropertyListSerialization.propertyList(converted, isValidFor: .binary)) }
  }
}
