// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import DeflateCoding

/// A record of the directory (APPNOTE 4.3.12).
struct DirectoryRecord {
  let entry: ZipEntry
  /// The position of the next record in the part of the directory.
  let end: Int

  static let signature: UInt32 = 0x0201_4B50
  static let byteCount = 46
  /// The maximum number of bytes of a record: its fields, and a name, extra fields and a comment of 65,535 bytes each.
  static let maximumByteCount = byteCount + 3 * 0xFFFF

  /// Reads the record at a position of a part of the directory, which has all of the record.
  /// - Parameters:
  ///   - directory: The part.
  ///   - position: The position of the record in the part.
  ///   - start: The offset of the part in the file.
  ///   - range: The range of the directory in the file. All entries must end before it.
  ///   - limits: The limits for reading.
  /// - Throws: ``ZipError`` for an invalid record, or one over the limits.
  init(
    _ directory: RawSpan, at position: Int, start: Int, of range: Range<Int>, limits: ZipLimits
  ) throws(ZipError) {
    let offset = start + position
    let left = directory.byteCount - position
    guard left >= Self.byteCount, directory.halfWord(at: position) == Self.signature else {
      throw ZipError(
        .badRecord, at: offset, "missing directory record: expected one of at least \(Self.byteCount) bytes")
    }
    let nameCount = Int(directory.quarterWord(at: position + 28))
    let extraCount = Int(directory.quarterWord(at: position + 30))
    let name = position + Self.byteCount..<position + Self.byteCount + nameCount
    let extra = name.upperBound..<name.upperBound + extraCount
    end = extra.upperBound + Int(directory.quarterWord(at: position + 32))
    guard end <= directory.byteCount else {
      throw ZipError(
        .badRecord, at: offset,
        "directory record too long: found \(end - position) bytes; only \(left) are left in the directory")
    }
    let flags = ZipFlags(rawValue: directory.quarterWord(at: position + 8))
    let host = directory.quarterWord(at: position + 4) >> 8
    let rawName = directory.extracting(name).array()
    let fields = try ExtraFields(directory, in: extra, at: start + extra.lowerBound, entry: nil)
    let text = try ZipName.decode(
      rawName, isUTF8: flags.contains(.utf8), host: host,
      unicodePath: fields[ExtraFields.unicodePath].map { directory.extracting($0).array() },
      at: start + name.lowerBound)
    try ZipLimits.check(
      UInt64(max(nameCount, text.utf8.count)), limits.maximumNameByteCount, "bytes of name", "maximumNameByteCount",
      at: offset)

    // The order of the fields is fixed (APPNOTE 4.5.3).
    var zip64 = Zip64Field(fields[ExtraFields.zip64])
    let byteCount = zip64.value(of: directory.halfWord(at: position + 24), directory)
    let compressedByteCount = zip64.value(of: directory.halfWord(at: position + 20), directory)
    let headerOffset = zip64.value(of: directory.halfWord(at: position + 42), directory)
    guard let byteCount, let compressedByteCount, let headerOffset else {
      throw ZipError(
        .badRecord, at: offset, entry: text, "missing Zip64 field: the record refers to one for its sizes")
    }
    let disk = directory.quarterWord(at: position + 34)
    guard disk == 0 || disk == EndRecord.sentinel16 else {
      throw ZipError(
        .unsupportedFeature, at: offset, entry: text,
        "multipart archive: the entry is in part \(disk)")
    }
    let method = ZipMethod(rawValue: directory.quarterWord(at: position + 10))
    try Self.checkSizes(
      byteCount, compressedByteCount, headerOffset, method, isEncrypted: flags.contains(.encrypted),
      end: range.lowerBound,
      limits: limits, at: offset, entry: text)

    let mode = UInt16(truncatingIfNeeded: directory.halfWord(at: position + 38) >> 16)
    entry = ZipEntry(
      name: text, kind: Self.kind(of: text, mode: mode, attributes: directory.byte(at: position + 38), host: host),
      method: method, byteCount: Int(clamping: byteCount), compressedByteCount: Int(clamping: compressedByteCount),
      crc32: directory.halfWord(at: position + 16),
      modified: Self.date(
        directory, fields[ExtraFields.extendedTimestamp], date: directory.quarterWord(at: position + 14),
        time: directory.quarterWord(at: position + 12)),
      unixMode: mode == 0 ? nil : mode, isEncrypted: flags.contains(.encrypted), flags: flags,
      headerOffset: Int(clamping: headerOffset), rawName: start + name.lowerBound..<start + name.upperBound,
      limit: range.lowerBound)
  }

  private static func checkSizes(
    _ byteCount: UInt64, _ compressedByteCount: UInt64, _ headerOffset: UInt64, _ method: ZipMethod,
    isEncrypted: Bool, end: Int, limits: ZipLimits, at offset: Int, entry: String
  ) throws(ZipError) {
    guard headerOffset <= UInt64(end), compressedByteCount <= UInt64(end) - headerOffset else {
      throw ZipError(
        .truncated, at: offset, entry: entry,
        "entry too long: expected \(compressedByteCount) bytes from byte \(headerOffset) on; the directory begins at "
          + "byte \(end)")
    }
    try ZipLimits.check(
      byteCount, limits.maximumEntryByteCount, "bytes of one entry", "maximumEntryByteCount", at: offset, entry: entry)
    guard !isEncrypted else { return }
    let (most, overflow) = compressedByteCount.multipliedReportingOverflow(by: UInt64(Inflater.maximumExpansion))
    let isPossible =
      switch method {
      case .stored: byteCount == compressedByteCount
      case .deflated: overflow || byteCount <= most
      default: true
      }
    guard isPossible else {
      throw ZipError(
        .wrongSize, at: offset, entry: entry,
        "impossible size: found \(byteCount) bytes, which \(compressedByteCount) bytes (\(method)) cannot expand to")
    }
  }

  /// Determines the kind from the Unix mode, a `/` at the end of the name, and the DOS attribute of folders.
  private static func kind(of name: String, mode: UInt16, attributes: UInt8, host: UInt16) -> ZipEntry.Kind {
    let type = mode & 0o170000
    // The host is ignored, because some tools create symbolic links for this mode from any host.
    if type == 0o120000 { return .symbolicLink }
    if name.utf8.last == UInt8(ascii: "/") { return .folder }
    if host == ZipName.unix || host == ZipName.darwin {
      switch type {
      case 0, 0o100000: return .file
      case 0o040000: return .folder
      default: return .special
      }
    }
    return attributes & 0x10 != 0 ? .folder : .file
  }

  private static func date(_ bytes: RawSpan, _ field: Range<Int>?, date: UInt16, time: UInt16) -> Date? {
    // The lowest flag announces the modification date, a signed 32-bit number.
    if let field, field.count >= 5, bytes.byte(at: field.lowerBound) & 1 != 0 {
      return Date(
        timeIntervalSince1970: Double(Int32(bitPattern: bytes.halfWord(at: field.lowerBound + 1))))
    }
    return ZipTimestamp(dosDate: date, time: time).map { Date(timeIntervalSince1970: Double($0.seconds)) }
  }
}
