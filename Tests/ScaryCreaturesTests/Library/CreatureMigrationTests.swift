// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import ScaryCreatures
import TestSupport
import Testing

@Suite("Creature migration")
struct CreatureMigrationTests {
  /// A library with a creature of every older layout from number 1 on, then a current one, with images.
  private func room() throws -> (CreatureRoom, current: Int) {
    let room = try CreatureRoom()
    for (index, row) in LayoutRow.older.enumerated() {
      let name = "\(index + 1).scarycreature"
      try room.plant("\(name)/Data.plist", row.data)
      try room.plant("\(name)/fullImage.png", Data("not even a picture \(index)".utf8))
      try room.plant("\(name)/thumbImage.png", Data("small \(index)".utf8))
      try room.plant("\(name)/notes.txt", Data("of somebody else".utf8))
      try room.setModified("\(name)/Data.plist", Date(timeIntervalSince1970: 1_300_000_000 + Double(index) + 0.25))
    }
    let current = LayoutRow.older.count + 1
    try room.plant("\(current).scarycreature/Data.plist", HandmadeCreature(title: "Current").data)
    return (room, current)
  }

  private func migrate(_ room: CreatureRoom, dryRun: Bool = false) throws -> [MigrationResult] {
    var results: [MigrationResult] = []
    try room.database().migrate(dryRun: dryRun) { result in
      results.append(result)
      return true
    }
    return results
  }

  private func isMigrated(_ result: MigrationResult) -> Bool {
    if case .migrated = result.outcome { true } else { false }
  }
  private func isCurrent(_ result: MigrationResult) -> Bool {
    if case .alreadyCurrent = result.outcome { true } else { false }
  }

  @Test("reports the results of a dry run without writing")
  func dryRun() throws {
    let (room, current) = try room()
    let before = try room.files()
    let results = try migrate(room, dryRun: true)
    #expect(results.map(\.number.rawValue) == Array(1...current))
    #expect(results.dropLast().allSatisfy { isMigrated($0) })
    #expect(results.last.map { isCurrent($0) } == true)
    #expect(results.map(\.layout) == LayoutRow.older.map(\.layout) + ["secure"])
    #expect(try room.files() == before)
  }

  @Test("keeps values, images and dates, and is idempotent")
  func migrate() throws {
    let (room, current) = try room()
    let before = try room.files()
    let results = try migrate(room)
    #expect(results.dropLast().allSatisfy { isMigrated($0) })
    #expect(results.last.map { isCurrent($0) } == true)

    let after = try room.files()
    #expect(Set(after.keys) == Set(before.keys))
    for (name, file) in after where !name.hasSuffix("Data.plist") || name.hasPrefix("\(current).") {
      #expect(file == before[name], "\(name)")
    }
    for (index, row) in LayoutRow.older.enumerated() {
      let path = "\(index + 1).scarycreature/Data.plist"
      #expect(after[path]?.modified == before[path]?.modified, "\(row.name)")
      let file = try room.bytes(path)
      #expect(file != row.data)
      let creature = try #require(try FoundationApp.readSecurely(file), "\(row.name)")
      #expect(creature.title == row.title)
      #expect(creature.rating.bitPattern == row.rating.bitPattern)
      let stored = try ScaryCreatureData.stored(in: file, limits: .default)
      #expect(stored.isCurrent)
      #expect(stored.model.rating.bitPattern == row.rating.bitPattern)
    }

    #expect(try migrate(room).allSatisfy { isCurrent($0) })
    #expect(try room.files() == after)
    #expect(try room.exists(".work") == false || room.names(".work").isEmpty)
  }

