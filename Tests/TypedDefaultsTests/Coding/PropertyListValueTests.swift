// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import PropertyListFormat
import TestSupport
import Testing
import TypedDefaults

@Suite("Property-list objects")
struct PropertyListValueTests {
  /// One of each kind, its name, and how people are shown it.
  private static let kinds: [(value: PropertyListValue, kind: String, text: String)] = [
    (false, "boolean", "false"), (-3, "integer", "-3"),
    (.wideInteger(18_446_744_073_709_551_615), "integer", "18446744073709551615"), (.float(0.1), "real", "0.1"),
    (2.5, "real", "2.5"), (.date(Date(timeIntervalSinceReferenceDate: 0.5)), "date", "2001-01-01T00:00:00.500Z"),
    (.data(Data([1, 2, 3])), "data", "3 bytes"), ("é", "string", "\"é\""), (.uid(7), "uid", "uid 7"),
    ([1, "a"], "array", "[1, \"a\"]"), (["b": 1, "a": []], "dictionary", "[\"a\": [], \"b\": 1]"),
  ]

  @Test("have a kind, and a text for people")
  func descriptions() {
    for (value, kind, text) in Self.kinds {
      #expect(value.kindName == kind)
      #expect("\(value)" == text)
    }
    #expect("\(PropertyListValue.dictionary([:]))" == "[:]")
    // Dates that no calendar has.
    #expect("\(PropertyListValue.date(Date(timeIntervalSinceReferenceDate: .infinity)))" == "inf s after 2001")
  }

  @Test("are equal, and have one hash, when kind and every bit are the same")
  func equality() {
    for (row, one) in Self.kinds.enumerated() {
      for (column, other) in Self.kinds.enumerated() { #expect((one.value == other.value) == (row == column)) }
    }
    #expect(Set(Self.kinds.map(\.value) + Self.kinds.map(\.value)).count == Self.kinds.count)
    #expect(PropertyListValue.double(0) != .double(-0.0) && .double(.nan) == PropertyListValue.double(.nan))
    // As Swift compares texts, these would be the same.
    #expect(PropertyListValue.string("é") != .string("e\u{301}"))
    #expect(Set<PropertyListValue>([["é": 1], ["e\u{301}": 1], ["é": 2]]).count == 3)
  }

  @Test("are numbered as plistlib and CoreFoundation do in files; a UID, too")
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

  @Test("are none of what only files can hold")
  func foreign() {
    // An array of one null.
    let null = Data(
      Array("bplist00".utf8) + [0xA1, 1, 0x00, 8, 10] + [0, 0, 0, 0, 0, 0, 1, 1]
        + [2, 0, 11].flatMap { Array(repeating: UInt8(0), count: 7) + [UInt8($0)] })
    let error = #expect(throws: PropertyListError.self) { try PropertyListValue(propertyList: null) }
    #expect(error?.code == .notRepresentable)
    #expect(error?.description.contains("found a null") == true)
  }

  @Test("of sets are in an order of their own, whatever the order of the set")
  func order() throws {
    func encoded<Element: Codable & Hashable>(_ set: Set<Element>) throws -> PropertyListValue {
      try UserDefaultsEncoder().encode(set)
    }
    #expect(try encoded([true, false]) == [false, true])
    #expect(try encoded([3, -1, 2]) == [-1, 2, 3])
    #expect(
      try encoded([UInt64.max, 1, UInt64.max - 1])
        == [1, .wideInteger(18_446_744_073_709_551_614), .wideInteger(18_446_744_073_709_551_615)])
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

  @Test("of dictionaries are in the order of their keys' bytes, and of equal keys the last counts")
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

  @Test("stand for values of Swift's own types, and the other way round")
  func plain() throws {
    let values: [(any Sendable, PropertyListValue)] = [
      (true, true), ("x", "x"), (7, 7), (2.5, 2.5), (Float(0.5), .float(0.5)),
      (Date(timeIntervalSinceReferenceDate: 1), .date(Date(timeIntervalSinceReferenceDate: 1))),
      (Data([1]), .data(Data([1]))), (UInt8(3), 3), (UInt64.max, .wideInteger(18_446_744_073_709_551_615)),
      ([1, "a"] as [any Sendable], [1, "a"]), (["k": [true]] as [String: any Sendable], ["k": [true]]),
      (PropertyListValue.uid(4), .uid(4)),
    ]
    for (value, object) in values { #expect(PropertyListValue(plain: value) == object) }
    for value in [UInt128.max, [Self.self], ["k": Self.self], Self.self] as [Any] {
      #expect(PropertyListValue(plain: value) == nil)
    }

    #expect(PropertyListValue.boolean(true).plain as? Bool == true)
    #expect(PropertyListValue.integer(-1).plain as? Int == -1)
    #expect(PropertyListValue.wideInteger(1 << 63).plain as? UInt64 == 1 << 63)
    #expect(PropertyListValue.wideInteger(1 << 64).plain as? Int128 == 1 << 64)
    #expect(PropertyListValue.float(0.5).plain as? Float == 0.5)
    #expect(PropertyListValue.double(0.5).plain as? Double == 0.5)
    #expect(PropertyListValue.date(Date(timeIntervalSinceReferenceDate: 1)).plain is Date)
    #expect(PropertyListValue.data(Data([1])).plain as? Data == Data([1]))
    #expect(PropertyListValue.string("x").plain as? String == "x")
    #expect(PropertyListValue.uid(4).plain as? UInt64 == 4)
    #expect(PropertyListValue.array([1, 2]).plain as? [Int] == [1, 2])
    #expect(PropertyListValue.dictionary(["a": 1]).plain as? [String: Int] == ["a": 1])
  }
}
