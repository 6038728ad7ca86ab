// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The object table of a binary property list: proved once against the bytes, then cheap random access.
///
/// Making one checks header and trailer and nothing else, so a file of any size opens at once; each object is checked
/// when it is asked for. The table holds no bytes: every call is handed the span of the bytes it was made from.
@_spi(Archiving) public struct BinaryTable: Sendable {
  /// How many objects there are.
  public let objectCount: Int
  /// The outermost object.
  public let top: ObjectRef
  /// Where the object area ends and the offset table begins.
  public let objectsEnd: Int
  /// Bytes of one offset.
  public let offsetWidth: Int
  /// Bytes of one reference.
  public let referenceWidth: Int
  /// How many bytes a string and data may have.
  @usableFromInline let longest: (string: Int, data: Int)

  /// Whether `bytes` start like a binary property list that this reader knows (`bplist0` and any character, as
  /// CoreFoundation's reader has it).
  public static func recognizes(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count >= BinaryLayout.headerLength else { return false }
    return bytes.bigEndian(at: 0, width: 8) >> 8 == BinaryLayout.magic >> 8
  }

  /// Checks header and trailer.
  /// - Throws: ``PropertyListError`` for bytes that are no binary property list, or larger than the limits.
  public init(parsing bytes: Span<UInt8>, limits: ReadLimits) throws(PropertyListError) {
    guard BinaryTable.recognizes(bytes) else {
      throw PropertyListError(.notAPropertyList, at: 0, "expected the header 'bplist00', found other bytes")
    }
    let length = bytes.count
    guard length >= BinaryLayout.minimumLength else {
      throw PropertyListError(
        .truncated, at: length,
        "a binary property list has at least \(BinaryLayout.minimumLength) bytes, found \(length)")
    }
    guard length <= limits.maximumByteCount else {
      throw PropertyListError(
        .limitReached, "the file has \(length) bytes, the limit is \(limits.maximumByteCount) (maximumByteCount)")
    }
    let trailer = length - BinaryLayout.trailerLength
    func refuse(_ field: Int, _ detail: String) -> PropertyListError {
      PropertyListError(.badTrailer, at: trailer + field, detail)
    }
    let offsetWidth = Int(bytes[trailer + 6])
    let referenceWidth = Int(bytes[trailer + 7])
    let count = bytes.bigEndian(at: trailer + 8, width: 8)
    let top = bytes.bigEndian(at: trailer + 16, width: 8)
    let table = bytes.bigEndian(at: trailer + 24, width: 8)
    // A file that was cut off has no trailer where one is looked for.
    let cut = "; perhaps the file's end is missing"
    guard 1...8 ~= offsetWidth else {
      throw refuse(6, "offsets have 1 to 8 bytes, the trailer says \(offsetWidth)\(cut)")
    }
    guard 1...8 ~= referenceWidth else {
      throw refuse(7, "references have 1 to 8 bytes, the trailer says \(referenceWidth)\(cut)")
    }
    guard table > UInt64(BinaryLayout.headerLength), table < UInt64(trailer) else {
      throw refuse(
        24, "the offset table must lie between header and trailer, the trailer puts it at byte \(table)\(cut)")
    }
    let room = UInt64(trailer) - table
    guard count >= 1 else { throw refuse(8, "the trailer says the file holds no object") }
    let (size, overflow) = count.multipliedReportingOverflow(by: UInt64(offsetWidth))
    guard !overflow, size == room else {
      throw refuse(
        8,
        "\(count) offsets of \(offsetWidth) bytes must fill the \(room) bytes between table and trailer exactly\(cut)")
    }
    guard count <= UInt64(clamping: limits.maximumObjectCount), count < 1 << 32 else {
      throw PropertyListError(
        .limitReached, at: trailer + 8,
        "the file holds \(count) objects, the limit is \(limits.maximumObjectCount) (maximumObjectCount)")
    }
    guard top < count else {
      throw refuse(16, "the top object must be one of the \(count) there are, the trailer says number \(top)")
    }
    guard referenceWidth == 8 || count - 1 < 1 << (8 * UInt64(referenceWidth)) else {
      throw refuse(7, "\(count) objects need wider references than the trailer's \(referenceWidth) bytes")
    }
    objectCount = Int(count)
    self.top = ObjectRef(rawValue: UInt32(top))
    objectsEnd = Int(table)
    self.offsetWidth = offsetWidth
    self.referenceWidth = referenceWidth
    longest = (limits.maximumStringByteCount, limits.maximumDataByteCount)
  }

  /// Where object `ref` starts.
  @inlinable @inline(__always)
  public func offset(of ref: ObjectRef, in bytes: Span<UInt8>) throws(PropertyListError) -> Int {
    guard ref.index < objectCount else { throw badReference(ref.index) }
    let offset = bytes.bigEndian(at: objectsEnd &+ ref.index &* offsetWidth, width: offsetWidth)
    guard offset >= UInt64(BinaryLayout.headerLength), offset < UInt64(objectsEnd) else {
      throw badOffset(ref, offset)
    }
    return Int(truncatingIfNeeded: offset)
  }

