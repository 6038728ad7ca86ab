// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import DeflateCoding

/// The end record of a ZIP file, with its Zip64 form if present. It locates the directory (APPNOTE 4.3.14 to 4.3.16).
struct EndRecord {
  let entryCount: UInt64
  /// The range of the directory.
  let directory: Range<Int>
  let comment: [UInt8]

  static let signature: UInt32 = 0x0605_4B50
  static let byteCount = 22
  /// The number of bytes of the record with the longest comment.
  static let maximumByteCount = byteCount + 0xFFFF
  static let locatorSignature: UInt32 = 0x0706_4B50
  static let locatorByteCount = 20
  static let zip64Signature: UInt32 = 0x0606_4B50
  static let zip64ByteCount = 56
  /// The value of a field of the short record that refers to the Zip64 record.
  static let sentinel16: UInt16 = 0xFFFF
  static let sentinel32: UInt32 = 0xFFFF_FFFF

  private struct Fields {
    var disk: UInt64
    var directoryDisk: UInt64
    var diskEntryCount: UInt64
    var entryCount: UInt64
    var byteCount: UInt64
    var offset: UInt64
  }

  /// Finds and checks the record.
  /// - Throws: ``ZipError`` with code `notZip`, `truncated`, `badRecord`, `disagreement`, `unsupportedFeature` or
  ///   `readFailed`.
  init(_ source: ZipSource) throws(ZipError) {
    let tailCount = min(source.byteCount, Self.maximumByteCount)
    let tail = try source.bytes(at: source.byteCount - tailCount, count: tailCount, "The end of the file")
    let bytes = tail.bytes
    let position = try Self.find(bytes, in: source)
    let offset = source.byteCount - tailCount + position
    let short = Fields(
      disk: UInt64(bytes.quarterWord(at: position + 4)), directoryDisk: UInt64(bytes.quarterWord(at: position + 6)),
      diskEntryCount: UInt64(bytes.quarterWord(at: position + 8)),
      entryCount: UInt64(bytes.quarterWord(at: position + 10)),
      byteCount: UInt64(bytes.halfWord(at: position + 12)), offset: UInt64(bytes.halfWord(at: position + 16)))
    comment = bytes.extracting(position + Self.byteCount..<tailCount).array()
    var fields = short
    var end = offset
    if let (long, start) = try Self.readZip64(source, before: offset) {
      try Self.compare(short, long, at: offset)
      fields = long
      end = start
    }
    guard fields.disk == 0, fields.directoryDisk == 0, fields.diskEntryCount == fields.entryCount else {
      throw ZipError(
        .unsupportedFeature, at: end,
        "multipart archive: found part \(fields.disk), with the directory in part \(fields.directoryDisk)")
    }
    let (sum, overflow) = fields.offset.addingReportingOverflow(fields.byteCount)
    guard !overflow, sum <= UInt64(end), let from = Int(exactly: fields.offset), let to = Int(exactly: sum) else {
      throw ZipError(
        .truncated, at: end,
        "directory too long: expected \(fields.byteCount) bytes from byte \(fields.offset) on; it ends at byte \(end)",
        remedy: "The start of the file may be missing; compare its size with the original")
    }
    guard to == end else {
      throw ZipError(
        .badRecord, at: to,
        "misplaced directory: it ends at byte \(to); expected byte \(end), where its end record begins",
        remedy: "Bytes were inserted between them, or before the file; use another copy")
    }
    entryCount = fields.entryCount
    directory = from..<to
  }

  /// Returns whether bytes contain the signature of the record.
  static func hasSignature(_ bytes: RawSpan) -> Bool {
    var position = 0
    while position <= bytes.byteCount - 4 {
      if bytes.halfWord(at: position) == signature { return true }
      position += 1
    }
    return false
  }

