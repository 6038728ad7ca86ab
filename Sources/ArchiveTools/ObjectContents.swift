// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// What an object holds as people think of it: elements or pairs, which Foundation's keys tell in either of their two
/// forms, and whatever else it has under keys.
package struct ObjectContents {
  /// Its keys and values, without those that say its elements or pairs.
  package var entries: [KeyedArchive.Entry] = []
  /// The elements of an array or set.
  package var elements: [KeyedArchive.StoredValue]?
  /// The pairs of a dictionary.
  package var pairs: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)]?
  /// Whether elements or pairs stand under numbered keys, `NS.object.0` and so on.
  package var isNumbered = false

  /// Sorts an object's entries.
  package init(_ entries: [KeyedArchive.Entry]) {
    let keys = Self.list(entries, "NS.keys", numbered: "NS.key.")
    let values = Self.list(entries, "NS.objects", numbered: "NS.object.")
    var used: Set<Int> = []
    if let keys, let values, keys.values.count == values.values.count {
      pairs = zip(keys.values, values.values).map { ($0, $1) }
      used = keys.places.union(values.places)
      isNumbered = keys.isNumbered || values.isNumbered
    } else if let values, keys == nil {
      elements = values.values
      used = values.places
      isNumbered = values.isNumbered
    }
    self.entries = used.isEmpty ? entries : entries.indices.filter { !used.contains($0) }.map { entries[$0] }
  }

  private struct List {
    var values: [KeyedArchive.StoredValue]
    /// The places of the entries that they were found in.
    var places: Set<Int>
    var isNumbered = false
  }

  /// The values under one key, or under numbered keys. Of a key that is there twice, the first counts.
  private static func list(_ entries: [KeyedArchive.Entry], _ key: String, numbered prefix: String) -> List? {
    var places: [Int: Int] = [:]
    for (place, entry) in entries.enumerated() {
      if entry.key.hasSameBytes(as: key) {
        guard case .array(let values) = entry.value else { return nil }
        return List(values: values, places: [place])
      }
      if let number = entry.key.number(after: prefix), places[number] == nil { places[number] = place }
    }
    var list = List(values: [], places: [], isNumbered: true)
    while let place = places[list.values.count] {
      list.places.insert(place)
      list.values.append(entries[place].value)
    }
    return list.values.isEmpty ? nil : list
  }
}
