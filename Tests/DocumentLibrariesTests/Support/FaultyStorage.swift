// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles

/// A storage that records its calls and can make them fail.
final class FaultyStorage: DocumentStorage {
  /// The faults.
  enum Fault: Hashable, Sendable {
    /// One call fails.
    case fails(at: Int, StorageError.Reason)
    /// A call and all later ones that need space or permission to write fail.
    case failsFrom(Int, StorageError.Reason)
    /// Each call of a kind fails.
    case refuses(StorageError.Call, StorageError.Reason)
    /// The process ends before this call.
    case dies(at: Int)
    /// Every write takes only one byte.
    case writesLittle
    /// The file system does not support these operations. The library is not told, but must try them.
    case lacks(StorageAbilities)
    /// An exclusive rename replaces its target.
    case replacesAlways
    /// A listing does not report the kinds of the entries.
    case listsNoKinds
  }

  private struct State {
    var faults: [Fault] = []
    var steps: [(call: StorageError.Call, path: StoragePath)] = []
    var open: Set<StorageFile> = []
    var isDead = false
    var hasFailed = false
    var hook: (@Sendable (StorageError.Call, StoragePath) -> Void)?
  }

  let base: any DocumentStorage
  private let state = Locked(State())
  /// The storage that opened this folder, and the folder's path.
  private let outer: (storage: FaultyStorage, path: StoragePath)?

  init(_ base: any DocumentStorage, _ faults: Fault...) {
    self.base = base
    outer = nil
    state.withLock { $0.faults = faults }
  }

  private init(_ base: any DocumentStorage, openedBy storage: FaultyStorage, at path: StoragePath) {
    self.base = base
    outer = (storage.top, StoragePath((storage.outer?.path.names ?? []) + path.names))
  }

  /// The storage that records the calls.
  private var top: FaultyStorage { outer?.storage ?? self }

  /// Sets the fault, and counts calls from 0 again.
  func set(_ faults: Fault...) { setAll(faults) }

  func setAll(_ faults: [Fault]) {
    state.withLock { state in
      state.faults = faults
      state.steps = []
      state.hasFailed = false
    }
  }

  /// Sets a function that is called before each call.
  func beforeEachCall(_ hook: @escaping @Sendable (StorageError.Call, StoragePath) -> Void) {
    top.state.withLock { $0.hook = hook }
  }

  /// The calls since the last `set(_:)`.
  var steps: [(call: StorageError.Call, path: StoragePath)] { top.state.withLock { $0.steps } }
  /// The number of open files and locks.
  var openCount: Int { top.state.withLock { $0.open.count } }
  /// Whether a fault occurred.
  var hasFailed: Bool { top.state.withLock { $0.hasFailed } }

  private func step(_ call: StorageError.Call, _ path: StoragePath) throws(StorageError) {
    if let outer { return try outer.storage.step(call, StoragePath(outer.path.names + path.names)) }
    top.state.withLock(\.hook)?(call, path)
    let (reason, orphans) = top.state.withLock { state -> (StorageError.Reason?, Set<StorageFile>) in
      let number = state.steps.count
      state.steps.append((call, path))
      for fault in state.faults {
        switch fault {
        case .fails(number, let reason):
          state.hasFailed = true
          return (reason, [])
        case .failsFrom(let first, let reason) where number >= first && (number == first || call.writes):
          state.hasFailed = true
          return (reason, [])
        case .refuses(call, let reason):
          state.hasFailed = true
          return (reason, [])
        case .dies(let first) where number >= first:
          state.hasFailed = true
          let orphans = state.isDead ? [] : state.open
          state.isDead = true
          state.open = []
          return (.deviceError, orphans)
        default: break
        }
      }
      return (nil, [])
    }
    // The system closes the files of a process that ended.
    for file in orphans { try? base.close(file) }
    if let reason { throw StorageError(reason, call, path) }
  }

  private func lacks(_ ability: StorageAbilities) -> Bool {
    top.state.withLock { state in
      state.faults.contains { if case .lacks(let abilities) = $0 { abilities.contains(ability) } else { false } }
    }
  }

  func url(of path: StoragePath) -> URL { base.url(of: path) }

  func makeRoot() throws(StorageError) {
    try step(.makeRoot, .root)
    try base.makeRoot()
  }

