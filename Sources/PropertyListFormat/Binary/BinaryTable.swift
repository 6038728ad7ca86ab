// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The object table of a binary property list, with random access to the objects.
///
/// The initializer validates only the header and the trailer, so it takes the same time for a file of any size. Each
/// object is validated when it is requested. The table holds no bytes: each call takes the span of the file's bytes.
@_spi(Archiving) public struct BinaryTable: Sendable {
  /// The number of objects.
  public let objectCount: Int
  /// The top object.
  public let top: ObjectRef
  /// The end of the object area and start of the offset table.
  public let objectsEnd: Int
  /// The width of an offset in bytes.
  public let offsetWidth: Int
  /// The width of a reference in bytes.
  public let referenceWidth: Int
  /// The maximum byte counts of strings and data.
  @usableFromInline let longest: (string: Int, data: Int)

  /// Returns whether bytes start with `bplist0` and any character, as CoreFoundation's reader accepts it.
  /// - Parameter bytes: The bytes of the file.
  /// - Returns: Whether the bytes start with such a header.
  public static func recognizes(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= BinaryLayout.headerLength else { return false }
    return bytes.bigEndian(at: 0, width: 8) >> 8 == BinaryLayout.magic >> 8
  }

  /// Creates a table after validating the header and the trailer.
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - limits: The limits on the input.
  /// - Throws: ``PropertyListError`` if the bytes are not a binary property list or exceed a limit.
  public init(parsing bytes: Span<UInt8>, limits: ReadLimits) throws(PropertyListError) {
    do {
      try self.init(trailerAtEndOf: bytes, limits)
    } catch {
      guard error.code == .badTrailer, let end = Self.end(in: bytes, limits) else { throw error }
      throw .unexpectedBytes(bytes.count - end, after: end)
    }
  }

  /// The maximum number of bytes after a property list with which ``end(in:_:)`` finds its end.
  private static let searchedByteCount = 1 << 20

  /// Returns the end of a property list that other bytes follow, or nil if no such list starts the file.
  ///
  /// The trailer of a list has the offset of its offset table, and the table ends at the trailer.
  private static func end(in bytes: Span<UInt8>, _ limits: ReadLimits) -> Int? {
    var end = bytes.count - 1
    let least = max(BinaryLayout.minimumLength, bytes.count - searchedByteCount)
    while end >= least {
      let trailer = end - BinaryLayout.trailerLength
      let width = UInt64(bytes[trailer + 6])
      if 1...8 ~= width, 1...8 ~= bytes[trailer + 7] {
        let count = bytes.bigEndian(at: trailer + 8, width: 8)
        let table = bytes.bigEndian(at: trailer + 24, width: 8)
        if count <= UInt64(trailer) / width, table == UInt64(trailer) - count * width,
          (try? BinaryTable(trailerAtEndOf: bytes.extracting(0..<end), limits)) != nil
        {
          return end
        }
      }
      end -= 1
    }
    return nil
  }

