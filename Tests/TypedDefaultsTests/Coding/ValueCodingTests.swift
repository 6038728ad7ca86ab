// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import Testing
import TypedDefaults
import TypedDefaultsTesting

@Suite("Values as property-list objects")
struct ValueCodingTests {
  private enum Mood: String, Codable { case happy, sad }
  private struct Profile: Codable, Equatable {
    var name: String
    var age: Int
    var nick: String?
    var tags: [String] = []
  }

  private func roundTrip<Value: Codable>(
    _ value: Value, _ options: DefaultsCodingOptions = DefaultsCodingOptions()
  ) throws -> Value {
    let object = try UserDefaultsEncoder(options: options).encode(value)
    let direct = try UserDefaultsDecoder(options: options).decode(Value.self, from: object)
    // By way of a file, which must not change anything.
    let bytes = try PropertyListValue.array([object]).propertyList()
    #expect(try PropertyListValue(propertyList: bytes) == [object])
    return direct
  }

  @Test("A struct is a dictionary, without the properties that are nil")
  func structs() throws {
    let profile = Profile(name: "Ada", age: 36, nick: nil, tags: ["a"])
    #expect(try UserDefaultsEncoder().encode(profile) == ["age": 36, "name": "Ada", "tags": ["a"]])
    #expect(try roundTrip(profile) == profile)
  }

  @Test("The text $null is a text, wherever it stands")
  func nullText() throws {
    #expect(try roundTrip("$null") == "$null")
    #expect(try roundTrip(["$null", nil, "x"] as [String?]) == ["$null", nil, "x"])
    #expect(try roundTrip(["$null": "$null"]) == ["$null": "$null"])
    #expect(try roundTrip(Profile(name: "$null", age: 1, nick: "$null")).nick == "$null")
    #expect(try roundTrip(["a": nil, "$null": "b"] as [String: String?]) == ["a": nil, "$null": "b"])
  }

  @Test("What looks like the mark of nil is not taken for it")
  func marker() throws {
    let maps: [[String: Bool]?] = [["$null": true], nil, ["$$null": true], ["$null": false], [:]]
    #expect(try roundTrip(maps) == maps)
    #expect(try UserDefaultsEncoder().encode([Int?.none]) == [["$null": true]])
    // A text with dollar signs of its own is none of the coder's business.
    #expect(try UserDefaultsEncoder().encode(["$null": 1]) == ["$null": 1])
  }

  @Test("Other forms of nil: left out, and Foundation's text")
  func nilForms() throws {
    var options = DefaultsCodingOptions()
    options.nils = .omitted
    #expect(try UserDefaultsEncoder(options: options).encode(["a": nil, "b": 1] as [String: Int?]) == ["b": 1])
    #expect(throws: EncodingError.self) { try UserDefaultsEncoder(options: options).encode([nil, 1] as [Int?]) }
    options.nils = .text
    #expect(try UserDefaultsEncoder(options: options).encode([nil, 1] as [Int?]) == ["$null", 1])
    #expect(try UserDefaultsDecoder(options: options).decode([Int?].self, from: ["$null", 1]) == [nil, 1])
  }

  @Test(
    "Numbers that are not finite, and minus zero, are kept",
    arguments: [
      Double.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude,
    ])
  func nonFinite(_ number: Double) throws {
    #expect(try roundTrip([number])[0].bitPattern == number.bitPattern)
    #expect(try roundTrip(number).bitPattern == number.bitPattern)
    #expect(try roundTrip(Float(number)).bitPattern == Float(number).bitPattern)
  }

  @Test("Integers of all sizes are kept")
  func integers() throws {
    #expect(try roundTrip([UInt64.max, 0]) == [UInt64.max, 0])
    #expect(try roundTrip([Int64.min, .max]) == [Int64.min, .max])
    #expect(try roundTrip([Int128.min, .max]) == [Int128.min, .max])
    #expect(throws: DecodingError.self) { try UserDefaultsDecoder().decode(Int8.self, from: 128) }
    #expect(throws: EncodingError.self) { try UserDefaultsEncoder().encode(UInt128.max) }
  }

