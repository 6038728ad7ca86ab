// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Objects that are bare values in `$objects`: which equal ones are one object, as in an Apple process.
extension ArchiverState {
  @inline(__always)
  mutating func uid(ofString place: UInt64) -> UInt32 {
    if layout == .compact { return uniqueUID(ofString: place) }
    guard let tagged = SharedStrings.tagged(strings[Int(truncatingIfNeeded: place)]) else {
      return add(Entry(.string, Int(truncatingIfNeeded: place)))
    }
    let (slot, isNew) = taggedStrings.slot(of: tagged)
    if isNew { taggedStrings.uids[slot] = add(Entry(.string, Int(truncatingIfNeeded: place))) }
    return taggedStrings.uids[slot]
  }

  private mutating func uniqueUID(ofString place: UInt64) -> UInt32 {
    let text = BytewiseString(strings[Int(place)])
    let uid = uniqueStrings[text] ?? add(Entry(.string, Int(truncatingIfNeeded: place)))
    uniqueStrings[text] = uid
    return uid
  }

  mutating func uid(ofData place: UInt64) -> UInt32 {
    guard layout == .compact else { return add(Entry(.data, Int(truncatingIfNeeded: place))) }
    let bytes = FullyHashedData(data[Int(place)])
    let uid = uniqueData[bytes] ?? add(Entry(.data, Int(truncatingIfNeeded: place)))
    uniqueData[bytes] = uid
    return uid
  }

  mutating func uid(ofBoolean value: Bool) -> UInt32 {
    if value {
      if booleanUIDs.true == 0 { booleanUIDs.true = add(Entry(.boolean, 1)) }
      return booleanUIDs.true
    }
    if booleanUIDs.false == 0 { booleanUIDs.false = add(Entry(.boolean, 0)) }
    return booleanUIDs.false
  }

  /// Integers that fit a tagged pointer are one object for each type and value; others are a new object each time.
  mutating func uid(ofInteger bits: UInt64, _ kind: Entry.Kind) -> UInt32 {
    let value = Int64(bitPattern: bits)
    guard layout == .compact || (kind != .uint64 && value >= -(1 << 55) && value < 1 << 55) else {
      return add(number: bits, kind)
    }
    return uniqueUID(ofNumber: bits, kind)
  }

  mutating func uid(ofReal bits: UInt64, _ kind: Entry.Kind) -> UInt32 {
    layout == .compact ? uniqueUID(ofNumber: bits, kind) : add(number: bits, kind)
  }

  private mutating func uniqueUID(ofNumber bits: UInt64, _ kind: Entry.Kind) -> UInt32 {
    let (slot, isNew) = numbers.slot(of: TypedNumber(bits: bits, kind: kind))
    if isNew { numbers.uids[slot] = add(number: bits, kind) }
    return numbers.uids[slot]
  }

  mutating func add(number bits: UInt64, _ kind: Entry.Kind) -> UInt32 {
    numberBits.append(bits)
    return add(Entry(kind, numberBits.count &- 1))
  }
}
