// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The limits for reading ZIP files.
///
/// They are checked against the directory when a file is opened, before memory is reserved for an entry. Independently,
/// an entry is rejected if its compressed content cannot have the stated size.
package struct ZipLimits: Hashable, Sendable {
  package var maximumEntryCount: Int
  /// The maximum number of bytes of the directory, which is read in parts. Its entries are in memory.
  package var maximumDirectoryByteCount: Int
  package var maximumNameByteCount: Int
  /// The maximum number of components of a safe path.
  package var maximumDepth: Int
  /// The maximum number of bytes of an entry.
  package var maximumEntryByteCount: Int
  /// The maximum ratio of the total size of all entries to the size of the file. Entries of up to 16 MiB in total are
  /// always accepted.
  package var maximumExpansion: Int

  /// Creates limits.
  /// - Parameters:
  ///   - maximumEntryCount: The maximum number of entries.
  ///   - maximumDirectoryByteCount: The maximum number of bytes of the directory.
  ///   - maximumNameByteCount: The maximum number of bytes of a name.
  ///   - maximumDepth: The maximum number of components of a safe path.
  ///   - maximumEntryByteCount: The maximum number of bytes of an entry.
  ///   - maximumExpansion: The maximum ratio of the total size of all entries to the size of the file.
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

  package static let `default` = ZipLimits()

  /// The total size of entries to which ``maximumExpansion`` does not apply.
  static let alwaysAcceptedByteCount = 1 << 24
}

extension ZipLimits {
  /// Checks the total size of all entries against the size of the file.
  func checkExpansion(to total: Int, from fileByteCount: Int) throws(ZipError) {
    let (allowed, overflow) = fileByteCount.multipliedReportingOverflow(by: max(0, maximumExpansion))
    guard total > Self.alwaysAcceptedByteCount, !overflow, total > allowed else { return }
    throw ZipError(
      .limitReached,
      "expansion limit reached: the entries have \(total) bytes, more than \(maximumExpansion) times the file's "
        + "\(fileByteCount) bytes",
      remedy: "If you trust the file, raise ZipLimits.maximumExpansion")
  }

  /// Checks a number against the limit called `name`. The message calls its unit `what`.
  static func check(
    _ value: UInt64, _ limit: Int, _ what: StaticString, _ name: StaticString, at byteOffset: Int, entry: String? = nil
  ) throws(ZipError) {
    guard value > UInt64(max(0, limit)) else { return }
    throw ZipError(
      .limitReached, at: byteOffset, entry: entry,
      "limit reached: found \(value) \(what); expected at most \(limit)",
      remedy: "If you trust the file, raise ZipLimits.\(name)")
  }
}
