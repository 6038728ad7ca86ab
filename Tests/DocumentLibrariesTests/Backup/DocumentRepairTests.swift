// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("Repair of data files")
struct DocumentRepairTests {
  private static let damaged = Data("damaged".utf8)

  /// A backup of documents 1 to 3.
  private func backup() throws -> BackupSource {
    let room = try Place.memory.room()
    return BackupSource(try room.library(1, 2, 3).backup().file)
  }

  /// Damages documents 1 and 2.
  private func damage(_ storage: any DocumentStorage) throws {
    try storage.removeFile("1.recipe" / "Data.plist")
    try storage.plant("1.recipe" / "Data.plist", Self.damaged)
    try storage.flushFolder("1.recipe")
    try storage.removeFile("2.recipe" / "Data.plist")
    try storage.flushFolder("2.recipe")
  }

  /// A library with a photo in document 1, and damaged data files.
  private func room(_ place: Place) throws -> Room {
    let room = try place.room()
    _ = try room.library(1, 2, 3)
    try room.storage.plant("1.recipe" / "photo.jpg", Data("photo".utf8))
    try damage(room.storage)
    return room
  }

  private func repair(
    _ library: DocumentLibrary<Recipe>, _ backup: BackupSource?, dryRun: Bool = false
  ) throws -> [RepairResult] {
    var results: [RepairResult] = []
    try library.repair(from: backup, dryRun: dryRun, confirming: { _, _ in true }) {
      results.append($0)
      return true
    }
    return results
  }

  private func words(_ results: [RepairResult]) -> [String] {
    results.map { result in
      switch result.outcome {
      case .sound: "sound"
      case .restored: "restored"
      case .failed(let error): (error as? LibraryError)?.code.name ?? "?"
      }
    }
  }

  @Test("restores missing and damaged files from a backup, and keeps the damaged one", arguments: Place.allCases)
  func restores(_ place: Place) throws {
    let room = try room(place)
    let library = try room.library()
    let before = try room.storage.content()
    let trial = try repair(library, backup(), dryRun: true)
    #expect(try room.storage.content() == before)
    let results = try repair(library, backup())
    for found in [trial, results] {
      #expect(words(found) == ["restored", "restored", "sound"])
      #expect(found.map(\.keptName) == [".Data.plist.damaged", nil, nil])
    }
    #expect(try library.documents().map { try $0.data?.name } == ["Recipe 1", "Recipe 2", "Recipe 3"])
    #expect(try room.storage.names("1.recipe") == [".Data.plist.damaged", "Data.plist", "photo.jpg"])
    #expect(try room.storage.bytes("1.recipe" / ".Data.plist.damaged") == Self.damaged)
    #expect(try room.storage.names("2.recipe") == ["Data.plist"])
    #expect(try words(repair(library, backup())) == ["sound", "sound", "sound"])
    // A check finds no problem, because the kept file is hidden.
    try library.check {
      Issue.record("\($0)")
      return true
    }
    // Another damage gets another name.
    try damage(room.storage)
    try room.storage.removeFile("1.recipe" / "Data.plist")
    try room.storage.plant("1.recipe" / "Data.plist", Data("DAMAGED".utf8))
    #expect(try repair(library, backup()).first?.keptName == ".Data.plist.damaged 2")
    #expect(try room.storage.bytes("1.recipe" / ".Data.plist.damaged") == Self.damaged)
  }

  @Test("changes nothing without a valid document in the backup")
  func refuses() throws {
    let room = try room(.memory)
    let before = try room.storage.content()
    let other = BackupSource(try Place.memory.room().library(7).backup().file)
    let same = BackupSource(try room.library().backup().file)
    for backup in [nil, other, same] {
      let results = try repair(room.library(), backup)
      #expect(words(results) == ["unreadableArchive", "missingDataFile", "sound"])
      #expect(try room.storage.content() == before)
    }
    #expect(throws: LibraryError.self) { try repair(room.library(), BackupSource(Data())) }
  }

