// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The cycles among classes: a class is in one if its objects may refer to themselves through other objects.
struct ClassCycles {
  /// The number of the strongly connected component of each class.
  private var cycles: [BytewiseString: Int] = [:]

  init(_ audit: ArchiveAudit) {
    // Members of collections count for the objects that contain these. Otherwise all classes with collections would
    // form one cycle.
    let classes = audit.classes.filter { !AuditWalk.collectionNames.contains($0.name) }
    let numbers = Dictionary(
      classes.enumerated().map { (BytewiseString($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    let targets = classes.map { use in
      var names: Set<BytewiseString> = []
      for key in use.keys { key.use.collectClassNames(into: &names) }
      return names.compactMap { numbers[$0] }.sorted()
    }
    let components = Self.components(targets)
    for (number, use) in classes.enumerated() { cycles[BytewiseString(use.name)] = components[number] }
  }

  /// Returns whether a value of an object may refer back to the object.
  func mayCycle(from className: String, through use: ValueUse) -> Bool {
    guard let cycle = cycles[BytewiseString(className)] else { return false }
    var names: Set<BytewiseString> = []
    use.collectClassNames(into: &names)
    return names.contains { cycles[$0] == cycle }
  }

  /// Returns the number of the strongly connected component of each node (Tarjan's algorithm, iterative).
  private static func components(_ targets: [[Int]]) -> [Int] {
    var order = [Int](repeating: -1, count: targets.count)
    var low = order
    var component = order
    var nextTarget = [Int](repeating: 0, count: targets.count)
    var (time, count) = (0, 0)
    var open: [Int] = []
    var path: [Int] = []
    for start in targets.indices where order[start] < 0 {
      path.append(start)
      while let node = path.last {
        if order[node] < 0 {
          (order[node], low[node]) = (time, time)
          time += 1
          open.append(node)
        }
        if nextTarget[node] < targets[node].count {
          let target = targets[node][nextTarget[node]]
          nextTarget[node] += 1
          if order[target] < 0 {
            path.append(target)
          } else if component[target] < 0 {
            low[node] = min(low[node], order[target])
          }
          continue
        }
        path.removeLast()
        if let parent = path.last { low[parent] = min(low[parent], low[node]) }
        guard low[node] == order[node] else { continue }
        while let member = open.popLast() {
          component[member] = count
          if member == node { break }
        }
        count += 1
      }
    }
    return component
  }
}