  @Test(
    "changes no file with a rating that the new layout cannot hold, and says how to mend it",
    arguments: [
      // The nearest 4-byte reals, as Python's module struct packs them.
      (3.3, "3.299999952316284"), (0.1, "0.10000000149011612"), (1e300, "inf"), (-1e300, "-inf"),
    ], [false, true])
  func inexactRating(_ rating: (value: Double, asFloat: String), _ dryRun: Bool) throws {
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", HandmadeCreature(rating: .real(rating.value)).data)
    let before = try room.files()
    let result = try #require(try migrate(room, dryRun: dryRun).first)
    guard case .failed(let error as LibraryError) = result.outcome else { return #expect(Bool(false), "\(result)") }
    #expect(error.code == .migrationFailed && error.detail.hasSuffix("a 4-byte real can only hold \(rating.asFloat)"))
    #expect(error.path.hasSuffix("1.scarycreature/Data.plist"))
    #expect(try room.files() == before)
    // As the remedy says.
    try room.database().document(1).setRating(3)
    #expect(try migrate(room).map { isCurrent($0) } == [true])
  }

  @Test(
    "keeps odd values bit for bit",
    arguments: OlderLayoutTests.ratings.filter { $0.bits != nil && !$0.warnings.contains("roundedRating") })
  func oddValues(_ row: OlderLayoutTests.Rating) throws {
    for title in Sample.cases(ArchiveTests.titles, each: 3) {
      let room = try CreatureRoom()
      try room.plant(
        "1.scarycreature/Data.plist", HandmadeCreature(title: title, rating: row.value, isInline: true).data)
      let result = try #require(try migrate(room).first)
      #expect(isMigrated(result))
      #expect(result.warnings.map(\.code) == row.warnings)
      let creature = try #require(try room.database().document(1).data)
      #expect(creature.title.unicodeScalars.elementsEqual(title.unicodeScalars))
      #expect(creature.rating.bitPattern == row.bits)
    }
  }

  @Test("continues after an invalid document, and keeps it")
  func badDocuments() throws {
    let room = try CreatureRoom()
    let insecure = HandmadeCreature(isInline: true).data
    try room.plant("1.scarycreature/Data.plist", insecure)
    try room.plant("2.scarycreature/Data.plist", insecure.dropLast(3))
    try room.plantFolder("3.scarycreature")
    try room.plant("4.scarycreature/Data.plist", HandmadeCreature(isInline: true).named("Other").data)
    try room.plant("5.scarycreature/Data.plist", insecure)
    let before = try room.files()
    let results = try migrate(room)
    let codes = results.map { result in
      if case .failed(let error as LibraryError) = result.outcome { error.code.name } else { "\(result.outcome)" }
    }
    #expect(codes == ["migrated", "unreadableArchive", "missingDataFile", "wrongClass", "migrated"])
    let after = try room.files()
    for number in [2, 4] {
      let path = "\(number).scarycreature/Data.plist"
      #expect(after[path] == before[path])
    }
  }

  @Test("replaces no file that cannot be backed up")
  func keepOld() throws {
    struct NoRoom: Error {}
    let (room, _) = try room()
    var kept: [Int: Data] = [:]
    var failed: [Int] = []
    try room.database().migrate(
      keepOld: { number, bytes in
        if number == 2 { throw NoRoom() }
        kept[number.rawValue] = bytes
      },
      report: { result in
        if case .failed = result.outcome { failed.append(result.number.rawValue) }
        return true
      })
    #expect(failed == [2])
    #expect(try room.bytes("2.scarycreature/Data.plist") == LayoutRow.older[1].data)
    for (index, row) in LayoutRow.older.enumerated() where index != 1 { #expect(kept[index + 1] == row.data) }
    #expect(kept.count == LayoutRow.older.count - 1)
  }

  @Test("can be stopped, resumed and limited to some documents")
  func stopAndResume() throws {
    let (room, current) = try room()
    var count = 0
    try room.database().migrate { _ in
      count += 1
      return count < 4
    }
    #expect(count == 4)
    #expect(try migrate(room).filter { isMigrated($0) }.count == current - 1 - 4)

    let other = try self.room().0
    var numbers: [Int] = []
    try other.database().migrate([3, 999]) { result in
      numbers.append(result.number.rawValue)
      if result.number == 999, case .failed(let error as LibraryError) = result.outcome {
        #expect(error.code == .notFound)
      }
      return true
    }
    #expect(numbers == [3, 999])
    #expect(try other.bytes("1.scarycreature/Data.plist") == LayoutRow.older[0].data)
    #expect(try other.bytes("3.scarycreature/Data.plist") != LayoutRow.older[2].data)
  }

  @Test("keeps unknown keys at every level")
  func unknownKeys() throws {
    var creature = HandmadeCreature(isInline: true, topKey: "Data").named("ScaryBugData")
    // 5: a string, 6: an object that refers to itself, 7: its class, 8: a string "$null".
    creature.entries = [("Legs", 8), ("Home", .uid(5)), ("Friend", .uid(6)), ("Odd", .uid(8))]
    creature.objects = [
      "the cellar", ["Self": .uid(6), "Name": .uid(5), "$class": .uid(7)],
      HandmadeList.classRecord("Friend", "NSObject"),
      "$null",
    ]
    creature.top = [("Version", 3), ("Author", .uid(5))]
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", creature.data)
    for edit in [false, true] {
      if edit {
        try room.database().document(1).setRating(1)
      } else {
        #expect(try migrate(room).allSatisfy { isMigrated($0) })
      }
      let archive = try KeyedArchive(room.bytes("1.scarycreature/Data.plist"))
      #expect(Set(archive.topKeys) == ["root", "Version", "Author"])
      #expect(archive["Author"].string == "the cellar")
      #expect(archive["Version"].number?.integer == 3)
      #expect(archive.root["Legs"].number?.integer == 8)
      #expect(archive.root["Home"].string == "the cellar")
      // Apple's unarchiver decodes it as nil, but it is a boxed string.
      let odd = try #require(archive.root["Odd"].uid)
      #expect(odd.rawValue != 0)
      let friend = archive.root["Friend"]
      #expect(friend.className == "Friend")
      #expect(friend["Self"].uid == friend.uid)
      #expect(friend["Name"].uid == archive.root["Home"].uid)
      #expect(try ScaryCreatureData.stored(in: room.bytes("1.scarycreature/Data.plist"), limits: .default).isCurrent)
      #expect(try FoundationApp.readSecurely(room.bytes("1.scarycreature/Data.plist"))?.title == "Ghost")
    }
  }

  @Test("ignores an unknown top-level key before `Data`")
  func unknownTopKeyFirst() throws {
    var creature = HandmadeCreature(isInline: true, topKey: "Author", objects: ["me"])
    creature.top = [("Data", .uid(1)), ("Other", .uid(5))]
    creature.topKey = "Unrelated"
    let room = try CreatureRoom()
    try room.plant("1.scarycreature/Data.plist", creature.data)
    #expect(try migrate(room).allSatisfy { isMigrated($0) })
    let archive = try KeyedArchive(room.bytes("1.scarycreature/Data.plist"))
    #expect(Set(archive.topKeys) == ["root", "Unrelated", "Other"])
    #expect(archive["Other"].string == "me")
    #expect(try room.database().document(1).data == ScaryCreatureData(title: "Ghost", rating: 5))
  }

  @Test("migrates folders with capital letters in the extension")
  func capitalLetters() throws {
    let room = try CreatureRoom()
    try room.plant("3.SCARYCREATURE/Data.plist", HandmadeCreature(isInline: true).data)
    #expect(try migrate(room).map { isMigrated($0) } == [true])
    #expect(try room.names() == ["3.SCARYCREATURE"])
    #expect(try migrate(room).map { isCurrent($0) } == [true])
  }
}
