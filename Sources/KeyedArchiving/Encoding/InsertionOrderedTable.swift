// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A key of an ``InsertionOrderedTable``: a few words that are compared and hashed quickly.
protocol TableKey: Equatable, BitwiseCopyable {
  /// A hash whose high bits differ for different keys.
  var hashBits: UInt64 { get }
}

/// The odd multiplier of the hash. It is random per process, because keys can come from a hostile file that is built to
/// make them collide. The output does not depend on it.
private let hashMultiplier: UInt64 = {
  var hasher = Hasher()
  hasher.combine(0)
  return UInt64(bitPattern: Int64(hasher.finalize())) ^ 0x9E37_79B9_7F4A_7C15 | 1
}()

extension UInt64: TableKey {
  @inline(__always)
  var hashBits: UInt64 { (self ^ self >> 32) &* hashMultiplier }
}

extension TaggedString: TableKey {
  @inline(__always)
  var hashBits: UInt64 { (low ^ UInt64(high) &* 0xBF58_476D_1CE4_E5B9).hashBits }
}

/// A number together with its type.
struct TypedNumber: TableKey {
  var bits: UInt64
  var kind: ArchiverState.Entry.Kind

  @inline(__always)
  var hashBits: UInt64 { (bits ^ UInt64(kind.rawValue) &* 0xBF58_476D_1CE4_E5B9).hashBits }
}

/// Assigns indexes to keys in the order of insertion, with open addressing and linear probing.
///
/// Addresses, numbers and short strings are looked up for every archived value. A look-up takes a fraction of the time
/// of `Dictionary`.
struct InsertionOrderedTable<Key: TableKey>: ~Copyable {
  private var buckets = TrivialArray<UInt32>()
  private var keys: TrivialArray<Key>
  private var shift: UInt64 = 64
  /// The number of keys up to which a linear search is faster than buckets.
  static var linearSearchLimit: Int { 8 }

  init() { keys = TrivialArray() }

  /// Creates a table whose first keys are in an arena, while they are few.
  init(from block: inout SmallArena) { keys = TrivialArray(Self.linearSearchLimit, from: &block) }

  /// Returns the index of `key`, which is inserted if it is new.
  @inline(__always)
  mutating func index(of key: Key) -> (index: Int, isNew: Bool) {
    if buckets.isEmpty {
      for index in 0..<keys.count where keys[index] == key { return (index, false) }
      if keys.count < InsertionOrderedTable.linearSearchLimit {
        keys.append(key)
        return (keys.count &- 1, true)
      }
    }
    if keys.count &* 2 >= buckets.count { grow() }
    let mask = buckets.count &- 1
    var bucket = Int(truncatingIfNeeded: key.hashBits >> shift)
    while true {
      let entry = buckets[bucket]
      if entry == 0 {
        keys.append(key)
        buckets[bucket] = UInt32(truncatingIfNeeded: keys.count)
        return (keys.count &- 1, true)
      }
      if keys[Int(entry) &- 1] == key { return (Int(entry) &- 1, false) }
      bucket = (bucket &+ 1) & mask
    }
  }

  /// Returns the index of `key`, or nil if it was not inserted.
  @inline(__always)
  func existingIndex(_ key: Key) -> Int? {
    if buckets.isEmpty {
      for index in 0..<keys.count where keys[index] == key { return index }
      return nil
    }
    var bucket = Int(truncatingIfNeeded: key.hashBits >> shift)
    while buckets[bucket] != 0 {
      let index = Int(buckets[bucket]) &- 1
      if keys[index] == key { return index }
      bucket = (bucket &+ 1) & (buckets.count &- 1)
    }
    return nil
  }

  /// Removes all keys.
  /// - Parameter keepingMapping: Whether to keep large blocks without their pages.
  mutating func empty(keepingMapping: Bool = false) {
    keys.empty(keepingMapping: keepingMapping)
    buckets.empty(keepingMapping: keepingMapping)
    shift = 64
  }

  /// Reserves capacity for `more` keys, which avoids rehashing the existing ones repeatedly.
  mutating func reserve(_ more: Int) {
    let wanted = (keys.count + more) * 2
    if wanted > buckets.count, more > 64 { grow(to: wanted) }
  }

  /// Makes a small table four times as large, and a large one twice.
  @inline(never)
  private mutating func grow() {
    let isLarge = buckets.count >= 1 << 15
    grow(to: isLarge ? buckets.count : max(buckets.count, keys.count) * 2)
  }

  private mutating func grow(to wanted: Int) {
    var size = 16
    while size < wanted + 2 { size *= 2 }
    keys.reserve(size / 2)
    buckets.refill(0, count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for index in 0..<keys.count {
      var bucket = Int(truncatingIfNeeded: keys[index].hashBits >> shift)
      while buckets[bucket] != 0 { bucket = (bucket + 1) & (size - 1) }
      buckets[bucket] = UInt32(index + 1)
    }
  }
}

/// A table that maps each key to a UID or to an object index.
struct UIDTable<Key: TableKey>: ~Copyable {
  private var table: InsertionOrderedTable<Key>
  var uids: TrivialArray<UInt32>

  init() {
    table = InsertionOrderedTable()
    uids = TrivialArray()
  }

  /// Creates a table whose first keys are in an arena, while they are few.
  init(from block: inout SmallArena) {
    table = InsertionOrderedTable(from: &block)
    uids = TrivialArray(InsertionOrderedTable<Key>.linearSearchLimit, from: &block)
  }

  /// Returns the index of `key` in ``uids``, and whether the caller must set the value there.
  @inline(__always)
  mutating func index(of key: Key) -> (index: Int, isNew: Bool) {
    let (index, isNew) = table.index(of: key)
    if isNew { uids.append(0) }
    return (index, isNew)
  }

  /// Removes all keys.
  /// - Parameter keepingMapping: Whether to keep large blocks without their pages.
  mutating func empty(keepingMapping: Bool = false) {
    table.empty(keepingMapping: keepingMapping)
    uids.empty(keepingMapping: keepingMapping)
  }

  /// Returns the value of `key`, or nil if it was not inserted.
  @inline(__always)
  func existingUID(_ key: Key) -> UInt32? { table.existingIndex(key).map { uids[$0] } }
}
