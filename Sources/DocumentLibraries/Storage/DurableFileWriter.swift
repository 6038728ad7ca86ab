// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A file that is written piece by piece under a hidden name beside its own, which it gets when all of it is on the disk.
package final class DurableFileWriter {
  private let storage: any DocumentStorage
  private let steps: StorageSteps
  private let temporary: StoragePath
  private let path: StoragePath
  private let file: StorageFile
  private var isOpen = true

  /// Begins a file; its folder must be there.
  package convenience init(_ url: URL) throws(LibraryError) {
    // A link keeps pointing where it does; what it points to is replaced.
    let url = url.resolvingSymlinksInPath()
    try self.init(StorageName(url.lastPathComponent), in: DiskStorage(url.deletingLastPathComponent()))
  }

  /// Begins a file in the folder that a storage is.
  init(_ name: StorageName, in storage: some DocumentStorage) throws(LibraryError) {
    self.storage = storage
    steps = StorageSteps(storage: storage)
    path = StoragePath.root / name
    temporary = StoragePath.root / StorageName(".\(UUID().uuidString)")
    do {
      let temporary = temporary
      file = try steps.step { () throws(StorageError) in try storage.create(temporary) }
    } catch {
      throw LibraryError(error, .cannotCreate, in: storage)
    }
  }

  /// Appends bytes.
  package func write(_ bytes: Data) throws(LibraryError) {
    try saying { () throws(StorageError) in
      var rest = bytes
      while !rest.isEmpty {
        rest = rest.dropFirst(try steps.step { () throws(StorageError) in try storage.write(rest, to: file) })
      }
    }
  }

  /// Gives the file its name.
  package func finish() throws(LibraryError) {
    try saying { () throws(StorageError) in
      try steps.step { () throws(StorageError) in try storage.flush(file) }
      isOpen = false
      try storage.close(file)
      try steps.move(temporary, to: path, .replacing)
      try steps.flushFolder(.root)
    }
  }

  /// Leaves nothing of it.
  package func discard() {
    if isOpen { try? storage.close(file) }
    isOpen = false
    try? steps.removeFile(temporary)
  }

  private func saying(_ body: () throws(StorageError) -> Void) throws(LibraryError) {
    do {
      try body()
    } catch {
      throw LibraryError(StorageError(error.reason, error.call, path), .cannotWrite, in: storage)
    }
  }
}
