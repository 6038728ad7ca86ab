// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A growing sequence of bytes to which a writer appends.
///
/// The buffer always has eight bytes more than are reserved, so that an integer of any width takes one store.
@_spi(Archiving) public struct ByteSink: ~Copyable {
  @usableFromInline var bytes = OutputBuffer()
  /// The number of bytes written.
  public var count = 0
  @usableFromInline var room: Int

  /// Creates a sink with reserved space.
  /// - Parameter capacity: The number of bytes. With 32 bits, more than a quarter of the memory is not reserved at once.
  public init(capacity: Int) {
    room = max(min(capacity, .max / 8), 64)
    bytes.makeRoom(room &+ 8)
  }

  /// Creates a sink with reserved space in a block that may have been used before.
  init(capacity: Int, reusing block: inout OutputBuffer) {
    room = max(min(capacity, .max / 8), 64)
    swap(&bytes, &block)
    bytes.makeRoom(room &+ 8)
    room = bytes.capacity &- 8
  }

  /// Reserves space for more bytes.
  /// - Parameter size: The number of bytes.
  @inlinable @inline(__always)
  public mutating func reserve(_ size: Int) {
    if room &- count < size { makeRoom(size) }
  }

  @usableFromInline @inline(never)
  mutating func makeRoom(_ size: Int) {
    room = max(count + size, room + room / 2)
    bytes.makeRoom(room + 8)
  }

  /// Appends one byte to reserved space.
  /// - Parameter byte: The byte.
  @inlinable @inline(__always)
  public mutating func put(_ byte: UInt8) {
    bytes.store(byte, at: count)
    count &+= 1
  }

  /// Appends the low bytes of a number, in big-endian order, to reserved space.
  /// - Parameters:
  ///   - value: The number.
  ///   - width: The number of bytes, 1 to 8.
  @inlinable @inline(__always)
  public mutating func putBigEndian(_ value: UInt64, width: Int) {
    // The store overwrites up to seven bytes after the number, which are written next.
    bytes.store(bigEndian: value << UInt64(64 &- 8 &* width), at: count)
    count &+= width
  }

  /// Appends a copy of bytes that were written before to reserved space.
  /// - Parameters:
  ///   - size: The number of bytes.
  ///   - offset: The offset of the first one.
  @inlinable @inline(__always)
  public mutating func repeatBytes(_ size: Int, from offset: Int) {
    bytes.copy(size, from: offset, to: count)
    count &+= size
  }

  /// Reserves space for bytes and appends them.
  /// - Parameter more: The bytes.
  public mutating func put(_ more: Span<UInt8>) {
    reserve(more.count)
    bytes.store(more, at: count)
    count &+= more.count
  }

  /// Reserves space for a literal of ASCII characters and appends it.
  /// - Parameter literal: The literal.
  @inline(__always)
  mutating func put(literal: StaticString) {
    let size = literal.utf8CodeUnitCount
    reserve(size)
    bytes.store(literal, at: count)
    count &+= size
  }

  /// Reserves space for a byte that repeats, and appends it.
  @inline(__always)
  mutating func put(_ byte: UInt8, times size: Int) {
    reserve(size)
    for _ in 0..<size { put(byte) }
  }

