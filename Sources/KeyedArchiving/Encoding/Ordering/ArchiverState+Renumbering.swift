// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension ArchiverState {
  /// Numbers all objects anew, as they would be numbered if arrays had been recorded in their present order: an object
  /// before its children, the record of a class behind the first of its objects.
  ///
  /// - Parameter plainValues: The objects that may become one, see ``sharedReadValues()``.
  mutating func renumber(sharing plainValues: [UInt32: UInt32]) {
    var walk = Renumbering(count: entries.count, sharing: plainValues)
    for place in 0..<topNotes.count {
      if topNotes[place].kind == .conditionalUID {
        _ = walk.number(of: UInt32(topNotes[place].payload))
      } else if topNotes[place].kind == .uid {
        walk.follow(UInt32(topNotes[place].payload), self)
      }
    }
    var renumbered = TrivialArray<Entry>()
    renumbered.reserve(walk.objects.count)
    for uid in walk.objects {
      let type = walk.typeOfRecord[uid]
      renumbered.append(type.map { Entry(.classRecord, Int($0)) } ?? entries[Int(uid)])
    }
    entries = renumbered
    for slot in 0..<slots.count where slotKinds[slot] == .uid || slotKinds[slot] == .conditionalUID {
      slots[slot] = UInt64(walk.numbers[Int(slots[slot])])
    }
    for place in 0..<arrayElements.count { arrayElements[place] = walk.numbers[Int(arrayElements[place])] }
    for place in 0..<topNotes.count where topNotes[place].kind == .uid || topNotes[place].kind == .conditionalUID {
      topNotes[place].payload = UInt64(walk.numbers[Int(topNotes[place].payload)])
    }
    for place in types.indices { types[place].uid = walk.numbers[Int(types[place].uid)] }
  }
}

/// A walk through the archived objects that numbers them.
private struct Renumbering {
  /// The new number of each object; 0 for those that have none, and for the string `$null`.
  private(set) var numbers: [UInt32]
  /// The objects in the order of their new numbers.
  private(set) var objects: [UInt32] = [0]
  /// The type that a class record is written from: that of the first object behind which it comes.
  private(set) var typeOfRecord: [UInt32: Int32] = [:]
  private var isEntered: [Bool]
  private var frames: [Frame] = []
  /// For objects that may become one, the plain value among them, and what became of each so far.
  private let plainValues: [UInt32: UInt32]
  private var sharing: [UInt32: (number: UInt32, hasRead: Bool)] = [:]

  private struct Frame {
    let type: Int
    var slots: Range<Int>
    var elements: Range<Int>
  }

  init(count: Int, sharing plainValues: [UInt32: UInt32]) {
    self.plainValues = plainValues
    numbers = [UInt32](repeating: 0, count: count)
    isEntered = [Bool](repeating: false, count: count)
    objects.reserveCapacity(count)
  }

  mutating func number(of uid: UInt32) -> Bool {
    guard uid != 0, numbers[Int(uid)] == 0 else { return false }
    if !plainValues.isEmpty, let plain = plainValues[uid] { return number(of: uid, equalTo: plain) }
    numbers[Int(uid)] = UInt32(objects.count)
    objects.append(uid)
    return true
  }

  /// Numbers a plain value, or a value that was read and may be the same object.
  private mutating func number(of uid: UInt32, equalTo plain: UInt32) -> Bool {
    var known = sharing[plain, default: (0, false)]
    let isShared = uid == plain || !known.hasRead
    let isNew = !isShared || known.number == 0
    if isNew { objects.append(uid) }
    numbers[Int(uid)] = isNew ? UInt32(objects.count - 1) : known.number
    guard isShared else { return true }
    known.number = numbers[Int(uid)]
    if uid != plain {
      // The value that was read is written, because it knows where it came from.
      objects[Int(known.number)] = uid
      known.hasRead = true
    }
    sharing[plain] = known
    return isNew
  }

  /// Numbers an object and all that it leads to.
  mutating func follow(_ uid: UInt32, _ state: borrowing ArchiverState) {
    enter(uid, state)
    while !frames.isEmpty {
      let top = frames.count - 1
      if let place = frames[top].elements.popFirst() {
        if state.conditionalElements.contains(place) {
          _ = number(of: state.arrayElements[place])
        } else {
          enter(state.arrayElements[place], state)
        }
      } else if let slot = frames[top].slots.popFirst() {
        switch state.slotKinds[slot] {
        case .uid: enter(UInt32(truncatingIfNeeded: state.slots[slot]), state)
        case .conditionalUID: _ = number(of: UInt32(truncatingIfNeeded: state.slots[slot]))
        case .array, .set, .keys, .values: frames[top].elements = state.elements(ofArray: slot)
        default: break
        }
      } else {
        let record = state.types[frames[top].type].uid
        if number(of: record) { typeOfRecord[record] = Int32(frames[top].type) }
        frames.removeLast()
      }
    }
  }

  private mutating func enter(_ uid: UInt32, _ state: borrowing ArchiverState) {
    _ = number(of: uid)
    guard uid != 0, !isEntered[Int(uid)] else { return }
    isEntered[Int(uid)] = true
    let entry = state.entries[Int(uid)]
    guard entry.kind == .object else { return }
    let type = Int(state.tree.shapes[entry.shape].type)
    frames.append(Frame(type: type, slots: state.slots(of: uid), elements: 0..<0))
  }
}
