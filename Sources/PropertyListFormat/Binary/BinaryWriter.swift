// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Writes the objects of a binary property list, one after another in table order, then offset table and trailer.
///
/// The caller decides order and references; the writer owns the size rules (least width of 1, 2, 4, 8 for integers,
/// UIDs, offsets and references; 8 bytes for negative integers; 16 where asked for).
@_spi(Archiving) public struct BinaryWriter: ~Copyable {
  /// Where the bytes go.
  public var sink: ByteSink
  /// Where the objects begin, four bytes each as in the offset table of a large file, and how many begin there. Offsets
  /// past 4 GiB, of which there are seldom any, are kept apart.
  @usableFromInline var offsets = OutputBuffer()
  @usableFromInline var offsetCount = 0
  @usableFromInline var highOffsets: [UInt64] = []
  /// Bytes of one reference. It follows from the number of objects, which the caller must know, or bound, beforehand.
  public let referenceWidth: Int

  /// - Parameters:
  ///   - objectCount: how many objects will be written; decides ``referenceWidth``.
  ///   - byteCount: a guess at the size of the file.
  public init(objectCount: Int, byteCount: Int) {
    referenceWidth = BinaryLayout.width(of: UInt64(objectCount))
    // The offset table follows the objects.
    sink = ByteSink(capacity: byteCount + objectCount * BinaryLayout.width(of: UInt64(byteCount)) + 64)
    sink.putBigEndian(BinaryLayout.magic, width: 8)
    offsets.makeRoom(4 * objectCount + 4)
  }

  /// How many objects were begun.
  @inlinable @inline(__always)
  public var objectCount: Int { offsetCount &+ highOffsets.count }

  /// Starts the next object: what is put now belongs to it.
  @inlinable @inline(__always)
  public mutating func beginObject() { beginObject(at: sink.count) }

  @inlinable @inline(__always)
  mutating func beginObject(at offset: Int) {
    if offset <= Int(UInt32.max) {
      // The store is one of eight bytes, of which the last four are the next one's.
      let place = 4 &* offsetCount
      offsets.makeRoom(place &+ 8)
      offsets.store(bigEndian: UInt64(offset) << 32, at: place)
      offsetCount &+= 1
    } else {
      highOffsets.append(UInt64(offset))
    }
  }

  /// Writes a boolean.
  public mutating func put(_ value: Bool) {
    begin(1)
    sink.put(value ? BinaryLayout.true : BinaryLayout.false)
  }

  /// Writes null.
  public mutating func putNull() {
    begin(1)
    sink.put(BinaryLayout.null)
  }

  /// Writes an integer in the fewest bytes that hold it, 8 if it is negative.
  public mutating func put(_ value: Int64) {
    begin(9)
    putInteger(UInt64(bitPattern: value))
  }

  /// Writes an integer in 16 bytes.
  public mutating func put(wide value: Int128) {
    begin(17)
    sink.put(BinaryLayout.integer | 4)
    sink.putBigEndian(UInt64(truncatingIfNeeded: value >> 64), width: 8)
    sink.putBigEndian(UInt64(truncatingIfNeeded: value), width: 8)
  }

  /// Writes a real of 4 bytes.
  public mutating func put(_ value: Float) {
    begin(5)
    putShort(BinaryLayout.float, UInt64(value.bitPattern), 4)
  }

  /// Writes a real of 8 bytes.
  public mutating func put(_ value: Double) {
    begin(9)
    sink.put(BinaryLayout.double)
    sink.putBigEndian(value.bitPattern, width: 8)
  }

  /// Writes a date, as seconds since 2001.
  public mutating func put(date seconds: Double) {
    begin(9)
    sink.put(BinaryLayout.date)
    sink.putBigEndian(seconds.bitPattern, width: 8)
  }

  /// Writes a UID.
  @inlinable
  public mutating func put(uid: UInt64) {
    begin(9)
    let width = BinaryLayout.width(of: uid)
    putShort(BinaryLayout.uid | UInt8(truncatingIfNeeded: width &- 1), uid, width)
  }

  /// Writes data.
  public mutating func put(data: Data) { put(data: data.span) }

  /// Writes data.
  public mutating func put(data: Span<UInt8>) {
    begin(9)
    putHead(BinaryLayout.data, count: data.count)
    sink.put(data)
  }

  /// Writes a string.
  public mutating func put(_ text: String) { put(utf8: text.utf8.span) }

  /// Writes a string: ASCII as one byte a character, any other as UTF-16.
  public mutating func put(utf8: Span<UInt8>) {
    begin(9)
    if utf8.isASCII {
      putHead(BinaryLayout.ascii, count: utf8.count)
      sink.put(utf8)
    } else {
      putHead(BinaryLayout.utf16, count: utf8.utf16Count)
      sink.putUTF16(utf8)
    }
  }

  /// Writes the head of a container; its references follow with ``put(reference:)``, for which there is room then.
  @inlinable @inline(__always)
  public mutating func beginContainer(_ marker: UInt8, count: Int) {
    begin(9 &+ (marker == BinaryLayout.dictionary ? 2 : 1) &* count &* referenceWidth)
    putHead(marker, count: count)
  }

  /// Writes one reference into the container that was begun.
  @inlinable @inline(__always)
  public mutating func put(reference: UInt32) {
    sink.putBigEndian(UInt64(reference), width: referenceWidth)
  }

  /// Writes references that were written before, from `offset` on, into the container that was begun.
  @inlinable @inline(__always)
  public mutating func repeatReferences(_ count: Int, from offset: Int) {
    sink.repeatBytes(count &* referenceWidth, from: offset)
  }

  /// Leaves room for references of the container that was begun, to be filled in by ``fill(_:_:from:)``.
  public mutating func skipReferences(_ count: Int) -> Int { sink.skip(count * referenceWidth) }

  /// Fills in one of the references for which room was left from `offset` on.
  @inlinable @inline(__always)
  public mutating func fill(_ reference: UInt32, _ place: Int, from offset: Int) {
    sink.fill(UInt64(reference), width: referenceWidth, at: offset &+ place &* referenceWidth)
  }

  /// Writes objects that were encoded once for all archives.
  public mutating func put(_ objects: EncodedObjects) {
    let start = sink.count
    sink.reserve(objects.bytes.count)
    for offset in objects.starts {
      beginObject(at: start &+ Int(offset))
    }
    sink.put(objects.bytes.span)
  }

  /// Writes text or data of another binary property list with the same content bytes.
  public mutating func copy(_ marker: UInt8, _ item: BinaryItem, byteCount: Int, in bytes: Span<UInt8>) {
    begin(9)
    putHead(marker, count: item.count)
    sink.put(bytes.extracting(item.content..<item.content + byteCount))
  }

  /// Writes offset table and trailer and returns the file.
  public mutating func finish(top: UInt32) -> Data {
    let table = sink.count
    let offsetWidth = BinaryLayout.width(of: UInt64(table))
    sink.reserve(objectCount &* offsetWidth)
    let width = offsetWidth
    offsets.withBytes(4 &* offsetCount) { numbers in
      // Past 4 GiB the table has eight bytes for each.
      if width <= 4 { return sink.put(low: width, ofEachFourIn: numbers) }
      for place in 0..<offsetCount { sink.putBigEndian(numbers.bigEndian(at: 4 &* place, width: 4), width: width) }
    }
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

  @inlinable @inline(__always)
  mutating func begin(_ size: Int) {
    sink.reserve(size)
    beginObject()
  }

  /// Writes a marker and a number of `width` bytes, mostly in one store.
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
