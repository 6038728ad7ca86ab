// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Orders the nodes of a ``LabelledGraph`` by the graph alone. The nodes may be numbered in any way within their
/// colors: renumbering them in this order gives the same graph.
///
/// The page <doc:OrderOfSets> describes the algorithm.
package struct CanonicalOrder {
  /// The remaining number of edges and nodes that the search of the current component of the whole graph may visit.
  private var allowance: Int64 = 1

  private init() {}

  /// Returns the nodes of a graph in canonical order.
  package static func nodes(of graph: LabelledGraph) -> [UInt32] {
    var order = CanonicalOrder()
    var partition = NodePartition(graph)
    var trace = RefinementTrace(best: nil)
    partition.enqueueAll()
    _ = partition.refine(graph, &trace)
    var symmetries = Orbits(count: graph.nodeCount)
    return order.canonicalNodes(graph, &partition, depth: 0, &symmetries)
  }

  private static let minimumAllowance: Int64 = 50_000
  private static let maximumDepth = 64

  /// Returns the nodes of a graph in canonical order, starting from a partition that cannot be refined further.
  ///
  /// Adds the symmetries that it finds. They map each cell to itself.
  private mutating func canonicalNodes(
    _ graph: LabelledGraph, _ partition: inout NodePartition, depth: Int, _ symmetries: inout Orbits
  ) -> [UInt32] {
    if partition.isDiscrete { return partition.nodes }
    guard depth == 0 || allowance > 0 && depth < Self.maximumDepth else {
      return individualizeRemaining(graph, &partition)
    }
    var components: [Component] = []
    for nodes in self.components(of: graph, partition) {
      components.append(component(nodes, graph, partition, depth, &symmetries))
    }
    // Components with the same certificate are interchangeable, so their order does not matter.
    components.sort { $0.certificate.lexicographicallyPrecedes($1.certificate) }
    for (component, other) in zip(components, components.dropFirst()) where component.certificate == other.certificate {
      symmetries.add(from: component.nodes, to: other.nodes)
    }
    var order = partition.nodes
    var used = [Int](repeating: 0, count: order.count)
    for component in components {
      for node in component.nodes {
        let cell = Int(partition.cell(of: node))
        order[cell + used[cell]] = node
        used[cell] += 1
      }
    }
    return order
  }

  /// Individualizes nodes one after another, in their present order.
  private func individualizeRemaining(_ graph: LabelledGraph, _ partition: inout NodePartition) -> [UInt32] {
    var index = 0
    while let cell = partition.firstCell(withSeveralNodesFrom: index) {
      index = Int(cell)
      var trace = RefinementTrace(best: nil)
      partition.individualize(partition.nodes[index])
      _ = partition.refine(graph, &trace)
    }
    return partition.nodes
  }

  // MARK: Components

  /// Nodes whose order does not depend on that of any others.
  private struct Component {
    var nodes: [UInt32]
    var certificate: [UInt32]
  }

  /// Returns the components of the nodes that share a cell with others.
  ///
  /// Within a cell, the order of one component's nodes does not depend on that of another's. Two nodes are in one
  /// component if an edge connects them, unless edges with its label lead to all nodes of a cell.
  private mutating func components(of graph: LabelledGraph, _ partition: NodePartition) -> [[UInt32]] {
    var sets = DisjointSets(count: graph.nodeCount)
    for node in partition.nodes where partition.count(of: partition.cell(of: node)) > 1 {
      let edges = graph.edges(from: node)
      allowance -= Int64(edges.count + 1)
      var start = edges.startIndex
      while start < edges.endIndex {
        var end = start + 1
        while end < edges.endIndex, edges[end].label == edges[start].label { end += 1 }
        if end - start > 1 {
          for target in Self.distinguishing(edges[start..<end], partition) { _ = sets.join(Int(node), Int(target)) }
        } else if partition.count(of: partition.cell(of: edges[start].node)) > 1 {
          _ = sets.join(Int(node), Int(edges[start].node))
        }
        start = end
      }
    }
    var numbers: [Int: Int] = [:]
    var components: [[UInt32]] = []
    for node in partition.nodes where partition.count(of: partition.cell(of: node)) > 1 {
      let root = sets.root(Int(node))
      if let number = numbers[root] {
        components[number].append(node)
      } else {
        numbers[root] = components.count
        components.append([node])
      }
    }
    return components
  }

  /// Returns the targets of a node's edges with one label that lead to some, but not all, nodes of a cell.
  private static func distinguishing(_ edges: ArraySlice<LabelledGraph.Edge>, _ partition: NodePartition) -> [UInt32] {
    let sorted = edges.map { (cell: partition.cell(of: $0.node), node: $0.node) }
      .sorted { ($0.cell, $0.node) < ($1.cell, $1.node) }
    var distinguishing: [UInt32] = []
    var start = 0
    while start < sorted.count {
      var (end, distinct) = (start + 1, 1)
      while end < sorted.count, sorted[end].cell == sorted[start].cell {
        if sorted[end].node != sorted[end - 1].node { distinct += 1 }
        end += 1
      }
      let size = partition.count(of: sorted[start].cell)
      if size > 1, distinct < size || end - start > size { distinguishing += sorted[start..<end].map(\.node) }
      start = end
    }
    return distinguishing
  }

  /// Orders the nodes of a component, and adds its symmetries to those of the whole graph.
  private mutating func component(
    _ nodes: [UInt32], _ graph: LabelledGraph, _ partition: NodePartition, _ depth: Int, _ symmetries: inout Orbits
  ) -> Component {
    if nodes.count == 1, let node = nodes.first {
      // Only edges to itself distinguish it from other components of one node.
      let loops = graph.edges(from: node).filter { $0.node == node }.map(\.label)
      return Component(nodes: nodes, certificate: [1, partition.cell(of: node)] + loops)
    }
    if numbers.count < graph.nodeCount { numbers = [Int32](repeating: -1, count: graph.nodeCount) }
    for (number, node) in nodes.enumerated() { numbers[Int(node)] = Int32(number) }
    let part = graph.part(nodes, colors: { partition.cell(of: $0) }, numbers: numbers)
    for node in nodes { numbers[Int(node)] = -1 }
    let size = Int64(part.nodeCount + part.edgeCount)
    // Each component of the whole graph has its own allowance, so that none gets an arbitrary order because of another.
    allowance = depth == 0 ? Self.minimumAllowance + 128 * size : allowance - size
    let (order, ownSymmetries) = search(part, depth)
    symmetries.add(ownSymmetries, of: nodes)
    return Component(
      nodes: order.map { nodes[Int($0)] }, certificate: [UInt32(nodes.count)] + part.certificate(order))
  }

  /// The number of each node in the current component; -1 for all others.
  private var numbers: [Int32] = []

  // MARK: Search

  /// An order of a component's nodes, and the graph in this order.
  private struct Numbering {
    var order: [UInt32]
    var certificate: [UInt32]

    init(_ order: [UInt32], of graph: LabelledGraph) {
      self.order = order
      certificate = graph.certificate(order)
    }
  }

  /// The result of choosing a node to come first.
  private struct Candidate {
    /// The course of the refinement after the choice.
    var trace: [UInt32]
    /// The order after arbitrary further choices.
    var first: Numbering
    /// The order that gives the least graph.
    var least: Numbering
  }

  /// Returns the nodes of a component in canonical order, and the symmetries found.
  ///
  /// One node of a cell must come first. The search tries each, and takes the one that gives the least graph. It skips
  /// nodes that a symmetry maps to a node already tried, because they give the same graph. Most symmetries are found by one
  /// arbitrary order of each candidate, without the search of its least one. Equal nodes that all refer to each other
  /// would otherwise need as many attempts as they have orders.
  private mutating func search(_ graph: LabelledGraph, _ depth: Int) -> (order: [UInt32], symmetries: Orbits) {
    var partition = NodePartition(graph)
    var symmetries = Orbits(count: graph.nodeCount)
    guard let cell = partition.smallestCell else { return (partition.nodes, symmetries) }
    var best: Candidate?
    for node in Array(partition.members(of: cell)) {
      if best != nil {
        if allowance <= 0 { break }
        if symmetries.isTried(node) { continue }
      }
      let (mark, work) = (partition.mark, partition.work)
      partition.individualize(node)
      var trace = RefinementTrace(best: best?.trace)
      if partition.refine(graph, &trace) {
        let refined = partition.mark
        let first = Numbering(individualizeRemaining(graph, &partition), of: graph)
        partition.undo(to: refined)
        allowance -= Int64(first.certificate.count)
        let known = trace.isLess ? nil : best
        if let known, first.certificate == known.first.certificate {
          symmetries.add(from: known.first.order, to: first.order)
        } else {
          var least = first
          if !partition.isDiscrete {
            least = Numbering(canonicalNodes(graph, &partition, depth: depth + 1, &symmetries), of: graph)
            allowance -= Int64(least.certificate.count)
          }
          if let known, least.certificate == known.least.certificate {
            symmetries.add(from: known.least.order, to: least.order)
          } else if known.map({ least.certificate.lexicographicallyPrecedes($0.least.certificate) }) ?? true {
            best = Candidate(trace: trace.values, first: first, least: least)
          }
        }
      }
      symmetries.markTried(node)
      partition.undo(to: mark)
      allowance -= Int64(partition.work - work)
    }
    return (best?.least.order ?? partition.nodes, symmetries)
  }
}

