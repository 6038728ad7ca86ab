// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A class with a child of a class that nobody knows here.
private final class GadgetOwner: SecureKeyedCoding {
  static var archiveClassName: String { "GadgetOwner" }
  var gadget: ArchivedObject?
  var others: [ArchivedObject] = []

  func encode(with coder: KeyedArchiver) {
    coder.encode(gadget, forKey: "gadget")
    coder.encode(others, forKey: "others")
  }

  init?(coder: KeyedUnarchiver) throws {
    gadget = coder.decodeObject(of: ArchivedObject.self, forKey: "gadget")
    others = try coder.decode([ArchivedObject].self, forKey: "others")
  }
}

@Suite("An object of any class")
struct ObjectTests {
  private let ring: [HandmadeList] = [
    ["name": .uid(2), "next": .uid(4), "$class": .uid(3), "size": 7, "$0": true], "a", .classRecord("Ring", "NSObject"),
    ["name": .uid(2), "next": .uid(1), "$class": .uid(3), "list": [.uid(1), .uid(0), .uid(4)], "raw": .data([1, 2])],
  ]

  private func ringRoot() throws -> ArchivedObject {
    let data = HandmadeList.archive(ring)
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
  }

  @Test("has its class, its keys in their order, and the objects it refers to, also in circles")
  func decode() throws {
    let root = try ringRoot()
    defer { root.dismantle() }
    #expect(root.archivedClass == ClassDescription(name: "Ring", chain: ["Ring", "NSObject"]))
    #expect(root.entries.map(\.key) == ["name", "next", "size", "$0"])
    #expect(root["name"]?.string == "a" && root["size"]?.number == .integer(7) && root["$0"]?.number == .boolean(true))
    let next = try #require(root["next"]?.object)
    #expect(next["next"]?.object === root)
    let list = try #require(next["list"]?.references)
    #expect(list.count == 3 && list[0].object === root && list[2].object === next)
    guard case .null = list[1] else { throw CocoaError(.coderInvalidValue) }
    #expect(next["raw"]?.data == Data([1, 2]))
    guard case .boxed(let one)? = root["name"], case .boxed(let other)? = next["name"] else {
      throw CocoaError(.coderInvalidValue)
    }
    #expect(one === other)
  }

  @Test("is a new object for each decoding of the whole archive, whatever became of those before")
  func topLevelAgain() throws {
    let data = HandmadeList.archive(ring)
    let (archive, coder) = (try KeyedArchive(data), try KeyedUnarchiver(forReadingFrom: data))
    func isWhole(_ top: ArchivedTopLevel) throws -> Bool {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      try archiver.encodeTopLevel(top)
      var comparison = NodeComparison(ordered: true)
      return comparison.difference(archive.root, try KeyedArchive(archiver.encodedData).root) == nil
    }
    let single = try #require(coder.decodeObject(of: ArchivedObject.self, forKey: "root"))
    single["size"] = .number(.integer(99))
    single.dismantle()
    for _ in 0..<3 {
      let top = try coder.decodeTopLevel()
      #expect(try isWhole(top))
      top["root"]?.object?["size"] = .number(.integer(99))
      top.dismantle()
    }
    let after = try #require(coder.decodeObject(of: ArchivedObject.self, forKey: "root"))
    #expect(after["size"]?.number == .integer(7))
    after.dismantle()
  }

