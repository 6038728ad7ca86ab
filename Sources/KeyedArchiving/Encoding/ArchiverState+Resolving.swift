// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Resolving, the second step of encoding: recorded values become entries.
extension ArchiverState {
  /// Resolves recorded values until user code must run or all are resolved.
  mutating func resolveNext() -> Step {
    guard !hasFailed else { return .finished }
    walk: while true {
      let top = frames.count &- 1
      var cursor = top >= 0 ? frames[top].cursor : 0
      while cursor < records.count {
        if let step = resolve(cursor, wasAsked: false) {
          // A failure clears the frames.
          if top >= 0, !hasFailed { frames[top].cursor = cursor } else { topCursor = cursor }
          if case .collectionBegun = step { continue walk }
          return step
        }
        cursor &+= 1
      }
      guard top >= 0 else {
        guard checkObjectCount() else { return .finished }
        for index in 0..<records.count { topRecords.append(records[index]) }
        records.removeAll(from: 0)
        popValues(to: 0)
        collected.empty(keepingMapping: true)
        collections = TrivialArray()
        return .finished
      }
      finishFrame()
      if !currentObjects.isEmpty, let object = popShownObject() {
        subject = object
        return .didEncode
      }
    }
  }

  /// Resolves the value at `cursor`. Returns a step if user code must run first, or if an object was begun.
  @inline(__always)
  private mutating func resolve(_ cursor: Int, wasAsked: Bool) -> Step? {
    let value = records[cursor]
    switch value.kind {
    case .boolean, .int32, .int64, .uint64, .float, .double, .bytes, .text, .array, .decoded, .uid, .conditionalUID,
      .set, .keys,
      .values:
      return nil
    case .null: set(cursor, 0)
    case .string: set(cursor, uid(ofString: value.payload))
    case .reference: return resolveReference(cursor, Int(truncatingIfNeeded: value.payload), wasAsked: wasAsked)
    case .conditional:
      hasConditionals = true
      records[cursor] = RecordedValue(.conditionalUID, UInt64(reserve(Int(truncatingIfNeeded: value.payload))))
    case .value:
      return resolveValue(cursor, values[Int(truncatingIfNeeded: value.payload)], .inline, wasAsked: wasAsked)
    case .elementValue:
      return resolveValue(cursor, values[Int(truncatingIfNeeded: value.payload)], .element, wasAsked: wasAsked)
    case .collection: return resolveCollection(cursor, Int(truncatingIfNeeded: value.payload))
    case .int64Object: set(cursor, uid(ofInteger: value.payload, .int64))
    case .floatObject: set(cursor, uid(ofReal: value.payload, .float))
    case .doubleObject: set(cursor, uid(ofReal: value.payload, .double))
    case .int8Object: set(cursor, uid(ofInteger: value.payload, .int8))
    case .int16Object: set(cursor, uid(ofInteger: value.payload, .int16))
    case .int32Object: set(cursor, uid(ofInteger: value.payload, .int32))
    case .uint64Object: set(cursor, uid(ofInteger: value.payload, .uint64))
    case .booleanObject: set(cursor, uid(ofBoolean: value.payload != 0))
    case .dataObject: set(cursor, uid(ofData: value.payload))
    case .nullObject: return resolveNull(cursor)
    }
    return nil
  }

  /// Removes and returns the object of the frame that ended, if the delegate was shown it.
  private mutating func popShownObject() -> (any KeyedCoding)? {
    guard let last = currentObjects.last, last.depth > frames.count else { return nil }
    currentObjects.removeLast()
    return hasFailed ? nil : last.object
  }

  /// Archives the null object, which the delegate is not shown.
  private mutating func resolveNull(_ cursor: Int) -> Step? {
    guard nullObjectUID == 0 else {
      set(cursor, nullObjectUID)
      return nil
    }
    let null = ArchiveNull()
    guard let type = typeNumber(of: null) else { return .describe(ArchiveNull.self) }
    nullObjectUID = add(Entry(.null))
    guard begin(cursor, nullObjectUID, type, .element) else { return .finished }
    subject = null
    return .encode
  }

