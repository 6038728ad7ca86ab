// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import TestSupport
import Testing

@Suite("Trash")
struct TrashTests {
  private static let longAgo = StorageDate(seconds: 1_000_000_000)

  @Test("gives a document its number back", arguments: Place.allCases)
  func numberIsFree(_ place: Place) throws {
    let library = try place.room().library(1, 2, 7)
    try library.document(2).moveToTrash()
    let document = try library.restore("2.recipe")
    #expect(document.number == 2 && document.docPath?.lastPathComponent == "2.recipe")
    #expect(try document.data == Recipe("Recipe 2"))
    #expect(try library.contents().numbers == [1, 2, 7] && library.trash() == [])
    #expect(try library.storage.leftovers() == [])
  }

  /// What can have the number of a document in the trash.
  enum Holder: String, CaseIterable { case document, file, capitals, link, displaced }

  @Test("gives the next number if the former one is in use", arguments: Place.allCases, Holder.allCases)
  func numberIsTaken(_ place: Place, _ holder: Holder) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    try library.document(2).moveToTrash()
    switch holder {
    case .document: try room.plant("2.recipe", "new")
    case .file: try room.storage.plant("2.recipe", Data())
    case .capitals: try room.plant("2.RECIPE", "new")
    case .link: try room.plantLink("2.recipe", to: "nowhere")
    case .displaced:
      try StorageSteps(storage: room.storage).makeFolderIfMissing(".work")
      try room.storage.makeFolder(".work" / "replaced-2.recipe")
    }
    #expect(try library.restore("2.recipe").number == 3)
    #expect(try library.document(3).data == Recipe("Recipe 2"))
    #expect(try library.trash() == [])
  }

  @Test("lists the work folder once to give a number back", arguments: Place.allCases)
  func listings(_ place: Place) throws {
    let room = try place.room()
    try room.library(1, 2).document(2).moveToTrash()
    let storage = FaultyStorage(room.storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    // The first change tries what the storage can do.
    try library.document(1).edit { $0.name = "one" }
    storage.set()
    #expect(try library.restore("2.recipe").number == 2)
    #expect(storage.steps.count { $0.call == .list && $0.path == ".work" } == 1)
  }

  @Test("holds several documents of one number", arguments: Place.allCases)
  func sameNumber(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(5)
    try library.document(5).moveToTrash()
    try room.plant("5.recipe", "second")
    try library.document(5).moveToTrash()
    #expect(try library.trashedDocuments().map(\.name) == ["5.recipe", "5.recipe 2"])
    #expect(try library.trashedDocuments().map(\.number) == [5, 5])
    #expect(try library.trashedData("5.recipe 2") == Recipe("second"))
    #expect(try library.restore("5.recipe 2").number == 5)
    #expect(try library.restore("5.recipe").number == 6)
    #expect(try library.document(5).data == Recipe("second") && library.document(6).data == Recipe("Recipe 5"))
  }

  @Test("has the last document of a number in the remedy for a missing one", arguments: Place.allCases)
  func hint(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(5)
    try library.document(5).moveToTrash()
    for _ in 2...10 {
      try room.plant("5.recipe", "again")
      try library.document(5).moveToTrash()
    }
    for name in try library.trash() where name != "5.recipe 10" {
      try room.storage.setModified(".trash" / StorageName(name), to: Self.longAgo)
    }
    let error = #expect(throws: LibraryError.self) { try library.document(5) }
    #expect(error?.remedy?.contains("The trash has '5.recipe 10'. Restore it") == true)
  }

  @Test("lists documents by number, and folders of other programs last", arguments: Place.allCases)
  func listing(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 10, 9)
    #expect(try library.trashedDocuments().isEmpty)
    for number: DocumentNumber in [10, 1, 9] { try library.document(number).moveToTrash() }
    try room.storage.makeFolder(".trash" / "007.recipe")
    try room.storage.makeFolder(".trash" / "notes")
    try room.storage.makeFolder(".trash" / ".hidden")
    try room.storage.plant(".trash" / "file", Data())
    let documents = try library.trashedDocuments()
    #expect(documents.map(\.name) == ["1.recipe", "9.recipe", "10.recipe", "007.recipe", "notes"])
    #expect(documents.map(\.number) == [1, 9, 10, nil, nil])
    #expect(try library.restore("notes").number == 1)
    for name in ["file", "missing", "../1.recipe"] {
      for call in [{ _ = try library.trashedData(name) }, { try library.restore(name) }] {
        let error = try #require(throws: LibraryError.self) { try call() }
        #expect(error.code == .notFound && error.remedy != nil)
      }
    }
    let error = try #require(throws: LibraryError.self) { try library.trashedData("007.recipe") }
    #expect(error.path.hasSuffix("/007.recipe/Data.plist"))
  }

  @Test("knows when a document was moved to it", arguments: Place.allCases)
  func dates(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2)
    // The folder's own date is old.
    try room.storage.setModified("1.recipe", to: Self.longAgo)
    let start = Date().timeIntervalSince1970
    try library.document(1).moveToTrash()
    let date = try #require(try library.trashedDocuments().first).date.date.timeIntervalSince1970
    // One second is the precision of some file systems.
    #expect(date > start - 1.1 && date < Date().timeIntervalSince1970 + 1.1)
    #expect(try library.emptyTrash(before: Date(timeIntervalSinceNow: -86_400)).isEmpty)
    #expect(try library.trash() == ["1.recipe"])
  }

  @Test("names only documents, each of which can be restored", arguments: Place.allCases)
  func names(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2, 10)
    for number: DocumentNumber in [10, 1, 2] { try library.document(number).moveToTrash() }
    try room.storage.plant(".trash" / ".DS_Store", Data())
    try room.storage.plant(".trash" / "file", Data())
    try room.storage.makeFolder(".trash" / ".hidden")
    try room.plantLink(".trash" / "link", to: "nowhere")
    let names = try library.trash()
    #expect(names == ["1.recipe", "2.recipe", "10.recipe"])
    for name in names { try library.restore(name) }
    #expect(try library.contents().numbers == [1, 2, 10])
  }

  @Test("takes a document whose date only another user may set")
  func dateOfOtherOwner() throws {
    let room = try Place.disk.room()
    try room.plant("1.recipe", "one", photo: "p")
    try room.storage.setModified("1.recipe", to: Self.longAgo)
    let storage = FaultyStorage(room.storage, .refuses(.setModified, .noPermission))
    let library = try DocumentLibrary<Recipe>(in: storage)
    let start = Date().timeIntervalSince1970
    try library.document(1).moveToTrash()
    #expect(storage.hasFailed && storage.openCount == 0)
    let date = try #require(try library.trashedDocuments().first).date.date.timeIntervalSince1970
    #expect(date > start - 1.1 && date < Date().timeIntervalSince1970 + 1.1)
    #expect(try room.storage.names(".trash" / "1.recipe") == ["Data.plist", "photo.jpg"])
    #expect(try Dish(library.restore("1.recipe")) == Dish("one", photo: "p"))
  }

  @Test("takes and gives back a document with a file that an interrupted move left", arguments: Place.allCases)
  func leftoverDate(_ place: Place) throws {
    let room = try place.room()
    try room.plant("1.recipe", "one", photo: "p")
    let storage = FaultyStorage(room.storage, .refuses(.setModified, .noPermission))
    let library = try DocumentLibrary<Recipe>(in: storage)
    storage.beforeEachCall { call, path in
      // The process ends before it removes the file.
      guard call == .removeFile, path.names.last?.description.hasPrefix(".date-") == true else { return }
      storage.set(.dies(at: 0))
    }
    #expect(throws: LibraryError.self) { try library.document(1).moveToTrash() }
    let left = try room.storage.names("1.recipe").filter { $0.hasPrefix(".date-") }
    #expect(left.count == 1)
    let reopened = try room.library()
    try reopened.check {
      Issue.record("\($0)")
      return true
    }
    let copy = try place.room().library()
    #expect(try copy.importBackup(BackupSource(reopened.backup().file), keepingNumbers: true).refused.isEmpty)
    for library in [reopened, copy] {
      try library.document(1).moveToTrash()
      #expect(try Dish(library.restore("1.recipe")) == Dish("one", photo: "p"))
    }
  }

  @Test("can be emptied, wholly or of old documents", arguments: Place.allCases)
  func emptying(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1, 2, 3)
    #expect(try library.emptyTrash().isEmpty)
    for number: DocumentNumber in [1, 2] { try library.document(number).moveToTrash() }
    try room.storage.setModified(".trash" / "1.recipe", to: Self.longAgo)
    #expect(try library.emptyTrash(before: Self.longAgo.date).isEmpty)
    #expect(try library.emptyTrash(before: Date(timeIntervalSinceNow: -60)).map(\.name) == ["1.recipe"])
    #expect(try library.trash() == ["2.recipe"])
    #expect(try library.emptyTrash().map(\.number) == [2])
    #expect(try library.trash() == [] && library.contents().numbers == [3])
    #expect(try library.storage.leftovers() == [])
  }

  @Test(
    "and the library never both have a document, nor neither, when the process ends",
    arguments: StorageAbilities.combinations, [true, false])
  func death(_ lacking: StorageAbilities, _ restores: Bool) throws {
    for step in Sample.calls(below: 200, each: 15, turn: lacking.turn) {
      let room = try Place.memory.room()
      try room.plant("1.recipe", "one", photo: "p")
      if restores { try room.library().document(1).moveToTrash() }
      let storage = FaultyStorage(room.storage, .lacks(lacking))
      let library = try DocumentLibrary<Recipe>(in: storage)
      storage.set(.dies(at: step), .lacks(lacking))
      do {
        if restores { try library.restore("1.recipe") } else { try library.document(1).moveToTrash() }
      } catch {}
      let reopened = try room.library()
      let (numbers, trash) = (try reopened.contents().numbers, try reopened.trash())
      #expect((numbers == [1] && trash == []) || (numbers == [] && trash == ["1.recipe"]), "step \(step)")
      if numbers.isEmpty { try reopened.restore("1.recipe") }
      #expect(try Dish(reopened.document(1)) == Dish("one", photo: "p"), "step \(step)")
      if !storage.hasFailed { return #expect(numbers.isEmpty != restores) }
    }
    Issue.record("the operation never came to its end")
  }

  @Test(
    "has whole documents or none when the process ends while it is emptied, whatever the disk lacks",
    arguments: StorageAbilities.combinations)
  func deathWhileEmptying(_ lacking: StorageAbilities) throws {
    for step in Sample.calls(below: 200, each: 15, turn: lacking.turn) {
      let room = try Place.memory.room()
      for number in 1...3 { try room.plant(StorageName("\(number).recipe"), "\(number)", photo: "p") }
      for number: DocumentNumber in [1, 2] { try room.library().document(number).moveToTrash() }
      let storage = FaultyStorage(room.storage, .lacks(lacking))
      let library = try DocumentLibrary<Recipe>(in: storage)
      storage.set(.dies(at: step), .lacks(lacking))
      _ = try? library.emptyTrash()
      let reopened = try room.library()
      #expect(try reopened.contents().numbers == [3] && room.storage.leftovers() == [], "step \(step)")
      for name in try reopened.trash() { #expect(try Dish(reopened.restore(name)).photo == Data("p".utf8)) }
      if !storage.hasFailed { return #expect(try reopened.contents().numbers == [3]) }
    }
    Issue.record("the operation never came to its end")
  }

  @Test(
    "has whole documents or none when the power is lost while it is emptied, whatever the disk lacks",
    arguments: StorageAbilities.combinations.filter { !$0.contains(.flushes) })
  func powerLossWhileEmptying(_ lacking: StorageAbilities) throws {
    let storage = PowerLossStorage(lacking: lacking)
    let library = try DocumentLibrary<Recipe>(in: storage)
    for number in 1...3 {
      try library.addDocument(Recipe("\(number)"), attachments: ["photo.jpg": Data("p".utf8)])
    }
    for number: DocumentNumber in [1, 2] { try library.document(number).moveToTrash() }
    let start = storage.steps.count
    #expect(try library.emptyTrash().count == 2)
    var disk = FlushedDisk()
    for (index, step) in storage.steps.enumerated() {
      disk.take(step)
      guard index >= start - 1 else { continue }
      for loss in [.allEntries, .bytesOnly] as [FlushedDisk.Loss] {
        let reopened = try DocumentLibrary<Recipe>(in: disk.afterPowerLoss(loss))
        let trash = try reopened.trash()
        if index == start - 1 { #expect(trash == ["1.recipe", "2.recipe"], "\(loss)") }
        if index == storage.steps.count - 1 { #expect(trash.isEmpty, "\(loss)") }
        for name in trash { #expect(try Dish(reopened.restore(name)).photo == Data("p".utf8), "\(loss) after \(step)") }
        #expect(try reopened.documents().last?.data?.name == "3", "\(loss) after \(step)")
      }
    }
  }

  @Test("restores a document once, and concurrent additions keep theirs", arguments: Place.allCases)
  func concurrently(_ place: Place) throws {
    for _ in 0..<20 {
      let room = try place.room()
      let library = try room.library(1)
      try library.document(1).moveToTrash()
      let storage = room.storage
      DispatchQueue.concurrentPerform(iterations: 4) { worker in
        do {
          let mine = try DocumentLibrary<Recipe>(in: storage)
          if worker % 2 == 0 { try mine.restore("1.recipe") } else { try mine.addDocument(Recipe("new \(worker)")) }
        } catch {
          #expect(worker % 2 == 0 && (error as? LibraryError)?.code == .notFound, "\(error)")
        }
      }
      #expect(try library.documents().compactMap { try $0.data?.name }.sorted() == ["Recipe 1", "new 1", "new 3"])
      #expect(try library.trash() == [])
    }
  }

  @Test(
    "is emptied without the documents that another process restores or deletes meanwhile", arguments: Place.allCases)
  func emptiedTwice(_ place: Place) throws {
    let others: [(@Sendable (DocumentLibrary<Recipe>) throws -> Void, [DocumentNumber])] = [
      ({ try $0.restore("1.recipe") }, [1]), ({ try $0.deleteFromTrash("1.recipe") }, []),
      ({ try $0.emptyTrash() }, []),
    ]
    for (index, (change, left)) in others.enumerated() {
      for isEmptied in [false, true] {
        let room = try place.room()
        let storage = FaultyStorage(room.storage)
        let library = try DocumentLibrary<Recipe>(in: storage)
        for name in ["one", "two"] { try library.addDocument(Recipe(name)) }
        for document in try library.documents() { try document.moveToTrash() }
        let other = try DocumentLibrary<Recipe>(in: room.storage)
        // After the library has found the document, and before it moves it.
        storage.beforeEachCall { [unowned storage] call, _ in
          guard call == .move else { return }
          storage.beforeEachCall { _, _ in }
          #expect(throws: Never.self) { try change(other) }
        }
        if isEmptied {
          #expect(try library.emptyTrash().map(\.name) == (index == 2 ? [] : ["2.recipe"]))
          #expect(try library.trash() == [])
        } else {
          let error = try #require(throws: LibraryError.self) { try library.deleteFromTrash("1.recipe") }
          #expect(error.code == .notFound && error.detail == "the trash has no such document")
        }
        #expect(try library.contents().numbers == left)
        #expect(try room.storage.leftovers() == [])
      }
    }
  }

  @Test("is emptied by several processes at once", arguments: Place.allCases)
  func emptiedConcurrently(_ place: Place) throws {
    let room = try place.room()
    let library = try room.library(1)
    for _ in 0..<30 { try library.addDocument(Recipe("A")).moveToTrash() }
    let storage = room.storage
    let counts = Locked<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      do {
        let count = try DocumentLibrary<Recipe>(in: storage).emptyTrash().count
        counts.withLock { $0.append(count) }
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(counts.withLock { $0.reduce(0, +) } == 30)
    #expect(try library.trash() == [] && storage.leftovers() == [])
  }
}
