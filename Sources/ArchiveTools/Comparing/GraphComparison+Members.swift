// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension GraphComparison {
  /// The maximum number of similarity comparisons between two ranges. Beyond it, elements are matched by position.
  private static let maximumAttempts: Int64 = 1024
  /// The maximum number of an object's parts that similarity takes into account.
  private static let maximumTraits = 64
  /// The number of references from a member up to which the counterparts of objects tell members of equal contents apart.
  private static let maximumDistance = 16

  /// Compares elements whose order counts. Reports insertions and removals as such.
  mutating func compareLists(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue], at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    if endsAtFirst, a.count == b.count {
      // Whichever elements an alignment pairs, the lists are equal only if those at equal positions are.
      for index in a.indices where !isDecided {
        try compare(a[index], b[index], .element(old: index, new: index), at: place, mode)
      }
      return
    }
    for pair in try align(a, b, .deep) {
      switch (pair.old, pair.new) {
      case (let i?, let j?): try compare(a[i], b[j], .element(old: i, new: j), at: place, mode)
      case (let i?, nil): try add(.removed, place, .element(old: i, new: i), value(a[i], of: .old), nil)
      case (nil, let j?): try add(.added, place, .element(old: j, new: j), nil, value(b[j], of: .new))
      case (nil, nil): break
      }
    }
  }

  /// Compares elements whose order does not count: matches equal elements first, then objects with common parts.
  mutating func compareSets(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue], at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    var (counterparts, rest) = try counterparts(a, b)
    let fresh = b.indices.filter { counterparts[$0] == nil }
    if !fresh.isEmpty, Int64(rest.count) * Int64(fresh.count) <= Self.maximumAttempts {
      let left = try rest.map { index throws(KeyedArchiveError) in try traits(of: a[index], .old) }
      var isTaken = [Bool](repeating: false, count: rest.count)
      for j in fresh {
        let mine = try traits(of: b[j], .new)
        var best: (index: Int, score: Int)?
        for (index, traits) in left.enumerated() where !isTaken[index] {
          let score = mine.common(with: traits)
          let isOnly = rest.count == 1 && fresh.count == 1 && mine.name == traits.name
          if mine.isObject, traits.isObject, score > 0 || isOnly, score > best?.score ?? -1 {
            best = (index, score)
          }
        }
        guard let best else { continue }
        isTaken[best.index] = true
        counterparts[j] = rest[best.index]
      }
      rest = rest.indices.filter { !isTaken[$0] }.map { rest[$0] }
    }
    for j in b.indices {
      if let i = counterparts[j] {
        try compare(a[i], b[j], .element(old: i, new: j), at: place, mode)
      } else {
        try add(.added, place, .element(old: j, new: j), nil, value(b[j], of: .new))
      }
    }
    for i in rest { try add(.removed, place, .element(old: i, new: i), value(a[i], of: .old), nil) }
  }

  /// Compares values by their keys. Keys are compared too, because they may be objects.
  mutating func comparePairs(
    _ a: [ObjectContents.Pair], _ b: [ObjectContents.Pair], isCounted: Bool, at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    let (counterparts, rest) = try counterparts(a.map(\.key), b.map(\.key))
    for (j, pair) in b.enumerated() {
      guard let i = counterparts[j] else {
        let step = try step(to: pair, j, isCounted, .new)
        try add(.added, place, step, nil, value(isCounted ? pair.key : pair.value, of: .new))
        continue
      }
      if isCounted {
        try compare(a[i].key, pair.key, .numbered("NS.object", old: i, new: j), at: place, mode)
        try compare(a[i].value, pair.value, .numbered("NS.count", old: i, new: j), at: place, mode)
      } else {
        try compare(a[i].key, pair.key, .pairKey(old: i, new: j), at: place, mode)
        let step = try text(pair.key, .new).map { Step.key($0) } ?? .element(old: i, new: j)
        try compare(a[i].value, pair.value, step, at: place, mode)
      }
    }
    for i in rest {
      let step = try step(to: a[i], i, isCounted, .old)
      try add(.removed, place, step, value(isCounted ? a[i].key : a[i].value, of: .old), nil)
    }
  }

  private mutating func step(
    to pair: ObjectContents.Pair, _ index: Int, _ isCounted: Bool, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> Step {
    if isCounted { return .numbered("NS.object", old: index, new: index) }
    return try text(pair.key, side).map { .key($0) } ?? .element(old: index, new: index)
  }

  /// Returns the text of a dictionary's key, if the key is a string.
  private mutating func text(
    _ key: KeyedArchive.StoredValue, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> String? {
    guard case .primitive = kind(of: key, side) else { return nil }
    return if case .string(let text) = try primitive(key, of: side) { text } else { nil }
  }

  /// Returns the equal old value for each new one, and the remaining old values.
  private mutating func counterparts(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue]
  ) throws(KeyedArchiveError) -> (counterparts: [Int?], rest: [Int]) {
    var counterparts = [Int?](repeating: nil, count: b.count)
    var rest = Array(a.indices)
    let (before, after) = (a.map { old.hash(of: $0) }, b.map { new.hash(of: $0) })
    var (seen, repeated): (Set<UInt64>, Set<UInt64>) = ([], [])
    for hash in before where !seen.insert(hash).inserted { repeated.insert(hash) }
    if !repeated.isEmpty {
      var positions = Positions(try identities(of: a, before, repeated, .old))
      for (j, hash) in try identities(of: b, after, repeated, .new).enumerated() {
        counterparts[j] = positions.take(hash)
      }
      rest = positions.rest
    }
    let levels = endsAtFirst ? [.deep, .unfolded] : GraphIndex.Level.allCases
    for level in levels where !rest.isEmpty {
      try prepare(level)
      var positions = Positions(rest.map { old.hash(of: a[$0], level) })
      for j in b.indices where counterparts[j] == nil {
        counterparts[j] = positions.take(new.hash(of: b[j], level)).map { rest[$0] }
      }
      rest = positions.rest.map { rest[$0] }
    }
    return (counterparts, rest)
  }

  /// Returns hashes that tell values with one of the repeated hashes apart by the objects that they lead to.
  private mutating func identities(
    of values: [KeyedArchive.StoredValue], _ hashes: [UInt64], _ repeated: Set<UInt64>, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> [UInt64] {
    guard ignored.contains(.sharing) else {
      var known: [UInt32: UInt64] = [:]
      return try values.indices.map { index throws(KeyedArchiveError) in
        repeated.contains(hashes[index]) ? try identity(of: values[index], side, &known) : hashes[index]
      }
    }
    // No object has a counterpart. What was first reached through another object counts little in the hashes so far.
    try prepare(.unfolded)
    let index = side == .old ? old : new
    return zip(values, hashes).map { value, hash in
      repeated.contains(hash) ? hash &* 31 ^ index.hash(of: value, .unfolded) : hash
    }
  }

  private mutating func prepare(_ level: GraphIndex.Level) throws(KeyedArchiveError) {
    try old.prepare(level, &budget)
    try new.prepare(level, &budget)
  }

  /// Returns a hash of a value that covers the objects it leads to: their counterparts, or else their contents.
  private mutating func identity(
    of value: KeyedArchive.StoredValue, _ side: PathTree.Side, _ known: inout [UInt32: UInt64], distance: Int = 0
  ) throws(KeyedArchiveError) -> UInt64 {
    let index = side == .old ? old : new
    let hash = index.hash(of: value)
    guard case .reference(let uid) = value, index.kind(of: value) == .object else { return hash }
    if let known = known[uid.rawValue] { return known }
    if let counterpart = newCounterpart(of: uid, side) {
      known[uid.rawValue] = UInt64(counterpart)
      return UInt64(counterpart)
    }
    // In cycles, and at a distance, the hash of the contents counts.
    known[uid.rawValue] = hash
    guard distance < Self.maximumDistance else { return hash }
    let instance = try instance(uid, side)
    for reference in index.references(of: instance) {
      _ = try identity(of: .reference(reference), side, &known, distance: distance + 1)
    }
    let found = index.hash(instance.record, instance.contents) {
      known[$0.rawValue] ?? index.hash(of: .reference($0))
    }
    known[uid.rawValue] = found
    return found
  }

  // MARK: Similarity

  /// Aligns two lists by the hashes of their elements, and the ranges in between by hashes of the next level.
  private mutating func align(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue], _ level: GraphIndex.Level
  ) throws(KeyedArchiveError) -> [ListAlignment.Pair] {
    try prepare(level)
    let (before, after) = (a.map { old.hash(of: $0, level) }, b.map { new.hash(of: $0, level) })
    return try ListAlignment.align(before, after) { (old, new) throws(KeyedArchiveError) in
      let (a, b) = (Array(a[old]), Array(b[new]))
      let inner: [(old: Int, new: Int)] =
        if let next = level.next {
          try align(a, b, next).compactMap { pair in pair.old.flatMap { old in pair.new.map { (old, $0) } } }
        } else {
          try bestMatches(a, b)
        }
      return inner.map { ($0.old + old.lowerBound, $0.new + new.lowerBound) }
    }
  }

  /// The traits of a value that determine its similarity to another one.
  private struct Traits {
    /// The hash of the name of an object's class, or of the kind of another value.
    var name = 0
    var isObject = false
    /// The hashes of some parts with their keys, in ascending order.
    var parts: [UInt64] = []

    func common(with other: Traits) -> Int {
      var (i, j, count) = (0, 0, 0)
      while i < parts.count, j < other.parts.count {
        if parts[i] == other.parts[j] {
          count += 1
          i += 1
          j += 1
        } else if parts[i] < other.parts[j] {
          i += 1
        } else {
          j += 1
        }
      }
      return count
    }

    func score(_ other: Traits) -> Int { 1 + (name == other.name ? 1 : 0) + 2 * common(with: other) }
  }

  private mutating func traits(
    of value: KeyedArchive.StoredValue, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> Traits {
    guard kind(of: value, side) == .object, let uid = value.uid else {
      return Traits(name: BytewiseString(try self.value(value, of: side).similarityName).hashValue)
    }
    let instance = try instance(uid, side)
    let parts = (side == .old ? old : new).parts(instance.contents, atMost: Self.maximumTraits)
    return Traits(name: Int(truncatingIfNeeded: instance.record.nameHash), isObject: true, parts: parts.sorted())
  }

  /// Returns the most similar elements of two ranges without equal elements, in the order of both.
  private mutating func bestMatches(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue]
  ) throws(KeyedArchiveError) -> [(old: Int, new: Int)] {
    guard Int64(a.count) * Int64(b.count) <= Self.maximumAttempts, a.count > 1 || b.count > 1 else {
      return (0..<min(a.count, b.count)).map { ($0, $0) }
    }
    let before = try a.map { value throws(KeyedArchiveError) in try traits(of: value, .old) }
    let after = try b.map { value throws(KeyedArchiveError) in try traits(of: value, .new) }
    // If the kinds are the same, assume that each element changed.
    if before.map(\.name) == after.map(\.name) { return a.indices.map { ($0, $0) } }
    // The best sum of scores from each pair of positions on.
    let width = b.count + 1
    var best = [Int](repeating: 0, count: (a.count + 1) * width)
    for i in a.indices.reversed() {
      for j in b.indices.reversed() {
        let together = best[(i + 1) * width + j + 1] + before[i].score(after[j])
        best[i * width + j] = max(together, best[(i + 1) * width + j], best[i * width + j + 1])
      }
    }
    var pairs: [(old: Int, new: Int)] = []
    var (i, j) = (0, 0)
    while i < a.count, j < b.count {
      let score = best[i * width + j]
      if score == best[(i + 1) * width + j + 1] + before[i].score(after[j]) {
        pairs.append((i, j))
        i += 1
        j += 1
      } else if score == best[(i + 1) * width + j] {
        i += 1
      } else {
        j += 1
      }
    }
    return pairs
  }
}

/// The positions of values by hash; each position is taken once, in ascending order.
private struct Positions {
  private var places: [UInt64: [Int]] = [:]

  init(_ hashes: [UInt64]) {
    for index in hashes.indices.reversed() { places[hashes[index], default: []].append(index) }
  }

  mutating func take(_ hash: UInt64) -> Int? { places[hash]?.popLast() }

  /// The positions that were not taken.
  var rest: [Int] { places.values.joined().sorted() }
}

extension ArchiveDifference.Value {
  /// A name that similar values share: numbers of different widths are similar.
  fileprivate var similarityName: String {
    switch self {
    case .null: "null"
    case .array: "array"
    case .dictionary: "dictionary"
    case .primitive(let value, _):
      switch value.primitiveKind {
      case .unsigned?: KeyedArchive.PrimitiveKind.integer.rawValue
      case .float?: KeyedArchive.PrimitiveKind.double.rawValue
      case let kind?: kind.rawValue
      case nil: "other"
      }
    default: "other"
    }
  }
}
