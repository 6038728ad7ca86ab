// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The alphabets of deflate (RFC 1951, 3.2.5 to 3.2.7).
enum DeflateAlphabet {
  static let endOfBlock = 256
  /// The minimum and maximum length of a match.
  static let minimumMatch = 3
  static let maximumMatch = 258
  /// The maximum distance of a match.
  static let windowSize = 32768

  /// The minimum length of each of the symbols 257 to 285.
  static let lengthBase: [Int] = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  /// The number of extra bits of each length symbol.
  static let lengthExtra: [Int] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  /// The minimum distance of each of the symbols 0 to 29.
  static let distanceBase: [Int] = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  /// The number of extra bits of each distance symbol.
  static let distanceExtra: [Int] = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
  ]
  /// The order of the lengths of the code length codes.
  static let codeLengthOrder: [Int] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

  /// The code lengths of a block with fixed codes.
  static let fixedLiteralLengths: [UInt8] =
    [UInt8](repeating: 8, count: 144) + [UInt8](repeating: 9, count: 112) + [UInt8](repeating: 7, count: 24)
    + [UInt8](repeating: 8, count: 8)
  static let fixedDistanceLengths = [UInt8](repeating: 5, count: 32)
}

extension DeflateAlphabet {
  /// For each length minus 3, its index in ``lengthBase``.
  static let lengthIndex: [UInt8] = (minimumMatch...maximumMatch).map { length in
    UInt8(lengthBase.lastIndex { $0 <= length } ?? 0)
  }

  /// Returns the symbol of a distance minus 1: from 4 on, its highest bit and the one below.
  @inline(__always)
  static func distanceSymbol(_ distance: Int) -> Int {
    guard distance >= 4 else { return distance }
    let top = Int.bitWidth &- 1 &- distance.leadingZeroBitCount
    return top &* 2 &+ (distance &>> (top &- 1) & 1)
  }
}
