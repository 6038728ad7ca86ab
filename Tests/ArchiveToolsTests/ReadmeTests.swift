// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import KeyedArchives
// example: ScaryCreatureData
import KeyedArchiving

class ScaryCreatureData: SecureKeyedCoding {
  var title = ""
  var rating: Float = 0

  init(title: String, rating: Float) {
    self.title = title
    self.rating = rating
  }

  func encode(with coder: KeyedArchiver) {
    coder.encode(title, forKey: "Title")
    coder.encode(rating, forKey: "Rating")
  }

  required convenience init?(coder: KeyedUnarchiver) {
    guard let title = coder.decodeObject(of: String.self, forKey: "Title") else { return nil }
    self.init(title: title, rating: coder.decodeFloat(forKey: "Rating"))
  }
}
// end of example
import TestSupport
import Testing

@Suite("The README's examples")
struct ReadmeTests {
  @Test("do what it says")
  func examples() throws {
    // example: use
    let ghost = ScaryCreatureData(title: "Ghost", rating: 5)
    let data = try KeyedArchiveEncoder().encode([ghost])
    let creatures = try KeyedArchiveDecoder().decode([ScaryCreatureData].self, from: data)
    // end of example
    #expect(creatures.map(\.title) == ["Ghost"])
    #expect(creatures.map(\.rating) == [5])
    // example: archive
    let archive = try KeyedArchive(data)
    let title = archive.root[0]["Title"].string  // "Ghost"
    let name = archive.root[0].className  // the class in your module, such as "Zoo.ScaryCreatureData"
    let names = archive.classNames  // every class that the archive names
    // end of example
    #expect(title == "Ghost")
    #expect(name == "ArchiveToolsTests.ScaryCreatureData")
    #expect(names == ["ArchiveToolsTests.ScaryCreatureData", "NSArray"])
  }

  @Test("a Codable type in one call")
  func codable() throws {
    // example: codable
    struct Creature: Codable {
      var title: String
      var rating: Float
    }

    let data = try KeyedArchiveEncoder().encode([Creature(title: "Ghost", rating: 5)])
    let creatures = try KeyedArchiveDecoder().decode([Creature].self, from: data)
    // end of example
    #expect(creatures.map(\.title) == ["Ghost"])
    #expect(creatures.map(\.rating) == [5])
  }

  @Test("an old archive")
  func migration() throws {
    let old = HandmadeList.archive(
      [
        ["Title": .uid(2), "Rating": .real(2.5), "$class": .uid(3)], "Ghost",
        HandmadeList.classRecord("ScaryBugData", "NSObject"),
      ], top: [("Data", .uid(1))])
    // example: migration
    let rules: MigrationRules = [
      .renameTopLevelKey("Data", to: "root"),
      .renameClass("ScaryBugData", to: "Zoo.ScaryCreatureData", superclasses: ["NSObject"]),
      .storeNumbers(["Rating"], as: .objects, of: "Zoo.ScaryCreatureData"),
    ]
    let migrated = try KeyedArchive(old).migrated(by: rules, allowing: ["Zoo.ScaryCreatureData"])
    let data = try migrated.archive.data()
    // end of example
    let root = try KeyedArchive(data).root
    #expect(root.className == "Zoo.ScaryCreatureData" && root["Title"].string == "Ghost")
    #expect(root["Rating"].number == .double(2.5))
  }

  @Test(
    "are those of this file, to the letter",
    arguments: ["codable", "ScaryCreatureData", "use", "migration", "archive"])
  func sameText(_ name: String) throws {
    try ReadmeExample.check(name, in: #filePath)
  }
}
