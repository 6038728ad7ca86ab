// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing

@Suite("Reading a library")
struct UntouchedSourceTests {
  /// A library with everything that opening it would remove or restore.
  private func plant(_ place: Place) throws -> Room {
    let room = try place.room()
    try room.plant("1.recipe", "A", photo: "p")
    try room.plant("2.recipe", "B")
    try room.storage.makeFolder(".work")
    try room.storage.plant(".work" / "new-file", Data("half".utf8))
    try room.plant("3.recipe", "C")
    try room.storage.move("3.recipe", to: ".work" / "replaced-3.recipe", .exclusive)
    try room.storage.makeFolder(".trash")
    try room.plant("4.recipe", "D")
    try room.storage.move("4.recipe", to: ".trash" / "4.recipe", .exclusive)
    return room
  }

  /// Performs all reading operations.
  private func readAll(_ storage: any DocumentStorage) throws {
    let library = try DocumentLibrary<Recipe>(in: storage, creating: false, sweeping: false)
    #expect(try library.documents().map { try $0.data?.name } == ["A", "B"])
    #expect(try library.document(1).attachment("photo.jpg") == Data("p".utf8))
    #expect(try library.document(2).modified != nil)
    #expect(try library.nextNumber() == 4)
    #expect(try library.trash() == ["4.recipe"])
    var codes: [String] = []
    try library.check {
      codes.append($0.code)
      return true
    }
    #expect(codes == ["leftovers", "displaced"])
    let target = try Place.memory.room().library()
    #expect(try target.importDocuments(from: library.exported()).documents.count == 2)
    for document in try library.documents() { try target.addCopy(of: document) }
    #expect(try target.contents().numbers == [1, 2, 3, 4])
  }

  @Test("keeps bytes, dates and file identities", arguments: Place.allCases)
  func untouched(_ place: Place) throws {
    let room = try plant(place)
    let before = try room.storage.inventory()
    try readAll(room.storage)
    #expect(try room.storage.inventory() == before)
    // Opening it with cleanup changes it.
    #expect(try room.library().contents().numbers == [1, 2, 3])
    #expect(try room.storage.leftovers() == [])
  }

  @Test("makes no call that changes anything", arguments: Place.allCases)
  func steps(_ place: Place) throws {
    let faulty = FaultyStorage(try plant(place).storage)
    try readAll(faulty)
    let harmless: Set<StorageError.Call> = [.list, .status, .open, .read, .close, .lock]
    #expect(!faulty.steps.isEmpty && faulty.steps.allSatisfy { harmless.contains($0.call) })
  }

  @Test("works on a read-only disk")
  func readOnly() throws {
    let room = try plant(.disk)
    let before = try room.storage.inventory()
    func setModes(_ folders: Int, _ files: Int) throws {
      for (path, thing) in try room.storage.inventory() {
        let mode = thing.status.kind == .folder ? folders : files
        let url = path == "." ? room.folder : room.folder.appending(path: path)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: url.path)
      }
    }
    try setModes(0o555, 0o444)
    defer { try? setModes(0o755, 0o644) }
    try readAll(room.storage)
    #expect(try room.storage.inventory() == before)
  }

  @Test("creates no missing library")
  func notMade() throws {
    let folder = try Place.disk.room().folder.appending(path: "a/b")
    let error = #expect(throws: LibraryError.self) {
      try DocumentLibrary<Recipe>(at: folder, creating: false, sweeping: false)
    }
    #expect(error?.code == .notFound)
    #expect(!FileManager.default.fileExists(atPath: folder.deletingLastPathComponent().path))
  }
}
