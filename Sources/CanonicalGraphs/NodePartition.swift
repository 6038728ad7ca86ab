// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A partition of the nodes of a ``LabelledGraph`` into cells. A cell has the nodes that nothing known so far
/// distinguishes.
///
/// The order of the cells depends on the graph alone; the order of nodes within a cell is arbitrary. Refinement splits
/// cells until the nodes of a cell have the same number of edges of each label from and to each cell. This is color
/// refinement, or one-dimensional Weisfeiler-Leman. After a split, all parts but the largest are visited again. Each
/// node and edge is thus visited O(log n) times (Hopcroft), also when nodes are individualized one after another.
package struct NodePartition {
  /// All nodes; those of a cell are adjacent.
  private(set) var nodes: [UInt32]
  private var positionOfNode: [UInt32]
  /// The start of each node's cell in ``nodes``, which also identifies the cell.
  private var cellOfNode: [UInt32]
  /// The number of nodes of the cell that starts at each index.
  private var counts: [UInt32]
  private var cellCount: Int
  /// The cells that may still split others.
  private var queue: [UInt32] = []
  private var queueHead = 0
  private var isQueued: [Bool]
  /// The cells that were split off, in order, each with its predecessor.
  private var splits: [(cell: UInt32, former: UInt32)] = []
  // Buffers that each split reuses.
  private var members: [UInt32] = []
  private var neighbors: [UInt64] = []
  private var touched: [TouchedNode] = []
  /// The number of edges and nodes visited.
  private(set) var work = 0

  /// Creates the partition by color.
  init(_ graph: LabelledGraph) {
    let count = graph.nodeCount
    nodes = (0..<UInt32(count)).map { $0 }
    positionOfNode = nodes
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

  /// Whether each cell has one node.
  var isDiscrete: Bool { cellCount == nodes.count }

  func cell(of node: UInt32) -> UInt32 { cellOfNode[Int(node)] }

  func count(of cell: UInt32) -> Int { Int(counts[Int(cell)]) }

  func members(of cell: UInt32) -> ArraySlice<UInt32> { nodes[Int(cell)..<Int(cell) + count(of: cell)] }

  /// Returns the first cell at or after an index that has more than one node.
  func firstCell(withSeveralNodesFrom position: Int) -> UInt32? {
    var position = position
    while position < nodes.count {
      if counts[position] > 1 { return UInt32(position) }
      position += Int(counts[position])
    }
    return nil
  }

  /// The first of the smallest cells with more than one node.
  var smallestCell: UInt32? {
    var smallest: UInt32?
    var position = 0
    while position < nodes.count {
      if counts[position] > 1, smallest.map({ counts[position] < counts[Int($0)] }) ?? true {
        smallest = UInt32(position)
      }
      position += Int(counts[position])
    }
    return smallest
  }

  // MARK: Refinement

  /// Enqueues all cells for the next refinement.
  mutating func enqueueAll() {
    var position = 0
    while position < nodes.count {
      enqueue(UInt32(position))
      position += Int(counts[position])
    }
  }

  /// Moves a node into a new cell, directly after the rest of its old cell.
  mutating func individualize(_ node: UInt32) {
    let cell = cellOfNode[Int(node)]
    let last = Int(cell) + count(of: cell) - 1
    move(node, to: last)
    counts[Int(cell)] -= 1
    addCell(UInt32(last), of: 1, after: cell)
    enqueue(UInt32(last))
  }

  /// Splits cells until no cell distinguishes nodes of another.
  /// - Returns: `false` if the trace is greater than the best one.
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

  /// Finds the neighbors of the cell's members, by the labels of the edges.
  private mutating func findNeighbors(_ graph: LabelledGraph, isIncoming: Bool) {
    neighbors.removeAll(keepingCapacity: true)
    for member in members {
      let edges = isIncoming ? graph.edges(to: member) : graph.edges(from: member)
      work += edges.count + 1
      // A cell with one node cannot be split.
      for edge in edges where counts[Int(cellOfNode[Int(edge.node)])] > 1 {
        neighbors.append(UInt64(edge.label) << 32 | UInt64(edge.node))
      }
    }
    if neighbors.count > 1 { neighbors.sort() }
  }

  /// Splits cells by their nodes' numbers of edges with each label.
  private mutating func splitByNeighbors(_ trace: inout RefinementTrace) {
    var position = 0
    while position < neighbors.count {
      let label = neighbors[position] >> 32
      touched.removeAll(keepingCapacity: true)
      while position < neighbors.count, neighbors[position] >> 32 == label {
        let neighbor = neighbors[position]
        let start = position
        while position < neighbors.count, neighbors[position] == neighbor { position += 1 }
        let node = UInt32(truncatingIfNeeded: neighbor)
        touched.append(
          TouchedNode(cell: cellOfNode[Int(node)], count: UInt32(truncatingIfNeeded: position - start), node: node))
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

    /// The sort key: the cell, then the number of edges.
    var order: UInt64 { UInt64(cell) << 32 | UInt64(count) }
  }

  /// Splits a cell: untouched nodes stay in front, and touched nodes follow in the order of their counts.
  private mutating func split(_ range: Range<Int>, _ trace: inout RefinementTrace) {
    let (first, last) = (touched[range.lowerBound], touched[range.upperBound - 1])
    let cell = first.cell
    let size = count(of: cell)
    trace.append(cell)
    trace.append(first.count)
    guard size > range.count || first.count != last.count else { return }
    work += range.count
    var position = Int(cell) + size
    for index in range.reversed() {
      position -= 1
      move(touched[index].node, to: position)
    }
    let firstSplit = splits.count
    var former = cell
    var index = range.lowerBound
    counts[Int(cell)] = UInt32(size - range.count)
    while index < range.upperBound {
      var end = index + 1
      while end < range.upperBound, touched[end].count == touched[index].count { end += 1 }
      let start = UInt32(position + index - range.lowerBound)
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

  /// Enqueues the parts of a split cell. If the cell was queued, its first part still is. Otherwise the largest part is
  /// left out, because the whole and all other parts already imply its effect.
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
    for position in Int(cell)..<Int(cell) + count { cellOfNode[Int(nodes[position])] = cell }
    splits.append((cell, former))
    cellCount += 1
  }

  private mutating func move(_ node: UInt32, to position: Int) {
    let (former, other) = (Int(positionOfNode[Int(node)]), nodes[position])
    nodes[former] = other
    nodes[position] = node
    positionOfNode[Int(other)] = UInt32(former)
    positionOfNode[Int(node)] = UInt32(position)
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

  /// A state of the partition for ``undo(to:)``.
  var mark: Int { splits.count }

  /// Joins the cells that were split since a mark.
  mutating func undo(to mark: Int) {
    clearQueue()
    while splits.count > mark, let (cell, former) = splits.popLast() {
      for position in Int(cell)..<Int(cell) + count(of: cell) { cellOfNode[Int(nodes[position])] = former }
      counts[Int(former)] += counts[Int(cell)]
      work += count(of: cell)
      counts[Int(cell)] = 0
      cellCount -= 1
    }
  }
}

/// The course of a refinement, as numbers that depend on the graph alone, and not on the order of nodes within cells.
///
/// The search needs the refinement with the least trace, so it abandons one as soon as its trace exceeds the best.
struct RefinementTrace {
  private(set) var values: [UInt32] = []
  private let best: [UInt32]?
  private(set) var mayBeLeast = true
  /// Whether the trace precedes the best one, and need not be compared further.
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

  /// Ends the trace. Returns `false` if it is greater than the best one.
  mutating func end() -> Bool {
    if !isLess, let best, values.count < best.count { isLess = true }
    return mayBeLeast
  }
}
