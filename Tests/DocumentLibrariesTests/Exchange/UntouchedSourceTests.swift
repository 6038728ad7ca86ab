// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
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
    #expect(try target.importBackup(BackupSource(library.exported())).documents.count == 2)
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

  /// A library with an update of document 1 that a process has saved, and not yet put into place.
  private func plantUpdate(_ place: Place) throws -> Room {
    let room = try place.room()
    let library = try room.library(1, 2)
    try library.document(1).edit { $0.name = "edited" }
    let new = try KeyedArchiver.archivedData(withRootObject: Recipe("updated"), requiringSecureCoding: true)
    _ = try library.stage([(1, "1.recipe", [("Data.plist", new)])], nil)
    return room
  }

  /// The readings that lock documents.
  private static let lockingReadings: [@Sendable (DocumentLibrary<Recipe>) throws -> Void] = [
    { _ = try $0.backup() }, { _ = try $0.exported() },
    { try Place.memory.room().library().addCopy(of: $0.document(1)) },
    { _ = try $0.document(1).hasFormerSave }, { try $0.repair(dryRun: true) { _ in true } },
  ]

  @Test("that must not change leaves an unfinished update as it is", arguments: Place.allCases)
  func unfinishedUpdate(_ place: Place) throws {
    let room = try plantUpdate(place)
    let before = try room.storage.inventory()
    let faulty = FaultyStorage(room.storage)
    for reading in Self.lockingReadings {
      try reading(DocumentLibrary<Recipe>(in: faulty, creating: false, sweeping: false))
    }
    #expect(try room.storage.inventory() == before)
    let harmless: Set<StorageError.Call> = [.list, .status, .open, .read, .close, .lock]
    #expect(faulty.steps.allSatisfy { harmless.contains($0.call) })
    // The backup says that it has the former state.
    let (file, problems) = try DocumentLibrary<Recipe>(in: room.storage, sweeping: false).backup()
    #expect(problems.map(\.name) == ["1.recipe"])
    #expect(problems.allSatisfy { $0.isIncluded && $0.error.code == .incompleteUpdate && $0.error.remedy != nil })
    let copy = try place.room().library()
    #expect(try copy.importBackup(BackupSource(file)).documents.map(\.number) == [1, 2])
    #expect(try copy.document(1).data == Recipe("edited"))
    // A change completes the update, also in a library that was opened without cleanup.
    let library = try DocumentLibrary<Recipe>(in: room.storage, sweeping: false)
    try library.document(1).edit { $0.steps = ["more"] }
    #expect(try library.document(1).data == Recipe("updated", ["more"]))
  }

  /// The documents that a backup reports in their former state.
  private func former(_ room: Room) throws -> [String] {
    let (_, problems) = try DocumentLibrary<Recipe>(in: room.storage, sweeping: false).backup()
    #expect(problems.allSatisfy { $0.error.code == .incompleteUpdate })
    return problems.map(\.name)
  }

  @Test("is reported with an unfinished removal, and with an extension in capital letters", arguments: Place.allCases)
  func unusualUpdates(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.plant("2.RECIPE", "two", photo: "p")
    _ = try library.stage([(2, "2.RECIPE", [("photo.jpg", nil)])], nil)
    #expect(try former(room) == ["2.RECIPE"])
    try room.storage.removeFile("2.RECIPE" / "photo.jpg")
    #expect(try former(room) == [])
  }

  @Test("is reported by the last of two unfinished updates of a document", arguments: Place.allCases)
  func twoUpdates(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    func replace(_ name: String) throws {
      try room.storage.removeFile("1.recipe" / "Data.plist")
      try room.storage.plant("1.recipe" / "Data.plist", Recipe.file(name))
    }
    _ = try library.stage([(1, "1.recipe", [("Data.plist", Recipe.file("first"))])], nil)
    #expect(try former(room) == ["1.recipe"])
    // As by a process that ended before it removed the update.
    try replace("first")
    #expect(try former(room) == [])
    _ = try library.stage([(1, "1.recipe", [("Data.plist", Recipe.file("second"))])], nil)
    #expect(try former(room) == ["1.recipe"])
    try replace("second")
    #expect(try former(room) == [])
    try replace("other")
    #expect(try former(room) == [])
  }

  @Test("lists an unfinished update once in a backup, whatever the number of documents", arguments: [false, true])
  func listings(_ isReadOnly: Bool) throws {
    var counts: [Int] = []
    for count in [2, 20] {
      let room = try Place.memory.room()
      let library = try room.library()
      for number in 1...count { try library.addDocument(Recipe("\(number)")) }
      let changes: FileChanges = [("Data.plist", try Recipe.file("new"))]
      let staged = try library.contents().numbers.map { number -> StagedDocument in
        (number, FolderName.name(for: number, extension: "recipe"), changes)
      }
      let update = try library.stage(staged, nil)
      let faulty = FaultyStorage(room.storage)
      if isReadOnly { faulty.setAll(Self.changingCalls.map { .refuses($0, .readOnly) }) }
      let reading = try DocumentLibrary<Recipe>(in: faulty, creating: false, sweeping: isReadOnly)
      let start = faulty.steps.count
      #expect(try reading.backup().problems.count == count)
      counts.append(faulty.steps.dropFirst(start).count { $0.call == .list && $0.path == update })
    }
    #expect(counts == [1, 1])
  }

  private static let changingCalls: [StorageError.Call] = [
    .makeFolder, .create, .write, .flush, .flushFolder, .move, .link, .removeFile, .removeFolder, .setModified,
  ]

  @Test(
    "on a read-only disk with an unfinished update has all documents",
    arguments: [.readOnly, .noPermission] as [StorageError.Reason])
  func unfinishedUpdateOnReadOnlyDisk(_ reason: StorageError.Reason) throws {
    let room = try plantUpdate(.memory)
    let before = try room.storage.inventory()
    let faulty = FaultyStorage(room.storage)
    faulty.setAll(Self.changingCalls.map { .refuses($0, reason) })
    let library = try DocumentLibrary<Recipe>(in: faulty, creating: false)
    for reading in Self.lockingReadings { try reading(library) }
    let (file, problems) = try library.backup()
    #expect(problems.map(\.name) == ["1.recipe"] && problems.allSatisfy { $0.error.code == .incompleteUpdate })
    let copy = try Place.memory.room().library()
    #expect(try copy.importBackup(BackupSource(file)).documents.map(\.number) == [1, 2])
    #expect(try room.storage.inventory() == before)
  }

  @Test("that may change completes an unfinished update first, but not in a dry run", arguments: Place.allCases)
  func finishedUpdate(_ place: Place) throws {
    let room = try plantUpdate(place)
    // Opened before the process ended, so that the cleanup found nothing.
    let library = try DocumentLibrary<Recipe>(in: room.storage, sweeping: true)
    _ = try room.library()
    let staged = try KeyedArchiver.archivedData(withRootObject: Recipe("again"), requiringSecureCoding: true)
    _ = try library.stage(
      [(1, "1.recipe", [("Data.plist", staged)]), (2, "2.recipe", [("Data.plist", staged)])], nil)
    try room.storage.removeFile("2.recipe" / "Data.plist")
    let before = try room.storage.inventory()
    try library.repair(dryRun: true) { _ in true }
    #expect(try room.storage.inventory() == before)
    // Document 2 has other content than the update replaces, so it is left alone.
    #expect(try library.backup().problems.map(\.error.code) == [.missingDataFile])
    #expect(try library.document(1).data == Recipe("again"))
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
