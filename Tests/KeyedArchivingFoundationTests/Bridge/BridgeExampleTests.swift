// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import TestSupport
import Testing

// example: bridge
import Foundation
import KeyedArchiving
import KeyedArchivingFoundation

final class Recipe: NSObject, NSSecureCoding {
  static var supportsSecureCoding: Bool { true }
  var title: String
  var steps: [String]

  init(title: String, steps: [String]) {
    self.title = title
    self.steps = steps
  }

  func encode(with coder: NSCoder) {
    coder.encode(title, forKey: "title")
    coder.encode(steps, forKey: "steps")
  }

  init?(coder: NSCoder) {
    guard let title = coder.decodeObject(of: NSString.self, forKey: "title") as String? else { return nil }
    self.title = title
    steps = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "steps") as? [String] ?? []
  }
}

extension Recipe: FoundationCoding {}

func copy(of recipe: Recipe) throws -> Recipe? {
  let data = try KeyedArchiver.archivedData(withRootObject: recipe, requiringSecureCoding: true)
  return try KeyedUnarchiver.unarchivedObject(ofClass: Recipe.self, from: data)
}
// end of example

@Suite("The example of bridged classes")
struct BridgeExampleTests {
  @Test("runs as it says")
  func run() throws {
    let recipe = try copy(of: Recipe(title: "Bread", steps: ["Mix", "Bake"]))
    #expect(recipe?.title == "Bread")
    #expect(recipe?.steps == ["Mix", "Bake"])
  }

  @Test("is the one on the page")
  func sameText() throws {
    let page = try String(
      contentsOf: Locations.package.appending(
        path: "Sources/KeyedArchivingFoundation/KeyedArchivingFoundation.docc/KeyedArchivingFoundation.md"),
      encoding: .utf8)
    let source = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
    let shown = page.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first
    let compiled = source.components(separatedBy: "// example: bridge\n").dropFirst().first?
      .components(separatedBy: "// end of example").first
    #expect(shown != nil && shown == compiled)
  }
}
