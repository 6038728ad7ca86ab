// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A value that was read from an archive, to be written once for all references to the row it came from.
struct DecodedPrimitive {
  enum Kind: UInt8 {
    case integer, wideInteger, float, double, string, data
  }

  var kind: Kind
  /// The bits of a number, or the place of a string or of data.
  var payload: UInt64
  var identity: UInt64
}

extension ArchiverState {
  /// The note of a value that was read; nil for a boolean, of which there are only two.
  mutating func note(_ value: ArchivePrimitive, _ identity: UInt64) -> _RecordedValue? {
    let read: DecodedPrimitive
    switch value {
    case .string(let text): read = DecodedPrimitive(kind: .string, payload: keep(text), identity: identity)
    case .data(let bytes): read = DecodedPrimitive(kind: .data, payload: keep(bytes), identity: identity)
    case .number(.boolean): return nil
    case .number(.integer(let value)):
      read = DecodedPrimitive(kind: .integer, payload: UInt64(bitPattern: value), identity: identity)
    case .number(.unsigned(let value)): read = DecodedPrimitive(kind: .wideInteger, payload: value, identity: identity)
    case .number(.float(let value)):
      read = DecodedPrimitive(kind: .float, payload: UInt64(value.bitPattern), identity: identity)
    case .number(.double(let value)):
      read = DecodedPrimitive(kind: .double, payload: value.bitPattern, identity: identity)
    }
    readValues.append(read)
    return _RecordedValue(.readValue, UInt64(readValues.count - 1))
  }

  /// Adds a bare value that has an identity of its own: no other is taken for it but, for one that was read and is so
  /// small that a pointer holds it, an equal plain value.
  mutating func add(_ scalar: any IdentifiedPrimitive) -> UInt32 {
    if let origin = scalar.origin, let note = note(scalar.value, identity(scalar.row, in: origin)) {
      return add(Entry(.readValue, Int(truncatingIfNeeded: note.payload)), for: scalar.value)
    }
    return switch scalar.value {
    case .string(let text): add(Entry(.string, Int(truncatingIfNeeded: keep(text))))
    case .data(let bytes): add(Entry(.data, Int(truncatingIfNeeded: keep(bytes))))
    case .number(.boolean(let value)): add(Entry(.boolean, value ? 1 : 0))
    case .number(.integer(let value)): add(number: UInt64(bitPattern: value), .int64)
    case .number(.unsigned(let value)): add(number: value, .uint64)
    case .number(.float(let value)): add(number: UInt64(value.bitPattern), .float)
    case .number(.double(let value)): add(number: value.bitPattern, .double)
    }
  }

  /// Adds a value that was read. If it is so small that a pointer holds it, an equal plain value may become the same object
  /// in the end, see ``sharedReadValues``.
  private mutating func add(_ entry: Entry, for value: ArchivePrimitive) -> UInt32 {
    let uid = add(entry)
    guard layout != .compact else { return uid }
    switch value {
    case .string(let text):
      guard let tagged = SharedStrings.tagged(text) else { break }
      readTexts.append((tagged, uid))
    case .number(.integer(let number)) where number >= -(1 << 55) && number < 1 << 55:
      readNumbers.append((TypedNumber(bits: UInt64(bitPattern: number), kind: .int64), uid))
    default: break
    }
    return uid
  }

  /// For each object that is a plain value or a value that was read, where both exist with an equal value that a pointer
  /// holds: the number of that plain value. Of such values that were read, the first in the order of the archive is the
  /// same object as the plain one.
  func sharedReadValues() -> [UInt32: UInt32] {
    var plain: [UInt32: UInt32] = [:]
    func add(_ uid: UInt32, to known: UInt32?) {
      guard let known else { return }
      plain[uid] = known
      plain[known] = known
    }
    for (text, uid) in readTexts { add(uid, to: taggedStrings.known(text)) }
    for (number, uid) in readNumbers { add(uid, to: numbers.known(number)) }
    return plain
  }
}
