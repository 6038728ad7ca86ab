// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The hidden folder where files and folders are written before they are renamed into place, and removed.
///
/// Each process that uses it holds a shared lock. The holder of the exclusive lock therefore knows that a crash left
/// all its entries.
enum WorkFolder {
  static let path: StoragePath = ".work"

  static func newName() -> StoragePath { path / StorageName("new-\(UUID().uuidString)") }

  /// The name of a document while a new version replaces it in two steps.
  static func name(replacing document: StorageName) -> StoragePath {
    path / StorageName(bytes: Array("replaced-".utf8) + document.bytes)
  }

  /// The original name for a name of ``name(replacing:)``.
  static func replacedName(_ name: StorageName) -> StorageName? {
    guard name.bytes.starts(with: "replaced-".utf8) else { return nil }
    let original = StorageName(bytes: Array(name.bytes.dropFirst(9)))
    return original.isPlain && !original.isHidden ? original : nil
  }

  /// The document's number for a name of ``name(replacing:)``.
  static func replacedNumber(_ name: StorageName) -> Int? {
    guard let original = replacedName(name), let dot = original.bytes.firstIndex(of: 0x2E) else { return nil }
    return DocumentNumber.parse(ContiguousArray(original.bytes[..<dot]).span)
  }
}

extension DocumentLibrary {
  /// Performs an operation with a lock against the cleanup of the work folder.
  func withWorkFolder<Result>(
    _ kind: StorageLockKind = .shared, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    try steps.makeFolderIfMissing(WorkFolder.path)
    // Without locks no cleanup happens, so the operation is safe.
    let lock = try steps.lock(WorkFolder.path, kind)
    defer { if let lock { try? storage.close(lock.file) } }
    return try body()
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

  /// Removes or restores what crashes left behind. Opening a library calls this method.
  /// - Returns: The number of entries removed or restored; nil if another process is writing, because its entries
  ///   cannot be distinguished from leftovers.
  /// - Throws: ``LibraryError`` if an entry cannot be removed.
  @discardableResult
  public func sweep() throws(LibraryError) -> Int? {
    try attempt(.cannotDelete) { () throws(StorageError) -> Int? in
      guard try steps.status(of: WorkFolder.path) != nil, try !steps.entries(of: WorkFolder.path).isEmpty else {
        return 0
      }
      let lock: StorageLock?
      do throws(StorageError) {
        lock = try steps.step { () throws(StorageError) in
          try storage.lock(WorkFolder.path, .exclusive, waits: false)
        }
      } catch {
        guard error.reason == .unsupported else { throw error }
        // Without locks, leftovers cannot be recognized. Missing documents are restored nevertheless: a process that is
        // replacing one finds its place taken and fails, and the old version remains.
        try restoreDisplaced()
        return nil
      }
      guard let lock else { return nil }
      defer { try? storage.close(lock.file) }
      let count = try steps.entries(of: WorkFolder.path).count
      try restoreDisplaced()
      for (name, _) in try steps.entries(of: WorkFolder.path) { try steps.removeAll(WorkFolder.path / name) }
      return count
    }
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

/// The hidden folder of documents that can be restored.
enum TrashFolder {
  static let path: StoragePath = ".trash"
}

extension DocumentLibrary {
  /// Returns the names of the documents in the trash. Pass them to ``restore(_:)`` or ``deleteFromTrash(_:)``.
  /// - Returns: The names.
  /// - Throws: ``LibraryError`` if the trash cannot be read.
  public func trash() throws(LibraryError) -> [String] {
    try attempt { () throws(StorageError) in
      guard try steps.status(of: TrashFolder.path) != nil else { return [] }
      return try steps.entries(of: TrashFolder.path).map(\.name.description)
    }
  }

  /// Restores a document from the trash with a new number, the one after the largest.
  /// - Parameter name: A name from ``trash()``.
  /// - Returns: The document.
  /// - Throws: ``LibraryError`` if the trash has no such document.
  @discardableResult
  public func restore(_ name: String) throws(LibraryError) -> Document<Model> {
    let number = try attempt(.cannotCreate) { () throws(StorageError) in
      let path = try trashed(name)
      return try withWorkFolder { () throws(StorageError) in
        let number = try moveIntoPlace(path, .after(nil))
        // The restore is durable. After a crash, at worst the trash holds the document as well.
        try? steps.flushFolder(TrashFolder.path)
        return number
      }
    }
    notifyObservers(of: number)
    return Document(self, number, nil)
  }

  /// Deletes a document in the trash permanently.
  /// - Parameter name: A name from ``trash()``.
  /// - Throws: ``LibraryError`` if the trash has no such document.
  public func deleteFromTrash(_ name: String) throws(LibraryError) {
    try attempt(.cannotDelete) { () throws(StorageError) in
      let path = try trashed(name)
      try withWorkFolder { () throws(StorageError) in try remove(path, by: WorkFolder.newName(), in: TrashFolder.path) }
    }
  }

  private func trashed(_ name: String) throws(StorageError) -> StoragePath {
    let path = TrashFolder.path / StorageName(name)
    guard try steps.status(of: path)?.kind == .folder else { throw StorageError(.notFound, .status, path) }
    return path
  }

  /// Deletes a document's folder. The caller locks it.
  func deleteFolder(_ folder: StorageName) throws(StorageError) {
    try withWorkFolder { () throws(StorageError) in
      try remove(.root / folder, by: WorkFolder.newName(), in: .root)
    }
  }

  /// Moves a document's folder to the trash. The caller locks it.
  func trashFolder(_ folder: StorageName) throws(StorageError) {
    try steps.makeFolderIfMissing(TrashFolder.path)
    let source = StoragePath.root / folder
    var count = 1
    while true {
      let suffix = count == 1 ? "" : " \(count)"
      let path = TrashFolder.path / StorageName(bytes: folder.bytes + Array(suffix.utf8))
      do {
        try steps.move(source, to: path, .exclusive)
      } catch {
        guard error.reason == .exists else { throw error }
        count += 1
        continue
      }
      try flush(TrashFolder.path) { () throws(StorageError) in try steps.move(path, to: source, .exclusive) }
      return try flush(.root) { () throws(StorageError) in try steps.move(path, to: source, .exclusive) }
    }
  }
}
