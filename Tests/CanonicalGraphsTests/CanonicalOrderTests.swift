// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport
import TestSupport
import Testing

@testable import CanonicalGraphs

/// Numbers of random orders are samples; see ``Sample``.
@Suite("Canonical order of a graph")
struct CanonicalOrderTests {
  /// A graph as its edges, with nodes that may be numbered anew.
  struct Sketch: CustomTestStringConvertible {
    var name: String
    var colors: [UInt32]
    var edges: [(from: Int, label: UInt32, to: Int)]

    var testDescription: String { name }

    /// An undirected graph of nodes of one color.
    init(_ name: String, _ count: Int, _ edges: [(Int, Int)]) {
      self.name = name
      colors = [UInt32](repeating: 0, count: count)
      self.edges = edges.map { ($0.0, 0, $0.1) } + edges.map { ($0.1, 0, $0.0) }
    }

    /// A graph of nodes of one color with random edges, each with one of some labels.
    static func random(
      _ count: Int, labels: UInt32, edges: ClosedRange<Int>, _ random: inout SeededRandom
    ) -> Sketch {
      var sketch = Sketch("random", count, [])
      sketch.edges = (0..<Int.random(in: edges, using: &random)).map { _ in
        let (from, to) = (Int.random(in: 0..<count, using: &random), Int.random(in: 0..<count, using: &random))
        return (from, UInt32.random(in: 0..<labels, using: &random), to)
      }
      return sketch
    }

    /// The same graph with its nodes numbered in another order.
    func shuffled(_ random: inout SeededRandom) -> Sketch {
      let order = colors.indices.shuffled(using: &random).sorted { colors[$0] < colors[$1] }
      var number = [Int](repeating: 0, count: order.count)
      for (new, old) in order.enumerated() { number[old] = new }
      var other = self
      other.colors = order.map { colors[$0] }
      other.edges = edges.map { (number[$0.from], $0.label, number[$0.to]) }.shuffled(using: &random)
      return other
    }

    var graph: LabelledGraph {
      let sorted = edges.sorted { ($0.from, $0.label) < ($1.from, $1.label) }
      var starts = [Int](repeating: 0, count: colors.count + 1)
      for edge in edges { starts[edge.from + 1] += 1 }
      for node in colors.indices { starts[node + 1] += starts[node] }
      return LabelledGraph(
        colors: colors, outgoing: sorted.map { LabelledGraph.Edge(label: $0.label, node: UInt32($0.to)) },
        starts: starts)
    }

    /// This graph and another side by side, with other colors.
    func union(_ other: Sketch) -> Sketch {
      var union = self
      let firstColor = (colors.last ?? 0) + 1
      union.name += ", \(other.name)"
      union.colors += other.colors.map { $0 + firstColor }
      union.edges += other.edges.map { ($0.from + colors.count, $0.label, $0.to + colors.count) }
      return union
    }

    /// What a graph looks like when its nodes are numbered in canonical order: their colors, and the edges, each as one
    /// number.
    struct Canonical: Equatable {
      var colors: [UInt32]
      var edges: [Int]
    }

    /// What the graph looks like when its nodes are numbered in canonical order.
    var canonical: Canonical { canonical(from: 0) }

    /// What the graph looks like from nodes of a color on.
    func canonical(from color: UInt32) -> Canonical {
      let order = CanonicalOrder.nodes(of: graph)
      #expect(order.sorted() == colors.indices.map { UInt32($0) }, "each node has one place")
      var place = [Int](repeating: 0, count: order.count)
      for (new, old) in order.enumerated() { place[Int(old)] = new }
      let numbers = edges.filter { colors[$0.from] >= color }.map { edge in
        (place[edge.from] << 20 | Int(edge.label)) << 20 | place[edge.to]
      }
      return Canonical(colors: order.map { colors[Int($0)] }, edges: numbers.sorted())
    }
  }

  private static func ring(_ count: Int, from first: Int = 0) -> [(Int, Int)] {
    (0..<count).map { (first + $0, first + ($0 + 1) % count) }
  }

  private static func cells(_ side: Int, _ isEdge: (Int, Int, Int, Int) -> Bool) -> [(Int, Int)] {
    var edges: [(Int, Int)] = []
    for a in 0..<side * side {
      for b in 0..<a where isEdge(a / side, a % side, b / side, b % side) { edges.append((a, b)) }
    }
    return edges
  }

