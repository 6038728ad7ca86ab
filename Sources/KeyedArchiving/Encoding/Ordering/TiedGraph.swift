// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The objects that only tied elements of sets lead to, with those that they refer to and the owners of the sets: all that
/// the order of tied elements depends on.
struct TiedGraph {
  private var graph: LabelledGraph
  /// The object that each node stands for; 0 for an entry of a dictionary.
  private var objectOfNode: [UInt32]
  /// For each object, what it comes after: those that were identified by their numbers.
  private var identified: [UInt32]

  init(
    _ state: borrowing ArchiverState, _ ties: [TiedElements], _ tiesOfSlot: [Int: [Int]], _ identified: [UInt32],
    _ ranks: ShapeRanks
  ) {
    self.identified = identified
    var (open, anchors) = Self.objects(state, ties, tiesOfSlot, identified)
    anchors.sort { identified[Int($0)] < identified[Int($1)] }
    open.sort { state.compareContents($0, $1, ranks) < 0 }
    // What was identified is told apart from everything else.
    var colors = anchors.indices.map { UInt32($0) }
    for (place, uid) in open.enumerated() {
      let isSame = place > 0 && state.compareContents(open[place - 1], uid, ranks) == 0
      colors.append(isSame ? colors[colors.count - 1] : UInt32(colors.count))
    }
    objectOfNode = anchors + open
    var nodeOfObject: [UInt32: UInt32] = [:]
    for (node, uid) in objectOfNode.enumerated() { nodeOfObject[uid] = UInt32(node) }
    var edges: [LabelledGraph.Edge] = []
    var starts = [0]
    var pairs: [(key: UInt32, value: UInt32)] = []
    let objectCount = objectOfNode.count
    for (place, uid) in objectOfNode.enumerated() {
      for reference in state.references(of: uid, tiesOfSlot, ties) where reference.isTied || place >= anchors.count {
        if let value = reference.pairedTarget {
          edges.append(LabelledGraph.Edge(label: reference.label, node: UInt32(objectCount + pairs.count)))
          pairs.append((reference.target, value))
        } else if let node = nodeOfObject[reference.target] {
          edges.append(LabelledGraph.Edge(label: reference.label, node: node))
        }
      }
      starts.append(edges.count)
    }
    // An entry of a dictionary refers to its key and to its value.
    for pair in pairs {
      if let node = nodeOfObject[pair.key] { edges.append(LabelledGraph.Edge(label: 0, node: node)) }
      if let node = nodeOfObject[pair.value] { edges.append(LabelledGraph.Edge(label: 1, node: node)) }
      starts.append(edges.count)
      colors.append(UInt32(objectCount))
      objectOfNode.append(0)
    }
    graph = LabelledGraph(colors: colors, outgoing: edges, starts: starts)
  }

  /// The objects that were not identified, and those of the others that are next to them or own them.
  private static func objects(
    _ state: borrowing ArchiverState, _ ties: [TiedElements], _ tiesOfSlot: [Int: [Int]], _ identified: [UInt32]
  ) -> (open: [UInt32], anchors: [UInt32]) {
    var open: [UInt32] = []
    var anchors: [UInt32] = []
    var isMet: Set<UInt32> = [0]
    func meet(_ uid: UInt32) {
      guard isMet.insert(uid).inserted else { return }
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
      for reference in state.references(of: open[done], tiesOfSlot, ties) {
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
