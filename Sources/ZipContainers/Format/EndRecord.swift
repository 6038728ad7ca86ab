// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

import DeflateCoding

/// The record that ends a ZIP file, and its Zip64 form where there is one: where the directory is and how many entries
/// it has (APPNOTE 4.3.14 to 4.3.16).
struct EndRecord {
  /// How many records the directory has.
  let entryCount: UInt64
  /// Where the directory is.
  let directory: Range<Int>
  /// What the writer had to say about the file.
  let comment: [UInt8]

  static let signature: UInt32 = 0x0605_4B50
  static let byteCount = 22
  static let locatorSignature: UInt32 = 0x0706_4B50
  static let locatorByteCount = 20
  static let zip64Signature: UInt32 = 0x0606_4B50
  static let zip64ByteCount = 56
  /// In a field of the short record: look at the long one.
  static let sentinel16: UInt16 = 0xFFFF
  static let sentinel32: UInt32 = 0xFFFF_FFFF

  /// What the short record says.
  private struct Claim {
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
    // A comment has 65535 bytes at most.
    let tailCount = min(source.byteCount, Self.byteCount + 0xFFFF)
    let tail = try source.bytes(at: source.byteCount - tailCount, count: tailCount, "The end of the file")
    let bytes = tail.bytes
    let place = try Self.find(bytes, in: source)
    let offset = source.byteCount - tailCount + place
    let short = Claim(
      disk: UInt64(bytes.quarterWord(at: place + 4)), directoryDisk: UInt64(bytes.quarterWord(at: place + 6)),
      diskEntryCount: UInt64(bytes.quarterWord(at: place + 8)), entryCount: UInt64(bytes.quarterWord(at: place + 10)),
      byteCount: UInt64(bytes.halfWord(at: place + 12)), offset: UInt64(bytes.halfWord(at: place + 16)))
    comment = bytes.extracting(place + Self.byteCount..<tailCount).array()
    var claim = short
    var end = offset
    if let (long, start) = try Self.readZip64(source, before: offset) {
      try Self.compare(short, long, at: offset)
      claim = long
      end = start
    }
    guard claim.disk == 0, claim.directoryDisk == 0, claim.diskEntryCount == claim.entryCount else {
      throw ZipError(
        .unsupportedFeature, at: end,
        "The file is one part of several (part \(claim.disk), directory in part \(claim.directoryDisk)); join the parts "
          + "with the tool that made them")
    }
    let (sum, overflow) = claim.offset.addingReportingOverflow(claim.byteCount)
    guard !overflow, sum <= UInt64(end), let from = Int(exactly: claim.offset), let to = Int(exactly: sum) else {
      throw ZipError(
        .truncated, at: end,
        "The directory should take \(claim.byteCount) bytes from byte \(claim.offset) on, but ends at byte \(end); bytes "
          + "are missing in front of it")
    }
    guard to == end else {
      throw ZipError(
        .badRecord, at: to,
        "The directory should end at byte \(end), where its end record begins, but ends at byte \(to); bytes were put in "
          + "between, or in front of the file")
    }
    entryCount = claim.entryCount
    directory = from..<to
  }

  /// Where the record begins, whose comment must end where the file does.
  private static func find(_ tail: RawSpan, in source: ZipSource) throws(ZipError) -> Int {
    var found: Int?
    var place = tail.byteCount - byteCount
    while place >= 0 {
      if tail.halfWord(at: place) == signature,
        Int(tail.quarterWord(at: place + 20)) == tail.byteCount - place - byteCount
      {
        // One inside the other's comment: programs would choose differently, and show different entries.
        guard found == nil else {
          throw ZipError(
            .badRecord, at: source.byteCount - tail.byteCount + place,
            "The file has two end records, one in the comment of the other, so it is not clear which entries it has")
        }
        found = place
      }
      place -= 1
    }
    if let found { return found }
    let start = try source.bytes(at: 0, count: min(4, source.byteCount), "The start of the file")
    if start.count == 4, start.bytes.halfWord(at: 0) == LocalRecord.signature {
      throw ZipError(
        .truncated, at: source.byteCount,
        "The file begins as a ZIP file does, but has no end record; it was cut off, or something was put behind it")
    }
    throw ZipError(.notZip, "A ZIP file ends with an end record, but there is none; this is another kind of file")
  }

  /// Reads the long record through the locator that stands directly in front of the short one, if there is a locator.
  private static func readZip64(
    _ source: ZipSource, before offset: Int
  ) throws(ZipError) -> (claim: Claim, start: Int)? {
    guard offset >= locatorByteCount else { return nil }
    let place = offset - locatorByteCount
    let locator = try source.bytes(at: place, count: locatorByteCount, "The Zip64 locator")
    guard locator.bytes.halfWord(at: 0) == locatorSignature else { return nil }
    let start = locator.bytes.word(at: 8)
    guard start <= UInt64(place), UInt64(place) - start >= UInt64(zip64ByteCount), let start = Int(exactly: start)
    else {
      throw ZipError(
        .badRecord, at: place + 8, "The Zip64 end record should begin at byte \(start), but there is no room for it")
    }
    guard locator.bytes.halfWord(at: 4) == 0, locator.bytes.halfWord(at: 16) <= 1 else {
      throw ZipError(
        .unsupportedFeature, at: place,
        "The file is one part of several (\(locator.bytes.halfWord(at: 16))); join the parts with the tool that made them"
      )
    }
    let record = try source.bytes(at: start, count: zip64ByteCount, "The Zip64 end record")
    let bytes = record.bytes
    guard bytes.halfWord(at: 0) == zip64Signature else {
      throw ZipError(
        .badRecord, at: start, "The Zip64 end record should begin at byte \(start), but something else is there")
    }
    // The size leaves itself and the signature out (APPNOTE 4.3.14.1).
    guard bytes.word(at: 4) == UInt64(place - start - 12) else {
      throw ZipError(
        .badRecord, at: start + 4,
        "The Zip64 end record should have \(place - start - 12) bytes to reach its locator, but claims "
          + "\(bytes.word(at: 4))")
    }
    let claim = Claim(
      disk: UInt64(bytes.halfWord(at: 16)), directoryDisk: UInt64(bytes.halfWord(at: 20)),
      diskEntryCount: bytes.word(at: 24), entryCount: bytes.word(at: 32), byteCount: bytes.word(at: 40),
      offset: bytes.word(at: 48))
    return (claim, start)
  }

  /// Checks that the short record says the same as the long one, or refers to it.
  private static func compare(_ short: Claim, _ long: Claim, at offset: Int) throws(ZipError) {
    let (narrow, wide) = (UInt64(sentinel16), UInt64(sentinel32))
    let pairs: [(UInt64, UInt64, UInt64)] = [
      (short.disk, long.disk, narrow), (short.directoryDisk, long.directoryDisk, narrow),
      (short.diskEntryCount, long.diskEntryCount, narrow), (short.entryCount, long.entryCount, narrow),
      (short.byteCount, long.byteCount, wide), (short.offset, long.offset, wide),
    ]
    for (said, meant, sentinel) in pairs where said != sentinel && said != meant {
      throw ZipError(
        .disagreement, at: offset, "The end record says \(said) where the Zip64 end record says \(meant)")
    }
  }
}
