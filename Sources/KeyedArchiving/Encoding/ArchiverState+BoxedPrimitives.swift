// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Boxed primitives: equal ones share a UID as the layout requires.
extension ArchiverState {
  @inline(__always)
  mutating func uid(ofString index: UInt64) -> UInt32 {
    if layout == .compact { return uniqueUID(ofString: index) }
    guard let tagged = SharedStrings.tagged(strings[Int(truncatingIfNeeded: index)]) else {
      return add(Entry(string: Int(truncatingIfNeeded: index), taggedIndex: nil))
    }
    let (known, isNew) = taggedStrings.index(of: tagged)
    if isNew { taggedStrings.uids[known] = add(Entry(string: Int(truncatingIfNeeded: index), taggedIndex: known)) }
    return taggedStrings.uids[known]
  }

  private mutating func uniqueUID(ofString index: UInt64) -> UInt32 {
    let text = BytewiseString(strings[Int(index)])
    let uid = uniqueStrings[text] ?? add(Entry(.string, Int(truncatingIfNeeded: index)))
    uniqueStrings[text] = uid
    return uid
  }

  mutating func uid(ofData index: UInt64) -> UInt32 {
    guard layout == .compact else { return add(Entry(.data, Int(truncatingIfNeeded: index))) }
    let bytes = FullyHashedData(data[Int(index)])
    let uid = uniqueData[bytes] ?? add(Entry(.data, Int(truncatingIfNeeded: index)))
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
    let (index, isNew) = numbers.index(of: TypedNumber(bits: bits, kind: kind))
    if isNew { numbers.uids[index] = add(number: bits, kind) }
    return numbers.uids[index]
  }

  mutating func add(number bits: UInt64, _ kind: Entry.Kind) -> UInt32 {
    numberBits.append(bits)
    return add(Entry(kind, numberBits.count &- 1))
  }
}
