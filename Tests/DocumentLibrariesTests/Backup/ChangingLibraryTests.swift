// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import TestSupport
import Testing

/// Each test changes the library when the backup has come to a certain call: every seventh; with `WHOLE_TESTS`, each.
@Suite("A backup of a library that changes meanwhile")
struct ChangingLibraryTests {
  /// Makes a backup, and calls `change` before the library's call with each number, at most once.
  private func backup(
    of room: Room, patience: Duration = .milliseconds(5), sweeping: Bool = true, at moment: Int,
    _ change: @escaping @Sendable (DocumentLibrary<Recipe>) throws -> Void
  ) throws -> (file: Data, problems: [BackupProblem], isOver: Bool) {
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage, sweeping: sweeping)
    let other = try DocumentLibrary<Recipe>(
      in: room.storage, limits: LibraryLimits(patience: patience), sweeping: sweeping)
    let count = Locked(0)
    storage.beforeEachCall { _, _ in
      let number = count.withLock { count in
        defer { count += 1 }
        return count
      }
      if number == moment { OtherThread.run { try? change(other) } }
    }
    let (file, problems) = try library.backup()
    return (file, problems, count.withLock(\.self) <= moment)
  }

  private func copy(of file: Data) throws -> DocumentLibrary<Recipe> {
    let library = try Place.memory.room().library()
    let report = try library.importBackup(BackupSource(file), keepingNumbers: true)
    #expect(report.refused.isEmpty, "\(report.refused)")
    return library
  }

  /// A library with a document in the trash, two others, and a file.
  private func room() throws -> Room {
    let room = try Place.memory.room()
    try room.plant("1.recipe", "trashed", photo: "p")
    try room.library().document(1).moveToTrash()
    try room.plant("2.recipe", "two", photo: "p")
    try room.plant("4.recipe", "four", photo: "p")
    try room.storage.plant("readme.txt", Data("read me".utf8))
    return room
  }

  @Test("has a document that is restored from the trash at any moment")
  func restored() throws {
    for moment in Sample.calls(below: 1000, each: 7, turn: 0) {
      let (file, problems, isOver) = try backup(of: room(), at: moment) { try $0.restore("1.recipe") }
      let copy = try copy(of: file)
      let isRestored = try copy.contents().numbers.contains(1)
      #expect(try isRestored || copy.trash() == ["1.recipe"], "call \(moment)")
      let recipe = try isRestored ? copy.document(1).data : copy.trashedData("1.recipe")
      #expect(recipe == Recipe("trashed") && problems.isEmpty, "call \(moment): \(problems)")
      if isOver { return #expect(moment > 30) }
    }
    Issue.record("the backup never came to its end")
  }

  @Test("has a document that is moved to the trash, or to it and back, at any moment")
  func trashed() throws {
    for returns in [false, true] {
      for moment in Sample.calls(below: 1000, each: 7, turn: returns ? 5 : 1) {
        let (file, problems, isOver) = try backup(of: room(), at: moment) { library in
          try library.document(2).moveToTrash()
          if returns { try library.restore("2.recipe") }
        }
        let copy = try copy(of: file)
        let isThere = try copy.contents().numbers.contains(2)
        #expect(try isThere || copy.trash().contains("2.recipe"), "call \(moment), \(returns)")
        let recipe = try isThere ? copy.document(2).data : copy.trashedData("2.recipe")
        #expect(recipe == Recipe("two") && problems.isEmpty, "call \(moment), \(returns): \(problems)")
        if isOver { break }
      }
    }
  }

  @Test("has one version of a document that is added, and changed at any later moment")
  func added() throws {
    for moment in Sample.calls(below: 1000, each: 7, turn: 2) {
      let room = try room()
      let isAdded = Locked(false)
      let storage = FaultyStorage(room.storage)
      let library = try DocumentLibrary<Recipe>(in: storage)
      let other = try DocumentLibrary<Recipe>(in: room.storage, limits: LibraryLimits(patience: .milliseconds(5)))
      let count = Locked(0)
      storage.beforeEachCall { _, path in
        // The listing of the documents is over.
        if path == "2.recipe" / "Data.plist",
          isAdded.withLock({ old in
            defer { old = true }; return !old
          })
        {
          OtherThread.run {
            _ = try? other.addDocument(
              Recipe("new"), attachments: ["photo.jpg": Data("new".utf8), "thumb.png": Data("new".utf8)])
          }
        }
        let number = count.withLock { count in
          defer { count += 1 }
          return count
        }
        guard number == moment else { return }
        OtherThread.run {
          try? other.document(5).edit(
            attachments: ["photo.jpg": Data("newer".utf8), "thumb.png": Data("newer".utf8)]
          ) { $0.name = "newer" }
        }
      }
      let (file, problems) = try library.backup()
      let dish = try Dish(copy(of: file).document(5))
      #expect(
        dish == Dish("new", photo: "new", thumb: "new") || dish == Dish("newer", photo: "newer", thumb: "newer"),
        "call \(moment): \(dish)")
      #expect(problems.isEmpty, "call \(moment)")
      if count.withLock(\.self) <= moment { return #expect(moment > 30) }
    }
    Issue.record("the backup never came to its end")
  }

  /// A library with documents 2 and 4, and an update of both that is saved, but not in place.
  private func updatedRoom() throws -> (Room, update: StoragePath) {
    let room = try room()
    let changes: FileChanges = [("Data.plist", try Recipe.file("updated")), ("photo.jpg", nil)]
    return (room, try room.library().stage([(2, "2.recipe", changes), (4, "4.recipe", changes)], nil))
  }

  @Test("reports just the documents with their former state if another process completes an update at any moment")
  func completed() throws {
    for moment in Sample.calls(below: 1000, each: 7, turn: 3) {
      let (room, _) = try updatedRoom()
      let (file, problems, isOver) = try backup(of: room, sweeping: false, at: moment) { _ = try $0.sweep() }
      let copy = try copy(of: file)
      let former = try [2, 4].filter { number in
        let dish = try Dish(copy.document(DocumentNumber(integerLiteral: number)))
        #expect(
          [Dish(number == 2 ? "two" : "four", photo: "p"), Dish("updated")].contains(dish), "call \(moment): \(dish)")
        return dish != Dish("updated")
      }
      #expect(problems.map(\.name) == former.map { "\($0).recipe" }, "call \(moment)")
      #expect(problems.allSatisfy { $0.isIncluded && $0.error.code == .incompleteUpdate }, "call \(moment)")
      if isOver { return #expect(moment > 30 && former == [2, 4]) }
    }
    Issue.record("the backup never came to its end")
  }

  @Test("reports no document that has its new files if another process removes the update at any moment")
  func discarded() throws {
    for moment in Sample.calls(below: 1000, each: 7, turn: 4) {
      let (room, update) = try updatedRoom()
      // As by a process that has changed all documents.
      for folder in ["2.recipe", "4.recipe"] as [StoragePath] {
        try room.storage.removeFile(folder / "photo.jpg")
        try room.storage.removeFile(folder / "Data.plist")
        try room.storage.plant(folder / "Data.plist", Recipe.file("updated"))
      }
      let (file, problems, isOver) = try backup(of: room, sweeping: false, at: moment) { try $0.discard(update) }
      #expect(problems.isEmpty, "call \(moment): \(problems)")
      #expect(try Dish(copy(of: file).document(2)) == Dish("updated"), "call \(moment)")
      if isOver { return #expect(moment > 30) }
    }
    Issue.record("the backup never came to its end")
  }

  @Test("has what a repair needs of a damaged document in the trash, and reports it", arguments: Place.allCases)
  func damagedTrash(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    for number: DocumentNumber in [1, 2] { try library.document(number).edit { $0.name = "new" } }
    try room.storage.removeFile("1.recipe" / "Data.plist")
    try room.storage.plant("1.recipe" / "Data.plist", Data("damaged".utf8))
    for number: DocumentNumber in [1, 2] { try library.document(number).moveToTrash() }
    let (file, problems) = try library.backup()
    #expect(problems.map(\.name) == [".trash/1.recipe/Data.plist"])
    #expect(problems.allSatisfy { $0.isIncluded && $0.error.code == .unreadableArchive })
    let copy = try place.room().library()
    #expect(try copy.importBackup(BackupSource(file), keepingNumbers: true).refused.isEmpty)
    // The valid one has what its last save replaced in the library only.
    #expect(try copy.storage.names(".trash" / "2.recipe") == ["Data.plist"])
    try copy.restore("1.recipe")
    try copy.repair([1]) { _ in true }
    #expect(try copy.document(1).data == Recipe("Recipe 1"))
  }
}
