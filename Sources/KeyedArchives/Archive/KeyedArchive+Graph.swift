// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive {
  /// Returns the references of an object, in stored order.
  func references(of object: Object) -> [ArchiveUID] {
    guard case .instance(_, let entries) = object else { return [] }
    return references(in: entries)
  }

  /// Returns the references of `$top`, in stored order.
  package func topReferences() -> [ArchiveUID] { references(in: (try? top) ?? []) }

  private func references(in entries: [Entry]) -> [ArchiveUID] {
    var found: [ArchiveUID] = []
    for entry in entries { collect(entry.value, into: &found) }
    return found
  }

  /// Appends the references that a value is or contains.
  package func collect(_ value: StoredValue, into found: inout [ArchiveUID]) {
    switch value {
    case .reference(let uid): found.append(uid)
    case .array(let values): for value in values { collect(value, into: &found) }
    case .dictionary(let entries): for entry in entries { collect(entry.value, into: &found) }
    default: break
    }
  }

  /// Returns whether each object is reachable from some references. Class records count as referenced.
  package func reachable(from references: [ArchiveUID]) throws(KeyedArchiveError) -> [Bool] {
    var isReached = [Bool](repeating: false, count: objectCount)
    if !isReached.isEmpty { isReached[0] = true }
    var stack = references
    var budget = budget
    while let uid = stack.popLast() {
      guard uid.index < isReached.count, !isReached[uid.index] else { continue }
      isReached[uid.index] = true
      let object = try object(uid, omitsData: true, budget: &budget)
      stack.append(contentsOf: self.references(of: object))
      if case .instance(let classUID, _) = object { stack.append(classUID) }
    }
    return isReached
  }

  /// A Boolean value that indicates whether an object refers to itself, directly or through other objects.
  public var isCyclic: Bool {
    enum Mark { case unvisited, current, done }
    var marks = [Mark](repeating: .unvisited, count: objectCount)
    var budget = budget
    for start in topReferences() where start.index < marks.count && marks[start.index] == .unvisited {
      var stack: [(uid: ArchiveUID, rest: ArraySlice<ArchiveUID>)] = [(start, children(of: start, &budget))]
      marks[start.index] = .current
      while let last = stack.indices.last {
        guard let child = stack[last].rest.popFirst() else {
          marks[stack[last].uid.index] = .done
          stack.removeLast()
          continue
        }
        guard child.index < marks.count else { continue }
        switch marks[child.index] {
        case .current: return true
        case .done: continue
        case .unvisited:
          marks[child.index] = .current
          stack.append((child, children(of: child, &budget)))
        }
      }
    }
    return false
  }

  private func children(of uid: ArchiveUID, _ budget: inout ExpansionBudget) -> ArraySlice<ArchiveUID> {
    guard !budget.isExhausted, let object = try? object(uid, omitsData: true, budget: &budget) else { return [] }
    return references(of: object)[...]
  }

  /// Returns a shortest key path from a top-level key to an object, such as `root.creatures[3]`.
  /// - Parameter target: The UID of the object.
  /// - Returns: The key path, or nil if the object is not reachable.
  public func keyPath(to target: ArchiveUID) -> String? {
    guard target.index < objectCount else { return nil }
    // For each object the one from which it was reached first. The greatest UID represents the top level.
    var parents = [ArchiveUID?](repeating: nil, count: objectCount)
    let top = ArchiveUID(rawValue: .max)
    var queue: [ArchiveUID] = []
    var head = 0
    var budget = budget
    for uid in topReferences() where uid.index < objectCount && parents[uid.index] == nil {
      parents[uid.index] = top
      queue.append(uid)
    }
    while head < queue.count, parents[target.index] == nil, !budget.isExhausted {
      let uid = queue[head]
      head += 1
      for child in children(of: uid, &budget) where child.index < objectCount && parents[child.index] == nil {
        parents[child.index] = uid
        queue.append(child)
      }
    }
    return parents[target.index].flatMap { _ in keyPath(to: target, parents, top) }
  }

  /// Builds the key path of an object from its parents. Only this path becomes text, because keys may be long.
  private func keyPath(to target: ArchiveUID, _ parents: [ArchiveUID?], _ top: ArchiveUID) -> String? {
    var steps: [String] = []
    var budget = budget
    var current = target
    while let parent = parents[current.index], parent != top {
      guard case .instance(_, let entries)? = try? object(parent, omitsData: true, budget: &budget),
        let step = step(to: current, in: entries)
      else { return nil }
      // `items.NS.objects[3]` reads better as `items[3]`.
      steps.append(step.hasPrefix("NS.objects[") ? String(step.dropFirst("NS.objects".count)) : "." + step)
      current = parent
    }
    guard let first = step(to: current, in: (try? self.top) ?? []) else { return nil }
    return first + steps.reversed().joined()
  }

  private func step(to target: ArchiveUID, in entries: [Entry]) -> String? {
    for entry in entries {
      if let rest = step(to: target, in: entry.value) { return entry.key + rest }
    }
    return nil
  }

  private func step(to target: ArchiveUID, in value: StoredValue) -> String? {
    switch value {
    case .reference(target): return ""
    case .array(let values):
      for (index, value) in values.enumerated() {
        if let rest = step(to: target, in: value) { return "[\(index)]" + rest }
      }
      return nil
    case .dictionary(let entries): return step(to: target, in: entries).map { "." + $0 }
    default: return nil
    }
  }
}
