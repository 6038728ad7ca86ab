// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing
import ZipContainers

/// Changes of document 1 that the tests undo.
struct UndoableChange: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let after: Dish
  let run: @Sendable (Document<Recipe>) throws -> Void

  /// The document before each change.
  static let before = Dish("two", photo: "p2")

  static let all = [
    UndoableChange(testDescription: "values", after: Dish("three", photo: "p2")) {
      try $0.edit { $0.name = "three" }
    },
    UndoableChange(testDescription: "photo", after: Dish("two", photo: "p3")) { document in
      try document.setAttachment("photo.jpg", to: Data("p3".utf8))
      try document.save()
    },
    UndoableChange(testDescription: "new thumbnail", after: Dish("two", photo: "p2", thumb: "t3")) { document in
      try document.setAttachment("thumb.png", to: Data("t3".utf8))
      try document.save()
    },
    UndoableChange(testDescription: "photo removed", after: Dish("two")) { document in
      try document.setAttachment("photo.jpg", to: nil)
      try document.save()
    },
    UndoableChange(testDescription: "all", after: Dish("three", thumb: "t3")) {
      try $0.edit(attachments: ["photo.jpg": nil, "thumb.png": Data("t3".utf8)]) { $0.name = "three" }
    },
  ]

  /// Creates document 1, and saves it once more, in one of two ways.
  static func prepare(_ library: DocumentLibrary<Recipe>, savingAll: Bool) throws {
    let first = first(savingAll: savingAll)
    let document = try library.addDocument(first.recipe, attachments: first.attachments)
    try document.edit(attachments: savingAll ? ["photo.jpg": Data("p2".utf8), "thumb.png": nil] : [:]) {
      $0.name = "two"
    }
    #expect(try Dish(library.document(1)) == before)
  }

  /// The document before the last save of `prepare`.
  static func first(savingAll: Bool) -> Dish {
    savingAll ? Dish("one", photo: "p1", thumb: "t1") : Dish("one", photo: "p2")
  }
}

/// The content of document 1, and what an undo brings back.
struct UndoState: Equatable, CustomStringConvertible {
  var now: Dish
  var former: Dish?

  init(now: Dish, former: Dish?) {
    self.now = now
    self.former = former
  }

  /// Undoes the last save twice, and checks that it then is as before.
  init(of library: DocumentLibrary<Recipe>) throws {
    now = try Dish(library.document(1))
    #expect(try library.formerData(in: "1.recipe") != nil, "no values for a repair")
    guard try library.document(1).hasFormerSave else { return }
    former = try Dish(library.undoLastSave(of: 1))
    #expect(try Dish(library.undoLastSave(of: 1)) == now)
  }

  var description: String { "\(now) after \(former.map { "\($0)" } ?? "nothing")" }
}

@Suite("Undo of the last save")
struct UndoTests {
  @Test(
    "is not possible if a link or a folder has taken the place of a file, which an update replaces",
    arguments: Place.allCases, [false, true])
  func otherKind(_ place: Place, _ isLink: Bool) throws {
    let room = try place.room()
    let library = try room.library(1)
    for photo in ["p1", "p2"] {
      try library.document(1).setAttachment("photo.jpg", to: Data("p".utf8))
      try library.document(1).edit(attachments: ["photo.jpg": Data(photo.utf8)]) { _ in }
    }
    #expect(try library.document(1).hasFormerSave)
    let photo = "1.recipe" / "photo.jpg"
    try room.storage.removeFile(photo)
    if isLink { try room.plantLink(photo, to: "nowhere") } else { try room.storage.makeFolder(photo) }
    #expect(try !library.document(1).hasFormerSave)
    let error = try #require(throws: LibraryError.self) { try library.undoLastSave(of: 1) }
    #expect(error.code == .noFormerSave)
    // An update replaces it, as a save does.
    try library.update { $0.edit(1, attachments: ["photo.jpg": Data("p3".utf8)]) { $0.name = "three" } }
    #expect(try Dish(library.document(1)) == Dish("three", photo: "p3"))
    #expect(try room.storage.leftovers() == [])
  }

