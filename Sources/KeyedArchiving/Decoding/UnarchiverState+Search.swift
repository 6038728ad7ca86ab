// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

// The search for the key path of an object that no open scope leads to. Only messages need it.
extension UnarchiverState {
  /// The place of a reference: its container and its position there, from the outermost container to the innermost.
  typealias Place = [(container: BinaryItem, position: Int)]

  /// Returns a shortest path from a top-level key to an object, or nil if none exists.
  ///
  /// The result is also nil if the searches of this decoder have read the archive too often.
  mutating func path(to target: UInt32) -> [ArchivePathStep]? {
    var budget = searchBudget ?? source.budget
    defer { searchBudget = budget }
    guard Int(target) < source.objectCount, budget.take(Int64(source.objectCount)) else { return nil }
    // For each object the one from which it was reached first. The top level has the number of nil, which refers to
    // nothing.
    var parents = [UInt32?](repeating: nil, count: source.objectCount)
    var queue: [UInt32] = [0]
    var head = 0
    while head < queue.count, parents[Int(target)] == nil {
      let parent = queue[head]
      head += 1
      let isComplete = forEachReference(of: parent, &budget) { child, _ in
        guard child != 0, parents[Int(child)] == nil else { return true }
        parents[Int(child)] = parent
        queue.append(child)
        return true
      }
      guard isComplete else { return nil }
    }
    var path: [[ArchivePathStep]] = []
    var current = target
    while let parent = parents[Int(current)] {
      guard let steps = steps(from: parent, to: current, &budget) else { return nil }
      path.append(steps)
      if parent == 0 { return path.reversed().flatMap(\.self) }
      current = parent
    }
    return nil
  }

  /// Calls a function for each reference in an object, or at the top level, until it returns `false`.
  ///
  /// Returns `false` if the budget is exhausted.
  private func forEachReference(
    of uid: UInt32, _ budget: inout ExpansionBudget, _ body: (UInt32, Place) -> Bool
  ) -> Bool {
    guard let item = uid == 0 ? source.envelope.top : try? source.entry(uid) else { return true }
    var open: Place = [(item, -1)]
    while let last = open.indices.last {
      open[last].position += 1
      let (container, position) = open[last]
      let isDictionary = container.kind == .dictionary
      guard isDictionary || container.kind == .array, position < container.count else {
        open.removeLast()
        continue
      }
      guard budget.take(ExpansionBudget.element) else { return false }
      guard let value = try? source.element(isDictionary ? container.count + position : position, of: container) else {
        continue
      }
      if value.kind == .uid {
        guard let child = try? source.uid(value) else { continue }
        if !body(child, open) { return true }
      } else if value.kind == .array || value.kind == .dictionary, open.count < source.maximumDepth {
        open.append((value, -1))
      }
    }
    return true
  }

  /// Returns the keys and indexes from an object, or from the top level, to an object that it refers to.
  private mutating func steps(
    from parent: UInt32, to child: UInt32, _ budget: inout ExpansionBudget
  ) -> [ArchivePathStep]? {
    var place: Place = []
    _ = forEachReference(of: parent, &budget) { uid, found in
      if uid == child { place = found }
      return uid != child
    }
    return place.isEmpty ? nil : names(of: place, in: parent)
  }

  /// Returns the keys and indexes of a place in an object, or at the top level.
  mutating func names(of place: Place, in parent: UInt32) -> [ArchivePathStep]? {
    var steps: [ArchivePathStep] = []
    for (depth, (container, position)) in place.enumerated() {
      guard container.kind == .dictionary else {
        steps.append(ArchivePathStep(index: position))
        continue
      }
      guard let layout = try? layout(of: container) else { return nil }
      let name = storedKey(position, ofLayout: layout)
      // `items[3]` reads better than `items.NS.objects[3]`, and a dictionary's value has a key.
      if depth == 0, name == "NS.objects", place.count == 2 {
        let scope = Scope(kind: .object, uid: parent, layout: layout, item: container)
        if let key = key(place[1].position, of: scope) { return [ArchivePathStep(.entry, key)] }
        continue
      }
      steps.append(ArchivePathStep(depth == 0 && parent == 0 ? .start : .key, name))
    }
    return steps
  }
}
