// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import HarnessSupport
import KeyedArchiving
import TestSupport
import Testing

/// The number of calls of `encode(to:)` for each object, by its number.
private final class CallLog {
  var calls: [Int: Int] = [:]
}

/// A class of Codable with objects in sets, in structs within sets, as keys of dictionaries, and in cycles.
private final class CountedNode: Encodable, Hashable {
  let id: Int
  let log: CallLog
  var next: CountedNode?
  var nodes: [CountedNode] = []
  var set: Set<CountedNode> = []
  var boxes: Set<CountedBox> = []
  var named: [String: CountedNode] = [:]
  var pairs: [CountedNode: CountedNode] = [:]

  private enum CodingKeys: CodingKey { case id, next, nodes, set, boxes, named, pairs }

  init(_ id: Int, _ log: CallLog) { (self.id, self.log) = (id, log) }

  func encode(to encoder: any Encoder) throws {
    log.calls[id, default: 0] += 1
    var container = encoder.container(keyedBy: CodingKeys.self)
    // Nodes that look the same are ordered by what refers to them.
    try container.encode(id % 3, forKey: .id)
    try container.encodeIfPresent(next, forKey: .next)
    try container.encode(nodes, forKey: .nodes)
    try container.encode(set, forKey: .set)
    try container.encode(boxes, forKey: .boxes)
    try container.encode(named, forKey: .named)
    try container.encode(pairs, forKey: .pairs)
  }

  static func == (a: CountedNode, b: CountedNode) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// The nodes that this one refers to.
  var references: [CountedNode] {
    (next.map { [$0] } ?? []) + nodes + set + boxes.map(\.node) + named.values + pairs.keys + pairs.values
  }
}

private struct CountedBox: Encodable, Hashable {
  let node: CountedNode
  let number: Int
}

/// A random graph, whose references lead anywhere.
private struct CountedGraph {
  let nodes: [CountedNode]
  let log = CallLog()

  init(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let (count, log) = (Int.random(in: 1...24, using: &random), log)
    nodes = (0..<count).map { CountedNode($0, log) }
    let all = nodes
    func some() -> [CountedNode] {
      (0..<Int.random(in: 0...3, using: &random)).map { _ in all[Int.random(in: all.indices, using: &random)] }
    }
    for node in nodes {
      node.next = some().first
      node.nodes = some()
      node.set = Set(some())
      node.boxes = Set(some().enumerated().map { CountedBox(node: $1, number: $0 % 2) })
      for (number, other) in some().enumerated() { node.named["k\(number)"] = other }
      for other in some() { node.pairs[other] = all[(other.id + 1) % count] }
    }
  }

  /// The numbers of the nodes that references lead to from the first one.
  var reachable: Set<Int> {
    var reached: Set<Int> = []
    var unvisited = [nodes[0]]
    while let node = unvisited.popLast() {
      if reached.insert(node.id).inserted { unvisited += node.references }
    }
    return reached
  }

  /// Removes the cycles, so that the objects are released.
  func takeApart() {
    for node in nodes {
      (node.next, node.nodes, node.set, node.boxes, node.named, node.pairs) = (nil, [], [], [], [:], [:])
    }
  }
}

@Suite("Calls of encode(to:)")
struct EncodeCallTests {
  @Test(
    "KeyedArchiveEncoder calls it once for each object of a random graph",
    arguments: Sample.cases(0..<UInt64(200), each: 8))
  func encoder(_ seed: UInt64) throws {
    let graph = CountedGraph(seed: seed)
    defer { graph.takeApart() }
    var encoder = KeyedArchiveEncoder()
    encoder.layout = ArchiveLayout.allCases[Int(seed) % ArchiveLayout.allCases.count]
    _ = try encoder.encode(graph.nodes[0])
    #expect(graph.log.calls == Dictionary(uniqueKeysWithValues: graph.reachable.map { ($0, 1) }))
  }

  @Test("it is called once for each object that several elements of the root share", arguments: 0..<UInt64(50))
  func sharedRoots(_ seed: UInt64) throws {
    let graph = CountedGraph(seed: seed)
    defer { graph.takeApart() }
    let roots = ["first": [graph.nodes[0], graph.nodes[0]], "all": graph.nodes]
    _ = try KeyedArchiveEncoder().encode(roots)
    #expect(graph.log.calls == Dictionary(uniqueKeysWithValues: graph.nodes.map { ($0.id, 1) }))
  }

  @Test("the graphs share objects in sets")
  func kinds() {
    let graphs = (0..<UInt64(200)).map(CountedGraph.init)
    defer { for graph in graphs { graph.takeApart() } }
    let shared = graphs.count { graph in
      let references = graph.nodes.flatMap(\.set)
      return references.count > Set(references).count
    }
    #expect(shared > 100)
    #expect(graphs.count { $0.reachable.count > 10 } > 50)
  }
}
