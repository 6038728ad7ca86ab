// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

// The only file of this module with `unsafe` in it. What it relies on:
// - every load and view below goes through a span's own bounds check, so an offset that a caller failed to prove traps
//   and never reads outside; "unsafe" here is about viewing bytes as integers, for which every bit pattern is valid;
// - a pointer never leaves the closure it is handed to;
// - addresses on the stack are compared as numbers and never followed.

@_spi(Archiving) extension Span where Element == UInt8 {
  /// The big-endian unsigned integer of `width` bytes, 1 to 8, at `offset`.
  @inlinable @inline(__always)
  public func bigEndian(at offset: Int, width: Int) -> UInt64 {
    switch width {
    case 1: UInt64(self[offset])
    case 2: UInt64(UInt16(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
    case 4: UInt64(UInt32(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    case 8: UInt64(bigEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    default: bigEndianOddWidth(at: offset, width: width)
    }
  }

  /// The same for the widths 3, 5, 6 and 7, which only other writers than Apple's use.
  @inlinable
  public func bigEndianOddWidth(at offset: Int, width: Int) -> UInt64 {
    var value: UInt64 = 0
    for i in 0..<width { value = value << 8 | UInt64(self[offset &+ i]) }
    return value
  }

  /// A copy of `range` as data.
  public func data(in range: Range<Int>) -> Data {
    unsafe extracting(range).withUnsafeBytes { unsafe Data($0) }
  }

  /// A copy of `range` as an array.
  public func array(in range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Whether these are the same bytes as others, of which there are as many.
  func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var i = 0
    while i &+ 8 <= count {
      if bigEndian(at: i, width: 8) != other.bigEndian(at: i, width: 8) { return false }
      i &+= 8
    }
    while i < count {
      if self[i] != other[i] { return false }
      i &+= 1
    }
    return true
  }

  /// Whether two ranges of these bytes have the same content.
  @inlinable
  public func areEqual(at a: Int, and b: Int, count: Int) -> Bool {
    var i = 0
    while i &+ 8 <= count {
      let x = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: a &+ i, as: UInt64.self)
      let y = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: b &+ i, as: UInt64.self)
      if x != y { return false }
      i &+= 8
    }
    while i < count {
      if self[a &+ i] != self[b &+ i] { return false }
      i &+= 1
    }
    return true
  }
}

/// Bytes in one growing block of memory, to be handed over as `Data` without a copy.
///
/// `[UInt8]` asks at each store whether the array has one owner; this has one by its type. What it relies on:
/// - `base` points to `capacity` bytes from `malloc`, which it alone owns and frees, or hands over once;
/// - every store and copy checks that it stays within these, and traps if its caller did not make room.
@safe
@_spi(Archiving) public struct OutputBuffer: ~Copyable {
  @usableFromInline var base: UnsafeMutableRawPointer?
  @usableFromInline var capacity = 0

  /// No bytes, and no room for any yet.
  public init() { unsafe base = nil }

  deinit { unsafe free(base) }

  /// Makes room for bytes up to `count`. What was not written yet is not zero.
  @inlinable @inline(__always)
  public mutating func makeRoom(_ count: Int) {
    if count > capacity { grow(to: count) }
  }

  @usableFromInline @inline(never)
  mutating func grow(to count: Int) {
    let wanted = capacity == 0 ? count : max(count, capacity + capacity / 2)
    guard let grown = unsafe realloc(base, wanted) else { preconditionFailure("no memory for \(wanted) bytes") }
    unsafe base = grown
    capacity = wanted
  }

  /// Stores one byte.
  @inlinable @inline(__always)
  public mutating func store(_ byte: UInt8, at offset: Int) {
    guard let base = unsafe base, offset >= 0, offset < capacity else { preconditionFailure("no room was made") }
    unsafe base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
  }

  /// Stores eight bytes, most significant first.
  @inlinable @inline(__always)
  public mutating func store(bigEndian value: UInt64, at offset: Int) {
    guard let base = unsafe base, offset >= 0, offset &+ 8 <= capacity else {
      preconditionFailure("no room was made")
    }
    unsafe base.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// The first `count` bytes, all of which were written.
  @inlinable @inline(__always)
  public func withBytes<Failure: Error>(_ count: Int, _ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    precondition(count >= 0 && count <= capacity, "no room was made")
    guard count > 0, let base = unsafe base else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count)
    try unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
  }

  /// Stores bytes.
  @inlinable @inline(__always)
  public mutating func store(_ bytes: Span<UInt8>, at offset: Int) {
    guard bytes.count > 0 else { return }
    guard let base = unsafe base, offset >= 0, bytes.count <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    unsafe bytes.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe base.advanced(by: offset).copyMemory(from: start, byteCount: bytes.count)
    }
  }

  /// Stores a copy of bytes that were written, `count` of them from `source` on, behind which `offset` lies.
  @inlinable @inline(__always)
  public mutating func copy(_ count: Int, from source: Int, to offset: Int) {
    guard let base = unsafe base, count >= 0, source >= 0, source &+ count <= offset, count <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    unsafe base.advanced(by: offset).copyMemory(from: base + source, byteCount: count)
  }

  /// Stores the low `width` bytes, 1 or 2, of each big-endian number of four bytes.
  public mutating func store(low width: Int, ofEachFourIn numbers: Span<UInt8>, at offset: Int) {
    let count = numbers.count / 4
    guard count > 0 else { return }
    guard let base = unsafe base, 1...2 ~= width, offset >= 0, count &* width <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    for place in 0..<count {
      let number = numbers.bigEndian(at: 4 &* place, width: 4)
      if width == 1 {
        unsafe base.storeBytes(of: UInt8(truncatingIfNeeded: number), toByteOffset: offset &+ place, as: UInt8.self)
      } else {
        unsafe base.storeBytes(
          of: UInt16(truncatingIfNeeded: number).bigEndian, toByteOffset: offset &+ 2 &* place, as: UInt16.self)
      }
    }
  }

  /// Hands over the first `count` bytes, all of which were written, and is empty again.
  public mutating func take(_ count: Int) -> Data {
    precondition(count <= capacity, "no room was made")
    guard count > 0, let full = unsafe base else { return Data() }
    // A few bytes are copied in less time than it takes to give back what is left of a block.
    if count <= 2048 { return unsafe Data(bytes: full, count: count) }
    // The rest goes back to the system.
    let whole = unsafe realloc(full, count) ?? full
    unsafe base = nil
    capacity = 0
    return unsafe Data(bytesNoCopy: whole, count: count, deallocator: .free)
  }
}

/// Blocks of memory from the C library.
package enum RawMemory {
  /// A block for `count` elements with the content of another, which is gone then.
  package static func resized(_ base: UnsafeMutableRawPointer?, to count: Int, stride: Int) -> UnsafeMutableRawPointer {
    let (size, overflow) = count.multipliedReportingOverflow(by: stride)
    guard !overflow, let resized = unsafe realloc(base, size) else {
      preconditionFailure("no memory for \(count) elements")
    }
    return unsafe resized
  }

  package static func release(_ base: UnsafeMutableRawPointer?) { unsafe free(base) }
}

/// The stack of the thread that asks.
enum ThreadStack {
  /// An address in the frame of whoever asks.
  @inline(__always)
  static var here: UInt {
    var marker: UInt8 = 0
    return unsafe withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
  }

  /// Where it lies; nil where the system does not tell.
  static func bounds() -> Range<UInt>? {
    #if canImport(Darwin)
      let top = UInt(bitPattern: unsafe pthread_get_stackaddr_np(pthread_self()))
      let size = UInt(bitPattern: pthread_get_stacksize_np(pthread_self()))
      return size < top ? top - size..<top : nil
    #elseif canImport(Glibc) || canImport(Musl)
      var attributes = pthread_attr_t()
      guard unsafe getAttributes(pthread_self(), &attributes) == 0 else { return nil }
      defer { _ = unsafe pthread_attr_destroy(&attributes) }
      var lowest: UnsafeMutableRawPointer?
      var size = 0
      guard unsafe pthread_attr_getstack(&attributes, &lowest, &size) == 0, size > 0 else { return nil }
      let (top, overflow) = UInt(bitPattern: lowest).addingReportingOverflow(UInt(size))
      return overflow ? nil : UInt(bitPattern: lowest)..<top
    #else
      return nil
    #endif
  }

  #if canImport(Glibc) || canImport(Musl)
    // Both C libraries have it, and show it only to programs that ask for GNU extensions, which Swift's imports do not.
    @_silgen_name("pthread_getattr_np")
    private static func getAttributes(_ thread: pthread_t, _ attributes: UnsafeMutablePointer<pthread_attr_t>) -> CInt
  #endif
}
