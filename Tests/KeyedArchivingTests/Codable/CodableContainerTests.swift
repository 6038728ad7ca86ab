// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
import Synchronization
import TestSupport
import Testing

/// A value that encodes and decodes itself as a test says.
private struct Handwritten: KeyedCodable {
  enum Key: String, CodingKey { case first, second, third }

  @TaskLocal static var encoding: @Sendable (any Encoder) throws -> Void = { _ in }
  @TaskLocal static var decoding: @Sendable (any Decoder) throws -> Void = { _ in }

  init() {}
  func encode(to encoder: any Encoder) throws { try Self.encoding(encoder) }
  init(from decoder: any Decoder) throws { try Self.decoding(decoder) }

  static func archived(_ body: @escaping @Sendable (any Encoder) throws -> Void) throws -> Data {
    try $encoding.withValue(body) {
      try KeyedArchiver.archivedData(withRootObject: Handwritten(), requiringSecureCoding: true)
    }
  }

  static func read(_ data: Data, _ body: @escaping @Sendable (any Decoder) throws -> Void) throws {
    _ = try $decoding.withValue(body) { try KeyedUnarchiver.unarchivedObject(ofClass: Handwritten.self, from: data) }
  }
}

/// A value of each kind that containers have a function of their own for, or none.
private struct Optionals: KeyedCodable, Equatable {
  var bool: Bool?
  var string: String?
  var double: Double?
  var float: Float?
  var int: Int?
  var int8: Int8?
  var int16: Int16?
  var int32: Int32?
  var int64: Int64?
  var uint: UInt?
  var uint8: UInt8?
  var uint16: UInt16?
  var uint32: UInt32?
  var uint64: UInt64?
}

