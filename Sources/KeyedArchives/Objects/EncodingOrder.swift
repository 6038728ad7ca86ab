// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Reconstructs the order in which each object's values were encoded, and which references were conditional (a view's
/// reference to its window, for example).
///
/// UIDs imply both: encoding an object assigns UIDs to its new children right after its own, and a conditional
/// reference assigns one UID only. The algorithm replays encoding, always choosing the value that yields the next UID.
/// If the replay disagrees with the file, as with other writers, the result is empty. A replay that archives not all
/// objects to which it assigned UIDs disagrees, too.
///
/// The replay of a whole archive starts at the top level. The replay of a single object starts at that object: objects
/// with lower UIDs were encoded before. One object therefore costs what is reachable from it, not the whole archive.
struct EncodingOrder {
  /// A value of an object, by the position of its key.
  struct Place: Hashable {
    var uid: UInt32
    var place: Int
  }

  /// The references under one key.
  private struct Value {
    var place: Int
    var uids: [UInt32]
    var last: UInt32
  }

  private struct Frame {
    var uid: UInt32
    var classUID: UInt32
    /// The values that remain to be encoded; the likely next one is last.
    var rest: [Value]
    /// The remaining elements of the array that is being encoded.
    var elements: ArraySlice<UInt32> = []
    var place = -1
  }

  private enum Mark: UInt8 {
    case unknown, numbered, archived
  }

  /// The objects that conditional references refer to.
  private var conditional: [Place: UInt32] = [:]
  /// For each object the positions of its references in encoding order; UID 0 represents the top level.
  private(set) var orders: [UInt32: [Int]] = [:]
  private var marks: [Mark]
  /// Objects with lower UIDs count as archived.
  private var first: UInt32 = 1
  private var next: UInt32 = 1
  /// The number of references that may still be visited. An object is visited again for some of its references.
  private var effort: Int64

  /// Creates an empty order for an archive.
  init(_ state: borrowing UnarchiverState) {
    marks = [Mark](repeating: .unknown, count: state.source.objectCount)
    marks[0] = .archived
    effort = 64 * Int64(state.source.objectCount) + Int64(state.source.bytes.count)
  }

  /// Reconstructs the order of the whole archive.
  init(wholeOf state: inout UnarchiverState) throws {
    self.init(state)
    guard try run([Frame(uid: 0, classUID: 0, rest: try values(of: state.source.envelope.top, in: state))], &state)
    else {
      conditional = [:]
      orders = [:]
      return
    }
    // Nothing else archives these objects. If their references were conditional, they would be lost.
    if conditional.values.contains(where: isLeftOut) {
      conditional = [:]
      orders = [:]
    }
  }

  /// Returns whether a reference is conditional.
  func isConditional(_ place: Place) -> Bool { conditional[place] != nil }

  /// Reconstructs the order of the objects reachable from a single object.
  mutating func follow(_ uid: UInt32, _ state: inout UnarchiverState) throws {
    guard orders[uid] == nil, uid != 0 else { return }
    first = uid
    next = uid
    // A later run can start at an object that refers to these objects. It must assign their UIDs again.
    defer { for uid in first..<next { marks[Int(uid)] = .unknown } }
    // Run with empty tables and merge the results, because the known tables may be much larger.
    var knownConditional: [Place: UInt32] = [:]
    var knownOrders: [UInt32: [Int]] = [:]
    swap(&conditional, &knownConditional)
    swap(&orders, &knownOrders)
    if try run([Frame(uid: 0, classUID: 0, rest: [], elements: [uid])], &state) {
      // An object that only others archive must not be lost if the result is archived without them.
      knownConditional.merge(conditional.filter { !isLeftOut($0.value) }) { _, new in new }
      knownOrders.merge(orders) { _, new in new }
    }
    conditional = knownConditional
    orders = knownOrders
  }

  /// The progress of an object in the replay.
  private func mark(_ uid: UInt32) -> Mark { uid < first ? .archived : marks[Int(uid)] }

  /// Returns whether the replay assigned a UID to an object, but did not archive the object.
  private func isLeftOut(_ uid: UInt32) -> Bool { mark(uid) == .numbered }

  /// Replays encoding. Returns whether the replay agrees with the UIDs in the file.
  private mutating func run(_ frames: [Frame], _ state: inout UnarchiverState) throws -> Bool {
    var frames = frames
    while let last = frames.indices.last {
      guard effort > 0 else { return false }
      guard let uid = frames[last].elements.popFirst() else {
        if try choose(for: &frames[last], &state) { continue }
        guard frames[last].rest.isEmpty, finish(frames[last].classUID) else { return false }
        frames.removeLast()
        continue
      }
      guard mark(uid) != .archived else { continue }
      if mark(uid) == .unknown {
        guard uid == next else { return false }
        marks[Int(uid)] = .numbered
        next += 1
      }
      guard let classUID = try state.classUID(of: uid) else {
        marks[Int(uid)] = .archived
        continue
      }
      let found = try values(of: state.source.entry(uid), in: state)
      var seen: Set<UInt32> = [uid]
      if let first = try firstUnknown(found, classUID, &seen, &state), first != next {
        conditional[Place(uid: frames[last].uid, place: frames[last].place)] = uid
        continue
      }
      marks[Int(uid)] = .archived
      frames.append(Frame(uid: uid, classUID: classUID, rest: found))
    }
    // References that were skipped for lack of effort might disagree.
    return effort > 0
  }

