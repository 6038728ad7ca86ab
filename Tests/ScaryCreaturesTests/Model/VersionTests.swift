// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingTesting
import ScaryCreatures
import TestSupport
import Testing

@Suite("Versions of ScaryCreatureData")
struct VersionTests {
  /// The top-level key and the class name of the first versions are not today's.
  let creatures = ArchiveFixtures(
    of: ScaryCreatureData.self, in: Locations.fixtures.appending(path: "versions").path,
    decodingWith: { unarchiver in
      unarchiver.setClass(ScaryCreatureData.self, forClassName: "make.Creature")
      let former = ScaryCreatureData.formerTopKeys.first { unarchiver.containsValue(forKey: $0) }
      return try unarchiver.decode(ScaryCreatureData.self, forKey: former ?? KeyedArchiver.rootKey)
    },
    encodingWith: { try KeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true) })

  @Test("each version decodes, and today's files have the same bytes as before")
  func versions() throws {
    try creatures.checkVersions(
      current: "3-secure", value: ScaryCreatureData(title: "Ghost", rating: 5), fidelity: .sameBytes)
  }

  /// One of the versions; with `WHOLE_TESTS`, all.
  @Test(
    "damaged files of each version are refused",
    arguments: Sample.cases(["1-scarybug", "2-insecure", "3-secure"], each: 3))
  func damagedFiles(_ version: String) throws {
    try creatures.checkDamagedCopies(of: version, optionalKeys: ["Rating"])
  }
}