/// Sets of nodes that symmetries map to each other.
private struct Orbits {
  private var sets: DisjointSets
  private var isTried: [Bool]

  init(count: Int) {
    sets = DisjointSets(count: count)
    isTried = [Bool](repeating: false, count: count)
  }

  /// Adds a symmetry that maps each node of one order to the node at the same position of another.
  mutating func add(from order: [UInt32], to other: [UInt32]) {
    for (node, image) in zip(order, other) { join(Int(node), Int(image)) }
  }

  /// Adds the symmetries of a component, whose nodes are some nodes of this graph.
  mutating func add(_ component: Orbits, of nodes: [UInt32]) {
    var component = component
    for (number, node) in nodes.enumerated() { join(Int(node), Int(nodes[component.sets.root(number)])) }
  }

  private mutating func join(_ node: Int, _ other: Int) {
    let (a, b) = (sets.root(node), sets.root(other))
    guard a != b else { return }
    let tried = isTried[a] || isTried[b]
    _ = sets.join(a, b)
    isTried[sets.root(a)] = tried
  }

  mutating func isTried(_ node: UInt32) -> Bool { isTried[sets.root(Int(node))] }

  mutating func markTried(_ node: UInt32) { isTried[sets.root(Int(node))] = true }
}

/// Disjoint sets of numbers (union-find).
package struct DisjointSets {
  private var parents: [Int32]

  /// Creates a set for each number below `count`.
  package init(count: Int) { parents = (0..<count).map { Int32($0) } }

  /// Joins the sets of two numbers.
  /// - Returns: `false` if both are already in one set.
  package mutating func join(_ a: Int, _ b: Int) -> Bool {
    let (a, b) = (root(a), root(b))
    guard a != b else { return false }
    parents[a] = Int32(b)
    return true
  }

  /// Returns the representative of a number's set.
  package mutating func root(_ number: Int) -> Int {
    var number = number
    while Int(parents[number]) != number {
      parents[number] = parents[Int(parents[number])]
      number = Int(parents[number])
    }
    return number
  }
}
