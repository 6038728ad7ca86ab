// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing

/// The C library, the standard library and Foundation's coders are the oracles.
@Suite("Encoded values")
struct EncodedValuesTests {
  // MARK: Numbers in XML

  private static let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\"><array>"

  /// Returns the texts between the tags of an array of numbers in XML.
  private func texts(_ values: [PropertyListValue], _ tag: String) throws -> [String] {
    let file = String(decoding: try PropertyListValue.array(values).propertyList(.xml), as: UTF8.self)
    return file.split(separator: "\n").compactMap { line in
      guard let start = line.range(of: "<\(tag)>"), let end = line.range(of: "</\(tag)>") else { return nil }
      return String(line[start.upperBound..<end.lowerBound])
    }
  }

  private func values(_ texts: [String], _ tag: String) throws -> [PropertyListValue] {
    let file = Self.head + texts.map { "<\(tag)>\($0)</\(tag)>" }.joined() + "</array></plist>"
    guard case .array(let values) = try PropertyListValue(propertyList: Data(file.utf8)) else { return [] }
    return values
  }

  @Test("reals have the text of C's %.17g, also those whose digits need no C library")
  func reals() throws {
    var values: [Double] = [0, 1, 10, 0.1, 0.3, 1e15, 1e16, 123_456_789, 0.001, 0.000_999_999_999_999_999_9]
    values += (-12...22).map { pow(10, Double($0)) }
    values += (-12...54).flatMap { [pow(2, Double($0)), pow(2, Double($0)) * 1.5] }
    // Halfway between two numbers of 17 digits, and a number that rounding makes a power of ten.
    values += (0..<1000).map { Double(4_503_599_627_370_496 + $0) + 0.5 }
    values += (0..<1000).map { Double(1_125_899_906_842_624 + $0) + 0.125 }
    values += (-3...15).map { pow(10, Double($0)).nextDown }
    values += values.flatMap { [$0.nextUp, $0.nextDown] }
    values = Sample.cases(values, each: 10)
    // A tenth of the random numbers.
    for part in Sample.cases(0..<10 as Range<UInt64>, each: 10) {
      var random = SeededRandom(seed: 710 + part)
      values += (0..<1000).map { _ in Double(random.next() % 1_000_000_007) / Double(1 + random.next() % 100_003) }
      values += (0..<1000).map { _ in Double(Float(random.next() % 10_000) / 10) }
      values += (0..<1000).map { _ in
        Double(bitPattern: 0x3F40_0000_0000_0000 + random.next() % 0x0400_0000_0000_0000)
      }
    }
    values += values.map(-)
    let found = try texts(values.map { .double($0) }, "real")
    #expect(found.count == values.count)
    for (text, value) in zip(found, values) where Array(text.utf8) != Array(String(format: "%.17g", value).utf8) {
      Issue.record("\(value.bitPattern) is written as \(text), C prints \(String(format: "%.17g", value))")
    }
  }

  @Test("integers have the text that Swift gives them")
  func integers() throws {
    var random = SeededRandom(seed: 72)
    var values: [Int64] = [0, 1, -1, 9, 10, 11, 99, 100, .min, .max, .min + 1]
    values += (0...62).flatMap { [1 << $0, -(1 << $0), (1 << $0) - 1] }
    values += (0..<2000).map { _ in Int64(bitPattern: random.next()) >> Int64(random.next() % 64) }
    let found = try texts(values.map { .integer($0) }, "integer")
    #expect(found.map { Array($0.utf8) } == values.map { Array("\($0)".utf8) })
    #expect(try self.values(found, "integer") == values.map { .integer($0) })
  }

  @Test("reals are read as the nearest number, also those with few digits")
  func readingReals() throws {
    var texts = ["0", "-0", "0.0", "1", "-1.5", "00.50", "123456789012345", "1234567890123456", "0.00000000000001"]
    texts += ["3.", "1e3", "+7.25", "9007199254740993", "0.1", "0.30000000000000004", "999999999999999", "-.5e1"]
    // A tenth of 20,000; with `WHOLE_TESTS`, all.
    for seed in Sample.cases(0..<20_000 as Range<UInt64>, each: 10) {
      var random = SeededRandom(seed: seed)
      let digits = (0..<1 + random.next() % 17).map { _ in "\(random.next() % 10)" }
      let point = Int(random.next() % UInt64(digits.count + 1))
      let sign = random.next() % 2 == 0 ? "" : "-"
      let fraction = point < digits.count && point > 0 ? "." : ""
      texts.append(sign + digits[..<point].joined() + fraction + digits[point...].joined())
    }
    let found = try values(texts, "real")
    for (value, text) in zip(found, texts) {
      let expected = try #require(Double(text))
      if value != .double(expected) { Issue.record("\(text) is read as \(value), Swift reads \(expected)") }
    }
    #expect(found.count == texts.count)
  }

