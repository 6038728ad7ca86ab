// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

/// Compound operations on a storage. Calls that a signal interrupts are repeated.
struct StorageSteps: Sendable {
  let storage: any DocumentStorage
  let known: KnownAbilities
  private let patience: Duration

  /// The depth below which folders are moved up before they are removed.
  private static let maximumRemovalDepth = 8

  /// The time that an operation waits for a lock by default.
  static let defaultPatience = Duration.seconds(30)

  init(storage: any DocumentStorage, patience: Duration = defaultPatience) {
    self.storage = storage
    self.patience = patience
    known = KnownAbilities(storage.abilities)
  }

  /// Makes a call, and repeats it while a signal interrupts it.
  func step<Result>(_ body: () throws(StorageError) -> Result) throws(StorageError) -> Result {
    while true {
      do {
        return try body()
      } catch {
        guard error.reason == .interrupted else { throw error }
      }
    }
  }

  /// The status of an entry; nil if it does not exist.
  func status(of path: StoragePath) throws(StorageError) -> StorageStatus? {
    do {
      return try step { () throws(StorageError) in try storage.status(of: path) }
    } catch {
      guard error.reason == .notFound else { throw error }
      return nil
    }
  }

  /// The entries of a folder, sorted, so that operations on them are deterministic.
  func entries(of folder: StoragePath) throws(StorageError) -> [(name: StorageName, kind: StorageStatus.Kind)] {
    var entries: [(name: StorageName, kind: StorageStatus.Kind)] = []
    try step { () throws(StorageError) in
      entries = []
      try storage.list(folder) { name, kind in
        entries.append((StorageName(bytes: name.indices.map { name[$0] }), kind))
      }
    }
    entries.sort { $0.name.bytes.lexicographicallyPrecedes($1.name.bytes) }
    for index in entries.indices where entries[index].kind == .unknown {
      entries[index].kind = try status(of: folder / entries[index].name)?.kind ?? .unknown
    }
    return entries
  }

  /// Reads a file.
  /// - Returns: The content; nil if it has more than `limit` bytes.
  func read(_ path: StoragePath, limit: Int) throws(StorageError) -> Data? {
    let file = try step { () throws(StorageError) in try storage.open(path) }
    defer { try? storage.close(file) }
    var bytes = Data()
    while bytes.count <= limit {
      let count = try at(path) { () throws(StorageError) in try storage.read(file, into: &bytes, atMost: 1 << 16) }
      if count == 0 { return bytes }
    }
    return nil
  }

  /// Reads a file in pieces.
  func read(_ path: StoragePath, _ take: (Data) throws -> Void) throws {
    let file = try step { () throws(StorageError) in try storage.open(path) }
    defer { try? storage.close(file) }
    var piece = Data()
    while try at(path, { () throws(StorageError) in try storage.read(file, into: &piece, atMost: 1 << 16) }) > 0 {
      try take(piece)
      piece.removeAll(keepingCapacity: true)
    }
  }

  /// Creates a file with a content, and by default flushes it. If that fails, the file is removed. It has the permissions
  /// of `model`, if that exists, before it has the content: others must not read a private document.
  func write(
    _ bytes: Data, to path: StoragePath, flushing: Bool = true, permissionsOf model: StoragePath? = nil
  ) throws(StorageError) {
    try write(to: path, flushing: flushing, permissionsOf: model) { (file) throws(StorageError) in
      try append(bytes, to: file, at: path)
    }
  }

  /// Copies a file in pieces, with its permissions and its date, and flushes the copy. If that fails, the copy is removed.
  private func copy(_ path: StoragePath, to target: StoragePath, modified: StorageDate) throws(StorageError) {
    let source = try step { () throws(StorageError) in try storage.open(path) }
    defer { try? storage.close(source) }
    try write(to: target, flushing: true, permissionsOf: path) { (file) throws(StorageError) in
      var piece = Data()
      while try at(path, { () throws(StorageError) in try storage.read(source, into: &piece, atMost: 1 << 16) }) > 0 {
        try append(piece, to: file, at: target)
        piece.removeAll(keepingCapacity: true)
      }
    }
    do throws(StorageError) {
      try step { () throws(StorageError) in try storage.setModified(target, to: modified) }
    } catch {
      try? removeFile(target)
      throw error
    }
  }

