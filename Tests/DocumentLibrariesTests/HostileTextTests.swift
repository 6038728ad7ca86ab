// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Hostile text")
struct HostileTextTests {
  @Test("reads and edits a file with a hostile key within seconds, and keeps the key")
  func unknownKey() throws {
    let text = HostileText.marks(100_000)
    var archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: Recipe("Soup", ["Boil"]), requiringSecureCoding: true))
    try archive.setValue(.integer(4), forKey: text, of: #require(archive.root.uid))
    try archive.setTopValue(.integer(3), forKey: text)
    let room = try Place.allCases[0].room()
    try room.storage.makeFolder("1.recipe")
    try room.storage.plant("1.recipe" / "Data.plist", archive.data())
    let time = try HostileText.time {
      let document = try #require(try room.library().documents().first)
      try document.edit { $0.name = "Stew" }
      let changed = try KeyedArchive(#require(try room.storage.bytes("1.recipe" / "Data.plist")))
      #expect(changed.root["Name"].string == "Stew")
      #expect(changed.root[text].number == .integer(4))
      #expect(changed[text].number == .integer(3))
    }
    #expect(time < HostileText.patience)
  }
}
