// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The keys and values of an object during a migration, by their rows. An unchanged value keeps its row and its bytes.
struct EntryTable {
  struct Entry {
    var name: String
    var key: ObjectRef
    var value: ObjectRef
    var isGone = false
  }

  private(set) var entries: [Entry]
  /// The positions of keys, created for the first request if the table has many entries.
  private var positions: [BytewiseString: [Int]]?
  private(set) var isChanged = false

  init(_ entries: [Entry]) { self.entries = entries }

  /// Returns the positions of a key; several only in a file that no archiver wrote.
  mutating func positions(of key: String) -> [Int] {
    if entries.count <= 16 {
      return entries.indices.filter { !entries[$0].isGone && entries[$0].name.hasSameBytes(as: key) }
    }
    if positions == nil {
      // A dictionary that grows hashes long keys again.
      var found = [BytewiseString: [Int]](minimumCapacity: entries.count)
      for position in entries.indices where !entries[position].isGone {
        found[BytewiseString(entries[position].name), default: []].append(position)
      }
      positions = found
    }
    return positions?[BytewiseString(key)] ?? []
  }

  mutating func rename(_ position: Int, to name: String, _ key: ObjectRef) {
    isChanged = true
    forget(position)
    entries[position].name = name
    entries[position].key = key
    positions?[BytewiseString(name), default: []].append(position)
  }

  mutating func setValue(_ position: Int, _ value: ObjectRef) {
    isChanged = true
    entries[position].value = value
  }

  mutating func remove(_ position: Int) {
    isChanged = true
    forget(position)
    entries[position].isGone = true
  }

  mutating func add(_ name: String, _ key: ObjectRef, _ value: ObjectRef) {
    isChanged = true
    positions?[BytewiseString(name), default: []].append(entries.count)
    entries.append(Entry(name: name, key: key, value: value))
  }

  private mutating func forget(_ position: Int) {
    positions?[BytewiseString(entries[position].name)]?.removeAll { $0 == position }
  }

  /// The dictionary of the remaining entries.
  var dictionary: PropertyListObject {
    let left = entries.lazy.filter { !$0.isGone }
    return .dictionary(keys: left.map(\.key), values: left.map(\.value))
  }
}