  /// Reserves space for the decimal digits of a number and appends them.
  /// - Parameters:
  ///   - value: The number.
  ///   - width: The least number of digits, which zeros at the start fill.
  mutating func put(decimal value: UInt64, width: Int = 1) {
    var digits = width
    var limit: UInt64 = 1
    for _ in 1..<width { limit &*= 10 }
    // 10^19 is the highest power of ten in 64 bits.
    while digits < 20, value / limit >= 10 {
      limit &*= 10
      digits &+= 1
    }
    reserve(digits)
    var rest = value
    for index in stride(from: digits &- 1, through: 0, by: -1) {
      bytes.store(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: rest % 10), at: count &+ index)
      rest /= 10
    }
    count &+= digits
  }

  /// Reserves space for text and appends it if it is ASCII.
  /// - Parameter text: The text.
  /// - Returns: Whether the text is ASCII. Otherwise, nothing is appended.
  mutating func putASCII(_ text: Span<UInt8>) -> Bool {
    reserve(text.count)
    // Calling the C library to copy a short text takes longer than copying it.
    if text.count <= 64 {
      guard bytes.store(ascii: text, at: count) else { return false }
    } else {
      guard text.isASCII else { return false }
      bytes.store(text, at: count)
    }
    count &+= text.count
    return true
  }

  /// Reserves space for the low bytes of each big-endian number, and appends them.
  /// - Parameters:
  ///   - width: The number of bytes to append of each number: 1, 2 or 4.
  ///   - numbers: The numbers, in four bytes each.
  public mutating func put(low width: Int, ofEachFourIn numbers: Span<UInt8>) {
    if width == 4 { return put(numbers) }
    let size = numbers.count / 4 &* width
    reserve(size)
    bytes.store(low: width, ofEachFourIn: numbers, at: count)
    count &+= size
  }

  /// Appends zero bytes, which ``fill(_:width:at:)`` overwrites later.
  /// - Parameter size: The number of bytes.
  /// - Returns: The offset of the first one.
  public mutating func skip(_ size: Int) -> Int {
    let start = count
    reserve(size)
    for offset in stride(from: 0, to: size, by: 8) { bytes.store(bigEndian: 0, at: start &+ offset) }
    count &+= size
    return start
  }

  /// Overwrites skipped bytes with a big-endian integer.
  /// - Parameters:
  ///   - number: The integer.
  ///   - width: The number of bytes.
  ///   - offset: The offset of the first byte to overwrite.
  @inlinable @inline(__always)
  public mutating func fill(_ number: UInt64, width: Int, at offset: Int) {
    if width == 1 { return bytes.store(UInt8(truncatingIfNeeded: number), at: offset) }
    for index in 0..<width {
      bytes.store(UInt8(truncatingIfNeeded: number >> UInt64(8 &* (width &- 1 &- index))), at: offset &+ index)
    }
  }

  /// Overwrites skipped bytes with a big-endian integer, in one store.
  ///
  /// The store overwrites up to seven bytes after the integer, which must be filled later.
  /// - Parameters:
  ///   - number: The integer.
  ///   - width: The number of bytes.
  ///   - offset: The offset of the first byte to overwrite.
  @inlinable @inline(__always)
  public mutating func fillAhead(_ number: UInt64, width: Int, at offset: Int) {
    bytes.store(bigEndian: number << UInt64(64 &- 8 &* width), at: offset)
  }

  /// Returns the written bytes, and empties the sink.
  public mutating func finish() -> Data {
    defer { (count, room) = (0, 0) }
    return bytes.take(count)
  }
}

@_spi(Archiving) extension Span where Element == UInt8 {
  /// A Boolean value that indicates whether all bytes are ASCII.
  public var isASCII: Bool {
    var i = 0
    while i &+ 8 <= count {
      if bigEndian(at: i, width: 8) & 0x8080_8080_8080_8080 != 0 { return false }
      i &+= 8
    }
    // The rest: the last eight bytes again, or four from each end, or each byte.
    if i == count { return true }
    if count >= 8 { return bigEndian(at: count &- 8, width: 8) & 0x8080_8080_8080_8080 == 0 }
    if count >= 4 {
      return (bigEndian(at: 0, width: 4) | bigEndian(at: count &- 4, width: 4)) & 0x8080_8080 == 0
    }
    while i < count {
      if self[i] >= 0x80 { return false }
      i &+= 1
    }
    return true
  }

  /// The number of UTF-16 units of valid UTF-8.
  public var utf16Count: Int {
    var units = 0
    for i in 0..<count { units &+= self[i] >= 0xF0 ? 2 : self[i] & 0xC0 != 0x80 ? 1 : 0 }
    return units
  }
}

@_spi(Archiving) extension ByteSink {
  /// Appends text as big-endian UTF-16.
  /// - Parameter text: The text in UTF-8, which must be valid.
  public mutating func putUTF16(_ text: Span<UInt8>) {
    var i = 0
    while i < text.count {
      let lead = UInt32(text[i])
      let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
      var scalar = length == 1 ? lead : lead & (0x7F >> UInt32(length))
      var k = 1
      while k < length {
        scalar = scalar << 6 | UInt32(text[i &+ k]) & 0x3F
        k &+= 1
      }
      i &+= length
      reserve(4)
      if scalar < 0x1_0000 {
        putBigEndian(UInt64(scalar), width: 2)
      } else {
        scalar &-= 0x1_0000
        putBigEndian(UInt64(0xD800 | scalar >> 10) << 16 | UInt64(0xDC00 | scalar & 0x3FF), width: 4)
      }
    }
  }
}