  private init(trailerAtEndOf bytes: Span<UInt8>, _ limits: ReadLimits) throws(PropertyListError) {
    guard BinaryTable.recognizes(bytes) else {
      throw PropertyListError(.notAPropertyList, at: 0, "no binary property list: expected the header 'bplist00'")
    }
    let length = bytes.count
    guard length >= BinaryLayout.minimumLength else {
      throw PropertyListError(
        .truncated, at: length,
        "file too short: found \(length) bytes; a binary property list has at least \(BinaryLayout.minimumLength)",
        remedy: PropertyListError.compareSize)
    }
    guard length <= limits.maximumByteCount else {
      throw .exceeds("byte", length, limits.maximumByteCount, "maximumByteCount")
    }
    let trailer = length - BinaryLayout.trailerLength
    // If the file is truncated, its last bytes are not a trailer.
    func invalid(_ field: Int, _ detail: String) -> PropertyListError {
      PropertyListError(
        .badTrailer, at: trailer + field, "invalid trailer: \(detail)", remedy: PropertyListError.compareSize)
    }
    let offsetWidth = Int(bytes[trailer + 6])
    let referenceWidth = Int(bytes[trailer + 7])
    let count = bytes.bigEndian(at: trailer + 8, width: 8)
    let top = bytes.bigEndian(at: trailer + 16, width: 8)
    let table = bytes.bigEndian(at: trailer + 24, width: 8)
    guard 1...8 ~= offsetWidth else { throw invalid(6, "the offset size is \(offsetWidth); expected 1 to 8 bytes") }
    guard 1...8 ~= referenceWidth else {
      throw invalid(7, "the reference size is \(referenceWidth); expected 1 to 8 bytes")
    }
    guard table > UInt64(BinaryLayout.headerLength), table < UInt64(trailer) else {
      throw invalid(
        24, "the offset table is at byte \(table); expected byte \(BinaryLayout.headerLength + 1) to \(trailer - 1)")
    }
    let tableSize = UInt64(trailer) - table
    guard count >= 1 else { throw invalid(8, "the object count is 0; expected at least 1") }
    let (size, overflow) = count.multipliedReportingOverflow(by: UInt64(offsetWidth))
    guard !overflow, size == tableSize else {
      throw invalid(
        8, "the offset table has \(tableSize) bytes; expected \(count) offsets of \(offsetWidth) bytes each")
    }
    guard count <= UInt64(clamping: limits.maximumObjectCount), count < 1 << 32 else {
      throw .exceeds("object", Int(count), limits.maximumObjectCount, "maximumObjectCount", at: trailer + 8)
    }
    guard top < count else {
      throw invalid(16, "the top object is \(top); the file has only objects 0 to \(count - 1)")
    }
    guard referenceWidth == 8 || count - 1 < 1 << (8 * UInt64(referenceWidth)) else {
      throw invalid(7, "the reference size is \(referenceWidth); \(count) objects need wider references")
    }
    objectCount = Int(count)
    self.top = ObjectRef(rawValue: UInt32(top))
    objectsEnd = Int(table)
    self.offsetWidth = offsetWidth
    self.referenceWidth = referenceWidth
    longest = (limits.maximumStringByteCount, limits.maximumDataByteCount)
  }

  /// Returns the offset of an object.
  /// - Parameters:
  ///   - ref: The reference to the object.
  ///   - bytes: The bytes of the file.
  /// - Returns: The offset of the marker of the object.
  /// - Throws: ``PropertyListError`` if the reference is dangling or the offset is outside of the object area.
  @inlinable @inline(__always)
  public func offset(of ref: ObjectRef, in bytes: Span<UInt8>) throws(PropertyListError) -> Int {
    guard ref.index < objectCount else { throw badReference(UInt64(ref.index)) }
    let offset = bytes.bigEndian(at: objectsEnd &+ ref.index &* offsetWidth, width: offsetWidth)
    guard offset >= UInt64(BinaryLayout.headerLength), offset < UInt64(objectsEnd) else {
      throw badOffset(ref, offset)
    }
    return Int(truncatingIfNeeded: offset)
  }

  /// Returns the item of an object.
  /// - Parameters:
  ///   - ref: The reference to the object.
  ///   - bytes: The bytes of the file.
  /// - Returns: The item.
  /// - Throws: ``PropertyListError`` if the reference is dangling, or the object is damaged or exceeds a limit.
  @inlinable
  public func item(_ ref: ObjectRef, in bytes: Span<UInt8>) throws(PropertyListError) -> BinaryItem {
    try readItem(at: offset(of: ref, in: bytes), in: bytes)
  }

