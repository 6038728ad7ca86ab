// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

extension ArchiverState {
  /// `$top` as an object without a class.
  struct TopLevel {
    var shape: Int
    var firstSlot: Int
  }

  /// Makes slots and a shape of what was archived at the top level.
  mutating func addTopLevel() -> TopLevel {
    let firstSlot = slots.count
    for place in 0..<topNotes.count {
      slots.append(topNotes[place].payload)
      slotKinds.append(topNotes[place].kind)
    }
    // Nearly always there is one key, and nobody said how it was read.
    if topKeys.count == 1, topLayout == nil {
      return TopLevel(shape: Int(tree.addShape(of: topKeys[0])), firstSlot: firstSlot)
    }
    var written: [Int32] = []
    var textOfKey: [Int32: Int32] = [:]
    if let layout = topLayout {
      for (key, row) in zip(layout.writtenKeys, layout.keyRows) {
        let text = tree.text(key, identity: identity(row, in: layout.origin))
        textOfKey[tree.text(key)] = text
        written.append(text)
      }
    }
    // Of values encoded for the same key the last counts.
    var slotOfKey: [Int32: Int32] = [:]
    for slot in 0..<topKeys.count { slotOfKey[textOfKey[topKeys[slot]] ?? topKeys[slot]] = Int32(slot) }
    let keys = slotOfKey.sorted { $0.value < $1.value }.map { KeyTrie.Key(text: $0.key, slot: $0.value) }
    return TopLevel(shape: Int(tree.addShape(of: keys, written: written.isEmpty ? nil : written)), firstSlot: firstSlot)
  }

  /// Hands out the instances of classes, which nothing needs once all are archived, and forgets what else only archiving
  /// needs. They are let go where no access to the state is open.
  mutating func takeReferences() -> [any KeyedCoding & AnyObject] {
    let taken = references
    references = []
    referenceStates = TrivialArray()
    addresses = InsertionOrderedTable()
    taggedStrings = UIDTable()
    numbers = UIDTable()
    notes = RecordStack()
    return taken
  }

  /// Hands out the data that was archived, whose owner may have something to do when it is let go, and forgets what else
  /// the file was written from.
  mutating func takeData() -> [Data] {
    let taken = data
    data = []
    entries = TrivialArray()
    slots = TrivialArray()
    slotKinds = TrivialArray()
    arrayElements = TrivialArray()
    numberBits = TrivialArray()
    strings = []
    topKeys = TrivialArray()
    topNotes = TrivialArray()
    return taken
  }
}