  private static let rook = Sketch("rook's graph 4 x 4", 16, cells(4) { a, b, c, d in a == c || b == d })
  private static let shrikhande = Sketch(
    "Shrikhande", 16,
    cells(4) { a, b, c, d in
      [[0, 1], [0, 3], [1, 0], [3, 0], [1, 1], [3, 3]].contains([(a - c + 4) % 4, (b - d + 4) % 4])
    })

  private static let frucht = Sketch(
    "Frucht, which has no symmetry", 12,
    [
      (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (6, 0), (0, 7), (1, 7), (2, 8), (3, 9), (4, 9), (5, 10),
      (6, 10), (7, 11), (8, 9), (8, 11), (10, 11),
    ])

  /// Nodes that all have edges to each other.
  private static func clique(_ count: Int) -> Sketch {
    Sketch("clique of \(count)", count, (0..<count).flatMap { a in (0..<a).map { (a, $0) } })
  }

  /// The complement of two graphs of the same size side by side: one component, in which no trace tells a node of the one
  /// from a node of the other if refinement does not.
  private static func joined(_ a: Sketch, _ b: Sketch) -> Sketch {
    let count = a.colors.count
    let edges = Set(a.edges.map { [$0.from, $0.to] } + b.edges.map { [$0.from + count, $0.to + count] })
    var missing: [(Int, Int)] = []
    for from in 0..<2 * count {
      for to in 0..<from where !edges.contains([from, to]) { missing.append((from, to)) }
    }
    return Sketch("the complement of \(a.name) and \(b.name)", 2 * count, missing)
  }

  /// Graphs in which refinement alone tells no two nodes apart, or too few.
  static let hardSketches: [Sketch] = [
    Sketch("one node", 1, []), Sketch("no edges", 40, []),
    Sketch("all edges", 9, cells(3) { _, _, _, _ in true }),
    Sketch("a ring", 30, ring(30)),
    Sketch("a ring of 6 and two of 3", 12, ring(6) + ring(3, from: 6) + ring(3, from: 9)),
    Sketch("rings of 4, 5, 5 and 7", 21, ring(4) + ring(5, from: 4) + ring(5, from: 9) + ring(7, from: 14)),
    Sketch("Petersen", 10, ring(5) + (0..<5).map { ($0, $0 + 5) } + (0..<5).map { ($0 + 5, ($0 + 2) % 5 + 5) }),
    Sketch("a cube of 4 dimensions", 16, (0..<16).flatMap { a in (0..<4).map { (a, a ^ 1 << $0) } }),
    rook, shrikhande, joined(rook, shrikhande), joined(shrikhande, shrikhande),
    Sketch("a tree in which all children look the same", 63, (1..<63).map { ($0, ($0 - 1) / 2) }),
    frucht,
    Sketch("a prism of 20 sides", 40, ring(20) + ring(20, from: 20) + (0..<20).map { ($0, $0 + 20) }),
    Sketch("a Möbius ladder of 40", 40, ring(40) + (0..<20).map { ($0, $0 + 20) }),
  ]

  @Test("does not depend on how nodes are numbered", arguments: hardSketches)
  func hard(sketch: Sketch) {
    var random = SeededRandom(seed: 7)
    let canonical = sketch.canonical
    for _ in 0..<Sample.count(1, of: 12) { #expect(sketch.shuffled(&random).canonical == canonical) }
  }

  @Test("does not depend on how nodes are numbered, for the union of any two hard graphs")
  func unions() {
    var random = SeededRandom(seed: 8)
    let pairs = zip(Self.hardSketches, Self.hardSketches.dropFirst())
    for (index, (a, b)) in pairs.enumerated() where Sample.includes(index, each: 2) {
      var union = a
      union.colors += b.colors
      union.edges += b.edges.map { ($0.from + a.colors.count, $0.label, $0.to + a.colors.count) }
      let canonical = union.canonical
      for _ in 0..<Sample.count(1, of: 4) {
        #expect(union.shuffled(&random).canonical == canonical, "\(a.name), \(b.name)")
      }
    }
  }

  // A full search for each order of the clique would take as long as the clique has orders.
  @Test("does not depend on how nodes are numbered, beside equal nodes that all have edges to each other")
  func besideClique() {
    var random = SeededRandom(seed: 12)
    for count in [2, 3, 7, 8, 10, 30] {
      let sketch = Self.clique(count).union(Self.frucht)
      let canonical = sketch.canonical
      for _ in 0..<Sample.count(3, of: 12) { #expect(sketch.shuffled(&random).canonical == canonical, "\(count)") }
    }
  }

  @Test("of a component does not depend on how nodes are numbered, beside one whose search is given up")
  func besideExhausting() {
    var random = SeededRandom(seed: 13)
    var two = Self.frucht.union(Self.frucht)
    two.colors = two.colors.map { _ in 0 }
    let sketch = Self.joined(two, two).union(Self.frucht)
    let canonical = sketch.canonical(from: 1)
    for _ in 0..<Sample.count(2, of: 8) { #expect(sketch.shuffled(&random).canonical(from: 1) == canonical) }
  }

  @Test("tells graphs apart that refinement cannot")
  func pairs() {
    #expect(Self.rook.edges.count == 96 && Self.shrikhande.edges.count == 96)
    #expect(Self.rook.canonical != Self.shrikhande.canonical)
    let rings = [Sketch("", 6, Self.ring(6)), Sketch("", 6, Self.ring(3) + Self.ring(3, from: 3))]
    #expect(rings[0].canonical != rings[1].canonical)
  }

  @Test("does not depend on how nodes are numbered, for random graphs with labels, colors and several edges")
  func random() {
    var random = SeededRandom(seed: 9)
    for _ in 0..<400 {
      let count = Int.random(in: 1...14, using: &random)
      let (colors, labels) = (UInt32.random(in: 1...3, using: &random), UInt32.random(in: 1...3, using: &random))
      var sketch = Sketch.random(count, labels: labels, edges: 0...3 * count, &random)
      sketch.colors = (0..<count).map { _ in UInt32.random(in: 0..<colors, using: &random) }.sorted()
      let canonical = sketch.canonical
      for _ in 0..<4 { #expect(sketch.shuffled(&random).canonical == canonical) }
    }
  }

  @Test("does not depend on how nodes are numbered, for random graphs of equal degree")
  func regular() {
    var random = SeededRandom(seed: 10)
    for count in [8, 12, 20, 60, 200] {
      for degree in 2...3 {
        // Each permutation gives each node one edge out and one in.
        var sketch = Sketch("regular", count, [])
        for _ in 0..<degree {
          for (node, target) in (0..<count).shuffled(using: &random).enumerated() {
            sketch.edges.append((node, 0, target))
          }
        }
        let canonical = sketch.canonical
        for _ in 0..<3 { #expect(sketch.shuffled(&random).canonical == canonical, "\(count) nodes, degree \(degree)") }
      }
    }
  }

  @Test("refinement ends only when no cell tells nodes of another apart, for random graphs and choices")
  func equitable() {
    var random = SeededRandom(seed: 11)
    for round in 0..<300 {
      let count = Int.random(in: 2...40, using: &random)
      let sketch = Sketch.random(count, labels: 2, edges: count...3 * count, &random)
      let graph = sketch.graph
      var partition = NodePartition(graph)
      var trace = RefinementTrace(best: nil)
      partition.enqueueAll()
      _ = partition.refine(graph, &trace)
      repeat {
        // How many edges with each label lead from a node to each cell, and to it.
        var ways: [UInt32: Set<[String: Int]>] = [:]
        for node in 0..<UInt32(count) {
          let ends =
            graph.edges(from: node).map { "\($0.label) to \(partition.cell(of: $0.node))" }
            + graph.edges(to: node).map { "\($0.label) from \(partition.cell(of: $0.node))" }
          ways[partition.cell(of: node), default: []].insert(Dictionary(ends.map { ($0, 1) }, uniquingKeysWith: +))
        }
        #expect(ways.values.allSatisfy { $0.count == 1 }, "round \(round)")
        guard let cell = partition.smallestCell, let node = partition.members(of: cell).randomElement(using: &random)
        else {
          break
        }
        partition.individualize(node)
        var trace = RefinementTrace(best: nil)
        _ = partition.refine(graph, &trace)
      } while true
    }
  }

  @Test("takes no stack for long chains of equal choices")
  func deep() {
    // Each node has an edge to both nodes of the next level, and each level to itself.
    let levels = 3000
    var sketch = Sketch("levels", 2 * levels, [])
    for level in 0..<levels {
      let (a, b) = (2 * level, 2 * level + 1)
      sketch.edges += [(a, 1, b), (b, 1, a)]
      guard level < levels - 1 else { continue }
      for node in [a, b] { sketch.edges += [(node, 0, a + 2), (node, 0, b + 2)] }
    }
    var random = SeededRandom(seed: 11)
    #expect(sketch.canonical == sketch.shuffled(&random).canonical)
  }
}
