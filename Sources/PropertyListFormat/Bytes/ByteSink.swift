// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A growing buffer that is written front to back; the writing twin of the checked reads on spans.
///
/// The storage always has eight bytes more than what is reserved, so an integer of any width is one store.
package struct ByteSink {
  @usableFromInline var storage: [UInt8]
  /// How many bytes were written.
  package private(set) var count = 0

  /// Makes a sink with room for `capacity` bytes.
  package init(capacity: Int) {
    storage = [UInt8](repeating: 0, count: max(capacity, 64) + 8)
  }

  /// Makes sure that `size` more bytes fit.
  @inline(__always)
  package mutating func reserve(_ size: Int) {
    if storage.count &- count < size &+ 8 { grow(size) }
  }

  @inline(never)
  private mutating func grow(_ size: Int) {
    let wanted = max(storage.count + storage.count / 2, count + size + 8)
    storage.reserveCapacity(wanted)
    storage.append(contentsOf: repeatElement(0, count: wanted - storage.count))
  }

  /// Appends one byte, for which room was reserved.
  @inline(__always)
  package mutating func put(_ byte: UInt8) {
    storage[count] = byte
    count &+= 1
  }

  /// Appends the low `width` bytes of `value`, 1 to 8, most significant first; room was reserved.
  @inline(__always)
  package mutating func putBigEndian(_ value: UInt64, width: Int) {
    store(value, width: width, at: count)
    count &+= width
  }

  /// Writes `width` big-endian bytes at `offset`, and scribbles over up to seven bytes behind them.
  @inline(__always)
  private mutating func store(_ value: UInt64, width: Int, at offset: Int) {
    var span = storage.mutableSpan
    var bytes = MutableRawSpan(_elements: &span)
    bytes.storeBytes(of: (value << UInt64(64 &- 8 &* width)).bigEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Writes `width` big-endian bytes over what stands at `offset`, and nothing else.
  package mutating func overwrite(_ value: UInt64, width: Int, at offset: Int) {
    for i in 0..<width { storage[offset &+ i] = UInt8(truncatingIfNeeded: value >> UInt64(8 &* (width &- 1 &- i))) }
  }

  /// Appends bytes; reserves the room itself.
  package mutating func put(_ bytes: Span<UInt8>) {
    reserve(bytes.count)
    storage.copy(bytes, to: count)
    count &+= bytes.count
  }

  /// Leaves room for `size` bytes, to be overwritten later, and returns where it starts.
  package mutating func skip(_ size: Int) -> Int {
    reserve(size)
    let start = count
    count &+= size
    return start
  }

  /// Takes back everything from `offset` on.
  package mutating func truncate(to offset: Int) { count = offset }

  /// What was written.
  package var data: Data { storage.data(first: count) }
}
