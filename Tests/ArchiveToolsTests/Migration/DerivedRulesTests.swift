// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("The rules that separate two types are found by archiving the same value with both")
struct DerivedRulesTests {
  /// A creature as it was once archived.
  private final class Old: KeyedCoding {
    static var archiveClassName: String { "ScaryBugs.Bug" }
    var friend: Old?
    var legs = 6

    func encode(with coder: KeyedArchiver) {
      coder.encode("Ghost", forKey: "title")
      coder.encode(4.5, forKey: "rating")
      coder.encode(legs, forKey: "legs")
      coder.encode("only here", forKey: "note")
      coder.encode([friend].compactMap(\.self), forKey: "friends")
    }
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  /// The same as it is archived today.
  private final class New: KeyedCoding {
    static var archiveClassName: String { "ScaryCreatures.Creature" }
    var friend: New?
    var legs = 6

    func encode(with coder: KeyedArchiver) {
      coder.encode("Ghost", forKey: "Title")
      coder.encodeObject(Float(4.5), forKey: "Rating")
      coder.encodeObject(legs, forKey: "legs")
      coder.encode(true, forKey: "isNew")
      coder.encode(nil as String?, forKey: "nothing")
      coder.encode([friend].compactMap(\.self), forKey: "friends")
    }
    init() {}
    init?(coder: KeyedUnarchiver) { nil }
  }

