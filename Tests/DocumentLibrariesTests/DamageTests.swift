// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite("Invalid data files")
struct DamageTests {
  private static let path: StoragePath = "1.recipe" / "Data.plist"

  private func code(_ library: DocumentLibrary<Recipe>) throws -> LibraryError.Code {
    let error = try #require(throws: LibraryError.self) { _ = try library.document(1).data }
    #expect(error.path.hasPrefix(library.folder.path))
    // An edit throws the same error and changes nothing.
    let editError = try #require(throws: LibraryError.self) { try library.document(1).edit { $0.name = "x" } }
    #expect(editError.code == error.code)
    return error.code
  }

  @Test("distinguishes a missing data file from an invalid one", arguments: Place.allCases)
  func missing(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.storage.removeFile(Self.path)
    #expect(try code(library) == .missingDataFile)
    // New values can be saved, because no values are lost.
    let document = try library.document(1)
    try document.setData(Recipe("new"))
    try document.save()
    #expect(try library.document(1).data == Recipe("new"))
  }

  @Test("reports a folder in the place of a data file, and says how to mend it", arguments: Place.allCases)
  func folder(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.storage.removeFile(Self.path)
    try room.storage.makeFolder(Self.path)
    let error = try #require(throws: LibraryError.self) { _ = try library.document(1).data }
    #expect(error.code == .cannotRead && error.remedy == "Move it away, because a file belongs there")
  }

  /// Every fifth byte; with `WHOLE_TESTS`, each.
  @Test("reports a file truncated at any byte as unreadable, and keeps it", arguments: Place.allCases)
  func truncated(_ place: Place) throws {
    let room = try place.room()
    let whole = try KeyedArchiver.archivedData(withRootObject: Recipe("Soup", ["Boil"]), requiringSecureCoding: true)
    let library = try room.library()
    for count in Sample.cases(0..<whole.count, each: 5) {
      try room.plant("1.recipe", data: whole.prefix(count))
      #expect(try code(library) == .unreadableArchive, "\(count) bytes")
      let document = try library.document(1)
      try document.setData(Recipe("x"))
      #expect(throws: LibraryError.self) { try document.save() }
      #expect(try room.storage.bytes(Self.path) == whole.prefix(count))
      try library.document(1).delete()
    }
  }

  @Test("overwrites an unreadable file only with overwriting: true", arguments: Place.allCases)
  func overwriting(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    let bill = try KeyedArchiver.archivedData(withRootObject: Bill(), requiringSecureCoding: true)
    let plants: [(LibraryError.Code, () throws -> Void)] = [
      (.unreadableArchive, { try room.plant("1.recipe", data: Data("no archive".utf8)) }),
      (.unreadableArchive, { try room.plant("1.recipe", data: Data()) }),
      (.wrongClass, { try room.plant("1.recipe", data: bill) }),
      (
        .cannotRead,
        {
          try room.storage.makeFolder("1.recipe")
          try room.storage.makeFolder(Self.path)
          try room.storage.plant(Self.path / "inside", Data())
        }
      ),
      (
        .notADocument,
        {
          try room.storage.makeFolder("1.recipe")
          try room.plantLink(Self.path, to: "/etc/passwd")
        }
      ),
    ]
    for (expected, plant) in plants {
      try plant()
      #expect(try code(library) == expected)
      let document = try library.document(1)
      try document.setData(Recipe("x"))
      let error = try #require(throws: LibraryError.self) { try document.save() }
      #expect(error.code == expected)
      try document.saveData(overwriting: true)
      #expect(try library.document(1).data == Recipe("x"))
      #expect(try room.storage.leftovers() == [])
      try document.delete()
    }
  }

  @Test("rejects a pipe without waiting for it", .notHanging)
  func pipe() throws {
    let room = try Place.disk.room()
    try room.storage.makeFolder("1.recipe")
    #expect(unsafe mkfifo(room.storage.url(of: Self.path).path, 0o600) == 0)
    #expect(unsafe mkfifo(room.storage.url(of: "1.recipe" / "photo.jpg").path, 0o600) == 0)
    let library = try room.library()
    #expect(try code(library) == .cannotRead)
    #expect(throws: LibraryError.self) { try library.document(1).attachment("photo.jpg") }
    try library.document(1).delete()
    #expect(try room.storage.leftovers() == [])
  }

  @Test("rejects a file over the limit before reading it", arguments: Place.allCases)
  func limits(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", String(repeating: "long ", count: 1000), photo: String(repeating: "p", count: 1001))
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(
      in: storage, limits: LibraryLimits(maximumDataByteCount: 1000, maximumAttachmentByteCount: 1000))
    storage.set()
    #expect(try code(library) == .limitReached)
    let error = try #require(throws: LibraryError.self) { try library.document(1).attachment("photo.jpg") }
    #expect(error.code == .limitReached)
    #expect(!storage.steps.contains { $0.call == .open })
    let enough = try DocumentLibrary<Recipe>(in: storage, limits: LibraryLimits(maximumAttachmentByteCount: 1001))
    #expect(try enough.document(1).attachment("photo.jpg")?.count == 1001)
  }

  @Test("returns warnings with readable values", arguments: Place.allCases)
  func warnings(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "")
    let document = try room.library().document(1)
    #expect(try document.warnings.map(\.code) == ["emptyName"])
    #expect(try document.stored?.isCurrent == true)
    try document.edit { $0.name = "named" }
    #expect(try room.library().document(1).warnings == [])
  }
}
