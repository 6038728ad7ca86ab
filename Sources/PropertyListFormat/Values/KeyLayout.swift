// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The keys of a dictionary in the order of encoding, and the order in which they are written.
///
/// Dictionaries of values of one type mostly have the same keys. A layout that is used again compares each key with that
/// of the dictionary before, and sorts and adds the keys only if one differs.
struct KeyLayout {
  private var names: ContiguousArray<String> = []
  /// The indexes of the keys in the order of their bytes. Of equal keys it has only the last one.
  private var order: ContiguousArray<Int> = []
  private var firstKey = 0
  /// Whether the keys are sorted and added.
  private var isAdded = false

  /// Sets the next key.
  /// - Parameters:
  ///   - name: The key.
  ///   - index: The number of keys before it.
  @inline(__always)
  mutating func expect(_ name: String, at index: Int) {
    if index < names.count, names[index].hasSameBytes(as: name) { return }
    change(name, at: index)
  }

  private mutating func change(_ name: String, at index: Int) {
    names.removeLast(names.count &- index)
    names.append(name)
    isAdded = false
  }

  /// The first key that was set.
  var firstName: String? { names.first }

  /// Returns whether all keys that were set are the same.
  /// - Parameter count: The number of keys that were set, at least 1.
  /// - Returns: `true` if they are the same.
  func hasOneName(among count: Int) -> Bool { names.prefix(count).allSatisfy { $0.hasSameBytes(as: names[0]) } }

  /// Adds a dictionary with the keys that were set.
  /// - Parameters:
  ///   - values: The value of each key.
  ///   - encoded: The values that get it.
  /// - Returns: The dictionary.
  /// - Throws: ``PropertyListError`` if a limit on the number of values is reached.
  @inline(__always)
  mutating func addDictionary(
    _ values: ContiguousArray<EncodedValues.Cell>, to encoded: inout EncodedValues
  ) throws(PropertyListError) -> EncodedValues.Cell {
    if names.count > values.count || !isAdded { try addKeys(values.count, to: &encoded) }
    return try encoded.addDictionary(values, in: order, firstKey: firstKey)
  }

  private mutating func addKeys(_ count: Int, to encoded: inout EncodedValues) throws(PropertyListError) {
    names.removeLast(names.count - count)
    order.removeAll(keepingCapacity: true)
    // The index makes the sort stable, so that the last of equal keys is the last one.
    for index in names.indices.sorted(by: { a, b in
      let comparison = names[a].compareBytes(to: names[b])
      return comparison == 0 ? a < b : comparison < 0
    }) {
      if let last = order.last, names[last].hasSameBytes(as: names[index]) { order.removeLast() }
      order.append(index)
    }
    firstKey = try encoded.addKeys(order.lazy.map { [names] in names[$0] })
    isAdded = true
  }
}
