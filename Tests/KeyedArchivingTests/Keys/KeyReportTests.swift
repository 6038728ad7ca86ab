// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A class that requests some keys as `NSCoding` code does.
private final class Dish: SecureKeyedCoding {
  static var archiveClassName: String { "App.Dish" }
  let title: String?
  let price: Int
  var side: Dish?
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) {
    title = coder.decodeObject(of: String.self, forKey: "title")
    price = coder.decodeInteger(forKey: "price")
    side = coder.decodeObject(of: Dish.self, forKey: "side")
  }
}

/// A class that refers to any other by deferred references.
private final class Link: SecureKeyedCoding {
  static var archiveClassName: String { "App.Link" }
  var next: Link?
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) { coder.decodeObject(of: Link.self, forKey: "next") { self.next = $0 } }
}

/// A type that requests the keys that a test names, in the way that it names.
private struct Asker: SecureKeyedCoding {
  static var archiveClassName: String { "App.Asker" }
  @TaskLocal static var body: @Sendable (KeyedUnarchiver) throws -> Void = { _ in }
  func encode(with coder: KeyedArchiver) {}
  init?(coder: KeyedUnarchiver) throws { try Self.body(coder) }
}

private class Animal: SecureKeyedCoding {
  class var archiveClassName: String { "App.Animal" }
  class var archiveSubclasses: [any KeyedCoding.Type] { [Dog.self] }
  let legs: Int
  func encode(with coder: KeyedArchiver) {}
  required init?(coder: KeyedUnarchiver) { legs = coder.decodeInteger(forKey: "legs") }
}

private final class Dog: Animal, ArchiveAwakening {
  override class var archiveClassName: String { "App.Dog" }
  override class var archiveSubclasses: [any KeyedCoding.Type] { [] }
  func awakeAfter(using coder: KeyedUnarchiver) throws -> Dog { self }
}

private func entry(_ path: String, _ className: String?, _ key: String) -> KeyReport.Entry {
  KeyReport.Entry(path: path, className: className, key: key)
}

@Suite("The report of the keys of a decode")
struct KeyReportTests {
  private static let dish = record("App.Dish")

  private static func record(_ name: String) -> HandmadeList { .classRecord(name, "NSObject") }

  private func report<Value: KeyedCoding>(_ type: Value.Type, _ data: Data) throws -> KeyReport {
    try KeyedArchiveDecoder().decodeReportingKeys(type, from: data).report
  }

  /// The report of an object with these keys, which is asked for some.
  private func asking(
    _ keys: [(String, HandmadeList)], _ more: [HandmadeList] = [],
    _ body: @escaping @Sendable (KeyedUnarchiver) throws -> Void
  ) throws -> KeyReport {
    let object = HandmadeList.dictionary(keys + [("$class", .uid(2))])
    let data = HandmadeList.archive([object, .classRecord("App.Asker", "NSObject")] + more)
    return try Asker.$body.withValue(body) { try report(Asker.self, data) }
  }

  // MARK: Unread keys

