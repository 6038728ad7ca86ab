// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// Assigns indexes in the object table: that of an equal value where the layout shares it, otherwise the next one.
extension ArchiveWriter {
  /// Reserves the next index in the object table.
  @inline(__always)
  mutating func reserveIndex() -> UInt32 {
    next &+= 1
    return next &- 1
  }

  @inline(__always)
  mutating func reserveIndex(_ kind: Pending.Kind, _ payload: UInt64) -> UInt32 {
    pending.append(Pending(kind: kind, payload: payload))
    return reserveIndex()
  }

  /// Reserves the index of a key. Keys are constants of a program, so equal keys share one string.
  @inline(__always)
  mutating func reserveKeyIndex(_ text: Int32) -> UInt32 {
    let known = keyIndexes[Int(text)]
    if known != 0 { return known }
    guard sharesKeysWithDecoded else {
      let number = reserveIndex(.key, UInt64(truncatingIfNeeded: text))
      keyIndexes[Int(text)] = number
      return number
    }
    let (number, isNew) = reserveNewKeyIndex(text)
    if isNew { pending.append(Pending(kind: .key, payload: UInt64(truncatingIfNeeded: text))) }
    return number
  }

  /// Reserves an index for a key that has none. A decoded key may share the string of an equal key of the program.
  @inline(never)
  private mutating func reserveNewKeyIndex(_ text: Int32) -> (number: UInt32, isNew: Bool) {
    guard let plain = state.trie.textSharedWithDecoded[text], keysSharedWithDecoded.insert(plain).inserted else {
      keyIndexes[Int(text)] = reserveIndex()
      return (keyIndexes[Int(text)], true)
    }
    let isNew = keyIndexes[Int(plain)] == 0
    if isNew { keyIndexes[Int(plain)] = reserveIndex() }
    keyIndexes[Int(text)] = keyIndexes[Int(plain)]
    return (keyIndexes[Int(text)], isNew)
  }

  /// Reserves the index of a UID. Equal UIDs share the index of the first. Except in `.compact`, each further use also
  /// emits an unreferenced duplicate, as Apple's archiver does.
  @inline(__always)
  mutating func reserveUIDIndex(_ uid: UInt32) -> UInt32 {
    let known = uidIndexes[Int(uid)]
    if known != 0 {
      if layout != .compact { _ = reserveIndex(.uid, UInt64(uid)) }
      return known
    }
    let number = reserveIndex(.uid, UInt64(uid))
    uidIndexes[Int(uid)] = number
    return number
  }

  /// Reserves the index of a Boolean, by the same rule as for UIDs.
  mutating func reserveBooleanIndex(_ value: Bool) -> UInt32 {
    let known = value ? booleanIndexes.true : booleanIndexes.false
    if known != 0 {
      if layout != .compact { _ = reserveIndex(.boolean, value ? 1 : 0) }
      return known
    }
    let number = reserveIndex(.boolean, value ? 1 : 0)
    if value { booleanIndexes.true = number } else { booleanIndexes.false = number }
    return number
  }

