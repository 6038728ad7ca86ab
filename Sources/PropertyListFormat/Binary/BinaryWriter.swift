// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A writer of binary property lists: objects in the order of the object table, then the offset table and the trailer.
///
/// The caller decides the order and the references. The writer decides the widths. Integers, UIDs, offsets and
/// references have the minimum of 1, 2, 4 and 8 bytes. Negative integers have 8 bytes. On request, an integer has 16.
@_spi(Archiving) public struct BinaryWriter: ~Copyable {
  /// The written bytes.
  public var sink: ByteSink
  /// The offsets of the objects in four bytes each, and their number. The rare offsets beyond 4 GiB are stored in
  /// `highOffsets`.
  @usableFromInline var offsets = OutputBuffer()
  @usableFromInline var offsetCount = 0
  @usableFromInline var highOffsets: [UInt64] = []
  /// The width of a reference in bytes. It follows from the number of objects, or an upper bound of it.
  public let referenceWidth: Int

  /// Creates a writer.
  /// - Parameters:
  ///   - objectCount: The number of objects, or an upper bound of it. It determines ``referenceWidth``.
  ///   - byteCount: The estimated size of the file.
  public init(objectCount: Int, byteCount: Int) {
    var blocks = Blocks()
    self.init(objectCount: objectCount, byteCount: byteCount, reusing: &blocks)
  }

  /// The memory of a writer, which the next one can use.
  public struct Blocks: ~Copyable {
    fileprivate var bytes = OutputBuffer()
    fileprivate var offsets = OutputBuffer()

    /// The size of a block up to which it is kept.
    fileprivate static let maximumByteCount = 4096

    /// Creates blocks without memory.
    public init() {}
  }

  /// Creates a writer in the memory of another one.
  /// - Parameters:
  ///   - objectCount: The number of objects, or an upper bound of it. It determines ``referenceWidth``.
  ///   - byteCount: The estimated size of the file.
  ///   - blocks: The memory. It is empty until ``returnBlocks(to:)``.
  public init(objectCount: Int, byteCount: Int, reusing blocks: inout Blocks) {
    referenceWidth = BinaryLayout.width(of: UInt64(objectCount))
    // The offset table follows the objects.
    let offsetsByteCount = Int64(objectCount) * Int64(BinaryLayout.width(of: UInt64(byteCount)))
    sink = ByteSink(capacity: Int(clamping: Int64(byteCount) + offsetsByteCount + 64), reusing: &blocks.bytes)
    sink.putBigEndian(BinaryLayout.magic, width: 8)
    swap(&offsets, &blocks.offsets)
    offsets.makeRoom(4 * objectCount + 4)
  }

  /// Returns the memory of a finished writer, unless it is large.
  /// - Parameter blocks: The blocks that get it.
  public mutating func returnBlocks(to blocks: inout Blocks) {
    if sink.bytes.capacity <= Blocks.maximumByteCount { swap(&sink.bytes, &blocks.bytes) }
    if offsets.capacity <= Blocks.maximumByteCount { swap(&offsets, &blocks.offsets) }
  }

  /// The number of objects begun so far.
  @inlinable @inline(__always)
  public var objectCount: Int { offsetCount &+ highOffsets.count }

  /// Begins the next object.
  @inlinable @inline(__always)
  public mutating func beginObject() { beginObject(at: sink.count) }

  @inlinable @inline(__always)
  mutating func beginObject(at offset: Int) {
    if UInt64(truncatingIfNeeded: offset) <= UInt64(UInt32.max) {
      // One store of eight bytes. The next offset overwrites the last four.
      let position = 4 &* offsetCount
      offsets.makeRoom(position &+ 8)
      offsets.store(bigEndian: UInt64(offset) << 32, at: position)
      offsetCount &+= 1
    } else {
      highOffsets.append(UInt64(offset))
    }
  }

  /// Writes a Boolean.
  /// - Parameter value: The Boolean.
  public mutating func put(_ value: Bool) {
    begin(1)
    sink.put(value ? BinaryLayout.true : BinaryLayout.false)
  }

  /// Writes null.
  public mutating func putNull() {
    begin(1)
    sink.put(BinaryLayout.null)
  }

  /// Writes an integer in its minimum width, which is 8 bytes if it is negative.
  /// - Parameter value: The integer.
  public mutating func put(_ value: Int64) {
    begin(9)
    putInteger(UInt64(bitPattern: value))
  }

  /// Writes an integer in 16 bytes.
  package mutating func put(wide value: WideInteger) {
    begin(17)
    sink.put(BinaryLayout.integer | 4)
    sink.putBigEndian(UInt64(bitPattern: value.high), width: 8)
    sink.putBigEndian(value.low, width: 8)
  }

