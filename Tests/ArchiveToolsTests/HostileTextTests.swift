// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import ArchivedClasses
import Foundation
import KeyedArchives
import PropertyListFormat
import TestSupport
import Testing

@testable import KeyedArchiving

private struct Thing: SecureKeyedCoding, Hashable {
  static var archiveClassName: String { "Thing" }
  var number: Int
  init(_ number: Int) { self.number = number }
  func encode(with coder: KeyedArchiver) { coder.encode(number, forKey: "number") }
  init?(coder: KeyedUnarchiver) { number = coder.decodeInteger(forKey: "number") }
}

private struct Named: KeyedCodable, Hashable {
  static var archiveClassName: String { "Named" }
  var name: String
}

private enum Suit: String, KeyedCodable {
  static var archiveClassName: String { "Suit" }
  case hearts, spades
}

private struct Card: KeyedCodable {
  static var archiveClassName: String { "Card" }
  var suit: Suit
}

/// A place in an archive where a text of the file is compared, and what becomes of it.
private struct Door: Sendable {
  let name: String
  /// The archive with a text in the place.
  let file: @Sendable (String) -> Data
  /// Decodes it; returns whether the result is right.
  let isRight: @Sendable (Data, String) throws -> Bool

  static let dictionaryClass = HandmadeList.classRecord("NSDictionary", "NSObject")
  static let setClass = HandmadeList.classRecord("NSSet", "NSObject")
  static let thingClass = HandmadeList.classRecord("Thing", "NSObject")

  @Sendable static func dictionary(_ text: String) -> Data {
    HandmadeList.archive([
      ["NS.keys": [.uid(2)], "NS.objects": [.uid(3)], "$class": .uid(4)], .string(text), 7, dictionaryClass,
    ])
  }

  @Sendable static func set(_ text: String) -> Data {
    HandmadeList.archive([["NS.objects": [.uid(2)], "$class": .uid(3)], .string(text), setClass])
  }

  @Sendable static func object(_ key: String) -> Data {
    HandmadeList.archive([.dictionary([(key, .integer(5)), ("number", .integer(7)), ("$class", .uid(2))]), thingClass])
  }

  @Sendable static func classed(_ name: String) -> Data {
    HandmadeList.archive([["$class": .uid(2)], .classRecord(name, "NSObject")])
  }

  @Sendable static func hinted(_ name: String) -> Data {
    HandmadeList.archive([
      ["$class": .uid(2)],
      ["$classname": "Other", "$classes": ["Other", .string(name)], "$classhints": [.string(name)]],
    ])
  }

  @Sendable static func archiver(_ name: String) -> Data {
    HandmadeList.dictionary([
      ("$version", 100_000), ("$archiver", .string(name)), ("$top", ["root": .uid(0)]), ("$objects", ["$null"]),
    ]).binary
  }

  static func fails(_ code: KeyedArchiveError.Code, _ body: () throws -> Any?) -> Bool {
    do {
      _ = try body()
      return false
    } catch let error as KeyedArchiveError {
      return error.code == code
    } catch let error as DecodingError {
      guard case .dataCorrupted(let context) = error else { return false }
      return (context.underlyingError as? KeyedArchiveError)?.code == code
    } catch {
      return false
    }
  }

  static func decode<Value: KeyedCoding>(_ type: Value.Type, _ data: Data) throws -> Value? {
    try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
  }

