// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Finds out in which order the values of each object were encoded, and which references were conditional, as those of
/// views to their windows are.
///
/// The file does not say so, but the numbers of the objects do: an object that is archived gets its number right before
/// those that are met first in it; one that is only referred to gets a number, and nothing follows. So the archiving is
/// gone through once more, always on to the value that leads to the next number. Where that does not lead to the numbers
/// in the file, as in files of other writers, nothing is known.
///
/// Of a whole archive the archiving is gone through from the top level. Of one object that is decoded by itself it is gone
/// through from there: objects with lower numbers were archived before, because the object got its number when it was
/// archived. So one object costs what it leads to, and not what else is in the archive.
struct EncodingOrder {
  /// A value of an object, by its place among the object's keys.
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
    /// The values that are to be encoded yet, those that are likely to be first at the end.
    var rest: [Value]
    /// What is left of the array that is being encoded.
    var elements: ArraySlice<UInt32> = []
    var place = -1
  }

  private enum Mark: UInt8 {
    case unknown, numbered, archived
  }

  /// The references that were conditional.
  private(set) var conditional: Set<Place> = []
  /// For each object the places of its references in the order of encoding; 0 stands for the top level.
  private(set) var orders: [UInt32: [Int]] = [:]
  private var marks: [Mark]
  /// Objects with lower numbers are taken for archived.
  private var first: UInt32 = 1
  private var next: UInt32 = 1
  /// How many references may still be looked at; an object to which many refer is looked at again for some of them.
  private var effort: Int

  /// Knows nothing yet.
  init(_ state: borrowing UnarchiverState) {
    marks = [Mark](repeating: .unknown, count: state.source.objectCount)
    marks[0] = .archived
    effort = 64 * state.source.objectCount + state.source.bytes.count
  }

  /// Finds out about the whole archive.
  init(wholeOf state: inout UnarchiverState) throws {
    self.init(state)
    guard try run([Frame(uid: 0, classUID: 0, rest: try values(of: state.source.envelope.top, in: state))], &state)
    else {
      conditional = []
      orders = [:]
      return
    }
  }

  /// Finds out about an object that is decoded by itself and what it leads to.
  mutating func follow(_ uid: UInt32, _ state: inout UnarchiverState) throws {
    guard orders[uid] == nil, uid != 0, marks[Int(uid)] != .archived else { return }
    first = uid
    next = uid
    // What is found is added to what is known, which may be much more.
    var knownConditional: Set<Place> = []
    var knownOrders: [UInt32: [Int]] = [:]
    swap(&conditional, &knownConditional)
    swap(&orders, &knownOrders)
    if try run([Frame(uid: 0, classUID: 0, rest: [], elements: [uid])], &state) {
      knownConditional.formUnion(conditional)
      knownOrders.merge(orders) { _, new in new }
    }
    conditional = knownConditional
    orders = knownOrders
  }

  /// How far the archiving of an object is.
  private func mark(_ uid: UInt32) -> Mark { uid < first ? .archived : marks[Int(uid)] }

  /// Goes through the archiving. Returns whether it led to the numbers in the file.
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
        conditional.insert(Place(uid: frames[last].uid, place: frames[last].place))
        continue
      }
      marks[Int(uid)] = .archived
      frames.append(Frame(uid: uid, classUID: classUID, rest: found))
    }
    // What was not looked at for lack of effort may have led elsewhere.
    return effort > 0
  }

  /// Gives an object's class record its number, if it has none.
  private mutating func finish(_ classUID: UInt32) -> Bool {
    guard mark(classUID) != .archived else { return true }
    guard classUID == next else { return false }
    marks[Int(classUID)] = .archived
    next += 1
    return true
  }

  /// Chooses the value that leads to the next number. Returns false when no value does, and has none left if that is as
  /// it should be.
  private mutating func choose(for frame: inout Frame, _ state: inout UnarchiverState) throws -> Bool {
    // What was archived before leads nowhere.
    while let value = frame.rest.last, isArchived(value) {
      orders[frame.uid, default: []].append(value.place)
      frame.rest.removeLast()
    }
    // A reference to the next number itself comes before one to an object that would give it out.
    let direct = frame.rest.lastIndex { firstOpen($0) == next }
    for index in (direct.map { [$0] } ?? []) + frame.rest.indices.reversed() {
      guard effort > 0, try effect(frame.rest[index], &state) == next else { continue }
      let value = frame.rest.remove(at: index)
      effort -= frame.rest.count - index
      frame.elements = value.uids[...]
      frame.place = value.place
      orders[frame.uid, default: []].append(value.place)
      return true
    }
    // The others lead to nothing new: to objects that were archived before, or are archived elsewhere.
    for value in frame.rest.reversed() {
      orders[frame.uid, default: []].append(value.place)
      guard let uid = value.uids.first, try effect(value, &state) != nil else { continue }
      guard value.uids.count == 1, mark(uid) == .numbered else { return false }
      conditional.insert(Place(uid: frame.uid, place: value.place))
    }
    frame.rest = []
    return false
  }

  private mutating func isArchived(_ value: Value) -> Bool { firstOpen(value) == nil }

  /// The first object of a value that is not archived.
  private mutating func firstOpen(_ value: Value) -> UInt32? {
    effort -= 1
    guard effort > 0 else { return nil }
    return value.uids.first {
      effort -= 1
      return mark($0) != .archived
    }
  }

  /// The first number that encoding a value would give out; nil if none.
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

  /// The least number that an object which has its own would give out when it is archived; nil if none.
  private mutating func firstUnknown(
    in uid: UInt32, _ seen: inout Set<UInt32>, _ state: inout UnarchiverState
  ) throws -> UInt32? {
    guard seen.count < 256, seen.insert(uid).inserted, let classUID = try state.classUID(of: uid) else { return nil }
    return try firstUnknown(values(of: state.source.entry(uid), in: state), classUID, &seen, &state)
  }

  /// The same, of the object's references and its class. Objects among these that have a number and are not archived yet
  /// may be archived with it, and give out numbers in their turn.
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

  /// The references of a dictionary. Those whose greatest number is less were likely encoded first; they come last.
  /// Not all of them if there is no effort left for more.
  private mutating func values(of item: BinaryItem, in state: borrowing UnarchiverState) throws -> [Value] {
    var values: [Value] = []
    // Each is made and put in order, which takes more than to look at an element.
    effort -= 4 * item.count
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
        effort -= value.count
        // Many keys may have the same array.
        guard effort > 0 else { return values }
        // Anything else is refused where the object is filled, which knows the key.
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
