// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Bytes that are written front to back; the writing twin of the checked reads on spans.
///
/// There is always room for eight bytes more than are reserved, so an integer of any width is one store.
package struct ByteSink: ~Copyable {
  private var bytes = GrowingBytes()
  /// How many bytes were written.
  package private(set) var count = 0
  private var room: Int

  /// Makes a sink for about `capacity` bytes.
  package init(capacity: Int) {
    room = max(capacity, 64)
    bytes.makeRoom(room &+ 8)
  }

  /// Makes sure that `size` more bytes fit.
  @inline(__always)
  package mutating func reserve(_ size: Int) {
    if room &- count < size { makeRoom(size) }
  }

  @inline(never)
  private mutating func makeRoom(_ size: Int) {
    room = max(count + size, room + room / 2)
    bytes.makeRoom(room + 8)
  }

  /// Appends one byte, for which room was reserved.
  @inline(__always)
  package mutating func put(_ byte: UInt8) {
    bytes.store(byte, at: count)
    count &+= 1
  }

  /// Appends the low `width` bytes of `value`, 1 to 8, most significant first; room was reserved.
  @inline(__always)
  package mutating func putBigEndian(_ value: UInt64, width: Int) {
    // Scribbles over up to seven bytes behind, which are written next.
    bytes.store(bigEndian: value << UInt64(64 &- 8 &* width), at: count)
    count &+= width
  }

  /// Appends bytes; reserves the room itself.
  package mutating func put(_ more: Span<UInt8>) {
    reserve(more.count)
    bytes.store(more, at: count)
    count &+= more.count
  }

  /// Leaves room for `size` bytes, to be filled in at the end, and returns where it starts.
  package mutating func skip(_ size: Int) -> Int {
    let start = count
    reserve(size)
    for offset in stride(from: 0, to: size, by: 8) { bytes.store(bigEndian: 0, at: start &+ offset) }
    count &+= size
    return start
  }

  /// Fills in a big-endian integer of `width` bytes where room was left.
  @inline(__always)
  package mutating func fill(_ number: UInt64, width: Int, at offset: Int) {
    for place in 0..<width {
      bytes.store(UInt8(truncatingIfNeeded: number >> UInt64(8 &* (width &- 1 &- place))), at: offset &+ place)
    }
  }

  /// What was written. The sink is empty then.
  package mutating func finish() -> Data {
    defer { (count, room) = (0, 0) }
    return bytes.take(count)
  }
}
