// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing

@Suite("Deleting")
struct DeletingTests {
  @Test("removes the folder, and marks the document as deleted", arguments: Place.allCases)
  func delete(_ place: Place) throws {
    let library = try place.room().library(1, 2)
    let document = try library.document(2)
    try document.setData(Recipe("unsaved"))
    try document.delete()
    #expect(document.isDeleted)
    #expect(try library.contents().numbers == [1])
    #expect(try library.storage.leftovers() == [])
    // Deleting twice has no effect. Other operations throw errors and restore nothing.
    try document.delete()
    try document.moveToTrash()
    let calls: [(Document<Recipe>) throws -> Void] = [
      { try $0.save() }, { try $0.saveData() }, { try $0.saveAttachments() }, { try $0.setData(Recipe("x")) },
      { try $0.setAttachment("photo.jpg", to: nil) }, { try $0.edit { _ in } }, { _ = try $0.data },
      { _ = try $0.attachment("photo.jpg") }, { _ = try $0.hasAttachment("photo.jpg") }, { _ = try $0.modified },
    ]
    for call in calls {
      let error = try #require(throws: LibraryError.self) { try call(document) }
      #expect(error.code == .deleted)
    }
    #expect(try library.contents().numbers == [1])
  }

  @Test("prevents a save of a document that another process deleted", arguments: Place.allCases)
  func deletedByOthers(_ place: Place) throws {
    let library = try place.room().library(1)
    let (mine, theirs) = (try library.document(1), try library.document(1))
    _ = try mine.data
    try theirs.delete()
    try mine.setData(Recipe("mine"))
    let calls: [(Document<Recipe>) throws -> Void] = [
      { try $0.save() }, { try $0.edit { _ in } }, { try $0.delete() }, { try $0.moveToTrash() },
      { _ = try library.document($0.number!).data },
    ]
    for call in calls {
      let error = try #require(throws: LibraryError.self) { try call(mine) }
      #expect(error.code == .notFound)
    }
    #expect(try library.contents().numbers == [])
    #expect(try library.storage.leftovers() == [])
  }

  @Test("deletes an unsaved document", arguments: Place.allCases)
  func unsaved(_ place: Place) throws {
    let library = try place.room().library()
    let document = Document(in: library, Recipe("x"))
    try document.delete()
    #expect(throws: LibraryError.self) { try document.save() }
    #expect(try library.contents().numbers == [])
  }

  @Test("restores documents from the trash", arguments: Place.allCases)
  func trash(_ place: Place) throws {
    let library = try place.room().library(1, 2)
    #expect(try library.trash() == [])
    try library.document(2).edit { $0.name = "kept" }
    let document = try library.document(2)
    try document.moveToTrash()
    #expect(document.isDeleted)
    #expect(try library.contents().numbers == [1])
    try library.addDocument(Recipe("new two"))
    try library.document(2).moveToTrash()
    #expect(try library.trash() == ["2.recipe", "2.recipe 2"])
    let back = try library.restore("2.recipe")
    #expect(back.number == 2)
    #expect(try back.data == Recipe("kept"))
    #expect(try library.restore("2.recipe 2").number == 3)
    #expect(try library.document(3).data == Recipe("new two"))
    try library.document(3).moveToTrash()
    try library.deleteFromTrash("3.recipe")
    #expect(try library.trash() == [])
    #expect(try library.storage.leftovers() == [])
    for name in ["3.recipe", "../1.recipe", "", ".", "..", "1.recipe"] {
      #expect(throws: LibraryError.self) { try library.restore(name) }
      #expect(throws: LibraryError.self) { try library.deleteFromTrash(name) }
    }
    #expect(try library.contents().numbers == [1, 2])
  }

  @Test("deletes nothing through a symbolic link", arguments: Place.allCases)
  func links(_ place: Place) throws {
    let room = try place.room()
    let outside = FileManager.default.temporaryDirectory.appending(path: "outside-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: outside, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: outside) }
    try Data("precious".utf8).write(to: outside.appending(path: "file"))
    try room.plant("1.recipe", "A")
    try room.plantLink("1.recipe" / "inner", to: outside.path)
    try room.plantLink("2.recipe", to: outside.path)
    let library = try room.library()
    try library.document(1).setAttachment("photo.jpg", to: nil)
    let document = try library.document(1)
    try document.setAttachment("photo.jpg", to: Data("p".utf8))
    try document.setAttachment("thumb.png", to: Data("t".utf8))
    try document.save()
    #expect(try room.storage.status(of: "1.recipe" / "inner").kind == .link)
    try document.delete()
    #expect(throws: LibraryError.self) { try library.document(2) }
    #expect(try library.storage.leftovers() == [])
    #expect(try Data(contentsOf: outside.appending(path: "file")) == Data("precious".utf8))
  }

  @Test("tells a document in the trash from a deleted one, and how to restore it", arguments: Place.allCases)
  func trashedMessage(_ place: Place) throws {
    let library = try place.room().library(1, 2)
    let (trashed, deleted) = (try library.document(1), try library.document(2))
    let other = try library.document(1)
    try trashed.moveToTrash()
    try deleted.delete()
    let inTrash = try #require(throws: LibraryError.self) { try trashed.edit { $0.name = "new" } }
    #expect(inTrash.code == .deleted && inTrash.detail == "the document was moved to the trash")
    #expect(inTrash.path.hasSuffix(".trash/1.recipe") && inTrash.remedy?.contains("restore(\"1.recipe\")") == true)
    let gone = try #require(throws: LibraryError.self) { try deleted.edit { $0.name = "new" } }
    #expect(gone.code == .deleted && gone.detail == "the document was deleted")
    #expect(gone.remedy?.contains("restore") == false)
    // An object that has not moved it finds it in the trash.
    for call in [{ try other.edit { $0.name = "new" } }, { _ = try other.data }] {
      let error = try #require(throws: LibraryError.self) { try call() }
      #expect(error.code == .notFound && error.remedy?.contains("'1.recipe'") == true, "\(error)")
    }
    // The name in the trash, of a second document with the number.
    let second = try library.addDocument(Recipe("second"))
    try second.moveToTrash()
    let renamed = try #require(throws: LibraryError.self) { try second.save() }
    #expect(renamed.remedy?.contains("restore(\"1.recipe 2\")") == true)
    #expect(try library.restore("1.recipe 2").data?.name == "second")
  }
}
