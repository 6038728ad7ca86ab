// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CanonicalGraphs

/// The graph of the objects that only tied elements refer to, of the objects these refer to, and of the owners of the
/// sets. The order of tied elements depends on nothing else.
struct TiedGraph {
  private let graph: LabelledGraph
  /// The object of each node; 0 for an entry of a dictionary.
  private let objectOfNode: [UInt32]
  /// The numbers of the identified objects; 0 for all others.
  private let identified: [UInt32]

  init(
    _ state: borrowing ArchiverState, _ ties: [TiedElements], _ tiesOfField: [Int: [Int]], _ identified: [UInt32],
    _ ranks: KeyLayoutRanks
  ) {
    self.identified = identified
    var (open, anchors) = Self.objects(state, ties, tiesOfField, identified)
    anchors.sort { identified[Int($0)] < identified[Int($1)] }
    // In the order of recording, the objects are adjacent in memory.
    open.sort()
    let runs = state.sortByContents(&open, ranks)
    let objects = anchors + open
    var nodeOfObject = [UInt32](repeating: .max, count: identified.count)
    for (node, uid) in objects.enumerated() { nodeOfObject[Int(uid)] = UInt32(node) }
    var sketch = GraphSketch(nodeCount: objects.count)
    var pairs: [(key: UInt32, value: UInt32)] = []
    // Each identified object gets a separate color.
    let colors =
      anchors.indices.map { UInt32($0) }
      + runs.flatMap { [UInt32](repeating: UInt32(anchors.count + $0.lowerBound), count: $0.count) }
    for (index, uid) in objects.enumerated() {
      let isOpen = index >= anchors.count
      state.forEachReference(of: uid, tiesOfField, ties) { reference in
        guard reference.isTied || isOpen else { return }
        if let value = reference.pairedTarget {
          sketch.addEdge(reference.label, to: UInt32(objects.count + pairs.count), isWanted: true)
          pairs.append((reference.target, value))
        } else {
          sketch.addEdge(reference.label, to: nodeOfObject[Int(reference.target)], isWanted: reference.isTied)
        }
      }
      sketch.addNode(color: colors[index], isWanted: !isOpen)
    }
    // An entry of a dictionary refers to its key and to its value.
    for pair in pairs {
      for (label, uid) in [pair.key, pair.value].enumerated() where uid != 0 {
        sketch.addEdge(UInt32(label), to: nodeOfObject[Int(uid)], isWanted: true)
      }
      sketch.addNode(color: UInt32(objects.count), isWanted: true)
    }
    let nodes: [UInt32]
    (graph, nodes) = sketch.graph()
    objectOfNode = nodes.map { $0 < objects.count ? objects[Int($0)] : 0 }
  }

  /// Returns the objects that are not identified, and the identified ones that are next to them or own them.
  private static func objects(
    _ state: borrowing ArchiverState, _ ties: [TiedElements], _ tiesOfField: [Int: [Int]], _ identified: [UInt32]
  ) -> (open: [UInt32], anchors: [UInt32]) {
    var open: [UInt32] = []
    var anchors: [UInt32] = []
    var isVisited = [Bool](repeating: false, count: identified.count)
    isVisited[0] = true
    func visit(_ uid: UInt32) {
      guard !isVisited[Int(uid)] else { return }
      isVisited[Int(uid)] = true
      if identified[Int(uid)] == 0 { open.append(uid) } else { anchors.append(uid) }
    }
    for tie in ties {
      visit(tie.owner)
      for index in tie.positions {
        visit(state.arrayElements[index])
        if let distance = tie.distanceToValues { visit(state.arrayElements[index + distance]) }
      }
    }
    var done = 0
    while done < open.count {
      state.forEachReference(of: open[done], tiesOfField, ties) { reference in
        visit(reference.target)
        if let value = reference.pairedTarget { visit(value) }
      }
      done += 1
    }
    return (open, anchors)
  }

  /// Returns a number for each object, by which tied elements are sorted.
  func positions() -> [UInt32] {
    var positions = identified
    let behind = UInt32(identified.count)
    for (index, node) in CanonicalOrder.nodes(of: graph).enumerated() {
      let uid = objectOfNode[Int(node)]
      if uid != 0, positions[Int(uid)] == 0 { positions[Int(uid)] = behind + UInt32(index) }
    }
    return positions
  }
}
