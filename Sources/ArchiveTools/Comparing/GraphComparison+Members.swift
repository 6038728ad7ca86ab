// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension GraphComparison {
  private typealias Pair = (key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)

  /// Beyond so many comparisons of what two stretches of lists hold, elements belong together by their places.
  private static let mostAttempts = 1024
  /// Of how many of an object's parts it is looked whether another has them.
  private static let mostTraits = 64

  /// Compares elements whose order counts. What was put between others or taken out is told as that.
  mutating func compareLists(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue], at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    let pairs = try align(a, b, .deep)
    for pair in pairs {
      switch (pair.old, pair.new) {
      case (let i?, let j?): try compare(a[i], b[j], .element(old: i, new: j), at: place, mode)
      case (let i?, nil): try add(.removed, place, .element(old: i, new: i), value(a[i], of: .old), nil)
      case (nil, let j?): try add(.added, place, .element(old: j, new: j), nil, value(b[j], of: .new))
      case (nil, nil): break
      }
    }
  }

  /// Compares elements whose order does not count: first those that are the same, then objects that have a part in common.
  mutating func compareSets(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue], at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    var (counterparts, rest) = counterparts(a, b)
    let fresh = b.indices.filter { counterparts[$0] == nil }
    if !fresh.isEmpty, rest.count * fresh.count <= Self.mostAttempts {
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

  /// Compares values by their keys, and these with each other, for they may be objects too.
  mutating func comparePairs(
    _ a: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)],
    _ b: [(key: KeyedArchive.StoredValue, value: KeyedArchive.StoredValue)], isCounted: Bool, at place: Place,
    _ mode: Mode
  ) throws(KeyedArchiveError) {
    let (counterparts, rest) = counterparts(a.map(\.key), b.map(\.key))
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
    to pair: Pair, _ index: Int, _ isCounted: Bool, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> Step {
    if isCounted { return .numbered("NS.object", old: index, new: index) }
    return try text(pair.key, side).map { .key($0) } ?? .element(old: index, new: index)
  }

  /// The text of a dictionary's key, if it is one.
  private mutating func text(
    _ key: KeyedArchive.StoredValue, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> String? {
    if let uid = key.uid, (side == .old ? old : new).kind(of: uid) != .bare { return nil }
    if case .string(let text) = try plain(key, of: side) { return text }
    return nil
  }

  /// Which old values are the same as the new ones, and the old ones that are left.
  private func counterparts(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue]
  ) -> (counterparts: [Int?], rest: [Int]) {
    var counterparts = [Int?](repeating: nil, count: b.count)
    var rest = Array(a.indices)
    for level in GraphIndex.Level.allCases where !rest.isEmpty {
      var places = Places(rest.map { old.hash(of: a[$0], level) })
      for j in b.indices where counterparts[j] == nil {
        counterparts[j] = places.take(new.hash(of: b[j], level)).map { rest[$0] }
      }
      rest = places.rest.map { rest[$0] }
    }
    return (counterparts, rest)
  }

  // MARK: What is most alike

  /// Aligns two lists by their elements' hashes, and what is between these by hashes that take in less.
  private mutating func align(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue], _ level: GraphIndex.Level
  ) throws(KeyedArchiveError) -> [ListAlignment.Pair] {
    let (before, after) = (a.map { old.hash(of: $0, level) }, b.map { new.hash(of: $0, level) })
    return try ListAlignment.align(before, after) { (old, new) throws(KeyedArchiveError) in
      let (a, b) = (Array(a[old]), Array(b[new]))
      let inner: [(old: Int, new: Int)] =
        if let next = level.next {
          try align(a, b, next).compactMap { pair in pair.old.flatMap { old in pair.new.map { (old, $0) } } }
        } else {
          try mostAlike(a, b)
        }
      return inner.map { ($0.old + old.lowerBound, $0.new + new.lowerBound) }
    }
  }

  /// What two values are compared by where they are not the same.
  private struct Traits {
    /// The hash of an object's class, or of the kind of another value.
    var name = 0
    var isObject = false
    /// The hashes of some of its parts with their keys, in ascending order.
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
    guard let uid = value.uid, (side == .old ? old : new).kind(of: uid) == .instance else {
      let value = try self.value(value, of: side)
      guard case .plain(let plain, _) = value else { return Traits(name: BytewiseString(value.kindName).hashValue) }
      return Traits(name: BytewiseString(plain.kindName).hashValue)
    }
    let (classUID, entries) = try instance(uid, side)
    let record = try record(ofClass: classUID, side)
    let parts = (side == .old ? old : new).parts(
      ComparedContents(record.family, entries), atMost: Self.mostTraits)
    return Traits(
      name: Int(truncatingIfNeeded: record.nameHash), isObject: true,
      parts: parts.sorted())
  }

  /// Which elements of two stretches between which nothing is the same are most alike, in the order of both.
  private mutating func mostAlike(
    _ a: [KeyedArchive.StoredValue], _ b: [KeyedArchive.StoredValue]
  ) throws(KeyedArchiveError) -> [(old: Int, new: Int)] {
    guard a.count * b.count <= Self.mostAttempts, a.count > 1 || b.count > 1 else {
      return (0..<min(a.count, b.count)).map { ($0, $0) }
    }
    let before = try a.map { value throws(KeyedArchiveError) in try traits(of: value, .old) }
    let after = try b.map { value throws(KeyedArchiveError) in try traits(of: value, .new) }
    // As many of the same kinds were rather changed each than put in and taken out.
    if before.map(\.name) == after.map(\.name) { return a.indices.map { ($0, $0) } }
    // The best sum of scores that can be had from each place on.
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

/// Where values are, by their hashes; each is taken once, in their order.
private struct Places {
  private var places: [UInt64: [Int]] = [:]

  init(_ hashes: [UInt64]) {
    for index in hashes.indices.reversed() { places[hashes[index], default: []].append(index) }
  }

  mutating func take(_ hash: UInt64) -> Int? { places[hash]?.popLast() }

  /// Those that were not taken.
  var rest: [Int] { places.values.joined().sorted() }
}

extension ArchiveDifference.Value {
  fileprivate var kindName: String {
    switch self {
    case .null: "null"
    case .array: "array"
    case .dictionary: "dictionary"
    default: "other"
    }
  }
}

extension KeyedArchive.StoredValue {
  fileprivate var kindName: String {
    switch self {
    case .boolean: "boolean"
    case .integer, .wideInteger: "integer"
    case .float, .double: "real"
    case .string: "string"
    case .data: "data"
    case .date: "date"
    case .reference, .array, .dictionary: "other"
    }
  }
}
