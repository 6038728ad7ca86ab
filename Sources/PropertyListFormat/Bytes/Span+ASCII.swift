// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension Span where Element == UInt8 {
  /// Whether all bytes in `range` are ASCII, found out eight at a time.
  @inline(__always)
  func isASCII(in range: Range<Int>) -> Bool {
    var bits: UInt64 = 0
    var place = range.lowerBound
    while place &+ 8 <= range.upperBound {
      bits |= bigEndian(at: place, width: 8)
      place &+= 8
    }
    while place < range.upperBound {
      bits |= UInt64(self[place])
      place &+= 1
    }
    return bits & 0x8080_8080_8080_8080 == 0
  }
}
