// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import DeflateCoding

/// A reader of ZIP files with random access to the entries.
///
/// ```swift
/// let reader = try ZipReader(Data(contentsOf: url))
/// for entry in reader.entries where entry.kind == .file && !entry.isFinderMetadata {
///   let path = try entry.safePath()
///   let content = try reader.read(entry)
/// }
/// ```
///
/// Opening a file reads its directory. It rejects entries that overlap, duplicate names, and counts and sizes that are
/// impossible for the file. Reading an entry checks its local header against the directory, and its checksum. It
/// returns the whole content or throws an error.
package struct ZipReader: Sendable {
  /// The entries, in the order of the directory.
  package let entries: [ZipEntry]
  package let comment: String

  let source: ZipSource
  private let names: ZipNames
  /// The number of bytes of the directory in memory, larger than a record.
  private static let directoryPartByteCount = 1 << 20

  /// Opens a file in memory.
  /// - Parameters:
  ///   - data: The file's bytes.
  ///   - limits: The limits for reading.
  /// - Throws: ``ZipError``.
  package init(_ data: Data, limits: ZipLimits = .default) throws(ZipError) {
    try self.init(ZipSource(data), limits)
  }

  /// Opens a file that is read in pieces.
  /// - Parameters:
  ///   - byteCount: The size of the file.
  ///   - limits: The limits for reading.
  ///   - readAt: Returns `count` bytes of the file from `offset` on.
  /// - Throws: ``ZipError``. An error of `readAt` gets the code `readFailed`.
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
        "too many entries: found \(end.entryCount) in the end record; the directory of \(end.directory.count) bytes cannot "
          + "hold them")
    }
    var entries: [ZipEntry] = []
    var names = ZipNames(maximumDepth: limits.maximumDepth)
    var offset = end.directory.lowerBound
    // A part of the directory. A file that only claims a long one, such as one with a hole, takes no more memory.
    var part = Data()
    var partOffset = offset
    var total = 0
    for number in 0..<Int(clamping: end.entryCount) {
      let partEnd = partOffset + part.count
      if partEnd < end.directory.upperBound, partEnd - offset < DirectoryRecord.maximumByteCount {
        partOffset = offset
        part = try source.bytes(
          at: offset, count: min(Self.directoryPartByteCount, end.directory.upperBound - offset), "The directory")
      }
      let record = try DirectoryRecord(
        part.bytes, at: offset - partOffset, start: partOffset, of: end.directory, limits: limits)
      let name = try names.place(
        for: record.entry.name, isFolder: record.entry.kind == .folder, at: record.entry.rawName.lowerBound)
      names.insert(name, number: number)
      let (sum, overflow) = total.addingReportingOverflow(record.entry.byteCount)
      total = overflow ? Int.max : sum
      offset = partOffset + record.end
      entries.append(record.entry)
    }
    guard offset == end.directory.upperBound else {
      throw ZipError(
        .badRecord, at: offset, "directory too long: expected \(end.entryCount) entries, as in the end record")
    }
    try limits.checkExpansion(to: total, from: source.byteCount)
    try Self.setLimits(of: &entries)
    self.entries = entries
    self.names = names
    self.source = source
    comment = (try? ZipName.decode(end.comment, isUTF8: false, host: ZipName.unix, unicodePath: nil, at: 0)) ?? ""
  }

  /// Sets the limit of each entry to the start of the next one, and rejects entries that overlap.
  private static func setLimits(of entries: inout [ZipEntry]) throws(ZipError) {
    let order = entries.indices.sorted {
      (entries[$0].headerOffset, $0) < (entries[$1].headerOffset, $1)
    }
    for (i, number) in order.enumerated() {
      let entry = entries[number]
      let limit = i + 1 < order.count ? entries[order[i + 1]].headerOffset : entry.limit
      // Extra fields can add to this; reading the entry checks them.
      let least = Int64(LocalRecord.byteCount + entry.rawName.count) + Int64(entry.compressedByteCount)
      guard least <= Int64(limit - entry.headerOffset) else {
        throw ZipError(
          .overlap, at: entry.headerOffset, entry: entry.name,
          "overlapping entries: this one has at least \(least) bytes; the next entry or the directory begins after "
            + "\(limit - entry.headerOffset) bytes")
      }
      entries[number].limit = limit
    }
  }

  /// Returns the name in the local header of an entry, if it differs from that in the directory.
  ///
  /// Reading such an entry throws an error. Callers that skip entries by name must consider both names.
  /// - Parameter entry: One of ``entries``.
  /// - Returns: The other name; nil if both names are equal, or the header is unreadable.
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

  /// Returns the entry with a name. The `/` at the end of a folder is optional.
  /// - Parameter name: The name.
  /// - Returns: The entry; nil if the file has no such entry.
  package func entry(named name: String) -> ZipEntry? { names[name].map { entries[$0] } }
}

