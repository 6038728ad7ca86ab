// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import SystemFiles

/// A file of a storage that is written in pieces and replaces the old one atomically.
package final class DurableFileWriter {
  private struct Calls: AtomicFileCalls {
    let steps: StorageSteps
    let path: StoragePath
    let temporary = StoragePath.root / StorageName(".\(UUID().uuidString)")

    func create() throws(StorageError) -> StorageFile {
      try steps.step { () throws(StorageError) in try steps.storage.create(temporary) }
    }

    func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
      try steps.step { () throws(StorageError) in try steps.storage.write(bytes, to: file) }
    }

    func flush(_ file: StorageFile) throws(StorageError) {
      try steps.step { () throws(StorageError) in try steps.storage.flush(file) }
    }

    func close(_ file: StorageFile) { try? steps.storage.close(file) }
    func rename() throws(StorageError) { try steps.move(temporary, to: path, .replacing) }
    func flushFolder() throws(StorageError) { try steps.flushFolder(.root) }
    func remove() { try? steps.removeFile(temporary) }
  }

  private let calls: Calls
  /// Nil after the file was replaced or discarded.
  private var file: AtomicFile<Calls>?

  /// Creates the temporary file in the folder of `url`, which must exist.
  package convenience init(_ url: URL) throws(LibraryError) {
    // A link remains, and the file that it leads to is replaced.
    let url = url.resolvingSymlinksInPath()
    try self.init(StorageName(url.lastPathComponent), in: DiskStorage(url.deletingLastPathComponent()))
  }

  /// Creates the temporary file in the root of a storage.
  init(_ name: StorageName, in storage: some DocumentStorage) throws(LibraryError) {
    calls = Calls(steps: StorageSteps(storage: storage), path: StoragePath.root / name)
    do {
      file = try AtomicFile(calls)
    } catch {
      throw LibraryError(error, .cannotCreate, in: storage)
    }
  }

  package func write(_ bytes: Data) throws(LibraryError) {
    try attempt { () throws(StorageError) in try file?.write(bytes) }
  }

  /// Replaces the old file.
  package func finish() throws(LibraryError) {
    try attempt { () throws(StorageError) in try file?.commit() }
    file = nil
  }

  /// Removes the temporary file.
  package func discard() { file = nil }

  private func attempt(_ body: () throws(StorageError) -> Void) throws(LibraryError) {
    do {
      try body()
    } catch {
      throw LibraryError(StorageError(error.reason, error.call, calls.path), .cannotWrite, in: calls.steps.storage)
    }
  }
}
