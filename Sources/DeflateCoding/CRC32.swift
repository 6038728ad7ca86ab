// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The CRC-32 of PNG chunks and ZIP entries (PNG specification, annex D; APPNOTE 4.4.7; the polynomial is ISO 3309's).
package struct CRC32 {
  private var state: UInt32 = 0xFFFF_FFFF

  /// The checksum of nothing, to begin with.
  package init() {}

  /// The checksum of everything added.
  package var value: UInt32 { ~state }

  /// Eight tables, so that eight bytes are folded in at a time: row `k` is what a byte does `k` bytes later.
  private static let tables: [UInt32] = {
    var tables = [UInt32](repeating: 0, count: 8 * 256)
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

  /// Adds the bytes of `range`.
  package mutating func add(_ bytes: RawSpan, in range: Range<Int>) {
    let tables = Self.tables.span
    var c = state
    var i = range.lowerBound
    while range.upperBound - i >= 8 {
      let word = bytes.word(at: i)
      let low = UInt32(truncatingIfNeeded: word) ^ c
      let high = UInt32(truncatingIfNeeded: word >> 32)
      // Two halves, so that the compiler need not untangle one long expression.
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
