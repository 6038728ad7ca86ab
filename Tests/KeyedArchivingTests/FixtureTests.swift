// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

@Suite("The archives in Fixtures/made")
struct FixtureTests {
  private func fixture(_ name: String) throws -> Data {
    try Data(contentsOf: Locations.fixtures.appending(path: "made/\(name)"))
  }

  private func creatures() throws -> Data {
    let ghost = Creature(title: "Ghost", rating: 5)
    let creatures = [ghost, Creature(title: "Yeti", rating: 3), Creature(title: "Kreatür № 7", rating: 1.5), ghost]
    return try KeyedArchiver.archivedData(withRootObject: creatures, requiringSecureCoding: true)
  }

  @Test("are what the archiver writes today, on any day and in any process")
  func stable() throws {
    #expect(try creatures() == fixture("creatures.plist"))
    #expect(try PropertyList(creatures()).data(format: .xml) == fixture("creatures.xml"))
  }

  @Test("decode to what they were made from", arguments: ["creatures.plist", "creatures.xml"])
  func decode(_ name: String) throws {
    let made = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: [Creature].self, from: fixture(name)))
    #expect(made.map(\.title) == ["Ghost", "Yeti", "Kreatür № 7", "Ghost"])
    #expect(made.map(\.rating) == [5, 3, 1.5, 5])
    #expect(made[0] === made[3])
  }

  @Test("open from a file as well")
  func contentsOf() throws {
    let endless = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver(contentsOf: URL(filePath: "/dev/zero"), limits: ReadLimits(maximumByteCount: 1000))
    }
    #expect(endless?.code == .limitReached)
    let file = Locations.fixtures.appending(path: "made/creatures.plist")
    #expect(try KeyedArchive(contentsOf: file).root[1]["Title"].string == "Yeti")
    #expect(try KeyedUnarchiver(contentsOf: file).decode([Creature].self, forKey: "root").count == 4)
    let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(contentsOf: file.appending(path: "no")) }
    #expect(error?.code == .fileAccess)
  }

  @Test("are archived into a file whole")
  func archiveToFile() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "creature-\(UUID().uuidString).plist")
    defer { try? FileManager.default.removeItem(at: file) }
    try KeyedArchiver.archive(Creature(title: "Slug", rating: 4), to: file, requiringSecureCoding: true)
    #expect(try KeyedArchive(contentsOf: file).root["Title"].string == "Slug")
  }
}
