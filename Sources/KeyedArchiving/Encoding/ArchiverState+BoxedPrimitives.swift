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

/// A primitive that was decoded from an archive. It is written once for all references to its row.
struct DecodedPrimitive {
  var kind: ArchiverState.Entry.Kind
  /// The bits of a number, or the index of a string or of data.
  var payload: UInt64
  var identity: UInt64
}

extension ArchiverState {
  /// Records a decoded primitive. Returns nil for a Boolean, because only two Booleans exist.
  mutating func recorded(_ value: ArchivePrimitive, _ identity: UInt64) -> RecordedValue? {
    if case .number(.boolean) = value { return nil }
    let (kind, payload) = stored(value)
    decodedPrimitives.append(DecodedPrimitive(kind: kind, payload: payload, identity: identity))
    return RecordedValue(.decoded, UInt64(decodedPrimitives.count - 1))
  }

  /// Returns the kind of a primitive, and the bits of a number or the index of the added string or data.
  private mutating func stored(_ value: ArchivePrimitive) -> (kind: Entry.Kind, payload: UInt64) {
    switch value {
    case .string(let text): (.string, add(string: text))
    case .data(let bytes): (.data, add(data: bytes))
    case .number(.boolean(let value)): (.boolean, value ? 1 : 0)
    case .number(.integer(let value)): (.int64, UInt64(bitPattern: value))
    case .number(.unsigned(let value)): (.uint64, value)
    case .number(.float(let value)): (.float, UInt64(value.bitPattern))
    case .number(.double(let value)): (.double, value.bitPattern)
    }
  }

  /// Adds a primitive with identity. It is never merged with an equal value. One exception: a decoded value that
  /// Foundation would store in a tagged pointer shares the object of an equal plain value.
  mutating func add(_ scalar: any IdentifiedPrimitive) -> UInt32 {
    if let origin = scalar.origin, let value = recorded(scalar.value, identity(scalar.row, in: origin)) {
      return add(Entry(.decoded, Int(truncatingIfNeeded: value.payload)), for: scalar.value)
    }
    let (kind, payload) = stored(scalar.value)
    return switch kind {
    case .string, .data, .boolean: add(Entry(kind, Int(truncatingIfNeeded: payload)))
    default: add(number: payload, kind)
    }
  }

  /// Adds a decoded primitive. A tagged-pointer value may share the object of an equal plain value in the end; see
  /// ``sharedDecodedPrimitives()``.
  private mutating func add(_ entry: Entry, for value: ArchivePrimitive) -> UInt32 {
    let uid = add(entry)
    guard layout != .compact else { return uid }
    switch value {
    case .string(let text):
      guard let tagged = SharedStrings.tagged(text) else { break }
      decodedStrings.append((tagged, uid))
    case .number(.integer(let number)) where number >= -(1 << 55) && number < 1 << 55:
      decodedNumbers.append((TypedNumber(bits: UInt64(bitPattern: number), kind: .int64), uid))
    default: break
    }
    return uid
  }

  /// Returns the equal plain value of each tagged-pointer value for which both a plain and a decoded object exist.
  ///
  /// Of the equal decoded values, the first in the order of the archive is the same object as the plain one.
  /// - Returns: The UID of the plain value, by the UIDs of the plain and of the decoded objects.
  func sharedDecodedPrimitives() -> [UInt32: UInt32] {
    var plain: [UInt32: UInt32] = [:]
    func add(_ uid: UInt32, to known: UInt32?) {
      guard let known else { return }
      plain[uid] = known
      plain[known] = known
    }
    for (text, uid) in decodedStrings { add(uid, to: taggedStrings.existingUID(text)) }
    for (number, uid) in decodedNumbers { add(uid, to: numbers.existingUID(number)) }
    return plain
  }
}
