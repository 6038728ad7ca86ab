// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("The wait for a change by another process")
struct PatienceTests {
  private static func changes(
    of document: Document<Recipe>, in library: DocumentLibrary<Recipe>
  ) -> [(name: String, use: () throws -> Void)] {
    [
      ("edit", { try document.edit { $0.name = "changed" } }), ("save", { try document.save() }),
      ("delete", { try document.delete() }), ("moveToTrash", { try document.moveToTrash() }),
      ("undo", { try document.undoLastSave() }), ("repair", { try document.repairData(with: Recipe("repaired")) }),
      ("copy", { try library.addCopy(of: document) }),
      ("update", { try library.update { $0.edit(1) { $0.name = "changed" } } }),
    ]
  }

  @Test("ends after the time limit, and nothing is changed", .notHanging, arguments: Place.allCases)
  func ends(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2, limits: LibraryLimits(patience: .milliseconds(20)))
    let document = try library.document(1)
    try document.setData(Recipe("mine"))
    let lock = try #require(try room.storage.lock("1.recipe", .exclusive))
    for (name, use) in Self.changes(of: document, in: library) {
      let error = #expect(throws: LibraryError.self, "\(name)") { try use() }
      #expect(error?.code == .init("busy") && error?.path == document.docPath?.path, "\(name)")
      #expect(error?.remedy?.contains("LibraryLimits.patience") == true, "\(name)")
    }
    // Neither readers nor changes of other documents wait.
    #expect(try library.contents().numbers == [1, 2])
    #expect(try library.document(1).data == Recipe("Recipe 1"))
    try library.document(2).edit { $0.name = "changed" }
    try library.addDocument(Recipe("added"))
    try room.storage.close(lock.file)
    try document.save()
    #expect(try room.library().document(1).data == Recipe("mine"))
  }

  @Test(
    "ends when the lock is available", .notHanging, arguments: Place.allCases,
    [Duration.seconds(20), .seconds(Int64.max)])
  func succeeds(_ place: Place, patience: Duration) throws {
    let room = try place.room()
    let library = try room.library(1, limits: LibraryLimits(patience: patience))
    let lock = try #require(try room.storage.lock("1.recipe", .exclusive))
    let storage = room.storage
    // A thread of the system, because a change that waits keeps one that tasks share.
    let isStarted = SystemThread.start(stackByteCount: 1 << 18) {
      SystemThread.pause(microseconds: 20_000)
      try? storage.close(lock.file)
    }
    #expect(isStarted)
    try library.document(1).edit { $0.name = "changed" }
    #expect(try library.document(1).data == Recipe("changed"))
  }

  @Test("ends for a change inside of one by another library object of the same folder", .notHanging)
  func nested() throws {
    let room = try Place.disk.room()
    let library = try room.library(1)
    let other = try room.library(limits: LibraryLimits(patience: .milliseconds(20)))
    let error = #expect(throws: LibraryError.self) {
      try library.document(1).edit { _ in try other.document(1).edit { $0.name = "lost" } }
    }
    #expect(error?.code == .init("busy"))
  }

  @Test("for the folder of unfinished changes ends as well", .notHanging, arguments: Place.allCases)
  func workFolder(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, limits: LibraryLimits(patience: .milliseconds(20)))
    try StorageSteps(storage: room.storage).makeFolderIfMissing(".work")
    let lock = try #require(try room.storage.lock(".work", .exclusive))
    let error = #expect(throws: LibraryError.self) { try library.addDocument(Recipe("new")) }
    #expect(error?.code == .init("busy"))
    #expect(try library.contents().numbers == [1])
    try room.storage.close(lock.file)
    try library.addDocument(Recipe("new"))
    #expect(try library.contents().numbers == [1, 2])
  }
}