  /// Reads the item at an offset. Unlike ``item(_:in:)``, it is always inlined.
  @inlinable @inline(__always)
  func readItem(at offset: Int, in bytes: Span<UInt8>) throws(PropertyListError) -> BinaryItem {
    let marker = bytes[offset]
    let low = marker & 0x0F
    switch marker & 0xF0 {
    case BinaryLayout.ascii: return try counted(.ascii, unit: 1, low, after: offset, in: bytes)
    case BinaryLayout.uid: return try sized(.uid, Int(low) &+ 1, upTo: 8, at: offset)
    case BinaryLayout.dictionary:
      return try counted(.dictionary, unit: 2 &* referenceWidth, low, after: offset, in: bytes)
    case BinaryLayout.array: return try counted(.array, unit: referenceWidth, low, after: offset, in: bytes)
    case BinaryLayout.integer: return try sized(.integer, 1 << Int(low), upTo: 16, at: offset)
    case BinaryLayout.utf16: return try counted(.utf16, unit: 2, low, after: offset, in: bytes)
    case BinaryLayout.data: return try counted(.data, unit: 1, low, after: offset, in: bytes)
    case BinaryLayout.set: return try counted(.set, unit: referenceWidth, low, after: offset, in: bytes)
    default:
      switch marker {
      case BinaryLayout.true: return BinaryItem(kind: .true, count: 0, content: offset &+ 1)
      case BinaryLayout.false: return BinaryItem(kind: .false, count: 0, content: offset &+ 1)
      case BinaryLayout.double: return try sized(.double, 8, upTo: 8, at: offset)
      case BinaryLayout.float: return try sized(.float, 4, upTo: 4, at: offset)
      case BinaryLayout.date: return try sized(.date, 8, upTo: 8, at: offset)
      case BinaryLayout.null: return BinaryItem(kind: .null, count: 0, content: offset &+ 1)
      default: throw unknownMarker(marker, offset)
      }
    }
  }

  /// Returns an item whose width follows from its marker.
  @inlinable @inline(__always)
  func sized(
    _ kind: BinaryItem.Kind, _ width: Int, upTo widest: Int, at offset: Int
  ) throws(PropertyListError) -> BinaryItem {
    guard width <= widest else { throw badWidth(kind, width, offset) }
    guard width <= objectsEnd &- offset &- 1 else { throw overrun(kind, offset) }
    return BinaryItem(kind: kind, count: width, content: offset &+ 1)
  }

  /// Returns an item with a length: in the marker, or, if the marker has 15, in an integer object after it.
  @inlinable @inline(__always)
  func counted(
    _ kind: BinaryItem.Kind, unit: Int, _ low: UInt8, after offset: Int, in bytes: Span<UInt8>
  ) throws(PropertyListError) -> BinaryItem {
    var item = BinaryItem(kind: kind, count: Int(low), content: offset &+ 1)
    if low == 0x0F { try readLongCount(&item, offset, in: bytes) }
    // `count` is below the size of the file and `unit` at most 16, so the product fits into 64 bits, but not into 32.
    guard
      Int64(truncatingIfNeeded: item.count) &* Int64(truncatingIfNeeded: unit)
        <= Int64(truncatingIfNeeded: objectsEnd &- item.content)
    else { throw overrun(kind, offset) }
    return item
  }

  @inlinable
  func readLongCount(
    _ item: inout BinaryItem, _ offset: Int, in bytes: Span<UInt8>
  ) throws(PropertyListError) {
    let at = item.content
    guard at < objectsEnd, bytes[at] & 0xF0 == BinaryLayout.integer, bytes[at] & 0x0F <= 3 else {
      throw badCount(
        offset, "missing length: after a marker with length 15, expected an integer of 1, 2, 4 or 8 bytes")
    }
    let width = 1 << Int(bytes[at] & 0x0F)
    guard width <= objectsEnd &- at &- 1 else { throw overrun(item.kind, offset) }
    let count = bytes.bigEndian(at: at &+ 1, width: width)
    guard count < UInt64(objectsEnd) else {
      throw badCount(offset, "invalid length: found \(count); the file has only \(objectsEnd) bytes of objects")
    }
    item.count = Int(truncatingIfNeeded: count)
    item.content = at &+ 1 &+ width
    switch item.kind {
    case .ascii: if item.count > longest.string { throw tooLong(item.count, longest.string, offset, "String") }
    case .utf16: if item.count > longest.string / 2 { throw tooLong(2 &* item.count, longest.string, offset, "String") }
    case .data: if item.count > longest.data { throw tooLong(item.count, longest.data, offset, "Data") }
    default: break
    }
  }

  /// Returns the reference at an offset.
  /// - Parameters:
  ///   - offset: The offset of the reference.
  ///   - bytes: The bytes of the file.
  /// - Returns: The reference.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/badReference`` if the reference is dangling.
  @inlinable @inline(__always)
  public func reference(at offset: Int, in bytes: Span<UInt8>) throws(PropertyListError) -> ObjectRef {
    let row = bytes.bigEndian(at: offset, width: referenceWidth)
    guard row < UInt64(objectCount) else { throw badReference(row, at: offset) }
    return ObjectRef(rawValue: UInt32(truncatingIfNeeded: row))
  }

