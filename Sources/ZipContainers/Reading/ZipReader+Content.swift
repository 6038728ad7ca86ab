// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

import DeflateCoding

extension ZipReader {
  /// The bytes of an entry, inflated and checked.
  ///
  /// Of a symbolic link they are the path it points to, of a folder there are usually none.
  /// - Parameter entry: one of ``entries``.
  /// - Returns: all of its bytes.
  /// - Throws: ``ZipError``.
  package func read(_ entry: ZipEntry) throws(ZipError) -> Data {
    let content = try readContent(entry)
    var crc = CRC32()
    crc.add(content.bytes, in: 0..<content.count)
    guard crc.value == entry.crc32 else {
      throw ZipError(
        .checksumMismatch, at: entry.headerOffset, entry: entry.name,
        "The checksum of the entry is \(String(entry.crc32, radix: 16)) in the file, but its bytes give "
          + "\(String(crc.value, radix: 16)); the entry is damaged")
    }
    return content
  }

  private func readContent(_ entry: ZipEntry) throws(ZipError) -> Data {
    guard entry.flags.isDisjoint(with: [.encrypted, .stronglyEncrypted, .maskedHeader]) else {
      throw ZipError(
        .encrypted, at: entry.headerOffset, entry: entry.name,
        "The entry is encrypted; unpack it with a tool that knows its password")
    }
    guard entry.method == .stored || entry.method == .deflated, !entry.flags.contains(.patchedData) else {
      throw ZipError(
        .unsupportedMethod, at: entry.headerOffset, entry: entry.name,
        "The entry is \(entry.method), but only entries that are stored or deflated can be read; pack it again as such")
    }
    let record = try LocalRecord(source, entry)
    let bytes = try source.bytes(
      at: record.content.lowerBound, count: record.content.count, "The content", entry: entry.name)
    // Some tools call nothing at all deflated, of folders above all.
    if entry.byteCount == 0, bytes.isEmpty { return Data() }
    if entry.method == .stored {
      guard bytes.count == entry.byteCount else { throw Self.wrongSize(entry, at: record.content.lowerBound) }
      return Data(bytes)
    }
    return try Self.inflate(bytes.bytes, entry, at: record.content.lowerBound)
  }

  /// Inflates into room for as many bytes as the entry claims, which was found possible for its compressed ones.
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
        "The compressed data ends \(bytes.byteCount - end) bytes before the entry does")
    }
    return content
  }

  private static func wrongSize(_ entry: ZipEntry, at offset: Int) -> ZipError {
    ZipError(
      .wrongSize, at: offset, entry: entry.name,
      "The entry claims \(entry.byteCount) bytes, but its content gives more or fewer; the entry is damaged")
  }
}