  @Test("class, keys, places and kinds of numbers, and values that were added")
  func types() throws {
    let (old, new) = (Old(), New())
    (old.friend, new.friend) = (Old(), New())
    old.friend?.legs = 8
    new.friend?.legs = 8
    let derived = try DerivedRules(from: old, to: new)
    #expect(
      derived.rules.rules.map(\.description) == [
        "class ScaryBugs.Bug becomes ScaryCreatures.Creature < NSObject",
        "key title of ScaryCreatures.Creature becomes Title", "key rating of ScaryCreatures.Creature becomes Rating",
        "Rating of ScaryCreatures.Creature becomes float", "isNew of ScaryCreatures.Creature is added",
        "nothing of ScaryCreatures.Creature is added",
        "legs, Rating of ScaryCreatures.Creature become objects",
      ])
    // What only the old type has is nothing that a rule may drop by itself.
    #expect(
      derived.remaining.map { "\($0.kind) \($0.path)" } == ["removed root.friends[0].note", "removed root.note"])
    // The rules serve other values too.
    old.friend = nil
    old.legs = 4
    let other = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: old, requiringSecureCoding: false))
    let result = try other.migrated(by: derived.rules).archive
    #expect(result.root["Rating"].number == .float(4.5) && result.root["legs"].number == .integer(4))
    #expect(result.root["note"].string == "only here" && result.classNames.contains("ScaryCreatures.Creature"))
  }

  @Test("from archives: the top key; nothing for two that are alike; the reverse is found as well")
  func archives() throws {
    let (old, new) = (try KeyedArchive(OldCreature.objectiveC()), try KeyedArchive(OldCreature.secure()))
    let derived = try DerivedRules(from: old, to: new)
    #expect(derived.remaining.isEmpty)
    #expect(
      derived.rules.rules.map(\.description) == [
        "key Data of $top becomes root", "class ScaryBugData becomes \(OldCreature.name) < NSObject",
        "Rating of \(OldCreature.name) become objects",
      ])
    #expect(try DerivedRules(from: new, to: new).rules.rules.isEmpty)
    let back = try DerivedRules(from: new, to: old)
    #expect(back.remaining.isEmpty)
    #expect(try new.migrated(by: back.rules).archive.differences(from: old).isEmpty)
  }

  /// The rules and the remaining differences of two archives with the given objects. The old one has no class C.
  private func derived(_ old: [HandmadeList], _ new: [HandmadeList]) throws -> (rules: [String], remaining: [String]) {
    let archives = try [(old, ["R", "A", "B"]), (new, ["R", "A", "B", "C"])].map { objects, classes in
      let list: HandmadeList = ["list": .array(objects.indices.map { .uid(UInt64($0) + 2) }), "$class": .uid(9)]
      var all = [list] + objects
      while all.count < 8 { all.append("$null") }
      all += classes.map { HandmadeList.classRecord($0, "NSObject") }
      return try KeyedArchive(HandmadeList.archive(all))
    }
    let derived = try DerivedRules(from: archives[0], to: archives[1])
    let result = try archives[0].migrated(by: derived.rules).archive
    #expect(try archives[1].differences(from: result).map(\.description) == derived.remaining.map(\.description))
    return (derived.rules.rules.map(\.description), derived.remaining.map(\.description))
  }

  private func object(_ className: Int, _ entries: [(String, HandmadeList)]) -> HandmadeList {
    .dictionary(entries + [("$class", .uid(UInt64(9 + className)))])
  }

  @Test("of classes renamed in a chain only the last one is renamed, in whatever order they occur")
  func renamedInChain() throws {
    let (oldA, newA) = (object(1, [("a", 1)]), object(2, [("a", 1)]))
    let (oldB, newB) = (object(2, [("b", 2)]), object(3, [("b", 2)]))
    for (old, new) in [([oldA, oldB], [newA, newB]), ([oldB, oldA], [newB, newA])] {
      let (rules, remaining) = try derived(old, new)
      #expect(rules == ["class B becomes C < NSObject"])
      #expect(remaining.count == 1 && remaining[0].hasPrefix("class"), "\(remaining)")
    }
    // Exchanged names cannot be told apart either.
    let (rules, remaining) = try derived([oldA, oldB], [newA, object(1, [("b", 2)])])
    #expect(rules.isEmpty && remaining.count == 2, "\(remaining)")
    // The new program has merged two classes.
    let merged = try derived([oldA, oldB], [newA, oldB])
    #expect(merged.rules == ["class A becomes B < NSObject"] && merged.remaining.isEmpty)
  }

  @Test("of a renamed class with a renamed superclass, in whatever order their objects occur")
  func renamedHierarchy() throws {
    func archive(_ base: String, _ sub: String, subFirst: Bool) throws -> KeyedArchive {
      let classes = [HandmadeList.classRecord(sub, base, "NSObject"), HandmadeList.classRecord(base, "NSObject")]
      let objects: [HandmadeList] = [["a": 1, "$class": .uid(4)], ["b": 2, "$class": .uid(5)]]
      let list: [HandmadeList] = subFirst ? [.uid(2), .uid(3)] : [.uid(3), .uid(2)]
      return try KeyedArchive(
        HandmadeList.archive(
          [["list": .array(list), "$class": .uid(6)]] + objects + classes + [HandmadeList.classRecord("R", "NSObject")])
      )
    }
    for subFirst in [false, true] {
      let (old, new) = (
        try archive("Base", "Sub", subFirst: subFirst), try archive("NewBase", "NewSub", subFirst: subFirst)
      )
      let derived = try DerivedRules(from: old, to: new)
      #expect(derived.remaining.isEmpty && derived.rules.rules.count == 2, "\(derived)")
      #expect(try old.migrated(by: derived.rules).archive.differences(from: new).isEmpty)
    }
  }

  @Test("of a class with another superclass between it and the old one")
  func insertedSuperclass() throws {
    func archive(_ chain: [String]) throws -> KeyedArchive {
      let record: HandmadeList = ["$classname": .string(chain[0]), "$classes": .array(chain.map { .string($0) })]
      return try KeyedArchive(HandmadeList.archive([["$class": .uid(2)], record]))
    }
    let (old, new) = (try archive(["A", "NSObject"]), try archive(["B", "A", "NSObject"]))
    let derived = try DerivedRules(from: old, to: new)
    #expect(derived.rules.rules.map(\.description) == ["class A becomes B < A < NSObject"])
    #expect(derived.remaining.isEmpty)
  }

  @Test("of keys renamed in a chain only the last one is renamed, in whatever order they occur")
  func keysRenamedInChain() throws {
    let (oldA, newA) = (object(1, [("a", 1)]), object(1, [("b", 1)]))
    let (oldB, newB) = (object(1, [("b", 2)]), object(1, [("c", 2)]))
    for (old, new) in [([oldA, oldB], [newA, newB]), ([oldB, oldA], [newB, newA])] {
      let (rules, remaining) = try derived(old, new)
      #expect(rules == ["key b of A becomes c"] && !remaining.isEmpty)
    }
    // A rule that adds a key which another one renames would change its own result.
    let added = try derived([oldA, object(1, [("x", 3)])], [newA, object(1, [("x", 3), ("a", 5)])])
    #expect(added.rules == ["key a of A becomes b"] && added.remaining.contains { $0.hasPrefix("added") })
  }

  @Test("keys with spaces are not confused")
  func keysWithSpaces() throws {
    let (rules, remaining) = try derived(
      [object(1, [("a b", 1), ("a", "x")])], [object(1, [("c", 1), ("b c", "x")])])
    #expect(rules == ["key a b of A becomes c", "key a of A becomes b c"] && remaining.isEmpty)
  }

  @Test("keys with equal values are not told apart by guessing")
  func ambiguous() throws {
    let box = HandmadeList.classRecord("Box", "NSObject")
    let old = try KeyedArchive(HandmadeList.archive([["a": 1, "b": 1, "$class": .uid(2)], box]))
    let new = try KeyedArchive(HandmadeList.archive([["c": 1, "d": 1, "$class": .uid(2)], box]))
    let derived = try DerivedRules(from: old, to: new)
    #expect(!derived.rules.rules.contains { $0.description.contains("becomes") })
    #expect(derived.remaining.map(\.path).sorted() == ["root.a", "root.b"])
  }

  /// An archive of `count` objects, each of a class of its own.
  private func classes(_ count: Int, _ name: String) throws -> KeyedArchive {
    let objects = (0..<count).flatMap { index -> [HandmadeList] in
      [
        ["n": .integer(Int64(index)), "$class": .uid(UInt64(2 * index + 3))],
        .classRecord("\(name)\(index)", "NSObject"),
      ]
    }
    let list = HandmadeList.array((0..<count).map { .uid(UInt64(2 * $0 + 2)) })
    let root: HandmadeList = ["list": list, "$class": .uid(UInt64(2 * count + 2))]
    return try KeyedArchive(HandmadeList.archive([root] + objects + [.classRecord("R", "NSObject")]))
  }

  @Test("deriving rules for many classes, and applying them, takes a time that grows with their number")
  func manyClasses() throws {
    func time(_ count: Int) throws -> Double {
      let (old, new) = (try classes(count, "Old"), try classes(count, "New"))
      return try System.leastTime(of: count > 100 ? 1 : 2) {
        let derived = try DerivedRules(from: old, to: new)
        #expect(derived.rules.rules.count == count && derived.remaining.isEmpty)
      }
    }
    let (few, many) = (try time(100), try time(800))
    // Each rule for each class would be 64 times as many.
    #expect(many < 24 * few, "100 classes: \(few) s, 800: \(many) s")
  }

  @Test("a name that no rule can have is a difference that remains, beside the rules for others")
  func emptyName() throws {
    func archive(_ name: String, _ root: String) throws -> KeyedArchive {
      try KeyedArchive(
        HandmadeList.archive([
          ["box": .uid(2), "$class": .uid(4)], ["n": 1, "$class": .uid(3)], .classRecord(name, "NSObject"),
          .classRecord(root, "NSObject"),
        ]))
    }
    for (old, new) in [("", "A"), ("A", "")] {
      let derived = try DerivedRules(from: archive(old, "R"), to: archive(new, "S"))
      #expect(derived.rules.rules.map(\.description) == ["class R becomes S < NSObject"])
      #expect(derived.remaining.count == 1, "\(derived.remaining)")
    }
  }
}