  @Test("is archived as the graph it is, in every layout", arguments: ArchiveLayout.allCases)
  func encode(_ layout: ArchiveLayout) throws {
    let root = try ringRoot()
    defer { root.dismantle() }
    let data = try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true, layout: layout)
    let archive = try KeyedArchive(data)
    #expect(archive.isCyclic && archive.objectCount == 5)
    #expect(archive.root["next"]["next"].uid == archive.root.uid)
    #expect(archive.root.keys == ["name", "next", "size", "$0"])
    #expect(archive.root["next"]["list"][1].isNull)
    var comparison = NodeComparison(ordered: true)
    #expect(comparison.difference(try KeyedArchive(HandmadeList.archive(ring)).root, archive.root) == nil)
  }

  @Test("can be changed and built by hand, with values of Swift's in it")
  func edit() throws {
    let root = try ringRoot()
    defer { root.dismantle() }
    root["size"] = .number(.double(1.5))
    root["name"] = nil
    root["made"] = .value(Date(timeIntervalSinceReferenceDate: 3))
    let box = ArchivedObject(
      classes: "Box", "NSObject", entries: [.init("content", .object(root)), .init("$$x", .number(.integer(-1)))])
    let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: box, requiringSecureCoding: true))
    #expect(archive.root.className == "Box" && Set(archive.root.keys) == ["content", "$$x"])
    #expect(archive.root["content"]["size"].number == .double(1.5))
    #expect(!archive.root["content"]["name"].exists)
    #expect(archive.root["content"]["made"].date == Date(timeIntervalSinceReferenceDate: 3))
  }

  @Test("of one class with thousands of names is archived as fast as of another class", .notHanging)
  func manyNames() throws {
    func time(_ count: Int) throws -> Double {
      let names = (0..<count).map { "Class\($0)" }
      let classes = ["Box", "Bin"].map { ClassDescription(name: $0, chain: [$0] + names) }
      let list = (0..<1000).map { ArchivedObject(classes[$0 % 2], [.init("a", .number(.integer(1)))]) }
      return try System.leastTime {
        _ = try KeyedArchiver.archivedData(withRootObject: list, requiringSecureCoding: true)
      }
    }
    // To write the names takes the time of some objects.
    #expect(try time(3000) < 10 * time(1))
  }

  @Test("rejects new keys that are reserved for the archiver", arguments: ["$class", "$classname"])
  func reservedKeys(key: String) throws {
    let box = ArchivedObject(classes: "Box", "NSObject", entries: [.init(key, .string("x"))])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: box, requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable && error?.remedy != nil)
  }

  @Test("rejects a reserved key in place of one that was read", arguments: ["$class", "$classname"])
  func reservedNewKey(key: String) throws {
    let data = HandmadeList.archive([["a": "x", "b": .uid(0), "$class": .uid(2)], .classRecord("Box", "NSObject")])
    for name in ["a", "b"] {
      let box = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
      let index = try #require(box.entries.firstIndex { $0.key == name })
      box.entries[index].key = key
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedArchiver.archivedData(withRootObject: box, requiringSecureCoding: true)
      }
      #expect(error?.code == .notEncodable)
    }
  }

  @Test(
    "keeps conditional references, whichever object is requested first", arguments: [["parent"], ["child", "parent"]])
  func conditionalReferences(keys: [String]) throws {
    let leaf = ArchivedObject(classes: "Leaf", "NSObject", entries: [.init("a", .number(.integer(1)))])
    let child = ArchivedObject(classes: "Child", "NSObject", entries: [.init("leaf", .object(leaf))])
    let target = ArchivedObject(classes: "Target", "NSObject", entries: [.init("a", .number(.integer(2)))])
    let other = ArchivedObject(classes: "Other", "NSObject", entries: [.init("strong", .object(target))])
    let parent = ArchivedObject(
      classes: "Parent", "NSObject",
      entries: [
        .init("weak", .conditionalObject(target)), .init("child", .object(child)), .init("other", .object(other)),
      ])
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    archiver.encode(parent, forKey: "parent")
    archiver.encode(child, forKey: "child")
    let coder = try KeyedUnarchiver(forReadingFrom: archiver.encodedData)
    let objects = keys.map { coder.decodeObject(of: ArchivedObject.self, forKey: $0) }
    let weak = try #require(objects.last??["weak"])
    guard case .conditionalObject = weak else { throw CocoaError(.coderInvalidValue) }
    guard case .object? = objects.last??["other"]?.object?["strong"] else { throw CocoaError(.coderInvalidValue) }
  }

  @Test("has no value for a key that is set to nil, also if a damaged object has the key twice")
  func keyTwice() {
    let box = ArchivedObject(classes: "Box", entries: [.init("a", .string("1")), .init("a", .string("2"))])
    box["a"] = nil
    #expect(box.entries.isEmpty)
  }

  @Test("stands in the graph of any type, where it is asked for")
  func inside() throws {
    let objects: [HandmadeList] = [
      ["gadget": .uid(3), "others": .uid(6), "$class": .uid(2)], .classRecord("GadgetOwner", "NSObject"),
      ["self": .uid(3), "text": .uid(5), "$class": .uid(4)], .classRecord("Gadget", "Thing", "NSObject"), "x",
      ["NS.objects": [.uid(3), .uid(3)], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
    ]
    let owner = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: GadgetOwner.self, from: HandmadeList.archive(objects)))
    defer { owner.gadget?.dismantle() }
    #expect(owner.gadget?["self"]?.object === owner.gadget)
    #expect(owner.others.count == 2 && owner.others.allSatisfy { $0 === owner.gadget })
    let anew = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: owner, requiringSecureCoding: true))
    #expect(anew.root["others"][1].uid == anew.root["gadget"].uid)
    #expect(anew.root["gadget"].classDescription?.chain == ["Gadget", "Thing", "NSObject"])
  }

  @Test("of a chain of 5,000 is made, archived and let go without recursion")
  func chain() throws {
    let count: UInt64 = 5000
    var objects: [HandmadeList] = []
    for place in 1...count {
      objects.append(["next": .uid(place == count ? 0 : place + 1), "$class": .uid(count + 1)])
    }
    objects.append(.classRecord("Link", "NSObject"))
    let data = HandmadeList.archive(objects)
    var result: Result<Data, any Error>?
    try System.onThread(stackBytes: 512 << 10) {
      result = Result {
        let root = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
        return try KeyedArchiver.archivedData(
          withRootObject: try #require(root), requiringSecureCoding: true, layout: .compact)
      }
    }
    #expect(try KeyedArchive(#require(result).get()).objectCount == Int(count) + 2)
  }

  @Test(
    "what no archiver stores is an error with its key",
    arguments: [
      HandmadeList.raw([0x33, 0, 0, 0, 0, 0, 0, 0, 0]), ["a": 1], [["b"]], [1],
    ])
  func refused(_ value: HandmadeList) {
    let data = HandmadeList.archive([["when": value, "$class": .uid(2)], .classRecord("Thing", "NSObject")])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
    }
    #expect(error?.code == .malformedValue || error?.code == .typeMismatch, "\(String(describing: error))")
  }

  @Test("references to nothing and objects without a class are errors")
  func damaged() {
    for object in [["a": .uid(9), "$class": .uid(2)], ["a": .uid(2)], ["$class": .uid(0)]] as [HandmadeList] {
      let data = HandmadeList.archive([object, .classRecord("Thing", "NSObject")])
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data)
      }
      #expect(error?.code == .damagedArchive)
    }
  }

  @Test("a small file in which all objects share one long list is refused before it fills the memory")
  func expansion() throws {
    // The list lies in the file once; each object refers to the same row.
    let count = 3000
    let list = HandmadeList.array((0..<count).map { _ in .uid(1) })
    let data = HandmadeList.archive(
      [["list": list, "$class": .uid(2)], .classRecord("Thing", "NSObject")])
    var limits = ReadLimits.default
    limits.maximumExpansion = 0
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data, limits: limits)
    }
    #expect(error?.code == .limitReached)
  }

  @Test("with as many references to old objects as to new ones takes no longer than others", .notHanging)
  func wide() throws {
    let count: UInt64 = 5_000
    // Object 1 refers to all strings, object 2 to all of them again and to as many new ones.
    var objects: [HandmadeList] = [.dictionary([("a", .uid(4)), ("b", .uid(2)), ("$class", .uid(3))])]
    let old = (0..<count).map { ("NS.object.\($0)", HandmadeList.uid(5 + $0)) }
    let new = (0..<count).map { ("NS.key.\($0)", HandmadeList.uid(5 + count + $0)) }
    objects.append(.dictionary(old + new + [("$class", .uid(3))]))
    objects.append(.classRecord("Thing", "NSObject"))
    objects.append(.dictionary(old + [("$class", .uid(3))]))
    for place in 0..<2 * count { objects.append(.string("\(place)")) }
    let data = HandmadeList.archive(objects)
    let root = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
    #expect(root["b"]?.object?.entries.count == Int(2 * count))
  }

  @Test("a bare value with identity is one object, and no equal one is taken for it")
  func scalars() throws {
    let (one, other) = (BoxedPrimitive(.string("same")), BoxedPrimitive(.string("same")))
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: .apple)
    archiver.encode([one, one, other], forKey: "root")
    let archive = try KeyedArchive(archiver.encodedData)
    #expect(archive.root[0].uid == archive.root[1].uid && archive.root[0].uid != archive.root[2].uid)
    let made = try KeyedUnarchiver(forReadingFrom: archive.data()).decode([BoxedPrimitive].self, forKey: "root")
    #expect(made[0] === made[1] && made[0] !== made[2] && made[2].value == .string("same"))
  }

  @Test("each kind of value says what it holds, and nothing else")
  func accessors() throws {
    let text = ArchivedObject(classes: "NSMutableString", "NSString", entries: [.init("NS.string", .string("m"))])
    let bytes = ArchivedObject(classes: "NSMutableData", "NSData", entries: [.init("NS.data", .data(Data([2])))])
    let list = ArchivedObject(classes: "NSArray", entries: [.init("NS.objects", .references([.null, .object(text)]))])
    let values: [(ArchivedObject.Value, string: String?, number: ArchiveNumber?, data: Data?, references: Int?)] = [
      (.null, nil, nil, nil, nil), (.object(text), "m", nil, nil, nil), (.object(bytes), nil, nil, Data([2]), nil),
      (.object(list), nil, nil, nil, 2), (.references([.null]), nil, nil, nil, 1),
      (.boxed(BoxedPrimitive(.string("s"))), "s", nil, nil, nil),
      (.boxed(BoxedPrimitive(.number(.unsigned(7)))), nil, .unsigned(7), nil, nil),
      (.boxed(BoxedPrimitive(.data(Data([3])))), nil, nil, Data([3]), nil),
      (.number(.boolean(true)), nil, .boolean(true), nil, nil),
      (.number(.integer(-1)), nil, .integer(-1), nil, nil), (.number(.unsigned(1)), nil, .unsigned(1), nil, nil),
      (.number(.float(0.5)), nil, .float(0.5), nil, nil), (.number(.double(0.5)), nil, .double(0.5), nil, nil),
      (.data(Data([1])), nil, nil, Data([1]), nil), (.string("t"), "t", nil, nil, nil), (.value(1), nil, nil, nil, nil),
    ]
    for (value, string, number, data, references) in values {
      #expect(value.string == string && value.number == number && value.data == data)
      #expect(value.references?.count == references)
      if case .null = value { #expect(value.isNull) } else { #expect(!value.isNull) }
    }
    #expect(ArchivedObject.Value.conditionalObject(text).object === text)
    #expect(!ArchivedObject.Value.conditionalObject(text).isNull && ArchivedObject.Value.null.object == nil)
  }

  @Test("values of every kind are archived where they may stand, and refused where they may not")
  func places() throws {
    let box = ArchivedObject(
      classes: "Box", "NSObject",
      entries: [
        .init("unsigned", .number(.unsigned(5))), .init("float", .number(.float(0.5))),
        .init("double", .number(.double(2.5))),
        .init("text", .string("inside")), .init("list", .references([.value("as an object"), .null])),
      ])
    let root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: box, requiringSecureCoding: true)).root
    #expect(root.className == "Box" && root["text"].string == "inside")
    #expect(root["unsigned"].number == .unsigned(5) && root["float"].number == .float(0.5))
    #expect(root["double"].number == .double(2.5))
    for value in [.references([]), .number(.integer(1)), .string("inside")] as [ArchivedObject.Value] {
      let object = ArchivedObject(classes: "Box", "NSObject", entries: [.init("list", .references([value]))])
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
      }
      #expect(error?.code == .notEncodable && error?.detail.contains("'list'") == true)
    }
  }

  @Test("where a bare value is asked for, an object of any class is refused by its name, with what to ask for")
  func noScalar() {
    let data = HandmadeList.archive([["a": 1, "$class": .uid(2)], HandmadeList.classRecord("NSString", "NSObject")])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: BoxedPrimitive.self, from: data)
    }
    #expect(error?.code == .classNotAllowed && error?.className == "NSString" && error?.keyPath == "root")
    #expect(error?.remedy == "Request ArchivedObject")
  }
}
