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
/// Each call opens the folders from the root to the entry one by one and rejects symbolic links. An entry therefore
/// never leads out of the root, not even if another process changes a folder during a call. The path to the root can
/// have symbolic links.
public struct DiskStorage: DocumentStorage {
  /// The root.
  public let folder: URL
  private let root: Root

  /// The way to open the root.
  private enum Root {
    /// Each call opens it by its path.
    case path(String)
    /// It is open.
    case open(HeldFolder)
  }

  /// Creates a storage for a folder.
  /// - Parameter folder: The root. It need not exist.
  public init(_ folder: URL) {
    self.folder = folder
    root = .path(folder.path)
  }

  private init(_ held: Descriptor, at folder: URL) {
    self.folder = folder
    root = .open(HeldFolder(held))
  }

  /// Opens a folder for several calls on its entries.
  /// - Parameter path: The path of the folder.
  /// - Returns: A storage of the folder, which is open as long as the storage exists.
  /// - Throws: ``StorageError``.
  public func openFolder(_ path: StoragePath) throws(StorageError) -> (any DocumentStorage)? {
    DiskStorage(try open(folder: path, .open), at: url(of: path))
  }

  /// Returns the location of an entry.
  /// - Parameter path: The path of the entry.
  /// - Returns: The location on the disk.
  public func url(of path: StoragePath) -> URL {
    path.names.reduce(folder) { $0.appending(path: $1.description) }
  }

