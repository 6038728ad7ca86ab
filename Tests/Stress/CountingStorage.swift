// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import DocumentLibraries
import SystemFiles

/// The disk, with counters of the calls.
final class CountingStorage: DocumentStorage {
  private let disk: any DocumentStorage
  private let counts = Locked<[StorageError.Call: Int]>([:])
  /// The storage that opened this folder and counts its calls.
  private let outer: CountingStorage?

  init(_ folder: URL) {
    disk = DiskStorage(folder)
    outer = nil
  }

  private init(_ disk: any DocumentStorage, openedBy outer: CountingStorage) {
    self.disk = disk
    self.outer = outer
  }

  /// Returns the number of each call since the last time.
  func take() -> [StorageError.Call: Int] {
    counts.withLock { counts in
      defer { counts = [:] }
      return counts
    }
  }

  private func count(_ call: StorageError.Call) {
    if let outer { return outer.count(call) }
    counts.withLock { $0[call, default: 0] += 1 }
  }

  func openFolder(_ path: StoragePath) throws(StorageError) -> (any DocumentStorage)? {
    count(.open)
    return try disk.openFolder(path).map { CountingStorage($0, openedBy: self) }
  }

  func makeRoot() throws(StorageError) {
    count(.makeRoot)
    try disk.makeRoot()
  }

  func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) {
    count(.list)
    try disk.list(folder, visit)
  }

  func status(of path: StoragePath) throws(StorageError) -> StorageStatus {
    count(.status)
    return try disk.status(of: path)
  }

  func makeFolder(_ path: StoragePath) throws(StorageError) {
    count(.makeFolder)
    try disk.makeFolder(path)
  }

  func create(_ path: StoragePath) throws(StorageError) -> StorageFile {
    count(.create)
    return try disk.create(path)
  }

  func open(_ path: StoragePath) throws(StorageError) -> StorageFile {
    count(.open)
    return try disk.open(path)
  }

  func read(_ file: StorageFile, into bytes: inout Data, atMost limit: Int) throws(StorageError) -> Int {
    count(.read)
    return try disk.read(file, into: &bytes, atMost: limit)
  }

  func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    count(.write)
    return try disk.write(bytes, to: file)
  }

  func flush(_ file: StorageFile) throws(StorageError) {
    count(.flush)
    try disk.flush(file)
  }

  func close(_ file: StorageFile) throws(StorageError) {
    count(.close)
    try disk.close(file)
  }

  func flushFolder(_ path: StoragePath) throws(StorageError) {
    count(.flushFolder)
    try disk.flushFolder(path)
  }

  func beginFlushingAll() throws(StorageError) -> StorageFile { try disk.beginFlushingAll() }

  func flushAll(_ watch: StorageFile) throws(StorageError) {
    count(.flushAll)
    try disk.flushAll(watch)
  }

  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    count(.move)
    try disk.move(path, to: target, mode)
  }

  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    count(.link)
    try disk.link(path, to: target)
  }

  func removeFile(_ path: StoragePath) throws(StorageError) {
    count(.removeFile)
    try disk.removeFile(path)
  }

  func removeFolder(_ path: StoragePath) throws(StorageError) {
    count(.removeFolder)
    try disk.removeFolder(path)
  }

  func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    count(.setModified)
    try disk.setModified(path, to: date)
  }

  func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    count(.lock)
    return try disk.lock(folder, kind)
  }

  func url(of path: StoragePath) -> URL { disk.url(of: path) }
}
