// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation

/// A storage that calls a function before it looks up an entry.
struct HookedStorage: DocumentStorage {
  let base: any DocumentStorage
  let beforeStatus: @Sendable (StoragePath) -> Void

  var abilities: StorageAbilities? { base.abilities }
  func url(of path: StoragePath) -> URL { base.url(of: path) }
  func makeRoot() throws(StorageError) { try base.makeRoot() }

  func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) { try base.list(folder, visit) }

  func status(of path: StoragePath) throws(StorageError) -> StorageStatus {
    beforeStatus(path)
    return try base.status(of: path)
  }

  func makeFolder(_ path: StoragePath) throws(StorageError) { try base.makeFolder(path) }
  func create(_ path: StoragePath) throws(StorageError) -> StorageFile { try base.create(path) }
  func open(_ path: StoragePath) throws(StorageError) -> StorageFile { try base.open(path) }

  func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    try base.read(file, into: &bytes, atMost: count)
  }

  func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int { try base.write(bytes, to: file) }
  func flush(_ file: StorageFile) throws(StorageError) { try base.flush(file) }
  func close(_ file: StorageFile) throws(StorageError) { try base.close(file) }
  func flushFolder(_ path: StoragePath) throws(StorageError) { try base.flushFolder(path) }

  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    try base.move(path, to: target, mode)
  }

  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) { try base.link(path, to: target) }
  func removeFile(_ path: StoragePath) throws(StorageError) { try base.removeFile(path) }
  func removeFolder(_ path: StoragePath) throws(StorageError) { try base.removeFolder(path) }

  func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    try base.setModified(path, to: date)
  }

  func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    try base.lock(folder, kind)
  }
}