  static let all: [Door] = [
    Door(name: "archiver", file: archiver) { data, _ in
      fails(.unknownArchiver) { try KeyedUnarchiver(forReadingFrom: data) }
    },
    Door(name: "archiver, a list of names", file: archiver) { data, _ in
      fails(.unknownArchiver) { try KeyedUnarchiver(forReadingFrom: data, archivers: .only(["Mine", "Yours"])) }
    },
    Door(name: "class name", file: classed) { data, _ in fails(.classNotAllowed) { try decode(Thing.self, data) } },
    Door(name: "class name under a list", file: classed) { data, _ in
      fails(.classNotAllowed) {
        try KeyedUnarchiver.unarchivedObject(ofClasses: [Thing.self, ArchivedPredicate.self], from: data)
      }
    },
    Door(name: "class name with a class set", file: classed) { data, _ in
      let coder = try KeyedUnarchiver(forReadingFrom: data)
      coder.setClass(Thing.self, forClassName: "Else")
      return coder.decodeObject(of: Thing.self, forKey: "root") == nil && coder.error?.code == .classNotAllowed
    },
    Door(name: "class hints", file: hinted) { data, _ in fails(.classNotAllowed) { try decode(Thing.self, data) } },
    Door(name: "class name as data", file: classed) { data, text in
      try decode(ArchivedObject.self, data)?.archivedClass.name == text
    },
    Door(name: "key", file: object) { data, _ in try decode(Thing.self, data)?.number == 7 },
    Door(name: "key with $", file: { object("$" + $0) }) { data, _ in try decode(Thing.self, data)?.number == 7 },
    Door(name: "key with $$", file: { object("$$" + $0) }) { data, _ in try decode(Thing.self, data)?.number == 7 },
    Door(name: "key that seems numbered", file: { object("NS.object." + $0) }) { data, _ in
      try decode(Thing.self, data)?.number == 7
    },
    Door(name: "key as data", file: object) { data, text in
      guard let object = try decode(ArchivedObject.self, data) else { return false }
      return object[text]?.number == .integer(5)
    },
    Door(name: "top key", file: { HandmadeList.archive(["x"], top: [($0, .uid(1))]) }) { data, text in
      let coder = try KeyedUnarchiver(forReadingFrom: data)
      return !coder.containsValue(forKey: "root") && coder.decodeObject(of: String.self, forKey: text) == "x"
    },
    Door(name: "string", file: { HandmadeList.archive([.string($0)]) }) { data, text in
      try decode(String.self, data) == text
    },
    Door(name: "key of a dictionary", file: dictionary) { data, _ in
      fails(.limitReached) { try decode([String: Int].self, data) }
    },
    Door(name: "key of a dictionary, Codable", file: dictionary) { data, _ in
      fails(.limitReached) { try KeyedUnarchiver(forReadingFrom: data).decode([String: Int].self, forKey: "root") }
    },
    Door(name: "key of ArchivedDictionary", file: dictionary) { data, text in
      let found = try KeyedUnarchiver.unarchivedObject(
        ofClasses: [ArchivedDictionary.self, String.self, ArchiveNumber.self], from: data)
      return ((found as? ArchivedDictionary)?.keys.first as? String) == text
    },
    Door(name: "element of a set", file: set) { data, _ in fails(.limitReached) { try decode(Set<String>.self, data) }
    },
    Door(
      name: "text in an element of a set",
      file: {
        HandmadeList.archive([
          ["NS.objects": [.uid(2)], "$class": .uid(4)], ["name": .uid(3), "$class": .uid(5)], .string($0), setClass,
          .classRecord("Named", "NSObject"),
        ])
      },
      isRight: { data, _ in fails(.limitReached) { try decode(Set<Named>.self, data) } }),
    Door(
      name: "text in an element of a set, decoded before",
      file: {
        HandmadeList.archive(
          [
            ["NS.objects": [.uid(2)], "$class": .uid(4)], ["name": .uid(3), "$class": .uid(5)], .string($0), setClass,
            .classRecord("Named", "NSObject"),
          ], top: [("root", .uid(1)), ("one", .uid(2)), ("two", .uid(2)), ("three", .uid(2))])
      },
      isRight: { data, text in
        let coder = try KeyedUnarchiver(forReadingFrom: data)
        for key in ["one", "two", "three"] {
          guard coder.decodeObject(of: Named.self, forKey: key)?.name == text else { return false }
        }
        return coder.decodeObject(of: Set<Named>.self, forKey: "root") == nil && coder.error?.code == .limitReached
      }),
    Door(
      name: "raw value of an enum",
      file: {
        HandmadeList.archive([
          ["suit": .uid(2), "$class": .uid(3)], .string($0), .classRecord("Card", "NSObject"),
        ])
      }, isRight: { data, _ in fails(.limitReached) { try decode(Card.self, data) } }),
    Door(name: "archive: names, check, lookups", file: object) { data, text in
      let archive = try KeyedArchive(data)
      return archive.classNames == ["Thing"] && archive.check(allowing: ["Thing"]).isEmpty
        && archive.root[text].number == .integer(5) && !archive.root[text + "x"].exists
    },
    Door(name: "archive: class names", file: classed) { data, text in
      let archive = try KeyedArchive(data)
      return archive.classNames == [text]
        && archive.check(allowing: ["Thing"]).contains { $0.code == "classNotAllowed" }
        && archive.root.string == nil && archive.root.date == nil
    },
    Door(name: "audit and source", file: classed) { data, text in
      let audit = try ArchiveAudit(of: KeyedArchive(data))
      return audit.classNames == [text] && !audit.swiftAllowList().isEmpty && !GeneratedSwift(audit).types.isEmpty
    },
    Door(name: "audit and source: keys", file: object) { data, text in
      let audit = try ArchiveAudit(of: KeyedArchive(data))
      return audit.classNames == ["Thing"] && !GeneratedSwift(audit).types.isEmpty
    },
    Door(name: "comparing", file: object) { data, text in
      let (old, new) = (try KeyedArchive(data), try KeyedArchive(object("M" + text)))
      return try old.differences(from: old).isEmpty && !new.differences(from: old).isEmpty
    },
    Door(name: "comparing dictionaries", file: dictionary) { data, text in
      let (old, new) = (try KeyedArchive(data), try KeyedArchive(dictionary("M" + text)))
      return try old.differences(from: old).isEmpty && !new.differences(from: old).isEmpty
    },
    Door(name: "migrating", file: object) { data, text in
      let rules = MigrationRules([
        .renameKey("number", to: "count", of: "Thing"), .renameClass("*.Thing", to: "Other"),
        .storeNumbers(nil, as: .objects, of: "Other"),
      ])
      return try KeyedArchive(data).migrated(by: rules).archive.root["count"].exists
    },
    Door(name: "decoding as data, archiving again", file: object) { data, text in
      let object = try decode(ArchivedObject.self, data)
      return try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true).count > 2
        * text.utf16.count
    },
  ]
}

