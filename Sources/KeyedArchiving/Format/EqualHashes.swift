// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The limit on keys of a dictionary, or elements of a set, that have the same hash.
///
/// Some types hash only a part of a value: `Data` its first 80 bytes, `Decimal` a rounded number, `IndexPath` some of its
/// indexes. A file can contain any number of different values with one hash, whose insertion takes quadratic time. What a
/// decoder would reject for that reason is not archived either.
enum EqualHashes {
  /// The maximum number of values with the same hash.
  static var maximum: Int { 128 }

  /// Returns whether values can be inserted into a set or dictionary in linear time.
  static func areFew<Value: Hashable>(in values: [Value]) -> Bool {
    guard values.count > maximum, !hashesAllBits(of: Value.self) else { return true }
    // Values of one hash are in one bucket. Buckets of that many values are rare otherwise, and are then counted exactly.
    let mask = values.count.roundedUpToPowerOf2 - 1
    var buckets = [UInt8](repeating: 0, count: mask + 1)
    var isFull = false
    for value in values {
      let bucket = value.hashValue & mask
      if buckets[bucket] < maximum { buckets[bucket] += 1 } else { isFull = true }
    }
    guard isFull else { return true }
    var counts: [Int: Int] = [:]
    for value in values where buckets[value.hashValue & mask] == maximum { counts[value.hashValue, default: 0] += 1 }
    return counts.values.allSatisfy { $0 <= maximum }
  }

  /// Returns whether equal hashes are improbable. A decoder rejects strings with long runs of marks before.
  private static func hashesAllBits(of type: Any.Type) -> Bool {
    type == String.self || type == Int.self || type == UUID.self || type == Date.self || type == Double.self
  }
}

extension Int {
  fileprivate var roundedUpToPowerOf2: Int { self <= 1 ? 1 : 1 << (Int.bitWidth - (self - 1).leadingZeroBitCount) }
}