  /// Writes a real of 4 bytes.
  /// - Parameter value: The real.
  public mutating func put(_ value: Float) {
    begin(5)
    putShort(BinaryLayout.float, UInt64(value.bitPattern), 4)
  }

  /// Writes a real of 8 bytes.
  /// - Parameter value: The real.
  public mutating func put(_ value: Double) {
    begin(9)
    sink.put(BinaryLayout.double)
    sink.putBigEndian(value.bitPattern, width: 8)
  }

  /// Writes a date.
  /// - Parameter seconds: The seconds since 2001.
  public mutating func put(date seconds: Double) {
    begin(9)
    sink.put(BinaryLayout.date)
    sink.putBigEndian(seconds.bitPattern, width: 8)
  }

  /// Writes a UID.
  /// - Parameter uid: The UID.
  @inlinable
  public mutating func put(uid: UInt64) {
    begin(9)
    let width = BinaryLayout.width(of: uid)
    putShort(BinaryLayout.uid | UInt8(truncatingIfNeeded: width &- 1), uid, width)
  }

  /// Writes data.
  /// - Parameter data: The bytes.
  public mutating func put(data: Data) { put(data: data.span) }

  /// Writes data.
  /// - Parameter data: The bytes.
  public mutating func put(data: Span<UInt8>) {
    begin(9)
    putHead(BinaryLayout.data, count: data.count)
    sink.put(data)
  }

  /// Writes a string.
  /// - Parameter text: The text.
  public mutating func put(_ text: String) { text.withBytes { put(utf8: $0) } }

  /// Writes a string, as ASCII if possible, otherwise as UTF-16.
  /// - Parameter utf8: The text in UTF-8, which must be valid.
  public mutating func put(utf8: Span<UInt8>) {
    begin(9)
    let start = sink.count
    putHead(BinaryLayout.ascii, count: utf8.count)
    if sink.putASCII(utf8) { return }
    sink.count = start
    putHead(BinaryLayout.utf16, count: utf8.utf16Count)
    sink.putUTF16(utf8)
  }

  /// Writes the marker and length of a container, and reserves space for its references.
  /// - Parameters:
  ///   - marker: The marker of the container's kind.
  ///   - count: The number of elements, or of keys of a dictionary.
  @inlinable @inline(__always)
  public mutating func beginContainer(_ marker: UInt8, count: Int) {
    begin(9 &+ (marker == BinaryLayout.dictionary ? 2 : 1) &* count &* referenceWidth)
    putHead(marker, count: count)
  }

  /// Writes one reference of the current container.
  /// - Parameter reference: The index of the object.
  @inlinable @inline(__always)
  public mutating func put(reference: UInt32) {
    sink.putBigEndian(UInt64(reference), width: referenceWidth)
  }

  /// Writes copies of references that were written before.
  /// - Parameters:
  ///   - count: The number of references.
  ///   - offset: The offset of the first one in the written bytes.
  @inlinable @inline(__always)
  public mutating func repeatReferences(_ count: Int, from offset: Int) {
    sink.repeatBytes(count &* referenceWidth, from: offset)
  }

  /// Skips references of the current container, which ``fill(_:_:from:)`` writes later.
  /// - Parameter count: The number of references.
  /// - Returns: The offset of the first one.
  public mutating func skipReferences(_ count: Int) -> Int { sink.skip(count * referenceWidth) }

  /// Writes one of the skipped references.
  /// - Parameters:
  ///   - reference: The reference.
  ///   - index: Its index among the skipped references.
  ///   - offset: The offset of the first one.
  @inlinable @inline(__always)
  public mutating func fill(_ reference: UInt32, _ index: Int, from offset: Int) {
    sink.fill(UInt64(reference), width: referenceWidth, at: offset &+ index &* referenceWidth)
  }

  /// Writes one of the skipped references, in one store. At least eight after it must be written later.
  /// - Parameters:
  ///   - reference: The reference.
  ///   - index: Its index among the skipped references.
  ///   - offset: The offset of the first one.
  @inlinable @inline(__always)
  public mutating func fillAhead(_ reference: UInt32, _ index: Int, from offset: Int) {
    sink.fillAhead(UInt64(reference), width: referenceWidth, at: offset &+ index &* referenceWidth)
  }

  /// Reserves space for UIDs of at most four bytes, which ``put(reservedUID:)`` writes.
  /// - Parameter count: The number of UIDs.
  /// - Returns: `false` if the file would exceed 4 GiB. The UIDs must then be written one by one.
  public mutating func reserve(uids count: Int) -> Bool {
    guard Int64(sink.count) + 5 * Int64(count) <= Int64(UInt32.max) else { return false }
    sink.reserve(5 &* count)
    offsets.makeRoom(4 &* (offsetCount &+ count) &+ 4)
    return true
  }