@Suite("Hostile text", .serialized)
struct HostileTextTests {
  /// 60,000 marks; with `WHOLE_TESTS`, 200,000, with the time in the same proportion.
  @Test(
    "many combining marks cost at most in proportion to their number, wherever they are",
    arguments: Door.all.map(\.name))
  func marks(_ name: String) throws {
    let door = try #require(Door.all.first { $0.name == name })
    let count = Sample.count(60_000, of: 200_000)
    let text = HostileText.marks(count)
    let file = door.file(text)
    var isRight = false
    let time = try HostileText.time { isRight = try door.isRight(file, text) }
    #expect(isRight)
    #expect(time < HostileText.patience * count / 200_000)
  }

  @Test("keys with as many marks as are allowed are keys of Swift's dictionaries and sets")
  func allowed() throws {
    let text = HostileText.marks(127)
    #expect(try Door.decode([String: Int].self, Door.dictionary(text)) == [text: 7])
    #expect(try Door.decode(Set<String>.self, Door.set(text)) == [text])
  }

  @Test("keys of Codable values may have as many marks, in each of several objects that share them")
  func keysOfCodableValues() throws {
    struct Plain: KeyedCodable {
      static var archiveClassName: String { "Plain" }
      var number: Int
      // Keys of a type's own are made from all keys of the object.
      init(number: Int) { self.number = number }
      init(from decoder: any Decoder) throws {
        number = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .number)
      }
      enum CodingKeys: String, CodingKey { case number }
    }
    let values = [Plain(number: 1), Plain(number: 2)]
    for (count, isAllowed) in [(127, true), (128, false)] {
      let coded = try KeyedArchiver.archivedData(withRootObject: values, requiringSecureCoding: false)
      var archive = try KeyedArchive(coded)
      for node in archive.root.array ?? [] {
        let uid = try #require(node.uid)
        try archive.setValue(.integer(1), forKey: HostileText.marks(count), of: uid)
        // Another form, with the same key.
        if node["number"].number == .integer(2) { try archive.setValue(.integer(1), forKey: "other", of: uid) }
      }
      #expect(archive.root.array?.count == 2)
      let data = try archive.data()
      if isAllowed {
        #expect(try Door.decode([Plain].self, data)?.map(\.number) == [1, 2])
      } else {
        let error = #expect(throws: KeyedArchiveError.self) { try Door.decode([Plain].self, data) }
        #expect(error?.code == .limitReached)
      }
    }
  }

  @Test("the error for a key that cannot be hashed says where it is, and what to ask for instead")
  func message() throws {
    let error = #expect(throws: KeyedArchiveError.self) {
      try Door.decode([String: Int].self, Door.dictionary(HostileText.marks(1000)))
    }
    #expect(error?.keyPath?.hasPrefix("root") == true)
    #expect(error?.description.contains("ArchivedDictionary") == true)
    #expect((error?.description.utf8.count ?? 0) < 500)
  }

  @Test("texts that Swift treats as equal are different names, keys and values", arguments: 0..<4)
  func twins(_ number: Int) throws {
    let (a, b) = HostileText.twins[number]
    #expect(!AcceptedArchivers.only([a + "KeyedArchive"]).contains(b + "KeyedArchive"))
    let archive = try KeyedArchive(Door.object(a))
    #expect(archive.root[a].exists && !archive.root[b].exists)
    #expect(try KeyedArchive(Door.classed(a)).check(allowing: [b]).contains { $0.code == "classNotAllowed" })
    let coder = try KeyedUnarchiver(forReadingFrom: Door.classed(a))
    coder.setClass(Thing.self, forClassName: b)
    #expect(coder.decodeObject(of: Thing.self, forKey: "root") == nil)
    #expect(ClassSelector([a]).matches(a) && !ClassSelector([a]).matches(b))
  }

  @Test("values that hold texts are equal only if the bytes are, and equal values have equal hashes", arguments: 0..<4)
  func values(_ number: Int) {
    let (a, b) = HostileText.twins[number]
    func check<Value: Hashable>(_ make: (String) -> Value) {
      #expect(make(a) == make(a))
      #expect(make(a).hashValue == make(a).hashValue)
      #expect(!(make(a) == make(b)), "\(Value.self)")
      #expect(!(make(b) == make(a)), "\(Value.self)")
    }
    check { ClassDescription(name: $0, chain: []) }
    check { ClassDescription(name: "", chain: [$0]) }
    check { ClassDescription(name: "", chain: [], hints: [$0]) }
    check { ArchivedLocale(identifier: $0) }
    check { ArchivedCalendar(identifier: $0) }
    check { ArchivedTimeZone(name: $0) }
    check { ArchivedMutableString($0) }
    check { ArchivePrimitive.string($0) }
    check { ArchivedCharacterSet.Content.characters($0) }
    check { ArchivedRegularExpression(pattern: $0) }
    check { ArchivedSortDescriptor(key: $0) }
    check { ArchivedSortDescriptor(key: nil, selector: $0) }
    check { ArchivedUnit(symbol: $0) }
    check { ArchivedDateIntervalFormatter(dateTemplate: $0) }
    check { ArchivedDateIntervalFormatter(dateTemplateFromStyles: $0) }
    check { ArchivedColor(catalog: $0, name: "", fallback: ArchivedColor(white: 0)) }
    check { ArchivedColor(catalog: "", name: $0, fallback: ArchivedColor(white: 0)) }
    check { (text: String) -> ArchivedPersonNameComponents in
      var name = ArchivedPersonNameComponents()
      name.nickname = text
      return name
    }
    check { (text: String) -> ArchivedUIColor in
      var color = ArchivedUIColor(white: 0)
      color.systemColorName = text
      return color
    }
  }
}
