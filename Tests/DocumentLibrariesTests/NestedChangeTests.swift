// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import TestSupport
import Testing

@Suite("Changes inside of changes")
struct NestedChangeTests {
  /// The changes of document 1, and the readings that need its lock.
  private static func uses(
    _ document: Document<Recipe>, _ library: DocumentLibrary<Recipe>
  ) throws -> [(name: String, use: () throws -> Void)] {
    let other = try library.document(1)
    try other.setData(Recipe("other"))
    return [
      ("edit", { try document.edit { $0.name = "inner" } }), ("edit of another object", { try other.edit { _ in } }),
      ("save of another object", { try other.save() }), ("delete", { try document.delete() }),
      ("delete of another object", { try other.delete() }), ("moveToTrash", { try other.moveToTrash() }),
      ("undo", { try document.undoLastSave() }), ("undo of another object", { try library.undoLastSave(of: 1) }),
      ("repair", { try other.repairData(with: Recipe("repaired")) }),
      ("hasFormerSave", { _ = try other.hasFormerSave }),
      ("copy", { try library.addCopy(of: other) }), ("update", { try library.update { $0.edit(1) { _ in } } }),
    ]
  }

  private func expectRefusals(
    in library: DocumentLibrary<Recipe>, _ document: Document<Recipe>,
    change: (@escaping () throws -> Void) throws -> Void
  ) throws {
    for (name, use) in try Self.uses(document, library) {
      var count = 0
      try change {
        count += 1
        let error = #expect(throws: LibraryError.self, "\(name)") { try use() }
        #expect(error?.code == .init("nestedChange"), "\(name)")
        #expect(error?.path == document.docPath?.path && error?.remedy?.isEmpty == false, "\(name)")
      }
      #expect(count == 1, "\(name)")
    }
  }

  @Test("are refused during an edit, which is saved nevertheless", .notHanging, arguments: Place.allCases)
  func edits(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    let document = try library.document(1)
    try expectRefusals(in: library, document) { use in
      try document.edit { recipe in
        try use()
        recipe.steps.append("outer")
      }
    }
    let count = try Self.uses(document, library).count
    #expect(try room.library().document(1).data == Recipe("Recipe 1", Array(repeating: "outer", count: count)))
    #expect(try room.library().contents().numbers == [1, 2])
    // An error of the inner change leaves no lock behind.
    #expect(throws: LibraryError.self) { try document.edit { _ in try document.edit { _ in } } }
    try document.edit { $0.steps = [] }
    #expect(try library.document(1).data?.steps == [])
  }

  @Test("are refused during an update, which is saved nevertheless", .notHanging, arguments: Place.allCases)
  func updates(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    let document = try library.document(1)
    try expectRefusals(in: library, document) { use in
      try library.update { update in
        update.edit(1) { $0.steps.append("outer") }
        update.edit(2) { _ in try use() }
      }
    }
    let count = try Self.uses(document, library).count
    #expect(try room.library().document(1).data == Recipe("Recipe 1", Array(repeating: "outer", count: count)))
    #expect(throws: LibraryError.self) {
      try library.update { update in
        update.edit(2) { _ in try library.update { $0.edit(2) { _ in } } }
      }
    }
    try library.update { $0.edit(2) { $0.name = "after" } }
    #expect(try library.document(2).data == Recipe("after"))
  }

  @Test("are refused on a disk without locks, where the outer change would replace the inner one")
  func withoutLocks() throws {
    let room = try Place.memory.room()
    try room.plant("1.recipe", "Soup")
    let library = try DocumentLibrary<Recipe>(in: FaultyStorage(room.storage, .lacks(.locks)))
    let error = #expect(throws: LibraryError.self) {
      try library.document(1).edit { _ in try library.document(1).edit { $0.name = "lost" } }
    }
    #expect(error?.code == .init("nestedChange"))
  }

  @Test("are refused for a new document", .notHanging)
  func new() throws {
    let library = try Place.memory.room().library()
    let document = Document(in: library, Recipe("new"))
    let error = #expect(throws: LibraryError.self) { try document.edit { _ in try document.save() } }
    #expect(error?.code == .init("nestedChange"))
    try document.save()
    #expect(document.number == 1)
  }

  @Test("of other documents, and reads, are possible", .notHanging, arguments: Place.allCases)
  func others(_ place: Place) throws {
    let library = try place.room().library(1, 2)
    let document = try library.document(1)
    try document.edit { recipe in
      recipe.name = try library.document(1).data?.name ?? "none"
      try library.document(2).edit { $0.name = "inner" }
      try library.addDocument(Recipe("added"))
    }
    #expect(try library.documents().map { try $0.data?.name } == ["Recipe 1", "inner", "added"])
  }

  @Test("by another thread wait", .notHanging, arguments: Place.allCases)
  func threads(_ place: Place) async throws {
    let library = try place.room().library(1)
    let document = try library.document(1)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          for _ in 0..<10 { try (thread < 2 ? document : library.document(1)).edit { $0.steps.append("step") } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try library.document(1).data?.steps.count == 40)
  }
}