  func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) {
    try step(.list, folder)
    let hidesKinds = top.state.withLock { $0.faults.contains(.listsNoKinds) }
    try base.list(folder) { visit($0, hidesKinds ? .unknown : $1) }
  }

  func status(of path: StoragePath) throws(StorageError) -> StorageStatus {
    try step(.status, path)
    return try base.status(of: path)
  }

  func makeFolder(_ path: StoragePath) throws(StorageError) {
    try step(.makeFolder, path)
    try base.makeFolder(path)
  }

  func create(_ path: StoragePath) throws(StorageError) -> StorageFile {
    try step(.create, path)
    return opened(try base.create(path))
  }

  func create(_ path: StoragePath, permissionsOf source: StoragePath) throws(StorageError) -> StorageFile {
    try step(.create, path)
    return opened(refusesPermissions ? try base.create(path) : try base.create(path, permissionsOf: source))
  }

  func open(_ path: StoragePath) throws(StorageError) -> StorageFile {
    try step(.open, path)
    return opened(try base.open(path))
  }

  func openFolder(_ path: StoragePath) throws(StorageError) -> (any DocumentStorage)? {
    try step(.open, path)
    return try base.openFolder(path).map { FaultyStorage($0, openedBy: self, at: path) }
  }

  private func opened(_ file: StorageFile) -> StorageFile {
    _ = top.state.withLock { $0.open.insert(file) }
    return file
  }

  func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    try step(.read, .root)
    return try base.read(file, into: &bytes, atMost: count)
  }

  func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    try step(.write, .root)
    let isShort = top.state.withLock { $0.faults.contains(.writesLittle) }
    return try base.write(isShort ? bytes.prefix(1) : bytes, to: file)
  }

  func flush(_ file: StorageFile) throws(StorageError) {
    try step(.flush, .root)
    if lacks(.flushes) { throw StorageError(.unsupported, .flush, .root) }
    try base.flush(file)
  }

  func close(_ file: StorageFile) throws(StorageError) {
    // The system closes the file, whatever it returns.
    let isOpen = top.state.withLock { $0.open.remove(file) != nil }
    if isOpen { try base.close(file) }
    try step(.close, .root)
  }

  func flushFolder(_ path: StoragePath) throws(StorageError) {
    try step(.flushFolder, path)
    if lacks(.flushes) { throw StorageError(.unsupported, .flushFolder, path) }
    try base.flushFolder(path)
  }

  func beginFlushingAll() throws(StorageError) -> StorageFile {
    try step(.flushAll, .root)
    if lacks(.wholeFlushes) { throw StorageError(.unsupported, .flushAll, .root) }
    return opened(try base.beginFlushingAll())
  }

  func flushAll(_ watch: StorageFile) throws(StorageError) {
    try step(.flushAll, .root)
    try base.flushAll(watch)
  }

  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    try step(.move, target)
    if mode == .exchanging, lacks(.exchanges) { throw StorageError(.unsupported, .move, target) }
    if mode == .exclusive, lacks(.exclusiveMoves) { throw StorageError(.unsupported, .move, target) }
    let replaces = mode == .exclusive && top.state.withLock { $0.faults.contains(.replacesAlways) }
    try base.move(path, to: target, replaces ? .replacing : mode)
  }

  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    try step(.link, target)
    // Linux reports this reason for FAT.
    if lacks(.links) { throw StorageError(.noPermission, .link, target) }
    try base.link(path, to: target)
  }

  func removeFile(_ path: StoragePath) throws(StorageError) {
    try step(.removeFile, path)
    try base.removeFile(path)
  }

  func removeFolder(_ path: StoragePath) throws(StorageError) {
    try step(.removeFolder, path)
    try base.removeFolder(path)
  }

  func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    try step(.setModified, path)
    try base.setModified(path, to: date)
  }

  /// Whether the file system has no permissions.
  private var refusesPermissions: Bool {
    top.state.withLock { state in
      state.faults.contains { if case .refuses(.setPermissions, _) = $0 { true } else { false } }
    }
  }

  // No step, because the library ignores its failure.
  func copyPermissions(from source: StoragePath, to path: StoragePath) throws(StorageError) {
    top.state.withLock(\.hook)?(.setPermissions, path)
    if refusesPermissions { throw StorageError(.unsupported, .setPermissions, path) }
    try base.copyPermissions(from: source, to: path)
  }

  func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    try step(.lock, folder)
    if lacks(.locks) { throw StorageError(.unsupported, .lock, folder) }
    guard let lock = try base.lock(folder, kind) else { return nil }
    return StorageLock(file: opened(lock.file), identity: lock.identity)
  }
}

extension StorageError.Call {
  /// Whether the call fails on a full or read-only disk.
  fileprivate var writes: Bool {
    switch self {
    case .makeFolder, .create, .write, .flush, .flushFolder, .flushAll, .link: true
    default: false
    }
  }
}
