// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing

/// A class that is only Codable, with references of every kind.
private final class PlainNode: Codable {
  let id: Int
  var text = ""
  var mood: PlainMood?
  var place = PlainPlace()
  var children: [PlainNode] = []
  var named: [String: PlainNode] = [:]
  var favorite: PlainNode?
  var leaf: PlainLeaf?
  @ArchiveReference var next: PlainNode?
  @ArchiveReference var other: PlainLeaf?
  @ArchiveBackReference var parent: PlainNode?

  init(_ id: Int) { self.id = id }
}

private final class PlainLeaf: Codable {
  let id: Int
  var numbers: [Double?] = []
  @ArchiveReference var owner: PlainNode?

  init(_ id: Int) { self.id = id }
}

private struct PlainPlace: Codable {
  var x = 0
  var name: String?
  /// An object that is only referenced from a struct.
  var leaf: PlainLeaf?
}

private enum PlainMood: Codable {
  case calm
  case angry(at: PlainLeaf, Int)
}

/// A random graph. References that decoding follows at once lead from lower to higher numbers, the others anywhere.
private struct PlainGraph {
  let nodes: [PlainNode]
  let leaves: [PlainLeaf]

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    func number(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }
    let count = 1 + number(14)
    nodes = (0..<count).map(PlainNode.init)
    leaves = (0..<count).map(PlainLeaf.init)
    let (nodes, leaves) = (nodes, leaves)
    for place in 0..<count {
      let node = nodes[place]
      func later() -> PlainNode? { place + 1 < count ? nodes[place + 1 + number(count - place - 1)] : nil }
      node.text = ["", "é", "日本", "$null", "a"][number(5)]
      node.place = PlainPlace(
        x: number(100) - 50, name: number(2) == 0 ? nil : "p\(number(3))",
        leaf: number(2) == 0 ? nil : leaves[number(count)])
      node.mood = [nil, .calm, .angry(at: leaves[number(count)], number(9))][number(3)]
      for _ in 0..<number(4) { if let child = later() { node.children.append(child) } }
      for key in 0..<number(3) { if let child = later() { node.named["k\(key)"] = child } }
      if number(2) == 0 { node.favorite = later() }
      if number(2) == 0 { node.leaf = leaves[number(count)] }
      if number(3) > 0 { node.next = nodes[number(count)] }
      if number(3) > 0 { node.other = leaves[number(count)] }
      if number(3) == 0 { node.parent = nodes[number(count)] }
      leaves[place].numbers = (0..<number(4)).map { $0 == 1 ? nil : Double(number(1000)) / 8 }
      if number(2) == 0 { leaves[place].owner = nodes[number(count)] }
    }
  }

  static func takeApart(_ objects: [AnyObject]) {
    takeApart(objects.compactMap { $0 as? PlainNode }, objects.compactMap { $0 as? PlainLeaf })
  }

  /// Removes the cycles, so that the objects are released.
  static func takeApart(_ nodes: [PlainNode], _ leaves: [PlainLeaf]) {
    for node in nodes {
      (node.next, node.other, node.favorite, node.leaf, node.mood) = (nil, nil, nil, nil, nil)
      (node.children, node.named, node.place.leaf) = ([], [:], nil)
    }
    for leaf in leaves { leaf.owner = nil }
  }
}

/// A graph as text: each object has a number in the order of the first visit, and its contents follow once.
private struct PlainGraphText {
  private var numbers: [ObjectIdentifier: Int] = [:]
  private(set) var objects: [AnyObject] = []
  /// The objects that a reference other than `parent` leads to; nil while they are searched.
  private let kept: Set<ObjectIdentifier>?
  private var lines: [String] = []

  static func of(_ root: PlainNode) -> (text: String, objects: [AnyObject]) {
    var search = PlainGraphText(kept: nil)
    search.describe(root)
    var text = PlainGraphText(kept: Set(search.objects.map { ObjectIdentifier($0) }))
    text.describe(root)
    return (text.lines.joined(separator: "\n"), text.objects)
  }

  private init(kept: Set<ObjectIdentifier>?) { self.kept = kept }

  private mutating func name(_ object: AnyObject?) -> String {
    guard let object else { return "-" }
    if let number = numbers[ObjectIdentifier(object)] { return "#\(number)" }
    numbers[ObjectIdentifier(object)] = objects.count
    objects.append(object)
    return "#\(objects.count - 1)"
  }

  private mutating func describe(_ root: PlainNode) {
    _ = name(root)
    while lines.count < objects.count {
      switch objects[lines.count] {
      case let node as PlainNode:
        var line = "node \(node.id) \(node.text.debugDescription) \(node.place.x) \(node.place.name ?? "-")"
        line += " \(name(node.place.leaf))"
        switch node.mood {
        case nil: line += " none"
        case .calm: line += " calm"
        case .angry(let leaf, let number): line += " angry \(name(leaf)) \(number)"
        }
        line += " \(node.children.map { name($0) })"
        line += " \(node.named.sorted { $0.key < $1.key }.map { "\($0.key) \(name($0.value))" })"
        line += " \(name(node.favorite)) \(name(node.leaf)) next \(name(node.next)) other \(name(node.other))"
        if let parent = node.parent, kept?.contains(ObjectIdentifier(parent)) == true { line += " in \(name(parent))" }
        lines.append(line)
      case let leaf as PlainLeaf: lines.append("leaf \(leaf.id) \(leaf.numbers) \(name(leaf.owner))")
      default: lines.append("?")
      }
    }
  }
}

