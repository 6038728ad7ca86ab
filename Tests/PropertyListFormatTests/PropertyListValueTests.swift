// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import PropertyListFormat
import SystemFiles
import TestSupport
import Testing

@Suite("PropertyListValue")
struct PropertyListValueTests {
  /// A value of each kind, the name of the kind, and the description.
  private static let kinds: [(value: PropertyListValue, kind: String, text: String)] = [
    (false, "boolean", "false"), (-3, "integer", "-3"),
    (.wideInteger(high: 0, low: .max), "integer", "18446744073709551615"), (.float(0.1), "real", "0.1"),
    (2.5, "real", "2.5"), (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "date", "2001-01-01T00:00:00.500Z"),
    (.data(Data([1, 2, 3])), "data", "3 bytes"), ("é", "string", "\"é\""), (.uid(7), "uid", "uid 7"),
    ([1, "a"], "array", "[1, \"a\"]"), (["b": 1, "a": []], "dictionary", "[\"a\": [], \"b\": 1]"),
  ]

  @Test("has the name of its kind and a description")
  func descriptions() {
    for (value, kind, text) in Self.kinds {
      #expect(value.kindName == kind)
      #expect("\(value)" == text)
    }
    #expect("\(PropertyListValue.dictionary([:]))" == "[:]")
    // A date outside of the calendar.
    #expect("\(PropertyListValue.date(Date(timeIntervalSinceReferenceDate: .infinity)))" == "inf s after 2001")
  }

  @Test("data with a common beginning is hashed as a whole, and written in linear time", .notHanging)
  func similarData() throws {
    // `Data` hashes its number of bytes and the first 80.
    let values = (0..<100_000).map { number in
      PropertyListValue.data(Data(repeating: 7, count: 90) + Data("\(100_000 + number)".utf8))
    }
    #expect(Set(values.prefix(100).map(\.hashValue)).count > 90)
    let list = PropertyListValue.array(values)
    #expect(try PropertyListValue(propertyList: list.propertyList()) == list)
  }