  private func write(
    to path: StoragePath, flushing: Bool, permissionsOf model: StoragePath?,
    _ content: (StorageFile) throws(StorageError) -> Void
  ) throws(StorageError) {
    let file = try step { () throws(StorageError) in
      if let model { try storage.create(path, permissionsOf: model) } else { try storage.create(path) }
    }
    do {
      try content(file)
      if flushing { try flush(file, at: path) }
    } catch {
      try? storage.close(file)
      try? removeFile(path)
      throw error
    }
    try closeWritten(file, at: path)
  }

  /// Creates a file with the pieces that `content` passes to the closure that it receives, and flushes it. If that
  /// fails, the file is removed.
  func write(to path: StoragePath, _ content: (_ take: (Data) throws -> Void) throws -> Void) throws {
    let file = try step { () throws(StorageError) in try storage.create(path) }
    do {
      try content { piece in try append(piece, to: file, at: path) }
      try flush(file, at: path)
    } catch {
      try? storage.close(file)
      try? removeFile(path)
      throw error
    }
    try closeWritten(file, at: path)
  }

  private func append(_ bytes: Data, to file: StorageFile, at path: StoragePath) throws(StorageError) {
    var rest = bytes
    while !rest.isEmpty {
      // The caller removes the file, so that nothing is left when a signal ends the process.
      guard !RunningChanges.isEnding else { throw StorageError(.interrupted, .write, path) }
      let count = try at(path) { () throws(StorageError) in try storage.write(rest, to: file) }
      rest = rest.dropFirst(count)
    }
  }

  private func flush(_ file: StorageFile, at path: StoragePath) throws(StorageError) {
    try flushing { () throws(StorageError) in try at(path) { () throws(StorageError) in try storage.flush(file) } }
  }

  /// Closes a written file. If that fails, the file is removed.
  private func closeWritten(_ file: StorageFile, at path: StoragePath) throws(StorageError) {
    do {
      try storage.close(file)
    } catch {
      // The system closes the file nevertheless, and the content is flushed.
      guard error.reason != .interrupted else { return }
      try? removeFile(path)
      throw StorageError(error.reason, .close, path)
    }
  }

  /// Creates a folder. It has the permissions of `model`.
  func makeFolder(_ path: StoragePath, permissionsOf model: StoragePath? = nil) throws(StorageError) {
    try step { () throws(StorageError) in try storage.makeFolder(path) }
    guard let model else { return }
    // Some file systems have no permissions.
    try? step { () throws(StorageError) in try storage.copyPermissions(from: model, to: path) }
  }

  func makeFolderIfMissing(_ path: StoragePath) throws(StorageError) {
    do {
      if try status(of: path) == nil { try makeFolder(path) }
    } catch {
      guard error.reason == .exists else { throw error }
    }
  }

  /// Waits for a lock, and throws ``StorageError/Reason/busy`` after the time limit; nil if the storage has no locks.
  ///
  /// Each call tries it, unless the storage declares that it has none: a server can lack locks for a moment only.
  func lock(_ path: StoragePath, _ kind: StorageLockKind) throws(StorageError) -> StorageLock? {
    if let declared = storage.abilities, !declared.contains(.locks) { return nil }
    do throws(StorageError) {
      let lock = try LockWait.take(within: patience) { () throws(StorageError) in
        try step { () throws(StorageError) in try storage.lock(path, kind) }
      }
      guard let lock else { throw StorageError(.busy, .lock, path) }
      return lock
    } catch {
      guard error.reason == .unsupported else { throw error }
      return nil
    }
  }

  func flushFolder(_ path: StoragePath) throws(StorageError) {
    try flushing { () throws(StorageError) in try step { () throws(StorageError) in try storage.flushFolder(path) } }
  }

  /// Begins to watch all writes; nil if the storage cannot flush all changes with one call.
  ///
  /// Without links, documents get copies of the staged files, each of which must be flushed before its rename.
  func beginFlushingAll() throws(StorageError) -> StorageFile? {
    guard try abilities().isSuperset(of: [.flushes, .wholeFlushes, .links]) else { return nil }
    do {
      return try step { () throws(StorageError) in try storage.beginFlushingAll() }
    } catch {
      guard error.reason == .unsupported else { throw error }
      return nil
    }
  }

