// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
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

  @Test("keys with equal values are not told apart by guessing")
  func ambiguous() throws {
    let box = HandmadeList.classRecord("Box", "NSObject")
    let old = try KeyedArchive(HandmadeList.archive([["a": 1, "b": 1, "$class": .uid(2)], box]))
    let new = try KeyedArchive(HandmadeList.archive([["c": 1, "d": 1, "$class": .uid(2)], box]))
    let derived = try DerivedRules(from: old, to: new)
    #expect(!derived.rules.rules.contains { $0.description.contains("becomes") })
    #expect(derived.remaining.map(\.path).sorted() == ["root.a", "root.b"])
  }
}
