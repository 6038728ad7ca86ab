// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The CRC-32 of PNG chunks and ZIP entries (PNG specification, annex D; APPNOTE 4.4.7; polynomial of ISO 3309).
package struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  package init() {}

  /// The checksum of all added bytes.
  package var value: UInt32 { ~state }

  /// Eight tables, to add eight bytes at once: row `k` has the effect of a byte `k` bytes later.
  private static let tables: ContiguousArray<UInt32> = {
    var tables = ContiguousArray<UInt32>(repeating: 0, count: 8 * 256)
    for i in 0..<256 {
      var c = UInt32(i)
      for _ in 0..<8 { c = c & 1 == 1 ? 0xEDB8_8320 ^ (c >> 1) : c >> 1 }
      tables[i] = c
    }
    for i in 256..<tables.count {
      let before = tables[i - 256]
      tables[i] = before >> 8 ^ tables[Int(before & 0xFF)]
    }
    return tables
  }()

  /// Adds the bytes in `range`.
  package mutating func add(_ bytes: RawSpan, in range: Range<Int>) {
    let tables = Self.tables.span
    var c = state
    var i = range.lowerBound
    while range.upperBound - i >= 8 {
      let word = bytes.word(at: i)
      let low = UInt32(truncatingIfNeeded: word) ^ c
      let high = UInt32(truncatingIfNeeded: word >> 32)
      // Two expressions, because one long expression takes the compiler too long.
      let a =
        tables[7 * 256 + Int(low & 0xFF)] ^ tables[6 * 256 + Int(low >> 8 & 0xFF)]
        ^ tables[5 * 256 + Int(low >> 16 & 0xFF)] ^ tables[4 * 256 + Int(low >> 24)]
      let b =
        tables[3 * 256 + Int(high & 0xFF)] ^ tables[2 * 256 + Int(high >> 8 & 0xFF)]
        ^ tables[256 + Int(high >> 16 & 0xFF)] ^ tables[Int(high >> 24)]
      c = a ^ b
      i += 8
    }
    while i < range.upperBound {
      c = tables[Int((c ^ UInt32(bytes.byte(at: i))) & 0xFF)] ^ c >> 8
      i += 1
    }
    state = c
  }
}

/// The Adler-32 at the end of a zlib stream (RFC 1950, 2.2).
enum Adler32 {
  private static let modulus: UInt32 = 65521
  /// The number of bytes that can be added before the 32-bit sums must be reduced.
  private static let batch = 5552

  /// Returns the checksum of `bytes`.
  static func checksum(of bytes: RawSpan) -> UInt32 {
    var a: UInt32 = 1
    var b: UInt32 = 0
    var i = 0
    while i < bytes.byteCount {
      let end = min(i + batch, bytes.byteCount)
      while end - i >= 8 {
        // Add eight bytes at once: `b` gains `a` eight times, and each byte as often as it has successors, itself
        // included. The lanes hold at most 8 * 255, so the sums stay within 16 bits.
        let word = bytes.word(at: i)
        let even = word & 0x00FF_00FF_00FF_00FF
        let odd = word >> 8 & 0x00FF_00FF_00FF_00FF
        let sum = ((even &+ odd) &* 0x0001_0001_0001_0001) >> 48
        // The weights are 8, 6, 4, 2 for even bytes and 7, 5, 3, 1 for odd ones; the first byte has the largest.
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
