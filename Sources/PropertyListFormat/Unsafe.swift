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

// The only file of this module with `unsafe` code. Its safety depends on these facts:
// - Each load and view goes through a span's bounds check, so an invalid offset traps and never reads out of bounds.
//   The code is unsafe only because it views bytes as integers. Each bit pattern of an integer is valid.
// - A pointer never escapes the closure that it is passed to, except in `StableBytes`, which says why.
// - `vsnprintf` writes at most as many bytes as its buffer has, and reads one argument of the type that its format
//   names.
// - `reinterpreted(_:as:)` converts a value to its own type.
// - A literal has as many bytes as its count says, and they are in memory as long as the process.
// - Addresses on the stack, and those of data, strings and arrays, are compared as numbers and never dereferenced.
// - `madvise` is told which size of pages to prefer, which changes no byte and no right of access. For discarded bytes,
//   it is told to return whole pages between two offsets of one block. Their bytes become zero and remain accessible.

@_spi(Archiving) extension Span where Element == UInt8 {
  /// Returns a big-endian unsigned integer.
  /// - Parameters:
  ///   - offset: The offset of the first byte.
  ///   - width: The number of bytes, 1 to 8.
  /// - Returns: The integer.
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

  /// Returns the integer for a width of 3, 5, 6 or 7, which Apple's writers never use. Its loop is kept out of the
  /// callers, which need fewer registers without it.
  /// - Parameters:
  ///   - offset: The offset of the first byte.
  ///   - width: The number of bytes.
  /// - Returns: The integer.
  @inline(never)
  public func bigEndianOddWidth(at offset: Int, width: Int) -> UInt64 {
    var value: UInt64 = 0
    for i in 0..<width { value = value << 8 | UInt64(self[offset &+ i]) }
    return value
  }

  /// Returns a copy of a range as data.
  /// - Parameter range: The range of offsets.
  /// - Returns: The copy.
  public func data(in range: Range<Int>) -> Data {
    unsafe extracting(range).withUnsafeBytes { unsafe Data($0) }
  }

  /// Returns a copy of a range as an array.
  /// - Parameter range: The range of offsets.
  /// - Returns: The copy.
  public func array(in range: Range<Int>) -> ContiguousArray<UInt8> {
    // The compiler specializes only the first of the two initializers, so the other takes 400 instructions more.
    guard range.count >= RawMemory.largeByteCount else {
      return unsafe extracting(range).withUnsafeBytes { unsafe ContiguousArray($0) }
    }
    return unsafe extracting(range).withUnsafeBytes { bytes in
      unsafe ContiguousArray(unsafeUninitializedCapacity: bytes.count) { buffer, count in
        let copy = UnsafeMutableRawBufferPointer(buffer)
        unsafe RawMemory.preferLargePages(copy.baseAddress, byteCount: copy.count)
        unsafe copy.copyMemory(from: bytes)
        count = bytes.count
      }
    }
  }

  /// The bytes as text, in which each sequence that is not valid UTF-8 is replaced.
  var repairedUTF8: String { unsafe withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) } }

  /// Returns whether two spans contain the same bytes.
  /// - Parameter other: The other span.
  /// - Returns: Whether the counts and all bytes are equal.
  @inlinable
  public func hasSameBytes(as other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    var i = 0
    while i &+ 8 <= count {
      if bigEndian(at: i, width: 8) != other.bigEndian(at: i, width: 8) { return false }
      i &+= 8
    }
    // The rest: the last eight bytes again, or four from each end, or each byte.
    if i == count { return true }
    if count >= 8 { return bigEndian(at: count &- 8, width: 8) == other.bigEndian(at: count &- 8, width: 8) }
    if count >= 4 {
      return bigEndian(at: 0, width: 4) == other.bigEndian(at: 0, width: 4)
        && bigEndian(at: count &- 4, width: 4) == other.bigEndian(at: count &- 4, width: 4)
    }
    while i < count {
      if self[i] != other[i] { return false }
      i &+= 1
    }
    return true
  }

  /// Returns whether a literal is at an offset.
  /// - Parameters:
  ///   - literal: The literal, of more than one ASCII character.
  ///   - offset: The offset, at most the number of bytes.
  /// - Returns: Whether its bytes are there.
  @inline(__always)
  func has(_ literal: StaticString, at offset: Int) -> Bool {
    let size = literal.utf8CodeUnitCount
    guard size <= count &- offset else { return false }
    let text = unsafe UnsafeBufferPointer(start: literal.utf8Start, count: size)
    return unsafe extracting(offset..<offset &+ size).hasSameBytes(as: text.span)
  }

  /// Returns whether two ranges of the span contain the same bytes.
  /// - Parameters:
  ///   - a: The offset of a range.
  ///   - b: The offset of the other range.
  ///   - count: The number of bytes of each range.
  /// - Returns: Whether all bytes are equal.
  @inlinable
  public func areEqual(at a: Int, and b: Int, count: Int) -> Bool {
    extracting(a..<a &+ count).hasSameBytes(as: extracting(b..<b &+ count))
  }
}

