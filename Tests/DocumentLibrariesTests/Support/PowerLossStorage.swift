// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

@testable import DocumentLibraries
import Foundation
import SystemFiles
import TestSupport
import Testing

/// A storage in memory that records each change, so that the state of a disk after a power loss at any moment can be
/// computed.
final class PowerLossStorage: DocumentStorage {
  /// A change.
  enum Step: Sendable {
    case makeFolder(StoragePath)
    case create(StoragePath)
    case write(StoragePath, Data)
    case flush(StoragePath)
    case flushFolder(StoragePath)
    case flushAll
    case move(StoragePath, StoragePath, StorageMove)
    case link(StoragePath, StoragePath)
    case remove(StoragePath)
  }

  private struct State {
    var steps: [Step] = []
    var files: [StorageFile: StoragePath] = [:]
  }

  private let base = MemoryStorage()
  private let state = Locked(State())
  private let lacking: StorageAbilities

  /// Creates an empty storage.
  /// - Parameter lacking: The operations that the storage does not support. The library must try them.
  init(lacking: StorageAbilities = []) { self.lacking = lacking }

  var steps: [Step] { state.withLock { $0.steps } }

  private func note(_ step: Step) { state.withLock { $0.steps.append(step) } }

  private func path(_ file: StorageFile) -> StoragePath { state.withLock { $0.files[file] } ?? .root }

  func url(of path: StoragePath) -> URL { base.url(of: path) }
  func makeRoot() throws(StorageError) { try base.makeRoot() }

  func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) { try base.list(folder, visit) }

  func status(of path: StoragePath) throws(StorageError) -> StorageStatus { try base.status(of: path) }

  func makeFolder(_ path: StoragePath) throws(StorageError) {
    try base.makeFolder(path)
    note(.makeFolder(path))
  }

  func create(_ path: StoragePath) throws(StorageError) -> StorageFile {
    let file = try base.create(path)
    state.withLock { $0.files[file] = path }
    note(.create(path))
    return file
  }

  func open(_ path: StoragePath) throws(StorageError) -> StorageFile { try base.open(path) }

  func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    try base.read(file, into: &bytes, atMost: count)
  }

  func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    // In pieces, so that the power can fail between them.
    let piece = bytes.prefix(max(1, bytes.count / 2))
    let count = try base.write(piece, to: file)
    note(.write(path(file), Data(piece)))
    return count
  }

  func flush(_ file: StorageFile) throws(StorageError) {
    try base.flush(file)
    note(.flush(path(file)))
  }

  func close(_ file: StorageFile) throws(StorageError) { try base.close(file) }

  func flushFolder(_ path: StoragePath) throws(StorageError) {
    try base.flushFolder(path)
    note(.flushFolder(path))
  }

  func beginFlushingAll() throws(StorageError) -> StorageFile {
    if lacking.contains(.wholeFlushes) { throw StorageError(.unsupported, .flushAll, .root) }
    return try base.beginFlushingAll()
  }

  func flushAll(_ watch: StorageFile) throws(StorageError) {
    try base.flushAll(watch)
    note(.flushAll)
  }

  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    if mode == .exchanging, lacking.contains(.exchanges) { throw StorageError(.unsupported, .move, target) }
    if mode == .exclusive, lacking.contains(.exclusiveMoves) { throw StorageError(.unsupported, .move, target) }
    try base.move(path, to: target, mode)
    note(.move(path, target, mode))
  }

  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    if lacking.contains(.links) { throw StorageError(.noPermission, .link, target) }
    try base.link(path, to: target)
    note(.link(path, target))
  }

  func removeFile(_ path: StoragePath) throws(StorageError) {
    try base.removeFile(path)
    note(.remove(path))
  }

  func removeFolder(_ path: StoragePath) throws(StorageError) {
    try base.removeFolder(path)
    note(.remove(path))
  }

  func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    try base.setModified(path, to: date)
  }

  func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    if lacking.contains(.locks) { throw StorageError(.unsupported, .lock, folder) }
    return try base.lock(folder, kind)
  }
}

/// A disk that may lose what was not flushed: the bytes of each file, and the entries of each folder.
struct FlushedDisk {
  /// The folders that lose unflushed entries.
  enum Loss: CaseIterable {
    /// All folders: only flushed changes remain.
    case allEntries
    /// No folder: the disk wrote entries immediately, and only bytes are missing.
    case bytesOnly
    /// The library's folder, or all others.
    case rootOnly, allButRoot
    /// The work folder, or all others.
    case workOnly, allButWork
  }

