// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// Which number an object has: that of an equal one where the layout makes these one object, else the next.
extension ArchiveWriter {
  /// The number of an object that will be written next but for those already claimed.
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

  /// Keys are constants of the program: one string for each text.
  @inline(__always)
  mutating func reserveKeyIndex(_ text: Int32) -> UInt32 {
    let known = keyNumbers[Int(text)]
    if known != 0 { return known }
    let (number, isNew) = reserveNewKeyIndex(text)
    if isNew { pending.append(Pending(kind: .key, payload: UInt64(truncatingIfNeeded: text))) }
    return number
  }

  /// The number of a key that was not met before. One that was read may be the same string as an equal plain one.
  @inline(never)
  private mutating func reserveNewKeyIndex(_ text: Int32) -> (number: UInt32, isNew: Bool) {
    guard let plain = state.tree.plainTextOfReadText[text], bridgedKeys.insert(plain).inserted else {
      keyNumbers[Int(text)] = reserveIndex()
      return (keyNumbers[Int(text)], true)
    }
    let isNew = keyNumbers[Int(plain)] == 0
    if isNew { keyNumbers[Int(plain)] = reserveIndex() }
    keyNumbers[Int(text)] = keyNumbers[Int(plain)]
    return (keyNumbers[Int(text)], isNew)
  }

  /// UIDs of equal value are one object, which is written again each time it is met.
  @inline(__always)
  mutating func reserveUIDIndex(_ uid: UInt32) -> UInt32 {
    let known = uidNumbers[Int(uid)]
    if known != 0 {
      if layout != .compact { _ = reserveIndex(.uid, UInt64(uid)) }
      return known
    }
    let number = reserveIndex(.uid, UInt64(uid))
    uidNumbers[Int(uid)] = number
    return number
  }

  /// So are booleans.
  mutating func reserveBooleanIndex(_ value: Bool) -> UInt32 {
    let known = value ? booleanNumbers.true : booleanNumbers.false
    if known != 0 {
      if layout != .compact { _ = reserveIndex(.boolean, value ? 1 : 0) }
      return known
    }
    let number = reserveIndex(.boolean, value ? 1 : 0)
    if value { booleanNumbers.true = number } else { booleanNumbers.false = number }
    return number
  }

  /// The numbers of the elements follow that of the array; they are written with it.
  mutating func reserveArrayIndex(_ payload: UInt64) -> UInt32 {
    let number = reserveIndex(.array, payload)
    let start = Int(truncatingIfNeeded: payload >> 32)
    for place in start..<start &+ Int(truncatingIfNeeded: payload & 0xFFFF_FFFF) {
      let uid = Int(state.arrayElements[place])
      if uidNumbers[uid] == 0 {
        uidNumbers[uid] = reserveIndex()
      } else if layout != .compact {
        _ = reserveIndex()
      }
    }
    return number
  }

  /// Integers that fit a tagged pointer are one object for each type and value, inside objects and as objects.
  mutating func reserveIntegerIndex(_ value: Int64, _ kind: ArchiverState.Entry.Kind) -> UInt32 {
    let bits = UInt64(bitPattern: value)
    if layout == .compact { return reserveSharedIndex(bits, .int64, .integer) }
    guard value >= -(1 << 55), value < 1 << 55 else { return reserveIndex(.integer, bits) }
    return reserveSharedIndex(bits, kind, .integer)
  }

  /// Unsigned 64-bit numbers are written with 16 bytes by recent systems, and by older ones when they must.
  mutating func reserveUnsignedIndex(_ value: UInt64) -> UInt32 {
    let isWide = layout == .apple || value > UInt64(Int64.max)
    guard isWide || layout != .compact else { return reserveIntegerIndex(Int64(bitPattern: value), .int64) }
    return layout == .compact
      ? reserveSharedIndex(value, .uint64, .wideInteger) : reserveIndex(isWide ? .wideInteger : .integer, value)
  }

  /// Of the reals, 0 and 1 are one object each when they are stored inside an object.
  mutating func reserveRealIndex(_ bits: UInt64, _ kind: ArchiverState.Entry.Kind, isInline: Bool) -> UInt32 {
    let one = kind == .float ? UInt64(Float(1).bitPattern) : Double(1).bitPattern
    let isShared = layout == .compact || (isInline && (bits == 0 || bits == one))
    let pendingKind: Pending.Kind = kind == .float ? .float : .double
    return isShared ? reserveSharedIndex(bits, kind, pendingKind) : reserveIndex(pendingKind, bits)
  }

  mutating func reserveSharedIndex(
    _ bits: UInt64, _ kind: ArchiverState.Entry.Kind, _ pendingKind: Pending.Kind
  ) -> UInt32 {
    let (slot, isNew) = numbers.slot(of: TypedNumber(bits: bits, kind: kind))
    if isNew { numbers.uids[slot] = reserveIndex(pendingKind, bits) }
    return numbers.uids[slot]
  }

  /// What was read from one row of an archive is one object again.
  mutating func reserveReadIndex(_ value: DecodedPrimitive, isInline: Bool) -> UInt32 {
    guard layout != .compact else { return reserveSharedIndex(value) }
    if value.kind == .string, let key = state.tree.textOfIdentity[value.identity] { return reserveKeyIndex(key) }
    let (slot, isNew) = readNumbers.slot(of: value.identity)
    if isNew { readNumbers.uids[slot] = reserveTaggedIndex(value, isInline: isInline) }
    return readNumbers.uids[slot]
  }

