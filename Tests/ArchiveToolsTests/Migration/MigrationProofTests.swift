// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import CorpusChecks
@testable import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import PropertyListFormat
import TestSupport
import Testing

@testable import KeyedArchiving

@Suite("A migration is proved, and a result that is not as it should be is found out")
struct MigrationProofTests {
  private static let box = HandmadeList.classRecord("Box", "NSObject")
  /// A box in a circle with a list, with a number inside and a text that two refer to.
  private static let old = HandmadeList.archive([
    ["n": 7, "r": .float(2.5), "text": .uid(3), "list": .uid(4), "gone": .uid(7), "$class": .uid(2)], box, "text",
    ["NS.objects": [.uid(1), .uid(3), .uid(6)], "$class": .uid(5)], HandmadeList.classRecord("NSArray", "NSObject"),
    ["n": 8, "r": .float(.nan), "text": .uid(3), "$class": .uid(2)], "gone", "an orphan",
  ])
  private static let rules: MigrationRules = [
    .renameKey("n", to: "Number", of: "Box"), .storeNumbers(as: .objects, of: "Box"), .removeKey("gone", of: "Box"),
    .renameClass("Box", to: "Crate"),
  ]

  /// A migrated archive in which something was changed that should not be.
  enum Tampering: String, CaseIterable {
    case number, text, sharing, order, extraKey, goneKey, className, hint, recordKey, orphan, bits, added, topKey, none
  }

  @Test("nothing that was changed on the way is overlooked", arguments: Tampering.allCases)
  func tampering(_ tampering: Tampering) throws {
    let old = try KeyedArchive(Self.old)
    var migration = try GraphMigration(of: old, by: Self.rules)
    let result = try migration.run()
    var new = result.archive
    let root = ArchiveUID(rawValue: 1)
    let text = ArchiveUID(rawValue: 3)
    func list(_ values: [UInt32]) -> KeyedArchive.StoredValue {
      .array(values.map { .reference(ArchiveUID(rawValue: $0)) })
    }
    let number = try #require(new.root["Number"].uid)
    let nan = try #require(new[ArchiveUID(rawValue: 6)]["r"].uid)
    switch tampering {
    case .number: try new.setObject(number, to: .primitive(.integer(9)))
    case .text: try new.setObject(text, to: .primitive(.string("Text")))
    case .sharing:
      let copy = try new.addObject(new.object(root))
      try new.setValue(list([copy.rawValue, 3, 6]), forKey: "NS.objects", of: ArchiveUID(rawValue: 4))
    case .order: try new.setValue(list([1, 6, 3]), forKey: "NS.objects", of: ArchiveUID(rawValue: 4))
    case .extraKey: try new.setValue(.integer(1), forKey: "more", of: root)
    case .goneKey: try new.setValue(nil, forKey: "text", of: root)
    case .className:
      try new.setObject(
        ArchiveUID(rawValue: 2), to: .classRecord(ClassDescription(name: "Crates", chain: ["Crate", "NSObject"])))
    case .hint:
      try new.setObject(
        ArchiveUID(rawValue: 2),
        to: .classRecord(ClassDescription(name: "Crate", chain: ["Crate", "NSObject"], hints: ["Box"])))
    case .recordKey:
      try new.setObject(
        ArchiveUID(rawValue: 5), to: .classRecord(ClassDescription(name: "NSArray", chain: ["NSArray"])))
    case .orphan: try new.setObject(ArchiveUID(rawValue: 8), to: .primitive(.string("other")))
    case .bits: try new.setObject(nan, to: .primitive(.float(Float(bitPattern: Float.nan.bitPattern ^ 1))))
    case .added: try new.setTopValue(.integer(1), forKey: "more")
    case .topKey:
      try new.setTopValue(nil, forKey: "root")
      try new.setTopValue(.reference(root), forKey: "other")
    case .none: break
    }
    let tampered = MigratedArchive(
      archive: try KeyedArchive(new.data(), archivers: .any), changes: result.changes)
    var proof = MigrationProof(from: old, to: tampered, by: Self.rules, discarded: migration.discarded)
    if tampering == .none {
      try proof.verify()
    } else {
      let error = #expect(throws: KeyedArchiveError.self) { try proof.verify() }
      #expect(error?.code == .notProved, "\(tampering): \(error.map { "\($0)" } ?? "")")
    }
  }