  /// Assigns the next UID to an object's class record, if it has none.
  private mutating func finish(_ classUID: UInt32) -> Bool {
    guard mark(classUID) != .archived else { return true }
    guard classUID == next else { return false }
    marks[Int(classUID)] = .archived
    next += 1
    return true
  }

  /// Chooses the value that yields the next UID. Returns `false` if no value does; then a frame without remaining
  /// values agrees with the file.
  private mutating func choose(for frame: inout Frame, _ state: inout UnarchiverState) throws -> Bool {
    // Values that were archived before yield no UID.
    while let value = frame.rest.last, isArchived(value) {
      orders[frame.uid, default: []].append(value.place)
      frame.rest.removeLast()
    }
    // Prefer a direct reference to the next UID to one to an object that would assign it.
    let direct = frame.rest.lastIndex { firstOpen($0) == next }
    for index in (direct.map { [$0] } ?? []) + frame.rest.indices.reversed() {
      guard effort > 0, try effect(frame.rest[index], &state) == next else { continue }
      let value = frame.rest.remove(at: index)
      effort -= Int64(frame.rest.count - index)
      frame.elements = value.uids[...]
      frame.place = value.place
      orders[frame.uid, default: []].append(value.place)
      return true
    }
    // The other values yield no UIDs: their objects were archived before, or are archived elsewhere.
    for value in frame.rest.reversed() {
      orders[frame.uid, default: []].append(value.place)
      guard let uid = value.uids.first, try effect(value, &state) != nil else { continue }
      guard value.uids.count == 1, mark(uid) == .numbered else { return false }
      conditional[Place(uid: frame.uid, place: value.place)] = uid
    }
    frame.rest = []
    return false
  }

  private mutating func isArchived(_ value: Value) -> Bool { firstOpen(value) == nil }

  /// Returns the first object of a value that is not archived.
  private mutating func firstOpen(_ value: Value) -> UInt32? {
    effort -= 1
    guard effort > 0 else { return nil }
    return value.uids.first {
      effort -= 1
      return mark($0) != .archived
    }
  }

  /// Returns the first UID that encoding a value would assign, or nil.
  private mutating func effect(_ value: Value, _ state: inout UnarchiverState) throws -> UInt32? {
    for uid in value.uids {
      effort -= 1
      switch mark(uid) {
      case .archived: continue
      case .unknown: return uid
      case .numbered:
        var seen: Set<UInt32> = []
        if let first = try firstUnknown(in: uid, &seen, &state) { return first }
      }
    }
    return nil
  }

  /// Returns the least UID that archiving a numbered object would assign, or nil.
  private mutating func firstUnknown(
    in uid: UInt32, _ seen: inout Set<UInt32>, _ state: inout UnarchiverState
  ) throws -> UInt32? {
    guard seen.count < 256, seen.insert(uid).inserted, let classUID = try state.classUID(of: uid) else { return nil }
    return try firstUnknown(values(of: state.source.entry(uid), in: state), classUID, &seen, &state)
  }

  /// Returns the least UID that archiving an object with these references and class would assign, or nil. Includes the
  /// UIDs that numbered, unarchived objects among the references would assign.
  private mutating func firstUnknown(
    _ values: [Value], _ classUID: UInt32, _ seen: inout Set<UInt32>, _ state: inout UnarchiverState
  ) throws -> UInt32? {
    var least = mark(classUID) == .unknown ? classUID : nil
    for value in values {
      for uid in value.uids {
        let found: UInt32? =
          switch mark(uid) {
          case .archived: nil
          case .unknown: uid
          case .numbered: try firstUnknown(in: uid, &seen, &state)
          }
        if let found, least.map({ found < $0 }) ?? true { least = found }
      }
    }
    return least
  }

  /// Returns the references of a dictionary by descending greatest UID, because a value with lower UIDs was likely
  /// encoded first. Returns only some of them if no effort is left.
  private mutating func values(of item: BinaryItem, in state: borrowing UnarchiverState) throws -> [Value] {
    var values: [Value] = []
    // Creating and sorting a value takes longer than visiting an element.
    effort -= 4 * Int64(item.count)
    guard effort > 0 else { return [] }
    for place in 0..<item.count {
      let value = try state.source.element(item.count + place, of: item)
      switch value.kind {
      case .uid:
        let key = try state.source.element(place, of: item)
        if try key.count == 6 && key.kind == .ascii && state.source.string(key) == "$class" { continue }
        let uid = try state.source.uid(value)
        values.append(Value(place: place, uids: [uid], last: uid))
      case .array:
        effort -= Int64(value.count)
        // Many keys may share an array.
        guard effort > 0 else { return values }
        // Decoding the object rejects other elements, because it knows the key.
        let uids = try (0..<value.count).compactMap { place in
          let element = try state.source.element(place, of: value)
          return element.kind == .uid ? try state.source.uid(element) : nil
        }
        values.append(Value(place: place, uids: uids, last: uids.max() ?? 0))
      default: break
      }
    }
    return values.sorted { ($0.last, $0.place) > ($1.last, $1.place) }
  }
}
