// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing
import ZipContainers

@Suite("Former saves in backups, checks and repairs")
struct FormerSaveExchangeTests {
  /// Removes the data file, or writes bytes that are no archive.
  private func damage(_ room: Room, removing: Bool) throws {
    try room.storage.removeFile("1.recipe" / "Data.plist")
    if !removing { try room.storage.plant("1.recipe" / "Data.plist", Data("damaged".utf8)) }
  }

  private func repair(
    _ library: DocumentLibrary<Recipe>, from backup: BackupSource? = nil, dryRun: Bool = false
  ) throws -> [RepairResult] {
    var results: [RepairResult] = []
    try library.repair(from: backup, dryRun: dryRun, confirming: { _, _ in true }) {
      results.append($0)
      return true
    }
    return results
  }

  @Test("are in no export, in no backup of a valid document, and no finding of a check", arguments: Place.allCases)
  func hidden(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    try UndoableChange.prepare(library, savingAll: true)
    #expect(try room.storage.names("1.recipe").count == 5)
    try library.check {
      Issue.record("\($0)")
      return true
    }
    let names = ["1.recipe/Data.plist", "1.recipe/photo.jpg"]
    #expect(try ZipReader(library.exported()).entries.map(\.name) == names)
    let (backup, problems) = try library.backup()
    #expect(try problems.isEmpty && ZipReader(backup).entries.map(\.name) == names)
    // The document is present, although it keeps what its last save replaced.
    for keepsNumbers in [true, false] {
      let report = try library.importBackup(BackupSource(backup), keepingNumbers: keepsNumbers)
      #expect(report.present.map(\.number) == [1] && report.documents.isEmpty)
    }
    // The copy has no former save.
    let copy = try library.addCopy(of: library.document(1))
    #expect(try !copy.hasFormerSave)
    // In the trash, the document keeps it.
    try library.document(1).moveToTrash()
    #expect(try ZipReader(library.backup().file).entries.count { !$0.name.hasSuffix("/") } == 4)
    try library.restore("1.recipe")
    #expect(try Dish(library.undoLastSave(of: 1)) == UndoableChange.first(savingAll: true))
  }

  @Test("of a damaged document are in its backup, for a repair", arguments: Place.allCases, [true, false])
  func damagedBackup(_ place: Place, _ removing: Bool) throws {
    let room = try place.room()
    try UndoableChange.prepare(room.library(), savingAll: true)
    try damage(room, removing: removing)
    let (backup, problems) = try room.library().backup()
    #expect(problems.map(\.isIncluded) == [true])
    let target = try place.room()
    let library = try target.library()
    #expect(try library.importBackup(BackupSource(backup), keepingNumbers: true).documents.count == 1)
    #expect(try target.storage.content() == room.storage.content())
    #expect(try repair(library).map(\.source) == [.formerSave])
    #expect(try library.document(1).data?.name == "one")
  }

  @Test("repair data before a backup does", arguments: Place.allCases, [true, false])
  func repairs(_ place: Place, _ removing: Bool) throws {
    let room = try place.room()
    let library = try room.library()
    try UndoableChange.prepare(library, savingAll: false)
    let backup = BackupSource(try library.backup().file)
    try library.document(1).edit { $0.name = "three" }
    try damage(room, removing: removing)
    let before = try room.storage.content()
    let trial = try repair(library, from: backup, dryRun: true)
    #expect(try room.storage.content() == before)
    let results = try repair(library, from: backup)
    for result in trial + results {
      #expect(result.source == .formerSave && result.keptName == (removing ? nil : ".Data.plist.damaged"))
    }
    #expect(try Dish(library.document(1)) == Dish("two", photo: "p2"))
    // A damaged former save does not repair.
    try library.document(1).edit { $0.name = "four" }
    for name in try room.storage.names("1.recipe") where FormerFileName(StorageName(name)) != nil {
      try room.storage.removeFile("1.recipe" / StorageName(name))
      try room.storage.plant("1.recipe" / StorageName(name), Data("damaged, too".utf8))
    }
    try damage(room, removing: removing)
    #expect(try repair(library).map(\.source) == [nil])
    #expect(try repair(library, from: backup).map(\.source) == [.backup])
  }

  @Test(
    "repair data also if later saves changed only attachments", arguments: [true, false],
    StorageAbilities.sample.filter { !$0.contains(.locks) })
  func attachmentsOnly(_ removing: Bool, _ lacking: StorageAbilities) throws {
    let saves: [(attachments: [String: Data?], photo: String?)] = [
      (["photo.jpg": Data("p3".utf8)], "p3"), (["photo.jpg": nil], nil),
      (["photo.jpg": Data("p4".utf8), "thumb.png": Data("t".utf8)], "p4"), (["thumb.png": nil], "p4"),
    ]
    for count in 1...saves.count {
      let room = try Place.memory.room()
      let library = try DocumentLibrary<Recipe>(in: FaultyStorage(room.storage, .lacks(lacking)))
      try UndoableChange.prepare(library, savingAll: false)
      let document = try library.document(1)
      var before = try Dish(document)
      for save in saves.prefix(count) {
        before = try Dish(document)
        for (name, bytes) in save.attachments { try document.setAttachment(name, to: bytes) }
        try document.save()
        #expect(try document.attachment("photo.jpg") == save.photo.map { Data($0.utf8) })
      }
      // An undo brings back the attachments of the last save, and not the values of an earlier one.
      let after = try Dish(library.document(1))
      #expect(try Dish(library.undoLastSave(of: 1)) == before)
      #expect(try Dish(library.undoLastSave(of: 1)) == after)
      let kept = try room.storage.names("1.recipe").compactMap { FormerFileName(StorageName($0)) }
      #expect(kept.filter { $0.file == "Data.plist" }.map(\.kind) == [.earlier])
      // Another program changes what the last save wrote. The values of the save before are not undone alone.
      for name in saves[count - 1].attachments.keys {
        let file: StoragePath = "1.recipe" / StorageName(name)
        if (try? room.storage.removeFile(file)) == nil { try room.storage.plant(file, Data("other".utf8)) }
      }
      #expect(try !library.document(1).hasFormerSave)
      try damage(room, removing: removing)
      #expect(try repair(DocumentLibrary(in: room.storage)).map(\.source) == [.formerSave])
      #expect(try room.library().document(1).data?.name == "one")
      // The next save of values replaces what is kept.
      try library.document(1).edit { $0.name = "five" }
      let names = try room.storage.names("1.recipe").compactMap { FormerFileName(StorageName($0)) }
      #expect(names.map(\.kind) == [.previous] && names.first?.file == "Data.plist")
    }
  }

  @Test("of an unfinished save repair nothing")
  func unfinished() throws {
    // Without links, a new file first gets the name of the former one.
    let backup = BackupSource(try Place.memory.room().library(1).backup().file)
    var found = 0
    for step in 0..<100 {
      let room = try Place.memory.room()
      let storage = FaultyStorage(room.storage, .lacks(.links))
      let library = try DocumentLibrary<Recipe>(in: storage)
      try library.addDocument(Recipe("acknowledged"))
      storage.set(.dies(at: step), .lacks(.links))
      guard (try? library.document(1).edit { $0.name = "unfinished" }) == nil else { break }
      guard try room.storage.bytes("1.recipe" / "Data.plist") == Recipe.file("acknowledged") else { continue }
      if try room.storage.names("1.recipe").count == 2 { found += 1 }
      try damage(room, removing: true)
      #expect(try repair(room.library(), from: backup).map(\.source) == [.backup], "step \(step)")
    }
    #expect(found > 0)
  }
}
