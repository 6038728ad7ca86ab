// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A ``LabelledGraph`` in the making: nodes are added with their edges, and leaves that only color their parent are left out.
struct GraphSketch {
  private var colors: [UInt32] = []
  private var edges: [LabelledGraph.Edge] = []
  private var starts = [0]
  /// Whether a node must stay in the graph, because its place in the order is wanted.
  private var isWanted: [Bool]

  init(nodeCount: Int) { isWanted = [Bool](repeating: false, count: nodeCount) }

  var nodeCount: Int { colors.count }

  /// Adds a node, whose edges have been added. Colors must not descend.
  mutating func addNode(color: UInt32, isWanted wanted: Bool = false) {
    colors.append(color)
    starts.append(edges.count)
    while isWanted.count < colors.count { isWanted.append(false) }
    if wanted { isWanted[colors.count - 1] = true }
  }

  /// Adds an edge from the node that is added next, in the order of labels.
  mutating func addEdge(_ label: UInt32, to node: UInt32, isWanted wanted: Bool) {
    edges.append(LabelledGraph.Edge(label: label, node: node))
    while isWanted.count <= Int(node) { isWanted.append(false) }
    if wanted { isWanted[Int(node)] = true }
  }

  /// The graph without the leaves to which one edge leads from a node that is told apart by it, and which of the nodes stay.
  func graph() -> (graph: LabelledGraph, nodes: [UInt32]) {
    var degrees = [UInt32](repeating: 0, count: colors.count)
    for edge in edges { degrees[Int(edge.node)] += 1 }
    let isLeaf = colors.indices.map { degrees[$0] == 1 && starts[$0] == starts[$0 + 1] && !isWanted[$0] }
    // A node with such leaves has their colors besides its own.
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
    for (place, node) in nodes.enumerated() {
      let isSame =
        place > 0 && colors[nodes[place - 1]] == colors[node] && signatures[nodes[place - 1]] == signatures[node]
      newColors.append(isSame ? newColors[place - 1] : UInt32(place))
      for edge in edges[starts[node]..<starts[node + 1]] where !isLeaf[Int(edge.node)] {
        newEdges.append(LabelledGraph.Edge(label: edge.label, node: UInt32(numbers[Int(edge.node)])))
      }
      newStarts.append(newEdges.count)
    }
    let graph = LabelledGraph(colors: newColors, outgoing: newEdges, starts: newStarts)
    return (graph, nodes.map { UInt32($0) })
  }
}
