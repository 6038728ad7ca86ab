// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Unsigned integers of as many bytes as they need: 7 bits in each, the lowest first, the highest bit set in all but the
/// last. Index paths, index sets and attributed strings are stored as rows of these.
package enum Varint {
  /// Reads all numbers of some bytes.
  /// - Returns: nil if the last number does not end, or one has more than 64 bits.
  static func read(_ bytes: [UInt8]) -> [UInt64]? {
    var numbers: [UInt64] = []
    var number: UInt64 = 0
    var shift: UInt64 = 0
    for byte in bytes {
      let bits = UInt64(byte & 0x7F)
      guard shift < 63 || (shift == 63 && bits <= 1) else { return nil }
      number |= bits << shift
      if byte & 0x80 == 0 {
        numbers.append(number)
        number = 0
        shift = 0
      } else {
        shift += 7
      }
    }
    return shift == 0 ? numbers : nil
  }

  package static func append(_ number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

extension KeyedUnarchiver {
  /// The numbers of a row of varints.
  package func varints(_ key: String) throws -> [UInt64] {
    guard let bytes = try octets(key) else {
      throw KeyedArchiveError(
        .valueNotFound, "there is no value for '\(key)', where data is needed", keyPath: storage.state.keyPath(to: key))
    }
    guard let numbers = Varint.read(bytes) else {
      throw malformed("'\(key)' is no row of numbers: one does not end, or has more than 64 bits")
    }
    return numbers
  }
}
