// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The Adler-32 that ends a zlib stream (RFC 1950, 2.2).
enum Adler32 {
  /// The largest prime below 2^16.
  private static let modulus: UInt32 = 65521
  /// How many bytes may be added before the sums must be reduced to stay within 32 bits.
  private static let batch = 5552

  /// The checksum of `bytes`.
  static func checksum(of bytes: RawSpan) -> UInt32 {
    var a: UInt32 = 1
    var b: UInt32 = 0
    var i = 0
    while i < bytes.byteCount {
      let end = min(i + batch, bytes.byteCount)
      while end - i >= 8 {
        // Eight bytes at once: `b` gains `a` eight times and each byte as often as it has successors, itself included.
        // The lanes hold at most 8 * 255, so the sums by multiplication stay within their 16 bits.
        let word = bytes.word(at: i)
        let even = word & 0x00FF_00FF_00FF_00FF
        let odd = word >> 8 & 0x00FF_00FF_00FF_00FF
        let sum = ((even &+ odd) &* 0x0001_0001_0001_0001) >> 48
        // Weights 8, 6, 4, 2 for the even bytes and 7, 5, 3, 1 for the odd ones, first byte heaviest.
        let weighted = ((even &* 0x0008_0006_0004_0002) >> 48) &+ ((odd &* 0x0007_0005_0003_0001) >> 48)
        b &+= a &* 8 &+ UInt32(truncatingIfNeeded: weighted)
        a &+= UInt32(truncatingIfNeeded: sum)
        i += 8
      }
      while i < end {
        a &+= UInt32(bytes.byte(at: i))
        b &+= a
        i += 1
      }
      a %= modulus
      b %= modulus
    }
    return b << 16 | a
  }
}