  /// Reserves the index of an array and, right after it, those of its elements, which are emitted with it.
  mutating func reserveArrayIndex(_ payload: UInt64) -> UInt32 {
    let number = reserveIndex(.array, payload)
    let start = Int(truncatingIfNeeded: payload >> 32)
    for index in start..<start &+ Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) {
      let uid = Int(state.arrayElements[index])
      if uidIndexes[uid] == 0 {
        uidIndexes[uid] = reserveIndex()
      } else if layout != .compact {
        _ = reserveIndex()
      }
    }
    return number
  }

  /// Reserves the index of an integer. Integers that fit a tagged pointer share an index by type and value, whether
  /// boxed or inline.
  mutating func reserveIntegerIndex(_ value: Int64, _ kind: ArchiverState.Entry.Kind) -> UInt32 {
    let bits = UInt64(bitPattern: value)
    if layout == .compact { return reserveSharedIndex(bits, .int64, .integer) }
    guard value >= -(1 << 55), value < 1 << 55 else { return reserveIndex(.integer, bits) }
    return reserveSharedIndex(bits, kind, .integer)
  }

  /// Reserves the index of an unsigned 64-bit integer. Recent systems always write 16 bytes; older ones only for values
  /// above `Int64.max`.
  mutating func reserveUnsignedIndex(_ value: UInt64) -> UInt32 {
    let isWide = layout == .apple || value > UInt64(Int64.max)
    guard isWide || layout != .compact else { return reserveIntegerIndex(Int64(bitPattern: value), .int64) }
    return layout == .compact
      ? reserveSharedIndex(value, .uint64, .wideInteger) : reserveIndex(isWide ? .wideInteger : .integer, value)
  }

  /// Reserves the index of a real. Inline zeros share one index, and so do inline ones; other reals do not.
  mutating func reserveRealIndex(_ bits: UInt64, _ kind: ArchiverState.Entry.Kind, isInline: Bool) -> UInt32 {
    let one = kind == .float ? UInt64(Float(1).bitPattern) : Double(1).bitPattern
    let isShared = layout == .compact || (isInline && (bits == 0 || bits == one))
    let pendingKind: Pending.Kind = kind == .float ? .float : .double
    return isShared ? reserveSharedIndex(bits, kind, pendingKind) : reserveIndex(pendingKind, bits)
  }

  mutating func reserveSharedIndex(
    _ bits: UInt64, _ kind: ArchiverState.Entry.Kind, _ pendingKind: Pending.Kind
  ) -> UInt32 {
    let (index, isNew) = numbers.index(of: TypedNumber(bits: bits, kind: kind))
    if isNew { numbers.uids[index] = reserveIndex(pendingKind, bits) }
    return numbers.uids[index]
  }

  /// Reserves the index of a decoded primitive. Values decoded from one row of an archive share an index again.
  mutating func reserveDecodedIndex(_ value: DecodedPrimitive, isInline: Bool) -> UInt32 {
    guard layout != .compact else { return reserveSharedIndex(value) }
    if value.kind == .string, let key = state.trie.textOfIdentity[value.identity] { return reserveKeyIndex(key) }
    let (index, isNew) = decodedIndexes.index(of: value.identity)
    if isNew { decodedIndexes.uids[index] = reserveTaggedIndex(value, isInline: isInline) }
    return decodedIndexes.uids[index]
  }

  /// Reserves an index for a decoded primitive that is not written yet. If an Apple process has one object for its
  /// value, it shares the index of the equal plain value; at most one decoded primitive does.
  mutating func reserveTaggedIndex(_ value: DecodedPrimitive, isInline: Bool) -> UInt32 {
    let isSmall = Int64(bitPattern: value.payload) >= -(1 << 55) && Int64(bitPattern: value.payload) < 1 << 55
    switch value.kind {
    case .int64 where isSmall:
      // Two equal numbers that are distinct objects differ in type.
      for kind in [ArchiverState.Entry.Kind.int64, .int32] {
        if let number = reserveTaggedIndex(value, kind) { return number }
      }
    case .double where isInline && [0, Double(1).bitPattern].contains(value.payload):
      if let number = reserveTaggedIndex(value, .double) { return number }
    case .float where isInline && [0, UInt64(Float(1).bitPattern)].contains(value.payload):
      if let number = reserveTaggedIndex(value, .float) { return number }
    case .string:
      guard let tagged = SharedStrings.tagged(state.strings[Int(truncatingIfNeeded: value.payload)]) else { break }
      let position = position(of: tagged)
      if taggedIndexes[position] == 0 { taggedIndexes[position] = reserveIndex(.string, value.payload) }
      if indexesSharedWithDecoded.insert(taggedIndexes[position]).inserted { return taggedIndexes[position] }
    default: break
    }
    return reserveIndex(pendingKind(of: value), value.payload)
  }

  /// Returns the index of the equal plain value, or nil if another decoded primitive has it.
  mutating func reserveTaggedIndex(_ value: DecodedPrimitive, _ kind: ArchiverState.Entry.Kind) -> UInt32? {
    let number = reserveSharedIndex(value.payload, kind, pendingKind(of: value))
    return indexesSharedWithDecoded.insert(number).inserted ? number : nil
  }

  private func pendingKind(of value: DecodedPrimitive) -> Pending.Kind {
    switch value.kind {
    case .uint64: .wideInteger
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    default: .integer
    }
  }

  mutating func reserveSharedIndex(_ value: DecodedPrimitive) -> UInt32 {
    switch value.kind {
    case .uint64: reserveUnsignedIndex(value.payload)
    case .float, .double: reserveRealIndex(value.payload, value.kind, isInline: true)
    case .string: reserveStringIndex(value.payload)
    case .data: reserveDataIndex(value.payload)
    default: reserveIntegerIndex(Int64(bitPattern: value.payload), value.kind)
    }
  }

  mutating func reserveDataIndex(_ index: UInt64) -> UInt32 {
    guard layout == .compact else { return reserveIndex(.data, index) }
    let data = FullyHashedData(state.data[Int(index)])
    if let known = sharedData[data] { return known }
    let number = reserveIndex(.data, index)
    sharedData[data] = number
    return number
  }

  /// Returns the position of a short string in ``taggedIndexes``.
  @inline(__always)
  private mutating func position(of tagged: TaggedString) -> Int {
    let (position, isNew) = storage.state.taggedStrings.index(of: tagged)
    if isNew { taggedIndexes.append(0) }
    return position
  }

  /// Reserves the index of an element of `$objects` that is a string.
  @inline(__always)
  mutating func reserveStringIndex(_ entry: ArchiverState.Entry) -> UInt32 {
    let index = UInt64(truncatingIfNeeded: entry.payload)
    switch entry.taggedIndex {
    case .unknown: return reserveStringIndex(index)
    case .none: return reserveIndex(.string, index)
    case .known(let position):
      let known = taggedIndexes[position]
      if known != 0 { return known }
      let number = reserveIndex(.string, index)
      taggedIndexes[position] = number
      return number
    }
  }

  /// Reserves the index of a string. Equal tagged-pointer strings share an index. Only the program's memory tells which
  /// longer strings were one object.
  @inline(__always)
  mutating func reserveStringIndex(_ index: UInt64) -> UInt32 {
    let text = state.strings[Int(truncatingIfNeeded: index)]
    let isCompact = layout == .compact
    let (number, isNew) = reserveTextIndex(text, SharedStrings.tagged(text), isConstant: isCompact)
    if isNew { pending.append(Pending(kind: .string, payload: index)) }
    return number
  }

  mutating func reserveClassNameIndex(_ name: String, _ tagged: TaggedString?, _ identity: UInt64?) -> ReservedName {
    if let identity, layout != .compact {
      if let key = state.trie.textOfIdentity[identity] {
        let known = keyIndexes[Int(key)]
        if known != 0 { return ReservedName(number: known, isNew: false) }
        let (number, isNew) = reserveNewKeyIndex(key)
        return ReservedName(number: number, isNew: isNew)
      }
      let (index, isNew) = decodedIndexes.index(of: identity)
      var isUnwritten = false
      if isNew {
        var number: UInt32
        (number, isUnwritten) = reserveTextIndex(name, tagged, isConstant: SharedStrings.isConstantClassName(name))
        if !indexesSharedWithDecoded.insert(number).inserted { (number, isUnwritten) = (reserveIndex(), true) }
        decodedIndexes.uids[index] = number
      }
      return ReservedName(number: decodedIndexes.uids[index], isNew: isUnwritten)
    }
    let isCompact = layout == .compact
    let (number, isNew) = reserveTextIndex(
      name, tagged, isConstant: isCompact || SharedStrings.isConstantClassName(name))
    return ReservedName(number: number, isNew: isNew)
  }

  @inline(__always)
  mutating func reserveTextIndex(
    _ text: String, _ tagged: TaggedString?, isConstant: @autoclosure () -> Bool
  ) -> (number: UInt32, isNew: Bool) {
    if let tagged {
      let position = position(of: tagged)
      let known = taggedIndexes[position]
      if known != 0 { return (known, false) }
      taggedIndexes[position] = reserveIndex()
      return (taggedIndexes[position], true)
    }
    guard isConstant() else { return (reserveIndex(), true) }
    let exact = BytewiseString(text)
    if let known = sharedTexts[exact] { return (known, false) }
    let number = reserveIndex()
    sharedTexts[exact] = number
    return (number, true)
  }

  mutating func reserveNullIndex() -> UInt32 {
    let (number, isNew) = reserveTextIndex("$null", SharedStrings.tagged("$null"), isConstant: true)
    if isNew { pending.append(Pending(kind: .null, payload: 0)) }
    return number
  }
}