  @inline(__always)
  mutating func set(_ cursor: Int, _ uid: UInt32) { records[cursor] = RecordedValue(.uid, UInt64(uid)) }

  @inline(__always)
  mutating func add(_ entry: Entry) -> UInt32 {
    entries.append(entry)
    return UInt32(truncatingIfNeeded: entries.count &- 1)
  }

  private mutating func resolveReference(_ cursor: Int, _ number: Int, wasAsked: Bool) -> Step? {
    let state = referenceStates[number]
    if state & 1 == 1 {
      set(cursor, state >> 1)
      return nil
    }
    let object = references[number]
    // The class of an object takes one load. The type of a value of any kind takes a call of the runtime, and a copy.
    let id = ObjectIdentifier(Swift.type(of: object as AnyObject))
    guard var type = typeNumber(id) else { return .describe(Swift.type(of: object)) }
    if types[type].varies {
      if types[type].holdsValue, let storage = object as? any ValueStorage {
        return resolveValue(cursor, storage.value, .never, reference: number, wasAsked: wasAsked)
      }
      if let scalar = object as? any IdentifiedPrimitive {
        if case .string(let text) = scalar.value, let object = ArchiveNull.object(ifNull: text) {
          return resolveValue(cursor, object, .never, reference: number, wasAsked: wasAsked)
        }
        let uid = add(scalar)
        if state != 0 { finalUIDs[state >> 1] = uid }
        referenceStates[number] = uid << 1 | 1
        set(cursor, uid)
        return nil
      }
      type = variant(type, of: object)
    }
    if !wasAsked, types[type].replaces || hasDelegate { return replace(object) }
    let uid = state == 0 ? add(Entry(.null)) : state >> 1
    referenceStates[number] = uid << 1 | 1
    return begin(cursor, uid, type, .never, object)
  }

  /// Archives a value as a new object, or with the identity of its storage, which is the reference with a number.
  private mutating func resolveValue(
    _ cursor: Int, _ value: any KeyedCoding, _ collapseRule: CollapseRule, reference: Int? = nil, wasAsked: Bool
  ) -> Step? {
    guard var type = typeNumber(of: value) else { return .describe(Swift.type(of: value)) }
    if types[type].varies { type = variant(type, of: value) }
    if !wasAsked, types[type].replaces || hasDelegate { return replace(value) }
    let uid = reference.map { reserve($0) } ?? add(Entry(.null))
    if let reference { referenceStates[reference] |= 1 }
    return begin(cursor, uid, type, collapseRule, value)
  }

  private mutating func reserve(_ number: Int) -> UInt32 {
    if referenceStates[number] == 0 { referenceStates[number] = add(Entry(.null)) << 1 }
    return referenceStates[number] >> 1
  }

  private mutating func begin(
    _ cursor: Int, _ uid: UInt32, _ type: Int, _ collapseRule: CollapseRule, _ object: any KeyedCoding
  ) -> Step {
    guard begin(cursor, uid, type, collapseRule) else { return .finished }
    if hasDelegate { currentObjects.append((object, frames.count)) }
    subject = object
    return .encode
  }

  private mutating func replace(_ object: any KeyedCoding) -> Step {
    subject = object
    return .replace
  }

