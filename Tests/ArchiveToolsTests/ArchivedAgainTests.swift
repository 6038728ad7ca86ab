// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Archived objects, archived again")
struct ArchivedAgainTests {
  /// The order in which a writer numbers the objects.
  enum Numbering: CaseIterable {
    case depthFirst, breadthFirst, shuffled
  }

  private func encoded(_ top: ArchivedTopLevel) throws -> KeyedArchive {
    let archiver = KeyedArchiver(requiringSecureCoding: true)
    try archiver.encodeTopLevel(top)
    return try KeyedArchive(archiver.encodedData)
  }

  private func decodedAgain(_ data: Data) throws -> KeyedArchive {
    let top = try KeyedUnarchiver(forReadingFrom: data).decodeTopLevel()
    defer { top.dismantle() }
    return try encoded(top)
  }

  private func rootAgain(_ data: Data) throws -> KeyedArchive {
    let root = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
    defer { root.dismantle() }
    return try KeyedArchive(KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true))
  }

  /// An archive of a random graph, all of whose objects are reachable from the root.
  private func archive(_ numbering: Numbering, hasGaps: Bool, _ random: inout SeededRandom) -> Data {
    let count = Int.random(in: 1...7, using: &random)
    // Nodes, then two classes. Each node but the first is referred to by one before it.
    var references = [[Int]](repeating: [], count: count)
    for node in 1..<max(count, 1) { references[Int.random(in: 0..<node, using: &random)].append(node) }
    for node in 0..<count where Bool.random(using: &random) {
      references[node].insert(Int.random(in: 0..<count, using: &random), at: 0)
    }
    let classes = (0..<count).map { _ in count + Int.random(in: 0..<2, using: &random) }
    var order: [Int] = []
    switch numbering {
    case .shuffled: order = Array(0..<count + 2).shuffled(using: &random)
    case .breadthFirst:
      order = [0]
      var next = 0
      while next < order.count {
        defer { next += 1 }
        let node = order[next]
        guard node < count else { continue }
        for target in references[node] + [classes[node]] where !order.contains(target) { order.append(target) }
      }
    case .depthFirst:
      var stack = [0]
      while let node = stack.popLast() {
        guard !order.contains(node) else { continue }
        order.append(node)
        if node < count { stack += ([classes[node]] + references[node].reversed()) }
      }
    }
    if hasGaps { for _ in 0..<3 { order.insert(-1, at: Int.random(in: 0...order.count, using: &random)) } }
    var uids: [Int: UInt64] = [:]
    for (index, node) in order.enumerated() where node >= 0 { uids[node] = UInt64(index + 1) }
    let objects = order.map { node -> HandmadeList in
      guard node >= 0 else { return "$null" }
      guard node < count else { return .classRecord("Class\(node)", "NSObject") }
      var entries = references[node].enumerated().map { ("k\($0)", HandmadeList.uid(uids[$1] ?? 0)) }
      entries.append(("number", .integer(Int64(node))))
      return .dictionary(entries + [("$class", .uid(uids[classes[node]] ?? 0))])
    }
    return HandmadeList.archive(objects, top: [("root", .uid(uids[0] ?? 0))])
  }

  @Test(
    "are the same graph, however the writer numbered the objects", arguments: Numbering.allCases, [false, true])
  func numberings(_ numbering: Numbering, hasGaps: Bool) throws {
    for round in Sample.cases(0..<300, each: 12) {
      var random = SeededRandom(seed: UInt64(2 * round + (hasGaps ? 1 : 0)))
      let data = archive(numbering, hasGaps: hasGaps, &random)
      let old = try KeyedArchive(data)
      try old.validate()
      #expect(try decodedAgain(data).differences(from: old) == [], "round \(round)")
      #expect(try rootAgain(data).differences(from: old) == [], "round \(round)")
    }
  }

  @Test("are the same graph after an edit left gaps in the UIDs")
  func edited() throws {
    var archive = try KeyedArchive(Data(contentsOf: Locations.fixtures.appending(path: "made/creatures.plist")))
    let root = try #require(archive.root.uid)
    let elements = try #require(archive.root.array).compactMap(\.uid)
    try archive.setValue(.array(elements[1...2].map { .reference($0) }), forKey: "NS.objects", of: root)
    #expect(try archive.discardUnreachableObjects() > 0)
    let data = try archive.data()
    #expect(try decodedAgain(data).differences(from: archive) == [])
    #expect(try rootAgain(data).differences(from: archive) == [])
  }

  // MARK: Entries of other objects

  private func root(_ entries: [(String, HandmadeList)]) throws -> ArchivedObject {
    let data = HandmadeList.archive([.dictionary(entries + [("$class", .uid(2))]), .classRecord("Box", "NSObject")])
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedObject.self, from: data))
  }

  @Test("an entry of an object of another archive keeps its value")
  func movedEntry() throws {
    let (a, b) = (try root([("x", 111), ("s", "text")]), try root([("y", 222), ("t", "other")]))
    var entry = a.entries[0]
    entry.key = "fromA"
    b.entries.append(entry)
    let again = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: b, requiringSecureCoding: true)).root
    #expect(again["y"].number == .integer(222) && again["fromA"].number == .integer(111))
    // All entries, with keys that fit the layout of the object.
    let (c, d) = (try root([("x", 1), ("s", "one")]), try root([("x", 2), ("s", "two")]))
    let both = ArchivedObject(
      classes: "NSObject", entries: [.init("d", .object(d)), .init("e", .object(try root([("x", 2)])))])
    d.entries = c.entries
    let pair = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: both, requiringSecureCoding: true)).root
    #expect(pair["d"]["x"].number == .integer(1) && pair["d"]["s"].string == "one")
    #expect(pair["e"]["x"].number == .integer(2))
  }

  @Test("a top-level entry of another archive keeps its value")
  func movedTopEntry() throws {
    func top(_ entries: [(String, HandmadeList)]) throws -> ArchivedTopLevel {
      try KeyedUnarchiver(forReadingFrom: HandmadeList.archive([], top: entries)).decodeTopLevel()
    }
    let a = try top([("x", 111)])
    var b = try top([("y", 222)])
    b.entries += a.entries
    let again = try encoded(b)
    #expect(again["y"].number == .integer(222) && again["x"].number == .integer(111))
  }
}