  func flushAll(_ watch: StorageFile) throws(StorageError) {
    try step { () throws(StorageError) in try storage.flushAll(watch) }
  }

  /// Flushes a file or folder, if the storage can do that.
  private func flushing(_ body: () throws(StorageError) -> Void) throws(StorageError) {
    do {
      try body()
    } catch {
      guard error.reason == .unsupported, knownAbilities?.contains(.flushes) != true else { throw error }
    }
  }

  func move(_ path: StoragePath, to target: StoragePath, _ mode: StorageMove) throws(StorageError) {
    guard mode != .exclusive else { return try moveExclusively(path, to: target) }
    try step { () throws(StorageError) in try storage.move(path, to: target, mode) }
  }

  func removeFile(_ path: StoragePath) throws(StorageError) {
    try step { () throws(StorageError) in try storage.removeFile(path) }
  }

  /// Removes a file, or a folder of the work folder with its content. Links are not followed.
  func removeAll(_ path: StoragePath) throws(StorageError) {
    guard try status(of: path)?.kind == .folder else { return try removeFile(path) }
    // Not recursive, because folders can be nested deeper than the stack allows.
    var pending = [path]
    while let folder = pending.last {
      var isEmpty = true
      for entry in try entries(of: folder) {
        if entry.kind == .folder {
          var inner = folder / entry.name
          isEmpty = false
          if inner.names.count > Self.maximumRemovalDepth {
            // Each call looks up its whole path, so the time would grow with the square of the depth. An interrupted
            // removal has made progress, too.
            let flat = WorkFolder.newName()
            // Only who can change a folder can move it into another one.
            try removing(from: folder, inner) { () throws(StorageError) in try move(inner, to: flat, .exclusive) }
            inner = flat
          }
          pending.append(inner)
        } else {
          try removing(from: folder) { () throws(StorageError) in try storage.removeFile(folder / entry.name) }
        }
      }
      guard isEmpty else { continue }
      try removing(from: folder.folder) { () throws(StorageError) in try storage.removeFolder(folder) }
      pending.removeLast()
    }
  }

  /// Removes an entry of a folder, and first lets the owner change the folders if necessary: a deleted document can have
  /// read-only folders.
  private func removing(
    from folders: StoragePath..., remove: () throws(StorageError) -> Void
  ) throws(StorageError) {
    do throws(StorageError) {
      try step(remove)
    } catch {
      guard error.reason == .noPermission else { throw error }
      // The owner can always use a folder that gets the permissions of another one.
      for folder in folders {
        try step { () throws(StorageError) in try storage.copyPermissions(from: folder, to: folder) }
      }
      try step(remove)
    }
  }

  /// Links the files of a folder and its subfolders into another folder, except the entries in `excluded`. The new
  /// subfolders are flushed, but not `target`.
  func linkAll(_ source: StoragePath, to target: StoragePath, except excluded: Set<StorageName>) throws(StorageError) {
    let top = target
    var pending = [(source, target, excluded)]
    while let (source, target, excluded) = pending.popLast() {
      for entry in try entries(of: source) where !excluded.contains(entry.name) {
        if entry.kind == .folder {
          try makeFolder(target / entry.name, permissionsOf: source / entry.name)
          pending.append((source / entry.name, target / entry.name, []))
        } else {
          try link(source / entry.name, to: target / entry.name)
        }
      }
      if target != top { try flushFolder(target) }
    }
  }

  /// Links a file, or copies it if the file system does not support that.
  func link(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    do throws(StorageError) {
      if let known = knownAbilities, !known.contains(.links) { throw StorageError(.unsupported, .link, target) }
      try step { () throws(StorageError) in try storage.link(path, to: target) }
    } catch {
      guard [.unsupported, .noPermission, .otherDisk, .tooManyNames].contains(error.reason),
        let status = try status(of: path), status.kind == .file
      else { throw error }
      try copy(path, to: target, modified: status.modified)
    }
  }

  /// Makes a call on an open file, and adds the path to its error.
  func at<Result>(
    _ path: StoragePath, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    do {
      return try step(body)
    } catch {
      throw StorageError(error.reason, error.call, path)
    }
  }
}
