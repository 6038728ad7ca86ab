// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DocumentLibrary {
  /// Performs an operation with a lock against the cleanup of the work folder. A signal does not interrupt it.
  func withWorkFolder<Result>(
    _ kind: StorageLockKind = .shared, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try learnAbilities()
    try steps.makeFolderIfMissing(WorkFolder.path)
    // Without locks no cleanup happens, so the operation is safe.
    let lock = try steps.lock(WorkFolder.path, kind)
    defer { if let lock { try? storage.close(lock.file) } }
    return try RunningChanges.perform(body)
  }

  /// Tries what the storage can do, unless that is known.
  func learnAbilities() throws(StorageError) {
    guard steps.knownAbilities == nil else { return }
    try steps.makeFolderIfMissing(WorkFolder.path)
    // Against a cleanup by another process. The caller may lock the folder exclusively afterward.
    let lock = try steps.lock(WorkFolder.path, .shared)
    defer { if let lock { try? storage.close(lock.file) } }
    _ = try RunningChanges.perform { () throws(StorageError) in try steps.abilities() }
  }

  /// Performs an operation while no other process or thread can change a document's folder.
  func withLock<Result>(
    _ path: StoragePath, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    while true {
      let lock = try steps.lock(path, .exclusive)
      defer { if let lock { try? storage.close(lock.file) } }
      // Another process may have replaced the locked folder during the wait.
      guard let lock, try steps.status(of: path)?.identity != lock.identity else { return try body() }
    }
  }

  /// Removes, restores or completes what crashes left behind. Opening a library calls this method.
  /// - Returns: The number of entries removed, restored or completed; nil if another process is writing, because its
  ///   entries cannot be distinguished from leftovers.
  /// - Throws: ``LibraryError`` if an entry cannot be removed.
  @discardableResult
  public func sweep() throws(LibraryError) -> Int? {
    try attempt(.cannotDelete) { () throws(StorageError) -> Int? in
      guard try steps.status(of: WorkFolder.path) != nil,
        try steps.entries(of: WorkFolder.path).contains(where: { !WorkFolder.isLasting($0.name) })
      else { return 0 }
      let lock: StorageLock?
      do throws(StorageError) {
        lock = try steps.step { () throws(StorageError) in try storage.lock(WorkFolder.path, .exclusive) }
      } catch {
        guard error.reason == .unsupported else { throw error }
        // Without locks, leftovers cannot be recognized. Missing documents are restored nevertheless: a process that is
        // replacing one finds its place taken and fails, and the old version remains.
        try restoreDisplaced()
        _ = try finishUpdates()
        return nil
      }
      // Updates need only the locks of their documents.
      guard let lock else {
        _ = try finishUpdates()
        return nil
      }
      var count = 0
      var failure: StorageError?
      do throws(StorageError) {
        count = try sweepLocked(lock)
      } catch {
        // A leftover that cannot be removed must not keep updates from being completed.
        failure = error
      }
      // Without the lock, because the changes of the documents need a shared one.
      count += try finishUpdates()
      if let failure { throw failure }
      return count
    }
  }

  private func sweepLocked(_ lock: StorageLock) throws(StorageError) -> Int {
    defer { try? storage.close(lock.file) }
    func leftovers() throws(StorageError) -> [StorageName] {
      try steps.entries(of: WorkFolder.path).filter {
        !($0.kind == .folder && PendingUpdate.isUpdate($0.name)) && !WorkFolder.isLasting($0.name)
      }
      .map(\.name)
    }
    let names = try leftovers()
    let count = names.count
    try restoreDisplaced()
    try flushPendingDocuments()
    // Otherwise a power loss could bring a part of an update back.
    let finished = Set(names.filter { PendingUpdate.isFinished($0) })
    if !finished.isEmpty { try steps.flushFolder(WorkFolder.path) }
    // Otherwise a power loss could bring back the old folder of a document whose files are removed here: a process may have
    // ended between the exchange of the folders and the flush.
    if count > 0 { try steps.flushFolder(.root) }
    var failure: StorageError?
    for name in try leftovers() where !PendingUpdate.isFinished(name) || finished.contains(name) {
      do throws(StorageError) {
        try steps.removeAll(WorkFolder.path / name)
      } catch {
        // A change of a document removes a finished update without a lock of the work folder.
        if error.reason != .notFound { failure = failure ?? error }
      }
    }
    if let failure { throw failure }
    return count
  }

  /// Restores documents that a crash displaced during a replacement in two steps.
  private func restoreDisplaced() throws(StorageError) {
    for (name, _) in try steps.entries(of: WorkFolder.path) {
      guard let original = WorkFolder.replacedName(name), try steps.status(of: .root / original) == nil else {
        continue
      }
      try steps.move(WorkFolder.path / name, to: .root / original, .exclusive)
      try steps.flushFolder(.root)
    }
  }

  /// Whether the work folder has a document with a number: a change in two steps is replacing it, or a crash displaced it. It
  /// keeps its number.
  func isDisplaced(_ number: DocumentNumber) throws(StorageError) -> Bool {
    try displacedNumbers().contains(number.rawValue)
  }

  /// The numbers of the documents for which ``isDisplaced(_:)`` is true.
  func displacedNumbers() throws(StorageError) -> Set<Int> {
    do {
      return Set(try steps.entries(of: WorkFolder.path).compactMap { WorkFolder.replacedNumber($0.name) })
    } catch {
      guard error.reason == .notFound else { throw error }
      return []
    }
  }

  /// The documents that ``sweep()`` would restore, as errors. A library that is opened without cleanup does not list
  /// them.
  /// - Throws: ``LibraryError`` if the library cannot be read.
  package func displacedDocuments() throws(LibraryError) -> [(number: DocumentNumber, error: LibraryError)] {
    try attempt { () throws(StorageError) in
      guard try steps.status(of: WorkFolder.path)?.kind == .folder else { return [] }
      var displaced: [(number: DocumentNumber, error: LibraryError)] = []
      for (name, _) in try steps.entries(of: WorkFolder.path) {
        guard let original = WorkFolder.replacedName(name), try steps.status(of: .root / original) == nil,
          let number = WorkFolder.replacedNumber(name).flatMap({ DocumentNumber($0) })
        else { continue }
        let error = LibraryError(
          .displaced, storage.url(of: WorkFolder.path / name).path, "a crash displaced the document during a change",
          remedy: "Open the library for writing while no other process uses it; that restores the document")
        displaced.append((number, error))
      }
      return displaced
    }
  }
}

extension DocumentLibrary {
  /// Deletes a document's folder. The caller locks it.
  func deleteFolder(_ folder: StorageName) throws(StorageError) {
    _ = try withWorkFolder { () throws(StorageError) in
      try remove(.root / folder, by: WorkFolder.newName(), in: .root)
    }
  }
}

extension WorkFolder {
  /// The document's number for a name of ``name(replacing:)``.
  static func replacedNumber(_ name: StorageName) -> Int? {
    guard let original = replacedName(name), let dot = original.bytes.firstIndex(of: 0x2E) else { return nil }
    return DocumentNumber.parse(ContiguousArray(original.bytes[..<dot]).span)
  }
}
