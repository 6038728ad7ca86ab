// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The description of an entry for its local header and its directory record.
struct EntryRecord {
  let name: [UInt8]
  let isFolder: Bool
  let method: ZipMethod
  let crc32: UInt32
  let byteCount: UInt64
  let compressedByteCount: UInt64
  let headerOffset: UInt64
  let modified: ZipTimestamp

  /// Unix, so that readers use the mode (APPNOTE 4.4.2), and version 6.3 of the format (4.4.3.2).
  private static let madeBy: UInt16 = ZipName.unix << 8 | 63
  /// Folders and deflate require version 2.0, Zip64 requires 4.5 (APPNOTE 4.4.3.2).
  private func versionNeeded(_ hasZip64: Bool) -> UInt16 { hasZip64 ? 45 : isFolder || method == .deflated ? 20 : 10 }

  /// The mode: readable for all, and writable for the owner.
  private var mode: UInt32 { isFolder ? 0o040755 : 0o100644 }

  /// Returns whether a number needs a Zip64 field.
  private static func isLong(_ number: UInt64) -> Bool { number >= UInt64(EndRecord.sentinel32) }

  /// Returns a 32-bit field: the number, or the reference to the Zip64 field.
  private static func short(_ number: UInt64, isLong: Bool) -> UInt32 {
    isLong ? EndRecord.sentinel32 : UInt32(truncatingIfNeeded: number)
  }

  /// The local header (APPNOTE 4.3.7). Its Zip64 field, if needed, has both sizes (4.5.3).
  func header() -> [UInt8] {
    let isLong = Self.isLong(byteCount) || Self.isLong(compressedByteCount)
    let extra = extraFields(isLong ? [byteCount, compressedByteCount] : [])
    var record = RecordBytes()
    record.append(LocalRecord.signature)
    appendCommon(to: &record, hasZip64: isLong)
    record.append(Self.short(compressedByteCount, isLong: isLong))
    record.append(Self.short(byteCount, isLong: isLong))
    record.append(UInt16(truncatingIfNeeded: name.count))
    record.append(UInt16(truncatingIfNeeded: extra.count))
    record.append(name)
    record.append(extra)
    return record.bytes
  }

  /// The directory record (APPNOTE 4.3.12). Its Zip64 field has only the numbers that need it.
  func directoryRecord() -> [UInt8] {
    let long = [byteCount, compressedByteCount, headerOffset].filter(Self.isLong)
    let extra = extraFields(long)
    var record = RecordBytes()
    record.append(DirectoryRecord.signature)
    record.append(Self.madeBy)
    appendCommon(to: &record, hasZip64: !long.isEmpty)
    record.append(Self.short(compressedByteCount, isLong: Self.isLong(compressedByteCount)))
    record.append(Self.short(byteCount, isLong: Self.isLong(byteCount)))
    record.append(UInt16(truncatingIfNeeded: name.count))
    record.append(UInt16(truncatingIfNeeded: extra.count))
    // No comment, part 0, no internal attributes.
    for _ in 0..<3 { record.append(0 as UInt16) }
    // The Unix mode, and the MS-DOS attribute of folders.
    record.append(mode << 16 | (isFolder ? 0x10 : 0))
    record.append(Self.short(headerOffset, isLong: Self.isLong(headerOffset)))
    record.append(name)
    record.append(extra)
    return record.bytes
  }

  /// Appends the fields from the version to the checksum.
  private func appendCommon(to record: inout RecordBytes, hasZip64: Bool) {
    let (date, time) = modified.dos
    record.append(versionNeeded(hasZip64))
    record.append(ZipFlags.utf8.rawValue)
    record.append(method.rawValue)
    record.append(time)
    record.append(date)
    record.append(crc32)
  }

  private func extraFields(_ long: [UInt64]) -> [UInt8] {
    var extra = RecordBytes()
    if !long.isEmpty {
      extra.append(ExtraFields.zip64)
      extra.append(UInt16(truncatingIfNeeded: 8 * long.count))
      for number in long { extra.append(number) }
    }
    // The range of the field ends in 2038.
    if let seconds = Int32(exactly: modified.seconds) {
      extra.append(ExtraFields.extendedTimestamp)
      extra.append(5 as UInt16)
      // Only the modification date is present.
      extra.append([1])
      extra.append(UInt32(bitPattern: seconds))
    }
    return extra.bytes
  }
}

extension EndRecord {
  /// The end records (APPNOTE 4.3.14 to 4.3.16), with the Zip64 ones only if needed.
  static func bytes(entryCount: UInt64, directoryOffset: UInt64, directoryByteCount: UInt64) -> [UInt8] {
    let isLong =
      entryCount > UInt64(sentinel16) || directoryOffset >= UInt64(sentinel32)
      || directoryByteCount >= UInt64(sentinel32)
    var record = RecordBytes()
    if isLong {
      record.append(zip64Signature)
      record.append(UInt64(zip64ByteCount - 12))
      // Version 4.5, both made by and needed.
      record.append(45 as UInt16)
      record.append(45 as UInt16)
      for _ in 0..<2 { record.append(0 as UInt32) }
      for number in [entryCount, entryCount, directoryByteCount, directoryOffset] { record.append(number) }
      record.append(locatorSignature)
      record.append(0 as UInt32)
      record.append(directoryOffset + directoryByteCount)
      record.append(1 as UInt32)
    }
    record.append(signature)
    for _ in 0..<2 { record.append(0 as UInt16) }
    let count = UInt16(exactly: entryCount) ?? sentinel16
    for _ in 0..<2 { record.append(count) }
    record.append(UInt32(exactly: directoryByteCount) ?? sentinel32)
    record.append(UInt32(exactly: directoryOffset) ?? sentinel32)
    record.append(0 as UInt16)
    return record.bytes
  }
}

/// A builder of records with little-endian numbers (APPNOTE 4.4.1.1).
struct RecordBytes {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ number: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: number))
    bytes.append(UInt8(truncatingIfNeeded: number >> 8))
  }

  mutating func append(_ number: UInt32) {
    append(UInt16(truncatingIfNeeded: number))
    append(UInt16(truncatingIfNeeded: number >> 16))
  }

  mutating func append(_ number: UInt64) {
    append(UInt32(truncatingIfNeeded: number))
    append(UInt32(truncatingIfNeeded: number >> 32))
  }

  mutating func append(_ more: [UInt8]) { bytes += more }
}