extension Array where Element == String {
  /// Returns whether both are copies of one array, which share its memory.
  package func isCopy(of other: [String]) -> Bool {
    unsafe withUnsafeBufferPointer { a in
      unsafe other.withUnsafeBufferPointer { b in unsafe a.count == b.count && a.baseAddress == b.baseAddress }
    }
  }
}

extension [UInt8] {
  /// Appends all bytes of a span.
  package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// The offset of the first sequence that is not valid UTF-8; nil if all are.
  var firstInvalidUTF8: Int? { unsafe withUnsafeBufferPointer { unsafe $0.span.firstInvalidUTF8 } }
}

extension ContiguousArray<UInt8> {
  /// Appends all bytes of a span.
  mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

extension String {
  /// Creates a string from bytes, or returns nil if they are not valid UTF-8.
  package init?(validUTF8 bytes: [UInt8]) {
    guard let text = unsafe bytes.withUnsafeBufferPointer({ unsafe $0.span.validUTF8 }) else { return nil }
    self = text
  }
}

/// The bytes of a file, whose span costs two loads.
///
/// `Data.span` takes about 60 instructions with a check for exclusive access. Tools that go through an archive read several
/// rows of the file for each object. The safety of this type depends on these facts:
/// - Nothing changes `data`, so its storage keeps its address as long as this object. If other code changes its own copy,
///   `Data` first copies the bytes, because this object refers to them too.
/// - `Data` without storage has its bytes in the value itself, and no more bytes than the value's size.
/// - The object is in memory until the function that gets the span returns.
@safe
@usableFromInline final class StableBytes: @unchecked Sendable {  // nothing changes the bytes
  let data: Data
  @usableFromInline let bytes: UnsafeBufferPointer<UInt8>

  /// Refers to bytes, without a copy.
  /// - Parameter data: The bytes, more than fit into a value without storage. Each property list has more.
  init(_ data: Data) {
    precondition(data.count > MemoryLayout<Data>.size, "\(data.count) bytes have no storage")
    self.data = data
    unsafe bytes = data.withUnsafeBytes { unsafe $0.assumingMemoryBound(to: UInt8.self) }
  }

  var count: Int { unsafe bytes.count }

  /// Calls a function with the bytes.
  @inlinable @inline(__always)
  func withSpan<Value, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Value) throws(Failure) -> Value {
    defer { withExtendedLifetime(self) {} }
    return try unsafe body(bytes.span)
  }
}

extension Array {
  /// Returns whether two arrays are copies of one, which share its memory.
  func isCopy(of other: Self) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBufferPointer { elements in
      unsafe other.withUnsafeBufferPointer { unsafe elements.baseAddress == $0.baseAddress }
    }
  }
}

extension Data {
  /// The address of the bytes, which is the same for copies of this value. It is nil for a few bytes, which are in the
  /// value itself.
  var address: UInt? {
    guard count > MemoryLayout<Data>.size else { return nil }
    return unsafe withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }
}

extension String {
  /// The address of the bytes, which is the same for copies of this value. It is nil for a few bytes, which are in the
  /// value itself, and for other encodings than UTF-8.
  var address: UInt? {
    guard utf8.count > MemoryLayout<String>.size else { return nil }
    return unsafe utf8.withContiguousStorageIfAvailable { UInt(bitPattern: $0.baseAddress) }
  }
}

