// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import DeflateCoding

/// The local header of an entry, before its content, and the data descriptor after it (APPNOTE 4.3.7, 4.3.9).
struct LocalRecord {
  /// The range of the entry's content, compressed or not.
  let content: Range<Int>

  static let signature: UInt32 = 0x0403_4B50
  static let byteCount = 30
  static let descriptorSignature: UInt32 = 0x0807_4B50

  /// Reads the header, and checks that it agrees with the directory and that the entry ends before the next one.
  /// - Throws: ``ZipError`` with code `badRecord`, `disagreement`, `overlap`, `truncated` or `readFailed`.
  init(_ source: ZipSource, _ entry: ZipEntry) throws(ZipError) {
    let offset = entry.headerOffset
    func disagreement(_ what: StaticString, _ fieldOffset: Int) -> ZipError {
      ZipError(
        .disagreement, at: offset + fieldOffset, entry: entry.name,
        "inconsistent \(what): the local header and the directory differ")
    }
    let header = try source.bytes(at: offset, count: Self.byteCount, "The header of an entry", entry: entry.name)
    let bytes = header.bytes
    guard bytes.halfWord(at: 0) == Self.signature else {
      throw ZipError(
        .badRecord, at: offset, entry: entry.name, "missing local header: expected one here")
    }
    let nameCount = Int(bytes.quarterWord(at: 26))
    let extraCount = Int(bytes.quarterWord(at: 28))
    let start = offset + Self.byteCount + nameCount + extraCount
    // The size fits before the directory, so the sum does not overflow.
    guard start <= entry.limit, entry.compressedByteCount <= entry.limit - start else {
      throw ZipError(
        .overlap, at: offset, entry: entry.name,
        "overlapping entries: this one ends at byte \(start + entry.compressedByteCount); the next begins at byte \(entry.limit)"
      )
    }
    content = start..<start + entry.compressedByteCount

    let flags = ZipFlags(rawValue: bytes.quarterWord(at: 6))
    guard flags.intersection(.decisive) == entry.flags.intersection(.decisive) else { throw disagreement("flag", 6) }
    guard bytes.quarterWord(at: 8) == entry.method.rawValue else { throw disagreement("method", 8) }
    guard nameCount == entry.rawName.count else { throw disagreement("length of its name", 26) }
    let name = try source.bytes(
      at: offset + Self.byteCount, count: nameCount + extraCount, "The name", entry: entry.name)
    let known = try source.bytes(at: entry.rawName.lowerBound, count: nameCount, "The name", entry: entry.name)
    guard name.prefix(nameCount) == known else { throw disagreement("name", Self.byteCount) }

    let fields = try ExtraFields(
      name.bytes, in: nameCount..<nameCount + extraCount, at: offset + Self.byteCount + nameCount, entry: entry.name)
    var zip64 = Zip64Field(fields[ExtraFields.zip64])
    let byteCount = zip64.value(of: bytes.halfWord(at: 22), name.bytes)
    let compressedByteCount = zip64.value(of: bytes.halfWord(at: 18), name.bytes)
    guard let byteCount, let compressedByteCount else { throw disagreement("size", 18) }
    // A streaming writer sets these to zero, and writes them after the content.
    let mayBeZero = flags.contains(.dataDescriptor)
    func agrees(_ found: UInt64, _ expected: UInt64) -> Bool { found == expected || (mayBeZero && found == 0) }
    guard agrees(UInt64(bytes.halfWord(at: 14)), UInt64(entry.crc32)) else { throw disagreement("checksum", 14) }
    guard agrees(compressedByteCount, UInt64(entry.compressedByteCount)), agrees(byteCount, UInt64(entry.byteCount))
    else { throw disagreement("size", 18) }
    if mayBeZero { try Self.checkDescriptor(source, entry, at: content.upperBound) }
  }

  /// Checks the data descriptor. Writers omit its signature or not, and store sizes of four or eight bytes.
  private static func checkDescriptor(_ source: ZipSource, _ entry: ZipEntry, at offset: Int) throws(ZipError) {
    let count = min(24, entry.limit - offset)
    let descriptor = try source.bytes(at: offset, count: count, "The data descriptor", entry: entry.name)
    let bytes = descriptor.bytes
    let (size, full) = (UInt64(entry.compressedByteCount), UInt64(entry.byteCount))
    for start in [4, 0] {
      guard count >= start + 12, start == 0 || bytes.halfWord(at: 0) == descriptorSignature,
        bytes.halfWord(at: start) == entry.crc32
      else { continue }
      if UInt64(bytes.halfWord(at: start + 4)) == size, UInt64(bytes.halfWord(at: start + 8)) == full { return }
      if count >= start + 20, bytes.word(at: start + 4) == size, bytes.word(at: start + 12) == full { return }
    }
    throw ZipError(
      .disagreement, at: offset, entry: entry.name,
      "inconsistent data descriptor: its checksum or sizes differ from those of the directory")
  }
}
