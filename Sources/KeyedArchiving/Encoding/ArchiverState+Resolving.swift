// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// What is recorded becomes entries.
extension ArchiverState {
  /// Walks until user code is needed or everything recorded is settled.
  mutating func resolveNext() -> Step {
    guard !hasFailed else { return .settled }
    walk: while true {
      let top = frames.count &- 1
      var cursor = top >= 0 ? frames[top].cursor : 0
      while cursor < notes.count {
        if let step = resolve(cursor, wasAsked: false) {
          // A failure has cleared the frames.
          if top >= 0, !hasFailed { frames[top].cursor = cursor } else { topCursor = cursor }
          if case .entered = step { continue walk }
          return step
        }
        cursor &+= 1
      }
      guard top >= 0 else {
        for place in 0..<notes.count { topNotes.append(notes[place]) }
        notes.removeAll(from: 0)
        popValues(to: 0)
        collected = TrivialArray()
        collections = TrivialArray()
        return .settled
      }
      finishFrame()
      if hasDelegate, let object = objectsInWork.popLast() ?? nil {
        subject = object
        return .didEncode
      }
    }
  }

  /// Turns the note at `cursor` into what is stored. Returns a step if user code must run first, or, when its object was
  /// begun, to have it encoded.
  @inline(__always)
  private mutating func resolve(_ cursor: Int, wasAsked: Bool) -> Step? {
    let note = notes[cursor]
    switch note.kind {
    case .boolean, .int32, .int64, .uint64, .float, .double, .bytes, .text, .array, .readValue, .uid, .conditionalUID,
      .set, .keys,
      .values:
      return nil
    case .null: set(cursor, 0)
    case .string: set(cursor, uid(ofString: note.payload))
    case .reference: return settleReference(cursor, Int(truncatingIfNeeded: note.payload), wasAsked: wasAsked)
    case .conditional:
      hasConditionals = true
      notes[cursor] = _RecordedValue(.conditionalUID, UInt64(reserve(Int(truncatingIfNeeded: note.payload))))
    case .value:
      return resolveValue(cursor, values[Int(truncatingIfNeeded: note.payload)], .inline, wasAsked: wasAsked)
    case .elementValue:
      return resolveValue(cursor, values[Int(truncatingIfNeeded: note.payload)], .element, wasAsked: wasAsked)
    case .collection: return settleCollection(cursor, Int(truncatingIfNeeded: note.payload))
    case .int64Object: set(cursor, uid(ofInteger: note.payload, .int64))
    case .floatObject: set(cursor, uid(ofReal: note.payload, .float))
    case .doubleObject: set(cursor, uid(ofReal: note.payload, .double))
    case .int8Object: set(cursor, uid(ofInteger: note.payload, .int8))
    case .int16Object: set(cursor, uid(ofInteger: note.payload, .int16))
    case .int32Object: set(cursor, uid(ofInteger: note.payload, .int32))
    case .uint64Object: set(cursor, uid(ofInteger: note.payload, .uint64))
    case .booleanObject: set(cursor, uid(ofBoolean: note.payload != 0))
    case .dataObject: set(cursor, uid(ofData: note.payload))
    case .nullObject:
      guard nullObjectUID == 0 else {
        set(cursor, nullObjectUID)
        return nil
      }
      return resolveValue(cursor, ArchiveNull(), .element, wasAsked: true)
    }
    return nil
  }

  @inline(__always)
  mutating func set(_ cursor: Int, _ uid: UInt32) { notes[cursor] = _RecordedValue(.uid, UInt64(uid)) }

  @inline(__always)
  mutating func add(_ entry: Entry) -> UInt32 {
    entries.append(entry)
    return UInt32(truncatingIfNeeded: entries.count &- 1)
  }

  private mutating func settleReference(_ cursor: Int, _ number: Int, wasAsked: Bool) -> Step? {
    let state = referenceStates[number]
    if state & 1 == 1 {
      set(cursor, state >> 1)
      return nil
    }
    let object = references[number]
    guard var type = typeNumber(of: object) else { return .describe(Swift.type(of: object)) }
    if types[type].varies {
      if types[type].holdsValue, let storage = object as? any ValueStorage {
        return settleStorage(cursor, number, storage.value, wasAsked: wasAsked)
      }
      if let scalar = object as? any IdentifiedPrimitive {
        let uid = add(scalar)
        referenceStates[number] = uid << 1 | 1
        set(cursor, uid)
        return nil
      }
      type = variant(type, of: object)
    }
    if !wasAsked, types[type].replaces || hasDelegate { return replace(object) }
    let uid = state == 0 ? add(Entry(.null)) : state >> 1
    referenceStates[number] = uid << 1 | 1
    return begin(cursor, uid, type, .identity, object)
  }

