// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The ranks of the archive's key layouts by their contents: class names, then keys. The layouts' own numbers follow
/// the order of recording, which differs between processes if sets are archived.
struct KeyLayoutRanks {
  private let ranks: [Int32]

  subscript(keyLayout: Int) -> Int32 { ranks[keyLayout] }

  init(_ state: borrowing ArchiverState) {
    // Class names are compared once for each pair of types, not of layouts.
    let types = Self.ranks(state.types.count) { Self.compare(state.types[$0], state.types[$1]) }
    var contents: [Contents] = []
    for keyLayout in 0..<state.trie.keyLayouts.count { contents.append(Contents(keyLayout, types, state)) }
    ranks = Self.ranks(contents.count) { contents[$0].compare(contents[$1]) }
  }

  /// Returns the ranks of `count` items. Equal items have the same rank.
  private static func ranks(_ count: Int, _ compare: (Int, Int) -> Int) -> [Int32] {
    let sorted = Array(0..<count).sorted { compare($0, $1) < 0 }
    var ranks = [Int32](repeating: 0, count: count)
    for (index, item) in sorted.enumerated().dropFirst() {
      let former = sorted[index - 1]
      ranks[item] = ranks[former] + (compare(former, item) == 0 ? 0 : 1)
    }
    return ranks
  }

  private static func compare(_ a: ArchivedType, _ b: ArchivedType) -> Int {
    let order = a.name.compareBytes(to: b.name)
    if order != 0 { return order }
    let chains = compare(a.chain, b.chain)
    return chains != 0 ? chains : compare(a.hints, b.hints)
  }

  private static func compare(_ a: [String], _ b: [String]) -> Int {
    for (a, b) in zip(a, b) {
      let order = a.compareBytes(to: b)
      if order != 0 { return order }
    }
    return a.count - b.count
  }

  /// The written contents of a key layout.
  private struct Contents {
    let type: Int32
    let keys: [(text: String, field: Int32)]

    init(_ keyLayout: Int, _ types: [Int32], _ state: borrowing ArchiverState) {
      let keyLayout = state.trie.keyLayouts[keyLayout]
      type = keyLayout.type < 0 ? -1 : types[Int(keyLayout.type)]
      var keys: [(String, Int32)] = []
      for index in Int(keyLayout.start)..<Int(keyLayout.start + keyLayout.count) {
        let key = state.trie.order[index]
        keys.append((state.trie.texts[Int(key.text)], key.field))
      }
      self.keys = keys
    }

    func compare(_ other: Contents) -> Int {
      if type != other.type { return type < other.type ? -1 : 1 }
      for (a, b) in zip(keys, other.keys) {
        let order = a.text.compareBytes(to: b.text)
        if order != 0 { return order }
        if a.field != b.field { return a.field < b.field ? -1 : 1 }
      }
      return keys.count - other.keys.count
    }
  }
}

extension MutableCollection where Self: RandomAccessCollection, Index == Int {
  /// Sorts the elements.
  ///
  /// Adjacent elements are compared before any is moved. If all are equal, as often in sets, nothing else is done.
  /// - Parameter compare: Returns a negative number if the first element precedes the second, and 0 if they are equal.
  /// - Returns: The ranges of equal elements, which cover the collection.
  mutating func sortIntoRuns(by compare: (Element, Element) -> Int) -> [Range<Int>] {
    if let runs = runs(by: compare) { return runs }
    sort { compare($0, $1) < 0 }
    // The elements are now sorted, so the result is not nil.
    return runs(by: compare) ?? []
  }

  /// Returns the ranges of equal elements, or nil if an element precedes the one before it.
  private func runs(by compare: (Element, Element) -> Int) -> [Range<Int>]? {
    var runs: [Range<Int>] = []
    var start = startIndex
    for index in indices.dropFirst() {
      let order = compare(self[index - 1], self[index])
      if order > 0 { return nil }
      guard order < 0 else { continue }
      runs.append(start..<index)
      start = index
    }
    if start < endIndex { runs.append(start..<endIndex) }
    return runs
  }
}