  /// Kind, size and place of object `ref`.
  @inlinable
  public func item(_ ref: ObjectRef, in bytes: Span<UInt8>) throws(PropertyListError) -> BinaryItem {
    try readItem(at: offset(of: ref, in: bytes), in: bytes)
  }

  /// The same, compiled where it is called.
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

  /// An object whose size its marker gives.
  @inlinable @inline(__always)
  func sized(
    _ kind: BinaryItem.Kind, _ width: Int, upTo widest: Int, at offset: Int
  ) throws(PropertyListError) -> BinaryItem {
    guard width <= widest else { throw badWidth(kind, width, offset) }
    guard width <= objectsEnd &- offset &- 1 else { throw overrun(kind, offset) }
    return BinaryItem(kind: kind, count: width, content: offset &+ 1)
  }

  /// An object with a count: in the marker, or, where that says 15, in an integer object that follows it.
  @inlinable @inline(__always)
  func counted(
    _ kind: BinaryItem.Kind, unit: Int, _ low: UInt8, after offset: Int, in bytes: Span<UInt8>
  ) throws(PropertyListError) -> BinaryItem {
    var item = BinaryItem(kind: kind, count: Int(low), content: offset &+ 1)
    if low == 0x0F { try readLongCount(&item, offset, in: bytes) }
    // `count` is below 2^56 and `unit` at most 16, so the product cannot overflow.
    guard item.count &* unit <= objectsEnd &- item.content else { throw overrun(kind, offset) }
    return item
  }

  @inlinable
  func readLongCount(
    _ item: inout BinaryItem, _ offset: Int, in bytes: Span<UInt8>
  ) throws(PropertyListError) {
    let at = item.content
    guard at < objectsEnd, bytes[at] & 0xF0 == BinaryLayout.integer, bytes[at] & 0x0F <= 3 else {
      throw badCount(offset, "a count of 15 or more must follow as an integer of 1 to 8 bytes, and does not")
    }
    let width = 1 << Int(bytes[at] & 0x0F)
    guard width <= objectsEnd &- at &- 1 else { throw overrun(item.kind, offset) }
    let count = bytes.bigEndian(at: at &+ 1, width: width)
    guard count < UInt64(objectsEnd) else {
      throw badCount(offset, "the count \(count) exceeds the \(objectsEnd) bytes before the offset table")
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

  /// The row that the reference at `offset` names.
  @inlinable @inline(__always)
  public func reference(at offset: Int, in bytes: Span<UInt8>) throws(PropertyListError) -> ObjectRef {
    let row = bytes.bigEndian(at: offset, width: referenceWidth)
    guard row < UInt64(objectCount) else { throw badReference(Int(truncatingIfNeeded: row), at: offset) }
    return ObjectRef(rawValue: UInt32(truncatingIfNeeded: row))
  }

  /// The row of element `index` of an array, set, or of the keys (then values) of a dictionary.
  @inlinable @inline(__always)
  public func element(_ index: Int, of item: BinaryItem, in bytes: Span<UInt8>) throws(PropertyListError) -> ObjectRef {
    try reference(at: item.content &+ index &* referenceWidth, in: bytes)
  }

  // Errors are made out of line, so that the paths above stay short.

  @usableFromInline @inline(never)
  func badReference(_ row: Int, at offset: Int? = nil) -> PropertyListError {
    PropertyListError(.badReference, at: offset, "a reference to object \(row) where the file holds \(objectCount)")
  }

  @usableFromInline @inline(never)
  func badOffset(_ ref: ObjectRef, _ offset: UInt64) -> PropertyListError {
    PropertyListError(
      .badOffset, at: objectsEnd + ref.index * offsetWidth,
      "\(ref) must start between byte \(BinaryLayout.headerLength) and \(objectsEnd), its offset says \(offset)")
  }

  @usableFromInline @inline(never)
  func unknownMarker(_ marker: UInt8, _ offset: Int) -> PropertyListError {
    PropertyListError(.unknownMarker, at: offset, "0x\(hex(marker)) marks no object of a bplist00 file")
  }

  @usableFromInline @inline(never)
  func badWidth(_ kind: BinaryItem.Kind, _ width: Int, _ offset: Int) -> PropertyListError {
    PropertyListError(.unknownMarker, at: offset, "an object of kind \(kind.name) cannot have \(width) bytes")
  }

  @usableFromInline @inline(never)
  func overrun(_ kind: BinaryItem.Kind, _ offset: Int) -> PropertyListError {
    PropertyListError(
      .truncated, at: offset,
      "the object of kind \(kind.name) reaches past the object area, which ends at byte \(objectsEnd)")
  }

  @usableFromInline @inline(never)
  func tooLong(_ count: Int, _ limit: Int, _ offset: Int, _ kind: String) -> PropertyListError {
    PropertyListError(
      .limitReached, at: offset,
      "the \(kind.lowercased()) has \(count) bytes, the limit is \(limit) (maximum\(kind)ByteCount)")
  }

  @usableFromInline @inline(never)
  func badCount(_ offset: Int, _ detail: String) -> PropertyListError {
    PropertyListError(.badCount, at: offset, detail)
  }

  func hex(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.count == 1 ? "0" + digits : digits
  }
}
