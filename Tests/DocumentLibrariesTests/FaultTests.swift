// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import TestSupport
import Testing

/// An operation on a library with document 1, ``Operation/old``, and possibly others.
struct Operation: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// Document 1 before the operation.
  var old: Dish? = Dish("old", photo: "p1", thumb: "t1")
  /// The library after the operation.
  var after: [Dish]
  let run: @Sendable (DocumentLibrary<Recipe>) throws -> Void

  /// The library before the operation.
  var before: [Dish] { old.map { [$0] } ?? [] }

  static let all = [
    Operation(testDescription: "create", after: [Dish("old", photo: "p1", thumb: "t1"), new]) {
      try $0.addDocument(new.recipe, attachments: new.attachments)
    },
    Operation(testDescription: "edit", after: [Dish("edited", photo: "p1", thumb: "t1")]) {
      try $0.document(1).edit { $0.name = "edited" }
    },
    Operation(testDescription: "new photo", after: [Dish("old", photo: "p2", thumb: "t1")]) {
      let document = try $0.document(1)
      try document.setAttachment("photo.jpg", to: Data("p2".utf8))
      try document.save()
    },
    Operation(testDescription: "values and photos", after: [Dish("both", photo: "p2", thumb: "t2")]) {
      let document = try $0.document(1)
      try document.setData(Recipe("both"))
      try document.setAttachment("photo.jpg", to: Data("p2".utf8))
      try document.setAttachment("thumb.png", to: Data("t2".utf8))
      try document.save()
    },
    Operation(testDescription: "photo removed", after: [Dish("old", thumb: "t1")]) {
      let document = try $0.document(1)
      try document.setAttachment("photo.jpg", to: nil)
      try document.save()
    },
    Operation(testDescription: "photos removed, values changed", after: [Dish("bare")]) {
      let document = try $0.document(1)
      try document.setData(Recipe("bare"))
      try document.setAttachment("photo.jpg", to: nil)
      try document.setAttachment("thumb.png", to: nil)
      try document.save()
    },
    Operation(testDescription: "edit with photos", after: [Dish("edited", photo: "p2")]) {
      try $0.document(1).edit(attachments: ["photo.jpg": Data("p2".utf8), "thumb.png": nil]) { $0.name = "edited" }
    },
    Operation(testDescription: "delete", after: []) { try $0.document(1).delete() },
    Operation(testDescription: "trash", after: []) { try $0.document(1).moveToTrash() },
    Operation(testDescription: "restore", old: nil, after: [Dish("old", photo: "p1", thumb: "t1")]) {
      try $0.restore("1.recipe")
    },
  ]

  private static let new = Dish("new", photo: "p", thumb: "t")

  /// A storage in the state before the operation.
  func room(_ place: Place) throws -> Room {
    let room = try place.room()
    let library = try room.library()
    let dish = old ?? Dish("old", photo: "p1", thumb: "t1")
    try library.addDocument(dish.recipe, attachments: dish.attachments)
    // An unknown file remains with its document.
    try room.storage.makeFolder("1.recipe" / "notes")
    try room.storage.plant("1.recipe" / "notes" / "mine.txt", Data("mine".utf8))
    if old == nil { try library.document(1).moveToTrash() }
    return room
  }
}

/// The content of a library.
func dishes(_ library: DocumentLibrary<Recipe>) throws -> [Dish] {
  try library.documents().map { document in
    let folder = StoragePath.root / (document.folderName ?? "")
    if document.number == 1 {
      #expect(try library.storage.bytes(folder / "notes" / "mine.txt") == Data("mine".utf8))
    }
    #expect(Set(try library.storage.files(folder)).isSubset(of: ["Data.plist", "photo.jpg", "thumb.png", "notes"]))
    return try Dish(document)
  }
}

private let rounds = 400

@Suite("Failing storage calls")
struct FaultTests {
  /// Each operation with half of a sample of what a disk can lack, and the next one with the other half; with
  /// `WHOLE_TESTS`, each with all.
  static let lesserDisks = Operation.all.enumerated().flatMap { turn, operation in
    StorageAbilities.sample.enumerated().filter { Sample.includes($0.offset + turn, each: 2) }
      .map { (operation, $0.element) }
  }

  static let reasons: [StorageError.Reason] = [.noSpace, .noPermission, .deviceError, .readOnly]

  /// A sample of the calls fails, for a few reasons; with `WHOLE_TESTS`, each for each reason.
  @Test("throw a typed error and keep the old document", arguments: Operation.all, Place.allCases)
  func oneStepFails(_ operation: Operation, _ place: Place) throws {
    for turn in 0..<Sample.count(place == .memory ? 2 : 1, of: Self.reasons.count) {
      try everyStep(operation, place, turn: turn, each: 17) { .fails(at: $0, $1) }
    }
  }

  @Test("keep the old document on a full disk", arguments: Operation.all)
  func fullDisk(_ operation: Operation) throws {
    try everyStep(operation, .memory, turn: 0, each: 11) { .failsFrom($0, $1) }
  }

  @Test(
    "keep the old document, whatever operations the disk lacks", arguments: lesserDisks)
  func lesserFileSystems(_ operation: Operation, _ lacking: StorageAbilities) throws {
    try everyStep(operation, .memory, lacking, turn: lacking.turn, each: 17) { .fails(at: $0, $1) }
  }

  static func codes(_ reason: StorageError.Reason) -> [LibraryError.Code] {
    switch reason {
    case .noSpace: [.diskFull]
    case .noPermission, .readOnly: [.noPermission]
    default: [.cannotCreate, .cannotRead, .cannotWrite, .cannotDelete]
    }
  }

