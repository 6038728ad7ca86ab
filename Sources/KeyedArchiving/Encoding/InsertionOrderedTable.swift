// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A key of a ``InsertionOrderedTable``: a few words that are compared and hashBits quickly.
protocol TableKey: Equatable, BitwiseCopyable {
  /// A number whose high bits differ where keys do.
  var hashBits: UInt64 { get }
}

/// The odd factor of the tables' hash, another one in each process: values may come from a file whose author would like
/// them all to fall into one slot. Nothing that is written depends on it.
private let scatteringFactor: UInt64 = {
  var hasher = Hasher()
  hasher.combine(0)
  return UInt64(bitPattern: Int64(hasher.finalize())) ^ 0x9E37_79B9_7F4A_7C15 | 1
}()

extension UInt64: TableKey {
  @inline(__always)
  var hashBits: UInt64 { (self ^ self >> 32) &* scatteringFactor }
}

extension TaggedString: TableKey {
  @inline(__always)
  var hashBits: UInt64 { (low ^ UInt64(high) &* 0xBF58_476D_1CE4_E5B9).hashBits }
}

/// A number of one of the archiver's types.
struct TypedNumber: TableKey {
  var bits: UInt64
  var kind: ArchiverState.Entry.Kind

  @inline(__always)
  var hashBits: UInt64 { (bits ^ UInt64(kind.rawValue) &* 0xBF58_476D_1CE4_E5B9).hashBits }
}

/// Numbers keys in the order in which they are met: open addressing, linear probing.
///
/// Addresses, numbers and short strings are looked up for every archived value; this takes a fraction of the time of
/// `Dictionary`.
struct InsertionOrderedTable<Key: TableKey>: ~Copyable {
  private var slots = TrivialArray<UInt32>()
  private var keys: TrivialArray<Key>
  private var shift: UInt64 = 64
  /// Up to how many keys looking at each is quicker than to make slots for them.
  static var few: Int { 8 }

  init() { keys = TrivialArray() }

  /// A table whose first keys are kept in a block, as long as they are few.
  init(from block: inout SmallArena) { keys = TrivialArray(Self.few, from: &block) }

  /// The number of `key`, and whether it is met for the first time.
  @inline(__always)
  mutating func number(of key: Key) -> (number: Int, isNew: Bool) {
    if slots.isEmpty {
      for place in 0..<keys.count where keys[place] == key { return (place, false) }
      if keys.count < InsertionOrderedTable.few {
        keys.append(key)
        return (keys.count &- 1, true)
      }
    }
    if keys.count &* 2 >= slots.count { grow() }
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: key.hashBits >> shift)
    while true {
      let entry = slots[slot]
      if entry == 0 {
        keys.append(key)
        slots[slot] = UInt32(truncatingIfNeeded: keys.count)
        return (keys.count &- 1, true)
      }
      if keys[Int(entry) &- 1] == key { return (Int(entry) &- 1, false) }
      slot = (slot &+ 1) & mask
    }
  }

  /// The number of `key`, if it was met before.
  @inline(__always)
  func known(_ key: Key) -> Int? {
    if slots.isEmpty {
      for place in 0..<keys.count where keys[place] == key { return place }
      return nil
    }
    var slot = Int(truncatingIfNeeded: key.hashBits >> shift)
    while slots[slot] != 0 {
      let place = Int(slots[slot]) &- 1
      if keys[place] == key { return place }
      slot = (slot &+ 1) & (slots.count &- 1)
    }
    return nil
  }

  /// Makes room for so many more keys, which spares moving the ones there are several times.
  mutating func reserve(_ more: Int) {
    let wanted = (keys.count + more) * 2
    if wanted > slots.count, more > 64 { grow(to: wanted) }
  }

  @inline(never)
  private mutating func grow() { grow(to: max(slots.count, keys.count) * 2) }

  private mutating func grow(to wanted: Int) {
    var size = 16
    while size < wanted + 2 { size *= 2 }
    keys.reserve(size / 2)
    slots = TrivialArray(repeating: 0, count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for place in 0..<keys.count {
      var slot = Int(truncatingIfNeeded: keys[place].hashBits >> shift)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = UInt32(place + 1)
    }
  }
}

/// The number in `$objects` of each of some keys.
struct UIDTable<Key: TableKey>: ~Copyable {
  private var table: InsertionOrderedTable<Key>
  var uids: TrivialArray<UInt32>

  init() {
    table = InsertionOrderedTable()
    uids = TrivialArray()
  }

  /// A table whose first keys are kept in a block, as long as they are few.
  init(from block: inout SmallArena) {
    table = InsertionOrderedTable(from: &block)
    uids = TrivialArray(InsertionOrderedTable<Key>.few, from: &block)
  }

  /// The place in ``uids`` that belongs to `key`, and whether it must still be filled.
  @inline(__always)
  mutating func slot(of key: Key) -> (slot: Int, isNew: Bool) {
    let (number, isNew) = table.number(of: key)
    if isNew { uids.append(0) }
    return (number, isNew)
  }

  /// The number in `$objects` of `key`, if it has one.
  @inline(__always)
  func known(_ key: Key) -> UInt32? { table.known(key).map { uids[$0] } }
}
