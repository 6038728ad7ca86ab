// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The nodes of a ``LabelledGraph`` in cells, each of which holds the nodes that nothing known so far tells apart.
///
/// Cells are in an order that depends on the graph alone; the nodes of one cell are in any order. Refinement splits cells
/// until all nodes of a cell have, for each label and each cell, as many edges from and to the nodes of that cell
/// (color refinement, also known as the one-dimensional Weisfeiler-Leman algorithm). After a split all parts but the
/// largest are looked at again, so a node is looked at O(log n) times (Hopcroft), and so are its edges, also when nodes
/// are told apart one after another.
struct NodePartition {
  /// All nodes, those of a cell next to each other.
  private(set) var nodes: [UInt32]
  private var placeOfNode: [UInt32]
  /// Where the cell of each node starts among ``nodes``. This also names the cell.
  private var cellOfNode: [UInt32]
  /// How many nodes the cell has that starts at a place.
  private var counts: [UInt32]
  private var cellCount: Int
  /// The cells by which others may still have to be split.
  private var queue: [UInt32] = []
  private var queueHead = 0
  private var isQueued: [Bool]
  /// The cells that were split off, in order, each with the one before it.
  private var splits: [(cell: UInt32, former: UInt32)] = []
  // Memory that each split uses again.
  private var members: [UInt32] = []
  private var neighbors: [UInt64] = []
  private var touched: [TouchedNode] = []
  /// How many edges and nodes were looked at.
  private(set) var work = 0

  /// Puts nodes of one color into a cell.
  init(_ graph: LabelledGraph) {
    let count = graph.nodeCount
    nodes = (0..<UInt32(count)).map { $0 }
    placeOfNode = nodes
    cellOfNode = nodes
    counts = [UInt32](repeating: 0, count: count)
    isQueued = [Bool](repeating: false, count: count)
    cellCount = 0
    var start = 0
    for node in 0..<count {
      if graph.colors[node] != graph.colors[start] { start = node }
      if start == node { cellCount += 1 }
      cellOfNode[node] = UInt32(start)
      counts[start] += 1
    }
  }

  /// Whether each node has a cell of its own.
  var isDiscrete: Bool { cellCount == nodes.count }

  func cell(of node: UInt32) -> UInt32 { cellOfNode[Int(node)] }

  func count(of cell: UInt32) -> Int { Int(counts[Int(cell)]) }

  func members(of cell: UInt32) -> ArraySlice<UInt32> { nodes[Int(cell)..<Int(cell) + count(of: cell)] }

  /// The first cell, from a place on, that has more than one node.
  func firstCell(withSeveralNodesFrom place: Int) -> UInt32? {
    var place = place
    while place < nodes.count {
      if counts[place] > 1 { return UInt32(place) }
      place += Int(counts[place])
    }
    return nil
  }

  /// The first of the smallest cells that have more than one node.
  var smallestCell: UInt32? {
    var smallest: UInt32?
    var place = 0
    while place < nodes.count {
      if counts[place] > 1, smallest.map({ counts[place] < counts[Int($0)] }) ?? true { smallest = UInt32(place) }
      place += Int(counts[place])
    }
    return smallest
  }

  // MARK: Refinement

  /// Has all cells looked at by the next refinement.
  mutating func enqueueAll() {
    var place = 0
    while place < nodes.count {
      enqueue(UInt32(place))
      place += Int(counts[place])
    }
  }

  /// Puts a node into a cell of its own, behind the rest of its former one.
  mutating func individualize(_ node: UInt32) {
    let cell = cellOfNode[Int(node)]
    let last = Int(cell) + count(of: cell) - 1
    move(node, to: last)
    counts[Int(cell)] -= 1
    addCell(UInt32(last), of: 1, after: cell)
    enqueue(UInt32(last))
  }

  /// Splits cells until no cell tells nodes of another apart. Returns whether the trace may still be the least.
  mutating func refine(_ graph: LabelledGraph, _ trace: inout RefinementTrace) -> Bool {
    while queueHead < queue.count {
      let cell = queue[queueHead]
      queueHead += 1
      isQueued[Int(cell)] = false
      members.removeAll(keepingCapacity: true)
      members.append(contentsOf: members(of: cell))
      trace.append(cell)
      findNeighbors(graph, isIncoming: true)
      splitByNeighbors(&trace)
      findNeighbors(graph, isIncoming: false)
      splitByNeighbors(&trace)
      guard trace.mayBeLeast else { return false }
      if isDiscrete { break }
    }
    clearQueue()
    return trace.end()
  }

  /// Finds the nodes from which, or to which, edges lead to the members of a cell, by the labels of these edges.
  private mutating func findNeighbors(_ graph: LabelledGraph, isIncoming: Bool) {
    neighbors.removeAll(keepingCapacity: true)
    for member in members {
      let edges = isIncoming ? graph.edges(to: member) : graph.edges(from: member)
      work += edges.count + 1
      // A node in a cell of its own cannot be split.
      for edge in edges where counts[Int(cellOfNode[Int(edge.node)])] > 1 {
        neighbors.append(UInt64(edge.label) << 32 | UInt64(edge.node))
      }
    }
    if neighbors.count > 1 { neighbors.sort() }
  }