  @Test("URLs have three forms, all of which are read")
  func urls() throws {
    let plain = try #require(URL(string: "https://nuomi1.github.io/a?b=c#d"))
    let relative = try #require(URL(string: "a/b?c", relativeTo: URL(string: "https://example.com/x/")))
    for form in [DefaultsCodingOptions.URLForm.string, .dictionary, .archive] {
      var options = DefaultsCodingOptions()
      options.urls = form
      for url in [plain, relative] {
        let object = try UserDefaultsEncoder(options: options).encode(url)
        let read = try UserDefaultsDecoder().decode(URL.self, from: object)
        #expect(read.relativeString == url.relativeString)
        #expect(read.baseURL == url.baseURL)
      }
    }
    #expect(try UserDefaultsEncoder().encode(plain) == .string(plain.absoluteString))
    #expect(
      try UserDefaultsEncoder(options: .foundation).encode(relative)
        == ["base": ["relative": "https://example.com/x/"], "relative": "a/b?c"])
  }

  @Test("Dates, UUIDs and decimals have several forms")
  func forms() throws {
    let date = Date(timeIntervalSinceReferenceDate: 700_000_000.125)
    for form in [DefaultsCodingOptions.DateForm.native, .secondsSince1970, .secondsSinceReferenceDate, .iso8601] {
      var options = DefaultsCodingOptions()
      options.dates = form
      #expect(try roundTrip(date, options) == date)
    }
    var options = DefaultsCodingOptions()
    options.dates = .iso8601
    #expect(try UserDefaultsEncoder(options: options).encode(date) == "2023-03-08T20:26:40.125Z")
    for date in [Date(timeIntervalSince1970: .nan), .distantFuture + 1e18] {
      #expect(throws: EncodingError.self) { try UserDefaultsEncoder(options: options).encode(date) }
    }
    let id = UUID()
    #expect(try UserDefaultsEncoder().encode(id) == .string(id.uuidString))
    options.uuids = .data
    guard case .data(let bytes) = try UserDefaultsEncoder(options: options).encode(id) else {
      Issue.record("no data")
      return
    }
    #expect(bytes.count == 16)
    #expect(try roundTrip(id, options) == id)
    let decimal = try #require(Decimal(string: "0.1"))
    #expect(try UserDefaultsEncoder().encode(decimal) == "0.1")
    #expect(try roundTrip(decimal) == decimal)
    #expect(try roundTrip(decimal, .foundation) == decimal)
    for decimal in [Decimal.nan, .greatestFiniteMagnitude, -.leastNonzeroMagnitude] {
      #expect(try roundTrip([decimal]) == [decimal])
    }
    #expect(try roundTrip(Duration.milliseconds(1500)) == .milliseconds(1500))
    #expect(try roundTrip(1...3) == 1...3)
  }

  @Test("Dictionaries keyed by enums are dictionaries, also within each other")
  func enumKeys() throws {
    let moods: [Mood: [Mood: Int?]] = [.happy: [.sad: 1], .sad: [:]]
    #expect(try UserDefaultsEncoder().encode(moods) == ["happy": ["sad": 1], "sad": [:]])
    #expect(try roundTrip(moods) == moods)
    #expect(try UserDefaultsDecoder().decode([Mood: Int].self, from: ["happy", 3]) == [.happy: 3])
    #expect(throws: DecodingError.self) { try UserDefaultsDecoder().decode([Mood: Int].self, from: ["angry": 3]) }
    #expect(try roundTrip([1: "a", 2: "b"]) == [1: "a", 2: "b"])
  }

  @Test("Equal values give equal bytes, whatever order their elements are held in")
  func deterministic() throws {
    let numbers = Array(0..<100)
    let encoder = UserDefaultsEncoder()
    let sets = (0..<5).map { _ in Set(numbers.shuffled()) }
    let bytes = try Set(sets.map { try encoder.encode($0, as: .binary) })
    #expect(bytes.count == 1)
    let ids = (0..<20).map { _ in UUID() }
    let maps = (0..<5).map { _ in Dictionary(uniqueKeysWithValues: ids.shuffled().map { ($0, 1) }) }
    #expect(try Set(maps.map { try encoder.encode($0, as: .binary) }).count == 1)
    #expect(try roundTrip(maps[0]) == maps[0])
  }

  @Test("A hook converts any type, wherever it is")
  func hooks() throws {
    struct Point: Codable, Equatable { var x, y: Int }
    var options = DefaultsCodingOptions()
    options.convert(Point.self) {
      .string("\($0.x),\($0.y)")
    } decode: { value in
      guard case .string(let text) = value else { throw CocoaError(.coderInvalidValue) }
      let parts = text.split(separator: ",").compactMap { Int($0) }
      return Point(x: parts[0], y: parts[1])
    }
    let object = try UserDefaultsEncoder(options: options).encode(["p": Point(x: 1, y: 2)])
    #expect(object == ["p": "1,2"])
    #expect(
      try UserDefaultsDecoder(options: options).decode([String: Point].self, from: object)["p"] == Point(x: 1, y: 2))
  }

  @Test("A hook converts the types that coders have functions of their own for, too")
  func scalarHooks() throws {
    struct Numbers: Codable, Equatable {
      var one: Int
      var more: [Int]
      var text: String
      var maybe: Int?
      var wide: UInt64 = 3
    }
    var options = DefaultsCodingOptions()
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
    let object = try UserDefaultsEncoder(options: options).encode(numbers)
    #expect(object == ["one": "#1", "more": ["#2"], "text": .data(Data("x".utf8)), "maybe": "#5", "wide": 3])
    #expect(try roundTrip(numbers, options) == numbers)
    #expect(try roundTrip(["a": 1], options) == ["a": 1])
    #expect(try UserDefaultsEncoder(options: options).encode(7) == "#7")
    let key = DefaultsKey("n", default: 0, options: options)
    let store = MemoryStore()
    try store.set(4, for: key)
    #expect(try store.rawValue(for: "n") == "#4" && store.value(for: key) == 4)
  }

  @Test("No value is taken for one of another kind")
  func kinds() {
    let decoder = UserDefaultsDecoder()
    #expect(throws: DecodingError.self) { try decoder.decode(String.self, from: 1) }
    #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: "1") }
    #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: 1.0) }
    #expect(throws: DecodingError.self) { try decoder.decode(Bool.self, from: 1) }
    #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: true) }
    #expect(throws: DecodingError.self) { try decoder.decode(Float.self, from: 1e300) }
    #expect(throws: DecodingError.self) { try decoder.decode(Double.self, from: .integer(.max)) }
    #expect(throws: DecodingError.self) { try decoder.decode(Date.self, from: 1) }
    // Foundation's readers take what they can of a text and leave the rest.
    for text in ["12abc", "1,5", "1-2", "", "٣", "1e"] {
      #expect(throws: DecodingError.self) { try decoder.decode(Decimal.self, from: .string(text)) }
    }
    var options = DefaultsCodingOptions()
    options.dates = .iso8601
    for text in ["2023-03-08T20:26:40.125Zx", "2023-03-08T20:26:40Z ", "2023-03-08", "x2023-03-08T20:26:40Z"] {
      #expect(throws: DecodingError.self) {
        try UserDefaultsDecoder(options: options).decode(Date.self, from: .string(text))
      }
    }
  }

  @Test("Errors say where the value is and what it was")
  func errors() throws {
    do {
      _ = try UserDefaultsDecoder().decode([Profile].self, from: [["name": "a", "age": "1"]])
      Issue.record("decoded")
    } catch DecodingError.typeMismatch(_, let context) {
      #expect(context.codingPath.map(\.stringValue) == ["Index 0", "age"])
      #expect(context.debugDescription.contains("string"))
    }
  }

  @Test("Keys are the same when their bytes are")
  func exactKeys() throws {
    let value = PropertyListValue.dictionary(["é": 1, "e\u{301}": 2])
    #expect(try PropertyListValue(propertyList: value.propertyList()) == value)
    guard case .dictionary(let entries) = value else {
      Issue.record("a dictionary is expected")
      return
    }
    #expect(entries.count == 2)
    #expect(entries["e\u{301}"] == 2)
  }

  @Test("Keys are found, put in and removed in dictionaries of any size", arguments: [0, 1, 12, 13, 500])
  func dictionary(_ count: Int) {
    var entries = PropertyListDictionary((0..<count).shuffled().map { ("key \($0)", .integer(Int64($0))) })
    for number in 0..<count { #expect(entries["key \(number)"] == .integer(Int64(number))) }
    entries["new"] = true
    #expect(entries["new"] == true && entries.count == count + 1)
    entries["new"] = nil
    #expect(entries["new"] == nil && entries.count == count)
  }

  @Test("Classes with superclasses, nested containers and empty types")
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
    #expect(try UserDefaultsEncoder().encode(dog) == ["name": "Rex", "super": ["legs": 3]])
    #expect(try roundTrip(dog).legs == 3)
    #expect(try roundTrip([Empty()]) == [Empty()])
    #expect(try roundTrip([Int]()) == [])
    #expect(try roundTrip([String: Int]()) == [:])
  }

  @Test("What is shared many times is read, as long as it is no bomb")
  func sharing() throws {
    let text = String(repeating: "long ", count: 100)
    let list = PropertyListValue.array((0..<20_000).map { ["path": .string(text), "on": true, "n": .integer($0 % 3)] })
    #expect(try PropertyListValue(propertyList: list.propertyList()) == list)
    let flags = PropertyListValue.array(Array(repeating: true, count: 100_000))
    #expect(try PropertyListValue(propertyList: flags.propertyList()) == flags)
    // Each row refers to the next one ten times.
    let rows = (1...30).map { row in
      PropertyListObject.array(Array(repeating: ObjectRef(rawValue: UInt32(row)), count: 10))
    }
    let bomb = try PropertyList(table: rows + [.boolean(true)], top: ObjectRef(rawValue: 0)).data(format: .binary)
    let error = #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: bomb) }
    #expect(error?.code == .limitReached)
  }

  @Test("Values that nest too deep end in an error")
  func depth() throws {
    var value = PropertyListValue.integer(1)
    for _ in 0..<600 { value = [value] }
    #expect(throws: PropertyListError.self) { try value.propertyList() }
  }

  @Test(
    "Values as deep as a file may have them end in an error where the stack is too small", arguments: [128, 256, 8192])
  func depthOnThreads(_ kibibytes: Int) throws {
    var value = PropertyListValue.integer(1)
    for _ in 0..<500 { value = [value] }
    let data = try value.propertyList()
    let ends = ValueRecorder<PropertyListError?>()
    try System.onThread(stackBytes: kibibytes << 10) { [value] in
      for body in [{ _ = try PropertyListValue(propertyList: data) }, { _ = try value.propertyList(.binary) }] {
        do {
          try body()
          ends.add(nil)
        } catch {
          ends.add(error as? PropertyListError)
        }
      }
    }
    #expect(ends.count == 2)
    for end in ends.all { #expect(end == nil || end?.code == .limitReached && kibibytes < 8192) }
  }
}