@Suite("Random graphs of plain Codable classes")
struct PlainGraphTests {
  /// A ninth of the graphs; with `WHOLE_TESTS`, all.
  @Test(
    "come back from KeyedArchiveDecoder with the same identities and contents",
    arguments: Sample.cases(0..<UInt64(200), each: 9))
  func roundTrip(_ seed: UInt64) throws {
    let graph = PlainGraph(seed: seed)
    defer { PlainGraph.takeApart(graph.nodes, graph.leaves) }
    let expected = PlainGraphText.of(graph.nodes[0])
    var encoder = KeyedArchiveEncoder()
    encoder.layout = ArchiveLayout.allCases[Int(seed) % ArchiveLayout.allCases.count]
    encoder.outputFormat = seed.isMultiple(of: 4) ? .xml : .binary
    let data = try encoder.encode(graph.nodes[0])
    let read = try KeyedArchiveDecoder().decode(PlainNode.self, from: data)
    let found = PlainGraphText.of(read)
    defer { PlainGraph.takeApart(found.objects) }
    #expect(found.text == expected.text)
    #expect(found.objects.count == expected.objects.count)
    // Nothing is archived twice, and the second archive has the bytes of the third.
    #expect(try KeyedArchive(data).plainObjectCount == found.objects.count)
    let second = try encoder.encode(read)
    let again = try KeyedArchiveDecoder().decode(PlainNode.self, from: second)
    let last = PlainGraphText.of(again).objects
    defer { PlainGraph.takeApart(last) }
    #expect(try encoder.encode(again) == second)
  }

  @Test("have shared objects, cycles and references of every kind")
  func kinds() {
    var (shared, cyclic) = (0, 0)
    for seed in 0..<UInt64(200) {
      let graph = PlainGraph(seed: seed)
      defer { PlainGraph.takeApart(graph.nodes, graph.leaves) }
      let text = PlainGraphText.of(graph.nodes[0]).text
      if text.count(where: { $0 == "#" }) > PlainGraphText.of(graph.nodes[0]).objects.count { shared += 1 }
      if text.contains("next #0") || text.contains(" in #0") { cyclic += 1 }
    }
    #expect(shared > 100 && cyclic > 50)
  }

  @Test("a chain of 3,000 plain objects is decoded with little stack")
  func chain() throws {
    let nodes = (0..<3000).map(PlainNode.init)
    for (node, next) in zip(nodes, nodes.dropFirst()) { node.next = next }
    let data = try KeyedArchiveEncoder().encode(nodes[0])
    var result: Result<PlainNode, any Error>?
    try System.onThread(stackBytes: 512 << 10) {
      result = Result { try KeyedArchiveDecoder().decode(PlainNode.self, from: data) }
    }
    var read: PlainNode? = try #require(result).get()
    result = nil
    var count = 0
    while let node = read {
      // Not each number: an expectation takes longer than a link.
      if node.id != count { Issue.record("link \(count) is \(node.id)") }
      read = node.next
      // Otherwise, the chain would be released recursively.
      node.next = nil
      count += 1
    }
    #expect(count == 3000)
    for node in nodes { node.next = nil }
  }

  @Test("a reference to an object of another class is an error")
  func otherClass() throws {
    final class Holder: Codable { @ArchiveReference var node: PlainNode? }
    final class OtherHolder: Codable { @ArchiveReference var node: PlainLeaf? }
    let holder = Holder()
    holder.node = PlainNode(1)
    var (encoder, decoder) = (KeyedArchiveEncoder(), KeyedArchiveDecoder())
    encoder.classNames[Holder.self] = "H"
    decoder.classNames[OtherHolder.self] = "H"
    let data = try encoder.encode(holder)
    #expect(throws: (any Error).self) { try decoder.decode(OtherHolder.self, from: data) }
  }

  @Test("JSONDecoder reads a plain object with references that JSONEncoder wrote")
  func otherFormats() throws {
    let (first, second) = (PlainNode(1), PlainNode(2))
    first.next = second
    let read = try JSONDecoder().decode(PlainNode.self, from: JSONEncoder().encode(first))
    #expect(read.next?.id == 2 && read.next?.next == nil)
  }
}

extension KeyedArchive {
  /// The number of objects of the classes of this file.
  fileprivate var plainObjectCount: Int {
    (0..<objectCount).count { index in
      let name = self[ArchiveUID(rawValue: UInt32(index))].className
      return name.map { $0.contains("PlainNode") || $0.contains("PlainLeaf") } ?? false
    }
  }
}