  @Test(
    "with new values does not replace a valid file, which another process can have repaired", arguments: Place.allCases)
  func validFile(_ place: Place) throws {
    let room = try room(place)
    let library = try room.library()
    let document = try library.document(1)
    #expect(throws: LibraryError.self) { try document.data }
    try room.library().document(1).repairData(with: Recipe("theirs"))
    let before = try room.storage.content()
    let error = #expect(throws: LibraryError.self) {
      try document.repairData(with: Recipe("mine"), attachments: ["photo.jpg": Data("mine".utf8)])
    }
    #expect(error?.code == .changedElsewhere && error?.remedy != nil)
    #expect(try room.storage.content() == before)
    // Nothing of the failed repair is left to save.
    #expect(try !document.hasChanges && document.data == Recipe("theirs"))
  }

  @Test("with new values has them or the damaged file at any failing call", arguments: Place.allCases)
  func newValueFaults(_ place: Place) throws {
    for step in Sample.calls(below: 400, each: 9, turn: 0) {
      let room = try room(place)
      let faulty = FaultyStorage(room.storage)
      let document = try DocumentLibrary<Recipe>(in: faulty).document(1)
      faulty.set(.fails(at: step, .deviceError))
      var isDone = false
      do {
        try document.repairData(with: Recipe("new"))
        isDone = true
      } catch {
        #expect(error is LibraryError, "step \(step)")
      }
      #expect(faulty.openCount == 0, "step \(step)")
      let data = try room.storage.bytes("1.recipe" / "Data.plist")
      let new = try Recipe.file("new")
      #expect(data == Self.damaged || data == new, "step \(step)")
      #expect(!isDone || data != Self.damaged, "step \(step)")
      if data != Self.damaged {
        #expect(try room.storage.bytes("1.recipe" / ".Data.plist.damaged") == Self.damaged, "step \(step)")
      }
      if !faulty.hasFailed { return #expect(isDone && step > 10) }
    }
    Issue.record("the repair never came to its end")
  }

  @Test("with new values replaces unsaved values, and keeps unsaved attachments", arguments: Place.allCases)
  func unsavedValues(_ place: Place) throws {
    let room = try room(place)
    let document = try room.library().document(1)
    try document.setData(Recipe("unsaved"))
    try document.setAttachment("thumb.png", to: Data("t".utf8))
    try document.repairData(with: Recipe("new"))
    #expect(try document.data == Recipe("new") && document.hasChanges)
    #expect(try Dish(room.library().document(1)) == Dish("new", photo: "photo"))
    try document.save()
    #expect(try Dish(room.library().document(1)) == Dish("new", photo: "photo", thumb: "t"))
    #expect(!document.hasChanges)
  }

  @Test("with new values keeps the damaged file", arguments: Place.allCases)
  func newValues(_ place: Place) throws {
    let room = try room(place)
    let library = try room.library()
    #expect(throws: LibraryError.self) { try library.document(1).repairData(with: Recipe("Poison")) }
    #expect(try room.storage.names("1.recipe") == ["Data.plist", "photo.jpg"])
    try library.document(1).repairData(with: Recipe("new"))
    try library.document(2).repairData(with: Recipe("newer"))
    #expect(try library.documents().map { try $0.data?.name } == ["new", "newer", "Recipe 3"])
    #expect(try room.storage.bytes("1.recipe" / ".Data.plist.damaged") == Self.damaged)
    #expect(try room.storage.names("2.recipe") == ["Data.plist"])
  }

  /// Calls fail on a disk that lacks nothing; with `WHOLE_TESTS`, on each. The process ends on each. Without, some
  /// calls are tried, others on each disk.
  @Test(
    "has the damaged file, or the restored and the damaged one, at any failing call, whatever the disk lacks",
    arguments: StorageAbilities.sample)
  func faults(_ lacking: StorageAbilities) throws {
    let backup = try backup()
    for step in Sample.calls(below: 400, each: 15, turn: lacking.turn) {
      let faults: [FaultyStorage.Fault] = [.fails(at: step, .deviceError), .dies(at: step)]
      for fault in Sample.isWhole || lacking.isEmpty ? faults : [.dies(at: step)] {
        let room = try room(.memory)
        let faulty = FaultyStorage(room.storage, .lacks(lacking))
        let library = try DocumentLibrary<Recipe>(in: faulty)
        faulty.set(fault, .lacks(lacking))
        let results = (try? repair(library, backup)) ?? []
        let hasFailed = faulty.hasFailed
        #expect(faulty.openCount == 0, "\(fault)")
        let next = FaultyStorage(room.storage, .lacks(lacking))
        let reopened = try DocumentLibrary<Recipe>(in: next)
        let data = try room.storage.bytes("1.recipe" / "Data.plist")
        let kept = try? room.storage.bytes("1.recipe" / ".Data.plist.damaged")
        let isRestored = data == (try Recipe.file("Recipe 1"))
        #expect(data == Self.damaged || (isRestored && kept == Self.damaged), "\(fault)")
        if words(results).first == "restored" { #expect(isRestored, "\(fault)") }
        #expect(try room.storage.bytes("1.recipe" / "photo.jpg") == Data("photo".utf8), "\(fault)")
        // The next repair completes it, with one copy of the damaged file.
        #expect(try words(repair(reopened, backup)).allSatisfy { $0 != "?" && $0 != "cannotWrite" }, "\(fault)")
        #expect(try reopened.document(1).data?.name == "Recipe 1", "\(fault)")
        #expect(
          try room.storage.names("1.recipe") == [".Data.plist.damaged", "Data.plist", "photo.jpg"], "\(fault)")
        if !hasFailed { return #expect(step > 10) }
      }
    }
    Issue.record("the repair never came to its end")
  }

  @Test(
    "has the damaged file, or the restored and the damaged one, at any crash point",
    arguments: StorageAbilities.sample.filter { !$0.contains(.flushes) })
  func powerLoss(_ lacking: StorageAbilities) throws {
    let storage = PowerLossStorage(lacking: lacking)
    let library = try DocumentLibrary<Recipe>(in: storage)
    for number in 1...3 { try library.addDocument(Recipe("Recipe \(number)")) }
    try damage(storage)
    let start = storage.steps.count
    #expect(try words(repair(library, backup())) == ["restored", "restored", "sound"])
    var disk = FlushedDisk()
    for (index, step) in storage.steps.enumerated() {
      disk.take(step)
      guard index >= start - 1 else { continue }
      for loss in [.allEntries, .bytesOnly, .allButRoot] as [FlushedDisk.Loss] {
        let after = try disk.afterPowerLoss(loss)
        _ = try DocumentLibrary<Recipe>(in: after)
        let data = try after.bytes("1.recipe" / "Data.plist")
        let kept = try? after.bytes("1.recipe" / ".Data.plist.damaged")
        let isRestored = data == (try Recipe.file("Recipe 1"))
        #expect(data == Self.damaged || (isRestored && kept == Self.damaged), "\(loss) after \(step)")
        if index == storage.steps.count - 1 { #expect(isRestored, "\(loss)") }
      }
    }
  }

  /// A library whose document 1 had this photo when it was backed up, and another name.
  private func formerBackup(photo: String?) throws -> BackupSource {
    let room = try Place.memory.room()
    try room.plant("1.recipe", "Former", photo: photo)
    return BackupSource(try room.library().backup().file)
  }

  @Test("does not take the values of a document that has only the number in common", arguments: [nil, "other", ""])
  func anotherDocument(_ photo: String?) throws {
    let room = try room(.memory)
    let library = try room.library()
    let before = try room.storage.content()
    var questions: [String] = []
    var results: [RepairResult] = []
    try library.repair([1], from: formerBackup(photo: photo)) {
      results.append($0)
      return true
    }
    #expect(words(results) == ["unreadableArchive"])
    guard case .failed(let error as LibraryError) = results[0].outcome else { return #expect(Bool(false)) }
    #expect(error.remedy?.contains("numbers of deleted documents are used again") == true, "\(error)")
    try library.repair(
      [1], from: formerBackup(photo: photo),
      confirming: { number, recipe in
        questions.append("\(number) \(recipe.name)")
        return false
      }, report: { _ in true })
    #expect(questions == ["1 Former"])
    #expect(try room.storage.content() == before)
    try library.repair([1], from: formerBackup(photo: photo), confirming: { _, _ in true }, report: { _ in true })
    #expect(try library.document(1).data?.name == "Former")
  }

  @Test("takes the values of a document with an equal attachment without asking")
  func sameAttachment() throws {
    let library = try room(.memory).library()
    try library.repair([1], from: formerBackup(photo: "photo")) { _ in true }
    #expect(try library.document(1).data?.name == "Former")
  }
}