  /// The number of what was read and is not written yet. What is one object for each value in an Apple process is the
  /// same as the plain value.
  mutating func reserveTaggedIndex(_ value: DecodedPrimitive, isInline: Bool) -> UInt32 {
    let isSmall = Int64(bitPattern: value.payload) >= -(1 << 55) && Int64(bitPattern: value.payload) < 1 << 55
    switch value.kind {
    case .integer where isSmall:
      // Equal numbers that are two objects are of two types.
      for kind in [ArchiverState.Entry.Kind.int64, .int32] {
        if let number = reserveTaggedIndex(value, kind) { return number }
      }
    case .double where isInline && [0, Double(1).bitPattern].contains(value.payload):
      if let number = reserveTaggedIndex(value, .double) { return number }
    case .float where isInline && [0, UInt64(Float(1).bitPattern)].contains(value.payload):
      if let number = reserveTaggedIndex(value, .float) { return number }
    case .string:
      guard let tagged = SharedStrings.tagged(state.strings[Int(truncatingIfNeeded: value.payload)]) else { break }
      let (slot, isNew) = taggedStrings.slot(of: tagged)
      if isNew { taggedStrings.uids[slot] = reserveIndex(.string, value.payload) }
      if bridged.insert(taggedStrings.uids[slot]).inserted { return taggedStrings.uids[slot] }
    default: break
    }
    return reserveIndex(pendingKind(of: value), value.payload)
  }

  /// The number of the plain value, unless it is that of something else that was read.
  mutating func reserveTaggedIndex(_ value: DecodedPrimitive, _ kind: ArchiverState.Entry.Kind) -> UInt32? {
    let number = reserveSharedIndex(value.payload, kind, pendingKind(of: value))
    return bridged.insert(number).inserted ? number : nil
  }

  private func pendingKind(of value: DecodedPrimitive) -> Pending.Kind {
    switch value.kind {
    case .integer: .integer
    case .wideInteger: .wideInteger
    case .float: .float
    case .double: .double
    case .string: .string
    case .data: .data
    }
  }

  mutating func reserveSharedIndex(_ value: DecodedPrimitive) -> UInt32 {
    switch value.kind {
    case .integer: reserveIntegerIndex(Int64(bitPattern: value.payload), .int64)
    case .wideInteger: reserveUnsignedIndex(value.payload)
    case .float: reserveRealIndex(value.payload, .float, isInline: true)
    case .double: reserveRealIndex(value.payload, .double, isInline: true)
    case .string: reserveStringIndex(value.payload)
    case .data: reserveDataIndex(value.payload)
    }
  }

  mutating func reserveDataIndex(_ place: UInt64) -> UInt32 {
    guard layout == .compact else { return reserveIndex(.data, place) }
    let data = FullyHashedData(state.data[Int(place)])
    if let known = sharedData[data] { return known }
    let number = reserveIndex(.data, place)
    sharedData[data] = number
    return number
  }

  /// Short strings are one object for each text; of longer ones only the archiver knows which are.
  @inline(__always)
  mutating func reserveStringIndex(_ place: UInt64) -> UInt32 {
    let text = state.strings[Int(truncatingIfNeeded: place)]
    let isCompact = layout == .compact
    let (number, isNew) = reserveTextIndex(text, isConstant: isCompact)
    if isNew { pending.append(Pending(kind: .string, payload: place)) }
    return number
  }

  mutating func reserveClassNameIndex(_ name: String, _ identity: UInt64?) -> ReservedName {
    if let identity, layout != .compact {
      if let key = state.tree.textOfIdentity[identity] {
        let known = keyNumbers[Int(key)]
        if known != 0 { return ReservedName(number: known, isNew: false) }
        let (number, isNew) = reserveNewKeyIndex(key)
        return ReservedName(number: number, isNew: isNew)
      }
      let (slot, isNew) = readNumbers.slot(of: identity)
      var isUnwritten = false
      if isNew {
        var number: UInt32
        (number, isUnwritten) = reserveTextIndex(name, isConstant: SharedStrings.isConstantClassName(name))
        if !bridged.insert(number).inserted { (number, isUnwritten) = (reserveIndex(), true) }
        readNumbers.uids[slot] = number
      }
      return ReservedName(number: readNumbers.uids[slot], isNew: isUnwritten)
    }
    let isCompact = layout == .compact
    let (number, isNew) = reserveTextIndex(name, isConstant: isCompact || SharedStrings.isConstantClassName(name))
    return ReservedName(number: number, isNew: isNew)
  }

  @inline(__always)
  mutating func reserveTextIndex(_ text: String, isConstant: @autoclosure () -> Bool) -> (number: UInt32, isNew: Bool) {
    if let tagged = SharedStrings.tagged(text) {
      let (slot, isNew) = taggedStrings.slot(of: tagged)
      if isNew { taggedStrings.uids[slot] = reserveIndex() }
      return (taggedStrings.uids[slot], isNew)
    }
    guard isConstant() else { return (reserveIndex(), true) }
    let exact = BytewiseString(text)
    if let known = sharedTexts[exact] { return (known, false) }
    let number = reserveIndex()
    sharedTexts[exact] = number
    return (number, true)
  }

  mutating func reserveNullIndex() -> UInt32 {
    let (number, isNew) = reserveTextIndex("$null", isConstant: true)
    if isNew { pending.append(Pending(kind: .null, payload: 0)) }
    return number
  }
}