/// A growing block of bytes that becomes `Data` without a copy.
///
/// `[UInt8]` checks at each store that the array has one owner; this type has one owner by definition. Its safety
/// depends on these facts:
/// - `base` points to `capacity` bytes from `malloc`. The buffer alone owns them, and frees them or passes them on
///   once.
/// - Each store and copy checks that it stays within these bytes, and traps if the caller did not make room.
@safe
@_spi(Archiving) public struct OutputBuffer: ~Copyable, @unchecked Sendable {  // it is the only owner of the bytes
  @usableFromInline var base: UnsafeMutableRawPointer?
  @usableFromInline var capacity = 0

  /// Creates an empty buffer without capacity.
  public init() { unsafe base = nil }

  deinit { unsafe RawMemory.release(base) }

  /// Increases the capacity to a number of bytes in all. New bytes are not initialized.
  /// - Parameter count: The number of bytes.
  @inlinable @inline(__always)
  public mutating func makeRoom(_ count: Int) {
    if count > capacity { grow(to: count) }
  }

  @usableFromInline @inline(never)
  mutating func grow(to count: Int) {
    let wanted = capacity == 0 ? count : max(count, capacity + capacity / 2)
    unsafe base = RawMemory.resized(base, from: capacity, to: wanted, stride: 1)
    capacity = wanted
  }

  /// Stores one byte.
  /// - Parameters:
  ///   - byte: The byte.
  ///   - offset: Its offset.
  @inlinable @inline(__always)
  public mutating func store(_ byte: UInt8, at offset: Int) {
    guard let base = unsafe base, offset >= 0, offset < capacity else { preconditionFailure("no room was made") }
    unsafe base.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
  }

  /// Stores eight bytes in big-endian order.
  /// - Parameters:
  ///   - value: The number.
  ///   - offset: The offset of the first byte.
  @inlinable @inline(__always)
  public mutating func store(bigEndian value: UInt64, at offset: Int) {
    guard let base = unsafe base, offset >= 0, capacity &- offset >= 8 else {
      preconditionFailure("no room was made")
    }
    unsafe base.storeBytes(of: value.bigEndian, toByteOffset: offset, as: UInt64.self)
  }

  /// Returns the memory of bytes that are not read anymore to the system; see ``RawMemory/discard(_:_:)``.
  /// - Parameter range: The offsets of the bytes, whose values are undefined afterwards.
  public mutating func discard(_ range: Range<Int>) {
    guard let base = unsafe base, range.lowerBound >= 0, range.upperBound <= capacity else { return }
    unsafe RawMemory.discard(base, range)
  }

  /// Calls a function with the first bytes.
  /// - Parameters:
  ///   - count: The number of bytes. They must be written.
  ///   - body: The function. It is not called if the number is 0.
  /// - Throws: The error of the function.
  @inlinable @inline(__always)
  public func withBytes<Failure: Error>(_ count: Int, _ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
    precondition(count >= 0 && count <= capacity, "no room was made")
    guard count > 0, let base = unsafe base else { return }
    let bytes = unsafe UnsafeRawBufferPointer(start: base, count: count)
    try unsafe body(bytes.assumingMemoryBound(to: UInt8.self).span)
  }

  /// Stores bytes.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - offset: The offset of the first one.
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

  /// Stores the bytes of a literal. Its size is a constant where this is inlined, so the copy needs no call.
  /// - Parameters:
  ///   - literal: The literal, which has a pointer representation, as each literal of more than one character.
  ///   - offset: The offset of the first byte.
  @inline(__always)
  mutating func store(_ literal: StaticString, at offset: Int) {
    let count = literal.utf8CodeUnitCount
    guard let base = unsafe base, offset >= 0, count <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    unsafe base.advanced(by: offset).copyMemory(from: literal.utf8Start, byteCount: count)
  }

