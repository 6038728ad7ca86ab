// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The order of the archive's shapes by what is written of them: class names, then keys. Shapes are numbered in the order
/// in which they are met, which differs from process to process where sets are archived.
struct ShapeRanks {
  private let ranks: [Int32]

  subscript(shape: Int) -> Int32 { ranks[shape] }

  init(_ state: borrowing ArchiverState) {
    // What the types are called is compared once for each pair of types, not of shapes.
    let types = Self.ranks(state.types.count) { Self.compare(state.types[$0], state.types[$1]) }
    var contents: [Contents] = []
    for shape in 0..<state.tree.shapes.count { contents.append(Contents(shape, types, state)) }
    ranks = Self.ranks(contents.count) { contents[$0].compare(contents[$1]) }
  }

  /// The rank of each of so many items. Items that compare equal have the same rank.
  private static func ranks(_ count: Int, _ compare: (Int, Int) -> Int) -> [Int32] {
    let sorted = Array(0..<count).sorted { compare($0, $1) < 0 }
    var ranks = [Int32](repeating: 0, count: count)
    for (place, item) in sorted.enumerated().dropFirst() {
      let former = sorted[place - 1]
      ranks[item] = ranks[former] + (compare(former, item) == 0 ? 0 : 1)
    }
    return ranks
  }

  private static func compare(_ a: ArchivedType, _ b: ArchivedType) -> Int {
    let order = a.name.utf8.span.compare(b.name.utf8.span)
    if order != 0 { return order }
    let chains = compare(a.chain, b.chain)
    return chains != 0 ? chains : compare(a.hints, b.hints)
  }

  private static func compare(_ a: [String], _ b: [String]) -> Int {
    for (a, b) in zip(a, b) {
      let order = a.utf8.span.compare(b.utf8.span)
      if order != 0 { return order }
    }
    return a.count - b.count
  }

  /// What is written of a shape.
  private struct Contents {
    let type: Int32
    let keys: [(text: String, slot: Int32)]

    init(_ shape: Int, _ types: [Int32], _ state: borrowing ArchiverState) {
      let shape = state.tree.shapes[shape]
      type = shape.type < 0 ? -1 : types[Int(shape.type)]
      var keys: [(String, Int32)] = []
      for place in Int(shape.start)..<Int(shape.start + shape.count) {
        let key = state.tree.order[place]
        keys.append((state.tree.texts[Int(key.text)], key.slot))
      }
      self.keys = keys
    }

    func compare(_ other: Contents) -> Int {
      if type != other.type { return type < other.type ? -1 : 1 }
      for (a, b) in zip(keys, other.keys) {
        let order = a.text.utf8.span.compare(b.text.utf8.span)
        if order != 0 { return order }
        if a.slot != b.slot { return a.slot < b.slot ? -1 : 1 }
      }
      return keys.count - other.keys.count
    }
  }
}
