// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import KeyedArchiving
import SystemFiles
import Testing

/// A crash between the two steps of a change left the document in the work folder. Old apps wrote its extension in capital
/// letters.
@Suite("Displaced documents", .serialized)
struct DisplacedDocumentTests {
  /// A library whose document 7 is displaced, and a lock with which no opening restores it.
  private func room(_ name: StorageName) throws -> (Room, StorageLock) {
    let room = try Place.memory.room()
    try room.storage.makeFolder(".work")
    try room.plant(name, "seven")
    try room.storage.move(.root / name, to: WorkFolder.name(replacing: name), .exclusive)
    return (room, try #require(try room.storage.lock(".work", .shared)))
  }

  @Test("reserve their numbers", arguments: ["7.recipe", "7.RECIPE"] as [StorageName])
  func number(_ name: StorageName) throws {
    let (room, lock) = try room(name)
    let library = try room.library()
    let backup = try Place.memory.room().library(7).backup().file
    let report = try library.importBackup(BackupSource(backup), keepingNumbers: true)
    #expect(report.documents.isEmpty && report.refused.count == 1)
    #expect(try library.addDocument(Recipe("new")).number == 8)
    try room.storage.close(lock.file)
    let reopened = try room.library()
    #expect(try reopened.contents().problems.isEmpty && reopened.contents().numbers == [7, 8])
    #expect(try reopened.document(7).data == Recipe("seven"))
  }

  @Test("keep an update until they are restored", arguments: ["7.recipe", "7.RECIPE"] as [StorageName])
  func update(_ name: StorageName) throws {
    let room = try Place.memory.room()
    try room.plant(name, "seven")
    let library = try room.library()
    let new = try KeyedArchiver.archivedData(withRootObject: Recipe("updated"), requiringSecureCoding: true)
    _ = try library.stage([(7, name, [("Data.plist", new)])], nil)
    try room.storage.move(.root / name, to: WorkFolder.name(replacing: name), .exclusive)
    // A process without locks of its own completes updates while another one is between the steps.
    #expect(try library.finishUpdates() == 0)
    #expect(try room.library().document(7).data == Recipe("updated"))
  }
}