  /// Splits cells by how many edges with each label their nodes have.
  private mutating func splitByNeighbors(_ trace: inout RefinementTrace) {
    var place = 0
    while place < neighbors.count {
      let label = neighbors[place] >> 32
      touched.removeAll(keepingCapacity: true)
      while place < neighbors.count, neighbors[place] >> 32 == label {
        let neighbor = neighbors[place]
        let start = place
        while place < neighbors.count, neighbors[place] == neighbor { place += 1 }
        let node = UInt32(truncatingIfNeeded: neighbor)
        touched.append(
          TouchedNode(cell: cellOfNode[Int(node)], count: UInt32(truncatingIfNeeded: place - start), node: node))
      }
      if touched.count > 1 { touched.sort { $0.order < $1.order } }
      trace.append(UInt32(truncatingIfNeeded: label))
      var start = 0
      while start < touched.count {
        var end = start + 1
        while end < touched.count, touched[end].cell == touched[start].cell { end += 1 }
        split(start..<end, &trace)
        start = end
      }
    }
  }

  private struct TouchedNode {
    var cell: UInt32
    var count: UInt32
    var node: UInt32

    /// Nodes are in the order of their cells and, within a cell, of how many edges they have.
    var order: UInt64 { UInt64(cell) << 32 | UInt64(count) }
  }

  /// Splits a cell: what was not touched stays in front, then come those that were, in the order of their counts.
  private mutating func split(_ range: Range<Int>, _ trace: inout RefinementTrace) {
    let (first, last) = (touched[range.lowerBound], touched[range.upperBound - 1])
    let cell = first.cell
    let size = count(of: cell)
    trace.append(cell)
    trace.append(first.count)
    guard size > range.count || first.count != last.count else { return }
    work += range.count
    var place = Int(cell) + size
    for index in range.reversed() {
      place -= 1
      move(touched[index].node, to: place)
    }
    let firstSplit = splits.count
    var former = cell
    var index = range.lowerBound
    counts[Int(cell)] = UInt32(size - range.count)
    while index < range.upperBound {
      var end = index + 1
      while end < range.upperBound, touched[end].count == touched[index].count { end += 1 }
      let start = UInt32(place + index - range.lowerBound)
      if start == cell {
        counts[Int(cell)] = UInt32(end - index)
      } else {
        addCell(start, of: end - index, after: former)
        trace.append(start)
        trace.append(touched[index].count)
      }
      former = start
      index = end
    }
    enqueueParts(of: cell, from: firstSplit)
  }

  /// Enqueues the parts that a cell was split into. If it was waiting itself, its first part still is. Otherwise the largest
  /// part is left out: what the whole and all other parts tell, it cannot tell anew.
  private mutating func enqueueParts(of cell: UInt32, from firstSplit: Int) {
    var known = cell
    if !isQueued[Int(cell)] {
      for split in splits[firstSplit...] where counts[Int(split.cell)] > counts[Int(known)] { known = split.cell }
      if known != cell { enqueue(cell) }
    }
    for index in firstSplit..<splits.count where splits[index].cell != known { enqueue(splits[index].cell) }
  }

  private mutating func addCell(_ cell: UInt32, of count: Int, after former: UInt32) {
    counts[Int(cell)] = UInt32(count)
    for place in Int(cell)..<Int(cell) + count { cellOfNode[Int(nodes[place])] = cell }
    splits.append((cell, former))
    cellCount += 1
  }

  private mutating func move(_ node: UInt32, to place: Int) {
    let (former, other) = (Int(placeOfNode[Int(node)]), nodes[place])
    nodes[former] = other
    nodes[place] = node
    placeOfNode[Int(other)] = UInt32(former)
    placeOfNode[Int(node)] = UInt32(place)
  }

  private mutating func enqueue(_ cell: UInt32) {
    guard !isQueued[Int(cell)] else { return }
    isQueued[Int(cell)] = true
    queue.append(cell)
  }

  private mutating func clearQueue() {
    for cell in queue[queueHead...] { isQueued[Int(cell)] = false }
    queue.removeAll(keepingCapacity: true)
    queueHead = 0
  }

  // MARK: Undoing

  /// What ``undo(to:)`` goes back to.
  var mark: Int { splits.count }

  /// Joins the cells again that were split since a mark.
  mutating func undo(to mark: Int) {
    clearQueue()
    while splits.count > mark, let (cell, former) = splits.popLast() {
      for place in Int(cell)..<Int(cell) + count(of: cell) { cellOfNode[Int(nodes[place])] = former }
      counts[Int(former)] += counts[Int(cell)]
      work += count(of: cell)
      counts[Int(cell)] = 0
      cellCount -= 1
    }
  }
}

/// What happened in a refinement, as numbers that depend on the graph alone, and not on the order of nodes within cells.
///
/// Of several refinements the one with the least trace is wanted, so one is given up as soon as it is behind the best.
struct RefinementTrace {
  private(set) var values: [UInt32] = []
  private let best: [UInt32]?
  private(set) var mayBeLeast = true
  /// Whether it is before the best one; then it is not compared any more.
  private(set) var isLess: Bool

  init(best: [UInt32]?) {
    self.best = best
    isLess = best == nil
  }

  mutating func append(_ value: UInt32) {
    if !isLess, let best {
      if values.count < best.count, value == best[values.count] {
      } else if values.count < best.count, value < best[values.count] {
        isLess = true
      } else {
        mayBeLeast = false
      }
    }
    values.append(value)
  }

  /// Ends the trace. Returns whether it is at least as good as the best.
  mutating func end() -> Bool {
    if !isLess, let best, values.count < best.count { isLess = true }
    return mayBeLeast
  }
}
