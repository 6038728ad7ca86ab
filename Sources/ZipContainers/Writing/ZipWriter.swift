// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

import DeflateCoding

/// A sequential writer of ZIP files.
///
/// ```swift
/// var writer = ZipWriter { try file.write(contentsOf: $0) }
/// try writer.addFolder("Ghost")
/// try writer.addFile("Ghost/data.plist", plist, modified: date)
/// try writer.addFile("Ghost/image.png", png, compression: .stored)
/// try writer.finish()
/// ```
///
/// The writer never seeks back, and holds one entry and the directory in memory. Equal calls give equal bytes on every
/// system. The writer rejects unsafe and duplicate names. ``ZipReader`` can read every file written, with limits for its
/// number of entries and their sizes.
///
/// The writer rethrows errors of the sink; the file is then lost. Without ``finish()``, the file is unreadable.
package struct ZipWriter: ~Copyable {
  package enum Compression: Hashable, Sendable {
    /// No compression. It suits content that is compressed already, such as images.
    case stored
    /// Deflate, even if the size increases, or decreases by more than the factor ``ZipLimits/maximumExpansion``, which
    /// readers reject by default.
    case deflated
    /// Deflate if it reduces the size, but by less than the factor ``ZipLimits/maximumExpansion``.
    case automatic
  }

  private let sink: (Data) throws -> Void
  private(set) var offset: UInt64
  private var directory: [UInt8] = []
  private var entryCount: UInt64 = 0
  private var names = ZipNames(maximumDepth: ZipLimits.default.maximumDepth)
  /// Whether the sink has thrown an error. The file is then lost.
  package private(set) var hasFailed = false
  /// The last bytes written, at least as many as the end of the file in which readers look for its end record.
  private var tail = Data()

  /// Creates a writer.
  /// - Parameters:
  ///   - offset: The number of bytes in the file before the first one written; usually 0.
  ///   - sink: Receives the bytes of the file.
  package init(startingAt offset: UInt64 = 0, sink: @escaping (Data) throws -> Void) {
    self.offset = offset
    self.sink = sink
  }

  /// Adds a file.
  /// - Parameters:
  ///   - name: The name, with `/` as separator.
  ///   - content: The content.
  ///   - compression: The compression.
  ///   - modified: The modification date; nil for the start of 1980, the first of the format.
  /// - Throws: ``ZipError`` with code `unsafeName`, `badName`, `duplicateName` or `writerFailed`, or an error of the
  ///   sink.
  package mutating func addFile(
    _ name: String, _ content: Data, compression: Compression = .automatic, modified: Date? = nil
  ) throws {
    let place = try place(ofFile: name)
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
    let record = EntryRecord(
      name: Array(name.utf8), isFolder: false, method: method, crc32: crc.value, byteCount: UInt64(content.count),
      compressedByteCount: UInt64(stored.count), headerOffset: offset, modified: Self.timestamp(modified))
    try write(Data(record.header()))
    if !stored.isEmpty { try write(stored) }
    list(record, at: place)
  }

  /// Adds a folder. The folders of files need not be added.
  /// - Parameters:
  ///   - name: The name. A missing `/` at the end is added.
  ///   - modified: The modification date; nil for the start of 1980.
  /// - Throws: ``ZipError`` with code `unsafeName`, `badName`, `duplicateName` or `writerFailed`, or an error of the
  ///   sink.
  package mutating func addFolder(_ name: String, modified: Date? = nil) throws {
    let name = name.utf8.last == UInt8(ascii: "/") ? name : name + "/"
    let place = try place(of: name, isFolder: true)
    let record = EntryRecord(
      name: Array(name.utf8), isFolder: true, method: .stored, crc32: 0, byteCount: 0, compressedByteCount: 0,
      headerOffset: offset, modified: Self.timestamp(modified))
    try write(Data(record.header()))
    list(record, at: place)
  }

  /// Writes the directory and the end of the file.
  /// - Throws: ``ZipError`` with code `writerFailed`, or an error of the sink.
  package consuming func finish() throws { try writeDirectory() }

  /// Writes the directory and the end of the file. Nothing can be added afterward.
  /// - Throws: ``ZipError`` with code `writerFailed`, or an error of the sink.
  package mutating func writeDirectory() throws {
    // Content that resembles an end record must not be where readers look for it.
    if EndRecord.hasSignature(tail.bytes) { try write(Data(count: EndRecord.maximumByteCount)) }
    let start = offset
    let end = EndRecord.bytes(
      entryCount: entryCount, directoryOffset: start, directoryByteCount: UInt64(directory.count))
    try write(Data(directory))
    try write(Data(end))
  }

  /// Returns the place for the name of a file, which ``list(_:at:)`` takes.
  func place(ofFile name: String) throws(ZipError) -> ZipNames.Place {
    guard name.utf8.last != UInt8(ascii: "/") else {
      throw ZipError(
        .badName, entry: name, "invalid name: the name of a file ends with a slash", remedy: "Add a folder instead")
    }
    return try place(of: name, isFolder: false)
  }

  private func place(of name: String, isFolder: Bool) throws(ZipError) -> ZipNames.Place {
    // The format allows longer names, but file systems do not.
    let maximum = ZipLimits.default.maximumNameByteCount
    guard name.utf8.count <= maximum else {
      throw ZipError(
        .badName, entry: name,
        "name too long: found \(name.utf8.count) bytes; expected at most \(maximum)",
        remedy: "Shorten it")
    }
    _ = try ZipPath.components(of: name, maximumDepth: ZipLimits.default.maximumDepth)
    do throws(ZipError) {
      // The directory, where readers look for the end record, has the name.
      guard !EndRecord.hasSignature(Data(name.utf8).bytes) else {
        throw ZipError(.badName, entry: name, "invalid name: it contains the signature of an end record")
      }
      return try names.place(for: name, isFolder: isFolder)
    } catch {
      throw ZipError(error.code, entry: name, error.detail, remedy: "Choose another name")
    }
  }

  /// Adds an entry to the directory. Only now is its name taken, because a file whose content cannot be read can be added
  /// again.
  mutating func list(_ record: EntryRecord, at place: ZipNames.Place) {
    names.insert(place)
    directory += record.directoryRecord()
    entryCount += 1
  }

  mutating func write(_ bytes: Data) throws {
    guard !hasFailed else {
      throw ZipError(.writerFailed, "a write failed before, so the file is incomplete")
    }
    // Reset when the sink accepts the bytes.
    hasFailed = true
    try sink(bytes)
    hasFailed = false
    offset += UInt64(bytes.count)
    tail.append(bytes.suffix(EndRecord.maximumByteCount))
    if tail.count > 2 * EndRecord.maximumByteCount { tail = Data(tail.suffix(EndRecord.maximumByteCount)) }
  }

  static func timestamp(_ date: Date?) -> ZipTimestamp {
    date.map { ZipTimestamp(secondsSince1970: $0.timeIntervalSince1970) } ?? .none
  }
}
