// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation
import ScaryCreatures
import TestSupport
import Testing

@Suite("README example")
struct ReadmeTests {
  @Test("runs")
  func example() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "creatures-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let png = try Data(contentsOf: Locations.fixtures.appending(path: "png/rgb.png"))
    // example: creatures
    let database = try ScaryCreatureDatabase(at: folder)
    let ghost = try database.addCreature(title: "Ghost", rating: 5, fullImage: png)
    try ghost.setRating(4)
    for doc in try database.loadScaryCreatureDocs() {
      print(try doc.data?.title ?? "nobody")
    }
    // end of example
    #expect(try database.document(1).data == ScaryCreatureData(title: "Ghost", rating: 4))
  }

  @Test("matches this file")
  func sameText() throws {
    try ReadmeExample.check("creatures", in: #filePath)
  }
}