  /// Archives a value with the identity of its storage.
  private mutating func settleStorage(
    _ cursor: Int, _ number: Int, _ value: any KeyedCoding, wasAsked: Bool
  ) -> Step? {
    guard var type = typeNumber(of: value) else { return .describe(Swift.type(of: value)) }
    if types[type].varies { type = variant(type, of: value) }
    if !wasAsked, types[type].replaces || hasDelegate { return replace(value) }
    let state = referenceStates[number]
    let uid = state == 0 ? add(Entry(.null)) : state >> 1
    referenceStates[number] = uid << 1 | 1
    return begin(cursor, uid, type, .identity, value)
  }

  private mutating func resolveValue(
    _ cursor: Int, _ value: any KeyedCoding, _ form: Form, wasAsked: Bool
  ) -> Step? {
    guard var type = typeNumber(of: value) else { return .describe(Swift.type(of: value)) }
    if types[type].varies { type = variant(type, of: value) }
    if !wasAsked, types[type].replaces || hasDelegate { return replace(value) }
    let uid = add(Entry(.null))
    if value is ArchiveNull { nullObjectUID = uid }
    return begin(cursor, uid, type, form, value)
  }

  private mutating func reserve(_ number: Int) -> UInt32 {
    if referenceStates[number] == 0 { referenceStates[number] = add(Entry(.null)) << 1 }
    return referenceStates[number] >> 1
  }

  private mutating func begin(
    _ cursor: Int, _ uid: UInt32, _ type: Int, _ form: Form, _ object: any KeyedCoding
  ) -> Step {
    guard begin(cursor, uid, type, form) else { return .settled }
    if hasDelegate { objectsInWork.append(object) }
    subject = object
    return .encode
  }

  private mutating func replace(_ object: any KeyedCoding) -> Step {
    subject = object
    return .replace
  }

  /// Makes an object the innermost frame. Returns whether it may be archived.
  mutating func begin(_ cursor: Int, _ uid: UInt32, _ type: Int, _ form: Form) -> Bool {
    if requiresSecureCoding, !types[type].isSecure {
      let name = types[type].name
      if !frames.isEmpty { frames[frames.count - 1].cursor = cursor }
      fail(
        KeyedArchiveError(
          .classNotSecure, "secure coding is required and '\(name)' does not adopt it", keyPath: keyPath(),
          className: name,
          remedy: "Conform it to SecureKeyedCoding, or archive with requiringSecureCoding: false"))
      return false
    }
    guard mayAddObject() else { return false }
    set(cursor, uid)
    frames.append(
      Frame(
        uid: uid, type: Int32(truncatingIfNeeded: type), node: types[type].keys,
        form: frames.isEmpty && form == .inline ? .element : form, values: Int32(truncatingIfNeeded: values.count),
        collections: collections.count, collected: collected.count, start: notes.count, cursor: notes.count))
    node = types[type].keys
    unkeyedCount = 0
    return true
  }

  /// Called when `encode(with:)` of the innermost object is about to be called. Returns whether it should be.
  @inline(__always)
  mutating func willRecord() -> Bool {
    isRecording = !hasFailed
    return isRecording
  }

  /// Called when `encode(with:)` of the innermost object has returned.
  @inline(__always)
  mutating func recorded() {
    isRecording = false
    let top = frames.count &- 1
    if top >= 0 { frames[top].node = node }
    if singleValue != nil { collapse() }
  }

  /// Puts the one value that the innermost object has turned out to be in the object's place. The object was begun last,
  /// so the number it was given can be had back.
  private mutating func collapse() {
    guard let note = singleValue, !hasFailed, let frame = frames.popLast() else { return singleValue = nil }
    singleValue = nil
    guard notes.count == frame.start, entries.count - 1 == Int(frame.uid) else {
      return fail(
        KeyedArchiveError(
          .notEncodable, "a value was encoded as a single value and with keys as well", keyPath: keyPath(),
          className: types[Int(frame.type)].name))
    }
    _ = entries.popLast()
    if hasDelegate { objectsInWork.removeLast() }
    let cursor = frames.last?.cursor ?? topCursor
    // At the top level nil stays nil.
    notes[cursor] = frame.form == .inline ? note.inlined : frames.isEmpty && note.kind == .null ? note : note.asElement
  }

