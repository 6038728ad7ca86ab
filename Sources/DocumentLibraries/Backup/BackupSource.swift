// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import SystemFiles
import ZipContainers

/// The bytes of a backup. A file is read in pieces, so its size does not matter.
public struct BackupSource: Sendable {
  private let byteCount: Int
  private let readAt: @Sendable (_ offset: Int, _ count: Int) throws -> Data

  /// Creates a source of bytes in memory.
  /// - Parameter bytes: The bytes of the backup.
  public init(_ bytes: Data) {
    byteCount = bytes.count
    readAt = { offset, count in bytes.dropFirst(offset).prefix(count) }
  }

  /// Opens a file. It stays open as long as the source exists.
  /// - Parameter file: The file. A symbolic link is followed.
  /// - Throws: ``LibraryError``, with code ``LibraryError/Code/notFound`` if the file does not exist.
  public init(contentsOf file: URL) throws(LibraryError) {
    do {
      self.init(try OpenFile(file.path))
    } catch {
      throw LibraryError(
        error.reason == .notFound ? .notFound : .cannotRead, file.path,
        "opening failed: \(StorageError.Reason(error))", remedy: "Pass a file that you may read", underlying: error)
    }
  }

  init(_ file: OpenFile) {
    byteCount = file.byteCount
    readAt = { offset, count in try file.bytes(at: offset, count: count) }
  }

  /// Reads the directory of the backup.
  func reader(_ limits: ZipLimits) throws(LibraryError) -> ZipReader {
    do {
      return try ZipReader(byteCount: byteCount, limits: limits, readAt: readAt)
    } catch {
      throw LibraryError(opening: error)
    }
  }
}

/// A file that is closed with its last reference.
final class OpenFile: Sendable {
  private let size: Locked<Int>
  private let descriptor: Descriptor

  var byteCount: Int { size.withLock { $0 } }

  /// Takes a new file.
  init(_ descriptor: Descriptor) {
    self.descriptor = descriptor
    size = Locked(0)
  }

  init(_ path: String) throws(SystemError) {
    descriptor = try SystemError.repeating { () throws(SystemError) in
      try Descriptor.working.open(FileName(path), for: .reading, followingLinks: true)
    }
    do throws(SystemError) {
      let status = try descriptor.status()
      guard status.kind == .file else { throw .notAFile }
      size = Locked(status.byteCount)
    } catch {
      try? descriptor.close()
      throw error
    }
  }

  deinit { try? descriptor.close() }

  func append(_ bytes: Data) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
      let offset = byteCount
      let count = try SystemError.repeating { () throws(SystemError) in try descriptor.write(rest, at: offset) }
      rest = rest.dropFirst(count)
      size.withLock { $0 += count }
    }
  }

  /// Reads up to `count` bytes; fewer at the end of the file.
  func bytes(at offset: Int, count: Int) throws(SystemError) -> Data {
    var bytes = Data()
    while bytes.count < count {
      let read = try SystemError.repeating { () throws(SystemError) in
        try descriptor.read(into: &bytes, atMost: count - bytes.count, at: offset + bytes.count)
      }
      if read == 0 { break }
    }
    return bytes
  }
}