extension ZipReader {
  /// Reads the content of an entry, and verifies it.
  ///
  /// The content of a symbolic link is its target. A folder usually has none.
  /// - Parameter entry: One of ``entries``.
  /// - Returns: The whole content.
  /// - Throws: ``ZipError``.
  package func read(_ entry: ZipEntry) throws(ZipError) -> Data {
    let content = try readContent(entry)
    var crc = CRC32()
    crc.add(content.bytes, in: 0..<content.count)
    try Self.check(crc, of: entry)
    return content
  }

  static func check(_ crc: CRC32, of entry: ZipEntry) throws(ZipError) {
    guard crc.value != entry.crc32 else { return }
    throw ZipError(
      .checksumMismatch, at: entry.headerOffset, entry: entry.name,
      "checksum mismatch: found \(String(crc.value, radix: 16)); expected \(String(entry.crc32, radix: 16))")
  }

  /// Checks that the content of an entry is not encrypted, and that its method is supported.
  static func checkMethod(of entry: ZipEntry) throws(ZipError) {
    guard entry.flags.isDisjoint(with: .encryption) else {
      throw ZipError(
        .encrypted, at: entry.headerOffset, entry: entry.name,
        "encrypted entry")
    }
    guard entry.method == .stored || entry.method == .deflated, !entry.flags.contains(.patchedData) else {
      throw ZipError(
        .unsupportedMethod, at: entry.headerOffset, entry: entry.name,
        "unsupported compression: found \(entry.method); expected stored or deflated")
    }
  }

  private func readContent(_ entry: ZipEntry) throws(ZipError) -> Data {
    try Self.checkMethod(of: entry)
    let record = try LocalRecord(source, entry)
    // Blocks without content could otherwise fill the memory. Compressors that flush after each byte write less.
    if entry.method == .deflated, (record.content.count - 65_536) / 16 > entry.byteCount {
      throw ZipError(
        .badCompressedData, at: record.content.lowerBound, entry: entry.name,
        "compressed data too long: found \(record.content.count) bytes for a content of \(entry.byteCount)")
    }
    let bytes = try source.bytes(
      at: record.content.lowerBound, count: record.content.count, "The content", entry: entry.name)
    // Some tools mark empty content, mainly of folders, as deflated.
    if entry.byteCount == 0, bytes.isEmpty { return Data() }
    if entry.method == .stored {
      guard bytes.count == entry.byteCount else { throw Self.wrongSize(entry, at: record.content.lowerBound) }
      return Data(bytes)
    }
    return try Self.inflate(bytes.bytes, entry, at: record.content.lowerBound)
  }

  /// Inflates into a buffer of the stated size, which is possible for the compressed size.
  private static func inflate(_ bytes: RawSpan, _ entry: ZipEntry, at offset: Int) throws(ZipError) -> Data {
    var content = Data(count: entry.byteCount)
    let end: Int
    do throws(DeflateError) {
      var room = content.mutableBytes
      end = try Inflater.inflate(bytes, into: &room)
    } catch {
      if error.code == .wrongSize { throw wrongSize(entry, at: offset + error.byteOffset) }
      throw ZipError(.badCompressedData, at: offset + error.byteOffset, entry: entry.name, error.detail)
    }
    guard end == bytes.byteCount else {
      throw ZipError(
        .badCompressedData, at: offset + end, entry: entry.name,
        "compressed data too short: they end \(bytes.byteCount - end) bytes before the entry")
    }
    return content
  }

  static func wrongSize(_ entry: ZipEntry, at offset: Int) -> ZipError {
    ZipError(
      .wrongSize, at: offset, entry: entry.name,
      "wrong size: expected \(entry.byteCount) bytes, but the content has more or fewer")
  }
}
