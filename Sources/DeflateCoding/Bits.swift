// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Reads bits from a deflate stream, least significant first (RFC 1951, 3.1.1).
///
/// The reader has only a position; each call passes the bytes. Reading past the end makes ``count`` negative, so the
/// hot loop checks once per symbol, not once per bit.
struct BitReader {
  /// The next bits. Bits above ``count`` are zero or those that the next refill reads.
  private(set) var buffer: UInt64 = 0
  /// The number of valid bits.
  private(set) var count = 0
  /// The offset of the next refill.
  private(set) var position: Int

  init(at position: Int) { self.position = position }

  /// Fills the buffer to at least 56 bits, or to the end of the input.
  @inline(__always)
  mutating func refill(_ input: RawSpan) {
    if input.byteCount &- position >= 8 {
      buffer |= input.word(at: position) &<< UInt64(truncatingIfNeeded: count)
      position &+= (63 &- count) &>> 3
      count |= 56
    } else {
      refillAtEnd(input)
    }
  }

  private mutating func refillAtEnd(_ input: RawSpan) {
    while count <= 55, position < input.byteCount {
      buffer |= UInt64(input.byte(at: position)) &<< UInt64(truncatingIfNeeded: count)
      position += 1
      count += 8
    }
  }

  /// Drops `width` bits, at most 63. The caller checks ``count`` before it uses them.
  @inline(__always)
  mutating func drop(_ width: Int) {
    buffer &>>= UInt64(truncatingIfNeeded: width)
    count &-= width
  }

  /// Reads a number of `width` bits, at most 32.
  @inline(__always)
  mutating func take(_ width: Int, from input: RawSpan) throws(DeflateError) -> Int {
    if count < width { refill(input) }
    guard count >= width else { throw Self.truncated(input) }
    let value = Int(truncatingIfNeeded: buffer & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1))
    drop(width)
    return value
  }

  /// Drops the rest of the current byte and unreads the buffered bytes.
  /// - Returns: The offset of the next byte.
  mutating func alignToByte() -> Int {
    position -= count >> 3
    buffer = 0
    count = 0
    return position
  }

  /// Continues at a byte, after ``alignToByte()``.
  mutating func seek(to position: Int) { self.position = position }

  /// The offset of the byte with the next bit. Errors report it.
  var byteOffset: Int { max(0, position - (max(0, count) + 7) >> 3) }

  static func truncated(_ input: RawSpan) -> DeflateError {
    DeflateError(.truncated, at: input.byteCount, "The compressed data is truncated")
  }
}

/// Writes the bits of a deflate stream, least significant first (RFC 1951, 3.1.1).
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

  /// Pads the current byte with zeros.
  mutating func alignToByte() {
    while count > 0 {
      bytes.append(UInt8(truncatingIfNeeded: buffer))
      buffer >>= 8
      count -= 8
    }
    count = 0
  }

  /// Appends whole bytes; the stream must be aligned to a byte.
  mutating func append(_ more: RawSpan) { bytes.append(contentsOf: more.array()) }
}