  /// Writes a UID for which space was reserved.
  /// - Parameter uid: The UID.
  @inlinable @inline(__always)
  public mutating func put(reservedUID uid: UInt32) {
    offsets.store(bigEndian: UInt64(truncatingIfNeeded: sink.count) << 32, at: 4 &* offsetCount)
    offsetCount &+= 1
    let width = uid <= 0xFF ? 1 : uid <= 0xFFFF ? 2 : 4
    let marker = UInt64(BinaryLayout.uid) | UInt64(truncatingIfNeeded: width &- 1)
    sink.putBigEndian(marker << UInt64(truncatingIfNeeded: 8 &* width) | UInt64(uid), width: width &+ 1)
  }

  /// Writes objects that were encoded in advance.
  /// - Parameter objects: The encoded objects.
  public mutating func put(_ objects: borrowing EncodedObjects) {
    let shift = sink.count &- BinaryLayout.headerLength
    sink.reserve(objects.byteCount)
    objects.withContent { bytes, offsets in
      for index in 0..<objects.count {
        beginObject(at: shift &+ Int(truncatingIfNeeded: offsets.bigEndian(at: 4 &* index, width: 4)))
      }
      sink.put(bytes)
    }
  }

  /// Copies a string or data from another binary property list.
  /// - Parameters:
  ///   - marker: The marker of the kind.
  ///   - item: The item of the string or data.
  ///   - byteCount: The number of bytes of its content.
  ///   - bytes: The bytes of the other property list.
  public mutating func copy(_ marker: UInt8, _ item: BinaryItem, byteCount: Int, in bytes: Span<UInt8>) {
    begin(9)
    putHead(marker, count: item.count)
    sink.put(bytes.extracting(item.content..<item.content + byteCount))
  }

  /// Writes the offset table and the trailer.
  /// - Parameter top: The index of the top object.
  /// - Returns: The bytes of the file.
  public mutating func finish(top: UInt32) -> Data {
    let table = sink.count
    let offsetWidth = BinaryLayout.width(of: UInt64(table))
    sink.reserve(objectCount &* offsetWidth)
    // A long table is discarded while it is copied, so both together take little more memory than one.
    let piece = 1 << 14
    var first = 0
    while offsetCount &- first > piece {
      putOffsets(first..<first &+ piece, width: offsetWidth)
      offsets.discard(4 &* first..<4 &* (first &+ piece))
      first &+= piece
    }
    putOffsets(first..<offsetCount, width: offsetWidth)
    for offset in highOffsets {
      sink.reserve(8)
      sink.putBigEndian(offset, width: offsetWidth)
    }
    sink.reserve(BinaryLayout.trailerLength)
    sink.putBigEndian(0, width: 6)
    sink.put(UInt8(offsetWidth))
    sink.put(UInt8(referenceWidth))
    sink.putBigEndian(UInt64(objectCount), width: 8)
    sink.putBigEndian(UInt64(top), width: 8)
    sink.putBigEndian(UInt64(table), width: 8)
    return sink.finish()
  }

  private mutating func putOffsets(_ range: Range<Int>, width: Int) {
    offsets.withBytes(4 &* range.upperBound) { numbers in
      let numbers = numbers.extracting(4 &* range.lowerBound..<4 &* range.upperBound)
      // In a file beyond 4 GiB, offsets have eight bytes.
      if width <= 4 { return sink.put(low: width, ofEachFourIn: numbers) }
      for index in 0..<range.count {
        sink.putBigEndian(numbers.bigEndian(at: 4 &* index, width: 4), width: width)
      }
    }
  }

  /// Writes an object.
  /// - Parameters:
  ///   - object: The object.
  ///   - index: A function that returns the index in the written file for a reference.
  mutating func put(_ object: PropertyListObject, index: (ObjectRef) -> UInt32) {
    switch object {
    case .null: putNull()
    case .boolean(let value): put(value)
    case .integer(let value): put(value)
    case .wideInteger(let high, let low): put(wide: WideInteger(high: high, low: low))
    case .float(let value): put(value)
    case .double(let value): put(value)
    case .date(let value): put(date: value)
    case .data(let value): put(data: value.span)
    case .string(let value): put(value)
    case .uid(let value): put(uid: value)
    case .array(let refs), .set(let refs):
      beginContainer(object.itemKind == .set ? BinaryLayout.set : BinaryLayout.array, count: refs.count)
      for ref in refs { put(reference: index(ref)) }
    case .dictionary(let keys, let values):
      beginContainer(BinaryLayout.dictionary, count: keys.count)
      for ref in keys { put(reference: index(ref)) }
      for ref in values { put(reference: index(ref)) }
    }
  }

