// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
// example: fixture
import KeyedArchivingTesting
import Testing

struct CreatureFixtureTests {
  let creatures = ArchiveFixtures(of: [ScaryCreatureData].self, in: "Fixtures/Creatures")

  @Test func readsEveryVersion() throws {
    try creatures.checkVersions(current: "2", value: [ScaryCreatureData(title: "Ghost", rating: 5)])
  }

  @Test func refusesDamagedFiles() throws {
    try creatures.checkDamagedCopies(of: "2", optionalKeys: ["Rating"])
  }
}
// end of example
import TestSupport

/// The class of the README.
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

@Suite("README example")
struct ReadmeTests {
  @Test("matches this file")
  func sameText() throws {
    try ReadmeExample.check("fixture", in: #filePath)
  }
}
