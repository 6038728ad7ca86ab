// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How much a reader of ZIP files is willing to spend on bytes it was handed.
///
/// All of them are judged from the directory when a file is opened, before anything is reserved for an entry.
/// Independent of them, an entry that claims more bytes than its compressed ones can give is refused.
package struct ZipLimits: Hashable, Sendable {
  /// How many entries a file may have.
  package var maximumEntryCount: Int
  /// How many bytes the directory of all entries may take; it is held in memory while a file is opened.
  package var maximumDirectoryByteCount: Int
  /// How many bytes the name of an entry may have.
  package var maximumNameByteCount: Int
  /// How many folders and names deep a safe path may be.
  package var maximumDepth: Int
  /// How many bytes an entry may have once inflated.
  package var maximumEntryByteCount: Int
  /// How often larger than the file all entries together may be. It is not asked of files whose entries take no more
  /// than 16 MiB together.
  package var maximumExpansion: Int

  /// Makes limits; what is not given keeps its default.
  /// - Parameters:
  ///   - maximumEntryCount: entries, 1 million unless given.
  ///   - maximumDirectoryByteCount: bytes, 256 MiB unless given.
  ///   - maximumNameByteCount: bytes, 1024 unless given.
  ///   - maximumDepth: components of a path, 32 unless given.
  ///   - maximumEntryByteCount: bytes, 1 GiB unless given.
  ///   - maximumExpansion: inflated over compressed, 200 unless given.
  package init(
    maximumEntryCount: Int = 1_000_000, maximumDirectoryByteCount: Int = 1 << 28, maximumNameByteCount: Int = 1024,
    maximumDepth: Int = 32, maximumEntryByteCount: Int = 1 << 30, maximumExpansion: Int = 200
  ) {
    self.maximumEntryCount = maximumEntryCount
    self.maximumDirectoryByteCount = maximumDirectoryByteCount
    self.maximumNameByteCount = maximumNameByteCount
    self.maximumDepth = maximumDepth
    self.maximumEntryByteCount = maximumEntryByteCount
    self.maximumExpansion = maximumExpansion
  }

  /// The limits that apply where none are given.
  package static let `default` = ZipLimits()

  /// Entries that take no more than this together are never too great an expansion.
  static let unquestionedByteCount = 1 << 24
}

extension ZipLimits {
  /// Checks the sum of all entries against the size of the file.
  func checkExpansion(to total: Int, from fileByteCount: Int) throws(ZipError) {
    let (allowed, overflow) = fileByteCount.multipliedReportingOverflow(by: max(0, maximumExpansion))
    guard total > Self.unquestionedByteCount, !overflow, total > allowed else { return }
    throw ZipError(
      .limitReached,
      "The entries claim \(total) bytes together, more than \(maximumExpansion) times the \(fileByteCount) bytes of the "
        + "file; raise ZipLimits.maximumExpansion to accept it")
  }

  /// Checks one number against a limit.
  /// - Parameters:
  ///   - value: the number, which may be larger than any that can be counted here.
  ///   - limit: the limit.
  ///   - what: what is counted, for the message.
  ///   - name: the limit's name in ``ZipLimits``.
  ///   - byteOffset: where the number is.
  ///   - entry: whose number it is.
  /// - Throws: ``ZipError`` with code `limitReached`.
  static func check(
    _ value: UInt64, _ limit: Int, _ what: StaticString, _ name: StaticString, at byteOffset: Int, entry: String? = nil
  ) throws(ZipError) {
    guard value > UInt64(max(0, limit)) else { return }
    throw ZipError(
      .limitReached, at: byteOffset, entry: entry,
      "\(value) \(what) are more than the \(limit) that are allowed; raise ZipLimits.\(name) to accept them")
  }
}
