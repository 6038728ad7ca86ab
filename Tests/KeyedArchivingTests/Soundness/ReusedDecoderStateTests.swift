// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import PropertyListFormat
import SystemFiles
import TestSupport
import Testing

/// Decoders of small archives use the memory of earlier ones, and the names of their keys. No result may depend on another
/// archive, and no decision or setting of another decoder may hold.
@Suite("A decoded value does not depend on the archives decoded before it")
struct ReusedDecoderStateTests {
  /// A class with the integer of any key.
  private final class Item: SecureKeyedCoding {
    static var archiveClassName: String { "Item" }
    @TaskLocal static var key = "a"
    let value: Int?
    let child: Item?

    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {
      let key = Self.key
      value = coder.containsValue(forKey: key) ? coder.decodeInteger(forKey: key) : nil
      child = coder.decodeObject(of: Item.self, forKey: "child")
    }
  }

  private final class Insecure: KeyedCoding {
    static var archiveClassName: String { "Insecure" }
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {}
  }

  /// An archive of one object, with a class of this name and values for these keys.
  private static func archive(_ className: String, _ values: [(String, HandmadeList)]) -> Data {
    HandmadeList.archive([Hostile.object(2, values), .classRecord(className, "NSObject")])
  }

  private static func item(_ values: [(String, HandmadeList)]) throws -> Item? {
    try KeyedUnarchiver.unarchivedObject(ofClass: Item.self, from: archive("Item", values))
  }

