// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a file, with random access.
struct ZipSource: Sendable {
  let byteCount: Int
  private let readAt: @Sendable (_ offset: Int, _ count: Int) throws -> Data

  /// Creates a source of bytes in memory, without a copy.
  init(_ data: Data) {
    byteCount = data.count
    readAt = { offset, count in data.dropFirst(offset).prefix(count) }
  }

  init(byteCount: Int, readAt: @escaping @Sendable (_ offset: Int, _ count: Int) throws -> Data) {
    self.byteCount = max(0, byteCount)
    self.readAt = readAt
  }

  /// Reads exactly `count` bytes. Messages call them `what`.
  /// - Throws: ``ZipError`` with code `truncated` or `readFailed`.
  func bytes(at offset: Int, count: Int, _ what: StaticString, entry: String? = nil) throws(ZipError) -> Data {
    guard offset >= 0, count >= 0, offset <= byteCount, count <= byteCount - offset else {
      throw ZipError(
        .truncated, at: offset, entry: entry,
        "file too short: \(what) needs \(count) bytes; the file ends at byte \(byteCount)")
    }
    if count == 0 { return Data() }
    let result: Data
    do {
      result = try readAt(offset, count)
    } catch {
      throw ZipError(.readFailed, at: offset, entry: entry, "cannot read \(what): \(error)")
    }
    guard result.count == count else {
      throw ZipError(
        .readFailed, at: offset, entry: entry,
        "cannot read \(what): found \(result.count) bytes; expected \(count)")
    }
    return result
  }
}
