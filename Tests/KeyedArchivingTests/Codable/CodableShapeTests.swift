// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Codable: every shape that a type may give itself")
struct CodableShapeTests {
  enum Figure: KeyedCodable, Hashable {
    case dot
    case circle(radius: Double)
    case box(width: Int, height: Int, label: String?)
    indirect case group([Figure])
    case pair(Int, Temper)
  }

  @Test("enums with associated values")
  func enums() throws {
    let figures: [Figure] = [
      .dot, .circle(radius: 2.5), .box(width: 1, height: 2, label: nil), .box(width: 1, height: 2, label: "x"),
      .group([.dot, .group([]), .circle(radius: -0.0)]), .pair(7, .calm),
    ]
    #expect(try again(figures) == figures)
    let root = try archive(Figure.box(width: 3, height: 4, label: "b")).root
    #expect(root.className == "KeyedArchivingTests.CodableShapeTests.Figure")
    #expect(root.keys == ["box"])
    // A nested container is a dictionary object.
    #expect(root["box"].className == "NSDictionary")
    #expect(root["box"]["width"].number == .integer(3))
  }

  @Test("optionals: absent, nil inside collections, nested, and nil at the top")
  func optionals() throws {
    struct Maybe: KeyedCodable, Equatable {
      var a: Int?
      var b: Address?
      var c: [Address?]
      var d: [String: Temper?]
      var e: Temper?
    }
    let none = Maybe(a: nil, b: nil, c: [nil], d: ["x": Temper?.none], e: nil)
    #expect(try again(none) == none)
    #expect(try archive(none).root.keys.sorted() == ["c", "d"])
    let some = Maybe(
      a: 1, b: Address(street: "s", number: 1), c: [nil, Address(street: "t", number: 2)],
      d: ["x": Temper?.some(.wild), "y": Temper?.none],
      e: .calm)
    #expect(try again(some) == some)
    #expect(try again(Maybe?.none) == Maybe??.none)
    #expect(try again([some, nil, none]) == [some, nil, none])
  }

  private struct Record: KeyedCodable {
    static var archiveClassName: String { "Record" }
    var text: String?
    var number: Int?
    var date: Date?
  }