  @Test("sets of numbers, of which some are not a number, are encoded in one order")
  func setsWithoutOrder() throws {
    let numbers: [Double] = [
      -1, 1, .nan, 2, -2, 3, 0, -0.0, .infinity, -.infinity, -.nan, Double(nan: 7, signaling: false),
    ]
    func encoded(_ numbers: [Double]) throws -> [UInt64] {
      // Each insertion order gives the set another order.
      let value = try PropertyListValueEncoder().encode(Set(numbers.map(Bits.init)))
      guard case .array(let elements) = value else { return [] }
      return elements.map { if case .double(let number) = $0 { number.bitPattern } else { 0 } }
    }
    let first = try encoded(numbers)
    #expect(first.count == numbers.count)
    let ordered = first.map(Double.init(bitPattern:)).filter { !$0.isNaN }
    #expect(ordered == ordered.sorted())
    var random = SeededRandom(seed: 5)
    for _ in 0..<100 { #expect(try encoded(numbers.shuffled(using: &random)) == first) }
  }

  /// A number that is equal to those with the same bits.
  private struct Bits: Hashable, Encodable {
    let number: Double

    static func == (a: Self, b: Self) -> Bool { a.number.bitPattern == b.number.bitPattern }
    func hash(into hasher: inout Hasher) { hasher.combine(number.bitPattern) }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
  }

  @Test("equality and hash depend on the kind and all bits")
  func equality() {
    for (row, one) in Self.kinds.enumerated() {
      for (column, other) in Self.kinds.enumerated() { #expect((one.value == other.value) == (row == column)) }
    }
    #expect(Set(Self.kinds.map(\.value) + Self.kinds.map(\.value)).count == Self.kinds.count)
    #expect(PropertyListValue.double(0) != .double(-0.0) && .double(.nan) == PropertyListValue.double(.nan))
    // By Swift's rules these strings are equal.
    #expect(PropertyListValue.string("é") != .string("e\u{301}"))
    #expect(Set<PropertyListValue>([["é": 1], ["e\u{301}": 1], ["é": 2]]).count == 3)
  }

  @Test("files have the objects in CoreFoundation's order")
  func files() throws {
    let binary = try PropertyListValue.array([.uid(5)]).propertyList()
    let trailer: [UInt8] = [0, 0, 0, 0, 0, 0, 1, 1]
    let numbers = [2, 0, 12].flatMap { Array(repeating: UInt8(0), count: 7) + [UInt8($0)] }
    #expect(Array(binary) == Array("bplist00".utf8) + [0xA1, 1, 0x80, 5, 8, 10] + trailer + numbers)
    #expect(try PropertyListValue(propertyList: binary) == [.uid(5)])
    for (value, _, _) in Self.kinds {
      #expect(
        try PropertyListValue(propertyList: PropertyListValue.array([value, value]).propertyList()) == [value, value])
    }
  }

  @Test("reading rejects null objects")
  func foreign() {
    // An array with a null object.
    let null = Data(
      Array("bplist00".utf8) + [0xA1, 1, 0x00, 8, 10] + [0, 0, 0, 0, 0, 0, 1, 1]
        + [2, 0, 11].flatMap { Array(repeating: UInt8(0), count: 7) + [UInt8($0)] })
    let error = #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: null) }
    #expect(error?.code == .notRepresentable)
    #expect(error?.description.contains("is a null; expected") == true)
  }

  /// A binary file with objects of one byte each or more. The first is the top object.
  private func file(_ objects: [[UInt8]]) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets.append(UInt8(bytes.count))
      bytes += object
    }
    let numbers = [objects.count, 0, bytes.count].flatMap { Array(repeating: UInt8(0), count: 7) + [UInt8($0)] }
    return Data(bytes + offsets + [0, 0, 0, 0, 0, 0, 1, 1] + numbers)
  }

  @Test("reading rejects damaged objects, also without a reference to them")
  func damaged() throws {
    #expect(try PropertyListValue(propertyList: file([[0xA1, 1], [0x09]])) == [true])
    #expect(try PropertyListValue(propertyList: file([[0xA0], [0x09]])) == [])
    for objects: [[UInt8]] in [[[0xA1, 1], [0x7F]], [[0xA0], [0x7F]]] {
      let error = #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: file(objects)) }
      #expect(error?.code == .unknownMarker)
    }
  }

  @Test("reading rejects containers that contain themselves, keys that are no strings, and dangling references")
  func structure() throws {
    let files: [(objects: [[UInt8]], code: PropertyListError.Code)] = [
      ([[0xA1, 0]], .cycle), ([[0xA1, 1], [0xA2, 2, 0], [0x09]], .cycle), ([[0xD1, 1, 0], [0x51, 0x61]], .cycle),
      ([[0xD1, 1, 1], [0x09]], .keyIsNotAString), ([[0xD1, 0, 0]], .cycle), ([[0xA1, 5]], .badReference),
    ]
    for (objects, code) in files {
      let error = #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: file(objects)) }
      #expect(error?.code == code, "\(objects)")
    }
  }

  @Test("sets are encoded in a deterministic order")
  func order() throws {
    func encoded<Element: Codable & Hashable>(_ set: Set<Element>) throws -> PropertyListValue {
      try PropertyListValueEncoder().encode(set)
    }
    #expect(try encoded([true, false]) == [false, true])
    #expect(try encoded([3, -1, 2]) == [-1, 2, 3])
    #expect(
      try encoded([UInt64.max, 1, UInt64.max - 1])
        == [1, .wideInteger(high: 0, low: .max - 1), .wideInteger(high: 0, low: .max)])
    #expect(try encoded([Float(2), -1, 0.5]) == [.float(-1), .float(0.5), .float(2)])
    #expect(try encoded([2.5, -.infinity, 0.5]) == [.double(-.infinity), 0.5, 2.5])
    let dates = [-5, 0, 5].map { Date(timeIntervalSinceReferenceDate: $0) }
    #expect(try encoded(Set(dates)) == .array(dates.map(PropertyListValue.date)))
    #expect(
      try encoded([Data([2]), Data([1, 9]), Data([1])]) == [.data(Data([1])), .data(Data([1, 9])), .data(Data([2]))])
    #expect(try encoded(["b", "a", "ab"]) == ["a", "ab", "b"])
    #expect(try encoded([[2], [1, 9], [1]]) == [[1], [1, 9], [2]])
    #expect(
      try encoded([["a": 2], ["b": 1], ["a": 1], ["a": 1, "b": 0]])
        == [["a": 1], ["a": 1, "b": 0], ["a": 2], ["b": 1]])
  }

  @Test("dictionaries are in the order of their keys' bytes, and the last of equal keys counts")
  func dictionaries() {
    var entries = PropertyListDictionary([("b", 1), ("a", 2), ("b", 3), ("é", 4), ("e\u{301}", 5)])
    #expect(Array(entries.keys) == ["a", "b", "e\u{301}", "é"])
    #expect(entries["b"] == 3)
    #expect(entries["e\u{301}"] == 5 && entries["é"] == 4)
    entries["a"] = "new"
    entries["none"] = nil
    #expect(entries.count == 4 && entries["a"] == "new")
    #expect(PropertyListDictionary() == [:] && PropertyListDictionary().keys.isEmpty)
    #expect(Set([entries[0], entries[0], entries[1]]).count == 2)
  }

  @Test("canonically equivalent keys are different")
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

  @Test("dictionaries of any size find, insert and remove keys", arguments: [0, 1, 12, 13, 500])
  func dictionary(_ count: Int) {
    var entries = PropertyListDictionary((0..<count).shuffled().map { ("key \($0)", .integer(Int64($0))) })
    for number in 0..<count { #expect(entries["key \(number)"] == .integer(Int64(number))) }
    entries["new"] = true
    #expect(entries["new"] == true && entries.count == count + 1)
    entries["new"] = nil
    #expect(entries["new"] == nil && entries.count == count)
  }

  @Test("reads shared values, but rejects an expansion bomb")
  func sharing() throws {
    let text = String(repeating: "long ", count: 100)
    let list = PropertyListValue.array((0..<20_000).map { ["path": .string(text), "on": true, "n": .integer($0 % 3)] })
    #expect(try PropertyListValue(propertyList: list.propertyList()) == list)
    let flags = PropertyListValue.array(Array(repeating: true, count: 100_000))
    #expect(try PropertyListValue(propertyList: flags.propertyList()) == flags)
    // Each array contains the next one ten times.
    let rows = (1...30).map { row in
      PropertyListObject.array(Array(repeating: ObjectRef(rawValue: UInt32(row)), count: 10))
    }
    let bomb = try PropertyList(table: rows + [.boolean(true)], top: ObjectRef(rawValue: 0)).data(format: .binary)
    let error = #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: bomb) }
    #expect(error?.code == .limitReached)
  }

  @Test("writing rejects values that nest too deeply")
  func depth() throws {
    var value = PropertyListValue.integer(1)
    for _ in 0..<600 { value = [value] }
    #expect(throws: PropertyListError.self) { try value.propertyList() }
  }

  @Test(
    "reading and writing at the maximum depth fail on a small stack with an error", arguments: [128, 256, 8192])
  func depthOnThreads(_ kibibytes: Int) throws {
    var value = PropertyListValue.integer(1)
    for _ in 0..<500 { value = [value] }
    let data = try value.propertyList()
    let ends = Locked<[PropertyListError?]>([])
    try System.onThread(stackBytes: kibibytes << 10) { [value] in
      for body in [{ _ = try PropertyListValue(propertyList: data) }, { _ = try value.propertyList(.binary) }] {
        do {
          try body()
          ends.withLock { $0.append(nil) }
        } catch {
          ends.withLock { $0.append(error as? PropertyListError) }
        }
      }
    }
    let all = ends.withLock { $0 }
    #expect(all.count == 2)
    for end in all { #expect(end == nil || end?.code == .limitReached && kibibytes < 8192) }
  }

  @Test(
    "comparing, hashing and describing values that nest as deeply as a file can need a small stack",
    arguments: [true, false])
  func deepValues(_ isArray: Bool) throws {
    func value(_ leaf: PropertyListValue) -> PropertyListValue {
      (0..<512).reduce(leaf) { value, _ in isArray ? [value, 2] : ["a": value, "b": 2] }
    }
    let values = [value(1), value(1), value(3)]
    let ends = Locked<[Bool]>([])
    try System.onThread(stackBytes: 256 << 10) {
      ends.withLock {
        $0 = [
          values[0] == values[1], values[0] != values[2], values[0].hashValue == values[1].hashValue,
          values[0].hashValue != values[2].hashValue, values[0].description == values[1].description,
        ]
      }
    }
    #expect(ends.withLock { $0 } == [true, true, true, true, true])
    let levels = isArray ? ("[", ", 2]") : ("[\"a\": ", ", \"b\": 2]")
    #expect(
      values[0].description == String(repeating: levels.0, count: 512) + "1" + String(repeating: levels.1, count: 512))
  }

  @Test("comparing two copies of a value takes a constant time", .notHanging)
  func copies() {
    // 2^100 elements.
    let value = (0..<100).reduce(PropertyListValue.integer(1)) { value, _ in [value, value] }
    let dictionary = (0..<100).reduce(PropertyListValue.integer(1)) { value, _ in ["a": value, "b": value] }
    #expect(value == value && dictionary == dictionary && value != dictionary)
  }

  @Test("an XML file of a long value that is used many times is refused, unless the caller raises the limit")
  func repeatedInXML() throws {
    let text = PropertyListValue.string(String(repeating: "x", count: 20_000))
    let data = PropertyListValue.data(Data(repeating: 1, count: 20_000))
    // One of four lists; with `WHOLE_TESTS`, each.
    for (number, value) in [text, data].enumerated() {
      let dictionaries = PropertyListValue.array(Array(repeating: ["k": value], count: 299))
      let array = PropertyListValue.array(Array(repeating: value, count: 300))
      let lists: [PropertyListValue] = [array, ["a": [value], "b": dictionaries]]
      for (place, list) in lists.enumerated() where Sample.includes(2 * number + place, each: 4) {
        let error = #expect(throws: PropertyListError.self) { try list.propertyList(.xml) }
        #expect(error?.code == .limitReached && error?.remedy?.contains("maximumExpansion") == true)
        let file = try list.propertyList(.xml, limits: ReadLimits(maximumExpansion: 1000))
        #expect(try PropertyListValue(propertyList: file, limits: ReadLimits(maximumExpansion: 1000)) == list)
        #expect(try list.propertyList(.binary).count < 60_000)
      }
    }
    // Each has its own memory.
    let texts = PropertyListValue.array((0..<300).map { .string(String(repeating: "\($0 % 10)", count: 20_000)) })
    #expect(try PropertyListValue(propertyList: texts.propertyList(.xml)) == texts)
  }
}
