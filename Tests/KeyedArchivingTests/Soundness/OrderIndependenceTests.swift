// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import SystemFiles
import TestSupport
import Testing

/// Decodes what a test tells it to.
private final class Asking: SecureKeyedCoding {
  @TaskLocal static var decoding: @Sendable (KeyedUnarchiver) throws -> Void = { _ in }
  static let delivered = Locked<[String]>([])
  static func deliver(_ value: Any) { delivered.withLock { $0.append("\(type(of: value))") } }
  static var archiveClassName: String { "Asking" }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws { try Asking.decoding(coder) }
}

/// Answers to its subclass's name and does not list the subclass.
private class Base: SecureKeyedCoding {
  class var archiveClassName: String { "Base" }
  class var archiveClassAliases: [String] { self == Base.self ? ["Derived"] : [] }
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) {}
}

private final class Derived: Base {
  override class var archiveClassName: String { "Derived" }
}

/// A struct that requests an untyped array, for which no list of its own is in force.
private struct Box: SecureKeyedCoding {
  static var archiveClassName: String { "Box" }
  var items: ArchivedArray?
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { items = coder.decodeObject(of: ArchivedArray.self, forKey: "items") }
}

/// A Codable value that is archived as a single one: no object is being decoded while it is made.
private struct Single: KeyedCodable {
  static var archiveClassName: String { "Single" }
  var hasUnarchiver = false
  func encode(to encoder: any Encoder) throws {}
  init(from decoder: any Decoder) throws { hasUnarchiver = decoder.keyedUnarchiver != nil }
}

@Suite("Decoding order")
struct OrderIndependenceTests {
  @Test("returns the same data for overlapping inline items whichever is decoded first", arguments: [false, true])
  func overlappingItems(isSwapped: Bool) throws {
    // The header of the long data ends with the byte 0x45: as an object of its own that is data of five bytes, whose
    // contents begin where those of the long data begin.
    let long = [UInt8](repeating: 0xAB, count: 0x145)
    let placeholder: [UInt8] = [0xC0, 0xFF, 0xEE, 0xC0, 0xFF]
    var bytes = [UInt8](
      HandmadeList.archive([
        ["a": .data(long), "b": .data(placeholder), "$class": .uid(2)], .classRecord("Asking", "NSObject"),
      ]))
    func place(of part: [UInt8]) throws -> Int {
      try #require(bytes.indices.first { bytes[$0...].starts(with: part) })
    }
    func offset(_ place: Int) -> [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: place >> (8 * (7 - $0))) } }
    let header: [UInt8] = [0x4F, 0x12, 0, 0, 1, 0x45]
    let entry = try place(of: offset(place(of: [0x45] + placeholder)))
    bytes.replaceSubrange(entry..<entry + 8, with: offset(try place(of: header + [0xAB]) + 5))
    try Asking.$decoding.withValue({ coder in
      for key in isSwapped ? ["b", "a"] : ["a", "b"] {
        let data = try coder.decode(Data.self, forKey: key)
        #expect(data == Data(repeating: 0xAB, count: key == "a" ? 0x145 : 5), "\(key)")
      }
    }) {
      _ = try KeyedUnarchiver.unarchivedObject(ofClass: Asking.self, from: Data(bytes))
    }
  }

  private static let derived = HandmadeList.archive(
    [["$class": .uid(2)], .classRecord("Derived", "Base", "NSObject")],
    top: [("root", .uid(1)), ("again", .uid(1))])

  @Test("makes the type that an alias names whatever the object became before", arguments: ["", "B", "D", "DB", "BD"])
  func aliasOfSubclass(before: String) throws {
    let coder = try Hostile.decoder(Self.derived)
    func base() throws -> Base { try coder.decode(Base.self, forKey: "root") }
    func derived() throws -> Derived { try coder.decode(Derived.self, forKey: "again") }
    for step in before { _ = step == "B" ? try base() : try derived() }
    let (made, other) = (try base(), try derived())
    #expect(type(of: made) == Base.self)
    #expect(type(of: other) == Derived.self)
    // Each of them is one object.
    #expect(try base() === made)
    #expect(try derived() === other)
    #expect(try coder.decodeTopLevelObject(of: [Base.self], forKey: "root") as? Base === made)
    #expect(try coder.decodeTopLevelObject(of: [Derived.self], forKey: "root") as? Base === other)
  }

  @Test("delivers a deferred reference as the type that an alias names")
  func deferredAlias() throws {
    let data = HandmadeList.archive([
      ["x": .uid(3), "$class": .uid(2)], .classRecord("Asking", "NSObject"), ["$class": .uid(4)],
      .classRecord("Derived", "Base", "NSObject"),
    ])
    for isDerivedFirst in [false, true] {
      Asking.delivered.withLock { $0 = [] }
      try Asking.$decoding.withValue({ coder in
        if isDerivedFirst { _ = try coder.decode(Derived.self, forKey: "x") }
        coder.decodeObject(of: Base.self, forKey: "x") { Asking.deliver($0) }
        coder.decodeObject(of: [Base.self], forKey: "x") { Asking.deliver($0) }
      }) {
        _ = try KeyedUnarchiver.unarchivedObject(ofClass: Asking.self, from: data)
      }
      #expect(Asking.delivered.withLock { $0 } == ["Base", "Base"])
    }
  }

  @Test("lends a caller's list to collections, and to no struct that asks for one itself")
  func listOfCaller() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("items", .uid(3))]), .classRecord("Box", "NSObject"),
      Hostile.object(4, [("NS.objects", [.uid(5)])]), Hostile.array, "text",
    ])
    let types: [any KeyedCoding.Type] = [Box.self, ArchivedArray.self, String.self]
    let asked: [(KeyedUnarchiver) throws -> Any?] = [
      { try $0.decodeTopLevelObject(of: Box.self, forKey: "root") },
      { try $0.decodeTopLevelObject(of: types, forKey: "root") },
      { try $0.decodeTopLevelObject(of: [Box?.self, String.self], forKey: "root") },
    ]
    for ask in asked {
      let error = #expect(throws: KeyedArchiveError.self) { _ = try ask(Hostile.decoder(data)) }
      #expect(error?.detail.contains("without a list of types") == true, "\(String(describing: error))")
    }
    // Collections of collections are governed by it.
    let nested = HandmadeList.archive([
      Hostile.object(2, [("NS.objects", [.uid(3)])]), Hostile.array, Hostile.object(2, [("NS.objects", [.uid(4)])]),
      "text",
    ])
    for types in [[[ArchivedArray].self, String.self], [[ArchivedArray?].self, String.self]] as [[any KeyedCoding.Type]]
    {
      #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: nested) != nil)
    }
  }

  @Test("gives a single value no access to the object that contains it")
  func singleValue() throws {
    let data = HandmadeList.archive([
      Hostile.object(2, [("NS.objects", [.uid(3), .uid(4)])]), Hostile.array, "text", Hostile.object(5),
      .classRecord("Single", "NSObject"),
    ])
    let values = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [Single].self, from: data))
    #expect(values.map(\.hasUnarchiver) == [false, true])
  }

  @Test("keeps an object one object when a value is made of it in between")
  func identityBesidesValues() throws {
    struct Value: SecureKeyedCoding {
      static var archiveClassName: String { "Derived" }
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) {}
    }
    let coder = try Hostile.decoder(Self.derived)
    let first = try coder.decode(Derived.self, forKey: "root")
    for _ in 0..<3 { _ = try coder.decode(Value.self, forKey: "again") }
    #expect(try coder.decode(Derived.self, forKey: "root") === first)
  }
}