  @Test(
    "brings back all that it replaced, and then the newer files", arguments: Place.allCases, UndoableChange.all)
  func undo(_ place: Place, _ change: UndoableChange) throws {
    for savingAll in [true, false] {
      let room = try place.room()
      let library = try room.library()
      try UndoableChange.prepare(library, savingAll: savingAll)
      let document = try library.document(1)
      try change.run(document)
      #expect(try Dish(document) == change.after)
      for _ in 0..<2 {
        #expect(try UndoState(of: room.library()) == UndoState(now: change.after, former: UndoableChange.before))
      }
      // The object that undoes reads the former content.
      #expect(try document.hasFormerSave)
      document.discardCache()
      #expect(try Dish(document) == change.after)
      try document.undoLastSave()
      #expect(try Dish(document) == UndoableChange.before)
      #expect(try room.storage.leftovers() == [])
    }
  }

  @Test("has nothing to do for a new document", arguments: Place.allCases)
  func newDocument(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    let document = try library.addDocument(Recipe("new"))
    for document in [try library.document(1), document, Document(in: library, Recipe("unsaved"))] {
      #expect(try !document.hasFormerSave)
      let error = #expect(throws: LibraryError.self) { try document.undoLastSave() }
      #expect(error?.code == (document.number == nil ? .notSaved : .noFormerSave) && error?.remedy != nil)
    }
    #expect(try room.storage.names("2.recipe") == ["Data.plist"])
  }

  @Test("refuses to mix former files with those of another program", arguments: Place.allCases)
  func otherPrograms(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    try UndoableChange.prepare(library, savingAll: true)
    try room.storage.removeFile("1.recipe" / "Data.plist")
    try room.storage.plant("1.recipe" / "Data.plist", Recipe.file("other"))
    #expect(try !library.document(1).hasFormerSave)
    #expect(throws: LibraryError.self) { try library.undoLastSave(of: 1) }
    #expect(try Dish(library.document(1)) == Dish("other", photo: "p2"))
    // The next save keeps what that program wrote.
    try library.document(1).edit { $0.name = "next" }
    #expect(try library.undoLastSave(of: 1).data?.name == "other")
    #expect(try room.storage.names("1.recipe").count == 3)
  }

