// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import DeflateCoding

/// One record of the directory (APPNOTE 4.3.12).
struct DirectoryRecord {
  /// What the record says.
  let entry: ZipEntry
  /// Where the next record begins, in the directory.
  let end: Int

  static let signature: UInt32 = 0x0201_4B50
  static let byteCount = 46

  /// Reads the record at `place`.
  /// - Parameters:
  ///   - directory: all records.
  ///   - place: where it begins in there.
  ///   - start: where the directory begins in the file; no entry may reach farther.
  ///   - limits: how long a name and how large an entry may be.
  /// - Throws: ``ZipError``.
  init(_ directory: RawSpan, at place: Int, start: Int, limits: ZipLimits) throws(ZipError) {
    let offset = start + place
    let left = directory.byteCount - place
    guard left >= Self.byteCount, directory.halfWord(at: place) == Self.signature else {
      throw ZipError(
        .badRecord, at: offset, "A directory record of \(Self.byteCount) bytes should begin here, but does not")
    }
    let nameCount = Int(directory.quarterWord(at: place + 28))
    let extraCount = Int(directory.quarterWord(at: place + 30))
    let name = place + Self.byteCount..<place + Self.byteCount + nameCount
    let extra = name.upperBound..<name.upperBound + extraCount
    end = extra.upperBound + Int(directory.quarterWord(at: place + 32))
    guard end <= directory.byteCount else {
      throw ZipError(
        .badRecord, at: offset,
        "A directory record claims \(end - place) bytes, but only \(left) are left of the directory")
    }
    let flags = ZipFlags(rawValue: directory.quarterWord(at: place + 8))
    let host = directory.quarterWord(at: place + 4) >> 8
    let rawName = directory.extracting(name).array()
    let fields = try ExtraFields(directory, in: extra, at: start + extra.lowerBound, entry: nil)
    let text = try ZipName.decode(
      rawName, isUTF8: flags.contains(.utf8), host: host,
      unicodePath: fields[ExtraFields.unicodePath].map { directory.extracting($0).array() },
      at: start + name.lowerBound)
    try ZipLimits.check(
      UInt64(max(nameCount, text.utf8.count)), limits.maximumNameByteCount, "bytes of name", "maximumNameByteCount",
      at: offset)

    // In this order (APPNOTE 4.5.3).
    var zip64 = Zip64Field(fields[ExtraFields.zip64])
    let byteCount = zip64.value(of: directory.halfWord(at: place + 24), directory)
    let compressedByteCount = zip64.value(of: directory.halfWord(at: place + 20), directory)
    let headerOffset = zip64.value(of: directory.halfWord(at: place + 42), directory)
    guard let byteCount, let compressedByteCount, let headerOffset else {
      throw ZipError(
        .badRecord, at: offset, entry: text, "The record refers to a Zip64 field for its sizes, but there is none")
    }
    let disk = directory.quarterWord(at: place + 34)
    guard disk == 0 || disk == EndRecord.sentinel16 else {
      throw ZipError(
        .unsupportedFeature, at: offset, entry: text,
        "The entry is in part \(disk) of a file in several parts; join them with the tool that made them")
    }
    let method = ZipMethod(rawValue: directory.quarterWord(at: place + 10))
    try Self.checkSizes(
      byteCount, compressedByteCount, headerOffset, method, isEncrypted: flags.contains(.encrypted), end: start,
      limits: limits, at: offset, entry: text)

    let mode = UInt16(truncatingIfNeeded: directory.halfWord(at: place + 38) >> 16)
    entry = ZipEntry(
      name: text, kind: Self.kind(of: text, mode: mode, attributes: directory.byte(at: place + 38), host: host),
      method: method, byteCount: Int(clamping: byteCount), compressedByteCount: Int(clamping: compressedByteCount),
      crc32: directory.halfWord(at: place + 16),
      modified: Self.date(
        directory, fields[ExtraFields.extendedTimestamp], date: directory.quarterWord(at: place + 14),
        time: directory.quarterWord(at: place + 12)),
      unixMode: mode == 0 ? nil : mode, isEncrypted: flags.contains(.encrypted), flags: flags,
      headerOffset: Int(clamping: headerOffset), rawName: start + name.lowerBound..<start + name.upperBound,
      limit: start)
  }

  /// Checks what can be told from the record alone.
  private static func checkSizes(
    _ byteCount: UInt64, _ compressedByteCount: UInt64, _ headerOffset: UInt64, _ method: ZipMethod,
    isEncrypted: Bool, end: Int, limits: ZipLimits, at offset: Int, entry: String
  ) throws(ZipError) {
    guard headerOffset <= UInt64(end), compressedByteCount <= UInt64(end) - headerOffset else {
      throw ZipError(
        .truncated, at: offset, entry: entry,
        "The entry should take \(compressedByteCount) bytes from byte \(headerOffset) on, but the directory begins at "
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
        "The entry claims \(byteCount) bytes, which \(compressedByteCount) bytes that are \(method) cannot give")
    }
  }

  /// What the entry is: by its Unix mode, by the `/` at the end of its name, and by the DOS attribute of folders.
  private static func kind(of name: String, mode: UInt16, attributes: UInt8, host: UInt16) -> ZipEntry.Kind {
    let type = mode & 0o170000
    // Whatever system claims to have written it: some tools make links of these without asking.
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
    // The lowest flag says that the time of the last change is there; four bytes, with a sign.
    if let field, field.count >= 5, bytes.byte(at: field.lowerBound) & 1 != 0 {
      return Date(
        timeIntervalSince1970: Double(Int32(bitPattern: bytes.halfWord(at: field.lowerBound + 1))))
    }
    return ZipTimestamp(dosDate: date, time: time).map { Date(timeIntervalSince1970: Double($0.seconds)) }
  }
}
