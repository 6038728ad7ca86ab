// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive {
  /// The references that an object holds, in the order in which they are stored.
  func references(of object: Object) -> [ArchiveUID] {
    guard case .instance(_, let entries) = object else { return [] }
    return references(in: entries)
  }

  /// The references that `$top` holds.
  package func topReferences() -> [ArchiveUID] { references(in: (try? top) ?? []) }

  private func references(in entries: [Entry]) -> [ArchiveUID] {
    var found: [ArchiveUID] = []
    for entry in entries { collect(entry.value, into: &found) }
    return found
  }

  /// Adds the references that a value is or holds.
  package func collect(_ value: StoredValue, into found: inout [ArchiveUID]) {
    switch value {
    case .reference(let uid): found.append(uid)
    case .array(let values): for value in values { collect(value, into: &found) }
    case .dictionary(let entries): for entry in entries { collect(entry.value, into: &found) }
    default: break
    }
  }

  /// Which objects can be reached, class records included.
  package func reachable(from references: [ArchiveUID]) throws(KeyedArchiveError) -> [Bool] {
    var isReached = [Bool](repeating: false, count: objectCount)
    if !isReached.isEmpty { isReached[0] = true }
    var stack = references
    var room = room
    while let uid = stack.popLast() {
      guard uid.index < isReached.count, !isReached[uid.index] else { continue }
      isReached[uid.index] = true
      let object = try object(uid, room: &room)
      stack.append(contentsOf: self.references(of: object))
      if case .instance(let classUID, _) = object { stack.append(classUID) }
    }
    return isReached
  }

  /// Whether some object refers to itself, directly or through others.
  public var isCyclic: Bool {
    enum Mark { case fresh, open, done }
    var marks = [Mark](repeating: .fresh, count: objectCount)
    var room = room
    for start in topReferences() where start.index < marks.count && marks[start.index] == .fresh {
      var stack: [(uid: ArchiveUID, rest: ArraySlice<ArchiveUID>)] = [(start, children(of: start, &room))]
      marks[start.index] = .open
      while let last = stack.indices.last {
        guard let child = stack[last].rest.popFirst() else {
          marks[stack[last].uid.index] = .done
          stack.removeLast()
          continue
        }
        guard child.index < marks.count else { continue }
        switch marks[child.index] {
        case .open: return true
        case .done: continue
        case .fresh:
          marks[child.index] = .open
          stack.append((child, children(of: child, &room)))
        }
      }
    }
    return false
  }

  private func children(of uid: ArchiveUID, _ room: inout ExpansionBudget) -> ArraySlice<ArchiveUID> {
    guard !room.isExhausted, let object = try? object(uid, room: &room) else { return [] }
    return references(of: object)[...]
  }

  /// A shortest way from a top-level key to an object, such as `root.creatures[3]`; nil if none leads there.
  public func keyPath(to target: ArchiveUID) -> String? {
    guard target.index < objectCount else { return nil }
    // Where each object was met first; the top stands for itself.
    var parents = [ArchiveUID?](repeating: nil, count: objectCount)
    let top = ArchiveUID(rawValue: .max)
    var queue: [ArchiveUID] = []
    var head = 0
    var room = room
    for uid in topReferences() where uid.index < objectCount && parents[uid.index] == nil {
      parents[uid.index] = top
      queue.append(uid)
    }
    while head < queue.count, parents[target.index] == nil, !room.isExhausted {
      let uid = queue[head]
      head += 1
      for child in children(of: uid, &room) where child.index < objectCount && parents[child.index] == nil {
        parents[child.index] = uid
        queue.append(child)
      }
    }
    return parents[target.index].flatMap { _ in way(to: target, parents, top) }
  }

  /// The way back to the top, whose steps are put into words only now: a key may be long and stand before many.
  private func way(to target: ArchiveUID, _ parents: [ArchiveUID?], _ top: ArchiveUID) -> String? {
    var steps: [String] = []
    var room = room
    var current = target
    while let parent = parents[current.index], parent != top {
      guard case .instance(_, let entries)? = try? object(parent, room: &room),
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
      for (place, value) in values.enumerated() {
        if let rest = step(to: target, in: value) { return "[\(place)]" + rest }
      }
      return nil
    case .dictionary(let entries): return step(to: target, in: entries).map { "." + $0 }
    default: return nil
    }
  }
}
