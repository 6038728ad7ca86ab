// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import Testing

@Suite("A full disk")
struct FullDiskTests {
  /// All calls that need space fail.
  private static let full = [.makeFolder, .create, .write, .link].map { FaultyStorage.Fault.refuses($0, .noSpace) }

  /// A library with three documents. The disk becomes full when an update of 2 and 3 is saved, but not complete.
  private func unfinished(_ place: Place) throws -> (library: DocumentLibrary<Recipe>, storage: FaultyStorage) {
    let storage = FaultyStorage(try place.room().storage)
    let library = try DocumentLibrary<Recipe>(in: storage)
    for name in ["one", "two", "three"] { try library.addDocument(Recipe(name)) }
    storage.beforeEachCall { [unowned storage] call, path in
      if call == .move, let name = path.names.last, PendingUpdate.isUpdate(name) { storage.setAll(Self.full) }
    }
    let error = try #require(throws: LibraryError.self) {
      try library.update { update in
        for number in [2, 3] as [DocumentNumber] { update.edit(number) { $0.name += "!" } }
      }
    }
    #expect(error.code == .incompleteUpdate)
    storage.beforeEachCall { _, _ in }
    return (library, storage)
  }

  @Test("keeps no document of an unfinished update from being read and backed up", arguments: Place.allCases)
  func reading(_ place: Place) throws {
    let (library, _) = try unfinished(place)
    #expect(try library.documents().map { try $0.data?.name } == ["one", "two", "three"])
    #expect(try library.documents().map { try $0.hasFormerSave } == [false, false, false])
    try library.export([2], to: { _ in })
    var problems: [String] = []
    try library.backUp(to: { _ in }) { problem in
      problems.append("\(problem.name) \(problem.isIncluded) \(problem.error.code)")
    }
    #expect(problems == ["2.recipe true incompleteUpdate", "3.recipe true incompleteUpdate"])
  }

  @Test("keeps no document of an unfinished update from being deleted", arguments: Place.allCases)
  func deletion(_ place: Place) throws {
    let (library, storage) = try unfinished(place)
    let error = try #require(throws: LibraryError.self) { try library.document(2).moveToTrash() }
    #expect(error.code == .diskFull)
    try library.document(3).delete()
    #expect(try library.contents().numbers == [1, 2])
    storage.set()
    // Another document gets the number. The update is not about it.
    #expect(try library.addDocument(Recipe("three")).number == 3)
    try library.document(3).edit { $0.steps = ["boil"] }
    #expect(try library.document(3).data == Recipe("three", ["boil"]))
    try library.sweep()
    #expect(try library.documents().map { try $0.data?.name } == ["one", "two!", "three"])
    #expect(try storage.leftovers() == [])
    #expect(storage.openCount == 0)
  }

  @Test("without exclusive renames keeps no document from being deleted", arguments: Place.allCases)
  func exclusiveRenames(_ place: Place) throws {
    let room = try place.room()
    for folder in [".work", ".trash"] as [StoragePath] { try room.storage.makeFolder(folder) }
    for number in [1, 2, 3] { try room.plant(StorageName("\(number).recipe"), "Recipe") }
    let storage = FaultyStorage(room.storage)
    storage.setAll(Self.full + [.lacks(.exclusiveMoves)])
    // What the disk lacks is not known, and cannot be tried.
    let library = try DocumentLibrary<Recipe>(in: storage)
    try library.document(1).delete()
    try library.document(2).moveToTrash()
    #expect(try library.contents().numbers == [3] && library.trash() == ["2.recipe"])
    try library.emptyTrash()
    #expect(try library.trash() == [] && storage.leftovers() == [])
  }
}