@Suite("The containers of Codable, in archives")
struct CodableContainerTests {
  /// How a value is put into a container and taken out of it by the function for its type, and the number it is.
  private struct Kind: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var number: ArchiveNumber?
    var append: @Sendable (inout any UnkeyedEncodingContainer) throws -> Void
    var put: @Sendable (inout any SingleValueEncodingContainer) throws -> Void
    var isNext: @Sendable (inout any UnkeyedDecodingContainer) throws -> Bool
    var isIt: @Sendable (any SingleValueDecodingContainer) throws -> Bool
  }

  private static let kinds: [Kind] = [
    Kind(
      testDescription: "Bool", number: .boolean(true), append: { try $0.encode(true) }, put: { try $0.encode(true) },
      isNext: { try $0.decode(Bool.self) }, isIt: { try $0.decode(Bool.self) }),
    Kind(
      testDescription: "String", append: { try $0.encode("é") }, put: { try $0.encode("é") },
      isNext: { try $0.decode(String.self) == "é" }, isIt: { try $0.decode(String.self) == "é" }),
    Kind(
      testDescription: "Double", number: .double(-0.5), append: { try $0.encode(-0.5) }, put: { try $0.encode(-0.5) },
      isNext: { try $0.decode(Double.self) == -0.5 }, isIt: { try $0.decode(Double.self) == -0.5 }),
    Kind(
      testDescription: "Float", number: .float(0.5), append: { try $0.encode(0.5 as Float) },
      put: { try $0.encode(0.5 as Float) }, isNext: { try $0.decode(Float.self) == 0.5 },
      isIt: { try $0.decode(Float.self) == 0.5 }),
    Kind(
      testDescription: "Int", number: .integer(.min), append: { try $0.encode(Int.min) },
      put: { try $0.encode(Int.min) },
      isNext: { try $0.decode(Int.self) == .min }, isIt: { try $0.decode(Int.self) == .min }),
    Kind(
      testDescription: "Int8", number: .integer(-128), append: { try $0.encode(Int8.min) },
      put: { try $0.encode(Int8.min) }, isNext: { try $0.decode(Int8.self) == .min },
      isIt: { try $0.decode(Int8.self) == .min }),
    Kind(
      testDescription: "Int16", number: .integer(-32768), append: { try $0.encode(Int16.min) },
      put: { try $0.encode(Int16.min) }, isNext: { try $0.decode(Int16.self) == .min },
      isIt: { try $0.decode(Int16.self) == .min }),
    Kind(
      testDescription: "Int32", number: .integer(-2_147_483_648), append: { try $0.encode(Int32.min) },
      put: { try $0.encode(Int32.min) }, isNext: { try $0.decode(Int32.self) == .min },
      isIt: { try $0.decode(Int32.self) == .min }),
    Kind(
      testDescription: "Int64", number: .integer(.min), append: { try $0.encode(Int64.min) },
      put: { try $0.encode(Int64.min) }, isNext: { try $0.decode(Int64.self) == .min },
      isIt: { try $0.decode(Int64.self) == .min }),
    Kind(
      testDescription: "UInt", number: .unsigned(.max), append: { try $0.encode(UInt.max) },
      put: { try $0.encode(UInt.max) }, isNext: { try $0.decode(UInt.self) == .max },
      isIt: { try $0.decode(UInt.self) == .max }),
    Kind(
      testDescription: "UInt8", number: .integer(255), append: { try $0.encode(UInt8.max) },
      put: { try $0.encode(UInt8.max) }, isNext: { try $0.decode(UInt8.self) == .max },
      isIt: { try $0.decode(UInt8.self) == .max }),
    Kind(
      testDescription: "UInt16", number: .integer(65535), append: { try $0.encode(UInt16.max) },
      put: { try $0.encode(UInt16.max) }, isNext: { try $0.decode(UInt16.self) == .max },
      isIt: { try $0.decode(UInt16.self) == .max }),
    Kind(
      testDescription: "UInt32", number: .integer(4_294_967_295), append: { try $0.encode(UInt32.max) },
      put: { try $0.encode(UInt32.max) }, isNext: { try $0.decode(UInt32.self) == .max },
      isIt: { try $0.decode(UInt32.self) == .max }),
    Kind(
      testDescription: "UInt64", number: .unsigned(.max), append: { try $0.encode(UInt64.max) },
      put: { try $0.encode(UInt64.max) }, isNext: { try $0.decode(UInt64.self) == .max },
      isIt: { try $0.decode(UInt64.self) == .max }),
  ]

  @Test("hold each kind of value in an array, which is an array of numbers in the archive", arguments: kinds)
  private func unkeyed(_ kind: Kind) throws {
    let data = try Handwritten.archived { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      var row = outer.nestedUnkeyedContainer(forKey: .first)
      try kind.append(&row)
      try kind.append(&row)
      #expect(row.count == 2)
    }
    let row = try #require(try KeyedArchive(data).root["first"].array)
    #expect(row.map(\.number) == [kind.number, kind.number])
    try Handwritten.read(data) { decoder in
      var row = try decoder.container(keyedBy: Handwritten.Key.self).nestedUnkeyedContainer(forKey: .first)
      #expect(try kind.isNext(&row) && kind.isNext(&row) && row.isAtEnd)
    }
  }

  @Test("hold each kind of value without a key, in the object itself", arguments: kinds)
  private func keyless(_ kind: Kind) throws {
    let data = try Handwritten.archived { encoder in
      var row = encoder.unkeyedContainer()
      try kind.append(&row)
      try kind.append(&row)
    }
    #expect(try KeyedArchive(data).root.keys.filter { $0.hasPrefix("$") && $0 != "$class" }.sorted() == ["$0", "$1"])
    try Handwritten.read(data) { decoder in
      var row = try decoder.unkeyedContainer()
      #expect(try kind.isNext(&row) && kind.isNext(&row) && row.isAtEnd)
    }
  }

  @Test("hold each kind of value on its own", arguments: kinds)
  private func single(_ kind: Kind) throws {
    let data = try Handwritten.archived { encoder in
      var container = encoder.singleValueContainer()
      try kind.put(&container)
    }
    try Handwritten.read(data) { decoder in
      let container = try decoder.singleValueContainer()
      #expect(try kind.isIt(container))
    }
    // In the place of a superclass, which may become anything.
    let above = try Handwritten.archived { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      var container = outer.superEncoder(forKey: .first).singleValueContainer()
      try kind.put(&container)
    }
    #expect(try KeyedArchive(above).root["first"].number == kind.number)
    try Handwritten.read(above) { decoder in
      let outer = try decoder.container(keyedBy: Handwritten.Key.self)
      #expect(try kind.isIt(outer.superDecoder(forKey: .first).singleValueContainer()))
    }
  }

  @Test("hold each kind of value, and leave out what is nil")
  func optionals() throws {
    let full = Optionals(
      bool: false, string: "", double: .infinity, float: -1, int: .max, int8: .max, int16: .max, int32: .max,
      int64: .max,
      uint: 1, uint8: 2, uint16: 3, uint32: 4, uint64: .max)
    for value in [full, Optionals()] {
      let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Optionals.self, from: data) == value)
      #expect(try KeyedArchive(data).root.keys.filter { $0 != "$class" }.count == (value == full ? 14 : 0))
    }
  }

  @Test("hold an optional that is there and is null as none")
  func nulls() throws {
    let data = try Handwritten.archived { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      var inner = outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      try inner.encodeNil(forKey: .second)
      try inner.encode(1, forKey: .third)
    }
    try Handwritten.read(data) { decoder in
      let inner = try decoder.container(keyedBy: Handwritten.Key.self)
        .nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      #expect(try inner.decodeNil(forKey: .second) && !inner.decodeNil(forKey: .third))
      #expect(try inner.decodeIfPresent(Int.self, forKey: .second) == nil)
      let error = #expect(throws: DecodingError.self) { try inner.decode(Int.self, forKey: .second) }
      guard case .valueNotFound(_, let context)? = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(context.codingPath.map(\.stringValue) == ["root", "first", "second"])
      #expect((context.underlyingError as? KeyedArchiveError)?.className == "NSNull")
    }
  }

  @Test(
    "say that a value is nil, and what to do, where a dictionary refers to nothing, or there is nothing to refer to")
  func nothing() throws {
    let data = HandmadeList.archive([
      ["first": .uid(2), "$class": .uid(4)],
      ["NS.keys": [.uid(3)], "NS.objects": [.uid(0)], "$class": .uid(5)], "second",
      HandmadeList.classRecord(Handwritten.archiveClassName, "NSObject"),
      HandmadeList.classRecord("NSDictionary", "NSObject"),
    ])
    try Handwritten.read(data) { decoder in
      let inner = try decoder.container(keyedBy: Handwritten.Key.self)
        .nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      let error = #expect(throws: DecodingError.self) { try inner.decode(Int.self, forKey: .second) }
      guard case .valueNotFound(_, let context)? = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(context.codingPath.map(\.stringValue) == ["root", "first", "second"])
      #expect(context.debugDescription == "the value is nil; expected Int")
      let cause = context.underlyingError as? KeyedArchiveError
      #expect(cause?.remedy == "Decode it with decodeIfPresent, or declare it as an optional")
      let none = try inner.superDecoder().singleValueContainer()
      #expect(none.decodeNil())
    }
  }

  @Test("refuse collections with a gap between their numbered elements, as requests for arrays do")
  func gaps() throws {
    let object: HandmadeList = ["first": .uid(2), "$class": .uid(4)]
    let gap: HandmadeList = ["NS.object.0": .uid(3), "NS.object.2": .uid(3), "$class": .uid(5)]
    let archive = { (members: HandmadeList, name: String) in
      HandmadeList.archive([
        object, members, "text", HandmadeList.classRecord(Handwritten.archiveClassName, "NSObject"),
        HandmadeList.classRecord(name, "NSObject"),
      ])
    }
    let detail = "found 2 keys with the prefix 'NS.object.'; expected consecutive numbers"
    try Handwritten.read(archive(gap, "NSArray")) { decoder in
      let container = try decoder.container(keyedBy: Handwritten.Key.self)
      let nested = #expect(throws: DecodingError.self) { try container.nestedUnkeyedContainer(forKey: .first) }
      let whole = #expect(throws: DecodingError.self) { try container.decode([String].self, forKey: .first) }
      for case .dataCorrupted(let context)? in [nested, whole] {
        #expect(context.debugDescription.contains(detail))
      }
    }
    let pairs: HandmadeList = ["NS.key.0": .uid(3), "NS.object.0": .uid(3), "NS.object.2": .uid(3), "$class": .uid(5)]
    try Handwritten.read(archive(pairs, "NSDictionary")) { decoder in
      let container = try decoder.container(keyedBy: Handwritten.Key.self)
      #expect(throws: DecodingError.self) {
        try container.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      }
    }
  }

  @Test("nest: dictionaries in arrays, and what superclasses encode in both")
  func nested() throws {
    let data = try Handwritten.archived { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      var row = outer.nestedUnkeyedContainer(forKey: .first)
      var inRow = row.nestedContainer(keyedBy: Handwritten.Key.self)
      try inRow.encode(7, forKey: .second)
      var aboveRow = row.superEncoder().unkeyedContainer()
      try aboveRow.encode("x")
      var inner = outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .second)
      var above = inner.superEncoder().container(keyedBy: Handwritten.Key.self)
      try above.encode(true, forKey: .first)
      var named = inner.superEncoder(forKey: .third).singleValueContainer()
      try named.encode(2.5)
      var dictionary = inner.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      try dictionary.encode("y", forKey: .first)
    }
    let root = try KeyedArchive(data).root
    #expect(root["first"].array?.map(\.className) == ["NSDictionary", "NSArray"])
    #expect(root["first"].array?[0]["second"].number == .integer(7) && root["first"].array?[1].array?[0].string == "x")
    #expect(root["second"]["super"]["first"].number == .boolean(true))
    #expect(root["second"]["third"].number == .double(2.5) && root["second"]["first"]["first"].string == "y")
    try Handwritten.read(data) { decoder in
      let outer = try decoder.container(keyedBy: Handwritten.Key.self)
      #expect(decoder.codingPath.map(\.stringValue) == ["root"])
      var row = try outer.nestedUnkeyedContainer(forKey: .first)
      #expect(row.codingPath.map(\.stringValue) == ["root", "first"])
      let inRow = try row.nestedContainer(keyedBy: Handwritten.Key.self)
      #expect(inRow.codingPath.map(\.stringValue) == ["root", "first", "0"])
      #expect(try inRow.decode(Int.self, forKey: .second) == 7 && row.currentIndex == 1)
      var aboveRow = try row.superDecoder().unkeyedContainer()
      #expect(try aboveRow.decode(String.self) == "x" && row.isAtEnd)
      let inner = try outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .second)
      let above = try inner.superDecoder().container(keyedBy: Handwritten.Key.self)
      #expect(try above.decode(Bool.self, forKey: .first))
      let named = try inner.superDecoder(forKey: .third)
      #expect(try named.singleValueContainer().decode(Double.self) == 2.5)
      let dictionary = try inner.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      #expect(try dictionary.decode(String.self, forKey: .first) == "y")
    }
  }

  /// The paths of decoders that a container returns for the values of a superclass, and of their errors. The container is
  /// asked for another value before they are used.
  private static func superPaths(_ decoder: any Decoder) throws -> [[String]] {
    var paths: [[any CodingKey]] = []
    func fail(_ body: () throws -> Void) {
      do {
        try body()
        Issue.record("no error")
      } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context) {
        paths.append(context.codingPath)
      } catch DecodingError.keyNotFound(_, let context) {
        paths.append(context.codingPath)
      } catch {
        Issue.record("\(error)")
      }
    }
    func use(_ above: any Decoder, then next: () throws -> Void) throws {
      try next()
      paths.append(above.codingPath)
      let single = try above.singleValueContainer()
      paths.append(single.codingPath)
      fail { _ = try single.decode(Bool.self) }
      fail { _ = try above.unkeyedContainer() }
      try next()
      let keyed = try above.container(keyedBy: Handwritten.Key.self)
      paths.append(keyed.codingPath)
      fail { _ = try keyed.decode(Bool.self, forKey: .first) }
      fail { _ = try keyed.decode(Int.self, forKey: .third) }
    }
    let outer = try decoder.container(keyedBy: Handwritten.Key.self)
    let inner = try outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
    let next = {
      let value = try inner.decode(Int.self, forKey: .second)
      #expect(value == 2)
    }
    try use(inner.superDecoder(), then: next)
    try use(inner.superDecoder(forKey: .third), then: next)
    var row = try outer.nestedUnkeyedContainer(forKey: .second)
    let above = try row.superDecoder()
    #expect(try row.decode(Int.self) == 7)
    try use(above) {}
    return paths.map { path in
      path.map { $0.intValue.map(String.init) ?? $0.stringValue }.filter { $0 != "root" }
    }
  }

  @Test("give the decoders of superclasses the paths that Foundation's do")
  func superclassPaths() throws {
    let encoding: @Sendable (any Encoder) throws -> Void = { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      var inner = outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      try inner.encode(2, forKey: .second)
      var row = outer.nestedUnkeyedContainer(forKey: .second)
      for encoder in [inner.superEncoder(), inner.superEncoder(forKey: .third), row.superEncoder()] {
        var above = encoder.container(keyedBy: Handwritten.Key.self)
        try above.encode("text", forKey: .first)
      }
      try row.encode(7)
    }
    let found = Mutex<[[String]]>([])
    let decoding: @Sendable (any Decoder) throws -> Void = { decoder in
      let paths = try Self.superPaths(decoder)
      found.withLock { $0 = paths }
    }
    let json = try Handwritten.$encoding.withValue(encoding) { try JSONEncoder().encode(Handwritten()) }
    _ = try Handwritten.$decoding.withValue(decoding) { try JSONDecoder().decode(Handwritten.self, from: json) }
    let expected = found.withLock { $0 }
    #expect(expected.count == 21 && expected.first == ["first", "super"])
    try Handwritten.read(Handwritten.archived(encoding), decoding)
    #expect(found.withLock { $0 } == expected)
  }

  @Test("say which key of a dictionary is missing, and after how many values an array has no more")
  func missing() throws {
    let data = try Handwritten.archived { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      _ = outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      var row = outer.nestedUnkeyedContainer(forKey: .second)
      try row.encode(1)
    }
    try Handwritten.read(data) { decoder in
      let outer = try decoder.container(keyedBy: Handwritten.Key.self)
      let inner = try outer.nestedContainer(keyedBy: Handwritten.Key.self, forKey: .first)
      let error = #expect(throws: DecodingError.self) { try inner.decode(Int.self, forKey: .third) }
      guard case .keyNotFound(let key, let context)? = error else {
        Issue.record("\(error as Any)")
        return
      }
      #expect(key.stringValue == "third" && context.codingPath.map(\.stringValue) == ["root", "first"])
      #expect(context.debugDescription == "missing value for 'third'; expected Int")
      #expect((context.underlyingError as? KeyedArchiveError)?.code == .valueNotFound)

      var row = try outer.nestedUnkeyedContainer(forKey: .second)
      _ = try row.decode(Int.self)
      let end = #expect(throws: DecodingError.self) { try row.decode(Int.self) }
      guard case .valueNotFound(_, let context)? = end else {
        Issue.record("\(end as Any)")
        return
      }
      #expect(context.debugDescription == "missing value: the container has only 1; expected Int")
    }
  }

  @Test("an object with keys holds no single value")
  func noSingleValue() throws {
    let data = try Handwritten.archived { encoder in
      var outer = encoder.container(keyedBy: Handwritten.Key.self)
      try outer.encode(1, forKey: .first)
    }
    for read in [
      { try $0.singleValueContainer().decode(Int.self) }, { try $0.singleValueContainer().decode(String.self) },
    ] as [@Sendable (any Decoder) throws -> Any] {
      let error = #expect(throws: KeyedArchiveError.self) { try Handwritten.read(data) { _ = try read($0) } }
      #expect(error?.detail == "container mismatch: found an object with keyed values; expected a single value")
    }
  }

  @Test("an object with a container of another kind is an error that names both")
  func otherKinds() throws {
    let keyed = try Handwritten.archived { _ = $0.container(keyedBy: Handwritten.Key.self) }
    let unkeyed = try Handwritten.archived { _ = $0.unkeyedContainer() }
    let row = try Handwritten.archived { encoder in
      var container = encoder.unkeyedContainer()
      try container.encode(1)
    }
    func detail(_ data: Data, _ read: @escaping @Sendable (any Decoder) throws -> Void) -> String? {
      #expect(throws: KeyedArchiveError.self) { try Handwritten.read(data, read) }?.detail
    }
    #expect(
      detail(keyed) { _ = try $0.unkeyedContainer() }
        == "container mismatch: found an object with no values; expected unkeyed values")
    for data in [unkeyed, row] {
      #expect(
        detail(data) { _ = try $0.container(keyedBy: Handwritten.Key.self) }
          == "container mismatch: found an object with unkeyed values; expected keyed values")
      try Handwritten.read(data) { _ = try $0.unkeyedContainer() }
    }
    try Handwritten.read(keyed) { _ = try $0.container(keyedBy: Handwritten.Key.self) }
  }

  @Test("encodeConditional archives an object only if another reference does")
  func conditional() throws {
    final class Item: Codable {}
    struct Holder: Codable {
      var owned: Item?
      var others: [Item?] = []
      var seen: Item?
      private enum CodingKeys: CodingKey { case owned, others, seen }
      init(owned: Item?, seen: Item) { (self.owned, self.seen) = (owned, seen) }
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        owned = try container.decodeIfPresent(Item.self, forKey: .owned)
        var list = try container.nestedUnkeyedContainer(forKey: .others)
        while !list.isAtEnd { others.append(try list.decodeNil() ? nil : list.decode(Item.self)) }
        seen = try container.decodeIfPresent(Item.self, forKey: .seen)
      }
      func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(owned, forKey: .owned)
        var list = container.nestedUnkeyedContainer(forKey: .others)
        if let seen {
          try list.encodeConditional(seen)
          try container.encodeConditional(seen, forKey: .seen)
        }
      }
    }
    let item = Item()
    let alone = try KeyedArchiveDecoder().decode(
      Holder.self, from: KeyedArchiveEncoder().encode(Holder(owned: nil, seen: item)))
    #expect(alone.owned == nil && alone.seen == nil && alone.others.map { $0 == nil } == [true])
    let both = try KeyedArchiveDecoder().decode(
      Holder.self, from: KeyedArchiveEncoder().encode(Holder(owned: item, seen: item)))
    let owned = try #require(both.owned)
    #expect(both.seen === owned && both.others.count == 1 && both.others[0] === owned)
  }

  @Test("a value cannot be encoded in two kinds of containers")
  func twoKinds() {
    let error = #expect(throws: KeyedArchiveError.self) {
      try Handwritten.archived { encoder in
        var outer = encoder.container(keyedBy: Handwritten.Key.self)
        let above = outer.superEncoder(forKey: .second)
        var row = above.unkeyedContainer()
        try row.encode(1)
        var keyed = above.container(keyedBy: Handwritten.Key.self)
        try keyed.encode(1, forKey: .first)
      }
    }
    #expect(error?.code == .notEncodable && error?.keyPath == "root.second")
    #expect(error?.detail == "conflicting containers: requested 'keyed' after 'unkeyed'")
  }

  @Test("an array of many instances of a class has each of them once")
  func manyInstances() throws {
    final class Leaf: KeyedCodable {
      var number: Int
      init(_ number: Int) { self.number = number }
    }
    let leaves = (0..<200).map(Leaf.init)
    let data = try KeyedArchiver.archivedData(withRootObject: leaves + leaves, requiringSecureCoding: true)
    let again = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [Leaf].self, from: data))
    #expect(again.map(\.number) == Array(0..<200) + Array(0..<200))
    #expect((0..<200).allSatisfy { again[$0] === again[$0 + 200] })
    #expect(Set(again.map(ObjectIdentifier.init)).count == 200)
  }
}