  /// Repeats an operation with a fault at each call, or at a sample of the calls, until no fault occurs. The reasons
  /// alternate.
  private func everyStep(
    _ operation: Operation, _ place: Place, _ lacking: StorageAbilities = [], turn: Int, each spacing: Int,
    _ fault: (Int, StorageError.Reason) -> FaultyStorage.Fault
  ) throws {
    for step in Sample.calls(below: rounds, each: spacing, turn: turn) {
      let reason = Self.reasons[(step + turn) % Self.reasons.count]
      let room = try operation.room(place)
      let storage = FaultyStorage(room.storage, .lacks(lacking))
      let library = try DocumentLibrary<Recipe>(in: storage)
      storage.set(fault(step, reason), .lacks(lacking))
      let at = Comment(rawValue: "step \(step) of \(place), \(fault(step, reason))")
      var succeeded = true
      do {
        try operation.run(library)
      } catch {
        succeeded = false
        let error = try #require(error as? LibraryError, at)
        #expect(Self.codes(reason).contains(error.code), at)
        #expect(error.path.hasPrefix(room.storage.url(of: .root).path), at)
      }
      let failed = storage.hasFailed
      storage.set(.lacks(lacking))
      #expect(storage.openCount == 0, at)
      #expect(try dishes(library) == (succeeded ? operation.after : operation.before), at)
      let rest = try room.storage.names(.root).filter { !$0.hasSuffix(".recipe") }
      #expect(Set(rest).isSubset(of: [".work", ".trash"]), at)
      if !succeeded {
        try operation.run(library)
        #expect(try dishes(library) == operation.after, at)
      }
      try library.sweep()
      if !lacking.contains(.locks) { #expect(try room.storage.leftovers() == [], at) }
      #expect(storage.openCount == 0, at)
      if !failed { return #expect(step > 3) }
    }
    Issue.record("the operation never came to its end")
  }

  @Test("are repeated after signals and short writes", arguments: Operation.all, Place.allCases)
  func interruptions(_ operation: Operation, _ place: Place) throws {
    for step in Sample.calls(below: rounds, each: 31, turn: operation.testDescription.utf8.count) {
      let room = try operation.room(place)
      let storage = FaultyStorage(room.storage)
      let library = try DocumentLibrary<Recipe>(in: storage)
      storage.set(.fails(at: step, .interrupted), .writesLittle)
      try operation.run(library)
      let failed = storage.hasFailed
      storage.set()
      #expect(try dishes(library) == operation.after, "step \(step)")
      #expect(storage.openCount == 0)
      #expect(try room.storage.leftovers() == [], "step \(step)")
      if !failed { return }
    }
    Issue.record("the operation never came to its end")
  }

  @Test(
    "keep the old or the new document when the process ends, whatever operations the disk lacks",
    arguments: lesserDisks)
  func death(_ operation: Operation, _ lacking: StorageAbilities) throws {
    for step in Sample.calls(below: rounds, each: 37, turn: lacking.turn) {
      let room = try operation.room(.memory)
      let storage = FaultyStorage(room.storage, .lacks(lacking))
      let library = try DocumentLibrary<Recipe>(in: storage)
      storage.set(.dies(at: step), .lacks(lacking))
      let succeeded = (try? operation.run(library)) != nil
      let at = Comment(rawValue: "step \(step)")
      // Another process opens the library.
      let next = FaultyStorage(room.storage, .lacks(lacking))
      let reopened = try DocumentLibrary<Recipe>(in: next)
      let found = try dishes(reopened)
      #expect(succeeded ? found == operation.after : [operation.before, operation.after].contains(found), at)
      if !lacking.contains(.locks) { #expect(try room.storage.leftovers() == [], at) }
      #expect(next.openCount == 0, at)
      // The operation can be done or repeated.
      if found == operation.before { try operation.run(reopened) }
      #expect(try dishes(reopened) == operation.after, at)
      if !storage.hasFailed { return }
    }
    Issue.record("the operation never came to its end")
  }

  @Test("report why a library cannot be opened", arguments: reasons)
  func opening(_ reason: StorageError.Reason) throws {
    for step in 0..<rounds {
      let room = try Place.memory.room()
      _ = try room.library(1)
      try room.storage.makeFolder(".work")
      try room.storage.plant(".work" / "new-1", Data())
      let storage = FaultyStorage(room.storage, .fails(at: step, reason))
      do {
        let library = try DocumentLibrary<Recipe>(in: storage)
        storage.set()
        #expect(try library.contents().numbers == [1])
      } catch {
        #expect(Self.codes(reason).contains(error.code))
      }
      #expect(storage.openCount == 0)
      if !storage.hasFailed, step > 10 { return }
    }
  }

  @Test("report why a document cannot be read, and allow to read it later", arguments: reasons)
  func reading(_ reason: StorageError.Reason) throws {
    let room = try Place.memory.room()
    try room.plant("1.recipe", "A", photo: "p")
    for step in 0..<rounds {
      let storage = FaultyStorage(room.storage)
      let library = try DocumentLibrary<Recipe>(in: storage)
      storage.set(.fails(at: step, reason))
      do {
        _ = try library.contents()
        _ = try Dish(library.document(1))
      } catch let error as LibraryError {
        #expect(Self.codes(reason).contains(error.code))
      }
      let failed = storage.hasFailed
      storage.set()
      #expect(storage.openCount == 0)
      #expect(try Dish(library.document(1)) == Dish("A", photo: "p"))
      if !failed { return }
    }
  }
}
