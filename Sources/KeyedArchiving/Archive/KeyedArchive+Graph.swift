// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

extension KeyedArchive {
  /// The references that an object holds, in the order in which they are stored, each with the way to it.
  func references(of object: Object) -> [(step: String, uid: ArchiveUID)] {
    guard case .instance(_, let entries) = object else { return [] }
    var found: [(step: String, uid: ArchiveUID)] = []
    for entry in entries { collect(entry.value, "." + entry.key, into: &found) }
    return found
  }

  private func collect(_ value: Stored, _ step: String, into found: inout [(step: String, uid: ArchiveUID)]) {
    switch value {
    case .reference(let uid): found.append((step, uid))
    case .array(let values):
      // `items.NS.objects[3]` reads better as `items[3]`.
      let base = step == ".NS.objects" ? "" : step
      for (place, value) in values.enumerated() { collect(value, "\(base)[\(place)]", into: &found) }
    case .dictionary(let entries):
      for entry in entries { collect(entry.value, step + "." + entry.key, into: &found) }
    default: break
    }
  }

  /// The references that `$top` holds.
  func topReferences() -> [(step: String, uid: ArchiveUID)] {
    var found: [(step: String, uid: ArchiveUID)] = []
    for entry in (try? top) ?? [] { collect(entry.value, entry.key, into: &found) }
    return found
  }

  /// Whether some object refers to itself, directly or through others.
  public var isCyclic: Bool {
    enum Mark { case fresh, open, done }
    var marks = [Mark](repeating: .fresh, count: objectCount)
    var room = room
    for start in topReferences() where start.uid.index < marks.count && marks[start.uid.index] == .fresh {
      var stack: [(uid: ArchiveUID, rest: ArraySlice<ArchiveUID>)] = [(start.uid, children(of: start.uid, &room))]
      marks[start.uid.index] = .open
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

  private func children(of uid: ArchiveUID, _ room: inout ExpansionRoom) -> ArraySlice<ArchiveUID> {
    guard !room.isExhausted, let object = try? object(uid, room: &room) else { return [] }
    return references(of: object).map(\.uid)[...]
  }

  /// A shortest way from a top-level key to an object, such as `root.creatures[3]`; nil if none leads there.
  public func keyPath(to target: ArchiveUID) -> String? {
    guard target.index < objectCount else { return nil }
    var origin = [(parent: Int32, step: String)?](repeating: nil, count: objectCount)
    var queue: [ArchiveUID] = []
    var head = 0
    var room = room
    for (step, uid) in topReferences() where uid.index < objectCount && origin[uid.index] == nil {
      origin[uid.index] = (-1, step)
      queue.append(uid)
    }
    while head < queue.count, origin[target.index] == nil, !room.isExhausted {
      let uid = queue[head]
      head += 1
      guard let object = try? object(uid, room: &room) else { continue }
      for (step, child) in references(of: object) where child.index < objectCount && origin[child.index] == nil {
        origin[child.index] = (Int32(uid.rawValue), step)
        queue.append(child)
      }
    }
    var path = ""
    var current = target.index
    while let (parent, step) = origin[current] {
      path = step + path
      if parent < 0 { return path }
      current = Int(parent)
    }
    return nil
  }
}
