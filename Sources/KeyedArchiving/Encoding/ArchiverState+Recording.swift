// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// What a coder's calls leave behind.
extension ArchiverState {
  /// Notes a value for a key. Returns whether it belongs to the top level and so must be walked at once.
  @inline(__always)
  mutating func record(_ note: _RecordedValue, _ key: String) -> Bool {
    guard isRecording else { return recordTop(note, key) }
    node = tree.child(of: node, key: key)
    notes.append(note)
    return false
  }

  /// Notes a value without a key: it is stored for `$0`, `$1` and so on.
  mutating func recordUnkeyed(_ note: _RecordedValue) -> Bool {
    guard isRecording else {
      topUnkeyedCount += 1
      return recordTop(note, "$\(topUnkeyedCount - 1)", isRaw: true)
    }
    node = tree.child(of: node, rawKey: "$\(unkeyedCount)")
    unkeyedCount += 1
    notes.append(note)
    return false
  }

  mutating func recordTop(_ note: _RecordedValue, _ key: String, isRaw: Bool = false) -> Bool {
    guard !hasFailed else { return false }
    guard frames.isEmpty else {
      fail(
        KeyedArchiveError(
          .notEncodable, "a value was encoded for '\(key)' while no encode(with:) was running", keyPath: keyPath(),
          remedy: "Encode an object's values in its encode(with:), not in hooks, delegates or deinitialisers"))
      return false
    }
    guard !isFinished else {
      fail(
        KeyedArchiveError(
          .alreadyFinished, "a value was encoded for '\(key)' after finishEncoding()",
          remedy: "Encode every value before finishing, or make another archiver"))
      return false
    }
    let written = !isRaw && key.utf8.first == UInt8(ascii: "$") ? "$" + key : key
    let text = tree.text(written)
    if topKeys.count > 0, repeatedKeyPolicy == .fail, isTopKey(text) {
      fail(.repeatedKey(key, keyPath: nil, className: nil))
      return false
    }
    topKeys.append(text)
    notes.append(note)
    return true
  }

  /// Whether a value was encoded for a key of the top level before.
  private mutating func isTopKey(_ text: Int32) -> Bool {
    guard topKeys.count > KeyTrie.few else {
      for place in 0..<topKeys.count where topKeys[place] == text { return true }
      return false
    }
    if topKeySet.isEmpty { for place in 0..<topKeys.count { topKeySet.insert(topKeys[place]) } }
    return !topKeySet.insert(text).inserted
  }

  /// Notes one more value under the key that was recorded last: an element of an array whose head was noted.
  @inline(__always)
  mutating func append(_ note: _RecordedValue) { notes.append(note) }

  @inline(__always)
  mutating func keep(_ text: String) -> UInt64 {
    strings.append(text)
    return UInt64(truncatingIfNeeded: strings.count &- 1)
  }

  mutating func keep(_ bytes: Data) -> UInt64 {
    data.append(bytes)
    return UInt64(truncatingIfNeeded: data.count &- 1)
  }

  /// The note of an instance of a class: its number among those met.
  @inline(__always)
  mutating func note(reference object: any KeyedCoding & AnyObject, address: UInt, conditional: Bool) -> _RecordedValue
  {
    let (number, isNew) = addresses.number(of: UInt64(address))
    if isNew {
      references.append(object)
      referenceStates.append(0)
    }
    return _RecordedValue(conditional ? .conditional : .reference, UInt64(truncatingIfNeeded: number))
  }

  /// Makes room for so many more instances of classes.
  mutating func reserveReferences(_ count: Int) {
    guard count > 64 else { return }
    addresses.reserve(count)
    // Only while nothing much is there: room made for each of many arrays in turn would be moved each time.
    if count > references.count { references.reserveCapacity(references.count + count) }
  }

  mutating func note(value: any KeyedCoding) -> _RecordedValue {
    values.append(value)
    return _RecordedValue(.value, UInt64(truncatingIfNeeded: values.count &- 1))
  }
}
