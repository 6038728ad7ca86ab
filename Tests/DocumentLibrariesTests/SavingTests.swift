// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import Testing

@Suite("Saving")
struct SavingTests {
  @Test("assigns a folder on the first save, and keeps it", arguments: Place.allCases)
  func firstSave(_ place: Place) throws {
    let library = try place.room().library()
    let document = Document(in: library, Recipe("Soup"), attachments: ["photo.jpg": Data("p".utf8)])
    #expect(document.number == nil)
    #expect(document.docPath == nil)
    #expect(document.hasChanges)
    #expect(try document.data == Recipe("Soup"))
    #expect(try document.modified == nil)
    try document.save()
    #expect(document.number == 1)
    #expect(!document.hasChanges)
    let path = document.docPath
    try document.edit { $0.name = "Stew" }
    #expect(document.docPath == path)
    #expect(try Dish(library.document(1)) == Dish("Stew", photo: "p"))
    #expect(try library.storage.files("1.recipe") == ["Data.plist", "photo.jpg"])
    #expect(try library.storage.names(.root) == [".work", "1.recipe"])
    #expect(try library.storage.leftovers() == [])
  }

  @Test("makes no call for a document without values", arguments: Place.allCases)
  func noValues(_ place: Place) throws {
    let library = try place.room().library()
    let document = Document(in: library)
    #expect(try document.data == nil)
    try document.save()
    try document.saveData()
    try document.saveAttachments()
    #expect(document.number == nil)
    #expect(try library.storage.names(.root) == [])
    try document.setAttachment("photo.jpg", to: Data())
    let error = try #require(throws: LibraryError.self) { try document.save() }
    #expect(error.code == .notSaved)
    #expect(throws: LibraryError.self) { try document.edit { $0.name = "" } }
    try document.setData(Recipe("Now"))
    try document.save()
    #expect(try Dish(library.document(1)) == Dish("Now", photo: ""))
  }

  @Test("writes only the data file in an edit")
  func editsLeaveAttachments() throws {
    let room = try Place.disk.room()
    let library = try room.library()
    let document = try library.addDocument(Recipe("A"), attachments: Dish("A", photo: "p", thumb: "t").attachments)
    let before = try ["photo.jpg", "thumb.png", "Data.plist"].map { try room.storage.status(of: "1.recipe" / $0) }
    let folder = try room.storage.status(of: "1.recipe")
    try document.edit { $0.name = "B" }
    try document.setData(Recipe("C"))
    try document.saveData()
    let after = try ["photo.jpg", "thumb.png", "Data.plist"].map { try room.storage.status(of: "1.recipe" / $0) }
    #expect(after[0] == before[0])
    #expect(after[1] == before[1])
    #expect(after[2].identity != before[2].identity)
    #expect(try room.storage.status(of: "1.recipe").identity == folder.identity)
    // Several changed files require a new folder, to which the unchanged files are linked.
    try document.setAttachment("photo.jpg", to: Data("new".utf8))
    try document.setData(Recipe("D"))
    try document.save()
    #expect(try room.storage.status(of: "1.recipe" / "thumb.png") == before[1])
    #expect(try Dish(library.document(1)) == Dish("D", photo: "new", thumb: "t"))
  }

  @Test("keeps attachments in an edit", arguments: Place.allCases)
  func attachments(_ place: Place) throws {
    let library = try place.room().library()
    let document = try library.addDocument(Recipe("A"), attachments: ["photo.jpg": Data("p".utf8)])
    try document.setAttachment("photo.jpg", to: nil)
    #expect(try document.hasAttachment("photo.jpg") == false)
    #expect(try library.document(1).hasAttachment("photo.jpg"))
    try document.saveData()
    #expect(try library.document(1).hasAttachment("photo.jpg"))
    try document.saveAttachments()
    #expect(try library.document(1).attachment("photo.jpg") == nil)
    #expect(try library.document(1).data == Recipe("A"))
    let error = try #require(throws: LibraryError.self) { try document.setAttachment("../x", to: Data()) }
    #expect(error.code == .invalidValue)
    let unsaved = Document(in: library, Recipe("B"), attachments: ["Data.plist": Data()])
    #expect(throws: LibraryError.self) { try unsaved.save() }
    #expect(try library.contents().numbers == [1])
  }

  @Test("saves all changes atomically", arguments: Place.allCases)
  func saveAll(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library()
    let document = try library.addDocument(Recipe("A"), attachments: Dish("A", photo: "p", thumb: "t").attachments)
    let faulty = FaultyStorage(room.storage)
    let watched = try DocumentLibrary<Recipe>(in: faulty).document(1)
    _ = document
    try watched.setData(Recipe("B"))
    try watched.setAttachment("photo.jpg", to: Data("P".utf8))
    try watched.setAttachment("thumb.png", to: nil)
    try watched.library.learnAbilities()
    faulty.set()
    try watched.save()
    // Only one call changes the document: the rename that exchanges the folders.
    #expect(faulty.steps.filter { $0.call == .move }.map(\.path) == ["1.recipe"])
    #expect(try Dish(library.document(1)) == Dish("B", photo: "P"))
    #expect(try library.storage.leftovers() == [])
    #expect(!watched.hasChanges)
  }

