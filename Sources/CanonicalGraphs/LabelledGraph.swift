// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A directed graph with colored nodes and labelled edges.
///
/// Nodes are numbered from 0 in the order of their colors. Edges of one node with the same label are interchangeable,
/// as the elements of a set are.
package struct LabelledGraph {
  package struct Edge {
    package var label: UInt32
    /// The node at the other end.
    package var node: UInt32

    package init(label: UInt32, node: UInt32) {
      self.label = label
      self.node = node
    }
  }

  package let colors: [UInt32]
  private let outgoing: [Edge]
  private let outgoingStarts: [Int]
  private let incoming: [Edge]
  private let incomingStarts: [Int]

  package var nodeCount: Int { colors.count }
  package var edgeCount: Int { outgoing.count }

  /// Creates a graph.
  /// - Parameters:
  ///   - colors: The color of each node, in ascending order.
  ///   - outgoing: The edges of all nodes, those of a node in the order of their labels.
  ///   - starts: The start of each node's edges, followed by the end of the last.
  package init(colors: [UInt32], outgoing: [Edge], starts: [Int]) {
    self.colors = colors
    self.outgoing = outgoing
    outgoingStarts = starts
    var counts = [Int](repeating: 0, count: colors.count + 1)
    for edge in outgoing { counts[Int(edge.node) + 1] += 1 }
    for node in colors.indices { counts[node + 1] += counts[node] }
    incomingStarts = counts
    var incoming = [Edge](repeating: Edge(label: 0, node: 0), count: outgoing.count)
    for node in colors.indices {
      for edge in outgoing[starts[node]..<starts[node + 1]] {
        incoming[counts[Int(edge.node)]] = Edge(label: edge.label, node: UInt32(node))
        counts[Int(edge.node)] += 1
      }
    }
    self.incoming = incoming
  }

  /// Returns the edges from a node.
  package func edges(from node: UInt32) -> ArraySlice<Edge> {
    outgoing[outgoingStarts[Int(node)]..<outgoingStarts[Int(node) + 1]]
  }

  /// Returns the edges to a node.
  package func edges(to node: UInt32) -> ArraySlice<Edge> {
    incoming[incomingStarts[Int(node)]..<incomingStarts[Int(node) + 1]]
  }

  /// Returns the subgraph of some nodes and the edges between them.
  /// - Parameters:
  ///   - nodes: The nodes, in the order of their new colors.
  ///   - color: The new color of a node.
  ///   - number: For each node of the whole graph, its number in the subgraph; -1 for nodes that are not in it.
  /// - Returns: The subgraph.
  func part(_ nodes: [UInt32], colors color: (UInt32) -> UInt32, numbers number: [Int32]) -> LabelledGraph {
    var edges: [Edge] = []
    var starts = [0]
    for node in nodes {
      for edge in self.edges(from: node) where number[Int(edge.node)] >= 0 {
        edges.append(Edge(label: edge.label, node: UInt32(number[Int(edge.node)])))
      }
      starts.append(edges.count)
    }
    return LabelledGraph(colors: nodes.map(color), outgoing: edges, starts: starts)
  }

  /// Returns the graph as a sequence of numbers, with its nodes numbered in an order.
  ///
  /// It needs orders whose nodes at each position have equally many edges of each label, as those within one equitable
  /// coloring do. Two sequences are equal if and only if exchanging one order for the other is a symmetry of the graph.
  func certificate(_ order: [UInt32]) -> [UInt32] {
    var positions = [UInt32](repeating: 0, count: order.count)
    for (position, node) in order.enumerated() { positions[Int(node)] = UInt32(position) }
    var certificate: [UInt32] = []
    certificate.reserveCapacity(2 * order.count + 2 * edgeCount)
    for node in order {
      let edges = edges(from: node)
      certificate.append(colors[Int(node)])
      certificate.append(UInt32(edges.count))
      var start = certificate.count
      var label: UInt32?
      for edge in edges {
        if edge.label != label {
          certificate[start...].sort()
          certificate.append(edge.label)
          start = certificate.count
          label = edge.label
        }
        certificate.append(positions[Int(edge.node)])
      }
      certificate[start...].sort()
    }
    return certificate
  }
}

/// A builder of a ``LabelledGraph``. It folds leaves that only distinguish their parent into the parent's color.
package struct GraphSketch {
  private var colors: [UInt32] = []
  private var edges: [LabelledGraph.Edge] = []
  private var starts = [0]
  /// Whether a node must stay in the graph, because its position in the order is needed.
  private var isWanted: [Bool]

  package init(nodeCount: Int) { isWanted = [Bool](repeating: false, count: nodeCount) }

  /// Adds a node, whose edges have been added. Colors must not descend.
  package mutating func addNode(color: UInt32, isWanted wanted: Bool = false) {
    colors.append(color)
    starts.append(edges.count)
    while isWanted.count < colors.count { isWanted.append(false) }
    if wanted { isWanted[colors.count - 1] = true }
  }

  /// Adds an edge from the node that is added next, in the order of labels.
  package mutating func addEdge(_ label: UInt32, to node: UInt32, isWanted wanted: Bool) {
    edges.append(LabelledGraph.Edge(label: label, node: node))
    while isWanted.count <= Int(node) { isWanted.append(false) }
    if wanted { isWanted[Int(node)] = true }
  }

  /// Returns the graph without the leaves that have one edge, from a node they distinguish.
  /// - Returns: The graph, and the original numbers of its nodes.
  package func graph() -> (graph: LabelledGraph, nodes: [UInt32]) {
    var degrees = [UInt32](repeating: 0, count: colors.count)
    for edge in edges { degrees[Int(edge.node)] += 1 }
    let isLeaf = colors.indices.map { degrees[$0] == 1 && starts[$0] == starts[$0 + 1] && !isWanted[$0] }
    // The leaves' labels and colors refine the color of their parent.
    func leaves(of node: Int) -> [UInt64] {
      edges[starts[node]..<starts[node + 1]].filter { isLeaf[Int($0.node)] }
        .map { UInt64($0.label) << 32 | UInt64(colors[Int($0.node)]) }
    }
    let signatures = colors.indices.map { isLeaf[$0] ? [] : leaves(of: $0) }
    let nodes = colors.indices.filter { !isLeaf[$0] }
      .sorted { a, b in
        if colors[a] != colors[b] { return colors[a] < colors[b] }
        return signatures[a].lexicographicallyPrecedes(signatures[b])
      }
    var numbers = [Int32](repeating: -1, count: colors.count)
    var newColors: [UInt32] = []
    var newStarts = [0]
    var newEdges: [LabelledGraph.Edge] = []
    for (number, node) in nodes.enumerated() { numbers[node] = Int32(number) }
    for (position, node) in nodes.enumerated() {
      let isSame =
        position > 0 && colors[nodes[position - 1]] == colors[node]
        && signatures[nodes[position - 1]] == signatures[node]
      newColors.append(isSame ? newColors[position - 1] : UInt32(position))
      for edge in edges[starts[node]..<starts[node + 1]] where !isLeaf[Int(edge.node)] {
        newEdges.append(LabelledGraph.Edge(label: edge.label, node: UInt32(numbers[Int(edge.node)])))
      }
      newStarts.append(newEdges.count)
    }
    let graph = LabelledGraph(colors: newColors, outgoing: newEdges, starts: newStarts)
    return (graph, nodes.map { UInt32($0) })
  }
}