  @Test("keeps its step if the same values are saved again", arguments: Place.allCases)
  func sameValues(_ place: Place) throws {
    let library = try place.room().library()
    try UndoableChange.prepare(library, savingAll: false)
    try library.document(1).edit { $0.name = "two" }
    #expect(
      try UndoState(of: library)
        == UndoState(now: UndoableChange.before, former: UndoableChange.first(savingAll: false)))
  }

  @Test("leaves unsaved changes unsaved, and a later save of them is refused")
  func unsaved() throws {
    let library = try Place.memory.room().library()
    try UndoableChange.prepare(library, savingAll: false)
    let document = try library.document(1)
    #expect(try document.data?.name == "two")
    try document.setData(Recipe("mine"))
    try document.undoLastSave()
    #expect(try document.hasChanges && document.data?.name == "mine")
    #expect(try library.document(1).data?.name == "one")
    let error = #expect(throws: LibraryError.self) { try document.save() }
    #expect(error?.code == .changedElsewhere)
    try document.saveData(overwriting: true)
    #expect(try library.undoLastSave(of: 1).data?.name == "one")
  }

  @Test("reports the change to observers", .notHanging)
  func observers() async throws {
    let library = try Place.memory.room().library()
    try UndoableChange.prepare(library, savingAll: false)
    var changes = try library.changes().makeAsyncIterator()
    try library.undoLastSave(of: 1)
    #expect(await changes.next() == .changed(1))
  }

  @Test("reverts a migration, and never replaces a document of a newer version")
  func versions() throws {
    let room = try Place.memory.room()
    let old = try DocumentLibrary<VersionOne>(in: room.storage)
    try old.addDocument(VersionOne(title: "one"))
    let bytes = try room.storage.bytes("1.dish" / "Data.plist")
    let new = try DocumentLibrary<VersionTwo>(in: room.storage)
    var outcomes: [MigrationResult] = []
    try new.migrate {
      outcomes.append($0)
      return true
    }
    #expect(outcomes.count == 1)
    #expect(try new.document(1).stored?.isCurrent == true)
    let error = #expect(throws: LibraryError.self) { try old.undoLastSave(of: 1) }
    #expect(error?.code == .newerVersion)
    try new.undoLastSave(of: 1)
    #expect(try room.storage.bytes("1.dish" / "Data.plist") == bytes)
    #expect(try old.document(1).data?.title == "one")
    // The newer document is what an undo would bring back now.
    #expect(throws: LibraryError.self) { try old.undoLastSave(of: 1) }
    #expect(try old.document(1).data?.title == "one")
  }

  @Test("is not disturbed by a folder with a name of its files, which no save changes", arguments: Place.allCases)
  func folderInTheWay(_ place: Place) throws {
    let names: [StorageName] = [".Data.plist.previous-1-0123456789abcdef", ".photo.jpg.absent-3-0123456789abcdef"]
    for savesValues in [false, true] {
      let room = try place.room()
      let document = try room.library(1).document(1)
      for name in names {
        try room.storage.makeFolder("1.recipe" / name)
        try room.storage.plant("1.recipe" / name / "mine.txt", Data("mine".utf8))
      }
      for content in ["one", "two"] {
        try document.setAttachment("photo.jpg", to: Data(content.utf8))
        if savesValues { try document.setData(Recipe(content)) }
        try document.save()
      }
      for name in names { #expect(try room.storage.bytes("1.recipe" / name / "mine.txt") == Data("mine".utf8)) }
      try document.undoLastSave()
      #expect(try document.attachment("photo.jpg") == Data("one".utf8))
      #expect(try document.data == (savesValues ? Recipe("one") : Recipe("Recipe 1")))
      for name in names { #expect(try room.storage.bytes("1.recipe" / name / "mine.txt") == Data("mine".utf8)) }
    }
  }

  @Test("is not possible if the library keeps no former saves", arguments: Place.allCases)
  func switchedOff(_ place: Place) throws {
    let room = try place.room()
    try UndoableChange.prepare(room.library(), savingAll: true)
    let library = try DocumentLibrary<Recipe>(in: room.storage, keepingFormerSaves: false)
    #expect(try library.document(1).hasFormerSave)
    try library.document(1).edit { $0.name = "three" }
    #expect(try room.storage.names("1.recipe") == ["Data.plist", "photo.jpg"])
    try library.document(1).edit(attachments: ["thumb.png": Data("t".utf8)]) { $0.name = "four" }
    #expect(try room.storage.names("1.recipe") == ["Data.plist", "photo.jpg", "thumb.png"])
    #expect(throws: LibraryError.self) { try library.undoLastSave(of: 1) }
  }

  @Test("is not possible if a name is too long for a second one", arguments: Place.allCases)
  func longNames(_ place: Place) throws {
    let room = try place.room()
    let library = try DocumentLibrary<LongNamed>(in: room.storage)
    let document = try library.addDocument(LongNamed(text: "one"))
    try document.edit { $0.text = "two" }
    #expect(try document.hasFormerSave)
    for bytes in ["a", "b"] {
      try document.setAttachment(LongNamed.attachmentNames[0], to: Data(bytes.utf8))
      try document.save()
    }
    #expect(try !document.hasFormerSave)
    #expect(try room.storage.names("1.long") == ["Data.plist", LongNamed.attachmentNames[0]])
  }

  @Test("costs a save of values two more calls")
  func calls() throws {
    let room = try Place.memory.room()
    let storage = FaultyStorage(room.storage)
    try UndoableChange.prepare(DocumentLibrary(in: storage), savingAll: false)
    let document = try DocumentLibrary<Recipe>(in: storage).document(1)
    try document.edit { $0.name = "three" }
    storage.set()
    try document.edit { $0.name = "four" }
    let calls = storage.steps.map(\.call)
    let change = try #require(calls.lastIndex(of: .list))
    // An update of several documents, and what the folder keeps.
    #expect(calls.count { $0 == .list } == 2)
    #expect(
      calls[change...] == [
        .list,  // what the folder keeps
        .status, .lock, .create, .write, .flush, .close, .status, .status, .link, .move, .flushFolder, .close,
        .removeFile,  // what the save before has kept
        .close,
      ], "\(calls)")
  }
}

