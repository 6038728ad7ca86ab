// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Takes bits from a deflate stream, least significant first (RFC 1951, 3.1.1).
///
/// It keeps only a position and is handed the bytes on each call. Reading past the end is noticed by ``count`` turning
/// negative, so that the hot loop asks once a symbol and not once a bit.
struct BitReader {
  /// The next bits. Those above ``count`` are either zero or what the next refill puts there anyway.
  private(set) var buffer: UInt64 = 0
  /// How many bits of the buffer count.
  private(set) var count = 0
  /// The byte that the next refill starts at.
  private(set) var position: Int

  init(at position: Int) { self.position = position }

  /// Fills the buffer to at least 56 bits, or with all that is left.
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

  /// Drops `width` bits, at most 63; the caller looks at ``count`` before it trusts what it saw.
  @inline(__always)
  mutating func drop(_ width: Int) {
    buffer &>>= UInt64(truncatingIfNeeded: width)
    count &-= width
  }

  /// The next `width` bits, at most 32, as a number.
  @inline(__always)
  mutating func take(_ width: Int, from input: RawSpan) throws(DeflateError) -> Int {
    if count < width { refill(input) }
    guard count >= width else { throw Self.truncated(input) }
    let value = Int(truncatingIfNeeded: buffer & ((1 &<< UInt64(truncatingIfNeeded: width)) &- 1))
    drop(width)
    return value
  }

  /// Drops the rest of the current byte and returns where the next one stands; what was read ahead is given back.
  mutating func alignToByte() -> Int {
    position -= count >> 3
    buffer = 0
    count = 0
    return position
  }

  /// Goes on at a byte, after ``alignToByte()``.
  mutating func seek(to position: Int) { self.position = position }

  /// The byte that holds the next bit, for error messages.
  var byteOffset: Int { max(0, position - (max(0, count) + 7) >> 3) }

  static func truncated(_ input: RawSpan) -> DeflateError {
    DeflateError(.truncated, at: input.byteCount, "The compressed data ends in the middle of a block; it was cut off")
  }
}
