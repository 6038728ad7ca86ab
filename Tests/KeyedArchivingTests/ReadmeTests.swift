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
    let readme = try String(contentsOf: Locations.package.appending(path: "README.md"), encoding: .utf8)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    func lines(_ text: String, from start: String, to end: String) -> [String] {
      let all = text.split(separator: "\n", omittingEmptySubsequences: false).map {
        $0.drop { $0 == " " }
      }
      let first = all.drop { $0 != start }.dropFirst()
      return first.prefix { $0 != end }.map(String.init).filter { !$0.isEmpty && !$0.hasPrefix("```") }
    }
    let shown = lines(readme, from: "<!-- example: \(name) -->", to: "```")
    let compiled = lines(source, from: "// example: \(name)", to: "// end of example")
    #expect(!shown.isEmpty)
    #expect(shown == compiled)
  }
}
