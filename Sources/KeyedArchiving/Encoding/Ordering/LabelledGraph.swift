// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A directed graph with a color for each node and a label for each edge: objects of which some look the same, and how they
/// refer to each other.
///
/// Nodes are numbered from 0 on in the order of their colors. Edges of one node with the same label are interchangeable,
/// as the elements of a set are.
struct LabelledGraph {
  struct Edge {
    var label: UInt32
    /// The node at the other end.
    var node: UInt32
  }

  let colors: [UInt32]
  private let outgoing: [Edge]
  private let outgoingStarts: [Int]
  private let incoming: [Edge]
  private let incomingStarts: [Int]

  var nodeCount: Int { colors.count }
  var edgeCount: Int { outgoing.count }

  /// Makes a graph.
  /// - Parameters:
  ///   - colors: The color of each node, in ascending order.
  ///   - outgoing: The edges of all nodes, those of a node in the order of their labels.
  ///   - starts: Where the edges of each node begin, and last where they end.
  init(colors: [UInt32], outgoing: [Edge], starts: [Int]) {
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

  /// The edges that lead from a node.
  func edges(from node: UInt32) -> ArraySlice<Edge> {
    outgoing[outgoingStarts[Int(node)]..<outgoingStarts[Int(node) + 1]]
  }

  /// The edges that lead to a node.
  func edges(to node: UInt32) -> ArraySlice<Edge> {
    incoming[incomingStarts[Int(node)]..<incomingStarts[Int(node) + 1]]
  }

  /// The part of the graph that some nodes and the edges between them make up.
  /// - Parameters:
  ///   - nodes: The nodes, in the order of their new colors.
  ///   - color: The new color of a node.
  ///   - number: For each node of the whole graph, its number in the part; -1 for those that are not in it.
  /// - Returns: The part.
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

  /// The graph as a sequence of numbers, if its nodes were numbered in this order: two orders give the same sequence if and
  /// only if exchanging one for the other maps the graph to itself.
  func certificate(_ order: [UInt32]) -> [UInt32] {
    var places = [UInt32](repeating: 0, count: order.count)
    for (place, node) in order.enumerated() { places[Int(node)] = UInt32(place) }
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
        certificate.append(places[Int(edge.node)])
      }
      certificate[start...].sort()
    }
    return certificate
  }
}
