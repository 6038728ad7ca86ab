// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Bytes that are written front to back; the writing twin of the checked reads on spans.
///
/// There is always room for eight bytes more than are reserved, so an integer of any width is one store.
@_spi(Archiving) public struct ByteSink: ~Copyable {
  @usableFromInline var bytes = OutputBuffer()
  /// How many bytes were written.
  public var count = 0
  @usableFromInline var room: Int

  /// Makes a sink for about `capacity` bytes.
  public init(capacity: Int) {
    room = max(capacity, 64)
    bytes.makeRoom(room &+ 8)
  }

  /// Makes sure that `size` more bytes fit.
  @inlinable @inline(__always)
  public mutating func reserve(_ size: Int) {
    if room &- count < size { makeRoom(size) }
  }

  @usableFromInline @inline(never)
  mutating func makeRoom(_ size: Int) {
    room = max(count + size, room + room / 2)
    bytes.makeRoom(room + 8)
  }

  /// Appends one byte, for which room was reserved.
  @inlinable @inline(__always)
  public mutating func put(_ byte: UInt8) {
    bytes.store(byte, at: count)
    count &+= 1
  }

  /// Appends the low `width` bytes of `value`, 1 to 8, most significant first; room was reserved.
  @inlinable @inline(__always)
  public mutating func putBigEndian(_ value: UInt64, width: Int) {
    // Scribbles over up to seven bytes behind, which are written next.
    bytes.store(bigEndian: value << UInt64(64 &- 8 &* width), at: count)
    count &+= width
  }

  /// Appends what was written before from `offset` on, for which room was reserved.
  @inlinable @inline(__always)
  public mutating func repeatBytes(_ size: Int, from offset: Int) {
    bytes.copy(size, from: offset, to: count)
    count &+= size
  }

  /// Appends bytes; reserves the room itself.
  public mutating func put(_ more: Span<UInt8>) {
    reserve(more.count)
    bytes.store(more, at: count)
    count &+= more.count
  }

  /// Appends the low `width` bytes, 1, 2 or 4, of each big-endian number of four bytes; reserves the room itself.
  public mutating func put(low width: Int, ofEachFourIn numbers: Span<UInt8>) {
    if width == 4 { return put(numbers) }
    let size = numbers.count / 4 &* width
    reserve(size)
    bytes.store(low: width, ofEachFourIn: numbers, at: count)
    count &+= size
  }

  /// Leaves room for `size` bytes, to be filled in at the end, and returns where it starts.
  public mutating func skip(_ size: Int) -> Int {
    let start = count
    reserve(size)
    for offset in stride(from: 0, to: size, by: 8) { bytes.store(bigEndian: 0, at: start &+ offset) }
    count &+= size
    return start
  }

  /// Fills in a big-endian integer of `width` bytes where room was left.
  @inlinable @inline(__always)
  public mutating func fill(_ number: UInt64, width: Int, at offset: Int) {
    if width == 1 { return bytes.store(UInt8(truncatingIfNeeded: number), at: offset) }
    for place in 0..<width {
      bytes.store(UInt8(truncatingIfNeeded: number >> UInt64(8 &* (width &- 1 &- place))), at: offset &+ place)
    }
  }

  /// What was written. The sink is empty then.
  public mutating func finish() -> Data {
    defer { (count, room) = (0, 0) }
    return bytes.take(count)
  }
}
