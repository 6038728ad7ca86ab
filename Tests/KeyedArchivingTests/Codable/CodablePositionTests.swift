// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

// The kinds of values.

private enum KeyedNumber: Int, KeyedCodable, Hashable { case one = 1, two }
private enum PlainNumber: Int, Codable, Hashable { case one = 1, two }
private enum KeyedText: String, KeyedCodable, Hashable {
  case null = "$null"
  case empty = ""
}

/// A struct that is archived as a single value.
private struct KeyedSingle: KeyedCodable, Hashable {
  var value: Double
  init(_ value: Double) { self.value = value }
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Double.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

private struct PlainStruct: Codable, Hashable {
  var number = 1
  var text: String? = "$null"
}

private struct KeyedStruct: KeyedCodable, Hashable {
  var number = 1
  var text: String? = "\u{E9}"
}

private final class PlainClass: Codable {
  var number = 1
  init() {}
}

private final class KeyedClass: KeyedCodable {
  var number = 1
  var choice: KeyedNumber? = .two
  init() {}
}

private enum PlainChoice: Codable {
  case none
  case one(KeyedNumber?)
  case two(name: String, PlainNumber)
}

private enum KeyedChoice: KeyedCodable {
  case none
  case one(KeyedNumber)
}

private final class Station: Codable {
  var name = "station"
  init() {}
}

// The positions of a value.

private protocol Position: Codable {
  associatedtype Value: Codable
  init(_ value: Value)
}

private enum Keys: String, CodingKey { case first, second }
private enum NumberKeys: Int, CodingKey { case one = 1, two = 2 }

private struct SingleValue<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

private struct KeyedSingleValue<Value: Codable>: KeyedCodable, Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Value.self) }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value)
  }
}

private struct Member<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    value = try decoder.container(keyedBy: Keys.self).decode(Value.self, forKey: .first)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try container.encode(value, forKey: .first)
  }
}

private struct NumberedMember<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    value = try decoder.container(keyedBy: NumberKeys.self).decode(Value.self, forKey: .two)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: NumberKeys.self)
    try container.encode(value, forKey: .two)
  }
}

/// Encodes the value in an unkeyed container, after a number.
private struct Element<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    _ = try container.decode(Int.self)
    value = try container.decode(Value.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try container.encode(7)
    try container.encode(value)
  }
}

private struct NestedMember<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Keys.self)
    value = try container.nestedContainer(keyedBy: Keys.self, forKey: .second).decode(Value.self, forKey: .first)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    var nested = container.nestedContainer(keyedBy: Keys.self, forKey: .second)
    try nested.encode(value, forKey: .first)
  }
}

private struct NestedElement<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    var nested = try container.nestedUnkeyedContainer()
    value = try nested.decode(Value.self)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    var nested = container.nestedUnkeyedContainer()
    try nested.encode(value)
  }
}

private struct SuperMember<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    value = try Value(from: decoder.container(keyedBy: Keys.self).superDecoder(forKey: .second))
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Keys.self)
    try value.encode(to: container.superEncoder(forKey: .second))
  }
}

private struct SuperElement<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws {
    var container = try decoder.unkeyedContainer()
    let first = try container.superDecoder()
    _ = try Value(from: container.superDecoder())
    value = try Value(from: first)
  }
  func encode(to encoder: any Encoder) throws {
    var container = encoder.unkeyedContainer()
    try value.encode(to: container.superEncoder())
    try value.encode(to: container.superEncoder())
  }
}

/// A value that uses the decoder of the type that contains it.
private struct Passed<Value: Codable>: Position {
  var value: Value
  init(_ value: Value) { self.value = value }
  init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

private struct Synthesized<Value: Codable>: Codable {
  var value: Value?
  var others: [Value]
  var byName: [String: Value]
  var byNumber: [Int: [Value]]
}

@Suite("Codable values of each kind in each position")
struct CodablePositionTests {
  private func json(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(value), as: UTF8.self)
  }

