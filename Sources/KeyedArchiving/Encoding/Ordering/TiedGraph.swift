// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The objects that only tied elements of sets lead to, with those that they refer to and the owners of the sets: all that
/// the order of tied elements depends on.
struct TiedGraph {
  private let graph: LabelledGraph
  /// The object that each node stands for; 0 for an entry of a dictionary.
  private let objectOfNode: [UInt32]
  /// For each object, what it comes after: those that were identified by their numbers.
  private let identified: [UInt32]

  init(
    _ state: borrowing ArchiverState, _ ties: [TiedElements], _ tiesOfSlot: [Int: [Int]], _ identified: [UInt32],
    _ ranks: ShapeRanks
  ) {
    self.identified = identified
    var (open, anchors) = Self.objects(state, ties, tiesOfSlot, identified)
    anchors.sort { identified[Int($0)] < identified[Int($1)] }
    // In the order in which they were recorded, they lie next to each other in memory.
    open.sort()
    let runs = state.sortByContents(&open, ranks)
    let objects = anchors + open
    var nodeOfObject = [UInt32](repeating: .max, count: identified.count)
    for (node, uid) in objects.enumerated() { nodeOfObject[Int(uid)] = UInt32(node) }
    var sketch = GraphSketch(nodeCount: objects.count)
    var pairs: [(key: UInt32, value: UInt32)] = []
    // What was identified is told apart from everything else.
    let colors =
      anchors.indices.map { UInt32($0) }
      + runs.flatMap { [UInt32](repeating: UInt32(anchors.count + $0.lowerBound), count: $0.count) }
    for (place, uid) in objects.enumerated() {
      let isOpen = place >= anchors.count
      state.forEachReference(of: uid, tiesOfSlot, ties) { reference in
        guard reference.isTied || isOpen else { return }
        if let value = reference.pairedTarget {
          sketch.addEdge(reference.label, to: UInt32(objects.count + pairs.count), isWanted: true)
          pairs.append((reference.target, value))
        } else {
          sketch.addEdge(reference.label, to: nodeOfObject[Int(reference.target)], isWanted: reference.isTied)
        }
      }
      sketch.addNode(color: colors[place], isWanted: !isOpen)
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

  /// The objects that were not identified, and those of the others that are next to them or own them.
  private static func objects(
    _ state: borrowing ArchiverState, _ ties: [TiedElements], _ tiesOfSlot: [Int: [Int]], _ identified: [UInt32]
  ) -> (open: [UInt32], anchors: [UInt32]) {
    var open: [UInt32] = []
    var anchors: [UInt32] = []
    var isMet = [Bool](repeating: false, count: identified.count)
    isMet[0] = true
    func meet(_ uid: UInt32) {
      guard !isMet[Int(uid)] else { return }
      isMet[Int(uid)] = true
      if identified[Int(uid)] == 0 { open.append(uid) } else { anchors.append(uid) }
    }
    for tie in ties {
      meet(tie.owner)
      for place in tie.places {
        meet(state.arrayElements[place])
        if let distance = tie.distanceToValues { meet(state.arrayElements[place + distance]) }
      }
    }
    var done = 0
    while done < open.count {
      state.forEachReference(of: open[done], tiesOfSlot, ties) { reference in
        meet(reference.target)
        if let value = reference.pairedTarget { meet(value) }
      }
      done += 1
    }
    return (open, anchors)
  }

  /// For each object a number by which tied elements can be sorted.
  func positions() -> [UInt32] {
    var positions = identified
    let behind = UInt32(identified.count)
    for (place, node) in CanonicalOrder.nodes(of: graph).enumerated() {
      let uid = objectOfNode[Int(node)]
      if uid != 0, positions[Int(uid)] == 0 { positions[Int(uid)] = behind + UInt32(place) }
    }
    return positions
  }
}