  private struct Node {
    var isFolder: Bool
    var bytes = Data()
    var flushedBytes = Data()
    var entries: [StorageName: Int] = [:]
    var flushedEntries: [StorageName: Int] = [:]
  }

  private var nodes = [Node(isFolder: true)]

  private func find(_ path: StoragePath) -> Int? {
    var number = 0
    for name in path.names {
      guard let next = nodes[number].entries[name] else { return nil }
      number = next
    }
    return number
  }

  private mutating func set(_ path: StoragePath, _ node: Int?) {
    guard let parent = find(path.folder), let name = path.names.last else { return }
    nodes[parent].entries[name] = node
  }

  /// Applies a change.
  mutating func take(_ step: PowerLossStorage.Step) {
    switch step {
    case .makeFolder(let path), .create(let path):
      if case .makeFolder = step { nodes.append(Node(isFolder: true)) } else { nodes.append(Node(isFolder: false)) }
      set(path, nodes.count - 1)
    case .write(let path, let bytes):
      if let node = find(path) { nodes[node].bytes += bytes }
    case .flush(let path):
      if let node = find(path) { nodes[node].flushedBytes = nodes[node].bytes }
    case .flushFolder(let path):
      if let node = find(path) { nodes[node].flushedEntries = nodes[node].entries }
    case .flushAll:
      for node in nodes.indices {
        nodes[node].flushedBytes = nodes[node].bytes
        nodes[node].flushedEntries = nodes[node].entries
      }
    case .move(let path, let target, let mode):
      let (moved, other) = (find(path), find(target))
      set(target, moved)
      set(path, mode == .exchanging ? other : nil)
    case .link(let path, let target): set(target, find(path))
    case .remove(let path): set(path, nil)
    }
  }

  /// The state after a power loss now.
  func afterPowerLoss(_ loss: Loss) throws -> MemoryStorage {
    let storage = MemoryStorage()
    var pending: [(StoragePath, Int)] = [(.root, 0)]
    while let (path, number) = pending.popLast() {
      let isLost =
        switch loss {
        case .allEntries: true
        case .bytesOnly: false
        case .rootOnly: path == .root
        case .allButRoot: path != .root
        case .workOnly: path == ".work"
        case .allButWork: path != ".work"
        }
      for (name, child) in isLost ? nodes[number].flushedEntries : nodes[number].entries {
        if nodes[child].isFolder {
          try storage.makeFolder(path / name)
          pending.append((path / name, child))
        } else {
          try storage.plant(path / name, nodes[child].flushedBytes)
        }
      }
    }
    return storage
  }
}

extension FlushedDisk.Loss {
  /// The possible losses of a disk that lacks operations.
  ///
  /// Without an exchange, a document is replaced by two renames, which the disk persists in order, as all journals do.
  static func all(lacking: StorageAbilities) -> [Self] {
    lacking.contains(.exchanges) ? [.allEntries, .bytesOnly] : allCases
  }
}

extension PowerLossStorage {
  /// Checks the state after a power loss at each step since `start`: it is the old or the new one, the old one before the
  /// first step, and the new one after the last step. Without `WHOLE_TESTS`, one of the losses is tried at these two steps, and
  /// at some of the others.
  func checkEachLoss<State: Equatable>(
    since start: Int, lacking: StorageAbilities, old: State, new: State, _ state: (MemoryStorage) throws -> State
  ) throws {
    var disk = FlushedDisk()
    for (index, step) in steps.enumerated() {
      disk.take(step)
      guard index >= start - 1 else { continue }
      let isEnd = index == start - 1 || index == steps.count - 1
      let all = FlushedDisk.Loss.all(lacking: lacking)
      for (number, loss) in all.enumerated()
      where Sample.includes(index + lacking.turn + number, each: isEnd ? all.count : 29) {
        let found = try state(disk.afterPowerLoss(loss))
        #expect(found == old || found == new, "\(loss) after \(step): \(found)")
        if index == start - 1 { #expect(found == old, "\(loss) after \(step)") }
        if index == steps.count - 1 { #expect(found == new, "\(loss) after \(step)") }
      }
    }
  }
}
