// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import TestSupport
import Testing

@Suite("Deeply nested folders in a document")
struct DeepFolderTests {
  /// A library with document 1, in which each folder has a file and the next folder.
  private func room(depth: Int) throws -> Room {
    let room = try Place.memory.room()
    try room.plant("1.recipe", "Soup")
    var path: StoragePath = "1.recipe"
    for number in 0..<depth {
      path = path / "d"
      try room.storage.makeFolder(path)
      try room.storage.plant(path / "f", Data("\(number)".utf8))
    }
    return room
  }

  @Test("are removed with calls that need not look up the whole path")
  func removal() throws {
    let depth = 120
    let storage = FaultyStorage(try room(depth: depth).storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    // The first change tries what the storage can do.
    try library.addDocument(Recipe("other"))
    storage.set()
    try library.document(1).delete()
    #expect(try storage.leftovers() == [] && library.contents().numbers == [2])
    let steps = storage.steps
    #expect(steps.count { $0.call == .removeFolder } == depth + 1)
    // The time of a call grows with the length of its path. A document that programs make has a few levels.
    #expect(steps.map(\.path.names.count).max() ?? 0 < 20)
    #expect(steps.count < 12 * depth)
  }

  @Test("are removed by the cleanup after a removal that was interrupted at any call")
  func interrupted() throws {
    for step in Sample.calls(below: 1000, each: 15, turn: 0) {
      let room = try room(depth: 25)
      let storage = FaultyStorage(room.storage)
      let library = try DocumentLibrary<Recipe>(in: storage)
      storage.set(.dies(at: step))
      try? library.document(1).delete()
      let reopened = try room.library()
      #expect(try room.storage.leftovers() == [], "step \(step)")
      #expect(try reopened.contents().numbers.isEmpty || Dish(reopened.document(1)) == Dish("Soup"), "step \(step)")
      if !storage.hasFailed { return #expect(step > 50) }
    }
    Issue.record("the removal never came to its end")
  }

  @Test("are all in a backup if their deepest file has a path of 32 names, which a ZIP file can have")
  func deepest() throws {
    // The path of the deepest file has the names of the document, of the folders, and of the file.
    for (depth, isComplete) in [(30, true), (31, false)] {
      let room = try room(depth: depth)
      let (file, problems) = try room.library().backup()
      #expect(problems.isEmpty == isComplete, "\(depth): \(problems)")
      let target = try Place.memory.room()
      #expect(try target.library().importBackup(BackupSource(file), keepingNumbers: true).refused.isEmpty)
      #expect(try (target.storage.content() == room.storage.content()) == isComplete, "\(depth)")
    }
    // An empty folder has an entry of its own.
    let room = try room(depth: 30)
    var path = StoragePath(["1.recipe"] + Array(repeating: "d", count: 30))
    for isComplete in [true, false] {
      path = path / "e"
      try room.storage.makeFolder(path)
      #expect(try room.library().backup().problems.isEmpty == isComplete, "\(path.names.count) names")
    }
  }

  @Test("are in a backup to the depth that a ZIP file can have, and the rest is reported once")
  func backup() throws {
    let room = try room(depth: 200)
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    storage.set()
    let (file, problems) = try library.backup()
    #expect(storage.steps.map(\.path.names.count).max() ?? 0 < 50)
    #expect(problems.count == 1 && problems.allSatisfy { !$0.isIncluded && $0.error.code == .limitReached })
    #expect(problems.allSatisfy { $0.name.hasPrefix("1.recipe/d/d/") && $0.error.remedy != nil })
    let target = try Place.memory.room()
    let report = try target.library().importBackup(BackupSource(file), keepingNumbers: true)
    #expect(report.documents.map(\.number) == [1] && report.refused.isEmpty)
    let content = try room.storage.content()
    let restored = try target.storage.content()
    #expect(restored.count > 20 && restored.allSatisfy { content[$0.key] == .some($0.value) })
    // The document of the library is not the same, because the backup lacks some of it.
    storage.set()
    #expect(try library.importBackup(BackupSource(file)).present.isEmpty)
    #expect(storage.steps.map(\.path.names.count).max() ?? 0 < 50)
  }
}