  /// Begins an object: pushes its frame. Returns `false` after recording a failure.
  mutating func begin(_ cursor: Int, _ uid: UInt32, _ type: Int, _ collapseRule: CollapseRule) -> Bool {
    if requiresSecureCoding, !types[type].isSecure {
      let name = types[type].name
      if !frames.isEmpty { frames[frames.count - 1].cursor = cursor }
      fail(
        KeyedArchiveError(
          .classNotSecure, "class \(TypeName.shown(name)) does not adopt secure coding, which this archiver requires",
          keyPath: keyPath(),
          className: name,
          remedy: SecureCoding.remedy(for: types[type].type) + ", or archive with requiringSecureCoding: false"))
      return false
    }
    guard mayAddObject() else { return false }
    set(cursor, uid)
    frames.append(
      Frame(
        uid: uid, type: Int32(truncatingIfNeeded: type), node: types[type].keys,
        collapseRule: frames.isEmpty && collapseRule == .inline ? .element : collapseRule,
        values: Int32(truncatingIfNeeded: values.count),
        collections: collections.count, collected: collected.count, start: records.count, cursor: records.count))
    node = types[type].keys
    unkeyedCount = 0
    return true
  }

  /// Prepares for `encode(with:)` of the current object. Returns whether to call it.
  @inline(__always)
  mutating func willRecord() -> Bool {
    isRecording = !hasFailed
    return isRecording
  }

  /// Ends `encode(with:)` of the current object. Returns whether that also ended the object, which then is the subject
  /// that the delegate is told of.
  @inline(__always)
  mutating func didRecord() -> Bool {
    isRecording = false
    openElements = 0
    let top = frames.count &- 1
    if top >= 0 { frames[top].node = node }
    guard singleValue != nil else { return false }
    collapse()
    return hasSubject
  }

  /// Replaces the current object by the single value it encoded. It was the last object begun, so its UID can be
  /// reused.
  private mutating func collapse() {
    guard let value = singleValue, !hasFailed, let frame = frames.popLast() else { return singleValue = nil }
    singleValue = nil
    guard singleValues.count <= SingleValueChain.maximumCount else {
      return fail(
        KeyedArchiveError(
          .notEncodable,
          "endless value: encode(to:) encodes the value itself as a single value, directly or through others",
          keyPath: keyPath(), className: types[Int(frame.type)].name,
          remedy: "Encode a part of the value, such as its rawValue"))
    }
    guard records.count == frame.start, entries.count - 1 == Int(frame.uid) else {
      return fail(
        KeyedArchiveError(
          .notEncodable, "conflicting encodings: the object encoded a single value as well as values with keys",
          keyPath: keyPath(), className: types[Int(frame.type)].name, remedy: "Use one container in encode(to:)"))
    }
    _ = entries.popLast()
    if !currentObjects.isEmpty { subject = popShownObject() }
    let cursor = frames.last?.cursor ?? topCursor
    singleValues.note(value, at: cursor)
    // A top-level nil stays nil.
    records[cursor] =
      frame.collapseRule == .inline ? value.inlined : frames.isEmpty && value.kind == .null ? value : value.asElement
  }

  /// Adds the entry of the current object, whose values are all resolved. Its class record follows its children if it
  /// is the first object of its class to finish.
  private mutating func finishFrame() {
    guard let frame = frames.popLast() else { return }
    let first = fields.count
    var i = frame.start
    while i < records.count {
      let value = records[i]
      i &+= 1
      fieldKinds.append(value.kind)
      guard value.kind == .array else {
        fields.append(value.payload)
        continue
      }
      let head = RecordedValue.ArrayHead(bits: value.payload)
      if !head.isInGivenOrder { unorderedArrays.append(UnorderedArray(field: fields.count, head, of: frame.uid)) }
      fields.append(UInt64(truncatingIfNeeded: arrayElements.count) << 32 | UInt64(truncatingIfNeeded: head.count))
      arrayElements.reserve(more: head.count)
      let end = i &+ head.count
      if hasConditionals { recordConditionalElements(i..<end) }
      while i < end {
        arrayElements.append(UInt32(truncatingIfNeeded: records[i].payload))
        i &+= 1
      }
    }
    _ = classRecord(ofType: Int(frame.type))
    records.removeAll(from: frame.start)
    popValues(to: Int(frame.values))
    forgetCollections(from: frame.collections, frame.collected)
    let keyLayout = trie.keyLayout(of: frame.node, ofType: frame.type)
    entries[Int(frame.uid)] = Entry(.object, first, keyLayout: keyLayout)
    if trie.hasRepeatedKeys, let keys = trie.repeatedKeys[keyLayout] { check(repeatedKeys: keys, ofType: frame.type) }
    _ = checkObjectCount()
  }