  /// Stores bytes, and returns whether all of them are ASCII.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - offset: The offset of the first one.
  /// - Returns: Whether each byte is less than 0x80.
  mutating func store(ascii bytes: Span<UInt8>, at offset: Int) -> Bool {
    let count = bytes.count
    guard count > 0 else { return true }
    guard let base = unsafe base, offset >= 0, count <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    return unsafe bytes.withUnsafeBytes { bytes in
      func word<Word: FixedWidthInteger & BitwiseCopyable>(_ index: Int, _: Word.Type) -> Word {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: index, as: Word.self)
        unsafe base.storeBytes(of: word, toByteOffset: offset &+ index, as: Word.self)
        return word
      }
      // The last word overlaps the one before it, unless the number of bytes is a multiple of its size.
      if count >= 8 {
        var bits: UInt64 = 0
        var index = 0
        while index < count &- 8 {
          bits |= word(index, UInt64.self)
          index &+= 8
        }
        return (bits | word(count &- 8, UInt64.self)) & 0x8080_8080_8080_8080 == 0
      }
      if count >= 4 { return (word(0, UInt32.self) | word(count &- 4, UInt32.self)) & 0x8080_8080 == 0 }
      var bits: UInt8 = 0
      for index in 0..<count { bits |= word(index, UInt8.self) }
      return bits & 0x80 == 0
    }
  }

  /// Stores a copy of written bytes after them.
  /// - Parameters:
  ///   - count: The number of bytes.
  ///   - source: The offset of the first byte to copy.
  ///   - offset: The offset of the copy, which must not precede the end of the copied bytes.
  @inlinable @inline(__always)
  public mutating func copy(_ count: Int, from source: Int, to offset: Int) {
    guard let base = unsafe base, count >= 0, source >= 0, offset >= source, count <= offset &- source,
      count <= capacity &- offset
    else {
      preconditionFailure("no room was made")
    }
    unsafe base.advanced(by: offset).copyMemory(from: base + source, byteCount: count)
  }

  /// Stores the low bytes of each big-endian number.
  /// - Parameters:
  ///   - width: The number of bytes to store of each number: 1 or 2.
  ///   - numbers: The numbers, in four bytes each.
  ///   - offset: The offset of the first byte.
  public mutating func store(low width: Int, ofEachFourIn numbers: Span<UInt8>, at offset: Int) {
    let count = numbers.count / 4
    guard count > 0 else { return }
    guard let base = unsafe base, 1...2 ~= width, offset >= 0, count &* width <= capacity &- offset else {
      preconditionFailure("no room was made")
    }
    if width == 1 {
      return unsafe numbers.withUnsafeBytes { numbers in
        for index in 0..<count {
          unsafe base.storeBytes(of: numbers[4 &* index &+ 3], toByteOffset: offset &+ index, as: UInt8.self)
        }
      }
    }
    for index in 0..<count {
      let number = numbers.bigEndian(at: 4 &* index, width: 4)
      unsafe base.storeBytes(
        of: UInt16(truncatingIfNeeded: number).bigEndian, toByteOffset: offset &+ 2 &* index, as: UInt16.self)
    }
  }

  /// Returns the first bytes. More than 2,048 bytes are returned without a copy, and the buffer is then empty.
  /// - Parameter count: The number of bytes. They must be written.
  /// - Returns: The bytes.
  public mutating func take(_ count: Int) -> Data {
    precondition(count <= capacity, "no room was made")
    guard count > 0, let full = unsafe base else { return Data() }
    // A copy of a few bytes is faster than returning the rest of the block to the system.
    if count <= 2048 { return unsafe Data(bytes: full, count: count) }
    // Returns the rest of the block to the system, unless it is small. glibc keeps a released block for the next one of its
    // size, but not for a larger one, so a writer that always returned the rest would get new memory each time.
    let whole =
      unsafe capacity - count > count / 16 ? RawMemory.resized(full, from: capacity, to: count, stride: 1) : full
    unsafe base = nil
    capacity = 0
    return unsafe RawMemory.data(whole, count: count)
  }
}