  /// Returns an element of an array or set, or a key or value of a dictionary.
  /// - Parameters:
  ///   - index: The index of the element. The values of a dictionary follow its keys.
  ///   - item: The item of a container.
  ///   - bytes: The bytes of the file.
  /// - Returns: The reference to the element.
  /// - Throws: ``PropertyListError`` with code ``PropertyListError/Code/badReference`` if the reference is dangling.
  @inlinable @inline(__always)
  public func element(_ index: Int, of item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> ObjectRef {
    try reference(at: item.content &+ index &* referenceWidth, in: bytes)
  }

  /// Returns the value of an element that is a UID, in fewer steps than ``item(_:in:)`` takes.
  /// - Parameters:
  ///   - index: The index of the element. The values of a dictionary follow its keys.
  ///   - item: The item of a container.
  ///   - bytes: The bytes of the file.
  /// - Returns: The value; nil if the element is of another kind or damaged, which ``item(_:in:)`` tells apart.
  @inlinable @inline(__always)
  public func uidElement(_ index: Int, of item: BinaryItem, in bytes: Span<UInt8>) -> UInt64? {
    let row = bytes.bigEndian(at: item.content &+ index &* referenceWidth, width: referenceWidth)
    guard row < UInt64(objectCount) else { return nil }
    let offset = bytes.bigEndian(at: objectsEnd &+ Int(truncatingIfNeeded: row) &* offsetWidth, width: offsetWidth)
    guard offset >= UInt64(BinaryLayout.headerLength), offset < UInt64(objectsEnd) else { return nil }
    let start = Int(truncatingIfNeeded: offset)
    let marker = bytes[start]
    let width = Int(marker & 0x0F) &+ 1
    guard marker & 0xF0 == BinaryLayout.uid, width <= 8, width <= objectsEnd &- start &- 1 else { return nil }
    return bytes.bigEndian(at: start &+ 1, width: width)
  }

  // The functions below create errors out of line, so that the functions above stay short.

  @usableFromInline @inline(never)
  func badReference(_ row: UInt64, at offset: Int? = nil) -> PropertyListError {
    PropertyListError(
      .badReference, at: offset,
      "dangling reference to object \(row): the property list has only objects 0 to \(objectCount - 1)")
  }

  @usableFromInline @inline(never)
  func badOffset(_ ref: ObjectRef, _ offset: UInt64) -> PropertyListError {
    PropertyListError(
      .badOffset, at: objectsEnd + ref.index * offsetWidth,
      "invalid offset of \(ref): found \(offset); expected \(BinaryLayout.headerLength) to \(objectsEnd - 1)")
  }

  @usableFromInline @inline(never)
  func unknownMarker(_ marker: UInt8, _ offset: Int) -> PropertyListError {
    PropertyListError(.unknownMarker, at: offset, "unknown object marker 0x\(hex(marker))")
  }

  @usableFromInline @inline(never)
  func badWidth(_ kind: BinaryItem.Kind, _ width: Int, _ offset: Int) -> PropertyListError {
    PropertyListError(.unknownMarker, at: offset, "invalid width of the \(kind.name): found \(width) bytes")
  }

  @usableFromInline @inline(never)
  func overrun(_ kind: BinaryItem.Kind, _ offset: Int) -> PropertyListError {
    PropertyListError(
      .truncated, at: offset,
      "truncated \(kind.name): it extends past the end of the object area at byte \(objectsEnd)")
  }

  @usableFromInline @inline(never)
  func tooLong(_ count: Int, _ limit: Int, _ offset: Int, _ kind: String) -> PropertyListError {
    .exceeds("\(kind.lowercased()) length", count, limit, "maximum\(kind)ByteCount", at: offset)
  }

  @usableFromInline @inline(never)
  func badCount(_ offset: Int, _ detail: String) -> PropertyListError {
    PropertyListError(.badCount, at: offset, detail)
  }

  func hex(_ byte: UInt8) -> String { HexText.digits(byte, count: 2, uppercase: true) }
}