  /// Records a failure, unless the policy is to keep the later of two values for one key.
  private mutating func check(repeatedKeys keys: [String], ofType type: Int32) {
    if repeatedKeyPolicy == .fail, let key = keys.last {
      fail(.repeatedKey(key, keyPath: keyPath(), className: types[Int(type)].name))
    }
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

  /// Returns the class record of a type with the same name. A few types are searched linearly.
  private mutating func classRecord(named name: String) -> UInt32? {
    guard types.count > KeyTrie.linearSearchLimit else {
      // `first(where:)` would copy each type, with its names.
      for index in types.indices where types[index].uid != 0 && types[index].name.hasSameBytes(as: name) {
        return types[index].uid
      }
      return nil
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
    if recent < recentTypes.count, recentTypes[recent].id == id { return Int(recentTypes[recent].number) }
    guard let index = typeIndexes.existingUID(UInt64(UInt(bitPattern: id))), types[Int(index)].isCurrent else {
      return nil
    }
    if recentTypes.isEmpty { recentTypes = ContiguousArray(repeating: (nil, 0), count: 8) }
    recentTypes[recent] = (id, Int32(truncatingIfNeeded: index))
    return Int(index)
  }

  /// Uses the description of a type from an earlier archive again, if it is what the type computes now.
  mutating func confirm(_ id: ObjectIdentifier, _ name: String, _ chain: [String], isSecure: Bool) -> Bool {
    guard let number = typeIndexes.existingUID(UInt64(UInt(bitPattern: id))) else { return false }
    let index = Int(number)
    guard types[index].name == name, types[index].chain == chain, !types[index].isMapped else { return false }
    types[index].isSecure = isSecure
    types[index].isCurrent = true
    return true
  }

  mutating func add(_ type: consuming ArchivedType, for id: ObjectIdentifier) {
    let (index, isNew) = typeIndexes.index(of: UInt64(UInt(bitPattern: id)))
    guard isNew else {
      // The keys of an earlier archive.
      let known = Int(typeIndexes.uids[index])
      type.keys = types[known].keys
      types[known] = type
      return
    }
    type.keys = trie.addRoot()
    types.append(type)
    typeIndexes.uids[index] = UInt32(truncatingIfNeeded: types.count - 1)
  }

  /// Substitutes the replacement for the value at the cursor; nil keeps the value. All references to the original, earlier
  /// conditional ones included, refer to the replacement.
  mutating func replace(with replacement: RecordedValue?) -> Step? {
    let cursor = frames.last?.cursor ?? topCursor
    guard !hasFailed, cursor < records.count else { return .finished }
    let original = records[cursor]
    let reserved = original.kind == .reference ? referenceStates[Int(original.payload)] >> 1 : 0
    let value = replacement ?? original
    records[cursor] = original.kind == .elementValue && value.kind == .value ? value.asElement : value
    let step = resolve(cursor, wasAsked: true)
    // A failure removes the records.
    guard !hasFailed else { return step }
    // Other references to the original need a UID, so its replacement must not collapse into a single value.
    if case .encode = step, original.kind == .reference { frames[frames.count - 1].collapseRule = .never }
    if case .describe = step {
      records[cursor] = original
    } else if original.kind == .reference, records[cursor].kind == .uid {
      let uid = UInt32(truncatingIfNeeded: records[cursor].payload)
      if reserved != 0, reserved != uid { finalUIDs[reserved] = uid }
      referenceStates[Int(original.payload)] = uid << 1 | 1
    }
    return step
  }
}
