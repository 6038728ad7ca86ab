// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@_spi(Archiving) import PropertyListFormat

/// The order in which CoreFoundation enumerates a dictionary of strings, and thus writes its keys.
///
/// The hash table uses open addressing with linear probing, grows when full, and is enumerated from its first slot. The
/// hash, sizes and capacities explain the key order of Apple's archives since macOS 10.6. Of 17,741 dictionaries in
/// real files, 17,602 are legal states of this table.
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

  /// Returns the indexes of `keys` in the order of enumeration after the keys are inserted one after another.
  static func enumeration(of keys: [String]) -> [Int] { enumeration(ofCount: keys.count) { keys[$0] } }

  /// Returns the order of enumeration of `count` keys that a function returns by index.
  static func enumeration(ofCount count: Int, _ key: (Int) -> String) -> [Int] {
    if count <= few {
      let indexes = enumeration(ofFew: count, key)
      return (0..<count).map { Int(indexes[$0]) }
    }
    let keys = 0..<count
    let hashes = keys.map { hash(key($0)) }
    var table = Table(size: 0)
    var grade = -1
    for index in keys {
      if grade < 0 || capacities[grade] < index + 1 {
        guard let next = capacities.firstIndex(where: { index + 1 <= $0 }) else { return Array(keys) }
        grade = next
        let former = table.slots
        table = Table(size: sizes[grade])
        for other in former where other >= 0 { table.insert(other, hashes[Int(other)]) }
      }
      table.insert(Int32(index), hashes[index])
    }
    return table.slots.compactMap { $0 >= 0 ? Int($0) : nil }
  }

  /// An open-addressed table with linear probing.
  ///
  /// Hostile keys can have equal hashes. Plain linear probing then takes quadratic time. Therefore each used slot also
  /// stores a later slot without a free slot between them. Each search shortens these links (disjoint sets with path
  /// halving). A key gets the same slot as by plain probing.
  private struct Table {
    /// The index of the key in each slot; -1 for a free slot.
    var slots: [Int32]
    /// For a used slot, a later slot without a free slot between them; for a free slot, the slot itself.
    private var following: [Int32]

    init(size: Int) {
      slots = [Int32](repeating: -1, count: size)
      following = (0..<Int32(truncatingIfNeeded: size)).map { $0 }
    }

    mutating func insert(_ index: Int32, _ hash: UInt64) {
      var slot = Int(hash % UInt64(slots.count))
      while slots[slot] >= 0 {
        let next = Int(following[slot])
        following[slot] = following[next]
        slot = next
      }
      slots[slot] = index
      following[slot] = Int32(truncatingIfNeeded: slot + 1 == slots.count ? 0 : slot + 1)
    }
  }

  /// The number of keys that fit tables of 3, 7 and 13 slots; most objects have fewer.
  static let few = 11

  /// Returns the order of enumeration of at most ``few`` keys in its first `count` elements, without allocating memory.
  static func enumeration(ofFew count: Int, _ key: (Int) -> String) -> SIMD16<Int8> {
    var hashes = SIMD16<UInt64>()
    var table = SIMD16<Int8>(repeating: -1)
    var size = 3
    func insert(_ index: Int8) {
      var slot = Int(hashes[Int(index)] % UInt64(size))
      while table[slot] >= 0 { slot = slot + 1 == size ? 0 : slot + 1 }
      table[slot] = index
    }
    for index in 0..<count {
      hashes[index] = hash(key(index))
      if index == 3 || index == 6 {
        let former = table
        let formerSize = size
        table = SIMD16(repeating: -1)
        size = index == 3 ? 7 : 13
        for slot in 0..<formerSize where former[slot] >= 0 { insert(former[slot]) }
      }
      insert(Int8(index))
    }
    var order = SIMD16<Int8>()
    var found = 0
    for slot in 0..<size where table[slot] >= 0 {
      order[found] = table[slot]
      found += 1
    }
    return order
  }

  /// Returns CoreFoundation's hash of a string's UTF-16 units. It covers all units of a string with at most 96,
  /// otherwise 32 at the beginning, 32 in the middle and 32 at the end.
  static func hash(_ text: String) -> UInt64 {
    if text.utf8.count <= 96, let hash = text.withBytes({ hash(ascii: $0) }) { return hash }
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

  /// Returns the hash of a short string, or nil if it is not ASCII. Each ASCII byte is one UTF-16 unit.
  private static func hash(ascii bytes: Span<UInt8>) -> UInt64? {
    guard bytes.isASCII else { return nil }
    var result = UInt64(bytes.count)
    var offset = 0
    while offset &+ 4 <= bytes.count {
      var group: UInt32 = 0
      for i in offset..<offset &+ 4 { group = group &* 257 &+ UInt32(bytes[i]) }
      result = result &* 67_503_105 &+ UInt64(group)
      offset &+= 4
    }
    while offset < bytes.count {
      result = result &* 257 &+ UInt64(bytes[offset])
      offset &+= 1
    }
    return result &+ (result << UInt64(bytes.count & 31))
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
