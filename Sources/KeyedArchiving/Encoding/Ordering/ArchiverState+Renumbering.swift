// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension ArchiverState {
  /// Replaces each reserved UID whose object was archived under another UID. Nothing then refers to the entries of these
  /// UIDs, so ``renumber(sharing:)`` removes them.
  mutating func redirectReservedUIDs() {
    guard !finalUIDs.isEmpty else { return }
    for field in 0..<fields.count where fieldKinds[field].isUID {
      if let final = finalUIDs[UInt32(truncatingIfNeeded: fields[field])] { fields[field] = UInt64(final) }
    }
    for index in 0..<arrayElements.count {
      if let final = finalUIDs[arrayElements[index]] { arrayElements[index] = final }
    }
    for index in 0..<topRecords.count where topRecords[index].kind.isUID {
      let uid = UInt32(truncatingIfNeeded: topRecords[index].payload)
      if let final = finalUIDs[uid] { topRecords[index].payload = UInt64(final) }
    }
    finalUIDs = [:]
  }

  /// Assigns new UIDs to all objects, as if arrays had been recorded in their present order. An object gets its UID
  /// before its children, and a class record after the first of its objects.
  /// - Parameter plainValues: The tagged-pointer values that may become one object; see ``sharedDecodedPrimitives()``.
  mutating func renumber(sharing plainValues: [UInt32: UInt32]) {
    var walk = Renumbering(count: entries.count, sharing: plainValues)
    for index in 0..<topRecords.count {
      if topRecords[index].kind == .conditionalUID {
        _ = walk.number(of: UInt32(topRecords[index].payload))
      } else if topRecords[index].kind == .uid {
        walk.follow(UInt32(topRecords[index].payload), self)
      }
    }
    var renumbered = TrivialArray<Entry>()
    renumbered.reserve(walk.objects.count)
    for uid in walk.objects {
      let type = walk.typeOfRecord[uid]
      renumbered.append(type.map { Entry(.classRecord, Int($0)) } ?? entries[Int(uid)])
    }
    entries = renumbered
    for field in 0..<fields.count where fieldKinds[field].isUID {
      fields[field] = UInt64(walk.numbers[Int(fields[field])])
    }
    for index in 0..<arrayElements.count { arrayElements[index] = walk.numbers[Int(arrayElements[index])] }
    for index in 0..<topRecords.count where topRecords[index].kind.isUID {
      topRecords[index].payload = UInt64(walk.numbers[Int(topRecords[index].payload)])
    }
    for index in types.indices { types[index].uid = walk.numbers[Int(types[index].uid)] }
    repeatedKeys.renumber(walk.numbers)
  }
}

/// A traversal of the archived objects that assigns UIDs.
private struct Renumbering {
  /// The new UID of each object; 0 for unreached objects and for the string `$null`.
  private(set) var numbers: [UInt32]
  /// The objects in the order of their new UIDs.
  private(set) var objects: [UInt32] = [0]
  /// The type of each class record: that of the object it follows.
  private(set) var typeOfRecord: [UInt32: Int32] = [:]
  private var isEntered: [Bool]
  private var frames: [Frame] = []
  /// For objects that may become one: their plain value, and the UID it has so far.
  private let plainValues: [UInt32: UInt32]
  private var sharing: [UInt32: (number: UInt32, hasDecoded: Bool)] = [:]

  private struct Frame {
    let type: Int
    var fields: Range<Int>
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

  /// Assigns a UID to a plain value, or to an equal decoded value that may be the same object.
  private mutating func number(of uid: UInt32, equalTo plain: UInt32) -> Bool {
    var known = sharing[plain, default: (0, false)]
    let isShared = uid == plain || !known.hasDecoded
    let isNew = !isShared || known.number == 0
    if isNew { objects.append(uid) }
    numbers[Int(uid)] = isNew ? UInt32(objects.count - 1) : known.number
    guard isShared else { return true }
    known.number = numbers[Int(uid)]
    if uid != plain {
      // The decoded value is written, because it has an origin.
      objects[Int(known.number)] = uid
      known.hasDecoded = true
    }
    sharing[plain] = known
    return isNew
  }

  /// Assigns UIDs to an object and to all objects reachable from it.
  mutating func follow(_ uid: UInt32, _ state: borrowing ArchiverState) {
    enter(uid, state)
    while !frames.isEmpty {
      let top = frames.count - 1
      if let index = frames[top].elements.popFirst() {
        if state.conditionalElements.contains(index) {
          _ = number(of: state.arrayElements[index])
        } else {
          enter(state.arrayElements[index], state)
        }
      } else if let field = frames[top].fields.popFirst() {
        switch state.fieldKinds[field] {
        case .uid: enter(UInt32(truncatingIfNeeded: state.fields[field]), state)
        case .conditionalUID: _ = number(of: UInt32(truncatingIfNeeded: state.fields[field]))
        case .array, .set, .keys, .values: frames[top].elements = state.elements(ofArray: field)
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
    let type = Int(state.trie.keyLayouts[entry.keyLayout].type)
    frames.append(Frame(type: type, fields: state.fields(of: uid), elements: 0..<0))
  }
}
