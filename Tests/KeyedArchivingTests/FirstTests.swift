import Foundation
import KeyedArchiving
import TestSupport
import Testing

@Suite struct First {
  @Test func creature() throws {
    let data = try KeyedArchiver.archivedData(withRootObject: Creature(title: "Ghost", rating: 5), requiringSecureCoding: true)
    try data.write(to: URL(filePath: "/tmp/creature.plist"))
    let c = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Creature.self, from: data))
    #expect(c.title == "Ghost" && c.rating == 5)
  }
  @Test func url() throws {
    let expected = try Data(contentsOf: Locations.fixtures.appending(path: "apple/NSURL.plist"))
    let data = try KeyedArchiver.archivedData(withRootObject: URL(string: "https://nuomi1.github.io/")!, requiringSecureCoding: true)
    #expect(data == expected)
    let u = try KeyedUnarchiver.unarchivedObject(ofClass: URL.self, from: data)
    #expect(u?.absoluteString == "https://nuomi1.github.io/")
  }
  @Test func tree() throws {
    let root = Node("root")
    root.children = [Node("a"), Node("b")]
    for c in root.children { c.parent = root }
    root.children[0].next = root.children[1]
    root.children[1].next = root
    let data = try KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
    try data.write(to: URL(filePath: "/tmp/tree.plist"))
    let r = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Node.self, from: data))
    #expect(r.children.count == 2 && r.children[0].parent === r && r.children[0].next === r.children[1] && r.children[1].next === r)
    #expect(throws: KeyedArchiveError.self) { try KeyedUnarchiver.unarchivedObject(ofClass: Creature.self, from: data) }
  }
  @Test func values() throws {
    let d: [String: [Int?]] = ["b": [1, nil, -5], "a": []]
    for layout in ArchiveLayout.allCases {
      let data = try KeyedArchiver.archivedData(withRootObject: d, requiringSecureCoding: true, layout: layout)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String: [Int?]].self, from: data) == d)
    }
  }
}
