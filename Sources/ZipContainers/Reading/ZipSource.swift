// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a file, any range of them at a time.
struct ZipSource: Sendable {
  /// How many bytes the file has.
  let byteCount: Int
  private let readAt: @Sendable (_ offset: Int, _ count: Int) throws -> Data

  /// The bytes of `data`, which are looked at in place.
  init(_ data: Data) {
    byteCount = data.count
    readAt = { offset, count in data.dropFirst(offset).prefix(count) }
  }

  /// The bytes that a closure reads.
  init(byteCount: Int, readAt: @escaping @Sendable (_ offset: Int, _ count: Int) throws -> Data) {
    self.byteCount = max(0, byteCount)
    self.readAt = readAt
  }

  /// The bytes from `offset` on.
  /// - Parameters:
  ///   - offset: the first of them.
  ///   - count: how many, not negative.
  ///   - what: what they are, for the message.
  ///   - entry: the entry they belong to.
  /// - Returns: the bytes, exactly as many.
  /// - Throws: ``ZipError`` with code `truncated` or `readFailed`.
  func bytes(at offset: Int, count: Int, _ what: StaticString, entry: String? = nil) throws(ZipError) -> Data {
    guard offset >= 0, count >= 0, offset <= byteCount, count <= byteCount - offset else {
      throw ZipError(
        .truncated, at: offset, entry: entry,
        "\(what) of \(count) bytes would end behind the file, which has \(byteCount) bytes; the file was cut off or is "
          + "damaged")
    }
    if count == 0 { return Data() }
    let result: Data
    do {
      result = try readAt(offset, count)
    } catch {
      throw ZipError(.readFailed, at: offset, entry: entry, "\(what) could not be read: \(error)")
    }
    guard result.count == count else {
      throw ZipError(
        .readFailed, at: offset, entry: entry,
        "\(what) has \(count) bytes, but reading it gave \(result.count); the file may have changed meanwhile")
    }
    return result
  }
}
