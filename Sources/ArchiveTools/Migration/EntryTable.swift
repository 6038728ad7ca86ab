// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// An object's keys and values while rules change them, by their rows in the property list: a value that is not touched
/// keeps its row, and with it its bytes.
struct EntryTable {
  struct Entry {
    var name: String
    var key: ObjectRef
    var value: ObjectRef
    var isGone = false
  }

  private(set) var entries: [Entry]
  /// Where the keys are, once somebody asks about one of many.
  private var places: [BytewiseString: [Int]]?
  private(set) var isChanged = false

  init(_ entries: [Entry]) { self.entries = entries }

  /// The places at which a key is: more than one only in a file that no archiver wrote.
  mutating func places(of key: String) -> [Int] {
    if entries.count <= 16 {
      return entries.indices.filter { !entries[$0].isGone && entries[$0].name.hasSameBytes(as: key) }
    }
    if places == nil {
      var found: [BytewiseString: [Int]] = [:]
      for place in entries.indices where !entries[place].isGone {
        found[BytewiseString(entries[place].name), default: []].append(place)
      }
      places = found
    }
    return places?[BytewiseString(key)] ?? []
  }

  mutating func rename(_ place: Int, to name: String, _ key: ObjectRef) {
    isChanged = true
    forget(place)
    entries[place].name = name
    entries[place].key = key
    places?[BytewiseString(name), default: []].append(place)
  }

  mutating func setValue(_ place: Int, _ value: ObjectRef) {
    isChanged = true
    entries[place].value = value
  }

  mutating func remove(_ place: Int) {
    isChanged = true
    forget(place)
    entries[place].isGone = true
  }

  mutating func add(_ name: String, _ key: ObjectRef, _ value: ObjectRef) {
    isChanged = true
    places?[BytewiseString(name), default: []].append(entries.count)
    entries.append(Entry(name: name, key: key, value: value))
  }

  private mutating func forget(_ place: Int) {
    places?[BytewiseString(entries[place].name)]?.removeAll { $0 == place }
  }

  /// The dictionary that they make.
  var dictionary: PropertyListObject {
    let left = entries.lazy.filter { !$0.isGone }
    return .dictionary(keys: left.map(\.key), values: left.map(\.value))
  }
}
