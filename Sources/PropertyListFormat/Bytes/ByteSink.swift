// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Bytes that are written front to back; the writing twin of the checked reads on spans.
///
/// They are written into a small buffer that stays in the processor's cache and goes to the result whenever it is full,
/// so a large file is written to memory once. The buffer has eight bytes more than are ever reserved, so an integer of
/// any width is one store.
package struct ByteSink {
  private static let bufferSize = 1 << 16

  private var buffer: [UInt8]
  private var used = 0
  private var flushed = Data()

  /// Makes a sink for about `capacity` bytes.
  package init(capacity: Int) {
    buffer = [UInt8](repeating: 0, count: min(max(capacity, 64), ByteSink.bufferSize) + 8)
    if capacity > ByteSink.bufferSize { flushed.reserveCapacity(capacity) }
  }

  /// How many bytes were written.
  @inline(__always)
  package var count: Int { flushed.count &+ used }

  /// Makes sure that `size` more bytes fit; at most a few hundred.
  @inline(__always)
  package mutating func reserve(_ size: Int) {
    if buffer.count &- used < size &+ 8 { makeRoom(size) }
  }

  @inline(never)
  private mutating func makeRoom(_ size: Int) {
    if buffer.count < ByteSink.bufferSize, flushed.isEmpty {
      // What was thought to be a small file.
      let wanted = min(max(buffer.count * 2, used + size + 8), ByteSink.bufferSize + 8)
      buffer.append(contentsOf: repeatElement(0, count: wanted - buffer.count))
    } else {
      flush()
    }
    if buffer.count - used < size + 8 {
      buffer.append(contentsOf: repeatElement(0, count: used + size + 8 - buffer.count))
    }
  }

  private mutating func flush() {
    flushed.append(first: used, of: buffer)
    used = 0
  }

  /// Appends one byte, for which room was reserved.
  @inline(__always)
  package mutating func put(_ byte: UInt8) {
    buffer[used] = byte
    used &+= 1
  }

  /// Appends the low `width` bytes of `value`, 1 to 8, most significant first; room was reserved.
  @inline(__always)
  package mutating func putBigEndian(_ value: UInt64, width: Int) {
    let offset = used
    used &+= width
    var span = buffer.mutableSpan
    var bytes = MutableRawSpan(_elements: &span)
    // Scribbles over up to seven bytes behind, which are written next.
    bytes.storeBytes(of: (value << UInt64(64 &- 8 &* width)).bigEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Appends bytes; reserves the room itself.
  package mutating func put(_ bytes: Span<UInt8>) {
    let count = bytes.count
    if count <= 256 {
      reserve(count)
      buffer.copy(bytes, to: used)
      used &+= count
    } else {
      flush()
      flushed.append(copying: bytes)
    }
  }

  /// Leaves room for `size` bytes, to be filled in at the end, and returns where it starts.
  package mutating func skip(_ size: Int) -> Int {
    let start = count
    flush()
    flushed.append(contentsOf: repeatElement(0, count: size))
    return start
  }

  /// What was written, with the numbers in `patches` filled in as big-endian integers of `width` bytes, each list one
  /// after another from an offset on.
  package mutating func finish(patches: [(offset: Int, numbers: [UInt32])], width: Int) -> Data {
    flush()
    guard !patches.isEmpty else { return flushed }
    var span = flushed.mutableSpan
    for (offset, numbers) in patches {
      var at = offset
      for number in numbers {
        var shift = 8 &* (width &- 1)
        while shift >= 0 {
          span[at] = UInt8(truncatingIfNeeded: UInt64(number) >> UInt64(shift))
          at &+= 1
          shift &-= 8
        }
      }
    }
    return flushed
  }
}
