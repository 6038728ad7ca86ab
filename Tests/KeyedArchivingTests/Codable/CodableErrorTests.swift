// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Codable: errors say what went wrong, where and why")
struct CodableErrorTests {
  private struct Oops: Error, Equatable { var number: Int }

  struct Strict: KeyedCodable {
    enum Way: String, Codable { case fine, corrupted, own, encoding, wrapped }
    var way: Way
    var after = 1

    enum CodingKeys: CodingKey { case way, after }

    init(_ way: Way) { self.way = way }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(way, forKey: .way)
      try container.encode(after, forKey: .after)
      if way == .encoding {
        throw EncodingError.invalidValue(
          after, .init(codingPath: container.codingPath + [CodingKeys.after], debugDescription: "not today"))
      }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      way = try container.decode(Way.self, forKey: .way)
      after = try container.decode(Int.self, forKey: .after)
      switch way {
      case .corrupted:
        throw DecodingError.dataCorruptedError(forKey: .way, in: container, debugDescription: "corrupted way")
      case .own: throw Oops(number: 3)
      case .wrapped:
        throw DecodingError.dataCorrupted(
          .init(codingPath: container.codingPath, debugDescription: "wrapped", underlyingError: Oops(number: 4)))
      case .fine, .encoding: break
      }
    }
  }

  struct Outer: KeyedCodable {
    var list: [[String: Strict]]
  }

  /// A type with a default for an absent key.
  private struct Lenient: KeyedCodable {
    static var archiveClassName: String { "Lenient" }
    var count: Int

    enum CodingKeys: CodingKey { case count }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      count = container.contains(.count) ? try container.decode(Int.self, forKey: .count) : 7
    }

    func encode(to encoder: any Encoder) throws {}
  }

  @Test("a damaged value is an error, also if the type asks first whether it is there")
  func damagedValue() throws {
    func decode(_ fields: [(String, HandmadeList)]) throws -> Int? {
      let object = HandmadeList.dictionary(fields + [("$class", .uid(2))])
      let data = HandmadeList.archive([object, .classRecord("Lenient", "NSObject")])
      return try KeyedUnarchiver.unarchivedObject(ofClass: Lenient.self, from: data)?.count
    }
    #expect(try decode([("count", 3)]) == 3)
    #expect(try decode([]) == 7)
    let error = #expect(throws: KeyedArchiveError.self) { try decode([("count", .raw([0x70]))]) }
    #expect(error?.code == .damagedPropertyList || error?.code == .damagedArchive)
  }

  private func failure(_ way: Strict.Way) throws -> KeyedArchiveError? {
    let outer = Outer(list: [[:], ["k": Strict(way)]])
    let data = try KeyedArchiver.archivedData(withRootObject: outer, requiringSecureCoding: true)
    return #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Outer.self, from: data)
    }
  }

  @Test("a DecodingError of user code is the cause, and its coding path the way")
  func corrupted() throws {
    let error = try failure(.corrupted)
    #expect(error?.code == .malformedValue)
    #expect(error?.keyPath == "root.list[1][\"k\"].way")
    #expect(error?.detail.contains("corrupted way") == true)
    guard case .dataCorrupted(let context) = error?.underlying as? DecodingError else {
      Issue.record("no cause")
      return
    }
    #expect(context.debugDescription == "corrupted way")
  }

  @Test("an error of user code's own is the cause")
  func own() throws {
    let error = try failure(.own)
    #expect(error?.code == .reportedByClass)
    #expect(error?.underlying as? Oops == Oops(number: 3))
    #expect(error?.keyPath?.hasPrefix("root.list[1][\"k\"]") == true)
    let wrapped = try failure(.wrapped)
    #expect(wrapped?.detail.contains("Oops(number: 4)") == true)
    #expect(wrapped?.keyPath == "root.list[1][\"k\"]")
  }

  @Test("an EncodingError ends the archiving, with the way to the value")
  func encoding() {
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(
        withRootObject: Outer(list: [["k": Strict(.encoding)]]), requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
    #expect(error?.keyPath == "root.list[0][\"k\"].after")
    #expect(error?.underlying is EncodingError)
  }

  struct Numbers: KeyedCodable {
    static var archiveClassName: String { "Numbers" }
    var byte: Int = 300
    var text: String? = "x"
    var home: Address? = Address(street: "s", number: 1)
  }

  private func read<Value: KeyedCodable>(_ type: Value.Type, _ numbers: Numbers) throws -> KeyedArchiveError? {
    let data = try KeyedArchiver.archivedData(withRootObject: numbers, requiringSecureCoding: true)
    return #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data) }
  }

  @Test("a number that does not fit, a value of another kind, one that is missing and one that is nil")
  func values() throws {
    struct Narrow: KeyedCodable {
      static var archiveClassName: String { "Numbers" }
      var byte: UInt8
    }
    struct Wrong: KeyedCodable {
      static var archiveClassName: String { "Numbers" }
      var text: Int
    }
    struct More: KeyedCodable {
      static var archiveClassName: String { "Numbers" }
      var home: Address
      var more: Bool
    }
    struct Deep: KeyedCodable {
      struct Other: Codable { var street: Double }
      static var archiveClassName: String { "Numbers" }
      var home: [Other]
    }
    let narrow = try read(Narrow.self, Numbers())
    #expect(narrow?.code == .outOfRange && narrow?.keyPath == "root.byte")
    let wrong = try read(Wrong.self, Numbers())
    #expect(wrong?.code == .typeMismatch && wrong?.keyPath == "root.text")
    let more = try read(More.self, Numbers())
    #expect(more?.code == .valueNotFound && more?.keyPath == "root.more")
    let deep = try read(Deep.self, Numbers())
    #expect(deep?.code == .classNotAllowed && deep?.keyPath == "root.home")
    let absent = try read(Wrong.self, Numbers(text: nil))
    #expect(absent?.code == .valueNotFound && absent?.keyPath == "root.text")
  }

  @Test("inside init(from:) errors are those Codable knows, and may be caught to try something else")
  func caught() throws {
    struct Trying: KeyedCodable {
      static var archiveClassName: String { "Numbers" }
      enum CodingKeys: CodingKey { case byte, text, home, more }
      var log: [String] = []
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func attempt<Value: Decodable>(_ type: Value.Type, _ key: CodingKeys) -> String {
          do {
            return "\(try container.decode(type, forKey: key))"
          } catch DecodingError.keyNotFound(let key, let context) {
            return "no \(key.stringValue) at \(context.codingPath.map(\.stringValue))"
          } catch DecodingError.typeMismatch(let type, let context) {
            return "no \(type) at \(context.codingPath.map(\.stringValue))"
          } catch DecodingError.dataCorrupted(let context) {
            return "corrupted at \(context.codingPath.map(\.stringValue))"
          } catch {
            return "\(error)"
          }
        }
        log = [
          attempt(Int.self, .more), attempt(Int.self, .text), attempt(UInt8.self, .byte), attempt(Owner.self, .home),
          attempt([Temper].self, .home), attempt(Int.self, .byte), attempt(Address.self, .home),
        ]
        #expect(container.codingPath.map(\.stringValue) == ["root"])
      }
      func encode(to encoder: any Encoder) throws {}
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Numbers(), requiringSecureCoding: true)
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: Trying.self, from: data)
    #expect(
      made?.log == [
        "no more at [\"root\"]", "no Int at [\"root\", \"text\"]", "corrupted at [\"root\", \"byte\"]",
        "no Owner at [\"root\", \"home\"]", "no Array<Temper> at [\"root\", \"home\"]", "300",
        "Address(street: \"s\", number: 1)",
      ])
  }

  @Test("coding paths while encoding")
  func encodingPaths() throws {
    struct Inner: Codable {
      func encode(to encoder: any Encoder) throws {
        #expect(encoder.codingPath.map(\.stringValue) == ["root", "list", "1"])
        var container = encoder.container(keyedBy: Strict.CodingKeys.self)
        let nested = container.nestedUnkeyedContainer(forKey: .way)
        #expect(nested.codingPath.map(\.stringValue) == ["root", "list", "1", "way"])
      }
      init() {}
      init(from decoder: any Decoder) throws {}
    }
    struct Top: KeyedCodable { var list: [Inner?] }
    _ = try KeyedArchiver.archivedData(withRootObject: Top(list: [nil, Inner()]), requiringSecureCoding: true)
  }

  @Test("a container that is used when its object is over is refused")
  func escaped() throws {
    final class Escape: KeyedCodable {
      static func keep(_ encoder: any Encoder) {}
      var kept: KeyedEncodingContainer<Strict.CodingKeys>?
      init() {}
      func encode(to encoder: any Encoder) throws { kept = encoder.container(keyedBy: Strict.CodingKeys.self) }
      init(from decoder: any Decoder) throws {}
    }
    let escape = Escape()
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(escape, forKey: "root")
    #expect(throws: EncodingError.self) { try escape.kept?.encode(1, forKey: .after) }
    #expect(try KeyedArchive(archiver.encodedData).root.keys.isEmpty)
  }

  @Test("two single values for one are refused")
  func twice() {
    struct Twice: KeyedCodable {
      init() {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(1)
        try container.encode(2)
      }
      init(from decoder: any Decoder) throws {}
    }
    struct Both: KeyedCodable {
      init() {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Strict.CodingKeys.self)
        try container.encode(1, forKey: .after)
        var single = encoder.singleValueContainer()
        try single.encode(2)
      }
      init(from decoder: any Decoder) throws {}
    }
    for value in [Twice(), Both()] as [any KeyedCodable] {
      let error = #expect(throws: KeyedArchiveError.self) {
        let archiver = KeyedArchiver(requiringSecureCoding: true)
        archiver.encode(value, forKey: "root")
        _ = try archiver.encodedData
      }
      #expect(error?.code == .notEncodable)
    }
  }

  // MARK: The types in errors

  struct Small: Codable { var size: Int }

  struct Large: Codable { var size: String }

  /// The type and the path of a `DecodingError`.
  private static func requested(_ body: () throws -> Void) -> String {
    do {
      try body()
      return "no error"
    } catch let DecodingError.typeMismatch(type, context), let DecodingError.valueNotFound(type, context) {
      let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
      return "\(type) at \(path.filter { $0 != "root" })"
    } catch {
      return "\(error)"
    }
  }

  private static func expectSameType<Wanted: Decodable>(_ value: some Encodable, _ type: Wanted.Type) throws {
    let archive = try KeyedArchiveEncoder().encode(value)
    let json = try JSONEncoder().encode(value)
    let expected = requested { _ = try JSONDecoder().decode(type, from: json) }
    #expect(requested { _ = try KeyedArchiveDecoder().decode(type, from: archive) } == expected)
  }

  @Test("name the type that was requested where the path leads, as JSONDecoder does")
  func innermostType() throws {
    try Self.expectSameType([1, 2, nil], [Int].self)
    try Self.expectSameType(["a", "b"], [Int].self)
    try Self.expectSameType(["a": ["b": "c"]], [String: [String: Int]].self)
    try Self.expectSameType([[Set(["a"])]], [[Set<Double>]].self)
    try Self.expectSameType([["a": [1.5]]], [[String: [Bool]]].self)
  }

  @Test("name the requested type, not an element's collection, if an element has another class")
  func elementOfAnotherClass() throws {
    let data = try KeyedArchiveEncoder().encode(["k": [Large(size: "a")]])
    let found = Self.requested { _ = try KeyedArchiveDecoder().decode([String: [Small]].self, from: data) }
    #expect(found == "Small at [\"k\", \"[0]\"]")
  }
}