  @Test("has the keys that no call requested, with the path and the class of their objects")
  func unread() throws {
    let data = HandmadeList.archive(
      [
        ["NS.objects": [.uid(2), .uid(3)], "$class": .uid(6)],
        ["title": .uid(5), "price": 3, "side": .uid(4), "$class": .uid(7)],
        ["title": .uid(5), "price": 3, "side": .uid(0), "weight": 5, "color": 6, "$class": .uid(7)],
        ["title": .uid(5), "price": 3, "side": .uid(0), "$class": .uid(7), "age": .uid(5)],
        "text", Self.record("NSArray"), Self.record("App.Dish"),
      ], top: [("root", .uid(1)), ("version", 7), ("author", .uid(5))])
    let report = try report([Dish].self, data)
    #expect(
      report.unreadKeys == [
        entry("$top", nil, "author"), entry("$top", nil, "version"), entry("root[1]", "App.Dish", "color"),
        entry("root[1]", "App.Dish", "weight"), entry("root[0].side", "App.Dish", "age"),
      ])
    #expect(report.unreadKeys.map(\.keyPath).suffix(2) == ["root[1].weight", "root[0].side.age"])
    #expect(report.unreadKeys.map(\.uid?.rawValue) == [nil, nil, 3, 3, 4])
    #expect(report.absentKeys == [] && report.absentOptionalKeys == [] && !report.isEmpty)
    #expect(
      report.description == """
        $top: not requested: 'author', 'version'
        root[1], 'App.Dish': not requested: 'color', 'weight'
        root[0].side, 'App.Dish': not requested: 'age'
        """)
  }

  @Test("is empty if every key was requested")
  func empty() throws {
    let data = HandmadeList.archive([
      ["title": .uid(2), "price": 3, "side": .uid(0), "$class": .uid(3)], "text", Self.dish,
    ])
    let report = try report(Dish.self, data)
    #expect(report == KeyReport() && report.isEmpty)
    #expect(report.description == "no unread, absent or repeated keys")
  }

  @Test("names an object that was not decoded only by the key that refers to it")
  func notDecoded() throws {
    let data = HandmadeList.archive([
      ["title": .uid(4), "price": 3, "side": .uid(0), "old": .uid(2), "$class": .uid(3)],
      ["secret": 1, "$class": .uid(3)], Self.dish, "text",
    ])
    #expect(try report(Dish.self, data).unreadKeys == [entry("root", "App.Dish", "old")])
  }

  @Test("names an object with several paths once, by the shortest that the decode followed")
  func shared() throws {
    // The unread key "early" also refers to it.
    let data = HandmadeList.archive([
      ["next": .uid(2), "early": .uid(4), "$class": .uid(5)], ["next": .uid(3), "$class": .uid(5)],
      ["next": .uid(4), "$class": .uid(5)], ["next": .uid(2), "extra": 1, "$class": .uid(5)],
      Self.record("App.Link"),
    ])
    #expect(
      try report(Link.self, data).unreadKeys == [
        entry("root", "App.Link", "early"), entry("root.next.next.next", "App.Link", "extra"),
      ])
  }

  @Test("has no keys of values of Swift, Foundation and this package")
  func known() throws {
    let data = HandmadeList.archive([
      ["NS.keys": [.uid(2)], "NS.objects": [.uid(3)], "more": 1, "$class": .uid(6)], "a",
      ["NS.objects": [.uid(4)], "more": 1, "$class": .uid(7)], ["NS.time": 1.5, "more": 1, "$class": .uid(8)], "",
      Self.record("NSDictionary"), Self.record("NSArray"), Self.record("NSDate"),
    ])
    #expect(try report([String: [Date]].self, data) == KeyReport())
    let color = HandmadeList.archive([
      ["NSColorSpace": 3, "NSWhite": .data(Array("0.5\0".utf8)), "more": 1, "$class": .uid(2)],
      Self.record("NSColor"),
    ])
    #expect(try report(ArchivedColor.self, color) == KeyReport())
  }

  @Test("reaches objects through collections, dictionaries by their keys")
  func collections() throws {
    let data = HandmadeList.archive([
      ["NS.keys": [.uid(2)], "NS.objects": [.uid(3)], "$class": .uid(5)], "a key",
      ["NS.object.0": .uid(4), "$class": .uid(6)],
      ["title": .uid(2), "price": 1, "side": .uid(0), "more": 1, "$class": .uid(7)],
      Self.record("NSDictionary"), Self.record("NSArray"), Self.dish,
    ])
    #expect(
      try report([String: [Dish]].self, data).unreadKeys == [
        entry("root[\"a key\"].NS.object.0", "App.Dish", "more")
      ])
  }

  @Test("has the keys of subclasses, of objects with hooks, and of classes that a delegate or setClass maps")
  func substitutes() throws {
    final class Delegate: KeyedUnarchiverDelegate {
      func unarchiver(
        _ unarchiver: KeyedUnarchiver, cannotDecodeObjectOfClassName name: String, originalClasses: [String]
      ) -> (any KeyedCoding.Type)? { Animal.self }
      func unarchiver(_ unarchiver: KeyedUnarchiver, didDecode object: any KeyedCoding) -> (any KeyedCoding)? { object }
    }
    let delegate = Delegate()
    for name in ["App.Dog", "App.Cat", "App.Cow"] {
      let data = HandmadeList.archive([["legs": 4, "tail": true, "$class": .uid(2)], Self.record(name)])
      let coder = try KeyedUnarchiver(forReadingFrom: data)
      coder.tracksKeys = true
      if name == "App.Cat" { coder.delegate = delegate }
      if name == "App.Cow" { coder.setClass(Animal.self, forClassName: name) }
      #expect(try coder.decode(Animal.self, forKey: "root").legs == 4)
      #expect(coder.keyReport.unreadKeys == [entry("root", name, "tail")])
    }
  }

  @Test("has the keys that no type requested, if several decoded one object")
  func severalTypes() throws {
    let data = HandmadeList.archive(
      [["legs": 4, "title": .uid(2), "tail": 1, "$class": .uid(3)], "text", Self.record("App.Dish")],
      top: [("a", .uid(1)), ("b", .uid(1))])
    let coder = try KeyedUnarchiver(forReadingFrom: data)
    coder.tracksKeys = true
    _ = try coder.decode(Dish.self, forKey: "a")
    #expect(coder.keyReport.unreadKeys.map(\.key) == ["b", "legs", "tail"])
    coder.setClass(Animal.self, forClassName: "App.Dish")
    _ = try coder.decode(Animal.self, forKey: "b")
    #expect(coder.keyReport.unreadKeys == [entry("a", "App.Dish", "tail")])
  }

  @Test("has the keys of an object whose initializer failed, except those that it requested")
  func failed() throws {
    let report = try asking([("inner", .uid(3))], [["a": 1, "b": 2, "$class": .uid(4)], .classRecord("App.Asker")]) {
      guard $0.containsValue(forKey: "inner") else {
        _ = $0.containsValue(forKey: "a")
        throw CocoaError(.coderReadCorrupt)
      }
      #expect(throws: (any Error).self) { [coder = $0] in try coder.decode(Asker.self, forKey: "inner") }
    }
    #expect(report.unreadKeys == [entry("root.inner", "App.Asker", "b")])
  }

  @Test("counts a key that is only looked for as requested")
  func lookedFor() throws {
    #expect(try asking([("old", 1)]) { _ = $0.containsValue(forKey: "old") }.isEmpty)
    #expect(try asking([("old", 1)]) { _ in }.unreadKeys == [entry("root", "App.Asker", "old")])
  }

  @Test("has values without keys, keys with a leading dollar sign, and the second of equal keys")
  func oddKeys() throws {
    let odd: [(String, HandmadeList)] = [("$0", .uid(3)), ("$1", .uid(3)), ("$$a", 1), ("$$b", 1), ("x", 1), ("x", 2)]
    let report = try asking(odd, ["text"]) {
      #expect($0.decodeObject(of: String.self) == "text")
      #expect($0.decodeInteger(forKey: "$a") == 1 && $0.decodeInteger(forKey: "x") == 1)
    }
    #expect(report.unreadKeys.map(\.key) == ["$1", "$b", "x"])
  }

  @Test("has each key of an object with many keys", arguments: [1, 16, 17, 63, 64, 65, 130, 1000])
  func many(count: Int) throws {
    let keys = (0..<count).map { ("k\($0)", HandmadeList.integer(Int64($0))) }
    let report = try asking(keys) { coder in
      for number in 0..<count where number % 3 != 0 { #expect(coder.decodeInteger(forKey: "k\(number)") == number) }
      // Again, in another order.
      for number in (0..<count).reversed() where number % 3 == 1 { #expect(coder.containsValue(forKey: "k\(number)")) }
    }
    #expect(Set(report.unreadKeys.map(\.key)) == Set((0..<count).filter { $0 % 3 == 0 }.map { "k\($0)" }))
    #expect(report.unreadKeys.count == (count + 2) / 3)
  }

  // MARK: Absent keys

  @Test("has the absent keys for which a call returned nil, zero or false")
  func absent() throws {
    let report = try asking([("nil", .uid(0))]) { coder in
      _ = coder.decodeBool(forKey: "a")
      _ = coder.decodeInteger(forKey: "b")
      _ = coder.decodeInt32(forKey: "c")
      _ = coder.decodeInt64(forKey: "d")
      _ = coder.decodeFloat(forKey: "e")
      _ = coder.decodeDouble(forKey: "f")
      _ = coder.decodeBytes(forKey: "g")
      _ = coder.decodeBytes(forKey: "h", minimumLength: 1)
      _ = coder.decodeString(forKey: "i")
      _ = coder.decodeObject(of: Dish.self, forKey: "j")
      _ = coder.decodeObject(of: [Dish.self, String.self], forKey: "k")
      coder.decodeObject(of: Dish.self, forKey: "l") { _ in }
      coder.decodeObject(of: [Dish.self, String.self], forKey: "m") { _ in }
      _ = coder.decodeArrayOfObjects(ofClass: Dish.self, forKey: "n")
      _ = coder.decodeArrayOfObjects(ofClasses: [Dish.self], forKey: "o")
      _ = coder.decodeDictionary(withKeyClass: String.self, objectClass: Dish.self, forKey: "p")
      _ = coder.decodeDictionary(withKeysOfClasses: [String.self], objectsOfClasses: [Dish.self], forKey: "q")
      _ = coder.decodePropertyList(forKey: "r")
      _ = coder.decodeDecodable([Int].self, forKey: "s")
      _ = coder.decodePoint(forKey: "t")
      _ = coder.decodeSize(forKey: "u")
      _ = coder.decodeRect(forKey: "v")
      // Stored nil is not absent.
      _ = coder.decodeInteger(forKey: "nil")
    }
    #expect(report.absentKeys.map(\.key) == "abcdefghijklmnopqrstuv".map(String.init))
    #expect(report.absentKeys.first == entry("root", "App.Asker", "a"))
    #expect(report.unreadKeys == [] && report.absentOptionalKeys == [] && !report.isEmpty)
  }

  @Test("distinguishes the absent keys of calls that say so")
  func absentOptional() throws {
    let report = try asking([]) { coder in
      _ = coder.containsValue(forKey: "a")
      _ = try coder.decodeIfPresent(Dish.self, forKey: "b")
      _ = try? coder.decode(Dish.self, forKey: "c")
      // The same key is requested in two ways.
      if coder.containsValue(forKey: "d") { _ = coder.decodeInteger(forKey: "d") }
    }
    #expect(report.absentOptionalKeys.map(\.key) == ["a", "b", "c", "d"] && report.absentKeys == [] && report.isEmpty)
  }

  @Test("has a key as absent if any call returned nil or zero for it, in whatever order it was requested")
  func absentInAnyOrder() throws {
    let calls: [@Sendable (KeyedUnarchiver) throws -> Void] = [
      { _ = $0.decodeInteger(forKey: "a") }, { _ = $0.containsValue(forKey: "a") },
      { _ = try? $0.decode(Dish.self, forKey: "a") }, { _ = try $0.decodeIfPresent(Dish.self, forKey: "a") },
    ]
    for first in calls.indices {
      for second in calls.indices {
        let report = try asking([]) { coder in
          try calls[first](coder)
          try calls[second](coder)
        }
        let isZero = first == 0 || second == 0
        #expect(report.absentKeys.map(\.key) == (isZero ? ["a"] : []), "\(first), \(second)")
        #expect(report.absentOptionalKeys.map(\.key) == (isZero ? [] : ["a"]), "\(first), \(second)")
      }
    }
  }

  /// A type of a program that decodes the objects of one of Foundation's.
  private struct Moment: SecureKeyedCoding {
    static var archiveClassName: String { "NSDate" }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) { _ = coder.containsValue(forKey: "time") }
  }

  @Test("has no keys of an object that a type of Foundation decoded, whatever else decoded it")
  func decodedByBoth() throws {
    let data = HandmadeList.archive(
      [["NS.time": 1.5, "more": 1, "$class": .uid(2)], Self.record("NSDate")], top: [("a", .uid(1)), ("b", .uid(1))])
    for isOwnFirst in [true, false] {
      let coder = try KeyedUnarchiver(forReadingFrom: data)
      coder.tracksKeys = true
      if isOwnFirst { _ = try coder.decode(Moment.self, forKey: "a") }
      #expect(try coder.decode(Date.self, forKey: "b") == Date(timeIntervalSinceReferenceDate: 1.5))
      if !isOwnFirst { _ = try coder.decode(Moment.self, forKey: "a") }
      #expect(coder.keyReport == KeyReport(), "\(coder.keyReport)")
    }
  }

  @Test("has entries that are equal if all their texts have the same bytes")
  func entries() {
    let texts = ["", "a", "\u{E9}", "e\u{301}"]
    var entries: [KeyReport.Entry] = []
    for path in texts {
      for name in texts.map(Optional.some) + [nil] {
        for key in texts {
          for isDictionaryKey in [true, false] {
            entries.append(.init(path: path, className: name, key: key, isDictionaryKey: isDictionaryKey))
          }
        }
      }
    }
    for (index, entry) in entries.enumerated() {
      for (other, candidate) in entries.enumerated() where (entry == candidate) != (index == other) {
        Issue.record("\(index) and \(other)")
      }
    }
    #expect(Set(entries).count == entries.count)
  }

  @Test("shows a misspelt key beside the one that was not requested")
  func misspelt() throws {
    let report = try asking([("title", .uid(3)), ("price", 1)], ["text"]) {
      _ = $0.decodeString(forKey: "titel")
      _ = $0.decodeInteger(forKey: "price")
      _ = $0.containsValue(forKey: "subtitle")
    }
    #expect(
      report.description
        == "root, 'App.Asker': not requested: 'title'; requested, but not in the archive: 'subtitle', 'titel'")
    #expect(report.unreadKeys.map(\.description) == ["'title' of root, 'App.Asker'"])
  }

  @Test("has no absent keys that a type of this package requested")
  func absentOfKnown() throws {
    let data = HandmadeList.archive([["NS.object.0": .uid(2), "$class": .uid(3)], "a", Self.record("NSArray")])
    #expect(try report([String].self, data) == KeyReport())
  }

  // MARK: The decoder

  @Test("is empty without tracking, and begins with tracking")
  func switching() throws {
    let data = HandmadeList.archive(
      [["price": 3, "more": 1, "$class": .uid(2)], Self.dish], top: [("a", .uid(1)), ("b", .uid(1))])
    let coder = try KeyedUnarchiver(forReadingFrom: data)
    let first = coder.decodeObject(of: Dish.self, forKey: "a")
    #expect(!coder.tracksKeys && coder.keyReport == KeyReport())
    coder.tracksKeys = true
    #expect(coder.keyReport.unreadKeys.map(\.key) == ["a", "b"])
    // Decoded again, because the tracker does not know it.
    #expect(coder.decodeObject(of: Dish.self, forKey: "b") !== first)
    coder.finishDecoding()
    #expect(coder.keyReport.unreadKeys.map(\.keyPath) == ["a", "b.more"])
    coder.tracksKeys = false
    #expect(coder.keyReport == KeyReport())
  }

  private struct Refusal: Error, Equatable { var count: Int }

  @Test("goes to the handler of a decoder if it is not empty, and the handler's error to the caller")
  func handler() throws {
    let good = HandmadeList.archive([
      ["title": .uid(0), "price": 3, "side": .uid(0), "$class": .uid(2)], Self.dish,
    ])
    let bad = HandmadeList.archive([["title": .uid(0), "price": 3, "more": 1, "$class": .uid(2)], Self.dish])
    var decoder = KeyedArchiveDecoder()
    decoder.keyReportHandler = { throw Refusal(count: $0.unreadKeys.count + 10 * $0.absentKeys.count) }
    #expect(try decoder.decode(Dish.self, from: good).price == 3)
    #expect(throws: Refusal(count: 11)) { try decoder.decode(Dish.self, from: bad) }
    #expect(try decoder.decodeReportingKeys(Dish.self, from: bad).report.absentKeys.map(\.key) == ["side"])
    let plain = try KeyedArchiveEncoder().encode(["a": 1])
    #expect(try decoder.decode([String: Int].self, from: plain) == ["a": 1])
  }
}
