// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import SystemFiles
import TestSupport
import Testing

@Suite("Library regressions")
struct RegressionTests {
  @Test("imports an exported file with any compression ratio", arguments: Place.allCases)
  func wellCompressed(_ place: Place) throws {
    let library = try place.room().library()
    let name = String(repeating: "a", count: 1_000_000)
    try library.addDocument(Recipe(name))
    let pieces = Locked(Data())
    try library.export([1], to: { piece in pieces.withLock { $0.append(piece) } })
    let bytes = pieces.withLock { $0 }
    #expect(try DocumentLibrary<Recipe>.checkBackup(BackupSource(bytes)).documents == 1)
    let other = try place.room().library()
    #expect(try other.importBackup(BackupSource(bytes)).refused.isEmpty)
    #expect(try other.document(1).data?.name == name)
  }

  @Test("keeps values set after a revert during a save", arguments: Place.allCases)
  func revertWhileSaving(_ place: Place) throws {
    let document = try place.room().library(1).document(1)
    try document.setData(Recipe("one"))
    let saving = try #require(document.state.withLock { $0[Document<Recipe>.Content.self] })
    document.revert()
    try document.setData(Recipe("two"))
    let now = try #require(document.state.withLock { $0[Document<Recipe>.Content.self] })
    #expect(saving.changeCount != now.changeCount)
    document.revert()
    #expect(!document.hasChanges)
    #expect(try document.data?.name == "Recipe 1")
  }

  @Test("watches a released library while a stream is open", .notHanging)
  func watched() async throws {
    let room = try Place.disk.room()
    var changes = try room.library(1).changes(every: .milliseconds(10)).makeAsyncIterator()
    try room.plant("2.recipe", "New")
    #expect(await changes.next() == .added(2))
  }

  @Test("counts a number once that a folder lists twice", arguments: [[5, 3, 3], [1, 1], [7]])
  func listedTwice(_ numbers: [Int]) {
    var sorted = numbers
    DocumentLibrary<Recipe>.sort(&sorted)
    #expect(sorted == Set(numbers).sorted())
  }

  @Test("includes the remedy in the localized description of an error")
  func localized() throws {
    let room = try Place.memory.room()
    try room.plant("1.recipe", data: Data("no archive".utf8))
    let error = #expect(throws: LibraryError.self) { try room.library().document(1).data }
    #expect(error?.localizedDescription.contains("Restore an older copy of the file") == true)
  }
}
