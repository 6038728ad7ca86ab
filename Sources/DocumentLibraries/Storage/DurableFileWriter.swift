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

  private enum Target {
    case storage(AtomicFile<Calls>, Calls)
    case disk(ReplacedFile, URL)
  }

  /// Nil after the file was replaced or discarded.
  private var target: Target?

  /// Creates the temporary file in the folder of `url`, which must exist.
  package init(_ url: URL) throws(LibraryError) {
    do {
      target = .disk(try ReplacedFile(url), url)
    } catch {
      throw Self.error(error, .create, .cannotCreate, at: url)
    }
  }

  /// Creates the temporary file in the root of a storage.
  init(_ name: StorageName, in storage: some DocumentStorage) throws(LibraryError) {
    let calls = Calls(steps: StorageSteps(storage: storage), path: StoragePath.root / name)
    do {
      target = .storage(try AtomicFile(calls), calls)
    } catch {
      throw LibraryError(error, .cannotCreate, in: storage)
    }
  }

  package func write(_ bytes: Data) throws(LibraryError) {
    try attempt { file throws(StorageError) in
      try file.write(bytes)
    } disk: { file throws(SystemFailure) in
      try file.write(bytes)
    }
  }

  /// Replaces the old file.
  package func finish() throws(LibraryError) {
    try attempt { file throws(StorageError) in
      try file.commit()
    } disk: { file throws(SystemFailure) in
      try file.commit()
    }
    target = nil
  }

  /// Removes the temporary file.
  package func discard() { target = nil }

  private func attempt(
    _ storage: (AtomicFile<Calls>) throws(StorageError) -> Void, disk: (ReplacedFile) throws(SystemFailure) -> Void
  ) throws(LibraryError) {
    switch target {
    case nil: break
    case .storage(let file, let calls):
      do {
        try storage(file)
      } catch {
        throw LibraryError(StorageError(error.reason, error.call, calls.path), .cannotWrite, in: calls.steps.storage)
      }
    case .disk(let file, let url):
      do {
        try disk(file)
      } catch {
        throw Self.error(error, .write, .cannotWrite, at: url)
      }
    }
  }

  private static func error(
    _ error: SystemFailure, _ call: StorageError.Call, _ code: LibraryError.Code, at url: URL
  ) -> LibraryError {
    let file = StoragePath.root / StorageName(url.lastPathComponent)
    return LibraryError(
      StorageError(StorageError.Reason(error.error), call, file), code, in: DiskStorage(url.deletingLastPathComponent())
    )
  }
}
