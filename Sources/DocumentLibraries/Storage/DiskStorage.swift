// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat
import SystemFiles

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
        guard let descriptor = try? Descriptor.folder(parent.path) else { continue }
        // Not every system can flush a folder, and none needs to for what is read next.
        try? descriptor.flush()
        try? descriptor.close()
      }
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      // An unspecific error of Foundation's; the same question put to the system has a better answer.
      let root = try parent(of: .root, .makeRoot)
      try? root.close()
    }
  }

  /// Calls `visit` with each entry of a folder.
  public func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) {
    let descriptor = try open(folder: folder, .list)
    try saying(.list, folder) { () throws(SystemError) in
      try descriptor.listAndClose { name, kind in visit(name, kind.map { StorageStatus.Kind($0) } ?? .unknown) }
    }
  }

  /// What is at a path.
  public func status(of path: StoragePath) throws(StorageError) -> StorageStatus {
    let parent = try parent(of: path, .status)
    defer { try? parent.close() }
    let name = path.names.last.map { FileName(bytes: $0.bytes) } ?? FileName(".")
    return try saying(.status, path) { () throws(SystemError) in StorageStatus(try parent.status(of: name)) }
  }

  /// Makes a folder.
  public func makeFolder(_ path: StoragePath) throws(StorageError) {
    try inFolder(of: path, .makeFolder) { (folder, name) throws(SystemError) in try folder.makeFolder(name) }
  }

  /// Makes an empty file for writing.
  public func create(_ path: StoragePath) throws(StorageError) -> StorageFile {
    try inFolder(of: path, .create) { (folder, name) throws(SystemError) in
      StorageFile(rawValue: try folder.open(name, for: .creating(permissions: 0o666)).number)
    }
  }

  /// Opens a file for reading.
  public func open(_ path: StoragePath) throws(StorageError) -> StorageFile {
    let file = try inFolder(of: path, .open) { (folder, name) throws(SystemError) in
      try folder.open(name, for: .reading)
    }
    do throws(StorageError) {
      let status = try saying(.open, path) { () throws(SystemError) in try file.status() }
      guard status.kind == .file else { throw StorageError(.notAFile, .open, path) }
      return StorageFile(rawValue: file.number)
    } catch {
      try? file.close()
      throw error
    }
  }

  /// Appends what comes next in a file to `bytes`, and returns how many bytes.
  public func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    try saying(.read, .root) { () throws(SystemError) in try file.descriptor.read(into: &bytes, atMost: count) }
  }

  /// Writes some of `bytes`, and returns how many.
  public func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    try saying(.write, .root) { () throws(SystemError) in try file.descriptor.write(bytes) }
  }

  /// Waits until all of a file is on the disk.
  public func flush(_ file: StorageFile) throws(StorageError) {
    try saying(.flush, .root) { () throws(SystemError) in try file.descriptor.flush() }
  }

  /// Lets a file, or a lock, go.
  public func close(_ file: StorageFile) throws(StorageError) {
    try saying(.close, .root) { () throws(SystemError) in try file.descriptor.close() }
  }

  /// Waits until what happened to a folder's entries is on the disk, where the file system can tell.
  public func flushFolder(_ path: StoragePath) throws(StorageError) {
    let folder = try open(folder: path, .flushFolder)
    defer { try? folder.close() }
    do {
      try saying(.flushFolder, path) { () throws(SystemError) in try folder.flush() }
    } catch {
      // Some file systems cannot flush a folder; there is nothing to be done about it then.
      guard error.reason == .unsupported else { throw error }
    }
  }

  /// Gives a file or folder another place, in one step.
  public func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    do {
      try inFolders(of: path, target, .move) { (source, name, destination, newName) throws(SystemError) in
        do throws(SystemError) {
          try source.move(name, to: destination, newName, Descriptor.MoveMode(mode))
        } catch {
          guard mode == .exclusive, error.reason == .unsupported else { throw error }
          try source.moveByClaiming(name, to: destination, newName)
        }
      }
    } catch {
      // "Not empty" is the answer of systems without an exclusive move.
      guard mode == .exclusive, error.reason == .notEmpty else { throw error }
      throw StorageError(.exists, .move, target)
    }
  }

  /// Gives a file a second name.
  public func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    try inFolders(of: path, target, .link) { (source, name, destination, newName) throws(SystemError) in
      try source.link(name, to: destination, newName)
    }
  }

  /// Removes a file, or a link.
  public func removeFile(_ path: StoragePath) throws(StorageError) {
    try inFolder(of: path, .removeFile) { (folder, name) throws(SystemError) in try folder.removeFile(name) }
  }

  /// Removes an empty folder.
  public func removeFolder(_ path: StoragePath) throws(StorageError) {
    try inFolder(of: path, .removeFolder) { (folder, name) throws(SystemError) in try folder.removeFolder(name) }
  }

  /// Sets when a file was changed last.
  public func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    let moment = FileStatus.Moment(seconds: date.seconds, nanoseconds: date.nanoseconds)
    try inFolder(of: path, .setModified) { (folder, name) throws(SystemError) in
      try folder.setModified(moment, of: name)
    }
  }

  /// Locks a folder.
  public func lock(
    _ folder: StoragePath, _ kind: StorageLockKind, waits: Bool
  ) throws(StorageError) -> StorageLock? {
    let descriptor = try open(folder: folder, .lock)
    var isLocked = false
    defer { if !isLocked { try? descriptor.close() } }
    return try saying(.lock, folder) { () throws(SystemError) in
      guard try descriptor.lock(exclusive: kind == .exclusive, waits: waits) else { return nil }
      let identity = try descriptor.status().identity.number
      isLocked = true
      return StorageLock(file: StorageFile(rawValue: descriptor.number), identity: identity)
    }
  }

  // MARK: The way to an entry

  /// The last name of a path that is not the root.
  private func name(_ path: StoragePath) throws(StorageError) -> FileName {
    guard let name = path.names.last else { throw StorageError(.badName, .status, path) }
    return FileName(bytes: name.bytes)
  }

  /// Makes a call in the folder that an entry is in, with the entry's name.
  private func inFolder<Result>(
    of path: StoragePath, _ call: StorageError.Call,
    _ body: (_ folder: Descriptor, _ name: FileName) throws(SystemError) -> Result
  ) throws(StorageError) -> Result {
    let folder = try parent(of: path, call)
    defer { try? folder.close() }
    let name = try name(path)
    return try saying(call, path) { () throws(SystemError) in try body(folder, name) }
  }

  /// Makes a call in the folders that two entries are in, with their names.
  private func inFolders(
    of path: StoragePath, _ target: StoragePath, _ call: StorageError.Call,
    _ body: (
      _ source: Descriptor, _ name: FileName, _ destination: Descriptor, _ newName: FileName
    ) throws(SystemError) -> Void
  ) throws(StorageError) {
    let (name, newName) = (try name(path), try name(target))
    let source = try parent(of: path, call)
    defer { try? source.close() }
    let destination = try parent(of: target, call)
    defer { try? destination.close() }
    try saying(call, target) { () throws(SystemError) in try body(source, name, destination, newName) }
  }

  /// Opens the folder that an entry is in, or the root for the root.
  private func parent(of path: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Descriptor {
    guard path.names.allSatisfy(\.isPlain) else { throw StorageError(.badName, call, path) }
    return try saying(call, path) { () throws(SystemError) in
      var folder = try Descriptor.folder(rootPath)
      for name in path.names.dropLast() {
        let outer = folder
        defer { try? outer.close() }
        folder = try outer.open(FileName(bytes: name.bytes), for: .folder)
      }
      return folder
    }
  }

  private func open(folder: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Descriptor {
    guard !folder.names.isEmpty else { return try parent(of: folder, call) }
    return try inFolder(of: folder, call) { (parent, name) throws(SystemError) in
      try parent.open(name, for: .folder)
    }
  }

  /// Makes a call and says where and for what if it fails.
  private func saying<Result>(
    _ call: StorageError.Call, _ path: StoragePath, _ body: () throws(SystemError) -> Result
  ) throws(StorageError) -> Result {
    do {
      return try body()
    } catch {
      throw StorageError(StorageError.Reason(error), call, path)
    }
  }
}
