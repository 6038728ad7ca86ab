// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving

/// The paths of a traversed archive, or of two compared ones, as a tree.
///
/// A path becomes text only on request.
struct PathTree {
  /// A position in the tree; -1 is the top level.
  typealias Place = Int32

  enum Side { case old, new }

  enum Step {
    /// A key of an object, of a dictionary object or of `$top`.
    case key(String)
    /// An element, by its index on either side; the old and the new one may differ.
    case element(old: Int, new: Int)
    /// The key of a dictionary object, itself a value, by its index.
    case pairKey(old: Int, new: Int)
    /// A value under a key that consists of a prefix and a number.
    case numbered(String, old: Int, new: Int)
  }

  private struct Node {
    let parent: Place
    let step: Step
    let old: ArchiveUID?
    let new: ArchiveUID?
    /// The position in traversal order.
    let serial: Int
  }

  /// The maximum number of steps. A longer path begins with the UID of an object on it. It has more steps only if they are in
  /// the inline containers of one object, which nest at most 32 levels deep.
  private static let maximumSteps = 32

  private var nodes: [Node] = []
  private var serial = 0

  /// Adds a step to a position.
  mutating func add(
    _ step: Step, at parent: Place, old: ArchiveUID? = nil, new: ArchiveUID? = nil
  ) -> Place {
    nodes.append(Node(parent: parent, step: step, old: old, new: new, serial: nextSerial()))
    return Place(nodes.count - 1)
  }

  /// Returns the next position in traversal order.
  mutating func nextSerial() -> Int {
    serial += 1
    return serial
  }

  /// Returns the text of the path to a position and an optional last step.
  func text(_ place: Place, _ last: Step?, _ side: Side) -> String {
    var steps = last.map { [$0] } ?? []
    // The first object among the last steps, or the nearest one above them, with the number of steps below it.
    var start: (uid: ArchiveUID, count: Int)?
    var at = place
    while at >= 0, steps.count < Self.maximumSteps || start == nil {
      let node = nodes[Int(at)]
      if let uid = side == .old ? node.old : node.new { start = (uid, steps.count) }
      steps.append(node.step)
      at = node.parent
    }
    var text = KeyPathText()
    if at >= 0, let start {
      text = KeyPathText(start.uid)
      steps.removeLast(steps.count - start.count)
    }
    for step in steps.reversed() { Self.append(step, side, to: &text) }
    return text.text
  }

  private static func append(_ step: Step, _ side: Side, to text: inout KeyPathText) {
    switch step {
    case .key(let key): text.append(key: key)
    case .element(let old, let new): text.append(index: side == .old ? old : new)
    case .pairKey(let old, let new):
      text.append(key: "NS.keys")
      text.append(index: side == .old ? old : new)
    case .numbered(let key, let old, let new): text.append(key: "\(key)\(side == .old ? old : new)")
    }
  }

  /// Returns the indexes of items in the order of a depth-first traversal of the tree.
  func ordered(_ items: [(place: Place, serial: Int)]) -> [Int] {
    // The items and their ancestors, sorted by parent.
    var isNeeded = [Bool](repeating: false, count: nodes.count)
    for item in items {
      var at = item.place
      while at >= 0, !isNeeded[Int(at)] {
        isNeeded[Int(at)] = true
        at = nodes[Int(at)].parent
      }
    }
    var entries = items.indices.map { Entry(parent: items[$0].place, serial: items[$0].serial, item: $0, node: -1) }
    for (index, node) in nodes.enumerated() where isNeeded[index] {
      entries.append(Entry(parent: node.parent, serial: node.serial, item: -1, node: Place(index)))
    }
    entries.sort { ($0.parent, $0.serial) < ($1.parent, $1.serial) }
    var starts: [Place: Int] = [:]
    for (index, entry) in entries.enumerated() where starts[entry.parent] == nil { starts[entry.parent] = index }
    var order: [Int] = []
    var stack = [starts[-1] ?? entries.count]
    while let index = stack.popLast() {
      guard index < entries.count else { continue }
      let entry = entries[index]
      if index + 1 < entries.count, entries[index + 1].parent == entry.parent { stack.append(index + 1) }
      if entry.item >= 0 { order.append(entry.item) } else if let first = starts[entry.node] { stack.append(first) }
    }
    return order
  }

  private struct Entry {
    let parent: Place
    let serial: Int
    let item: Int
    let node: Place
  }
}
