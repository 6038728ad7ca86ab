// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
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
    let data = try KeyedArchiver.archivedData(withRootObject: [ghost], requiringSecureCoding: true)
    let creatures = try KeyedUnarchiver.unarchivedObject(ofClass: [ScaryCreatureData].self, from: data)
    // end of example
    #expect(creatures?.map(\.title) == ["Ghost"])
    #expect(creatures?.map(\.rating) == [5])
    let archive = try KeyedArchive(data)
    #expect(archive.root[0]["Title"].string == "Ghost")
    #expect(archive.root[0].className == "KeyedArchivingTests.ScaryCreatureData")
    #expect(archive.classNames == ["KeyedArchivingTests.ScaryCreatureData", "NSArray"])
  }

  @Test("are those of this file, to the letter", arguments: ["ScaryCreatureData", "use"])
  func sameText(_ name: String) throws {
    try ReadmeExample.check(name, in: #filePath)
  }
}
