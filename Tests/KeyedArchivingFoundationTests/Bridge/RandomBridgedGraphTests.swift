// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Random graphs of bridged classes, with collections, shared and conditional objects, and cycles")
struct RandomBridgedGraphTests {
  private static let seeds = Sample.cases(0..<UInt64(200), each: 10)
  // Foundation's archiver on Linux ends the process for some of these graphs, in one of a few processes: a dictionary of
  // its objects finds equal keys, depending on the seed of hashes. Its unarchiver does not.
  private static let foundationArchives = ProcessInfo.processInfo.environment["FOUNDATION_GRAPHS"] != nil

  private func read(_ data: Data) throws -> GraphNode {
    try #require(try KeyedUnarchiver.unarchivedObject(ofClass: GraphNode.self, from: data))
  }

  private func foundationRead(_ data: Data) throws -> GraphNode {
    try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: GraphNode.self, from: data))
  }

  @Test("come back from this package, with cycles, and give the same bytes again", arguments: seeds)
  func ours(_ seed: UInt64) throws {
    for layout in ArchiveLayout.allCases {
      let graph = BridgedGraph(seed: seed, hasOwners: true)
      defer { graph.takeApart() }
      let data = try KeyedArchiver.archivedData(
        withRootObject: graph.nodes[0], requiringSecureCoding: true, layout: layout)
      let first = try read(data)
      #expect(BridgedGraphText.of(first) == expected(graph), "seed \(seed)")
      let again = try KeyedArchiver.archivedData(withRootObject: first, requiringSecureCoding: true, layout: layout)
      let second = try read(again)
      #expect(BridgedGraphText.of(second) == BridgedGraphText.of(first), "seed \(seed)")
      let third = try KeyedArchiver.archivedData(withRootObject: second, requiringSecureCoding: true, layout: layout)
      #expect(third == again, "seed \(seed)")
      GraphCycles.open(first)
      GraphCycles.open(second)
    }
  }

  /// The text of a graph without the conditional objects that nothing else refers to, which is found without an archive.
  private func expected(_ graph: BridgedGraph) -> String {
    let root = graph.nodes[0]
    let archived = GraphCycles.reached(from: root)
    let absent = graph.nodes.filter { node in node.peer.map { !archived.contains(ObjectIdentifier($0)) } ?? false }
    let peers = absent.map(\.peer)
    for node in absent { node.peer = nil }
    defer { for (node, peer) in zip(absent, peers) { node.peer = peer } }
    return BridgedGraphText.of(root)
  }

  // Foundation's unarchiver on Linux decodes an object in progress again, without end, so these graphs have no owners.
  @Test("go to Foundation", arguments: seeds)
  func toFoundation(_ seed: UInt64) throws {
    let graph = BridgedGraph(seed: seed, hasOwners: false)
    let root = graph.nodes[0]
    let theirs = try foundationRead(KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true))
    #expect(BridgedGraphText.of(theirs) == expected(graph), "seed \(seed)")
  }

  @Test("go to Foundation, and come back from it", .enabled(if: foundationArchives), arguments: seeds)
  func toFoundationAndBack(_ seed: UInt64) throws {
    let graph = BridgedGraph(seed: seed, hasOwners: false)
    let root = graph.nodes[0]
    let theirs = try foundationRead(KeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true))
    // Its archiver leaves out the conditional objects that it meets later.
    let data = try NSKeyedArchiver.archivedData(withRootObject: theirs, requiringSecureCoding: true)
    let back = try read(data)
    #expect(BridgedGraphText.of(back, peers: false) == BridgedGraphText.of(root, peers: false), "seed \(seed)")
    #expect(try BridgedGraphText.of(back) == BridgedGraphText.of(foundationRead(data)), "seed \(seed)")
  }

  @Test("come from Foundation and go back", .enabled(if: foundationArchives), arguments: seeds)
  func fromFoundation(_ seed: UInt64) throws {
    let graph = BridgedGraph(seed: seed, hasOwners: false)
    let root = graph.nodes[0]
    let data = try NSKeyedArchiver.archivedData(withRootObject: root, requiringSecureCoding: true)
    let ours = try read(data)
    let text = try BridgedGraphText.of(foundationRead(data))
    #expect(BridgedGraphText.of(ours) == text, "seed \(seed)")
    let back = try foundationRead(KeyedArchiver.archivedData(withRootObject: ours, requiringSecureCoding: true))
    #expect(BridgedGraphText.of(back) == text, "seed \(seed)")
    #expect(BridgedGraphText.of(back, peers: false) == BridgedGraphText.of(root, peers: false), "seed \(seed)")
  }

  @Test(
    "with cycles come from Foundation, whose archiver knows them", .enabled(if: foundationArchives), arguments: seeds)
  func cyclesFromFoundation(_ seed: UInt64) throws {
    let graph = BridgedGraph(seed: seed, hasOwners: true)
    defer { graph.takeApart() }
    let data = try NSKeyedArchiver.archivedData(withRootObject: graph.nodes[0], requiringSecureCoding: true)
    let ours = try read(data)
    #expect(
      BridgedGraphText.of(ours, peers: false) == BridgedGraphText.of(graph.nodes[0], peers: false), "seed \(seed)")
    GraphCycles.open(ours)
  }

  @Test("have everything that they are to have")
  func kinds() {
    var texts: Set<String> = []
    var (shared, peers, lostPeers, owners) = (0, 0, 0, 0)
    let seeds = 0..<UInt64(200)
    for seed in seeds {
      let graph = BridgedGraph(seed: seed, hasOwners: true)
      defer { graph.takeApart() }
      texts.insert(BridgedGraphText.of(graph.nodes[0]))
      let archived = GraphCycles.reached(from: graph.nodes[0])
      let shelves = graph.nodes.compactMap { $0.shelf.map { ObjectIdentifier($0) } }
      if Set(shelves).count < shelves.count { shared += 1 }
      for node in graph.nodes where archived.contains(ObjectIdentifier(node)) {
        if let peer = node.peer {
          if archived.contains(ObjectIdentifier(peer)) { peers += 1 } else { lostPeers += 1 }
        }
        if node.owner != nil { owners += 1 }
      }
    }
    #expect(texts.count == seeds.count)
    #expect(shared > 50 && peers > 50 && lostPeers > 20 && owners > 100)
    for part in [
      "GraphLeaf", "mutable[", "mutable{", "mutable(", "<", "null", "https:", " s", "true", "#", "18446744073709",
    ] {
      #expect(texts.count { $0.contains(part) } > 40, "\(part)")
    }
  }
}

