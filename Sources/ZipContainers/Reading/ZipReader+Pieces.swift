// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

import DeflateCoding

extension ZipReader {
  /// The number of bytes of a piece.
  package static var pieceByteCount: Int { 1 << 16 }

  /// Reads the content of an entry in pieces, and verifies it.
  ///
  /// Only a compressed entry is in memory as a whole.
  /// - Parameters:
  ///   - entry: One of ``entries``.
  ///   - limit: The maximum number of bytes of a compressed entry.
  ///   - take: Receives the pieces. They are valid only if the function returns.
  /// - Throws: ``ZipError``, or an error of `take`.
  package func read(_ entry: ZipEntry, inMemory limit: Int, _ take: (Data) throws -> Void) throws {
    try Self.checkMethod(of: entry)
    guard entry.method == .stored else {
      guard entry.byteCount <= limit else {
        throw ZipError(
          .limitReached, at: entry.headerOffset, entry: entry.name,
          "limit reached: found \(entry.byteCount) bytes of a compressed entry; expected at most \(limit)",
          remedy: "Write the entry without compression, which is read in pieces")
      }
      let content = try read(entry)
      if !content.isEmpty { try take(content) }
      return
    }
    let content = try LocalRecord(source, entry).content
    guard content.count == entry.byteCount else { throw Self.wrongSize(entry, at: content.lowerBound) }
    var crc = CRC32()
    var offset = content.lowerBound
    while offset < content.upperBound {
      let count = min(Self.pieceByteCount, content.upperBound - offset)
      let piece = try source.bytes(at: offset, count: count, "The content", entry: entry.name)
      crc.add(piece.bytes, in: 0..<count)
      try take(piece)
      offset += count
    }
    try Self.check(crc, of: entry)
  }
}
