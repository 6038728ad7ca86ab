// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import SystemFiles

/// A file that is written in pieces and replaces the old one atomically, with the errors of libraries.
package final class DurableFileWriter {
  private let url: URL
  /// Nil after the file was replaced or discarded.
  private var file: ReplacedFile?

  /// Creates the temporary file in the folder of `url`, which must exist.
  package init(_ url: URL) throws(LibraryError) {
    self.url = url
    file = try Self.attempt(.create, .cannotCreate, url) { () throws(SystemFailure) in try ReplacedFile(url) }
  }

  package func write(_ bytes: Data) throws(LibraryError) {
    try Self.attempt(.write, .cannotWrite, url) { () throws(SystemFailure) in try file?.write(bytes) }
  }

  /// Replaces the old file.
  package func finish() throws(LibraryError) {
    try Self.attempt(.write, .cannotWrite, url) { () throws(SystemFailure) in try file?.commit() }
    file = nil
  }

  /// Removes the temporary file.
  package func discard() { file = nil }

  private static func attempt<Result>(
    _ call: StorageError.Call, _ code: LibraryError.Code, _ url: URL, _ body: () throws(SystemFailure) -> Result
  ) throws(LibraryError) -> Result {
    do {
      return try body()
    } catch {
      let file = StoragePath.root / StorageName(url.lastPathComponent)
      throw LibraryError(
        StorageError(StorageError.Reason(error.error), call, file), code,
        in: DiskStorage(url.deletingLastPathComponent()))
    }
  }
}