/// Blocks of memory, from the C library where one can be imported: it often makes a block larger without a copy.
package enum RawMemory {
  /// Returns a block for `count` elements with the content of another block, which becomes invalid.
  /// - Parameters:
  ///   - base: The other block, or nil.
  ///   - used: The number of elements that the other block has.
  ///   - count: The number of elements of the new block.
  ///   - stride: The number of bytes of an element.
  /// - Returns: The new block.
  @usableFromInline
  package static func resized(
    _ base: UnsafeMutableRawPointer?, from used: Int, to count: Int, stride: Int
  ) -> UnsafeMutableRawPointer {
    let (size, overflow) = count.multipliedReportingOverflow(by: stride)
    guard !overflow else { preconditionFailure("no memory for \(count) elements") }
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      guard let resized = unsafe realloc(base, size) else { preconditionFailure("no memory for \(count) elements") }
      unsafe preferLargePages(resized, byteCount: size)
      return unsafe resized
    #else
      let resized = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      if let base = unsafe base {
        unsafe resized.copyMemory(from: base, byteCount: min(used, count) * stride)
        unsafe base.deallocate()
      }
      return unsafe resized
    #endif
  }

  /// The least size of a block with large pages, which have 2 MiB each on most systems.
  static let largeByteCount = 4 << 20

  /// Asks the system for large pages for the bytes of a large block that were not used yet.
  ///
  /// The system provides each page at the first access to it, which for a large block takes longer than a copy of the
  /// bytes. A large page is 512 pages at once. The request changes nothing else, and its failure is not an error.
  /// - Parameters:
  ///   - base: The block.
  ///   - byteCount: The size of the block. Blocks of less than ``largeByteCount`` are left as they are.
  static func preferLargePages(_ base: UnsafeMutableRawPointer?, byteCount: Int) {
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      guard byteCount >= largeByteCount, let base = unsafe base else { return }
      // With the pages at both ends. A mapping of which only a part has the request becomes two, and `realloc` copies a block
      // in two mappings instead of moving its pages.
      let start = UInt(bitPattern: base)
      let skipped = Int(start & (UInt(getpagesize()) - 1))
      // MADV_HUGEPAGE, which not every C library declares.
      _ = unsafe madvise(base - skipped, byteCount + skipped, 14)
    #endif
  }

  /// Returns whether a block is alone in a mapping, which its release returns to the system.
  ///
  /// glibc maps a large block separately, behind a header of two words. The release of a mapping increases the size from
  /// which it does so. A process that archives repeatedly thus gets blocks from glibc's heap, which keeps their pages. The
  /// result is only a hint: it is never true without glibc or musl, and rarely true for another block.
  package static func isMapping(_ base: UnsafeMutableRawPointer) -> Bool {
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      UInt(bitPattern: base) & (UInt(getpagesize()) - 1) == UInt(2 * MemoryLayout<Int>.size)
    #else
      false
    #endif
  }

  /// Returns the pages of a part of a block to the system, if the block is a mapping. Its release would return them
  /// anyway, while the pages of other blocks are used again.
  /// - Parameters:
  ///   - base: The block.
  ///   - range: The offsets of the part. Its bytes become zero or stay as they are. In a debug build they become zero, so
  ///     that each test finds bytes that are still read.
  package static func discard(_ base: UnsafeMutableRawPointer, _ range: Range<Int>) {
    #if DEBUG
      unsafe (base + range.lowerBound).initializeMemory(as: UInt8.self, repeating: 0, count: range.count)
    #endif
    #if os(Linux) && (canImport(Glibc) || canImport(Musl))
      guard unsafe isMapping(base) else { return }
      let block = UInt(bitPattern: base)
      let page = UInt(getpagesize())
      let start = (block + UInt(range.lowerBound) + page - 1) & ~(page - 1)
      let end = (block + UInt(range.upperBound)) & ~(page - 1)
      guard start < end else { return }
      _ = unsafe madvise(base + Int(start - block), Int(end - start), MADV_DONTNEED)
    #endif
  }

  package static func release(_ base: UnsafeMutableRawPointer?) {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      unsafe free(base)
    #else
      unsafe base?.deallocate()
    #endif
  }

  /// Returns data that owns a block.
  static func data(_ base: UnsafeMutableRawPointer, count: Int) -> Data {
    unsafe Data(bytesNoCopy: base, count: count, deallocator: .custom { base, _ in unsafe release(base) })
  }
}