  /// Creates the root and its parents, if they do not exist.
  /// - Throws: ``StorageError``, with reason ``StorageError/Reason/missing(_:)`` if the system has no open folders.
  public func makeRoot() throws(StorageError) {
    // Nothing is created where the folder could not be used.
    guard Capability.openFolders.isAvailable else {
      throw StorageError(StorageError.Reason(SystemError(lacking: .openFolders)), .makeRoot, .root)
    }
    // The new folders must be as durable as their content.
    var parents: [URL] = []
    var missing = folder.standardizedFileURL
    while missing.path != "/", !FileManager.default.fileExists(atPath: missing.path) {
      missing.deleteLastPathComponent()
      parents.append(missing)
    }
    defer {
      for parent in parents {
        guard let descriptor = try? Descriptor.folder(parent.path) else { continue }
        // Not every file system can flush a folder; later reads do not depend on it.
        try? descriptor.flush()
        try? descriptor.close()
      }
    }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      // Foundation's error is unspecific. Opening the folder throws a specific one.
      try parent(of: .root, .makeRoot).close()
    }
  }

  /// Calls `visit` for each entry of a folder, in any order.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - visit: Receives the entries. The bytes of a name are valid only during the call.
  /// - Throws: ``StorageError``.
  public func list(
    _ folder: StoragePath, _ visit: (_ name: Span<UInt8>, _ kind: StorageStatus.Kind) -> Void
  ) throws(StorageError) {
    let descriptor = try open(folder: folder, .list)
    try attempt(.list, folder) { () throws(SystemError) in
      try descriptor.listAndClose { name, kind in visit(name, kind.map { StorageStatus.Kind($0) } ?? .unknown) }
    }
  }

  /// Returns the status of a file or folder.
  /// - Parameter path: The path of the entry.
  /// - Returns: The status.
  /// - Throws: ``StorageError``.
  public func status(of path: StoragePath) throws(StorageError) -> StorageStatus {
    let parent = try parent(of: path, .status)
    defer { parent.close() }
    let name = path.names.last.map { FileName(bytes: $0.bytes) } ?? FileName(".")
    return try attempt(.status, path) { () throws(SystemError) in
      StorageStatus(try parent.descriptor.status(of: name))
    }
  }

  /// Creates a folder. An existing entry of that name is an error.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError``.
  public func makeFolder(_ path: StoragePath) throws(StorageError) {
    try inFolder(of: path, .makeFolder) { (folder, name) throws(SystemError) in try folder.makeFolder(name) }
  }

  /// Creates an empty file for writing. An existing entry of that name is an error.
  /// - Parameter path: The path of the file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``.
  public func create(_ path: StoragePath) throws(StorageError) -> StorageFile {
    try inFolder(of: path, .create) { (folder, name) throws(SystemError) in
      StorageFile(rawValue: try folder.open(name, for: .creating(permissions: 0o666)).number)
    }
  }

  /// Creates an empty file for writing, which has the permissions of another file when it can be opened. It has the owner
  /// and the group of that file, too, as far as the system allows that.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - source: The path of the other file. If it is not a file, the permissions are those of a new file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``.
  public func create(_ path: StoragePath, permissionsOf source: StoragePath) throws(StorageError) -> StorageFile {
    let status = try? inFolder(of: source, .status) { (folder, name) throws(SystemError) in try folder.status(of: name)
    }
    guard let status, status.kind == .file else { return try create(path) }
    return try inFolder(of: path, .create) { (folder, name) throws(SystemError) in
      // A process that opens the file before it has its permissions could read it later, whichever they are.
      let file = try folder.open(name, for: .creating(permissions: 0o600))
      // Some file systems have no permissions.
      try? SystemError.repeating { () throws(SystemError) in try file.setAccess(like: status) }
      return StorageFile(rawValue: file.number)
    }
  }

  /// Opens a file for reading. An entry of another kind is an error.
  /// - Parameter path: The path of the file.
  /// - Returns: The open file.
  /// - Throws: ``StorageError``.
  public func open(_ path: StoragePath) throws(StorageError) -> StorageFile {
    let file = try inFolder(of: path, .open) { (folder, name) throws(SystemError) in
      try folder.open(name, for: .reading)
    }
    do throws(StorageError) {
      let status = try attempt(.open, path) { () throws(SystemError) in try file.status() }
      guard status.kind == .file else { throw StorageError(.notAFile, .open, path) }
      return StorageFile(rawValue: file.number, status: StorageStatus(status))
    } catch {
      try? file.close()
      throw error
    }
  }

  /// Appends the next bytes of a file to `bytes`.
  /// - Parameters:
  ///   - file: The open file.
  ///   - bytes: Receives the bytes.
  ///   - count: The maximum number of bytes.
  /// - Returns: The number of bytes; 0 at the end of the file.
  /// - Throws: ``StorageError``.
  public func read(_ file: StorageFile, into bytes: inout Data, atMost count: Int) throws(StorageError) -> Int {
    try attempt(.read, .root) { () throws(SystemError) in try file.descriptor.read(into: &bytes, atMost: count) }
  }

  /// Writes the first of `bytes`, at least one.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - file: The open file.
  /// - Returns: The number of bytes written.
  /// - Throws: ``StorageError``.
  public func write(_ bytes: Data, to file: StorageFile) throws(StorageError) -> Int {
    try attempt(.write, .root) { () throws(SystemError) in try file.descriptor.write(bytes) }
  }

  /// Waits until the content of a file is on the disk.
  /// - Parameter file: The open file.
  /// - Throws: ``StorageError``.
  public func flush(_ file: StorageFile) throws(StorageError) {
    try attempt(.flush, .root) { () throws(SystemError) in try file.descriptor.flush() }
  }

  /// Closes a file, or releases a lock.
  /// - Parameter file: The open file, or that of the lock.
  /// - Throws: ``StorageError``.
  public func close(_ file: StorageFile) throws(StorageError) {
    try attempt(.close, .root) { () throws(SystemError) in try file.descriptor.close() }
  }

  /// Waits until changes to a folder's entries are on the disk.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError`` with reason ``StorageError/Reason/unsupported`` if the file system cannot flush folders.
  public func flushFolder(_ path: StoragePath) throws(StorageError) {
    let folder = try open(folder: path, .flushFolder)
    defer { try? folder.close() }
    try attempt(.flushFolder, path) { () throws(SystemError) in try folder.flush() }
  }

  /// Opens the root, if one call can flush its file system. Linux 5.17 and later can do that with usual local disks.
  /// - Returns: The open root. Errors of writing since then belong to ``flushAll(_:)``.
  /// - Throws: ``StorageError``.
  public func beginFlushingAll() throws(StorageError) -> StorageFile {
    let root = try open(folder: .root, .flushAll)
    guard let status = try? root.status(), MountTable.flushesAtOnce(status) else {
      try? root.close()
      throw StorageError(.unsupported, .flushAll, .root)
    }
    return StorageFile(rawValue: root.number)
  }

  /// Waits until all changes of the root's file system are on the disk, also those of other programs.
  /// - Parameter watch: The result of ``beginFlushingAll()``.
  /// - Throws: ``StorageError``.
  public func flushAll(_ watch: StorageFile) throws(StorageError) {
    try attempt(.flushAll, .root) { () throws(SystemError) in try watch.descriptor.flushAll() }
  }

  /// Renames a file or folder atomically.
  /// - Parameters:
  ///   - path: The path of the entry.
  ///   - target: The new path.
  ///   - mode: The effect if the target exists.
  /// - Throws: ``StorageError`` with reason ``StorageError/Reason/unsupported`` if the file system lacks the mode.
  public func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    try inFolders(of: path, target, .move) { (source, name, destination, newName) throws(SystemError) in
      try source.move(name, to: destination, newName, Descriptor.MoveMode(mode))
    }
  }

  /// Gives a file a second name, a hard link.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - target: The second path.
  /// - Throws: ``StorageError``.
  public func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    try inFolders(of: path, target, .link) { (source, name, destination, newName) throws(SystemError) in
      try source.link(name, to: destination, newName)
    }
  }

  /// Removes a file or a symbolic link.
  /// - Parameter path: The path of the entry.
  /// - Throws: ``StorageError``.
  public func removeFile(_ path: StoragePath) throws(StorageError) {
    try inFolder(of: path, .removeFile) { (folder, name) throws(SystemError) in try folder.removeFile(name) }
  }

  /// Removes an empty folder.
  /// - Parameter path: The path of the folder.
  /// - Throws: ``StorageError``.
  public func removeFolder(_ path: StoragePath) throws(StorageError) {
    try inFolder(of: path, .removeFolder) { (folder, name) throws(SystemError) in try folder.removeFolder(name) }
  }

  /// Sets the modification date of a file.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - date: The modification date.
  /// - Throws: ``StorageError``.
  public func setModified(_ path: StoragePath, to date: StorageDate) throws(StorageError) {
    let moment = FileStatus.Moment(seconds: date.seconds, nanoseconds: date.nanoseconds)
    try inFolder(of: path, .setModified) { (folder, name) throws(SystemError) in
      try folder.setModified(moment, of: name)
    }
  }

  /// Gives a file or folder the permissions of another one, and the owner and the group, as far as the system allows that.
  /// The owner can always use a folder.
  /// - Parameters:
  ///   - source: The path of the other entry.
  ///   - path: The path of the entry, of the same kind.
  /// - Throws: ``StorageError``.
  public func copyPermissions(from source: StoragePath, to path: StoragePath) throws(StorageError) {
    let status = try inFolder(of: source, .status) { (folder, name) throws(SystemError) in try folder.status(of: name) }
    let isFolder = status.kind == .folder
    guard isFolder || status.kind == .file else { return }
    try inFolder(of: path, .setPermissions) { (folder, name) throws(SystemError) in
      let entry = try folder.open(name, for: isFolder ? .folder : .reading)
      defer { try? entry.close() }
      // Otherwise the new folder could not get its files.
      try entry.setAccess(like: status, permissions: status.permissions | (isFolder ? 0o700 : 0))
    }
  }

  /// Locks a folder.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - kind: The kind of the lock.
  /// - Returns: The lock; nil if another lock excludes it. The call does not wait.
  /// - Throws: ``StorageError``.
  public func lock(_ folder: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    let descriptor = try open(folder: folder, .lock)
    var isLocked = false
    defer { if !isLocked { try? descriptor.close() } }
    return try attempt(.lock, folder) { () throws(SystemError) in
      guard try descriptor.lock(exclusive: kind == .exclusive) else { return nil }
      let identity = try descriptor.status().identity.number
      isLocked = true
      return StorageLock(file: StorageFile(rawValue: descriptor.number), identity: identity)
    }
  }

  // MARK: Opening folders

  /// The last name of a path; an error for the root.
  private func name(_ path: StoragePath) throws(StorageError) -> FileName {
    guard let name = path.names.last else { throw StorageError(.badName, .status, path) }
    return FileName(bytes: name.bytes)
  }

  /// Makes a call in the parent of an entry, with the entry's name.
  private func inFolder<Result>(
    of path: StoragePath, _ call: StorageError.Call,
    _ body: (_ folder: Descriptor, _ name: FileName) throws(SystemError) -> Result
  ) throws(StorageError) -> Result {
    let folder = try parent(of: path, call)
    defer { folder.close() }
    let name = try name(path)
    return try attempt(call, path) { () throws(SystemError) in try body(folder.descriptor, name) }
  }

  /// Makes a call in the parents of two entries, with their names.
  private func inFolders(
    of path: StoragePath, _ target: StoragePath, _ call: StorageError.Call,
    _ body: (
      _ source: Descriptor, _ name: FileName, _ destination: Descriptor, _ newName: FileName
    ) throws(SystemError) -> Void
  ) throws(StorageError) {
    let (name, newName) = (try name(path), try name(target))
    let source = try parent(of: path, call)
    defer { source.close() }
    let destination = try parent(of: target, call)
    defer { destination.close() }
    do throws(SystemError) {
      try body(source.descriptor, name, destination.descriptor, newName)
    } catch {
      // The system does not say of which of the two entries the error is.
      let isOfSource =
        switch error.reason {
        case .notFound: (try? source.descriptor.status(of: name)) == nil
        case .noPermission: call == .link && error.canConcernLinkedFile
        default: false
        }
      throw StorageError(StorageError.Reason(error), call, isOfSource ? path : target)
    }
  }

  /// A folder that is open for one call.
  private struct CallFolder {
    let descriptor: Descriptor
    /// Whether the call opened it.
    let isOwned: Bool

    func close() { if isOwned { try? descriptor.close() } }
  }

  /// Opens the parent of an entry, or the root for the root.
  private func parent(of path: StoragePath, _ call: StorageError.Call) throws(StorageError) -> CallFolder {
    guard path.names.allSatisfy(\.isPlain) else { throw StorageError(.badName, call, path) }
    return try attempt(call, path) { () throws(SystemError) in
      var folder =
        switch root {
        case .path(let path): CallFolder(descriptor: try .folder(path), isOwned: true)
        case .open(let held): CallFolder(descriptor: held.descriptor, isOwned: false)
        }
      for name in path.names.dropLast() {
        let outer = folder
        defer { outer.close() }
        folder = CallFolder(
          descriptor: try outer.descriptor.open(FileName(bytes: name.bytes), for: .folder), isOwned: true)
      }
      return folder
    }
  }

  /// Opens a folder. The caller closes it.
  private func open(folder: StoragePath, _ call: StorageError.Call) throws(StorageError) -> Descriptor {
    guard folder.names.isEmpty else {
      return try inFolder(of: folder, call) { (parent, name) throws(SystemError) in
        try parent.open(name, for: .folder)
      }
    }
    let root = try parent(of: folder, call)
    if root.isOwned { return root.descriptor }
    // A second descriptor, because reading a listing moves the position in the folder.
    return try attempt(call, folder) { () throws(SystemError) in
      try root.descriptor.open(FileName("."), for: .folder)
    }
  }

  /// Makes a system call, and adds the call and the path to its error.
  private func attempt<Result>(
    _ call: StorageError.Call, _ path: StoragePath, _ body: () throws(SystemError) -> Result
  ) throws(StorageError) -> Result {
    do {
      return try body()
    } catch {
      throw StorageError(StorageError.Reason(error), call, path)
    }
  }
}

/// A folder that is closed when its last user releases it.
private final class HeldFolder: Sendable {
  let descriptor: Descriptor

  init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  deinit { try? descriptor.close() }
}
