// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving

/// Aligns two lists by the hashes of their elements, in time proportional to the sum of their lengths.
struct ListAlignment {
  /// The positions of an element that is in both lists, or in one of them.
  struct Pair: Equatable {
    var old: Int?
    var new: Int?
  }

  /// Ranges of both lists that have not been aligned.
  private struct Gap {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// The maximum number of insertions and removals for which the alignment is optimal.
  private static let maximumEdits = 96

  private let old: [UInt64]
  private let new: [UInt64]
  /// For each position in the old list that of the equal element in the new one, or -1.
  private var counterparts: [Int]

  private init(_ old: [UInt64], _ new: [UInt64]) {
    self.old = old
    self.new = new
    counterparts = [Int](repeating: -1, count: old.count)
  }

  /// Aligns two lists.
  /// - Parameters:
  ///   - old: The hashes of the old elements.
  ///   - new: The hashes of the new elements.
  ///   - matching: Returns the most similar elements of ranges without equal elements, as ascending pairs of positions.
  /// - Returns: All positions of both lists, ascending in each.
  /// - Throws: Any error that `matching` throws.
  static func align(
    _ old: [UInt64], _ new: [UInt64],
    matching: (_ old: Range<Int>, _ new: Range<Int>) throws(KeyedArchiveError) -> [(old: Int, new: Int)]
  ) throws(KeyedArchiveError) -> [Pair] {
    var alignment = ListAlignment(old, new)
    alignment.run()
    return try alignment.pairs(matching)
  }

  private mutating func run() {
    guard let gap = trimmed(Gap(old: 0..<old.count, new: 0..<new.count)), !fewEdits(gap) else { return }
    // The lists differ too much. Split them at elements that are unique in both.
    for inner in split(gap) {
      guard let rest = trimmed(inner) else { continue }
      _ = fewEdits(rest)
    }
  }

  /// Aligns equal elements at both ends of a gap. Returns the rest, or nil if a range is empty.
  private mutating func trimmed(_ gap: Gap) -> Gap? {
    var (o, n) = (gap.old, gap.new)
    while !o.isEmpty, !n.isEmpty, old[o.lowerBound] == new[n.lowerBound] {
      counterparts[o.lowerBound] = n.lowerBound
      o = o.dropFirst()
      n = n.dropFirst()
    }
    while !o.isEmpty, !n.isEmpty, old[o.upperBound - 1] == new[n.upperBound - 1] {
      counterparts[o.upperBound - 1] = n.upperBound - 1
      o = o.dropLast()
      n = n.dropLast()
    }
    return o.isEmpty || n.isEmpty ? nil : Gap(old: o, new: n)
  }

  /// Aligns a gap with the fewest edits (the greedy algorithm by Myers). Returns `false` if that takes too many edits.
  private mutating func fewEdits(_ gap: Gap) -> Bool {
    let (n, m) = (gap.old.count, gap.new.count)
    guard abs(n - m) <= Self.maximumEdits else { return false }
    var limit = min(n + m, Self.maximumEdits)
    // An element that changed in place counts as two edits. Elements move only if that takes fewer edits.
    let changed = n == m ? zip(old[gap.old], new[gap.new]).count { $0 != $1 } : .max
    if changed <= limit / 2 { limit = 2 * changed - 1 }
    // For each number of edits, the farthest position in the old list on each diagonal.
    var farthest = [Int](repeating: 0, count: 2 * limit + 2)
    var history: [[Int]] = []
    for edits in 0...limit {
      history.append(farthest)
      for diagonal in stride(from: -edits, through: edits, by: 2) {
        let down = diagonal == -edits || (diagonal != edits && at(farthest, diagonal - 1) < at(farthest, diagonal + 1))
        var x = down ? at(farthest, diagonal + 1) : at(farthest, diagonal - 1) + 1
        var y = x - diagonal
        while x < n, y >= 0, y < m, old[gap.old.lowerBound + x] == new[gap.new.lowerBound + y] {
          x += 1
          y += 1
        }
        farthest[place(diagonal, farthest.count)] = x
        if x >= n, y >= m {
          trace(history, edits, gap)
          return true
        }
      }
    }
    guard changed <= Self.maximumEdits / 2 else { return false }
    for index in 0..<n where old[gap.old.lowerBound + index] == new[gap.new.lowerBound + index] {
      counterparts[gap.old.lowerBound + index] = gap.new.lowerBound + index
    }
    return true
  }

  private func place(_ diagonal: Int, _ count: Int) -> Int { diagonal >= 0 ? diagonal : count + diagonal }

