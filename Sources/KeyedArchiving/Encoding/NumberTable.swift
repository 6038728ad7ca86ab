// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A key of a ``NumberTable``: a few words that are compared and scattered quickly.
protocol TableKey: Equatable {
  /// A number whose high bits differ where keys do.
  var scattered: UInt64 { get }
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
  var scattered: UInt64 { (self ^ self >> 32) &* scatteringFactor }
}

extension TaggedString: TableKey {
  @inline(__always)
  var scattered: UInt64 { (low ^ UInt64(high) &* 0xBF58_476D_1CE4_E5B9).scattered }
}

/// Numbers keys in the order in which they are met: open addressing, linear probing.
///
/// Addresses, numbers and short strings are looked up for every archived value; this takes a fraction of the time of
/// `Dictionary`.
struct NumberTable<Key: TableKey> {
  private var slots: [UInt32] = []
  private var keys: [Key] = []
  private var shift: UInt64 = 64
  /// Up to how many keys looking at each is quicker than to make slots for them.
  private static var few: Int { 8 }

  /// The number of `key`, and whether it is met for the first time.
  @inline(__always)
  mutating func number(of key: Key) -> (number: Int, isNew: Bool) {
    if slots.isEmpty {
      if let place = keys.firstIndex(of: key) { return (place, false) }
      if keys.count < NumberTable.few {
        keys.append(key)
        return (keys.count &- 1, true)
      }
    }
    if keys.count &* 2 >= slots.count { grow() }
    let mask = slots.count &- 1
    var slot = Int(truncatingIfNeeded: key.scattered >> shift)
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
    keys.reserveCapacity(size / 2)
    slots = [UInt32](repeating: 0, count: size)
    shift = UInt64(64 - size.trailingZeroBitCount)
    for (place, key) in keys.enumerated() {
      var slot = Int(truncatingIfNeeded: key.scattered >> shift)
      while slots[slot] != 0 { slot = (slot + 1) & (size - 1) }
      slots[slot] = UInt32(place + 1)
    }
  }
}

/// The number in `$objects` of each of some keys.
struct UIDTable<Key: TableKey> {
  private var table = NumberTable<Key>()
  var uids: [UInt32] = []

  /// The place in ``uids`` that belongs to `key`, and whether it must still be filled.
  @inline(__always)
  mutating func slot(of key: Key) -> (slot: Int, isNew: Bool) {
    let (number, isNew) = table.number(of: key)
    if isNew { uids.append(0) }
    return (number, isNew)
  }
}