  @Test("a change that is not on the list is a difference; one that no rule makes is none of ours")
  func incomplete() throws {
    let old = try KeyedArchive(Self.old)
    var migration = try GraphMigration(of: old, by: Self.rules)
    let result = try migration.run()
    for place in result.changes.indices {
      var changes = result.changes
      changes.remove(at: place)
      var proof = MigrationProof(
        from: old, to: MigratedArchive(archive: result.archive, changes: changes), by: Self.rules,
        discarded: migration.discarded)
      #expect(throws: KeyedArchiveError.self, "\(result.changes[place])") { try proof.verify() }
    }
    var rules = Self.rules
    rules.rules[0] = .removeKey("n", of: "Box")
    var proof = MigrationProof(from: old, to: result, by: rules, discarded: migration.discarded)
    #expect(throws: KeyedArchiveError.self) { try proof.verify() }
  }

  @Test("a number in another form under a key that the rule does not name is found out")
  func otherNumberKey() throws {
    let old = try KeyedArchive(Self.old)
    var migration = try GraphMigration(of: old, by: Self.rules)
    let result = try migration.run()
    for (keys, isProved) in [(["Number", "r"], true), (["Number"], false), ([], false)] {
      var rules = Self.rules
      rules.rules[1] = .storeNumbers(keys, as: .objects, of: "Box")
      var proof = MigrationProof(from: old, to: result, by: rules, discarded: migration.discarded)
      let error: KeyedArchiveError?
      do throws(KeyedArchiveError) {
        try proof.verify()
        error = nil
      } catch let found {
        error = found
      }
      #expect(error?.code == (isProved ? nil : .notProved), "\(keys)")
    }
  }

  @Test("objects with a repeated key may be changed and discarded")
  func repeatedKeys() throws {
    let archive = try KeyedArchive(
      HandmadeList.archive([
        .dictionary([("n", 1), ("gone", .uid(3)), ("twice", 1), ("twice", 2), ("$class", .uid(2))]), Self.box,
        .dictionary([("twice", 1), ("twice", 2), ("$class", .uid(2))]),
      ]))
    let migrated = try archive.migrated(by: [.removeKey("gone", of: "Box"), .renameKey("n", to: "m", of: "Box")])
    #expect(try migrated.archive.object(ArchiveUID(rawValue: 3)) == .null)
    guard case .instance(_, let entries) = try migrated.archive.object(ArchiveUID(rawValue: 1)) else {
      Issue.record("object 1 is not an instance any more")
      return
    }
    #expect(entries.map(\.key) == ["m", "twice", "twice"])
  }

  // MARK: Properties

  // The number of random graphs is smaller without `WHOLE_TESTS`.

  @Test("random graphs with random rules: migrated, proved, and settled; what no rule names did not move")
  func randomGraphs() throws {
    for seed in Sample.cases(0..<UInt64(40), each: 10) {
      let graph = RandomGraph(seed: seed)
      defer { graph.takeApart() }
      let data = try KeyedArchiver.archivedData(withRootObject: graph.knots[0], requiringSecureCoding: true)
      var random = SeededRandom(seed: seed)
      var findings = CorpusFindings()
      try RandomMigration.check(KeyedArchive(data), &random, "seed \(seed)", &findings)
      #expect(findings.failures == [])
    }
  }

  @Test("numbers become objects and inline again: the graph is the same, in every seeded archive")
  func thereAndBack() throws {
    for seed in Sample.cases(0..<UInt64(30), each: 10) {
      let graph = RandomGraph(seed: seed)
      defer { graph.takeApart() }
      let archive = try KeyedArchive(
        KeyedArchiver.archivedData(withRootObject: graph.knots[0], requiringSecureCoding: true))
      let hands = ClassSelector(archive.classNames.filter { !$0.hasPrefix("NS") })
      let there = try archive.migrated(by: [.storeNumbers(as: .objects, of: hands)])
      let inlined = Set(there.changes.compactMap { change in change.newKey })
      guard there.isChanged else { continue }
      let back = try there.archive.migrated(by: [.storeNumbers(as: .inline, of: hands)])
      // Numbers that were objects before are inline now as well; nothing else differs.
      let found = try back.archive.differences(from: archive)
      #expect(found.allSatisfy { $0.kind == .form }, "seed \(seed), \(inlined): \(found.prefix(2))")
    }
  }

