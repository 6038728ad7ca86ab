// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An index that finds a numbered value by its hash. The values themselves are in an array of the owner.
///
/// Unlike a dictionary of the standard library, it does not own the values, and a lookup is inlined.
struct HashIndex {
  /// The upper half of a hash and a number plus one in each used slot, and 0 in the others. At least half are unused.
  private var slots: [UInt64] = []
  private var count = 0

  /// A search for the values with a hash.
  struct Search {
    fileprivate let half: UInt64
    fileprivate var place: Int
  }

  /// Begins a search.
  /// - Parameter hash: The hash of the value, from ``ByteHash``.
  /// - Returns: The search.
  @inline(__always)
  func search(_ hash: UInt64) -> Search {
    Search(half: hash >> 32, place: Int(truncatingIfNeeded: hash >> 32) & (slots.count &- 1))
  }

  /// Returns the next number in a search. The value with this number is probably equal.
  @inline(__always)
  func next(_ search: inout Search) -> UInt32? {
    guard !slots.isEmpty else { return nil }
    while true {
      let slot = slots[search.place]
      guard slot != 0 else { return nil }
      search.place = (search.place &+ 1) & (slots.count &- 1)
      if slot >> 32 == search.half { return UInt32(truncatingIfNeeded: slot) &- 1 }
    }
  }

  /// Adds a number.
  /// - Parameters:
  ///   - number: The number, less than `UInt32.max`.
  ///   - search: A search that found no more numbers. The index did not change meanwhile.
  @inline(__always)
  mutating func add(_ number: UInt32, at search: Search) {
    let slot = search.half << 32 | UInt64(number &+ 1)
    guard !slots.isEmpty else {
      slots = [UInt64](repeating: 0, count: 16)
      slots[Int(truncatingIfNeeded: search.half) & 15] = slot
      count = 1
      return
    }
    slots[search.place] = slot
    count &+= 1
    if count &* 2 > slots.count { grow() }
  }

  private mutating func grow() {
    var larger = [UInt64](repeating: 0, count: 4 * slots.count)
    let mask = larger.count &- 1
    for slot in slots where slot != 0 {
      var place = Int(truncatingIfNeeded: slot >> 32) & mask
      while larger[place] != 0 { place = (place &+ 1) & mask }
      larger[place] = slot
    }
    slots = larger
  }
}

/// Hashes for ``HashIndex``. They differ from process to process, so that no file can have chosen collisions.
///
/// Each step multiplies by a secret number and folds the 128 bits of the product to 64. `Hasher` calls a function for each
/// word instead.
struct ByteHash {
  private let seed: UInt64
  private let factor: UInt64

  init() {
    var hasher = Hasher()
    seed = UInt64(bitPattern: Int64(hasher.finalize()))
    hasher = Hasher()
    hasher.combine(1)
    // An odd factor loses no bits of the low half.
    factor = UInt64(bitPattern: Int64(hasher.finalize())) | 1
  }

  @inline(__always)
  private func folded(_ value: UInt64) -> UInt64 {
    let product = value.multipliedFullWidth(by: factor)
    return product.high ^ product.low
  }

  /// Returns the hash of a number of some kind.
  @inline(__always)
  func of(_ bits: UInt64, kind: UInt8) -> UInt64 { folded(folded(seed ^ UInt64(kind)) ^ bits) }

  /// Returns the hash of bytes.
  @inline(__always)
  func of(_ bytes: Span<UInt8>) -> UInt64 {
    var hash = folded(seed ^ UInt64(bytes.count) << 8)
    var index = 0
    while index &+ 8 < bytes.count {
      hash = folded(hash ^ bytes.bigEndian(at: index, width: 8))
      index &+= 8
    }
    // The last word overlaps the one before it.
    if bytes.count >= 8 { return folded(hash ^ bytes.bigEndian(at: bytes.count &- 8, width: 8)) }
    var rest: UInt64 = 0
    while index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index &+= 1
    }
    return folded(hash ^ rest)
  }

  /// Returns a hash of the number of bytes and of some of the bytes. Values with the same result can differ.
  func ofSample(_ bytes: Span<UInt8>) -> UInt64 {
    guard bytes.count > 128 else { return of(bytes) }
    let middle = bytes.count / 2
    return folded(
      of(bytes.extracting(0..<32)) ^ folded(of(bytes.extracting(middle..<middle &+ 32)) ^ UInt64(bytes.count))
        ^ of(bytes.extracting(bytes.count &- 32..<bytes.count)))
  }
}
