// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// Recording, the first step of encoding.
extension ArchiverState {
  /// Records a value for a key. Returns whether it is a top-level value, which must be resolved at once.
  @inline(__always)
  mutating func record(_ value: RecordedValue, _ key: String) -> Bool {
    guard isRecording, openElements == 0 else { return recordTop(value, key) }
    node = trie.child(of: node, key: key)
    records.append(value)
    return false
  }

  /// Records a value without a key. Its key becomes `$0`, `$1` and so on. Returns what ``record(_:_:)`` does.
  mutating func recordUnkeyed(_ value: RecordedValue) -> Bool {
    guard isRecording, openElements == 0 else {
      topUnkeyedCount += 1
      return recordTop(value, "$\(topUnkeyedCount - 1)", isRaw: true)
    }
    record(value, rawKey: "$\(unkeyedCount)")
    unkeyedCount += 1
    return false
  }

  /// Records a value for one of the archiver's own keys in the current object.
  mutating func record(_ value: RecordedValue, rawKey key: String) {
    node = trie.child(of: node, rawKey: key)
    records.append(value)
  }

  mutating func recordTop(_ value: RecordedValue, _ key: String, isRaw: Bool = false) -> Bool {
    guard !hasFailed else { return false }
    guard openElements == 0 else {
      fail(
        KeyedArchiveError(
          .notEncodable, "'\(key)' was encoded while the elements of a collection were being recorded",
          keyPath: keyPath(), remedy: "Encode values in encode(with:), not in record(in:)"))
      return false
    }
    guard frames.isEmpty else {
      fail(
        KeyedArchiveError(
          .notEncodable, "'\(key)' was encoded while no encode(with:) was running", keyPath: keyPath(),
          remedy: "Encode an object's values in its encode(with:), not in hooks, delegates or deinitializers"))
      return false
    }
    guard !isFinished else {
      fail(
        KeyedArchiveError(
          .alreadyFinished, "'\(key)' was encoded after finishEncoding()", keyPath: key,
          remedy: "Encode every value before finishing, or create another archiver"))
      return false
    }
    let written = !isRaw && key.utf8.first == UInt8(ascii: "$") ? "$" + key : key
    let text = trie.text(written)
    if topKeys.count > 0, isTopKey(text) {
      guard repeatedKeyPolicy != .fail else {
        fail(.repeatedKey(key, keyPath: key, className: nil))
        return false
      }
      repeatedKeys.add(topLevel: key)
    }
    topKeys.append(text)
    records.append(value)
    return true
  }

  /// Returns whether a value was encoded for a top-level key before.
  private mutating func isTopKey(_ text: Int32) -> Bool {
    guard topKeys.count > KeyTrie.linearSearchLimit else {
      for index in 0..<topKeys.count where topKeys[index] == text { return true }
      return false
    }
    if topKeySet.isEmpty { for index in 0..<topKeys.count { topKeySet.insert(topKeys[index]) } }
    return !topKeySet.insert(text).inserted
  }

  /// Records an element of the array in progress.
  @inline(__always)
  mutating func appendOpen(_ value: RecordedValue) {
    openElements &-= 1
    records.append(value)
  }

  @inline(__always)
  mutating func add(string text: String) -> UInt64 {
    strings.append(text)
    return UInt64(truncatingIfNeeded: strings.count &- 1)
  }

  mutating func add(data bytes: Data) -> UInt64 {
    data.append(bytes)
    return UInt64(truncatingIfNeeded: data.count &- 1)
  }

  /// Records an instance of a class by its index among ``references``.
  @inline(__always)
  mutating func recorded(reference object: any KeyedCoding & AnyObject, address: UInt, conditional: Bool)
    -> RecordedValue
  {
    let (index, isNew) = addresses.index(of: UInt64(address))
    if isNew {
      references.append(object)
      referenceStates.append(0)
    }
    return RecordedValue(conditional ? .conditional : .reference, UInt64(truncatingIfNeeded: index))
  }

  /// Reserves capacity for `count` more instances of classes.
  mutating func reserveReferences(_ count: Int) {
    guard count > 64 else { return }
    addresses.reserve(count)
    // Only while the array is small: reserving for each of many arrays in turn would copy it each time.
    if count > references.count { references.reserveCapacity(references.count + count) }
  }

  /// Reserves capacity for `count` more strings, if the state has fewer.
  mutating func reserveStrings(_ count: Int) {
    if count > 64, count > strings.count { strings.reserveCapacity(strings.count + count) }
  }

  mutating func recorded(value: any KeyedCoding) -> RecordedValue {
    values.append(value)
    return RecordedValue(.value, UInt64(truncatingIfNeeded: values.count &- 1))
  }
}

extension ArchiverState {
  /// `$top`, as an object without a class.
  struct TopLevel {
    var keyLayout: Int
    var firstField: Int
  }

  /// Adds the fields and the key layout of `$top`.
  mutating func addTopLevel() -> TopLevel {
    let firstField = fields.count
    typeLayoutCount = trie.keyLayouts.count
    for index in 0..<topRecords.count {
      fields.append(topRecords[index].payload)
      fieldKinds.append(topRecords[index].kind)
    }
    // The common case is one key that was not decoded.
    if topKeys.count == 1, topLayout == nil {
      return TopLevel(keyLayout: Int(trie.addKeyLayout(of: topKeys[0])), firstField: firstField)
    }
    var written: [Int32] = []
    var textOfKey: [Int32: Int32] = [:]
    if let layout = topLayout {
      for (key, row) in zip(layout.writtenKeys, layout.keyRows) {
        let text = trie.text(key, identity: identity(row, in: layout.origin))
        textOfKey[trie.text(key)] = text
        written.append(text)
      }
    }
    // The last of several values for one key counts.
    var fieldOfKey: [Int32: Int32] = [:]
    for field in 0..<topKeys.count { fieldOfKey[textOfKey[topKeys[field]] ?? topKeys[field]] = Int32(field) }
    let keys = fieldOfKey.sorted { $0.value < $1.value }.map { KeyTrie.Key(text: $0.key, field: $0.value) }
    return TopLevel(
      keyLayout: Int(trie.addKeyLayout(of: keys, written: written.isEmpty ? nil : written)), firstField: firstField)
  }

  /// Removes and returns the instances of classes, and discards all other state that only resolving needs. The caller
  /// releases them, while no access to the state is open.
  mutating func takeReferences() -> [any KeyedCoding & AnyObject] {
    let taken = references
    references = []
    referenceStates.empty(keepingMapping: true)
    addresses.empty(keepingMapping: true)
    numbers.empty(keepingMapping: true)
    records.empty(keepingMapping: true)
    return taken
  }

  /// Removes and returns the archived data, whose deallocator may run code, and discards everything else that only the
  /// writer needs.
  mutating func takeData() -> [Data] {
    let taken = data
    data = []
    // The mappings that were kept.
    referenceStates.empty()
    addresses.empty()
    numbers.empty()
    records.empty()
    collected.empty()
    entries.empty()
    taggedStrings.empty()
    fields.empty()
    fieldKinds.empty()
    arrayElements.empty()
    numberBits.empty()
    strings.removeAll(keepingCapacity: strings.capacity <= ArchiverState.reusedCapacity)
    topKeys.empty()
    topRecords.empty()
    return taken
  }
}
