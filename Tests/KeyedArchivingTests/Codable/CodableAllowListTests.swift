// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("Codable: nothing comes out that init(from:) did not ask for")
struct CodableAllowListTests {
  /// Must never be made.
  final class Canary: KeyedCodable {
    var street = ""
    var number = 0
    init() {}
    init(from decoder: any Decoder) throws { Issue.record("a canary was made") }
  }

  /// The same for a type that is Codable and nothing else.
  struct PlainCanary: Codable {
    var street = ""
    var number = 0
    init() {}
    init(from decoder: any Decoder) throws { Issue.record("a canary was made") }
  }

  struct Holder<Value: Codable>: KeyedCodable {
    static var archiveClassName: String { "Holder" }
    var value: Value
  }

  /// What a holder may be asked to hold.
  private static func decode<Value: Codable>(_ type: Value.Type, _ data: Data) -> KeyedArchiveError? {
    #expect(throws: KeyedArchiveError.self, "\(type)") {
      try KeyedUnarchiver.unarchivedObject(ofClass: Holder<Value>.self, from: data)
    }
  }

  private static func archived<Value: Codable>(_ value: Value) throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: Holder(value: value), requiringSecureCoding: true)
  }

  @Test("a canary in the place of another type is refused, with the way to it and its name")
  func canary() throws {
    class Plain: Codable { var street = "" }
    let canaries = [
      ("_TtCV19KeyedArchivingTests21CodableAllowListTests6Canary", try Self.archived(Canary())),
      ("KeyedArchivingTests.CodableAllowListTests.PlainCanary", try Self.archived(PlainCanary())),
    ]
    for (name, data) in canaries {
      let errors = [
        Self.decode(Address.self, data), Self.decode(Address?.self, data), Self.decode([Address].self, data),
        Self.decode([String: Address].self, data), Self.decode(Set<Address>.self, data),
        Self.decode(Temper.self, data), Self.decode(String.self, data), Self.decode(Date.self, data),
        Self.decode(Plain.self, data), Self.decode(Owner.self, data),
        Self.decode(CodableShapeTests.Anything.self, data), Self.decode(CodableShapeTests.Figure.self, data),
        Self.decode(CodableShapeTests.Vector.self, data), Self.decode(CodableShapeTests.Nested.self, data),
        Self.decode(ArchiveReference<Owner>.self, data), Self.decode(ArchiveBackReference<Owner>.self, data),
        Self.decode([Owner?].self, data), Self.decode(Int.self, data),
      ]
      for error in errors {
        #expect(error?.keyPath == "root.value")
        #expect(error?.code == .classNotAllowed || error?.code == .typeMismatch, "\(error as Any)")
        #expect(error?.className == name || error?.code == .typeMismatch, "\(error as Any)")
      }
    }
  }

  @Test("a canary as an element, a key or a value is refused")
  func canaryInside() throws {
    let list = try Self.archived([Address(street: "", number: 0)].map { _ in Canary() })
    #expect(Self.decode([Address].self, list)?.keyPath == "root.value[0]")
    #expect(Self.decode([Owner].self, list)?.keyPath == "root.value[0]")
    let table = try Self.archived(["a": Canary()])
    #expect(Self.decode([String: Address].self, table)?.keyPath == "root.value[\"a\"]")
    #expect(Self.decode([String: String].self, table)?.keyPath == "root.value[\"a\"]")
  }

  @Test("a canary inside a nested container is refused")
  func canaryInNestedContainers() throws {
    struct Sender: KeyedCodable {
      static var archiveClassName: String { "Nest" }
      enum Keys: CodingKey { case list, table, parent }
      init() {}
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Keys.self)
        var list = container.nestedUnkeyedContainer(forKey: .list)
        try list.encode("x")
        try list.encode(Canary())
        var table = container.nestedContainer(keyedBy: Keys.self, forKey: .table)
        try table.encode(Canary(), forKey: .list)
        try Canary().encode(to: container.superEncoder(forKey: .parent))
      }
      init(from decoder: any Decoder) throws {}
    }
    struct Receiver: KeyedCodable {
      static var archiveClassName: String { "Nest" }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Sender.Keys.self)
        var list = try container.nestedUnkeyedContainer(forKey: .list)
        #expect(try list.decode(String.self) == "x")
        let before = list.currentIndex
        #expect(throws: DecodingError.self) { try list.decode(Address.self) }
        #expect(throws: DecodingError.self) { try list.decode(Temper.self) }
        #expect(throws: DecodingError.self) { try list.nestedContainer(keyedBy: Sender.Keys.self) }
        #expect(throws: DecodingError.self) { try list.nestedUnkeyedContainer() }
        #expect(list.currentIndex == before)
        let parent = try container.superDecoder(forKey: .parent)
        #expect(throws: DecodingError.self) { try parent.singleValueContainer().decode(Address.self) }
        // The way is that of the nested container, though another one was used last.
        let table = try container.nestedContainer(keyedBy: Sender.Keys.self, forKey: .table)
        _ = try container.superDecoder(forKey: .parent)
        _ = try table.decode(Address.self, forKey: .list)
      }
      func encode(to encoder: any Encoder) throws {}
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Sender(), requiringSecureCoding: true)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Receiver.self, from: data)
    }
    #expect(error?.code == .classNotAllowed)
    #expect(error?.keyPath == "root.table[\"list\"]")
    #expect(error?.className == "_TtCV19KeyedArchivingTests21CodableAllowListTests6Canary")
  }

  @Test("a type that can be a dictionary's values is not made from a dictionary")
  func dictionaryForStruct() throws {
    let data = try Self.archived(["street": "Elm", "number": "5"])
    #expect(Self.decode(Address.self, data)?.code == .classNotAllowed)
    #expect(Self.decode(CodableShapeTests.Vector.self, try Self.archived(["a", "b"]))?.code == .classNotAllowed)
  }

  @Test("where secure coding is required, a type that disclaims it is not made")
  func insecure() throws {
    struct Lax: KeyedCodable {
      static var supportsSecureCoding: Bool { false }
      var name = "n"
    }
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: Holder(value: Lax()), requiringSecureCoding: true)
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Holder(value: Lax()), requiringSecureCoding: false)
    #expect(Self.decode(Lax.self, data)?.code == .classNotSecure)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = false
    #expect(try unarchiver.decode(Holder<Lax>.self, forKey: "root").value.name == "n")
  }

  @Test("where secure coding is required, a type that disclaims it is not made from a single value either")
  func insecureSingleValue() throws {
    struct Lax: KeyedCodable {
      static var supportsSecureCoding: Bool { false }
      var name = "n"

      init() {}
      init(from decoder: any Decoder) throws { name = try decoder.singleValueContainer().decode(String.self) }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
      }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Holder(value: Lax()), requiringSecureCoding: false)
    #expect(Self.decode(Lax.self, data)?.code == .classNotSecure)
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
    unarchiver.requiresSecureCoding = false
    #expect(try unarchiver.decode(Holder<Lax>.self, forKey: "root").value.name == "n")
  }

  @Test("a name that is set for a class, and an alias, are taken")
  func names() throws {
    struct New: KeyedCodable, Equatable {
      static var archiveClassAliases: [String] { ["Old"] }
      var a: Int
    }
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.setClassName("Old", for: New.self)
    archiver.encode(Holder(value: [New(a: 1)]), forKey: "root")
    let data = try archiver.encodedData
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Holder<[New]>.self, from: data)?.value == [New(a: 1)])

    let foreign = KeyedArchiver(requiringSecureCoding: true)
    foreign.setClassName("Foreign", for: New.self)
    foreign.encode(Holder(value: New(a: 2)), forKey: "root")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: foreign.encodedData)
    unarchiver.setClass(New.self, forClassName: "Foreign")
    #expect(try unarchiver.decode(Holder<New>.self, forKey: "root").value == New(a: 2))
  }

  // MARK: Archives made by hand

  private typealias List = HandmadeList

  /// An object with `value` and these others.
  private static func handmade(_ value: List, _ others: [List]) -> Data {
    List.archive([["$class": .uid(2), "value": value], List.classRecord("Holder", "NSObject")] + others)
  }

  @Test("an array that holds itself is a circle, for nested containers too")
  func circle() throws {
    let array = List.classRecord("NSArray", "NSObject")
    let data = Self.handmade(.uid(3), [["$class": .uid(4), "NS.objects": [.uid(3)]], array])
    #expect(Self.decode(CodableShapeTests.Anything.self, data)?.code != nil)
    #expect(Self.decode([[Int]].self, data)?.code == .cycle)

    struct Walker: Codable {
      init(from decoder: any Decoder) throws {
        let holder = try decoder.container(keyedBy: CodableShapeTests.Nested.Keys.self)
        var list = try holder.nestedUnkeyedContainer(forKey: .names)
        while true { list = try list.nestedUnkeyedContainer() }
      }
      func encode(to encoder: any Encoder) throws {}
    }
    let walker = List.archive([
      ["$class": .uid(2), "names": .uid(3)],
      List.classRecord("KeyedArchivingTests.CodableAllowListTests.Walker", "NSObject"),
      ["$class": .uid(4), "NS.objects": [.uid(3)]], array,
    ])
    struct Top: KeyedCodable {
      static var archiveClassName: String { "KeyedArchivingTests.CodableAllowListTests.Walker" }
      init(from decoder: any Decoder) throws { _ = try Walker(from: decoder) }
      func encode(to encoder: any Encoder) throws {}
    }
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Top.self, from: walker)
    }
    #expect(error?.code == .cycle)
  }

  /// Counts leaves by going through nested containers, as long as there are any.
  struct Leaves: KeyedCodable {
    static var archiveClassName: String { "Holder" }
    var count = 0
    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodableShapeTests.Nested.Keys.self)
      var list = try container.nestedUnkeyedContainer(forKey: .x)
      count = try Leaves.count(&list)
    }
    static func count(_ list: inout any UnkeyedDecodingContainer) throws -> Int {
      var sum = 0
      while !list.isAtEnd {
        if (try? list.decode(Bool.self)) != nil {
          sum += 1
        } else {
          var inner = try list.nestedUnkeyedContainer()
          sum += try count(&inner)
        }
      }
      return sum
    }
    func encode(to encoder: any Encoder) throws {}
  }

  @Test("a file in which each array holds the next one twice costs no more than the limit says")
  func expansion() throws {
    func file(_ levels: Int) -> Data {
      var objects: [List] = [["$class": .uid(2), "x": .uid(5)], List.classRecord("Holder", "NSObject")]
      objects += [List.classRecord("NSArray", "NSObject"), true]
      for level in 0..<levels {
        let next: List = level + 1 < levels ? .uid(UInt64(6 + level)) : .uid(4)
        objects.append(["$class": .uid(3), "NS.objects": [next, next]])
      }
      return List.archive(objects)
    }
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Leaves.self, from: file(8))?.count == 256)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(
        ofClass: Leaves.self, from: file(60), limits: ReadLimits(maximumExpansion: 2))
    }
    #expect(error?.code == .limitReached)
  }

  /// Opens the first element of each array, down to the end.
  private struct Descent: KeyedCodable {
    static var archiveClassName: String { "Holder" }
    var depth = 0
    init(from decoder: any Decoder) throws {
      let holder = try decoder.container(keyedBy: CodableShapeTests.Nested.Keys.self)
      var list = try holder.nestedUnkeyedContainer(forKey: .names)
      while !list.isAtEnd { (list, depth) = (try list.nestedUnkeyedContainer(), depth + 1) }
    }
    func encode(to encoder: any Encoder) throws {}
  }

  @Test("nested containers nest as deeply as objects may, and no deeper")
  func nestedDepth() throws {
    func file(_ levels: Int) -> Data {
      var objects: [List] = [["$class": .uid(2), "names": .uid(4)], List.classRecord("Holder", "NSObject")]
      objects.append(List.classRecord("NSArray", "NSObject"))
      for level in 0..<levels { objects.append(["$class": .uid(3), "NS.objects": [.uid(UInt64(5 + level))]]) }
      objects.append(["$class": .uid(3), "NS.objects": []])
      return List.archive(objects)
    }
    func decode(_ levels: Int) throws -> Int? {
      try KeyedUnarchiver.unarchivedObject(
        ofClass: Descent.self, from: file(levels), limits: ReadLimits(maximumDepth: 40))?.depth
    }
    #expect(try decode(30) == 30)
    let error = #expect(throws: KeyedArchiveError.self) { try decode(50) }
    #expect(error?.code == .limitReached)
  }

  @Test("values that many others share are made a few times only")
  func sharing() throws {
    // Each array holds the next one twice; values that are kept make this linear.
    var objects: [List] = [["$class": .uid(2), "value": .uid(5)], List.classRecord("Holder", "NSObject")]
    objects += [List.classRecord("NSArray", "NSObject"), "leaf"]
    for level in 0..<200 {
      let next: List = level + 1 < 200 ? .uid(UInt64(6 + level)) : .uid(4)
      objects.append(["$class": .uid(3), "NS.objects": [next, next]])
    }
    final class Counter: Sendable { nonisolated(unsafe) static var made = 0 }
    indirect enum Tree: Codable {
      case leaf
      case node([Tree])
      init(from decoder: any Decoder) throws {
        unsafe Counter.made += 1
        let container = try decoder.singleValueContainer()
        if let children = try? container.decode([Tree].self) { self = .node(children) } else { self = .leaf }
      }
      func encode(to encoder: any Encoder) throws {}
    }
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: Holder<Tree>.self, from: List.archive(objects))
    #expect(made != nil)
    #expect(unsafe Counter.made < 2000)
  }

  @Test(
    "malformed files are refused with typed errors",
    arguments: [
      ("a key that is no string", ["$class": .uid(4), "NS.keys": [.uid(5)], "NS.objects": [.uid(6)]]),
      ("more keys than values", ["$class": .uid(4), "NS.keys": [.uid(6)], "NS.objects": []]),
      ("no arrays", ["$class": .uid(4), "NS.keys": 1, "NS.objects": 2]),
      ("dangling references", ["$class": .uid(4), "NS.keys": [.uid(6)], "NS.objects": [.uid(99)]]),
    ] as [(String, HandmadeList)])
  func malformed(_ name: String, _ dictionary: HandmadeList) {
    let data = Self.handmade(
      .uid(3), [dictionary, List.classRecord("NSDictionary", "NSObject"), .data([1]), "radius"])
    struct Reader: KeyedCodable {
      static var archiveClassName: String { "Holder" }
      enum Keys: CodingKey { case value, radius }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Keys.self)
        let nested = try container.nestedContainer(keyedBy: Keys.self, forKey: .value)
        _ = try nested.decode(Double.self, forKey: .radius)
      }
      func encode(to encoder: any Encoder) throws {}
    }
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Reader.self, from: data)
    }
    #expect(error?.code == .malformedValue || error?.code == .damagedArchive || error?.code == .classNotAllowed)
    #expect(Self.decode([String: Double].self, data) != nil)
  }
}
