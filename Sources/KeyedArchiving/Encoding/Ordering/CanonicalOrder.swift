// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Puts the nodes of a ``LabelledGraph`` in an order that depends on the graph alone: however its nodes are numbered within
/// their colors, the graph looks the same when they are numbered in this order.
///
/// The page <doc:OrderOfSets> describes the algorithm.
struct CanonicalOrder {
  /// How many more edges and nodes may be looked at to compare what refinement leaves alike.
  private var allowance: Int

  private init(allowance: Int) { self.allowance = allowance }

  /// The nodes of a graph in order.
  static func nodes(of graph: LabelledGraph) -> [UInt32] {
    var order = CanonicalOrder(allowance: minimumAllowance + 128 * (graph.nodeCount + graph.edgeCount))
    var partition = NodePartition(graph)
    var trace = RefinementTrace(best: nil)
    partition.enqueueAll()
    _ = partition.refine(graph, &trace)
    return order.settle(graph, &partition, depth: 0)
  }

  private static let minimumAllowance = 200_000
  private static let maximumDepth = 64

  /// The nodes of a graph in order, from a partition that cannot be refined further.
  private mutating func settle(_ graph: LabelledGraph, _ partition: inout NodePartition, depth: Int) -> [UInt32] {
    if partition.isDiscrete { return partition.nodes }
    guard allowance > 0, depth < Self.maximumDepth else { return tellApart(graph, &partition) }
    var components: [Component] = []
    for nodes in self.components(of: graph, partition) {
      components.append(component(nodes, graph, partition, depth))
    }
    // Components with the same certificate can be exchanged for each other, so their order does not matter.
    components.sort { $0.certificate.lexicographicallyPrecedes($1.certificate) }
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

  /// Tells nodes apart one after another, by what they are numbered now.
  private func tellApart(_ graph: LabelledGraph, _ partition: inout NodePartition) -> [UInt32] {
    var place = 0
    while let cell = partition.firstCell(withSeveralNodesFrom: place) {
      place = Int(cell)
      var trace = RefinementTrace(best: nil)
      partition.individualize(partition.nodes[place])
      _ = partition.refine(graph, &trace)
    }
    return partition.nodes
  }

  // MARK: Components

  /// Nodes whose order does not depend on that of any others, in order.
  private struct Component {
    var nodes: [UInt32]
    var certificate: [UInt32]
  }

  /// The nodes that are not told apart yet, in components: within a cell, the order of one component's nodes has nothing to
  /// do with that of another's. Nodes have to be in one component if an edge leads from one to the other, unless edges with
  /// its label lead to all nodes of a cell.
  private mutating func components(of graph: LabelledGraph, _ partition: NodePartition) -> [[UInt32]] {
    var sets = DisjointSets(count: graph.nodeCount)
    for node in partition.nodes where partition.count(of: partition.cell(of: node)) > 1 {
      let edges = graph.edges(from: node)
      allowance -= edges.count + 1
      var start = edges.startIndex
      while start < edges.endIndex {
        var end = start + 1
        while end < edges.endIndex, edges[end].label == edges[start].label { end += 1 }
        if end - start > 1 {
          for target in Self.telling(edges[start..<end], partition) { _ = sets.join(Int(node), Int(target)) }
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

  /// The ends of a node's edges with one label that lead to some nodes of a cell and not to all.
  private static func telling(_ edges: ArraySlice<LabelledGraph.Edge>, _ partition: NodePartition) -> [UInt32] {
    let sorted = edges.map { (cell: partition.cell(of: $0.node), node: $0.node) }
      .sorted { ($0.cell, $0.node) < ($1.cell, $1.node) }
    var telling: [UInt32] = []
    var start = 0
    while start < sorted.count {
      var (end, distinct) = (start + 1, 1)
      while end < sorted.count, sorted[end].cell == sorted[start].cell {
        if sorted[end].node != sorted[end - 1].node { distinct += 1 }
        end += 1
      }
      let size = partition.count(of: sorted[start].cell)
      if size > 1, distinct < size || end - start > size { telling += sorted[start..<end].map(\.node) }
      start = end
    }
    return telling
  }

  private mutating func component(
    _ nodes: [UInt32], _ graph: LabelledGraph, _ partition: NodePartition, _ depth: Int
  ) -> Component {
    if nodes.count == 1, let node = nodes.first {
      // Edges to itself are all that can tell it from other such components.
      let loops = graph.edges(from: node).filter { $0.node == node }.map(\.label)
      return Component(nodes: nodes, certificate: [1, partition.cell(of: node)] + loops)
    }
    if numbers.count < graph.nodeCount { numbers = [Int32](repeating: -1, count: graph.nodeCount) }
    for (number, node) in nodes.enumerated() { numbers[Int(node)] = Int32(number) }
    let part = graph.part(nodes, colors: { partition.cell(of: $0) }, numbers: numbers)
    for node in nodes { numbers[Int(node)] = -1 }
    allowance -= part.nodeCount + part.edgeCount
    let order = search(part, depth)
    return Component(
      nodes: order.map { nodes[Int($0)] }, certificate: [UInt32(nodes.count)] + part.certificate(order))
  }

  /// For each node of a graph its number in the component in work; -1 for all others, and for all between components.
  private var numbers: [Int32] = []

  // MARK: Search

  /// An order of a component's nodes.
  private struct Candidate {
    var order: [UInt32]
    var trace: [UInt32]
    var certificate: [UInt32]
  }

  /// The nodes of a component in order. One node of a cell has to come first: each is tried, and the one is taken that gives
  /// the least graph. Nodes that a symmetry of the graph exchanges for one that was tried give the same.
  private mutating func search(_ graph: LabelledGraph, _ depth: Int) -> [UInt32] {
    var partition = NodePartition(graph)
    guard let cell = partition.smallestCell else { return partition.nodes }
    var best: Candidate?
    var symmetries = Orbits(count: graph.nodeCount)
    for node in Array(partition.members(of: cell)) {
      if best != nil {
        if allowance <= 0 { break }
        if symmetries.isTried(node) { continue }
      }
      let (mark, work) = (partition.mark, partition.work)
      partition.individualize(node)
      var trace = RefinementTrace(best: best?.trace)
      if partition.refine(graph, &trace) {
        let order = settle(graph, &partition, depth: depth + 1)
        let candidate = Candidate(order: order, trace: trace.values, certificate: graph.certificate(order))
        allowance -= candidate.certificate.count
        if let known = best, !trace.isLess {
          if candidate.certificate == known.certificate {
            symmetries.add(from: known.order, to: order)
          } else if candidate.certificate.lexicographicallyPrecedes(known.certificate) {
            best = candidate
          }
        } else {
          best = candidate
        }
      }
      symmetries.markTried(node)
      partition.undo(to: mark)
      allowance -= partition.work - work
    }
    return best?.order ?? partition.nodes
  }
}

/// Nodes that symmetries exchange for each other.
private struct Orbits {
  private var sets: DisjointSets
  private var isTried: [Bool]

  init(count: Int) {
    sets = DisjointSets(count: count)
    isTried = [Bool](repeating: false, count: count)
  }

  /// Adds a symmetry, which exchanges each node of an order for the one at the same place of another.
  mutating func add(from order: [UInt32], to other: [UInt32]) {
    for (node, image) in zip(order, other) {
      let (a, b) = (sets.root(Int(node)), sets.root(Int(image)))
      let tried = isTried[a] || isTried[b]
      _ = sets.join(a, b)
      isTried[sets.root(a)] = tried
    }
  }

  mutating func isTried(_ node: UInt32) -> Bool { isTried[sets.root(Int(node))] }

  mutating func markTried(_ node: UInt32) { isTried[sets.root(Int(node))] = true }
}