  /// Archives and decodes a value, and compares the result with what JSON makes of it.
  private func check<Value: Codable>(_ value: Value, _ comment: String) throws {
    let expected = try json(JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value)))
    let made: Value
    do {
      made = try KeyedArchiveDecoder().decode(Value.self, from: KeyedArchiveEncoder().encode(value))
    } catch {
      Issue.record("\(comment), \(Value.self): \(error)")
      return
    }
    #expect(try json(made) == expected, "\(comment), \(Value.self)")
  }

  private func checkPositions<Value: Codable>(_ value: Value, _ comment: String) throws {
    try check(value, comment)
    try check(SingleValue(value), comment)
    try check(KeyedSingleValue(value), comment)
    try check(Member(value), comment)
    try check(NumberedMember(value), comment)
    try check(Element(value), comment)
    try check(NestedMember(value), comment)
    try check(NestedElement(value), comment)
    try check(SuperMember(value), comment)
    try check(SuperElement(value), comment)
    try check(Passed(value), comment)
    try check(Member(Passed(value)), comment)
    try check(Member(SingleValue(value)), comment)
    try check(Member(KeyedSingleValue(value)), comment)
    try check(Member(Member(value)), comment)
    try check([value], comment)
    try check(ContiguousArray([value]), comment)
    try check([[value]], comment)
    try check(["key": value], comment)
    try check([1: [value]], comment)
    try check([SingleValue(value)], comment)
    try check([KeyedSingleValue(value)], comment)
    try check([Passed(value)], comment)
  }

  private func checkAll<Value: Codable>(_ value: Value) throws {
    let name = "\(Value.self) \(value)"
    try checkPositions(value, name)
    try checkPositions(value as Value?, "\(name), optional")
    try checkPositions(nil as Value?, "\(name), nil")
    try checkPositions(Member<Value?>(value), "\(name), in a struct")
    try check([value, nil], name)
    // A nested optional loses the difference of its two nils, so the values here are not nil.
    try check(Synthesized(value: value, others: [value], byName: ["key": value], byNumber: [1: [value]]), name)
    try check(
      Synthesized(value: value as Value?, others: [value, nil], byName: ["key": nil], byNumber: [1: [nil, value]]), name
    )
  }

  /// Makes a fourth of the checks; with `WHOLE_TESTS`, all.
  private func sample(_ checks: [() throws -> Void]) throws {
    for check in Sample.cases(checks, each: 4) { try check() }
  }

  @Test("are decoded as JSON decodes them: numbers and text")
  func primitives() throws {
    try sample([
      { try checkAll(5) },
      { try checkAll(Int8.min) },
      { try checkAll(UInt64.max) },
      { try checkAll(Float(1.5)) },
      { try checkAll(true) },
      { try checkAll("$null") },
      { try checkAll("") },
      { try checkAll(Date(timeIntervalSinceReferenceDate: 1.5)) },
      { try checkAll(Data()) },
      { try checkAll(try #require(URL(string: "http://host/path"))) },
      { try checkAll(Decimal(5) / 4) },
    ])
  }

  @Test("are decoded as JSON decodes them: enums and structs")
  func values() throws {
    try sample([
      { try checkAll(KeyedNumber.two) },
      { try checkAll(PlainNumber.two) },
      { try checkAll(KeyedText.null) },
      { try checkAll(KeyedText.empty) },
      { try checkAll(KeyedSingle(2.5)) },
      { try checkAll(PlainStruct()) },
      { try checkAll(KeyedStruct()) },
      { try checkAll(PlainChoice.none) },
      { try checkAll(PlainChoice.one(nil)) },
      { try checkAll(PlainChoice.two(name: "name", .one)) },
      { try checkAll(KeyedChoice.none) },
      { try checkAll(KeyedChoice.one(.two)) },
    ])
  }

  @Test("are decoded as JSON decodes them: instances and collections")
  func instances() throws {
    try sample([
      { try checkAll(PlainClass()) },
      { try checkAll(KeyedClass()) },
      { try checkAll([KeyedNumber.one]) },
      { try checkAll([KeyedNumber.one: 1]) },
      { try checkAll(Set([KeyedSingle(1)])) },
      { try checkAll(["key": KeyedNumber?.none]) },
      { try checkAll([Int]()) },
      { try checkAll([String: Int]()) },
    ])
  }

  @Test("are decoded as JSON decodes them: references")
  func references() throws {
    try sample([
      { try checkAll(ArchiveReference<Station>()) },
      { try checkAll(ArchiveReference(wrappedValue: Station())) },
      { try checkAll(ArchiveReference<KeyedClass>()) },
      { try checkAll(ArchiveReference(wrappedValue: KeyedClass())) },
      { try checkAll(ArchiveBackReference<Station>()) },
      { try checkAll(ArchiveBackReference<KeyedClass>()) },
    ])
  }

  /// A property wrapper that decodes an optional as the type that it is.
  @propertyWrapper
  private struct Lenient<Value: Codable>: Codable {
    var wrappedValue: Value
    init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
    init(from decoder: any Decoder) throws { wrappedValue = try decoder.singleValueContainer().decode(Value.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(wrappedValue)
    }
  }

  private struct Wrapping: Codable {
    @Lenient var number: KeyedNumber? = .two
    @Lenient var single: KeyedSingle? = KeyedSingle(1)
  }

  @Test("are decoded in generic property wrappers")
  func wrappers() throws { try check(Wrapping(), "wrapped") }

  @Test("of an optional type that is only KeyedCoding are decoded from an archive of nil")
  func keyedNil() throws {
    let data = try KeyedArchiveEncoder().encode(Int?.none)
    #expect(try KeyedArchiveDecoder().decode(Parent?.self, from: data) == nil)
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchiveDecoder().decode(Parent.self, from: data) }
    #expect(error?.code == .valueNotFound)
  }
}