  private func at(_ farthest: [Int], _ diagonal: Int) -> Int { farthest[place(diagonal, farthest.count)] }

  /// Traces the edits back from the end of a gap and aligns the equal elements.
  private mutating func trace(_ history: [[Int]], _ edits: Int, _ gap: Gap) {
    var (x, y) = (gap.old.count, gap.new.count)
    for edits in stride(from: edits, through: 0, by: -1) {
      let farthest = history[edits]
      let diagonal = x - y
      let down = diagonal == -edits || (diagonal != edits && at(farthest, diagonal - 1) < at(farthest, diagonal + 1))
      let before = down ? diagonal + 1 : diagonal - 1
      let startX = edits == 0 ? 0 : at(farthest, before)
      let startY = edits == 0 ? 0 : startX - before
      while x > startX, y > startY {
        x -= 1
        y -= 1
        // Each edit precedes a run of equal elements.
        guard old[gap.old.lowerBound + x] == new[gap.new.lowerBound + y] else { break }
        counterparts[gap.old.lowerBound + x] = gap.new.lowerBound + y
      }
      (x, y) = (startX, startY)
    }
  }

  /// Aligns the elements of a gap that are unique in both lists and in the same order (patience sorting). Returns the
  /// gaps between them.
  private mutating func split(_ gap: Gap) -> [Gap] {
    var places: [UInt64: (old: Int?, new: Int?, isUnique: Bool)] = [:]
    for place in gap.old {
      let known = places[old[place]]
      places[old[place]] = (place, nil, known == nil)
    }
    for place in gap.new {
      guard let known = places[new[place]] else { continue }
      places[new[place]] = (known.old, place, known.isUnique && known.new == nil)
    }
    let unique = gap.old.compactMap { place -> (old: Int, new: Int)? in
      guard let found = places[old[place]], found.isUnique, let new = found.new else { return nil }
      return (place, new)
    }
    var gaps: [Gap] = []
    var (o, n) = (gap.old.lowerBound, gap.new.lowerBound)
    for anchor in Self.longestAscending(unique) {
      gaps.append(Gap(old: o..<anchor.old, new: n..<anchor.new))
      counterparts[anchor.old] = anchor.new
      (o, n) = (anchor.old + 1, anchor.new + 1)
    }
    gaps.append(Gap(old: o..<gap.old.upperBound, new: n..<gap.new.upperBound))
    return gaps
  }

  /// Returns the longest subsequence that also ascends in the new positions.
  private static func longestAscending(_ pairs: [(old: Int, new: Int)]) -> [(old: Int, new: Int)] {
    // For each length the least last pair of such a subsequence, and for each pair its predecessor.
    var ends: [Int] = []
    var before = [Int](repeating: -1, count: pairs.count)
    for (index, pair) in pairs.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if pairs[ends[middle]].new < pair.new { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = ends[low - 1] }
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var found: [(old: Int, new: Int)] = []
    var index = ends.last ?? -1
    while index >= 0 {
      found.append(pairs[index])
      index = before[index]
    }
    return found.reversed()
  }

  private func pairs(
    _ matching: (_ old: Range<Int>, _ new: Range<Int>) throws(KeyedArchiveError) -> [(old: Int, new: Int)]
  ) throws(KeyedArchiveError) -> [Pair] {
    var pairs: [Pair] = []
    var (o, n) = (0, 0)
    while o < old.count || n < new.count {
      let startOld = o
      while o < old.count, counterparts[o] < 0 { o += 1 }
      let startNew = n
      n = o < old.count ? counterparts[o] : new.count
      if startOld < o, startNew < n {
        var (fromOld, fromNew) = (startOld, startNew)
        for match in try matching(startOld..<o, startNew..<n) {
          pairs += (fromOld..<match.old).map { Pair(old: $0, new: nil) }
          pairs += (fromNew..<match.new).map { Pair(old: nil, new: $0) }
          pairs.append(Pair(old: match.old, new: match.new))
          (fromOld, fromNew) = (match.old + 1, match.new + 1)
        }
        pairs += (fromOld..<o).map { Pair(old: $0, new: nil) }
        pairs += (fromNew..<n).map { Pair(old: nil, new: $0) }
      } else {
        pairs += (startOld..<o).map { Pair(old: $0, new: nil) }
        pairs += (startNew..<n).map { Pair(old: nil, new: $0) }
      }
      if o < old.count {
        pairs.append(Pair(old: o, new: n))
        o += 1
        n += 1
      }
    }
    return pairs
  }
}