extension Collection<UInt8> {
  /// Calls a function with the bytes, which are copied if they are not contiguous.
  ///
  /// Without `@inlinable`, each call of another module looks up the metadata of its result at run time. That takes longer
  /// than most of the functions.
  @inlinable
  func withContiguousBytes<Value, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = withContiguousStorageIfAvailable { bytes -> Result<Value, Failure> in
      do throws(Failure) {
        return .success(try body(unsafe bytes.span))
      } catch {
        return .failure(error)
      }
    }
    if let result { return try result.get() }
    return try body(ContiguousArray(self).span)
  }
}

extension Hasher {
  /// Hashes all bytes of a span.
  mutating func combine(_ bytes: Span<UInt8>) { unsafe bytes.withUnsafeBytes { unsafe combine(bytes: $0) } }
}

/// Formatting by the C library.
enum CLibrary {
  /// Returns `%.17g` of a finite number: 17 digits of the exact value without trailing zeros.
  static func text(_ value: Double) -> String {
    #if canImport(Darwin) || canImport(Glibc) || canImport(Musl)
      // The longest text, -1.7976931348623157e-308, has 24 bytes with a decimal point of one byte.
      let bytes = unsafe withVaList([value]) { arguments in
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
          let count = unsafe vsnprintf(buffer.baseAddress, buffer.count, "%.17g", arguments)
          return unsafe buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }
        }
      }
      // Only the decimal separator, which can have several bytes, depends on the locale.
      let isSeparator = { (byte: UInt8) in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "e"): false
        default: true
        }
      }
      guard let start = bytes.firstIndex(where: isSeparator) else { return String(decoding: bytes, as: UTF8.self) }
      let rest = bytes[start...].drop(while: isSeparator)
      return String(decoding: bytes[..<start] + [UInt8(ascii: ".")] + rest, as: UTF8.self)
    #else
      return ExactDecimal.text(value)
    #endif
  }
}

/// The state of an object of an encoder, without the check that no two accesses overlap.
///
/// Swift checks that at run time for each access to a property of a class, which takes 120 instructions. Omitting the check
/// is safe because **no code outside of the module runs while `state` is being accessed**. Keys are converted to strings
/// before an access, and values are encoded before. An encoder is not `Sendable`, so only one thread uses it at a time.
///
/// `CHECK_EXCLUSIVITY=1 swift test` builds the module with the check; a violation then ends the process.
final class EncoderStorage<State: ~Copyable> {
  #if CHECK_EXCLUSIVITY
    private var value: State

    init(_ value: consuming State) { self.value = value }

    var state: State {
      _read { yield value }
      _modify { yield &value }
    }
  #else
    @exclusivity(unchecked) private var value: State

    init(_ value: consuming State) { unsafe self.value = value }

    @inline(__always)
    var state: State {
      _read { yield unsafe value }
      _modify { yield unsafe &value }
    }
  #endif
}

/// Returns a value as its own type, which the caller does not know, or nil if it has another one.
///
/// In generic code, a cast calls the runtime even if it converts nothing.
@inline(__always)
func reinterpreted<Value, Other>(_ value: Value, as type: Other.Type) -> Other? {
  Value.self == Other.self ? unsafe unsafeBitCast(value, to: Other.self) : nil
}

/// The stack of the current thread.
package enum ThreadStack {
  /// An address in the frame of the caller.
  @inline(__always)
  static var here: UInt {
    var marker: UInt8 = 0
    return unsafe withUnsafePointer(to: &marker) { UInt(bitPattern: $0) }
  }

  /// Returns the addresses of the stack, or nil if the system does not provide them.
  package static func bounds() -> Range<UInt>? {
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
    // Both C libraries have this function, but declare it only with GNU extensions, which Swift's imports do not
    // enable.
    @_silgen_name("pthread_getattr_np")
    private static func getAttributes(_ thread: pthread_t, _ attributes: UnsafeMutablePointer<pthread_attr_t>) -> CInt
  #endif
}