  @Test("deep, wide and cyclic archives take a time that grows with their size")
  func large() throws {
    func time(_ count: Int) throws -> Duration {
      // A chain of boxes, each with many ways to the first, and a box of many numbers.
      var objects: [HandmadeList] = [Self.box]
      for index in 0..<count {
        objects.append([
          "n": .integer(Int64(index)), "next": .uid(UInt64(index + 1 < count ? index + 3 : 2)), "first": .uid(2),
          "$class": .uid(1),
        ])
      }
      let wide = (0..<count).map { ("key \($0)", HandmadeList.real(Double($0))) } + [("$class", .uid(1))]
      objects.append(.dictionary(wide))
      let data = HandmadeList.archive(objects, top: [("root", .uid(2)), ("wide", .uid(UInt64(count + 2)))])
      let archive = try KeyedArchive(data)
      return try System.time {
        let result = try archive.migrated(by: [
          .storeNumbers(as: .objects, of: "Box"), .renameKey("n", to: "N", of: "Box"), .renameClass("Box", to: "Crate"),
        ])
        #expect(result.changes.count == 3 * count + 1)
      }
    }
    _ = try time(100)
    let (small, large) = (try time(250), try time(2000))
    #expect(large < max(small, .milliseconds(10)) * 40, "\(small) for 250, \(large) for 2,000")
  }

  @Test("a rule that names many keys takes a time that grows with their number")
  func manyKeys() throws {
    func time(_ count: Int) throws -> Double {
      let keys = (0..<count).map { "key \($0)" }
      let object = keys.map { ($0, HandmadeList.real(0.5)) } + [("$class", .uid(2))]
      let old = try KeyedArchive(HandmadeList.archive([.dictionary(object), Self.box]))
      let rules: MigrationRules = [.storeNumbers(keys, as: .objects, of: "Box")]
      var migration = try GraphMigration(of: old, by: rules)
      let result = try migration.run()
      return try System.leastTime(of: count > 1000 ? 1 : 2) { () throws(KeyedArchiveError) in
        var proof = MigrationProof(from: old, to: result, by: rules, discarded: migration.discarded)
        try proof.verify()
      }
    }
    let (few, many) = (try time(1000), try time(8000))
    #expect(many < 24 * few, "1,000 keys: \(few) s, 8,000: \(many) s")
  }

  @Test("an archive whose parts are shared many times over is refused, not expanded")
  func bomb() throws {
    // Arrays of arrays inside of one object, in which the innermost is there 10^8 times.
    var list = try KeyedArchive(HandmadeList.archive([["a": [1], "n": 1, "$class": .uid(2)], Self.box])).propertyList
    var row = list.append(.string("x"))
    for _ in 0..<8 { row = list.append(.array([ObjectRef](repeating: row, count: 10))) }
    var archive = try KeyedArchive(list)
    try archive.setValue(.integer(0), forKey: "b", of: ArchiveUID(rawValue: 1))
    list = archive.propertyList
    guard case .dictionary(let keys, let values) = try list.object(list.top),
      let objects = try keys.firstIndex(where: { try list.object($0) == .string("$objects") }).map({ values[$0] }),
      case .array(let rows) = try list.object(objects),
      case .dictionary(let names, var contents) = try list.object(rows[1]),
      let place = try names.firstIndex(where: { try list.object($0) == .string("a") })
    else {
      Issue.record("not an archive")
      return
    }
    row = list.append(.string("x"))
    for _ in 0..<8 { row = list.append(.array([ObjectRef](repeating: row, count: 10))) }
    contents[place] = row
    list.replace(rows[1], with: .dictionary(keys: names, values: contents))
    let bomb = try KeyedArchive(list.data())
    let time = System.time {
      let error = #expect(throws: KeyedArchiveError.self) { try bomb.migrated(by: [.removeKey("a", of: "Box")]) }
      #expect(error?.code == .limitReached)
    }
    #expect(time < .seconds(5))
  }
}
