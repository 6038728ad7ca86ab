// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing

@Suite("Cleanup after a crash")
struct SweepTests {
  /// All kinds of leftovers: a file, a folder, and a displaced document with and without a successor.
  private func plantLeftovers(_ room: Room) throws {
    try room.plant("1.recipe", "one")
    try room.storage.makeFolder(".work")
    try room.storage.plant(".work" / "new-file", Data("half".utf8))
    try room.storage.makeFolder(".work" / "new-folder")
    try room.storage.makeFolder(".work" / "new-folder" / "inner")
    try room.storage.plant(".work" / "new-folder" / "inner" / "file", Data())
    try room.plant("4.recipe", "four", photo: "p")
    try room.storage.move("4.recipe", to: ".work" / "replaced-4.recipe", .exclusive)
    try room.plant("7.recipe", "old seven")
    try room.storage.move("7.recipe", to: ".work" / "replaced-7.recipe", .exclusive)
    try room.plant("7.recipe", "new seven")
  }

  @Test("removes leftovers and restores documents on opening", arguments: Place.allCases)
  func opening(_ place: Place) throws {
    let room = try place.room()
    try plantLeftovers(room)
    let library = try room.library()
    #expect(try room.storage.leftovers() == [])
    #expect(try library.contents().numbers == [1, 4, 7])
    #expect(try Dish(library.document(4)) == Dish("four", photo: "p"))
    #expect(try library.document(7).data == Recipe("new seven"))
    #expect(try library.sweep() == 0)
  }

  @Test("removes nothing while another process writes", arguments: Place.allCases)
  func whileAtWork(_ place: Place) throws {
    let room = try place.room()
    try plantLeftovers(room)
    let lock = try #require(try room.storage.lock(".work", .shared))
    let library = try room.library()
    #expect(try library.sweep() == nil)
    #expect(try room.storage.leftovers().count == 4)
    // A document that is being replaced keeps its number.
    try library.document(7).delete()
    #expect(try library.nextNumber() == 8)
    try room.storage.close(lock.file)
    #expect(try library.sweep() == 4)
    #expect(try library.contents().numbers == [1, 4, 7])
    #expect(try library.document(7).data == Recipe("old seven"))
  }

  @Test("removes a file or a link that has the name of an update, and changes ignore it", arguments: Place.allCases)
  func noUpdates(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.storage.makeFolder(".work")
    try room.storage.plant(".work" / "update-file", Data())
    try room.plantLink(".work" / "update-link", to: "/")
    try library.document(1).edit { $0.name = "new" }
    try library.update { $0.edit(1) { $0.steps = ["Boil"] } }
    #expect(try library.document(1).data == Recipe("new", ["Boil"]))
    #expect(try library.sweep() == 2)
    #expect(try room.storage.leftovers() == [])
  }

  /// A library with an update of document 1 that an ended process left unfinished.
  private func plantUpdate(_ room: Room) throws {
    let library = try room.library(1)
    _ = try library.stage([(1, "1.recipe", [("Data.plist", Recipe.file("updated"))])], nil)
  }

  @Test("removes other leftovers and completes updates if one leftover cannot be removed")
  func stuckLeftover() throws {
    let room = try Place.memory.room()
    try plantUpdate(room)
    try room.storage.makeFolder(".work" / "new-a")
    try room.storage.plant(".work" / "new-b", Data("half".utf8))
    let storage = FaultyStorage(room.storage, .refuses(.removeFolder, .noPermission))
    let library = try DocumentLibrary<Recipe>(in: storage)
    #expect(try library.document(1).data == Recipe("updated"))
    #expect(try room.storage.leftovers().contains("new-a"))
    #expect(try !room.storage.leftovers().contains("new-b"))
    #expect(throws: LibraryError.self) { try library.sweep() }
  }

  @Test("completes updates while another process writes", arguments: Place.allCases)
  func updatesWhileAtWork(_ place: Place) throws {
    let room = try place.room()
    try plantUpdate(room)
    try room.storage.makeFolder(".work" / "new-a")
    let lock = try #require(try room.storage.lock(".work", .shared))
    #expect(try room.library().document(1).data == Recipe("updated"))
    #expect(try room.storage.leftovers() == ["new-a"])
    try room.storage.close(lock.file)
  }

  @Test("lets the owner change the read-only folders of a deleted document")
  func readOnlyFolder() throws {
    let room = try Place.memory.room()
    try room.storage.makeFolder(".work")
    try room.storage.makeFolder(".work" / "new-a")
    try room.storage.makeFolder(".work" / "new-a" / "inner")
    try room.storage.plant(".work" / "new-a" / "inner" / "file", Data())
    let storage = FaultyStorage(room.storage, .refuses(.removeFile, .noPermission))
    storage.beforeEachCall { [unowned storage] call, path in
      if call == .setPermissions, path == ".work" / "new-a" / "inner" { storage.set() }
    }
    _ = try DocumentLibrary<Recipe>(in: storage)
    #expect(try room.storage.leftovers() == [])
  }

  @Test(
    "lets the owner change read-only folders in a deep folder",
    .enabled(if: geteuid() != 0, "root can change each folder"))
  func deepReadOnlyFolder() throws {
    let room = try Place.disk.room()
    try room.storage.makeFolder(".work")
    var folder = ".work" / "new-a"
    try room.storage.makeFolder(folder)
    var folders = [folder]
    for _ in 0..<20 {
      folder = folder / "inner"
      try room.storage.makeFolder(folder)
      folders.append(folder)
    }
    for folder in folders.reversed() {
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o555], ofItemAtPath: room.folder.appending(path: folder.description).path)
    }
    _ = try room.library()
    #expect(try room.storage.leftovers() == [])
  }

  @Test("restores only entries with names of documents", arguments: Place.allCases)
  func oddNames(_ place: Place) throws {
    let room = try place.room()
    try room.storage.makeFolder(".work")
    for name in ["replaced-", "replaced-.hidden", "replaced-..", "replaced-.", "x"] as [StorageName] {
      try room.storage.makeFolder(".work" / name)
    }
    try room.plantLink(".work" / "new-link", to: "/")
    _ = try room.library()
    #expect(try room.storage.names(.root) == [".work"])
    #expect(try room.storage.leftovers() == [])
  }

  @Test("follows no symbolic link in the place of the work folder", arguments: Place.allCases)
  func linkedWorkFolder(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "A")
    try room.plantLink(".work", to: "/tmp")
    let library = try room.library()
    #expect(try library.document(1).data == Recipe("A"))
    #expect(throws: LibraryError.self) { try library.addDocument(Recipe("B")) }
    #expect(throws: LibraryError.self) { try library.document(1).edit { $0.name = "C" } }
    #expect(throws: LibraryError.self) { try library.sweep() }
    #expect(try library.document(1).data == Recipe("A"))
  }
}
