// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The order in which CoreFoundation enumerates a dictionary of strings, and so writes its keys.
///
/// The table is open-addressed with linear probing, grows when full, and is enumerated from its first slot. Hash, sizes
/// and capacities are those found to explain the key order of Apple's archives since macOS 10.6: 17,602 of 17,741
/// dictionaries of real files are legal states of this table.
enum KeyOrder {
  private static let sizes = [
    3, 7, 13, 23, 41, 71, 127, 191, 251, 383, 631, 1087, 1723, 2803, 4523, 7351, 11959, 19447, 31231, 50683, 81919,
    132607, 214519, 346607, 561109, 907759, 1_468_927, 2_376_191, 3_845_119, 6_221_311, 10_066_421, 16_287_743,
    26_354_171, 42_641_881, 68_996_069, 111_638_519, 180_634_607,
  ]
  private static let capacities = [
    3, 6, 11, 19, 32, 52, 85, 118, 155, 237, 390, 672, 1065, 1732, 2795, 4543, 7391, 12019, 19302, 31324, 50629,
    81956, 132580, 214215, 346784, 561026, 907847, 1_468_567, 2_376_414, 3_844_982, 6_221_390, 10_066_379, 16_287_773,
    26_354_132, 42_641_916, 68_996_399, 111_638_327,
  ]

  /// The places in `keys` in the order of enumeration after inserting the keys in the order in which they stand.
  static func enumeration(of keys: [String]) -> [Int] { enumeration(ofCount: keys.count) { keys[$0] } }

  /// The same for `count` keys that are asked for by their places.
  static func enumeration(ofCount count: Int, _ key: (Int) -> String) -> [Int] {
    // Most objects have no more keys than this.
    if count <= few {
      let places = enumeration(ofFew: count, key)
      return (0..<count).map { Int(places[$0]) }
    }
    let keys = 0..<count
    let hashes = keys.map { hash(key($0)) }
    var table = Table(size: 0)
    var grade = -1
    for place in keys {
      if grade < 0 || capacities[grade] < place + 1 {
        guard let next = capacities.firstIndex(where: { place + 1 <= $0 }) else { return Array(keys) }
        grade = next
        let former = table.slots
        table = Table(size: sizes[grade])
        for other in former where other >= 0 { table.insert(other, hashes[Int(other)]) }
      }
      table.insert(Int32(place), hashes[place])
    }
    return table.slots.compactMap { $0 >= 0 ? Int($0) : nil }
  }

  /// An open-addressed table with linear probing.
  ///
  /// Texts may be chosen so that their hashes are equal, and probing one slot at a time would then take quadratic time.
  /// So each taken slot also knows a slot behind it up to which all others are taken, and each search shortens that way
  /// for the next one (disjoint sets with path halving). A key gets the same slot as by probing.
  private struct Table {
    /// The place of the key in each slot; -1 for a free one.
    var slots: [Int32]
    /// For a taken slot one behind it, with none free between; for a free slot itself.
    private var following: [Int32]

    init(size: Int) {
      slots = [Int32](repeating: -1, count: size)
      following = (0..<Int32(truncatingIfNeeded: size)).map { $0 }
    }

    mutating func insert(_ place: Int32, _ hash: UInt64) {
      var slot = Int(hash % UInt64(slots.count))
      while slots[slot] >= 0 {
        let next = Int(following[slot])
        following[slot] = following[next]
        slot = next
      }
      slots[slot] = place
      following[slot] = Int32(truncatingIfNeeded: slot + 1 == slots.count ? 0 : slot + 1)
    }
  }

  /// For so many keys the table has 3, 7 and then 13 slots.
  static let few = 11

  /// The same for at most ``few`` keys, without memory: the first `count` elements are their places.
  static func enumeration(ofFew count: Int, _ key: (Int) -> String) -> InlineArray<11, Int8> {
    var hashes = InlineArray<11, UInt64>(repeating: 0)
    var table = InlineArray<13, Int8>(repeating: -1)
    var size = 3
    func insert(_ place: Int8) {
      var slot = Int(hashes[Int(place)] % UInt64(size))
      while table[slot] >= 0 { slot = slot + 1 == size ? 0 : slot + 1 }
      table[slot] = place
    }
    for place in 0..<count {
      hashes[place] = hash(key(place))
      if place == 3 || place == 6 {
        let former = table
        let formerSize = size
        table = InlineArray(repeating: -1)
        size = place == 3 ? 7 : 13
        for slot in 0..<formerSize where former[slot] >= 0 { insert(former[slot]) }
      }
      insert(Int8(place))
    }
    var order = InlineArray<11, Int8>(repeating: 0)
    var found = 0
    for slot in 0..<size where table[slot] >= 0 {
      order[found] = table[slot]
      found += 1
    }
    return order
  }

  /// CoreFoundation's hash of a string, over its UTF-16 units: all of them up to 96, else 32 at the beginning, in the
  /// middle and at the end.
  static func hash(_ text: String) -> UInt64 {
    let bytes = text.utf8.span
    if bytes.count <= 96, bytes.isASCII {
      // Each byte is a unit.
      var result = UInt64(bytes.count)
      var place = 0
      while place &+ 4 <= bytes.count {
        var group: UInt32 = 0
        for i in place..<place &+ 4 { group = group &* 257 &+ UInt32(bytes[i]) }
        result = result &* 67_503_105 &+ UInt64(group)
        place &+= 4
      }
      while place < bytes.count {
        result = result &* 257 &+ UInt64(bytes[place])
        place &+= 1
      }
      return result &+ (result << UInt64(bytes.count & 31))
    }
    let units = Array(text.utf16)
    var result = UInt64(units.count)
    if units.count <= 96 {
      mix(units[...], into: &result)
    } else {
      mix(units[..<32], into: &result)
      let middle = units.count / 2 - 16
      mix(units[middle..<middle + 32], into: &result)
      mix(units[(units.count - 32)...], into: &result)
    }
    return result &+ (result << UInt64(units.count & 31))
  }

  private static func mix(_ units: ArraySlice<UInt16>, into result: inout UInt64) {
    var rest = units
    while rest.count >= 4 {
      var group: UInt32 = 0
      for unit in rest.prefix(4) { group = group &* 257 &+ UInt32(unit) }
      result = result &* 67_503_105 &+ UInt64(group)
      rest = rest.dropFirst(4)
    }
    for unit in rest { result = result &* 257 &+ UInt64(unit) }
  }
}
