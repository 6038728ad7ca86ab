// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Collects the bits of a deflate stream, least significant first (RFC 1951, 3.1.1).
struct BitWriter {
  private(set) var bytes: [UInt8] = []
  private var buffer: UInt64 = 0
  private var count = 0

  /// Appends the low `width` bits of `bits`, at most 32; the others must be zero.
  @inline(__always)
  mutating func append(_ bits: Int, width: Int) {
    buffer |= UInt64(truncatingIfNeeded: bits) &<< UInt64(truncatingIfNeeded: count)
    count &+= width
    if count >= 32 { flushHalf() }
  }

  private mutating func flushHalf() {
    bytes.append(UInt8(truncatingIfNeeded: buffer))
    bytes.append(UInt8(truncatingIfNeeded: buffer >> 8))
    bytes.append(UInt8(truncatingIfNeeded: buffer >> 16))
    bytes.append(UInt8(truncatingIfNeeded: buffer >> 24))
    buffer >>= 32
    count -= 32
  }

  /// Fills the current byte with zeros.
  mutating func alignToByte() {
    while count > 0 {
      bytes.append(UInt8(truncatingIfNeeded: buffer))
      buffer >>= 8
      count -= 8
    }
    count = 0
  }

  /// Appends whole bytes; the stream must stand at a byte.
  mutating func append(_ more: RawSpan) { bytes.append(contentsOf: more.array()) }
}