  /// Stores the innermost object, all of whose notes are settled. Its class record comes right behind its children if it
  /// is the first of its class to finish.
  private mutating func finishFrame() {
    guard let frame = frames.popLast() else { return }
    let first = slots.count
    var i = frame.start
    while i < notes.count {
      let note = notes[i]
      i &+= 1
      slotKinds.append(note.kind)
      guard note.kind == .array else {
        slots.append(note.payload)
        continue
      }
      let head = _RecordedValue.ArrayHead(bits: note.payload)
      if !head.isInGivenOrder { unorderedArrays.append(UnorderedArray(slot: slots.count, head, of: frame.uid)) }
      slots.append(UInt64(truncatingIfNeeded: arrayElements.count) << 32 | UInt64(truncatingIfNeeded: head.count))
      let end = i &+ head.count
      if hasConditionals { noteConditionalElements(i..<end) }
      while i < end {
        arrayElements.append(UInt32(truncatingIfNeeded: notes[i].payload))
        i &+= 1
      }
    }
    _ = classRecord(ofType: Int(frame.type))
    notes.removeAll(from: frame.start)
    popValues(to: Int(frame.values))
    forgetCollections(from: frame.collections, frame.collected)
    entries[Int(frame.uid)] = Entry(.object, first, shape: tree.shape(of: frame.node, ofType: frame.type))
    if tree.repeatedKey != nil { refuseRepeatedKey(ofType: Int(frame.type)) }
  }

  /// Fails, unless the caller wants the later value of a key that was encoded twice.
  private mutating func refuseRepeatedKey(ofType type: Int) {
    guard repeatedKeyPolicy == .fail, let key = tree.repeatedKey else { return }
    fail(.repeatedKey(tree.texts[Int(key)], keyPath: keyPath(), className: types[type].name))
  }

  @inline(__always)
  private mutating func classRecord(ofType type: Int) -> UInt32 {
    types[type].uid != 0 ? types[type].uid : addClassRecord(ofType: type)
  }

  private mutating func addClassRecord(ofType type: Int) -> UInt32 {
    let name = types[type].name
    let uid = classRecord(named: name) ?? add(Entry(.classRecord, type))
    if !classRecords.isEmpty { classRecords[BytewiseString(name)] = uid }
    types[type].uid = uid
    return uid
  }

  /// The class record of a type with the same name. A few types are looked at one after another.
  private mutating func classRecord(named name: String) -> UInt32? {
    guard types.count > KeyTrie.few else {
      return types.first { $0.uid != 0 && $0.name.hasSameBytes(as: name) }?.uid
    }
    if classRecords.isEmpty {
      for type in types where type.uid != 0 { classRecords[BytewiseString(type.name)] = type.uid }
    }
    return classRecords[BytewiseString(name)]
  }

  @inline(__always)
  private mutating func typeNumber(of value: any KeyedCoding) -> Int? { typeNumber(ObjectIdentifier(type(of: value))) }

  @inline(__always)
  mutating func typeNumber(_ id: ObjectIdentifier) -> Int? {
    let recent = Int(bitPattern: id) >> 4 & 7
    if recentTypes[recent].id == id { return Int(recentTypes[recent].number) }
    guard let place = placesOfTypes.known(UInt64(UInt(bitPattern: id))) else { return nil }
    recentTypes[recent] = (id, Int32(truncatingIfNeeded: place))
    return Int(place)
  }

  mutating func add(_ type: ArchivedType, for id: ObjectIdentifier) {
    types.append(type)
    types[types.count - 1].keys = tree.addRoot()
    let (slot, _) = placesOfTypes.slot(of: UInt64(UInt(bitPattern: id)))
    placesOfTypes.uids[slot] = UInt32(truncatingIfNeeded: types.count - 1)
  }

  /// Puts another note in the place of the one at the cursor, whose object was asked for a replacement. Whoever refers to
  /// that object later gets what stands for it now.
  mutating func replace(with replacement: _RecordedValue) -> Step? {
    let cursor = frames.last?.cursor ?? topCursor
    guard !hasFailed, cursor < notes.count else { return .settled }
    let original = notes[cursor]
    notes[cursor] =
      original.kind == .elementValue && replacement.kind == .value ? replacement.asElement : replacement
    let step = resolve(cursor, wasAsked: true)
    // Whoever refers to the original must find an object with a number here.
    if case .encode = step, original.kind == .reference { frames[frames.count - 1].form = .identity }
    if case .describe = step {
      notes[cursor] = original
    } else if original.kind == .reference, notes[cursor].kind == .uid {
      referenceStates[Int(original.payload)] = UInt32(notes[cursor].payload) << 1 | 1
    }
    return step
  }
}
