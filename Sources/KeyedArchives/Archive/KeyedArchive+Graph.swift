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
  ///
  /// The value is `false` if no cycle is found within `ReadLimits.maximumExpansion` times the archive's bytes, which only
  /// objects that share many values exceed.
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
  ///
  /// A key with dots or other characters of this syntax is in quotes, as in `root["a.key"]`. The command-line tool reads
  /// such paths.
  /// - Parameter target: The UID of the object.
  /// - Returns: The key path; nil if the object is not reachable, or if shared values make the search exceed
  ///   `ReadLimits.maximumExpansion`. If only a later value of a repeated key leads to the object, or to one that contains
  ///   it, no key path does. Then the path begins at the UID, as in `#12.Title`.
  public func keyPath(to target: ArchiveUID) -> String? { keyPathText(to: target)?.text }

  /// Returns a shortest key path to an object, to which keys can be appended.
  package func keyPathText(to target: ArchiveUID) -> KeyPathText? {
    guard target.index < objectCount else { return nil }
    // For each object the one from which it was reached first. The greatest UID represents the top level. An object to which no
    // key path leads has itself.
    var parents = [ArchiveUID?](repeating: nil, count: objectCount)
    let top = ArchiveUID(rawValue: .max)
    var queue: [ArchiveUID] = []
    var head = 0
    var budget = budget
    var references = PathReferences()
    references.add((try? self.top) ?? [])
    func visit(from parent: ArchiveUID) {
      for uid in references.named where uid.index < objectCount && parents[uid.index] == nil {
        parents[uid.index] = parent
        queue.append(uid)
      }
      references.named.removeAll(keepingCapacity: true)
    }
    visit(from: top)
    while parents[target.index] == nil, !budget.isExhausted {
      if head < queue.count {
        let uid = queue[head]
        head += 1
        guard case .instance(_, let entries)? = try? object(uid, omitsData: true, budget: &budget) else { continue }
        references.add(entries)
        visit(from: uid)
      } else if let uid = references.unnamed.popLast() {
        guard uid.index < objectCount, parents[uid.index] == nil else { continue }
        parents[uid.index] = uid
        queue.append(uid)
      } else {
        break
      }
    }
    return parents[target.index].flatMap { _ in keyPathText(to: target, parents, top) }
  }

  /// The references in entries, by whether key paths lead to them.
  private struct PathReferences {
    var named: [ArchiveUID] = []
    /// The references in later values of repeated keys.
    var unnamed: [ArchiveUID] = []

    mutating func add(_ entries: [Entry], isNamed: Bool = true) {
      var keys: Set<BytewiseString> = []
      for entry in entries {
        add(entry.value, isNamed: isNamed && (entries.count == 1 || keys.insert(entry.key)))
      }
    }

    private mutating func add(_ value: StoredValue, isNamed: Bool) {
      switch value {
      case .reference(let uid): if isNamed { named.append(uid) } else { unnamed.append(uid) }
      case .array(let values): for value in values { add(value, isNamed: isNamed) }
      case .dictionary(let entries): add(entries, isNamed: isNamed)
      default: break
      }
    }
  }

  /// A key or index on the way to a reference.
  private enum Step {
    case key(String)
    case index(Int)
  }

  /// Builds the key path of an object from its parents. Only this path becomes text, because keys may be long.
  private func keyPathText(to target: ArchiveUID, _ parents: [ArchiveUID?], _ top: ArchiveUID) -> KeyPathText? {
    var steps: [[Step]] = []
    var budget = budget
    var current = target
    while let parent = parents[current.index], parent != top, parent != current {
      guard case .instance(_, let entries)? = try? object(parent, omitsData: true, budget: &budget),
        var found = self.steps(to: current, in: entries)
      else { return nil }
      // `items.NS.objects[3]` reads better as `items[3]`.
      if found.count == 2, case .key(let key) = found[0], key.hasSameBytes(as: "NS.objects"), case .index = found[1] {
        found.removeFirst()
      }
      steps.append(found)
      current = parent
    }
    var path = KeyPathText(isWhole: true)
    var first: [Step] = []
    if parents[current.index] == current {
      path = KeyPathText(current, isWhole: true)
    } else {
      guard let found = self.steps(to: current, in: (try? self.top) ?? []) else { return nil }
      first = found
    }
    for step in first + steps.reversed().joined() {
      switch step {
      case .key(let key):
        // Each object on the way can have the same long key.
        guard budget.take(ExpansionBudget.element &+ 2 &* Int64(key.utf8.count)) else { return nil }
        path.append(key: key)
      case .index(let index): path.append(index: index)
      }
    }
    return path
  }

  private func steps(to target: ArchiveUID, in entries: [Entry]) -> [Step]? {
    var keys: Set<BytewiseString> = []
    // Readers take the first value of a repeated key.
    for entry in entries where entries.count == 1 || keys.insert(entry.key) {
      if let rest = steps(to: target, in: entry.value) { return [.key(entry.key)] + rest }
    }
    return nil
  }

  private func steps(to target: ArchiveUID, in value: StoredValue) -> [Step]? {
    switch value {
    case .reference(target): return []
    case .array(let values):
      for (index, value) in values.enumerated() {
        if let rest = steps(to: target, in: value) { return [.index(index)] + rest }
      }
      return nil
    case .dictionary(let entries): return steps(to: target, in: entries)
    default: return nil
    }
  }
}