  @inlinable @inline(__always)
  mutating func begin(_ size: Int) {
    sink.reserve(size)
    beginObject()
  }

  /// Writes a marker and a number of `width` bytes, in one store if possible.
  @inlinable @inline(__always)
  mutating func putShort(_ marker: UInt8, _ value: UInt64, _ width: Int) {
    if width <= 4 { return sink.putBigEndian(UInt64(marker) << UInt64(8 &* width) | value, width: width &+ 1) }
    sink.put(marker)
    sink.putBigEndian(value, width: width)
  }

  @inlinable @inline(__always)
  mutating func putInteger(_ value: UInt64) {
    let width = BinaryLayout.width(of: value)
    putShort(BinaryLayout.integer | UInt8(truncatingIfNeeded: width.trailingZeroBitCount), value, width)
  }

  @inlinable @inline(__always)
  mutating func putHead(_ marker: UInt8, count: Int) {
    if count < 15 {
      sink.put(marker | UInt8(truncatingIfNeeded: count))
    } else {
      sink.put(marker | 15)
      putInteger(UInt64(count))
    }
  }
}

/// Objects in the form of a binary property list, encoded in advance because each archive contains them.
///
/// The type is noncopyable, so threads that use the same objects share no reference count.
@_spi(Archiving) public struct EncodedObjects: ~Copyable, Sendable {
  /// A file that begins with the objects, and the offsets of these in four bytes each.
  private var file = OutputBuffer()
  private var offsets = OutputBuffer()
  /// The number of objects.
  let count: Int
  /// The number of bytes of the objects.
  let byteCount: Int

  /// Encodes objects.
  /// - Parameters:
  ///   - referenceWidth: The width of a reference in bytes: 1 or 2.
  ///   - write: A function that writes the objects.
  public init(referenceWidth: Int, _ write: (inout BinaryWriter) -> Void) {
    var writer = BinaryWriter(objectCount: 1 << (8 * referenceWidth - 1), byteCount: 0)
    write(&writer)
    count = writer.offsetCount
    byteCount = writer.sink.count - BinaryLayout.headerLength
    swap(&file, &writer.sink.bytes)
    swap(&offsets, &writer.offsets)
  }

  /// Calls a function with the bytes of the objects, and with their offsets in a file that begins with them.
  @inline(__always)
  func withContent(_ body: (_ bytes: Span<UInt8>, _ offsets: Span<UInt8>) -> Void) {
    file.withBytes(BinaryLayout.headerLength + byteCount) { file in
      offsets.withBytes(4 * count) { offsets in
        body(file.extracting(BinaryLayout.headerLength..<BinaryLayout.headerLength + byteCount), offsets)
      }
    }
  }

  /// Encodes strings in their order.
  /// - Parameter texts: The strings.
  public init(_ texts: [String]) { self.init(referenceWidth: 1) { for text in texts { $0.put(text) } } }
}

@_spi(Archiving) extension BinaryTable {
  /// Returns whether a file begins with encoded objects, which are its first ones, except for some bytes.
  ///
  /// A string of 15 bytes or more can exceed a limit. Below a limit of 64 bytes, the result is `false`.
  /// - Parameters:
  ///   - objects: The encoded objects, whose strings have less than 64 bytes.
  ///   - skipped: The offsets of the bytes that are not compared, counted from the first object.
  ///   - bytes: The bytes of the file.
  /// - Returns: Whether all other bytes and the offsets are equal, and the objects are inside of the object area.
  public func begins(with objects: borrowing EncodedObjects, except skipped: Range<Int>, in bytes: Span<UInt8>) -> Bool
  {
    let start = BinaryLayout.headerLength
    let size = objects.byteCount
    guard objectCount >= objects.count, size <= objectsEnd &- start, longest.string >= 64 else { return false }
    var begins = false
    objects.withContent { encoded, offsets in
      let end = skipped.upperBound
      guard
        encoded.extracting(0..<skipped.lowerBound).hasSameBytes(
          as: bytes.extracting(start..<start &+ skipped.lowerBound)),
        encoded.extracting(end..<size).hasSameBytes(as: bytes.extracting(start &+ end..<start &+ size))
      else { return }
      for index in 0..<objects.count {
        let place = objectsEnd &+ index &* offsetWidth
        let offset = offsetWidth == 1 ? UInt64(bytes[place]) : bytes.bigEndian(at: place, width: offsetWidth)
        if offset != offsets.bigEndian(at: 4 &* index, width: 4) { return }
      }
      begins = true
    }
    return begins
  }
}
