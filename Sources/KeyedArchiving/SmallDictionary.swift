// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A dictionary that looks at its keys one after another while they are few, which is quicker than to hash them.
struct SmallDictionary<Key: Hashable, Value> {
  private var entries: [(key: Key, value: Value)] = []
  /// Where each key is, once there are many.
  private var places: [Key: Int] = [:]
  private static var few: Int { 16 }

  var isEmpty: Bool { entries.isEmpty }

  subscript(key: Key) -> Value? { place(of: key).map { entries[$0].value } }

  /// Adds a value for a key that has none yet.
  mutating func add(_ value: Value, for key: Key) {
    entries.append((key, value))
    guard entries.count > Self.few else { return }
    for place in (places.isEmpty ? 0 : entries.count - 1)..<entries.count { places[entries[place].key] = place }
  }

  private func place(of key: Key) -> Int? {
    entries.count > Self.few ? places[key] : entries.firstIndex { $0.key == key }
  }
}