  @Test("a class that an earlier archive had at the same place is not allowed for another class")
  func otherClass() throws {
    for _ in 0..<3 {
      #expect(try Self.item([("a", 1)])?.value == 1)
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Item.self, from: Self.archive("Other", [("a", 1)]))
      }
      #expect(error?.code == .classNotAllowed)
      #expect(error?.className == "Other")
    }
  }

  @Test("no object of an earlier archive is one of this archive")
  func otherObjects() throws {
    for number in 0..<4 as Range<Int64> {
      let child = HandmadeList.archive([
        Hostile.object(3, [("a", .integer(number)), ("child", .uid(2))]), Hostile.object(3, [("a", .integer(-number))]),
        .classRecord("Item", "NSObject"),
      ])
      let item = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Item.self, from: child))
      #expect(item.value == Int(number))
      #expect(item.child?.value == Int(-number))
    }
  }

  /// The keys of a dictionary as the file has them, the key to request, and the integer that is found.
  ///
  /// A dollar sign begins one of the archiver's own keys, and a second one escapes a key that begins with one.
  private static let cases: [(keys: [String], request: String, found: Int?)] = [
    (["a", "b", "c"], "c", 2), (["b", "a", "c"], "a", 1), (["a", "b"], "c", nil), (["c"], "c", 0),
    (["$$x", "b", "c"], "$x", 0), (["$x", "b", "c"], "$x", nil), (["$x", "$$x"], "$x", 1), (["$$x", "$x"], "$x", 0),
    (["x", "$$x", "$x"], "x", 0), (["", "a", "b"], "", 0), (["a", "", "b"], "", 1),
    (["\u{E9}", "e\u{301}"], "e\u{301}", 1),
    (["e\u{301}", "\u{E9}"], "e\u{301}", 0), (["a", "a"], "a", 0), (["b", "a", "a"], "a", 1), (["$", "$$"], "$", 1),
    ((0..<20).map { "k\($0)" }, "k19", 19), ((0..<20).map { "k\(19 - $0)" }, "k19", 0),
    ([String(repeating: "long", count: 20), "a"], "a", 1),
  ]

  @Test("a key is found where this archive has it, in any order of archives")
  func keys() throws {
    // Each case follows each other one: the number of cases is a prime.
    for step in 1..<Self.cases.count {
      for turn in Self.cases.indices {
        let (keys, request, found) = Self.cases[turn * step % Self.cases.count]
        let values = keys.enumerated().map { ($1, HandmadeList.integer(Int64($0))) }
        let item = try Item.$key.withValue(request) { try Self.item(values) }
        #expect(item?.value == found, "\(keys) after step \(step)")
      }
    }
  }

  /// An archive of two objects with these keys, of which a key that is nil is a number.
  private static func pair(_ first: [String?], _ second: [String?]) -> Data {
    var file = ArchiveFile()
    let item = file.classUID("Item", "NSObject")
    let uids = [first, second].map { keys in
      let pairs = keys.map { key in
        (
          key: key.map { file.text($0) } ?? file.row(.integer(7)),
          value: key == "$class" ? file.reference(item) : file.row(.integer(1))
        )
      }
      return file.object(row: file.row(.dictionary(pairs)))
    }
    return file.data(top: [("x", uids[0]), ("y", uids[1])])
  }

  @Test("the class is found after an object with a damaged key, in any order of archives")
  func damagedKeys() throws {
    let sound = Self.pair(["a", "b", "$class", "c"], ["$class", "a", "b", "c"])
    let damaged = [
      Self.pair(["p", "q", "r", nil], ["p", "q", "r", "$class"]),
      Self.pair(["$class", "q", nil, "r"], ["$class", "q", "r", "s"]),
      Self.pair(["p", "$class", nil, "r"], ["p", "q", "$class", "r"]), Self.pair([nil, "q"], ["q", "$class"]),
      Self.pair(["p", "q", "$class", nil], ["p", "$class", "q", "r"]),
    ]
    for data in damaged + damaged.reversed() {
      do {
        let decoder = try Hostile.decoder(sound)
        for key in ["x", "y"] { #expect(try decoder.decodeIfPresent(Item.self, forKey: key) != nil) }
      }
      let decoder = try Hostile.decoder(data)
      let error = #expect(throws: KeyedArchiveError.self) { try decoder.decodeIfPresent(Item.self, forKey: "x") }
      #expect(error?.code == .damagedPropertyList)
      #expect(try decoder.decodeIfPresent(Item.self, forKey: "y") != nil)
    }
  }

  @Test("settings of an earlier decoder do not hold")
  func settings() throws {
    let data = Self.archive("Insecure", [])
    let first = try KeyedUnarchiver(forReadingFrom: data)
    first.requiresSecureCoding = false
    _ = try first.decode(Insecure.self, forKey: "root")
    first.finishDecoding()
    for _ in 0..<2 {
      // Decoders that are gone leave their states to these.
      do {
        let lax = try KeyedUnarchiver(forReadingFrom: data)
        lax.requiresSecureCoding = false
        lax.setClass(Insecure.self, forClassName: "Other")
        _ = try lax.decode(Insecure.self, forKey: "root")
        lax.finishDecoding()
      }
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Insecure.self, from: data)
      }
      #expect(error?.code == .classNotSecure)
      let next = try KeyedUnarchiver(forReadingFrom: data)
      #expect(next.requiresSecureCoding)
      #expect(next.class(forClassName: "Other") == nil)
      #expect(next.error == nil)
      #expect(!next.tracksKeys)
    }
  }

  @Test("keys are tracked from the first request on")
  func tracking() throws {
    for _ in 0..<3 {
      _ = try Self.item([("a", 1), ("unread", 2)])
      let decoder = try KeyedUnarchiver(forReadingFrom: Self.archive("Item", [("a", 1), ("unread", 2)]))
      decoder.tracksKeys = true
      _ = try decoder.decode(Item.self, forKey: "root")
      #expect(decoder.keyReport.unreadKeys.map(\.key) == ["unread"])
    }
  }

  private struct Failure: Error {}

  @Test("an error does not reach the next decoder")
  func errors() throws {
    for damage in 0..<3 {
      do {
        let decoder = try KeyedUnarchiver(forReadingFrom: Self.archive("Item", [("a", .uid(7)), ("child", .uid(9))]))
        switch damage {
        case 0: #expect(decoder.decodeObject(of: Item.self, forKey: "root") == nil)
        case 1: #expect(throws: KeyedArchiveError.self) { try decoder.decode(Item.self, forKey: "root") }
        default: decoder.failWithError(Failure())
        }
      }
      #expect(try Self.item([("a", 5)])?.value == 5)
    }
  }

  /// An object that decodes another archive when it is released.
  private final class Echo: SecureKeyedCoding {
    static var archiveClassName: String { "Echo" }
    static let heard = Locked<[Int?]>([])

    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {}
    deinit {
      let value = try? ReusedDecoderStateTests.item([("a", 8)])?.value
      Self.heard.withLock { $0.append(value) }
    }
  }

  @Test("decoded objects are released with their decoder, and may decode while they are")
  func release() throws {
    for turn in 1...3 {
      do {
        let decoder = try KeyedUnarchiver(forReadingFrom: Self.archive("Echo", []))
        _ = try decoder.decode(Echo.self, forKey: "root")
        #expect(Echo.heard.withLock { $0.count } == turn - 1)
      }
      #expect(Echo.heard.withLock { $0 } == Array(repeating: 8, count: turn))
    }
  }

  /// An object whose initializer decodes another archive.
  private struct Nested: SecureKeyedCoding {
    static var archiveClassName: String { "Nested" }
    let outer: Int
    let inner: Int?

    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) throws {
      inner = try ReusedDecoderStateTests.item([("b", 1), ("a", 3)])?.value
      outer = coder.decodeInteger(forKey: "a")
    }
  }

  @Test("an initializer can decode another archive")
  func nested() throws {
    for _ in 0..<3 {
      let data = Self.archive("Nested", [("a", 4), ("b", 1)])
      let nested = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Nested.self, from: data))
      #expect(nested.inner == 3)
      #expect(nested.outer == 4)
    }
  }

  @Test("in several threads at once")
  func threads() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 as Range<Int64> {
        group.addTask {
          for turn in 0..<Int64(Sample.count(40, of: 200)) {
            let (a, b) = (("a", HandmadeList.integer(task)), ("b", HandmadeList.integer(0)))
            let values = turn % 2 == 0 ? [a, b] : [b, a]
            let value = try Self.item(values)?.value
            #expect(value == Int(task))
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