  @Test("saves nothing that the model rejects", arguments: Place.allCases)
  func refusedValues(_ place: Place) throws {
    let library = try place.room().library()
    let document = try library.addDocument(Recipe("Soup"))
    // The check names no path, so the library adds it.
    let file = library.folder.appending(path: "1.recipe/Data.plist").path
    #expect(throws: LibraryError(.invalidValue, file, "")) { try document.edit { $0.name = "Poison" } }
    #expect(throws: LibraryError(.invalidValue, library.folder.path, "")) {
      try library.addDocument(Recipe("Poison"))
    }
    #expect(try library.document(1).data == Recipe("Soup"))
    #expect(try library.contents().numbers == [1])
    #expect(try library.storage.leftovers() == [])
  }

  @Test("rejects overwriting changes of another process", arguments: Place.allCases)
  func changedElsewhere(_ place: Place) throws {
    let room = try place.room()
    let (mine, theirs) = (try room.library(), try room.library())
    // The object knows its version, whether it read or created the document.
    let made = try mine.addDocument(Recipe("made"))
    let read = try mine.document(1)
    _ = try read.data
    try theirs.document(1).edit { $0.name = "theirs" }
    for document in [made, read] {
      try document.setData(Recipe("mine"))
      let error = try #require(throws: LibraryError.self) { try document.saveData() }
      #expect(error.code == .changedElsewhere)
      #expect(document.hasChanges)
      #expect(try theirs.document(1).data == Recipe("theirs"))
    }
    try read.saveData(overwriting: true)
    #expect(try theirs.document(1).data == Recipe("mine"))
    made.revert()
    #expect(try made.data == Recipe("mine"))
    // An edit starts from the stored values.
    try theirs.document(1).edit { $0.steps = ["Boil"] }
    try read.edit { $0.name = "both" }
    #expect(try theirs.document(1).data == Recipe("both", ["Boil"]))
  }

  @Test("applies an edit to unsaved values", arguments: Place.allCases)
  func editAfterSetting(_ place: Place) throws {
    let library = try place.room().library(1)
    let document = try library.document(1)
    try document.setData(Recipe("set", ["Boil"]))
    try document.edit { $0.name = "edited" }
    #expect(try library.document(1).data == Recipe("edited", ["Boil"]))
    #expect(!document.hasChanges)
  }

  @Test("keeps all changes of eight tasks that edit one document", arguments: Place.allCases)
  func concurrentEdits(_ place: Place) async throws {
    let room = try place.room()
    let library = try room.library(1)
    let same = try library.document(1)
    let storage = room.storage
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          // Half of the edits use one object, and half use others, as other processes do.
          let own = task % 2 == 0 ? same : try DocumentLibrary<Recipe>(in: storage).document(1)
          for turn in 0..<10 { try own.edit { $0.steps.append("\(task).\(turn)") } }
        }
      }
      try await group.waitForAll()
    }
    #expect(try library.document(1).data?.steps.count == 80)
    #expect(try Set(library.document(1).data?.steps ?? []).count == 80)
    #expect(try same.data?.steps.count ?? 0 <= 80)
    #expect(try storage.leftovers() == [])
  }

  @Test("assigns unique numbers to documents of eight tasks", arguments: Place.allCases)
  func concurrentAdding(_ place: Place) async throws {
    let room = try place.room()
    let storage = room.storage
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let library = try DocumentLibrary<Recipe>(in: storage)
          for turn in 0..<10 { try library.addDocument(Recipe("\(task).\(turn)")) }
        }
      }
      try await group.waitForAll()
    }
    let library = try room.library()
    #expect(try library.contents().numbers.map(\.rawValue) == Array(1...80))
    #expect(try Set(library.documents().map { try $0.data?.name }).count == 80)
  }

  @Test("saves a new document once for several tasks", arguments: Place.allCases)
  func savingOnce(_ place: Place) async throws {
    let library = try place.room().library()
    let document = Document(in: library, Recipe("one"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 { group.addTask { try document.save() } }
      try await group.waitForAll()
    }
    #expect(try library.contents().numbers == [1])
  }

  @Test("keeps values unsaved that were set during a save", arguments: Place.allCases)
  func settingWhileSaving(_ place: Place) throws {
    let library = try DocumentLibrary<Busy>(in: place.room().storage)
    let document = Document(in: library, Busy("first"))
    for round in 0..<2 {
      try Busy.$hook.withValue({ try? document.setData(Busy("meanwhile \(round)")) }) { try document.save() }
      #expect(document.hasChanges)
      #expect(try document.data?.name == "meanwhile \(round)")
      try document.save()
      #expect(!document.hasChanges)
      #expect(try library.document(1).data?.name == "meanwhile \(round)")
      try document.setData(Busy("again"))
    }
  }
}

/// Values with a hook that runs while they are archived.
private struct Busy: DocumentModel {
  static let folderExtension = "busy"
  /// Task-local, because other tests run at the same time.
  @TaskLocal static var hook: (@Sendable () -> Void)?
  var name: String

  init(_ name: String) { self.name = name }

  func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "Name")
    Self.hook?()
  }

  init?(coder: KeyedUnarchiver) {
    guard let name = coder.decodeObject(of: String.self, forKey: "Name") else { return nil }
    self.name = name
  }
}
