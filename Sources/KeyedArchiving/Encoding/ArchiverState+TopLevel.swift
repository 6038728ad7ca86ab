// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

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
