// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

/// A value in one of the forms that an encoder can write.
private indirect enum Form: Equatable {
  case null
  case integer(Int)
  case text(String)
  case flag(Bool)
  case list([Form])
  case table([String: Form])

  static func random(_ random: inout SeededRandom, depth: Int) -> Form {
    let count = Int.random(in: 0...3, using: &random)
    func next() -> Form { Form.random(&random, depth: depth - 1) }
    switch Int.random(in: depth > 0 ? 0..<10 : 0..<4, using: &random) {
    case 0: return .null
    case 1: return .integer(Int.random(in: -5...500, using: &random))
    case 2: return .text(["a", "b", "a longer text than fifteen"].randomElement(using: &random) ?? "")
    case 3: return .flag(Bool.random(using: &random))
    case 4..<7: return .list((0..<count).map { _ in next() })
    default: return .table(Dictionary(uniqueKeysWithValues: (0..<count).map { ("key\($0)", next()) }))
    }
  }
}

private struct Key: CodingKey {
  var stringValue: String
  var intValue: Int? { nil }
  init(_ key: String) { stringValue = key }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A type that encodes a form in one of several ways, and tries one form after another when it is decoded.
private protocol Trying: Codable {
  var form: Form { get }
  init(_ form: Form)
}

/// The ways to encode, and the order in which forms are tried.
private enum Choice {
  @TaskLocal static var way = 0
  @TaskLocal static var order: [Int] = []
}

extension Trying {
  func write(to encoder: any Encoder) throws {
    let isForwarded = Choice.way & 1 != 0
    func put(_ value: some Encodable) throws {
      if isForwarded { return try value.encode(to: encoder) }
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
    switch form {
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .integer(let value): try put(value)
    case .text(let value): try put(value)
    case .flag(let value): try put(value)
    case .list(let list):
      guard Choice.way & 2 != 0 else { return try put(list.map(Self.init)) }
      var container = encoder.unkeyedContainer()
      for element in list { try container.encode(Self(element)) }
    case .table(let table):
      guard Choice.way & 4 != 0 else { return try put(table.mapValues(Self.init)) }
      var container = encoder.container(keyedBy: Key.self)
      for (key, value) in table { try container.encode(Self(value), forKey: Key(key)) }
    }
  }

  static func read(from decoder: any Decoder) throws -> Form {
    for number in Choice.order {
      guard let form = try? read(number, from: decoder) else { continue }
      return form
    }
    throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no form fits"))
  }

  static var readerCount: Int { 9 }

  private static func read(_ number: Int, from decoder: any Decoder) throws -> Form? {
    switch number {
    case 0: return try decoder.singleValueContainer().decodeNil() ? .null : nil
    case 1: return .integer(try decoder.singleValueContainer().decode(Int.self))
    case 2: return .text(try decoder.singleValueContainer().decode(String.self))
    case 3: return .flag(try decoder.singleValueContainer().decode(Bool.self))
    case 4: return .list(try decoder.singleValueContainer().decode([Self].self).map(\.form))
    case 5: return .table(try decoder.singleValueContainer().decode([String: Self].self).mapValues(\.form))
    case 6: return .list(try [Self](from: decoder).map(\.form))
    case 7:
      var (container, list) = (try decoder.unkeyedContainer(), [Form]())
      while !container.isAtEnd { list.append(try container.decode(Self.self).form) }
      return .list(list)
    default:
      let container = try decoder.container(keyedBy: Key.self)
      var table: [String: Form] = [:]
      for key in container.allKeys { table[key.stringValue] = try container.decode(Self.self, forKey: key).form }
      return .table(table)
    }
  }
}

private struct Value: Trying {
  let form: Form
  init(_ form: Form) { self.form = form }
  init(from decoder: any Decoder) throws { form = try Self.read(from: decoder) }
  func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

private final class Instance: Trying {
  let form: Form
  init(_ form: Form) { self.form = form }
  init(from decoder: any Decoder) throws { form = try Self.read(from: decoder) }
  func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

private struct Keyed: Trying, KeyedCodable {
  let form: Form
  init(_ form: Form) { self.form = form }
  init(from decoder: any Decoder) throws { form = try Self.read(from: decoder) }
  func encode(to encoder: any Encoder) throws { try write(to: encoder) }
}

@Suite("Types that try one form after another")
struct TriedFormTests {
  private func check<Tried: Trying>(_ type: Tried.Type, _ form: Form, _ comment: Comment) throws {
    let expected = try JSONDecoder().decode([Tried].self, from: JSONEncoder().encode([Tried(form)])).map(\.form)
    #expect(expected == [form], comment)
    let list = try KeyedArchiveDecoder().decode([Tried].self, from: KeyedArchiveEncoder().encode([Tried(form)]))
    #expect(list.map(\.form) == expected, comment)
    guard form != .null else { return }
    let root = try KeyedArchiveDecoder().decode(Tried.self, from: KeyedArchiveEncoder().encode(Tried(form)))
    #expect(root.form == form, comment)
  }

  /// An eighth of the forms; with `WHOLE_TESTS`, all.
  @Test("get the form that was encoded, as from JSONDecoder", arguments: Sample.cases(0..<UInt64(200), each: 8))
  func random(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let form = Form.random(&random, depth: 3)
    let way = Int.random(in: 0..<8, using: &random)
    let order = (0..<Value.readerCount).shuffled(using: &random)
    try Choice.$way.withValue(way) {
      try Choice.$order.withValue(order) {
        try check(Value.self, form, "struct, seed \(seed): \(form), way \(way), order \(order)")
        try check(Instance.self, form, "class, seed \(seed): \(form), way \(way), order \(order)")
        try check(Keyed.self, form, "KeyedCodable, seed \(seed): \(form), way \(way), order \(order)")
      }
    }
  }

  @Test("have a budget that suffices for many and for nested values", arguments: [0, 7])
  func large(_ way: Int) throws {
    let entry: (Int) -> Form = {
      .table([
        "id": .integer($0), "tags": .list([.text("a"), .text("b"), .null]), "more": .table(["flag": .flag(true)]),
      ])
    }
    var nested = Form.integer(1)
    for level in 0..<150 { nested = level.isMultiple(of: 2) ? .list([nested]) : .table(["next": nested]) }
    try Choice.$way.withValue(way) {
      // Six scalars first, as types do that also try integers and reals of other widths.
      try Choice.$order.withValue([0, 3, 1, 2, 3, 1, 2, 4, 7, 5, 8]) {
        for form in [Form.list((0..<400).map(entry)), nested] {
          let value = try KeyedArchiveDecoder().decode(Value.self, from: KeyedArchiveEncoder().encode(Value(form)))
          #expect(value.form == form)
          let data = try KeyedArchiveEncoder().encode(Instance(form))
          let object = try KeyedArchiveDecoder().decode(Instance.self, from: data)
          #expect(object.form == form)
        }
      }
    }
  }
}
