// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension ZipWriter {
  /// Adds a file of any size without compression, with one piece in memory at a time.
  ///
  /// The header precedes the content and has its checksum, so `content` is called twice. A file that cannot be read, or
  /// that changes between the calls, is not in the directory, and can be added again. Readers ignore the bytes that were
  /// written for it.
  /// - Parameters:
  ///   - name: The name, with `/` as separator.
  ///   - modified: The modification date; nil for the start of 1980, the first of the format.
  ///   - content: Passes the pieces of the file, in order, to the closure that it receives.
  /// - Throws: ``ZipError`` with code `unsafeName`, `badName`, `duplicateName`, `readFailed` or `writerFailed`, or an
  ///   error of `content` or of the sink. After an error of the sink, ``hasFailed`` is `true`.
  package mutating func addFile(
    _ name: String, modified: Date? = nil, content: (_ take: (Data) throws -> Void) throws -> Void
  ) throws {
    var expected = ZipChecksum()
    try content { expected.add($0) }
    let place = try place(ofFile: name)
    let record = EntryRecord(
      name: Array(name.utf8), isFolder: false, method: .stored, crc32: expected.value,
      byteCount: expected.byteCount, compressedByteCount: expected.byteCount, headerOffset: offset,
      modified: Self.timestamp(modified))
    try write(Data(record.header()))
    var found = ZipChecksum()
    try content { piece in
      // A longer file is not written further than the header states.
      guard found.byteCount + UInt64(piece.count) <= expected.byteCount else { throw Self.changed(name) }
      if !piece.isEmpty { try write(piece) }
      found.add(piece)
    }
    guard found.byteCount == expected.byteCount, found.value == expected.value else { throw Self.changed(name) }
    list(record, at: place)
  }

  private static func changed(_ name: String) -> ZipError {
    ZipError(
      .readFailed, entry: name, "the file changed while it was read", remedy: "Try again when no program writes it")
  }
}