  @Test("a null object is nil for an optional string and number, as for other optionals")
  func nullObject() throws {
    let data = HandmadeList.archive([
      ["text": .uid(3), "number": .uid(3), "date": .uid(3), "$class": .uid(2)], .classRecord("Record", "NSObject"),
      ["$class": .uid(4)], .classRecord("NSNull", "NSObject"),
    ])
    let record = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Record.self, from: data))
    #expect(record.text == nil && record.number == nil && record.date == nil)
  }

  /// Encodes explicit nils, which stand in the archive as references to nothing.
  struct Explicit: KeyedCodable, Equatable {
    var a: Int?
    var b: String?

    enum CodingKeys: CodingKey { case a, b }

    init(a: Int?, b: String?) {
      self.a = a
      self.b = b
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      if let a { try container.encode(a, forKey: .a) } else { try container.encodeNil(forKey: .a) }
      try container.encode(b, forKey: .b)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      #expect(container.contains(.a))
      a = try container.decodeNil(forKey: .a) ? nil : container.decode(Int.self, forKey: .a)
      b = try container.decode(String?.self, forKey: .b)
    }
  }

  @Test("a nil that is encoded is there, as nil")
  func explicitNil() throws {
    let nothing = Explicit(a: nil, b: nil)
    #expect(try again(nothing) == nothing)
    let root = try archive(nothing).root
    #expect(root.keys.sorted() == ["a", "b"])
    #expect(root["a"].isNull && root["b"].isNull)
    #expect(try again(Explicit(a: 1, b: "x")) == Explicit(a: 1, b: "x"))
  }

  /// Uses nested containers in turns.
  struct Nested: KeyedCodable, Equatable {
    var x: Int
    var y: Double
    var names: [String]
    var inner: [[Int]]

    enum Keys: String, CodingKey { case point, x, y, names, lists }

    init(x: Int, y: Double, names: [String], inner: [[Int]]) {
      self.x = x
      self.y = y
      self.names = names
      self.inner = inner
    }

    func encode(to encoder: any Encoder) throws {
      var outer = encoder.container(keyedBy: Keys.self)
      var point = outer.nestedContainer(keyedBy: Keys.self, forKey: .point)
      var list = outer.nestedUnkeyedContainer(forKey: .names)
      try point.encode(x, forKey: .x)
      for name in names { try list.encode(name) }
      try point.encode(y, forKey: .y)
      var lists = point.nestedUnkeyedContainer(forKey: .lists)
      for numbers in inner {
        var list = lists.nestedUnkeyedContainer()
        for number in numbers { try list.encode(number) }
        #expect(list.count == numbers.count)
      }
    }

    init(from decoder: any Decoder) throws {
      let outer = try decoder.container(keyedBy: Keys.self)
      let point = try outer.nestedContainer(keyedBy: Keys.self, forKey: .point)
      var list = try outer.nestedUnkeyedContainer(forKey: .names)
      x = try point.decode(Int.self, forKey: .x)
      names = []
      #expect(list.count != nil)
      while !list.isAtEnd { names.append(try list.decode(String.self)) }
      y = try point.decode(Double.self, forKey: .y)
      #expect(Set(point.allKeys) == [.x, .y, .lists])
      var lists = try point.nestedUnkeyedContainer(forKey: .lists)
      inner = []
      while !lists.isAtEnd {
        var list = try lists.nestedUnkeyedContainer()
        var numbers: [Int] = []
        while !list.isAtEnd { numbers.append(try list.decode(Int.self)) }
        inner.append(numbers)
      }
    }
  }

  @Test("nested containers, used in turns, are dictionaries and arrays")
  func nested() throws {
    let value = Nested(x: 1, y: 2.5, names: ["a", "b"], inner: [[1, 2], [], [3]])
    #expect(try again(value) == value)
    let root = try archive(value).root
    #expect(root["point"].className == "NSDictionary")
    #expect(root["names"].className == "NSArray")
    #expect(root["names"].array?.map(\.string) == ["a", "b"])
    #expect(root["point"]["y"].number == .double(2.5))
    #expect(root["point"]["lists"].array?.map { $0.array?.count } == [2, 0, 1])
  }

  /// Encodes itself without keys.
  struct Vector: KeyedCodable, Equatable {
    var x: Double
    var name: String?
    var home: Address
    var flags: [Bool]

    init(x: Double, name: String?, home: Address, flags: [Bool]) {
      self.x = x
      self.name = name
      self.home = home
      self.flags = flags
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.unkeyedContainer()
      try container.encode(x)
      if let name { try container.encode(name) } else { try container.encodeNil() }
      try container.encode(home)
      for flag in flags { try container.encode(flag) }
      #expect(container.count == 3 + flags.count)
    }

    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      x = try container.decode(Double.self)
      name = try container.decodeNil() ? nil : container.decode(String.self)
      home = try container.decode(Address.self)
      flags = []
      while !container.isAtEnd { flags.append(try container.decode(Bool.self)) }
      #expect(container.count == container.currentIndex)
    }
  }

  @Test("an unkeyed container of a type's own is what NSCoder stores without keys")
  func unkeyed() throws {
    let home = Address(street: "Elm", number: 5)
    for flags in [[], [true], (0..<100).map { $0 % 3 == 0 }] {
      for name in [String?.none, "n"] {
        let value = Vector(x: 1.5, name: name, home: home, flags: flags)
        #expect(try again(value) == value)
        #expect(try again([value, value]) == [value, value])
      }
    }
    let data = try KeyedArchiver.archivedData(
      withRootObject: Vector(x: 1.5, name: "n", home: home, flags: [true]), requiringSecureCoding: true)
    let list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
    let objects = try #require((list as? [String: Any])?["$objects"] as? [Any])
    let root = try #require(objects[1] as? [String: Any])
    #expect(root.keys.sorted() == ["$0", "$1", "$2", "$3", "$class"])
    #expect(root["$0"] as? Double == 1.5)
    #expect(root["$3"] as? Bool == true)
  }

  /// All integers without keys.
  private struct Row: KeyedCodable {
    static var archiveClassName: String { "Row" }
    var numbers: [Int] = []
    init(from decoder: any Decoder) throws {
      var container = try decoder.unkeyedContainer()
      while !container.isAtEnd { numbers.append(try container.decode(Int.self)) }
    }
    func encode(to encoder: any Encoder) throws {}
  }

  @Test(
    "values without keys are in the order of their numbers, and end before the first number that is missing",
    arguments: [[0], [1], [0, 2], [1, 0], [2, 0, 1], [0, 1, 3, 4], Array((0..<12).reversed())] as [[Int]])
  func unkeyedNumbers(_ numbers: [Int]) throws {
    let values = numbers.map { ("$\($0)", HandmadeList.integer(Int64($0))) }
    let data = HandmadeList.archive([
      .dictionary(values + [("$class", .uid(2))]), .classRecord("Row", "NSObject"),
    ])
    let expected = (0..<20).prefix { numbers.contains($0) }
    let row = try KeyedUnarchiver.unarchivedObject(ofClass: Row.self, from: data)
    #expect(row?.numbers == Array(expected))
  }

  class Base: KeyedCodable {
    var id = 0
    var name = ""

    init() {}
  }

  class Derived: Base {
    var extra: Address?
    var usesSuper = true

    enum CodingKeys: CodingKey { case extra, usesSuper, base }

    override init() { super.init() }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(extra, forKey: .extra)
      try container.encode(usesSuper, forKey: .usesSuper)
      try super.encode(to: usesSuper ? container.superEncoder() : container.superEncoder(forKey: .base))
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      extra = try container.decode(Address?.self, forKey: .extra)
      usesSuper = try container.decode(Bool.self, forKey: .usesSuper)
      try super.init(from: usesSuper ? container.superDecoder() : container.superDecoder(forKey: .base))
    }
  }

  @Test("super-encoders, with the key 'super' and another", arguments: [true, false])
  func superEncoders(_ usesSuper: Bool) throws {
    let derived = Derived()
    derived.id = 7
    derived.name = "seven"
    derived.usesSuper = usesSuper
    let made = try #require(try again(derived))
    #expect(made.id == 7 && made.name == "seven" && made.extra == nil)
    let root = try archive(derived).root
    #expect(root[usesSuper ? "super" : "base"]["name"].string == "seven")
    #expect(
      root.classDescription?.chain == [
        "_TtCV19KeyedArchivingTests17CodableShapeTests7Derived", "_TtCV19KeyedArchivingTests17CodableShapeTests4Base",
        "NSObject",
      ])
  }

  /// Has one super-encoder used as each kind of container.
  struct Supers: KeyedCodable, Equatable {
    enum Keys: CodingKey { case single, unkeyed, keyed, unused, object }
    var name = "n"

    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try 7.encode(to: container.superEncoder(forKey: .single))
      try Vector(x: 2, name: nil, home: Address(street: "s", number: 1), flags: [false]).encode(
        to: container.superEncoder(forKey: .unkeyed))
      try Address(street: "t", number: 2).encode(to: container.superEncoder(forKey: .keyed))
      _ = container.superEncoder(forKey: .unused)
      try [Temper.calm].encode(to: container.superEncoder(forKey: .object))
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      #expect(try Int(from: container.superDecoder(forKey: .single)) == 7)
      #expect(try Vector(from: container.superDecoder(forKey: .unkeyed)).home.number == 1)
      #expect(try Address(from: container.superDecoder(forKey: .keyed)) == Address(street: "t", number: 2))
      #expect(try container.nestedContainer(keyedBy: Keys.self, forKey: .unused).allKeys.isEmpty)
      #expect(try [Temper](from: container.superDecoder(forKey: .object)) == [.calm])
    }
  }

  @Test("a super-encoder becomes whatever is encoded with it")
  func supers() throws {
    #expect(try again(Supers()) == Supers())
    let root = try archive(Supers()).root
    #expect(root["single"].uid == nil && root["single"].number == .integer(7))
    #expect(root["unkeyed"].className == "NSArray")
    #expect(root["keyed"].className == "NSDictionary")
  }

  /// Has keys that are numbers.
  struct Numbered: KeyedCodable, Equatable {
    enum Keys: Int, CodingKey { case one = 1, minus = -2 }
    struct Index: CodingKey, Hashable {
      var intValue: Int?
      var stringValue: String { intValue.map { "\($0)" } ?? "" }
      init?(stringValue: String) { nil }
      init(intValue: Int) { self.intValue = intValue }
    }
    var one = "a"
    var minus = 3
    var table: [Int: String] = [10: "ten", -1: "minus"]

    init() {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(one, forKey: .one)
      try container.encode(minus, forKey: .minus)
      var indexes = encoder.container(keyedBy: Index.self)
      try indexes.encode(table, forKey: Index(intValue: 7))
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      one = try container.decode(String.self, forKey: .one)
      minus = try container.decode(Int.self, forKey: .minus)
      let indexes = try decoder.container(keyedBy: Index.self)
      #expect(indexes.allKeys.map(\.intValue) == [7])
      table = try indexes.decode([Int: String].self, forKey: Index(intValue: 7))
    }
  }

  @Test("keys that are numbers, of types and of dictionaries")
  func integerKeys() throws {
    #expect(try again(Numbered()) == Numbered())
    #expect(try archive(Numbered()).root.keys.sorted() == ["7", "minus", "one"])
  }

  /// Is a single value, of any kind.
  enum Anything: KeyedCodable, Hashable {
    case null, flag(Bool), number(Double), text(String), list([Anything]), table([String: Anything]), place(Address)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .flag(let value): try container.encode(value)
      case .number(let value): try container.encode(value)
      case .text(let value): try container.encode(value)
      case .list(let value): try container.encode(value)
      case .table(let value): try container.encode(value)
      case .place(let value): try container.encode(value)
      }
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .flag(value)
      } else if let value = try? container.decode(Double.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else if let value = try? container.decode([Anything].self) {
        self = .list(value)
      } else if let value = try? container.decode([String: Anything].self) {
        self = .table(value)
      } else {
        self = .place(try container.decode(Address.self))
      }
    }
  }

  @Test("a single value of any kind, tried one type after another")
  func singleValues() throws {
    let values: [Anything] = [
      .null, .flag(true), .number(1.5), .text("t"), .list([.null, .list([]), .number(0)]),
      .table(["a": .null, "b": .place(Address(street: "s", number: 1)), "c": .table([:])]), .text(""), .text("$null"),
    ]
    for value in values where value != .null { #expect(try again(value) == value) }
    #expect(try again(values) == values)
    struct Holder: KeyedCodable, Equatable { var value: Anything }
    for value in values { #expect(try again(Holder(value: value)) == Holder(value: value)) }
    // What they are is what is archived.
    let root = try archive(values).root
    #expect(root[0].className == "NSNull")
    #expect(root[2].number == .double(1.5))
    #expect(root[3].string == "t")
    #expect(root[4].className == "NSArray")
    #expect(root[5]["b"].className == "KeyedArchivingTests.Address")
  }

  @Test("a type that wraps another as a single value is that other")
  func wrappers() throws {
    struct Celsius: Codable, Hashable, RawRepresentable { var rawValue: Double }
    struct Wrapped: KeyedCodable, Equatable {
      var temperature: Celsius
      var all: [Celsius]
      var byMood: [Temper: Celsius]
    }
    let value = Wrapped(
      temperature: Celsius(rawValue: 20), all: [Celsius(rawValue: 1.5)], byMood: [.wild: Celsius(rawValue: 40)])
    #expect(try again(value) == value)
    #expect(try archive(value).root["temperature"].number == .double(20))
  }

  /// A class that is a single value keeps its identity all the same.
  final class Token: KeyedCodable {
    let text: String
    init(_ text: String) { self.text = text }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }
  }

  @Test("a class that encodes itself as a single value stays an object")
  func singleValuedClass() throws {
    let token = Token("t")
    let made = try #require(try again([token, token, Token("t")]))
    #expect(made.map(\.text) == ["t", "t", "t"])
    #expect(made[0] === made[1])
    #expect(made[0] !== made[2])
  }

  @Test("other types of the standard library")
  func standardTypes() throws {
    struct Standard: KeyedCodable, Equatable {
      var range = 1..<5
      var closed = "a"..."z"
      var array = ContiguousArray([Temper.calm])
      var optional: Int?? = .some(4)
      var u8: UInt8 = 255
      var u16: UInt16 = 65535
      var u32: UInt32 = .max
      var i16: Int16 = -300
      var i32 = Int32.min
      var i64 = Int64.min
      var uint = UInt.max
      var notANumber = Float.infinity
    }
    #expect(try again(Standard()) == Standard())
  }

  @Test("userInfo reaches nested values on both sides, in sets too")
  func userInfo() throws {
    struct Secret: Codable, Hashable {
      static let key = CodingUserInfoKey(rawValue: "offset")
      var value: Int
      init(value: Int) { self.value = value }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(value + (Self.key.flatMap { encoder.userInfo[$0] as? Int } ?? 1_000_000))
      }
      init(from decoder: any Decoder) throws {
        value = try decoder.singleValueContainer().decode(Int.self)
        value -= Self.key.flatMap { decoder.userInfo[$0] as? Int } ?? 1_000_000
      }
    }
    struct Secrets: KeyedCodable, Equatable { var all: Set<Secret> }
    let key = try #require(Secret.key)
    let secrets = Secrets(all: [Secret(value: 1), Secret(value: 2)])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.userInfo[key] = 100
    archiver.encode(secrets, forKey: "root")
    let data = try archiver.encodedData
    #expect(try KeyedArchive(data).root["all"].array?.map(\.number) == [.integer(101), .integer(102)])
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.userInfo[key] = 100
    #expect(try unarchiver.decode(Secrets.self, forKey: "root") == secrets)
  }
}
