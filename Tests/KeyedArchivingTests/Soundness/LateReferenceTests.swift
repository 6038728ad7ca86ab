// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("References that are handed over late are judged as others are")
struct LateReferenceTests {
  private enum Cage {}

  /// Asks for its neighbour in the deferred form.
  private final class Link: SecureKeyedCoding {
    static var archiveClassName: String { "Link" }
    var next: Link?
    var all: [Link] = []
    func encode(with coder: KeyedArchiver) {}
    init?(coder: KeyedUnarchiver) {
      coder.decodeObject(of: Link.self, forKey: "next") { self.next = $0 }
      coder.decodeObject(of: [Link].self, forKey: "all") { self.all = $0 }
    }
  }

  /// Requires its neighbour in the deferred form.
  private final class Bond: SecureKeyedCoding {
    static var archiveClassName: String { "Bond" }
    var next: Bond?
    init() {}
    func encode(with coder: KeyedArchiver) { coder.encode(next, forKey: "next") }
    init?(coder: KeyedUnarchiver) throws { try coder.decode(Bond.self, forKey: "next") { self.next = $0 } }
  }

  @Test("a required deferred reference is delivered, or its absence is an error that can be caught")
  func required() throws {
    let (first, second) = (Bond(), Bond())
    (first.next, second.next) = (second, first)
    defer { first.next = nil }
    let read = try #require(try again(first))
    #expect(read.next?.next === read && read.next !== read)
    read.next = nil
    let absent = #expect(throws: KeyedArchiveError.self) { try again(Bond()) }
    #expect(absent?.code == .valueNotFound && absent?.keyPath == "root.next")
    #expect(absent?.remedy?.contains("decodeIfPresent") == true)
    let other = HandmadeList.archive([
      ["next": .uid(3), "$class": .uid(2)], .classRecord("Bond", "NSObject"), ["$class": .uid(4)], link,
    ])
    let refused = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Bond.self, from: other)
    }
    #expect(refused?.code == .classNotAllowed && refused?.keyPath == "root.next")
    let unarchiver = try KeyedUnarchiver(forReadingFrom: other)
    unarchiver.decodingFailurePolicy = .raiseException
    #expect(throws: KeyedArchiveError.self) { try unarchiver.decode(Bond.self, forKey: "none") { _ in } }
    #expect(unarchiver.error == nil)
  }

  private let knowing: [(any KeyedCoding.Type)?] = [nil, CagedCanary<Cage>.self]
  private let link: HandmadeList = .classRecord("Link", "NSObject")

  @Test("to a canary, at the top and at the end of a chain")
  func canaries() {
    for length in [1, 2, 50] {
      var objects: [HandmadeList] = [link, Hostile.canary]
      for place in 0..<length { objects.append(Hostile.object(1, [("next", .uid(UInt64(place + 4)))])) }
      objects.append(Hostile.object(2))
      let data = HandmadeList.archive(objects, top: [("root", .uid(3))])
      for known in knowing {
        expectRefused(Cage.self, "Canary") {
          try Hostile.decoder(data, knowing: known).decodeTopLevelObject(of: Link.self, forKey: "root")
        }
        expectRefused(Cage.self, "Canary") {
          try Hostile.decoder(data, knowing: known).decodeTopLevelObject(of: [Link.self], forKey: "root")
        }
      }
    }
  }

  @Test("back to an object that is being decoded, as another type than it is")
  func backReference() {
    // The array holds a link that asks for the array's owner as a link; the owner is a parent.
    final class Pair: SecureKeyedCoding {
      static var archiveClassName: String { "Pair" }
      var link: Link?
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) { link = coder.decodeObject(of: Link.self, forKey: "link") }
    }
    let data = HandmadeList.archive([
      Hostile.object(2, [("link", .uid(3))]), .classRecord("Pair", "NSObject"),
      Hostile.object(4, [("next", .uid(1))]), link,
    ])
    expectRefused(Cage.self, "Pair", at: "root.link.next") {
      try KeyedUnarchiver.unarchivedObject(ofClass: Pair.self, from: data)
    }
  }

  @Test("in an array that is handed over late")
  func arrays() {
    let data = HandmadeList.archive([
      Hostile.object(2, [("all", .uid(3))]), link, Hostile.object(4, [("NS.objects", [.uid(1), .uid(5)])]),
      Hostile.array, Hostile.object(6), Hostile.canary,
    ])
    for known in knowing {
      expectRefused(Cage.self, "Canary") {
        try Hostile.decoder(data, knowing: known).decodeTopLevelObject(of: Link.self, forKey: "root")
      }
    }
  }

  @Test("under the list that was in force where they were asked for, not where they are handed over")
  func lists() {
    // Asks for an untyped array where no list is in force.
    final class Asking: SecureKeyedCoding {
      static var archiveClassName: String { "Asking" }
      var array: ArchivedArray?
      func encode(with coder: KeyedArchiver) {}
      init?(coder: KeyedUnarchiver) {
        coder.decodeObject(of: ArchivedArray.self, forKey: "array") { self.array = $0 }
      }
    }
    // The array holds the object that asks for it, so it is handed over when the array is done.
    let data = HandmadeList.archive([
      Hostile.object(2, [("NS.objects", [.uid(3), .uid(5)])]), Hostile.array,
      Hostile.object(4, [("array", .uid(1))]), .classRecord("Asking", "NSObject"), "text",
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClasses: [ArchivedArray.self, Asking.self, String.self], from: data)
    }
    #expect(error?.code == .classNotAllowed)
    #expect(error?.detail.contains("without a list of types") == true)
  }

  @Test("what was handed over is let go")
  func letGo() throws {
    final class Token {}
    weak var token: Token?
    let data = HandmadeList.archive([Hostile.object(2), Hostile.parent])
    let unarchiver = try Hostile.decoder(data)
    do {
      let held = Token()
      token = held
      unarchiver.decodeObject(of: Parent.self, forKey: "root") { _ in _ = held }
    }
    #expect(token == nil)
    #expect(unarchiver.error == nil)
  }
}
