// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import DocumentLibraries
import Foundation

/// A storage in memory that ignores the case of letters and the composition of accents, and keeps the spelling of names, as
/// many disks do.
struct FoldingStorage: DocumentStorage {
  let base = MemoryStorage()
  /// Whether a file that is renamed onto another one gets the spelling of the new name. Disks differ in that.
  let renamesTarget: Bool

  var abilities: StorageAbilities? { .all }

  private func key(_ name: StorageName) -> [UInt8] {
    Array(name.description.lowercased().decomposedStringWithCanonicalMapping.utf8)
  }

  /// The path of the entry that a lookup finds; the same path if it finds none.
  private func found(_ path: StoragePath) -> StoragePath {
    var found = StoragePath.root
    for name in path.names {
      let names = (try? base.names(found)) ?? []
      found = found / (names.map { StorageName($0) }.first { key($0) == key(name) } ?? name)
    }
    return found
  }

  func url(of path: StoragePath) -> URL { base.url(of: path) }
  func makeRoot() throws(StorageError) {}

  func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) { try base.list(found(folder), visit) }

  func status(of path: StoragePath) throws(StorageError) -> StorageStatus { try base.status(of: found(path)) }
  func makeFolder(_ path: StoragePath) throws(StorageError) { try base.makeFolder(found(path)) }
  func create(_ path: StoragePath) throws(StorageError) -> StorageFile { try base.create(found(path)) }
  func open(_ path: StoragePath) throws(StorageError) -> StorageFile { try base.open(found(path)) }

  func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    try base.read(file, into: &bytes, atMost: count)
  }

  func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int { try base.write(bytes, to: file) }
  func flush(_ file: StorageFile) throws(StorageError) {}
  func close(_ file: StorageFile) throws(StorageError) { try base.close(file) }
  func flushFolder(_ path: StoragePath) throws(StorageError) { try base.flushFolder(found(path)) }
  func beginFlushingAll() throws(StorageError) -> StorageFile { try base.beginFlushingAll() }
  func flushAll(_ watch: StorageFile) throws(StorageError) {}

  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    let old = found(target)
    try base.move(found(path), to: old, mode)
    if renamesTarget, mode == .replacing, old.names.last != target.names.last, let name = target.names.last {
      try base.move(old, to: old.folder / name, .exclusive)
    }
  }

  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    try base.link(found(path), to: found(target))
  }

  func removeFile(_ path: StoragePath) throws(StorageError) { try base.removeFile(found(path)) }
  func removeFolder(_ path: StoragePath) throws(StorageError) { try base.removeFolder(found(path)) }

  func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    try base.setModified(found(path), to: date)
  }

  func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    try base.lock(found(folder), kind)
  }
}
