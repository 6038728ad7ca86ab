// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import ScaryCreatures
import TestSupport
import Testing

@Suite("Readers without secure coding")
struct OldReaderTests {
  @Test("read rating 0 without an error from a secure file")
  func oldReaderLosesTheRating() throws {
    let room = try CreatureRoom()
    try room.database().addCreature(title: "Ghost", rating: 5)
    let ours = try room.bytes("1.scarycreature/Data.plist")
    let theirs = try FoundationApp.archive(SecureRecord(title: "Ghost", rating: 5), secure: true)
    for file in [ours, theirs] {
      let creature = try #require(try FoundationApp.readInsecurely(file))
      #expect(creature.title == "Ghost")
      #expect(creature.rating == 0)
    }
  }

  @Test("write files that secure readers reject")
  func secureReaderRefuses() throws {
    let file = try FoundationApp.archive(LegacyRecord(title: "Ghost", rating: 5), secure: false)
    #expect((try? FoundationApp.readSecurely(file)) == nil)
    #expect(try ScaryCreatureData.stored(in: file, limits: .default).model.rating == 5)
  }

  @Test("read files that are exported for them", arguments: [0, 2.5, 5] as [Float])
  func writtenForOldReaders(_ rating: Float) throws {
    let file = try ScaryCreatureData(title: "Kreatür 👻", rating: rating).archivedForOldReaders()
    let creature = try #require(try FoundationApp.readInsecurely(file))
    #expect(creature.title == "Kreatür 👻")
    #expect(creature.rating == rating)
    let stored = try ScaryCreatureData.stored(in: file, limits: .default)
    #expect(stored.model == ScaryCreatureData(title: "Kreatür 👻", rating: rating))
    #expect(stored.layout == "insecure")
    #expect(!stored.isCurrent)
  }

  @Test("get an inline rating of 4 bytes")
  func layout() throws {
    let archive = try KeyedArchive(ScaryCreatureData(title: "Ghost", rating: 2.5).archivedForOldReaders())
    let root = try #require(archive.root.uid)
    guard case .instance(let record, let entries) = try archive.object(root) else {
      Issue.record("the root is no object")
      return
    }
    #expect(entries.first { $0.key == "Rating" }?.value == .float(2.5))
    #expect(try archive.classDescription(record).chain == ["ScaryCreatures.ScaryCreatureData", "NSObject"])
  }
}
