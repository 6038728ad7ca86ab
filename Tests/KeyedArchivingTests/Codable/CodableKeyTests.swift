// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("Codable: keys of containers")
struct CodableKeyTests {
  private enum Keys: String, CodingKey { case first, second, third }

  /// Requests another value between creating a super-decoder and using it.
  private struct Late: Codable {
    init() {}
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      let nested = try container.superDecoder(forKey: .second)
      _ = try container.decode(Int.self, forKey: .first)
      #expect(nested.codingPath.last?.stringValue == "second")
      _ = try container.decode(Int.self, forKey: .first)
      _ = try nested.container(keyedBy: Keys.self).decode(Int.self, forKey: .third)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(1, forKey: .first)
      var nested = container.superEncoder(forKey: .second).container(keyedBy: Keys.self)
      try nested.encode("text", forKey: .third)
    }
  }

  /// Elements of an unkeyed container, of which the value of a super-decoder is requested last.
  private struct LateElement: Codable {
    init() {}
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      let nested = try container.superDecoder()
      _ = try container.decode(Int.self)
      _ = try nested.container(keyedBy: Keys.self).decode(Int.self, forKey: .third)
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      var nested = container.superEncoder().container(keyedBy: Keys.self)
      try nested.encode("text", forKey: .third)
      try container.encode(1)
    }
  }

  private func errorPath<Value: Codable>(
    _ value: Value, _ encode: (Value) throws -> Data, _ decode: (Value.Type, Data) throws -> Value
  ) throws -> [String] {
    let data = try encode(value)
    let error = try #require(throws: DecodingError.self) { try decode(Value.self, data) }
    guard case .typeMismatch(_, let context) = error else { return ["\(error)"] }
    return context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
  }

  private func checkPath<Value: Codable>(_ value: Value) throws {
    let expected = try errorPath(value, { try JSONEncoder().encode($0) }, { try JSONDecoder().decode($0, from: $1) })
    let found = try errorPath(
      value, { try KeyedArchiveEncoder().encode($0) }, { try KeyedArchiveDecoder().decode($0, from: $1) })
    // An archive has the top-level key as well, and a dollar sign before the number of an unkeyed value.
    #expect(found == ["root"] + expected.map { Int($0) == nil ? $0 : "$" + $0 })
  }

  @Test("a super-decoder has the path of its own value, as in JSON")
  func superDecoders() throws {
    try checkPath(Late())
    try checkPath(LateElement())
  }

  private struct AnyKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Table: KeyedCodable {
    static var archiveClassName: String { "Table" }
    var keys: [String]
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      keys = try container.nestedContainer(keyedBy: AnyKey.self, forKey: .first).allKeys.map(\.stringValue)
    }
    func encode(to encoder: any Encoder) {}
  }

  private func table(_ keys: [HandmadeList]) throws -> Table {
    let references = (0..<keys.count).map { HandmadeList.uid(UInt64(5 + $0)) }
    let data = HandmadeList.archive(
      [
        Hostile.object(2, [("first", .uid(3))]), .classRecord("Table", "NSObject"),
        Hostile.object(4, [("NS.keys", .array(references)), ("NS.objects", .array(references))]), Hostile.dictionary,
      ] + keys)
    return try KeyedArchiveDecoder().decode(Table.self, from: data)
  }

  @Test("a nested container with two equal keys is an error, because one value would be lost")
  func duplicateKeys() throws {
    #expect(try table(["a", "b", "\u{E9}", "e\u{301}"]).keys == ["a", "b", "\u{E9}", "e\u{301}"])
    for keys in [["a", "a"], [5, "5"], ["a", "b", "a"]] as [[HandmadeList]] {
      #expect(throws: DecodingError.self) { try table(keys) }
    }
  }

  private struct Values: KeyedCodable {
    static var archiveClassName: String { "Values" }
    var all: [Int] = []
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd { all.append(try container.decode(Int.self)) }
    }
    func encode(to encoder: any Encoder) {}
  }

  /// All values that the calls of `NSCoder` without keys return.
  private struct CoderValues: SecureKeyedCoding {
    static var archiveClassName: String { "Values" }
    var all: [Int] = []
    func encode(with coder: KeyedArchiver) {}
    init(coder: KeyedUnarchiver) {
      while coder.containsNextValue { if let value = coder.decodeObject(of: Int.self) { all.append(value) } }
    }
  }

  @Test(
    "unkeyed values have one name for each number",
    arguments: [
      (["$0", "$1", "$2"], [0, 1, 2]), (["$0", "$+1"], [0]), (["$00", "$0"], [1]), (["$0", "$01"], [0]),
      (["$0", "$1", "$-0"], [0, 1]), (["$2", "$1", "$0"], [2, 1, 0]), (["$0", "$"], [0]),
    ] as [([String], [Int])])
  func unkeyedNames(_ keys: [String], _ expected: [Int]) throws {
    let values = keys.enumerated().map { ($1, HandmadeList.uid(UInt64(3 + $0))) }
    let data = HandmadeList.archive(
      [Hostile.object(2, values), .classRecord("Values", "NSObject")]
        + keys.indices.map { HandmadeList.integer(Int64($0)) })
    #expect(try KeyedArchiveDecoder().decode(Values.self, from: data).all == expected)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: CoderValues.self, from: data)?.all == expected)
  }

  // A class that another class selects.

  private class Old: SecureKeyedCoding, ArchiveClassResolving {
    class var archiveClassName: String { "Old" }
    class func classForUnarchiver() -> AnyClass { New.self }
    func encode(with coder: KeyedArchiver) {}
    required init(coder: KeyedUnarchiver) { _ = coder.decodeInteger(forKey: "a") }
  }

  private final class New: Old {
    override class var archiveClassName: String { "New" }
    override class func classForUnarchiver() -> AnyClass { New.self }
  }

  @Test("of a class that another class selects are in the report")
  func selectedClass() throws {
    let data = HandmadeList.archive([Hostile.object(2, [("a", 1), ("b", 2)]), .classRecord("Old", "NSObject")])
    let (value, report) = try KeyedArchiveDecoder().decodeReportingKeys(Old.self, from: data)
    #expect(value is New)
    #expect(report.unreadKeys.map(\.key) == ["b"])
  }
}
