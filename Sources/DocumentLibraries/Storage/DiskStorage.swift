// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A folder on the disk.
///
/// Each call walks down from the root by names, one at a time, and refuses symbolic links on the way, so nothing that
/// somebody puts into the folder leads out of it, not even between two calls. The way to the root itself is the caller's
/// and may have links in it.
public struct DiskStorage: DocumentStorage {
  /// The root.
  public let folder: URL
  private let rootPath: String

  /// A storage in a folder.
  public init(_ folder: URL) {
    self.folder = folder
    rootPath = folder.path
  }

  /// Where an entry is for people.
  public func url(of path: StoragePath) -> URL {
    path.names.reduce(folder) { $0.appending(path: $1.description) }
  }

  /// Makes the root with the folders it is in.
  public func makeRoot() throws(StorageError) {
    // The folders that are made here must last like what is put into them.
    var parents: [URL] = []
    var missing = folder.standardizedFileURL
    while missing.path != "/", !FileManager.default.fileExists(atPath: missing.path) {
      missing.deleteLastPathComponent()
      parents.append(missing)
    }
    defer {
      for parent in parents {
        let descriptor = DiskCalls.openRoot(parent.path)
        guard descriptor >= 0 else { continue }
        // Not every system can flush a folder, and none needs to for what is read next.
        _ = DiskCalls.flush(descriptor)
        DiskCalls.close(descriptor)
      }
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      // An unspecific error of Foundation's; the same question put to the system has a better answer.
      let root = try parent(of: .root, .makeRoot)
      DiskCalls.close(root)
    }
  }