/// The cycles of a graph.
enum GraphCycles {
  /// Returns the objects that are archived with an object: those that it leads to, except as conditional objects.
  static func reached(from root: GraphNode) -> Set<ObjectIdentifier> {
    var found: Set<ObjectIdentifier> = []
    walk(root) { found.insert(ObjectIdentifier($0)) }
    return found
  }

  /// Removes the owners of all objects, so that they are released.
  static func open(_ root: GraphNode) {
    var nodes: [GraphNode] = []
    walk(root) { nodes.append($0) }
    for node in nodes { node.owner = nil }
  }

  private static func walk(_ root: GraphNode, _ visit: (GraphNode) -> Void) {
    var seen: Set<ObjectIdentifier> = []
    var pending: [Any] = [root]
    while let next = pending.popLast() {
      switch next {
      case let node as GraphNode:
        guard seen.insert(ObjectIdentifier(node)).inserted else { continue }
        visit(node)
        let parts: [Any?] = [
          node.items, node.table, node.group, node.order, node.shelf, node.favorite, node.owner,
        ]
        pending += parts.compactMap { $0 }
      case let dictionary as NSDictionary: pending += dictionary.map { $0.value }
      case let array as NSArray: pending += array
      case let set as NSSet: pending += set
      case let set as NSOrderedSet: pending += set
      case let array as [Any]: pending += array
      case let dictionary as [AnyHashable: Any]: pending += dictionary.map { $0.value }
      case let set as Set<AnyHashable>: pending += set.map(\.base)
      default: break
      }
    }
  }
}