  /// Finds the record, whose comment must end where the file ends.
  private static func find(_ tail: RawSpan, in source: ZipSource) throws(ZipError) -> Int {
    var found: Int?
    var position = tail.byteCount - byteCount
    while position >= 0 {
      if tail.halfWord(at: position) == signature,
        Int(tail.quarterWord(at: position + 20)) == tail.byteCount - position - byteCount
      {
        // Programs would choose different end records, and thus show different entries.
        guard found == nil else {
          throw ZipError(
            .badRecord, at: source.byteCount - tail.byteCount + position,
            "ambiguous end record: the comment of one contains another")
        }
        found = position
      }
      position -= 1
    }
    if let found { return found }
    let start = try source.bytes(at: 0, count: min(4, source.byteCount), "The start of the file")
    if start.count == 4, start.bytes.halfWord(at: 0) == LocalRecord.signature {
      throw ZipError(
        .truncated, at: source.byteCount,
        "missing end record: the file begins as a ZIP file",
        remedy: "It may be truncated, or bytes may have been appended; compare its size with the original")
    }
    throw ZipError(.notZip, "not a ZIP file: it has no end record")
  }

  /// Reads the Zip64 record, if its locator directly precedes the short record.
  private static func readZip64(
    _ source: ZipSource, before offset: Int
  ) throws(ZipError) -> (fields: Fields, start: Int)? {
    guard offset >= locatorByteCount else { return nil }
    let position = offset - locatorByteCount
    let locator = try source.bytes(at: position, count: locatorByteCount, "The Zip64 locator")
    guard locator.bytes.halfWord(at: 0) == locatorSignature else { return nil }
    let start = locator.bytes.word(at: 8)
    guard start <= UInt64(position), UInt64(position) - start >= UInt64(zip64ByteCount), let start = Int(exactly: start)
    else {
      throw ZipError(
        .badRecord, at: position + 8, "invalid Zip64 locator: the Zip64 end record cannot begin at byte \(start)")
    }
    guard locator.bytes.halfWord(at: 4) == 0, locator.bytes.halfWord(at: 16) <= 1 else {
      throw ZipError(
        .unsupportedFeature, at: position,
        "multipart archive: found \(locator.bytes.halfWord(at: 16)) parts")
    }
    let record = try source.bytes(at: start, count: zip64ByteCount, "The Zip64 end record")
    let bytes = record.bytes
    guard bytes.halfWord(at: 0) == zip64Signature else {
      throw ZipError(
        .badRecord, at: start, "missing Zip64 end record: expected one at byte \(start)")
    }
    // The size excludes itself and the signature (APPNOTE 4.3.14.1).
    guard bytes.word(at: 4) == UInt64(position - start - 12) else {
      throw ZipError(
        .badRecord, at: start + 4,
        "invalid Zip64 end record: found a size of \(bytes.word(at: 4)) bytes; expected \(position - start - 12), up to its "
          + "locator")
    }
    let fields = Fields(
      disk: UInt64(bytes.halfWord(at: 16)), directoryDisk: UInt64(bytes.halfWord(at: 20)),
      diskEntryCount: bytes.word(at: 24), entryCount: bytes.word(at: 32), byteCount: bytes.word(at: 40),
      offset: bytes.word(at: 48))
    return (fields, start)
  }

  /// Checks that each field of the short record equals that of the long one or refers to it.
  private static func compare(_ short: Fields, _ long: Fields, at offset: Int) throws(ZipError) {
    let (narrow, wide) = (UInt64(sentinel16), UInt64(sentinel32))
    let pairs: [(UInt64, UInt64, UInt64)] = [
      (short.disk, long.disk, narrow), (short.directoryDisk, long.directoryDisk, narrow),
      (short.diskEntryCount, long.diskEntryCount, narrow), (short.entryCount, long.entryCount, narrow),
      (short.byteCount, long.byteCount, wide), (short.offset, long.offset, wide),
    ]
    for (found, expected, sentinel) in pairs where found != sentinel && found != expected {
      throw ZipError(
        .disagreement, at: offset, "inconsistent end records: found \(found); the Zip64 end record has \(expected)")
    }
  }
}
