// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import Testing

/// A model with a name that has two compositions.
private struct CafeMenu: Codable, DocumentModel {
  static let folderExtension = "menu"
  static let attachmentNames = ["caf\u{E9}.jpg"]
  var title = ""
}

@Suite("Files with other spellings of their names, on a disk that ignores case")
struct SpellingTests {
  /// The files of document 1 that another program has renamed.
  static let renamings: [[StorageName: StorageName]] = [
    ["photo.jpg": "Photo.JPG"], ["Data.plist": "DATA.PLIST"], ["photo.jpg": "PHOTO.jpg", "Data.plist": "data.plist"],
  ]

  /// The changes of the tests of undo, and the same ones as an update of several documents.
  private static let changes: [UndoableChange] =
    UndoableChange.all + [
      UndoableChange(testDescription: "update with a photo", after: Dish("three", photo: "p3")) { document in
        try document.library.update { update in
          update.edit(1, attachments: ["photo.jpg": Data("p3".utf8)]) { $0.name = "three" }
        }
      },
      UndoableChange(testDescription: "update that removes the photo", after: Dish("three")) { document in
        try document.library.update { update in
          update.edit(1, attachments: ["photo.jpg": nil]) { $0.name = "three" }
        }
      },
    ]

  private func library(_ renaming: [StorageName: StorageName], renamesTarget: Bool) throws -> DocumentLibrary<Recipe> {
    let storage = FoldingStorage(renamesTarget: renamesTarget)
    let library = try DocumentLibrary<Recipe>(in: storage)
    try UndoableChange.prepare(library, savingAll: true)
    for (name, other) in renaming { try storage.base.move("1.recipe" / name, to: "1.recipe" / other, .exclusive) }
    return library
  }

  @Test("are changed, and the change is undone and redone", arguments: renamings, [false, true])
  func changes(_ renaming: [StorageName: StorageName], _ renamesTarget: Bool) throws {
    for change in Self.changes {
      let library = try library(renaming, renamesTarget: renamesTarget)
      #expect(try Dish(library.document(1)) == UndoableChange.before)
      try change.run(library.document(1))
      func check(_ dish: Dish, _ place: String) throws {
        let document = try library.document(1)
        #expect(try Dish(document) == dish, "\(change.testDescription) \(place)")
        #expect(
          try document.attachmentNames == dish.attachments.keys.sorted(), "\(change.testDescription) \(place)")
        #expect(try library.storage.leftovers() == [], "\(change.testDescription) \(place)")
      }
      try check(change.after, "changed")
      try library.undoLastSave(of: 1)
      try check(UndoableChange.before, "undone")
      try library.undoLastSave(of: 1)
      try check(change.after, "redone")
    }
  }

  @Test("of a document are replaced together with others of that document", arguments: renamings)
  func removal(_ renaming: [StorageName: StorageName]) throws {
    let library = try library(renaming, renamesTarget: false)
    try library.document(1).edit(attachments: ["photo.jpg": nil, "thumb.png": Data("t".utf8)]) { $0.name = "x" }
    #expect(try library.storage.files("1.recipe").map { $0.lowercased() } == ["data.plist", "thumb.png"])
  }

  @Test("are copied, exported, and backed up under their usual names", arguments: renamings)
  func copies(_ renaming: [StorageName: StorageName]) throws {
    let library = try library(renaming, renamesTarget: false)
    let copy = try DocumentLibrary<Recipe>(in: MemoryStorage())
    #expect(try Dish(copy.addCopy(of: library.document(1))) == UndoableChange.before)
    var bytes = Data()
    try library.backUp(to: { bytes += $0 }) { Issue.record("\($0.error)") }
    let restored = try DocumentLibrary<Recipe>(in: MemoryStorage())
    _ = try restored.importBackup(BackupSource(bytes), keepingNumbers: true)
    #expect(try Dish(restored.document(1)) == UndoableChange.before)
    // The library has the document, also if another disk has backed it up under its other names.
    #expect(try library.importBackup(BackupSource(bytes)).present.map(\.number) == [1])
    let storage = try #require(library.storage as? FoldingStorage)
    bytes = Data()
    try DocumentLibrary<Recipe>(in: storage.base).backUp(to: { bytes += $0 }) { _ in }
    #expect(try library.importBackup(BackupSource(bytes)).present.map(\.number) == [1])
    bytes = Data()
    try library.export([1], to: { bytes += $0 })
    let imported = try DocumentLibrary<Recipe>(in: MemoryStorage())
    _ = try imported.importBackup(BackupSource(bytes))
    #expect(try Dish(imported.document(1)) == UndoableChange.before)
  }

  @Test("are checked, and are no unknown files", arguments: renamings)
  func check(_ renaming: [StorageName: StorageName]) throws {
    let library = try library(renaming, renamesTarget: false)
    var checked: [String] = []
    try library.check(checkAttachment: { name, _, _ in checked.append(name) }) { finding in
      Issue.record("\(finding)")
      return true
    }
    #expect(checked == ["photo.jpg"])
  }

  @Test("can have another composition of their accents")
  func compositions() throws {
    let storage = FoldingStorage(renamesTarget: false)
    let library = try DocumentLibrary<CafeMenu>(in: storage)
    try library.addDocument(CafeMenu(title: "one"), attachments: ["caf\u{E9}.jpg": Data("p".utf8)])
    try storage.base.move("1.menu" / "caf\u{E9}.jpg", to: "1.menu" / "cafe\u{301}.jpg", .exclusive)
    let document = try library.document(1)
    #expect(try document.attachmentNames == ["caf\u{E9}.jpg"])
    try document.edit(attachments: ["caf\u{E9}.jpg": nil]) { $0.title = "two" }
    #expect(try storage.files("1.menu") == ["Data.plist"])
  }

  @Test("may be hard links of other files, which remain")
  func secondName() throws {
    let library = try library(["photo.jpg": "Photo.JPG"], renamesTarget: false)
    try library.storage.link("1.recipe" / "photo.jpg", to: "1.recipe" / "A copy.jpg")
    try library.document(1).edit(attachments: ["photo.jpg": Data("new".utf8)]) { $0.name = "three" }
    #expect(try library.storage.bytes("1.recipe" / "A copy.jpg") == Data("p2".utf8))
    #expect(try Dish(library.document(1)) == Dish("three", photo: "new"))
  }

  @Test("cost no call in a folder without unknown files")
  func cost() throws {
    let storage = FaultyStorage(try Place.memory.room().storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    try library.addDocument(Recipe("one"))
    try library.document(1).edit { $0.name = "two" }
    storage.set()
    _ = try StorageSteps(storage: storage).entries(of: "1.recipe", spelledAs: Recipe.fileNames)
    #expect(storage.steps.map(\.call) == [.list])
  }
}

@Suite("Names that are canonically equivalent to those of attachments")
struct EquivalentNameTests {
  @Test("do not hide the attachments")
  func lookup() throws {
    // Not on the disk, which can find the file by either name.
    let library = try DocumentLibrary<CafeMenu>(in: MemoryStorage())
    let (name, other) = ("caf\u{E9}.jpg", "cafe\u{301}.jpg")
    try library.addDocument(CafeMenu(title: "one"), attachments: [name: Data("p".utf8)])
    let document = try library.document(1)
    #expect(try document.attachment(other) == nil && !document.hasAttachment(other))
    #expect(try document.attachment(name) == Data("p".utf8) && document.hasAttachment(name))
    #expect(try document.attachment(other) == nil && !document.hasAttachment(other))
    #expect(try document.attachmentNames == [name])
  }
}