  @Test(
    "texts that are no numbers are refused", arguments: ["", ".", "-", "-.", "1.2.3", "1-", "--1", "1 2", "a", ".1."])
  func noNumbers(text: String) {
    #expect(throws: PropertyListError.self) { try values([text], "real") }
    #expect(throws: PropertyListError.self) { try values([text], "integer") }
  }

  // MARK: Shared contents

  /// Long values that are equal except for a few bytes that differ from value to value.
  private static func similar(_ count: Int, at offset: Int, length: Int) -> [Data] {
    (0..<count).map { number in
      var data = Data(repeating: UInt8(ascii: "x"), count: length)
      data.replaceSubrange(offset..<offset + 5, with: Data("\(10_000 + number)".utf8))
      return data
    }
  }

  @Test(
    "long values that differ only inside are written in linear time, each of them once", .notHanging,
    arguments: [0, 60, 100, 200, 295])
  func similarValues(offset: Int) throws {
    let blocks = Self.similar(4000, at: offset, length: 300)
    for isText in [false, true] {
      func value(_ data: Data) -> PropertyListValue {
        isText ? .string(String(decoding: data, as: UTF8.self)) : .data(data)
      }
      // The second half has the same bytes in other memory.
      let values = PropertyListValue.array((blocks + blocks.map { Data(Array($0)) }).map(value))
      let file = try values.propertyList()
      #expect(try PropertyList(file).objectCount == blocks.count + 1)
      #expect(try PropertyListValue(propertyList: file) == values)
    }
  }

  /// Encodes strings and data that exist only during the call, so that their memory is used again.
  private struct Temporary: Encodable {
    let numbers: [Int]
    let isText: Bool

    func encode(to encoder: any Encoder) throws {
      var row = encoder.unkeyedContainer()
      for number in numbers {
        if isText {
          try row.encode(String(repeating: number.isMultiple(of: 2) ? "a" : "b", count: 100 + number / 2))
        } else {
          try row.encode(Data(repeating: UInt8(number), count: 100))
        }
      }
    }
  }

  @Test("long values whose memory is used again for others are not mistaken for them", arguments: [true, false])
  func temporaryValues(isText: Bool) throws {
    var random = SeededRandom(seed: 3)
    for _ in 0..<50 {
      let numbers = (0..<40).map { _ in Int.random(in: 0..<6, using: &random) }
      let value = Temporary(numbers: numbers, isText: isText)
      let file = try PropertyListValueEncoder().encode(value, as: .binary)
      // Foundation's reader is the oracle for what the file has, and its encoder for what it must have.
      let found = try unsafe PropertyListSerialization.propertyList(from: file, format: nil) as? NSArray
      let expected =
        try unsafe PropertyListSerialization.propertyList(
          from: PropertyListEncoder().encode(value), format: nil) as? NSArray
      #expect(found == expected)
      #expect(try PropertyList(file).objectCount == Set(numbers).count + 1)
    }
  }

  @Test(
    "a string and data with the same bytes are two objects, as are numbers with the same bits", arguments: [3, 500])
  func kinds(length: Int) throws {
    let text = String(repeating: "a", count: length)
    let values: [PropertyListValue] = [
      .string(text), .data(Data(text.utf8)), 1, .boolean(true), .uid(1), .double(Double(bitPattern: 1)),
      .float(Float(bitPattern: 1)), .date(Date(timeIntervalSinceReferenceDate: Double(bitPattern: 1))),
      .wideInteger(high: 1, low: 1), .wideInteger(high: 1, low: 0), .wideInteger(high: 0, low: .max),
    ]
    let file = try PropertyListValue.array(values + values).propertyList()
    #expect(try PropertyList(file).objectCount == values.count + 1)
    #expect(try PropertyListValue(propertyList: file) == .array(values + values))
  }

  // MARK: Keys

  /// A record whose keys differ from value to value.
  private struct Record: Codable, Equatable {
    var fields: [String: Int]
    var name: String?
    var zone: Double?
    var inner: [Record]?
    var absent: Int?
  }