  /// Calls `visit` with each entry of a folder.
  public func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) {
    let descriptor = try open(folder: folder, .list)
    try check(DiskCalls.list(closing: descriptor, visit), .list, folder)
  }

  /// What is at a path.
  public func status(of path: StoragePath) throws(StorageError) -> StorageStatus {
    let parent = try parent(of: path, .status)
    defer { DiskCalls.close(parent) }
    let (number, status) = DiskCalls.status(parent, path.names.last?.bytes ?? [0x2E])
    try check(number, .status, path)
    return status
  }

  /// Makes a folder.
  public func makeFolder(_ path: StoragePath) throws(StorageError) {
    let parent = try parent(of: path, .makeFolder)
    defer { DiskCalls.close(parent) }
    try check(DiskCalls.makeFolder(parent, name(path)), .makeFolder, path)
  }

  /// Makes an empty file for writing.
  public func create(_ path: StoragePath) throws(StorageError) -> StorageFile {
    let parent = try parent(of: path, .create)
    defer { DiskCalls.close(parent) }
    return StorageFile(rawValue: try opened(DiskCalls.create(parent, name(path)), .create, path))
  }

  /// Opens a file for reading.
  public func open(_ path: StoragePath) throws(StorageError) -> StorageFile {
    let parent = try parent(of: path, .open)
    defer { DiskCalls.close(parent) }
    let descriptor = try opened(DiskCalls.openForReading(parent, name(path)), .open, path)
    let (number, status) = DiskCalls.status(descriptor)
    guard number == 0, status.kind == .file else {
      DiskCalls.close(descriptor)
      try check(number, .open, path)
      throw StorageError(.notAFile, .open, path)
    }
    return StorageFile(rawValue: descriptor)
  }

  /// Appends what comes next in a file to `bytes`, and returns how many bytes.
  public func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    let result = DiskCalls.read(file.rawValue, into: &bytes, atMost: count)
    guard result >= 0 else { throw StorageError(DiskCalls.reason(-result), .read, .root) }
    return result
  }

  /// Writes some of `bytes`, and returns how many.
  public func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    let result = DiskCalls.write(bytes, to: file.rawValue)
    guard result >= 0 else { throw StorageError(DiskCalls.reason(-result), .write, .root) }
    return result
  }

  /// Waits until all of a file is on the disk.
  public func flush(_ file: StorageFile) throws(StorageError) {
    try check(DiskCalls.flush(file.rawValue), .flush, .root)
  }

  /// Lets a file, or a lock, go.
  public func close(_ file: StorageFile) throws(StorageError) {
    try check(DiskCalls.close(file.rawValue), .close, .root)
  }

  /// Waits until what happened to a folder's entries is on the disk, where the file system can tell.
  public func flushFolder(_ path: StoragePath) throws(StorageError) {
    let descriptor = try open(folder: path, .flushFolder)
    defer { DiskCalls.close(descriptor) }
    let reason = DiskCalls.reason(DiskCalls.flush(descriptor))
    // Some file systems cannot flush a folder; there is nothing to be done about it then.
    guard reason != .unsupported, reason != .other(0) else { return }
    throw StorageError(reason, .flushFolder, path)
  }

  /// Gives a file or folder another place, in one step.
  public func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    let (from, to) = (try name(path), try name(target))
    let source = try parent(of: path, .move)
    defer { DiskCalls.close(source) }
    let destination = try parent(of: target, .move)
    defer { DiskCalls.close(destination) }
    var number = DiskCalls.move(source, from, destination, to, mode)
    if mode == .exclusive, DiskCalls.reason(number) == .unsupported {
      number = DiskCalls.moveByClaiming(source, from, destination, to)
    }
    guard number != 0 else { return }
    // "Not empty" is the answer of systems without an exclusive move.
    let reason = DiskCalls.reason(number)
    throw StorageError(mode == .exclusive && reason == .notEmpty ? .exists : reason, .move, target)
  }

  /// Gives a file a second name.
  public func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    let (from, to) = (try name(path), try name(target))
    let source = try parent(of: path, .link)
    defer { DiskCalls.close(source) }
    let destination = try parent(of: target, .link)
    defer { DiskCalls.close(destination) }
    try check(DiskCalls.link(source, from, destination, to), .link, target)
  }

  /// Removes a file, or a link.
  public func removeFile(_ path: StoragePath) throws(StorageError) {
    let parent = try parent(of: path, .removeFile)
    defer { DiskCalls.close(parent) }
    try check(DiskCalls.removeFile(parent, name(path)), .removeFile, path)
  }

  /// Removes an empty folder.
  public func removeFolder(_ path: StoragePath) throws(StorageError) {
    let parent = try parent(of: path, .removeFolder)
    defer { DiskCalls.close(parent) }
    try check(DiskCalls.removeFolder(parent, name(path)), .removeFolder, path)
  }

  /// Sets when a file was changed last.
  public func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    let parent = try parent(of: path, .setModified)
    defer { DiskCalls.close(parent) }
    try check(DiskCalls.setModified(parent, name(path), date), .setModified, path)
  }

  /// Locks a folder.
  public func lock(
    _ folder: StoragePath, _ kind: StorageLockKind, waits: Bool
  ) throws(StorageError) -> StorageLock? {
    let descriptor = try open(folder: folder, .lock)
    switch DiskCalls.lock(descriptor, kind, waits: waits) {
    case .locked:
      let (number, status) = DiskCalls.status(descriptor)
      if number != 0 { DiskCalls.close(descriptor) }
      try check(number, .lock, folder)
      return StorageLock(file: StorageFile(rawValue: descriptor), identity: status.identity)
    case .busy:
      DiskCalls.close(descriptor)
      return nil
    case .failed(let number):
      DiskCalls.close(descriptor)
      throw StorageError(DiskCalls.reason(number), .lock, folder)
    }
  }

  /// The last name of a path that is not the root.
  private func name(_ path: StoragePath) throws(StorageError) -> [UInt8] {
    guard let name = path.names.last else { throw StorageError(.badName, .status, path) }
    return name.bytes
  }

  /// Opens the folder that an entry is in, or the root for the root.
  private func parent(of path: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Int32 {
    guard path.names.allSatisfy(\.isPlain) else { throw StorageError(.badName, call, path) }
    var descriptor = try opened(DiskCalls.openRoot(rootPath), call, path)
    for name in path.names.dropLast() {
      let next = DiskCalls.openFolder(descriptor, name.bytes)
      DiskCalls.close(descriptor)
      descriptor = try opened(next, call, path)
    }
    return descriptor
  }

  private func open(folder: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Int32 {
    let parent = try parent(of: folder, call)
    guard let name = folder.names.last else { return parent }
    defer { DiskCalls.close(parent) }
    return try opened(DiskCalls.openFolder(parent, name.bytes), call, folder)
  }

  private func opened(_ result: Int32, _ call: StorageError.Call, _ path: StoragePath) throws(StorageError) -> Int32 {
    guard result < 0 else { return result }
    throw StorageError(DiskCalls.reason(-result), call, path)
  }

  private func check(_ number: Int32, _ call: StorageError.Call, _ path: StoragePath) throws(StorageError) {
    guard number != 0 else { return }
    throw StorageError(DiskCalls.reason(number), call, path)
  }
}
