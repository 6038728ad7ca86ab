// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing

/// Foundation's `PropertyListEncoder` and `PropertyListDecoder` are the oracle.
@Suite("Codable values as property lists, compared with Foundation's coders")
struct FoundationCodingTests {
  /// Any value: it tries an array first, then a dictionary, then single values.
  private enum Anything: Codable, Equatable {
    case list([Anything])
    case table([String: Anything])
    case number(Double)
    case text(String)

    private struct Name: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      do {
        var container = try decoder.unkeyedContainer()
        var elements: [Anything] = []
        while !container.isAtEnd { elements.append(try container.decode(Anything.self)) }
        self = .list(elements)
        return
      } catch DecodingError.typeMismatch {}
      do {
        let container = try decoder.container(keyedBy: Name.self)
        let pairs = try container.allKeys.map { ($0.stringValue, try container.decode(Anything.self, forKey: $0)) }
        self = .table(Dictionary(uniqueKeysWithValues: pairs))
        return
      } catch DecodingError.typeMismatch {}
      let container = try decoder.singleValueContainer()
      self = try (try? .number(container.decode(Double.self))) ?? .text(container.decode(String.self))
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .list(let elements): try elements.encode(to: encoder)
      case .table(let entries): try entries.encode(to: encoder)
      case .number(let number): try number.encode(to: encoder)
      case .text(let text): try text.encode(to: encoder)
      }
    }
  }

  /// A decoder that is kept.
  private struct Kept: Decodable {
    let decoder: any Decoder
    init(from decoder: any Decoder) { self.decoder = decoder }
  }

  @Test("a type that tries an array before a dictionary is decoded, and the error of the first attempt is a mismatch")
  func arrayBeforeDictionary() throws {
    let value = Anything.table(["x": .table(["y": .list([.number(1.5), .text("s"), .table(["z": .number(2.5)])])])])
    let data = try PropertyListEncoder().encode(value)
    #expect(try PropertyListDecoder().decode(Anything.self, from: data) == value)
    for options in [PropertyListCodingOptions(), .foundation] {
      let decoder = PropertyListValueDecoder(options: options)
      #expect(try decoder.decode(Anything.self, from: PropertyListValue(propertyList: data)) == value)
      let kept = try decoder.decode(Kept.self, from: ["a": 1])
      #expect(throws: DecodingError.self) { try kept.decoder.unkeyedContainer() }
    }
  }

  /// A class whose superclass decodes nothing, and whose file has no value for it.
  private final class Sub: Decodable {
    let number: Int
    let isNil: Bool
    enum CodingKeys: CodingKey { case number, base }
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      number = try container.decode(Int.self, forKey: .number)
      isNil =
        try container.superDecoder().singleValueContainer().decodeNil()
        && container.superDecoder(forKey: .base).singleValueContainer().decodeNil()
    }
  }

  @Test("the decoder of a missing superclass is one of nil")
  func missingSuper() throws {
    let data = try PropertyListEncoder().encode(["number": 3])
    let theirs = try PropertyListDecoder().decode(Sub.self, from: data)
    let ours = try PropertyListValueDecoder(options: .foundation).decode(
      Sub.self, from: PropertyListValue(propertyList: data))
    #expect(theirs.number == 3 && theirs.isNil && ours.number == 3 && ours.isNil)
  }

  /// A value with every kind of content that property-list coders know.
  private struct Record: Codable, Equatable {
    var flag: Bool
    var small: Int8
    var byte: UInt8
    var short: Int16
    var word: UInt32
    var large: Int64
    var unsigned: UInt64
    var real: Double
    var single: Float
    var text: String
    var data: Data
    var date: Date
    var url: URL
    var uuid: UUID
    var decimal: Decimal
    var optional: Int?
    var optionals: [String?]
    var numbers: [Int]
    var rows: [[Double]]
    var texts: [String: String]
    var numbered: [Int: String]
    var choice: Choice
    var mood: Mood
    var pair: Pair
    var nested: Nested
    var children: [Record]
    var named: [String: Record]

    struct Pair: Codable, Equatable {
      var left: String
      var right: [Date]
    }

    enum Mood: String, Codable, CaseIterable { case calm, angry }

    enum Choice: Codable, Equatable {
      case none
      case number(Int)
      case labeled(text: String, Bool)
    }

    /// Nested containers, and a super-encoder with a key of its own and one without.
    struct Nested: Codable, Equatable {
      var x: Int
      var y: String
      var z: Double

      private enum CodingKeys: CodingKey { case point, list }
      private enum PointKeys: CodingKey { case x }

      init(x: Int, y: String, z: Double) { (self.x, self.y, self.z) = (x, y, z) }

      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        var point = container.nestedContainer(keyedBy: PointKeys.self, forKey: .point)
        try point.encode(x, forKey: .x)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode(y)
        var inner = list.nestedContainer(keyedBy: PointKeys.self)
        try inner.encode(x, forKey: .x)
        var single = container.superEncoder().singleValueContainer()
        try single.encode(z)
      }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        x = try container.nestedContainer(keyedBy: PointKeys.self, forKey: .point).decode(Int.self, forKey: .x)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        y = try list.decode(String.self)
        _ = try list.nestedContainer(keyedBy: PointKeys.self)
        z = try container.superDecoder().singleValueContainer().decode(Double.self)
      }
    }

    init(_ random: inout SeededRandom, depth: Int) {
      func number(_ bound: UInt64) -> Int { Int(random.next() % bound) }
      func word() -> String {
        (0..<number(9)).map { _ in ["a", "é", "日", "\u{1F600}", "&", "<", " ", "\u{7F}"][number(8)] }.joined()
      }
      func date() -> Date { Date(timeIntervalSinceReferenceDate: Double(number(4_000_000_000)) - 2_000_000_000) }
      func some<Value>(_ bound: UInt64, _ make: () -> Value) -> [Value] { (0..<number(bound)).map { _ in make() } }
      func keyed<Key: Hashable, Value>(_ bound: UInt64, _ key: () -> Key, _ value: () -> Value) -> [Key: Value] {
        Dictionary(some(bound) { (key(), value()) }) { first, _ in first }
      }
      flag = number(2) == 0
      small = Int8(truncatingIfNeeded: random.next())
      self.byte = UInt8(truncatingIfNeeded: random.next())
      short = Int16(truncatingIfNeeded: random.next())
      self.word = UInt32(truncatingIfNeeded: random.next())
      large = Int64(bitPattern: random.next())
      unsigned = number(2) == 0 ? random.next() : UInt64(number(1000))
      real = Double(bitPattern: random.next() & 0xBFFF_FFFF_FFFF_FFFF)
      single = Float(number(100_000)) / 32 - 1000
      text = word()
      data = Data(some(30) { UInt8(truncatingIfNeeded: random.next()) })
      self.date = date()
      url = URL(string: "https://example.com/\(number(1000))?q=\(number(10))#f") ?? URL(filePath: "/")
      func byte() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
      uuid = UUID(
        uuid: (
          byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(), byte(),
          byte(), byte(), byte()
        ))
      decimal = Decimal(number(1_000_000)) / 1000
      optional = number(2) == 0 ? nil : number(1000)
      optionals = some(4) { number(3) == 0 ? nil : word() }
      numbers = some(6) { number(100) - 50 }
      rows = some(4) { some(4) { Double(number(1000)) / 8 } }
      texts = keyed(4, word, word)
      numbered = keyed(4, { number(50) - 10 }, word)
      choice = [.none, .number(number(100)), .labeled(text: word(), number(2) == 0)][number(3)]
      mood = Mood.allCases[number(2)]
      pair = Pair(left: word(), right: some(3, date))
      nested = Nested(x: number(100), y: word(), z: Double(number(100)))
      children = depth == 0 ? [] : some(3) { Record(&random, depth: depth - 1) }
      named = depth == 0 ? [:] : keyed(2, word) { Record(&random, depth: depth - 1) }
    }
  }

  /// A ninth of 1,000 values; with `WHOLE_TESTS`, all.
  @Test("random values are the same trees, and each side reads the other's files", arguments: 0..<10)
  func random(seed: Int) throws {
    let encoder = PropertyListValueEncoder(options: .foundation)
    let decoder = PropertyListValueDecoder(options: .foundation)
    for round in Sample.cases(0..<100, each: 9) {
      var random = SeededRandom(seed: UInt64(100 * seed + round))
      let value = Record(&random, depth: round.isMultiple(of: 10) ? 2 : 1)
      let theirs = PropertyListEncoder()
      theirs.outputFormat = round.isMultiple(of: 2) ? .binary : .xml
      let format = round.isMultiple(of: 2) ? PropertyList.Format.binary : .xml
      let (own, foundation) = (try encoder.encode(value, as: format), try theirs.encode(value))
      #expect(try PropertyListValue(propertyList: own) == PropertyListValue(propertyList: foundation))
      // XML has one kind of real number, and the value two.
      if format == .binary { #expect(try encoder.encode(value) == PropertyListValue(propertyList: own)) }
      #expect(try decoder.decode(Record.self, from: foundation) == value)
      #expect(try PropertyListDecoder().decode(Record.self, from: own) == value)
      #expect(try decoder.decode(Record.self, from: own) == value)
    }
  }

  // MARK: Single values of each kind as each type

  private struct Holder<Value: Decodable>: Decodable {
    var x: Value
  }

  /// A value of any kind, which tries one type after the other.
  private indirect enum Untyped: Decodable {
    case null, flag(Bool), integer(Int), real(Double), text(String), list([Untyped]), entries([String: Untyped])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let integer = try? container.decode(Int.self) {
        self = .integer(integer)
      } else if let real = try? container.decode(Double.self) {
        self = .real(real)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let list = try? container.decode([Untyped].self) {
        self = .list(list)
      } else {
        self = .entries(try container.decode([String: Untyped].self))
      }
    }
  }

  private static var values: [(name: String, value: Any)] {
    [
      ("0", 0), ("1", 1), ("-1", -1), ("300", 300), ("2^53 + 1", 9_007_199_254_740_993), ("Int.max", Int.max),
      ("Int.min", Int.min), ("UInt64.max", UInt64.max), ("0.1 as Float", 0.1 as Float), ("0.1", 0.1), ("1e300", 1e300),
      ("3.0", 3.0), ("-3.0", -3.0), ("-0.0", -0.0), ("2^63", 9_223_372_036_854_775_808.0), ("3.0 as Float", 3 as Float),
      ("infinity", Double.infinity), ("nan", Double.nan), ("true", true), ("text", "abc"), ("$null", "$null"),
      ("digits", "12"), ("empty", ""), ("data", Data([1, 2])), ("date", Date(timeIntervalSinceReferenceDate: 5)),
      ("list", [1, 2]), ("reals", [1.0, 2.0]), ("empty list", [Int]()), ("mixed", [1, "x"] as [Any]),
      ("entries", ["a": 1]), ("no entries", [String: Int]()), ("numbered", ["1": "x"]), ("URL", "http://x/y"),
      ("URL's entries", ["relative": "http://x"]), ("UUID", "01020304-0506-0708-090A-0B0C0D0E0F10"),
      ("nested", ["a": ["b": [1, 2]]]), ("nils", ["$null", "x"]),
    ]
  }

  @Test("with the options of Foundation, a value of any kind is decoded as any type as by PropertyListDecoder")
  func anyKind() throws {
    var equal = 0
    func compare<Value: Decodable>(_ type: Value.Type) throws {
      for (name, value) in Self.values {
        for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
          let data = try PropertyListSerialization.data(fromPropertyList: ["x": value], format: format, options: 0)
          let place = "\(name) as \(type), \(format == .xml ? "XML" : "binary")"
          guard let theirs = try? PropertyListDecoder().decode(Holder<Value>.self, from: data) else { continue }
          // The documented exception.
          if type == Float.self, name == "1e300" { continue }
          let own = try? PropertyListValueDecoder(options: .foundation).decode(Holder<Value>.self, from: data)
          #expect(own.map { "\($0)" } == "\(theirs)", "\(place)")
          equal += 1
        }
      }
    }
    try compare(Int.self)
    try compare(Int8.self)
    try compare(UInt.self)
    try compare(UInt64.self)
    try compare(Int64.self)
    try compare(Bool.self)
    try compare(Double.self)
    try compare(Float.self)
    try compare(String.self)
    try compare(Data.self)
    try compare(Date.self)
    try compare(URL.self)
    try compare(UUID.self)
    try compare(Decimal.self)
    try compare([Int].self)
    try compare([Double].self)
    try compare([String].self)
    try compare([String?].self)
    try compare(Int?.self)
    try compare(Double?.self)
    try compare(String?.self)
    try compare([String: Int].self)
    try compare([String: Double].self)
    try compare([Int: String].self)
    try compare([String: [String: [Int]]].self)
    try compare(Range<Int>.self)
    try compare(Untyped.self)
    #expect(equal > 300)
  }

  @Test("with the options of Foundation, a number that PropertyListDecoder refuses is refused")
  func refusedNumbers() throws {
    let numbers: [Any] = [
      0.1 as Float, 1.5 as Float, -1.5 as Float, 3e38 as Float, Float.infinity, Float.nan, 0.1, 1.5, -1.5, 1e300,
      9_223_372_036_854_775_808.0, 18_446_744_073_709_551_616.0, -0.5, Double.infinity, Double.nan,
    ]
    var refused = 0
    func compare<Value: Decodable>(_ type: Value.Type) throws {
      for number in numbers {
        let data = try PropertyListSerialization.data(fromPropertyList: ["x": number], format: .binary, options: 0)
        guard (try? PropertyListDecoder().decode(Holder<Value>.self, from: data)) == nil else { continue }
        #expect(throws: DecodingError.self, "\(number) as \(type)") {
          try PropertyListValueDecoder(options: .foundation).decode(Holder<Value>.self, from: data)
        }
        refused += 1
      }
    }
    try compare(Int.self)
    try compare(Int8.self)
    try compare(UInt.self)
    try compare(UInt64.self)
    try compare(Bool.self)
    try compare(String.self)
    #expect(refused > 60)
  }

  private enum Weekday: String, Codable { case monday, friday }

  private struct Nothing: Codable, Equatable {
    init() {}
    init(from decoder: any Decoder) {}
    func encode(to encoder: any Encoder) {}
  }

  @Test(
    "dictionaries of enumerations, values that encode nothing, and what other options take for nil are Foundation's")
  func forms() throws {
    var equal = 0
    func compare<Value: Codable & Equatable>(_ value: Value) throws {
      let (own, theirs) = (
        try PropertyListValueEncoder(options: .foundation).encode([value], as: .binary),
        try PropertyListEncoder().encode([value])
      )
      #expect(try PropertyListValue(propertyList: own) == PropertyListValue(propertyList: theirs), "\(value)")
      if let read = try? PropertyListDecoder().decode([Value].self, from: theirs) {
        #expect(read == [value])
        equal += 1
      }
      let decoder = PropertyListValueDecoder(options: .foundation)
      #expect(try decoder.decode([Value].self, from: theirs) == [value])
    }
    try compare([Weekday.monday: 1])
    try compare([Weekday: Int]())
    try compare(["x": Nothing()])
    try compare([Nothing()])
    for key in ["$null", "$$null", "$$$null", "null"] {
      try compare([key: true])
      try compare([key: false])
      try compare([key: [key: true]])
    }
    // Foundation's decoder refuses only its own files with the key $null, which it takes for nil.
    #expect(equal == 13)
    let two: PropertyListValue = ["friday": 2, "monday": 1]
    // Dictionaries by other options are read, too.
    #expect(
      try PropertyListValueDecoder(options: .foundation).decode([Weekday: Int].self, from: two)
        == [.monday: 1, .friday: 2])
    #expect(throws: EncodingError.self) { try PropertyListValueEncoder(options: .foundation).encode(Nothing()) }
    #expect(throws: EncodingError.self) { try PropertyListEncoder().encode(Nothing()) }
  }

  @Test(
    "a decoder refuses a file above its limits, and reads it with higher ones",
    arguments: [PropertyList.Format.binary, .xml])
  func limits(_ format: PropertyList.Format) throws {
    let numbers = Array(0..<1000)
    let data = try PropertyListValueEncoder(options: .foundation).encode(numbers, as: format)
    let decoder = PropertyListValueDecoder(options: .foundation)
    for limits in [ReadLimits(maximumObjectCount: 100), ReadLimits(maximumByteCount: 64)] {
      let error = #expect(throws: PropertyListError.self) {
        try decoder.decode([Int].self, from: data, limits: limits)
      }
      #expect(error?.code == .limitReached)
    }
    #expect(
      try decoder.decode(
        [Int].self, from: data, limits: ReadLimits(maximumObjectCount: 5000, maximumByteCount: 1 << 20)) == numbers)
  }

  @Test("the documented differences from Foundation's decoder exist")
  func differences() throws {
    func compare<Value: Decodable & Equatable>(_ file: Data, _ theirs: Value) {
      #expect(throws: (any Error).self) {
        try PropertyListValueDecoder(options: .foundation).decode([Value].self, from: file)
      }
      #expect((try? PropertyListDecoder().decode([Value].self, from: file)) == [theirs])
    }
    func xml(_ value: String) -> Data { Data("<plist version=\"1.0\"><array>\(value)</array></plist>".utf8) }
    compare(xml("<integer>- 5</integer>"), -5)
    let nan = xml("<real>nan(1)</real>")
    #expect(throws: (any Error).self) {
      try PropertyListValueDecoder(options: .foundation).decode([Double].self, from: nan)
    }
    #expect(try PropertyListDecoder().decode([Double].self, from: nan)[0].isNaN)
    let date = xml("<date>-2001-01-01T00:00:00Z</date>")
    #expect(try PropertyListDecoder().decode([Date].self, from: date)[0].timeIntervalSinceReferenceDate == 0)
    let ours = try PropertyListValueDecoder(options: .foundation).decode([Date].self, from: date)[0]
    #expect(ours.timeIntervalSinceReferenceDate < -4000 * 365 * 86400)
    func binary(_ integer: PropertyListObject) throws -> Data {
      let (zero, one) = (ObjectRef(rawValue: 0), ObjectRef(rawValue: 1))
      return try PropertyList(table: [.array([one]), integer], top: zero).data()
    }
    compare(try binary(.wideInteger(high: -1, low: .max)), UInt64.max)
    compare(try binary(.wideInteger(high: 1, low: 0)), UInt64(0))
  }

  @Test("an integer above those of Foundation is no real number, unless it is exactly one")
  func wideReals() throws {
    let decoder = PropertyListValueDecoder(options: .foundation)
    for (high, low) in [(1, 1), (1, .max), (.max, .max), (.min, 1), (1 << 36, 1)] as [(Int64, UInt64)] {
      #expect(throws: DecodingError.self, "\(high) \(low)") {
        try decoder.decode(Double.self, from: .wideInteger(high: high, low: low))
      }
    }
    #expect(try decoder.decode(Double.self, from: .wideInteger(high: -1, low: 0)) == -0x1p64)
    #expect(try decoder.decode(Double.self, from: .wideInteger(high: 0, low: .max)) == 0x1p64)
  }

  @Test("other options convert no numbers")
  func strictNumbers() {
    let decoder = PropertyListValueDecoder()
    #expect(throws: DecodingError.self) { try decoder.decode(Int.self, from: .double(3)) }
    #expect(throws: DecodingError.self) { try decoder.decode(Double.self, from: .integer(.max)) }
  }

  @Test("a top-level value that is no container is refused with its kind, as Foundation refuses it")
  func fragments() throws {
    #expect(throws: EncodingError.self) { try PropertyListEncoder().encode(3) }
    let error = #expect(throws: EncodingError.self) {
      try PropertyListValueEncoder(options: .foundation).encode(3, as: .binary)
    }
    guard case .invalidValue(let value, let context)? = error else { return }
    #expect(value as? Int == 3)
    #expect(context.debugDescription.contains("Int was encoded as integer; expected a dictionary or an array"))
  }

  @Test("a URL with bases has the form of Foundation, and each side reads the other's file")
  func relativeURLs() throws {
    let outer = try #require(URL(string: "https://example.org/a/"))
    let base = try #require(URL(string: "b/", relativeTo: outer))
    let urls = [try #require(URL(string: "c?d", relativeTo: base)), base, outer]
    let file = try PropertyListEncoder().encode(urls)
    let options = PropertyListCodingOptions.foundation
    #expect(try PropertyListValueEncoder(options: options).encode(urls) == PropertyListValue(propertyList: file))
    #expect(try PropertyListValueDecoder(options: options).decode([URL].self, from: file) == urls)
    let own = try PropertyListValueEncoder(options: options).encode(urls, as: .binary)
    let read = try PropertyListDecoder().decode([URL].self, from: own)
    #expect(read == urls && read.map(\.absoluteString) == urls.map(\.absoluteString))
  }

  /// An array of text and a number, of which an attempt to decode a number comes first.
  private struct Attempt: Decodable {
    let positions: [Int]
    let text: String
    let number: Int

    init(from decoder: any Decoder) throws {
      var row = try decoder.unkeyedContainer()
      var positions: [Int] = []
      #expect(throws: DecodingError.self) { try row.decode(Int.self) }
      positions.append(row.currentIndex)
      #expect(throws: DecodingError.self) { try row.nestedUnkeyedContainer() }
      positions.append(row.currentIndex)
      text = try row.decode(String.self)
      positions.append(row.currentIndex)
      number = try row.decode(Int.self)
      self.positions = positions
    }
  }

  @Test("an element that could not be decoded stays the next one, as with Foundation")
  func attempts() throws {
    let file = try PropertyListSerialization.data(fromPropertyList: ["text", 5] as [Any], format: .binary, options: 0)
    for attempt in [
      try PropertyListDecoder().decode(Attempt.self, from: file),
      try PropertyListValueDecoder(options: .foundation).decode(Attempt.self, from: file),
      try PropertyListValueDecoder().decode(Attempt.self, from: file),
    ] {
      #expect(attempt.positions == [0, 0, 1] && attempt.text == "text" && attempt.number == 5)
    }
  }
}
