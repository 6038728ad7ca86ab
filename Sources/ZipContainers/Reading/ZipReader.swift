// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

import DeflateCoding

/// Reads the entries of a ZIP file, in any order, one at a time.
///
/// ```swift
/// let reader = try ZipReader(Data(contentsOf: url))
/// for entry in reader.entries where entry.kind == .file && !entry.isFinderMetadata {
///   let path = try entry.safePath()
///   let content = try reader.read(entry)
/// }
/// ```
///
/// Opening a file reads its directory and refuses what no sound file has: entries that share bytes, names that are
/// there twice, counts and sizes that the file cannot hold. Reading an entry checks that its own header says the same as
/// the directory, and its checksum; what is returned is the whole content or nothing.
package struct ZipReader: Sendable {
  /// The entries, in the order of the directory.
  package let entries: [ZipEntry]
  /// What the writer had to say about the file; empty in most.
  package let comment: String

  let source: ZipSource
  private let names: ZipNames

  /// Opens a file in memory, or mapped into it.
  /// - Parameters:
  ///   - data: the whole file.
  ///   - limits: how much to accept.
  /// - Throws: ``ZipError``.
  package init(_ data: Data, limits: ZipLimits = .default) throws(ZipError) {
    try self.init(ZipSource(data), limits)
  }

  /// Opens a file that is read piece by piece.
  /// - Parameters:
  ///   - byteCount: the size of the file.
  ///   - limits: how much to accept.
  ///   - readAt: returns `count` bytes from `offset` on, all of which are inside the file.
  /// - Throws: ``ZipError``; what `readAt` throws becomes one with code `readFailed`.
  package init(
    byteCount: Int, limits: ZipLimits = .default,
    readAt: @escaping @Sendable (_ offset: Int, _ count: Int) throws -> Data
  ) throws(ZipError) {
    try self.init(ZipSource(byteCount: byteCount, readAt: readAt), limits)
  }

  private init(_ source: ZipSource, _ limits: ZipLimits) throws(ZipError) {
    let end = try EndRecord(source)
    try ZipLimits.check(
      UInt64(end.directory.count), limits.maximumDirectoryByteCount, "bytes of directory", "maximumDirectoryByteCount",
      at: end.directory.lowerBound)
    try ZipLimits.check(
      end.entryCount, limits.maximumEntryCount, "entries", "maximumEntryCount", at: end.directory.lowerBound)
    guard end.entryCount <= UInt64(end.directory.count / DirectoryRecord.byteCount) else {
      throw ZipError(
        .badRecord, at: end.directory.lowerBound,
        "The end record claims \(end.entryCount) entries, more than the \(end.directory.count) bytes of the directory can "
          + "describe")
    }
    let directory = try source.bytes(at: end.directory.lowerBound, count: end.directory.count, "The directory")
    var entries: [ZipEntry] = []
    entries.reserveCapacity(Int(clamping: end.entryCount))
    var names = ZipNames(maximumDepth: limits.maximumDepth)
    var place = 0
    var total = 0
    for number in 0..<Int(clamping: end.entryCount) {
      let record = try DirectoryRecord(directory.bytes, at: place, start: end.directory.lowerBound, limits: limits)
      try names.insert(
        record.entry.name, isFolder: record.entry.kind == .folder, number: number, at: record.entry.rawName.lowerBound)
      let (sum, overflow) = total.addingReportingOverflow(record.entry.byteCount)
      total = overflow ? Int.max : sum
      place = record.end
      entries.append(record.entry)
    }
    guard place == directory.count else {
      throw ZipError(
        .badRecord, at: end.directory.lowerBound + place,
        "The directory goes on behind the \(end.entryCount) entries that the end record claims")
    }
    try limits.checkExpansion(to: total, from: source.byteCount)
    try Self.setLimits(of: &entries)
    self.entries = entries
    self.names = names
    self.source = source
    comment = (try? ZipName.decode(end.comment, isUTF8: false, host: ZipName.unix, unicodePath: nil, at: 0)) ?? ""
  }

  /// Notes of each entry where the next one begins, and refuses those that share bytes.
  private static func setLimits(of entries: inout [ZipEntry]) throws(ZipError) {
    let order = entries.indices.sorted {
      (entries[$0].headerOffset, $0) < (entries[$1].headerOffset, $1)
    }
    for (i, number) in order.enumerated() {
      let entry = entries[number]
      let limit = i + 1 < order.count ? entries[order[i + 1]].headerOffset : entry.limit
      // Extra fields may add to this; that shows when the entry is read.
      let least = LocalRecord.byteCount + entry.rawName.count + entry.compressedByteCount
      guard least <= limit - entry.headerOffset else {
        throw ZipError(
          .overlap, at: entry.headerOffset, entry: entry.name,
          "The entry takes at least \(least) bytes, but \(limit - entry.headerOffset) bytes on the next one or the "
            + "directory begins; the file is damaged or made to expand without end")
      }
      entries[number].limit = limit
    }
  }

  /// The name that an entry's own header gives it, where that is another than the directory's; nil where both agree, and
  /// where there is no header to be read.
  ///
  /// One of the two is wrong then, and ``read(_:)`` refuses the entry. Who leaves entries out for their names should know
  /// that this one may be something else.
  package func otherName(of entry: ZipEntry) -> String? {
    guard
      let header = try? source.bytes(at: entry.headerOffset, count: LocalRecord.byteCount, "The header of an entry"),
      header.bytes.halfWord(at: 0) == LocalRecord.signature
    else { return nil }
    let count = Int(header.bytes.quarterWord(at: 26))
    guard let name = try? source.bytes(at: entry.headerOffset + LocalRecord.byteCount, count: count, "The name"),
      let known = try? source.bytes(at: entry.rawName.lowerBound, count: entry.rawName.count, "The name"),
      name != known
    else { return nil }
    return String(decoding: name, as: UTF8.self)
  }

  /// The entry with a name; of a folder with the `/` at its end or without.
  package func entry(named name: String) -> ZipEntry? { names[name].map { entries[$0] } }
}
