// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

import DeflateCoding

/// Writes a ZIP file from its beginning to its end, entry after entry.
///
/// ```swift
/// var writer = ZipWriter { try file.write(contentsOf: $0) }
/// try writer.addFolder("Ghost")
/// try writer.addFile("Ghost/data.plist", plist, modified: date)
/// try writer.addFile("Ghost/image.png", png, compression: .stored)
/// try writer.finish()
/// ```
///
/// Nothing written is gone back to, and no more than one entry is in memory, with the directory's records of those
/// before. The same calls give the same bytes on every system. What is written can be read by ``ZipReader``: names that it
/// would call unsafe or twice there are refused.
///
/// When the sink throws, its error is passed on and the file is lost; without ``finish()`` there is no readable file.
package struct ZipWriter: ~Copyable {
  /// Whether the bytes of an entry are compressed.
  package enum Compression: Hashable, Sendable {
    /// No: they are compressed already, as images are.
    case stored
    /// Yes.
    case deflated
    /// Where it makes them fewer, but not so few that a reader would take them for a bomb.
    case automatic
  }

  private let sink: (Data) throws -> Void
  private var offset: UInt64
  private var directory: [UInt8] = []
  private var entryCount: UInt64 = 0
  private var names = ZipNames(maximumDepth: ZipLimits.default.maximumDepth)
  private var hasFailed = false

  /// Begins a file.
  /// - Parameters:
  ///   - offset: how many bytes stand in front of the first one that is written here; usually none do.
  ///   - sink: takes the next bytes of the file.
  package init(startingAt offset: UInt64 = 0, sink: @escaping (Data) throws -> Void) {
    self.offset = offset
    self.sink = sink
  }

  /// Adds a file.
  /// - Parameters:
  ///   - name: its name, with `/` between folders.
  ///   - content: its bytes.
  ///   - compression: whether to compress them.
  ///   - modified: when it was last changed; the beginning of 1980, the first time that the format knows, unless given.
  /// - Throws: ``ZipError`` with code `unsafeName`, `badName`, `duplicateName` or `writerFailed`; what the sink throws.
  package mutating func addFile(
    _ name: String, _ content: Data, compression: Compression = .automatic, modified: Date? = nil
  ) throws {
    if name.utf8.last == UInt8(ascii: "/") {
      throw ZipError(.badName, entry: name, "The name of a file cannot end with a slash; add it as a folder")
    }
    try insert(name, isFolder: false)
    var crc = CRC32()
    crc.add(content.bytes, in: 0..<content.count)
    var stored = content
    var method = ZipMethod.stored
    if compression != .stored {
      let deflated = Deflater.compress(content.bytes, .plain)
      let isLess = deflated.count < content.count && content.count / ZipLimits.default.maximumExpansion < deflated.count
      if compression == .deflated || isLess {
        stored = Data(deflated)
        method = .deflated
      }
    }
    try add(
      EntryRecord(
        name: Array(name.utf8), isFolder: false, method: method, crc32: crc.value, byteCount: UInt64(content.count),
        compressedByteCount: UInt64(stored.count), headerOffset: offset, modified: Self.timestamp(modified)))
    if !stored.isEmpty { try write(stored) }
  }

  /// Adds a folder. Folders that files lie in need not be added.
  /// - Parameters:
  ///   - name: its name; a `/` at the end is added where there is none.
  ///   - modified: when it was last changed; the beginning of 1980 unless given.
  /// - Throws: ``ZipError`` with code `unsafeName`, `badName`, `duplicateName` or `writerFailed`; what the sink throws.
  package mutating func addFolder(_ name: String, modified: Date? = nil) throws {
    let name = name.utf8.last == UInt8(ascii: "/") ? name : name + "/"
    try insert(name, isFolder: true)
    try add(
      EntryRecord(
        name: Array(name.utf8), isFolder: true, method: .stored, crc32: 0, byteCount: 0, compressedByteCount: 0,
        headerOffset: offset, modified: Self.timestamp(modified)))
  }

  /// Writes the directory and the end of the file.
  /// - Throws: ``ZipError`` with code `writerFailed`; what the sink throws.
  package consuming func finish() throws {
    let start = offset
    let end = EndRecord.bytes(
      entryCount: entryCount, directoryOffset: start, directoryByteCount: UInt64(directory.count))
    try write(Data(directory))
    try write(Data(end))
  }

  private mutating func insert(_ name: String, isFolder: Bool) throws(ZipError) {
    // The format has room for longer ones, but no file system has.
    let most = ZipLimits.default.maximumNameByteCount
    guard name.utf8.count <= most else {
      throw ZipError(
        .badName, entry: name, "A name may have \(most) bytes, but this one has \(name.utf8.count); shorten it")
    }
    _ = try ZipPath.components(of: name, maximumDepth: ZipLimits.default.maximumDepth)
    try names.insert(name, isFolder: isFolder, number: 0)
  }

  private mutating func add(_ record: EntryRecord) throws {
    try write(Data(record.header()))
    directory += record.directoryRecord()
    entryCount += 1
  }

  private mutating func write(_ bytes: Data) throws {
    guard !hasFailed else {
      throw ZipError(.writerFailed, "Writing failed before, so the file cannot be completed; begin a new one")
    }
    // True until the sink has taken the bytes.
    hasFailed = true
    try sink(bytes)
    hasFailed = false
    offset += UInt64(bytes.count)
  }

  private static func timestamp(_ date: Date?) -> ZipTimestamp {
    date.map { ZipTimestamp(secondsSince1970: $0.timeIntervalSince1970) } ?? .none
  }
}