private struct VersionOne: Codable, DocumentModel {
  static let folderExtension = "dish"
  static let archiveClassName = "Dish"
  var title: String
}

private struct VersionTwo: Codable, DocumentModel {
  static let folderExtension = "dish"
  static let archiveClassName = "Dish"
  static let version = 2
  static let migrations = [DocumentMigration(to: 2) { try $0.renameValue(forKey: "title", to: "name") }]
  var name: String
}

private struct LongNamed: Codable, DocumentModel {
  static let folderExtension = "long"
  static let attachmentNames = [String(repeating: "x", count: 230)]
  var text: String
}

@Suite("Names of former files")
struct FormerFileNameTests {
  @Test(
    "are parsed as they are written",
    arguments: [
      (".Data.plist.previous-1-0000000000000000", "Data.plist", .previous, 1, 0),
      (".photo.jpg.absent-12-0123456789abcdef", "photo.jpg", .absent, 12, 0x0123_4567_89AB_CDEF),
      (".Data.plist.earlier-3-0000000000000001", "Data.plist", .earlier, 3, 1),
      (".a.previous-9223372036854775807-ffffffffffffffff", "a", .previous, Int.max, UInt64.max),
    ] as [(StorageName, StorageName, FormerFileName.Kind, Int, UInt64)])
  func parses(_ name: StorageName, _ file: StorageName, _ kind: FormerFileName.Kind, _ number: Int, _ hash: UInt64) {
    let former = FormerFileName(file, kind, FormerSave.ID(number: number, hash: hash))
    #expect(FormerFileName(name) == former)
    #expect(former.name == name)
  }

  @Test(
    "are no others",
    arguments: [
      "", ".", "..", "Data.plist", ".Data.plist.damaged", "Data.plist.previous-1-0000000000000000",
      "..previous-1-0000000000000000", ".previous-1-0000000000000000", ".a.previous-01-0000000000000000",
      ".a.previous--1-0000000000000000", ".a.previous-1-000000000000000", ".a.previous-1-00000000000000000",
      ".a.previous-1-000000000000000G", ".a.previous-1-000000000000000A", ".a.previous-1",
      ".a.previous-9223372036854775808-0000000000000000", ".a.absent", ".a.", ".a.Previous-1-0000000000000000",
    ] as [StorageName])
  func others(_ name: StorageName) {
    #expect(FormerFileName(name) == nil)
  }

  @Test("are planned for a save in a time that is linear in their number")
  func many() throws {
    func time(_ count: Int) -> Double {
      let kept = (1...count).map { number in
        let name = FormerFileName("Data.plist", .previous, FormerSave.ID(number: number, hash: 1)).name
        return (name: name, kind: StorageStatus.Kind.file)
      }
      return System.leastTime(of: 3) {
        let change = KeepingChange([(name: "photo.jpg", bytes: Data())], data: "Data.plist", in: kept, .kept)
        #expect(change.renamed.count == count && change.outdated.isEmpty)
      }
    }
    let few = time(1000)
    #expect(time(8000) < 24 * few)
  }

  @Test("with the largest number leave no place for another", arguments: Place.allCases)
  func exhausted(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    try room.storage.plant("1.recipe" / ".Data.plist.previous-9223372036854775807-0000000000000000", Data())
    for name in ["two", "three"] { try library.document(1).edit { $0.name = name } }
    #expect(try library.document(1).hasFormerSave)
    #expect(try library.undoLastSave(of: 1).data?.name == "two")
  }
}