  // Foundation's encoder writes canonically equivalent strings as one object, so none are equivalent.
  private static func records(_ count: Int, _ random: inout SeededRandom, depth: Int = 0) -> [Record] {
    (0..<count).map { number in
      let names = (0..<random.next() % 5).map { _ in
        ["a", "b", "ö", "e\u{301}", "😀", "\u{FF5E}", "0"][Int(random.next() % 7)]
      }
      return Record(
        fields: Dictionary(names.map { ($0, number) }) { $1 }, name: random.next() % 2 == 0 ? "name" : nil,
        zone: random.next() % 3 == 0 ? 1.25 : nil,
        inner: depth < 3 && random.next() % 4 == 0 ? records(3, &random, depth: depth + 1) : nil)
    }
  }

  @Test("records with different keys are read by Foundation, and those of Foundation are read", arguments: [1, 2, 3])
  func records(seed: Int) throws {
    var random = SeededRandom(seed: UInt64(seed))
    let records = Self.records(50, &random)
    for format in [PropertyList.Format.binary, .xml] {
      let file = try PropertyListValueEncoder(options: .foundation).encode(records, as: format)
      #expect(try PropertyListDecoder().decode([Record].self, from: file) == records)
      let encoder = PropertyListEncoder()
      encoder.outputFormat = format == .binary ? .binary : .xml
      let other = try encoder.encode(records)
      #expect(try PropertyListValueDecoder(options: .foundation).decode([Record].self, from: other) == records)
      // Both files hold the same values, and the value that is encoded without a file is this value.
      let value = try PropertyListValueEncoder(options: .foundation).encode(records)
      #expect(try PropertyListValue(propertyList: file) == value)
      #expect(try PropertyListValue(propertyList: other) == value)
    }
  }

  @Test("of equal keys the last one counts, also if the first is a nested container")
  func equalKeys() throws {
    struct Twice: Encodable {
      let number: Int
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TextKey.self)
        var nested = container.nestedUnkeyedContainer(forKey: TextKey("k"))
        try container.encode(number, forKey: TextKey("z"))
        if number % 2 == 0 { try container.encode(number, forKey: TextKey("k")) }
        try container.encode("a", forKey: TextKey("a"))
        // The nested container is complete only at the end.
        try nested.encode(number)
      }
    }
    let expected = (0..<4).map { number -> PropertyListValue in
      let value = PropertyListValue.integer(Int64(number))
      return ["a": "a", "k": number % 2 == 0 ? value : .array([value]), "z": value]
    }
    #expect(try PropertyListValueEncoder().encode((0..<4).map(Twice.init)) == .array(expected))
  }

  private struct TextKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init?(stringValue: String) { self.init(stringValue) }
    init?(intValue: Int) { nil }
  }

  // MARK: Encoders

  @Test("a value that keeps its encoder changes no other value with it")
  func keptEncoder() throws {
    final class Keeper { var encoder: (any Encoder)? }
    struct Part: Encodable {
      let number: Int
      let keeper: Keeper
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TextKey.self)
        try container.encode(number, forKey: TextKey("number"))
        if number == 0 { keeper.encoder = encoder }
        guard number > 0, let kept = keeper.encoder else { return }
        var old = kept.container(keyedBy: TextKey.self)
        try old.encode(number, forKey: TextKey("late \(number)"))
        #expect(kept.codingPath.count <= 1)
      }
    }
    let keeper = Keeper()
    let value = try PropertyListValueEncoder().encode((0..<3).map { Part(number: $0, keeper: keeper) })
    #expect(value == [["number": 0], ["number": 1], ["number": 2]])
    // Also after the end.
    var container = try #require(keeper.encoder).unkeyedContainer()
    try container.encode(7)
  }

  @Test("the coding path has the index of each array, and the key itself of each dictionary")
  func codingPaths() throws {
    enum Key: CodingKey { case list }
    struct Failing: Encodable {
      let depth: Int
      func encode(to encoder: any Encoder) throws {
        guard depth > 0 else {
          #expect(encoder.codingPath.map(\.stringValue) == ["list", "Index 1", "list", "Index 1"])
          #expect(encoder.codingPath.map(\.intValue) == [nil, 1, nil, 1])
          #expect(encoder.codingPath[0] is Key && encoder.codingPath[2] is Key)
          throw CocoaError(.coderInvalidValue)
        }
        var container = encoder.container(keyedBy: Key.self)
        try container.encode([Failing?.none, Failing(depth: depth - 1)], forKey: .list)
      }
    }
    #expect(throws: CocoaError.self) { try PropertyListValueEncoder().encode(Failing(depth: 2)) }
    // The encoder of another value starts anew.
    #expect(try PropertyListValueEncoder().encode([1]) == [1])
  }
}
