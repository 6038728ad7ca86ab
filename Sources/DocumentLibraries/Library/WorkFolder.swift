// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The hidden folder in which new things are made before they take their place, and old ones are taken apart.
///
/// Everyone who has something in it holds a shared lock on it, so whoever gets the exclusive lock knows that all of it was
/// left by a crash.
enum WorkFolder {
  static let path: StoragePath = ".work"

  /// A name that nobody else uses.
  static func newName() -> StoragePath { path / StorageName("new-\(UUID().uuidString)") }

  /// The name for a document while another takes its place, where that takes two steps.
  static func name(replacing document: StorageName) -> StoragePath {
    path / StorageName(bytes: Array("replaced-".utf8) + document.bytes)
  }

  /// The document that a name made by ``name(replacing:)`` stands for.
  static func replacedName(_ name: StorageName) -> StorageName? {
    guard name.bytes.starts(with: "replaced-".utf8) else { return nil }
    let original = StorageName(bytes: Array(name.bytes.dropFirst(9)))
    return original.isPlain && !original.isHidden ? original : nil
  }

  /// Its number.
  static func replacedNumber(_ name: StorageName) -> Int? {
    guard let original = replacedName(name), let dot = original.bytes.firstIndex(of: 0x2E) else { return nil }
    return DocumentNumber.parse(original.bytes.span.extracting(0..<dot))
  }
}

extension DocumentLibrary {
  /// Does something in the work folder while nobody sweeps it.
  func working<Result>(
    _ kind: StorageLockKind = .shared, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    do {
      if try steps.status(of: WorkFolder.path) == nil { try steps.makeFolder(WorkFolder.path) }
    } catch {
      guard error.reason == .exists else { throw error }
    }
    let lock: StorageLock?
    do {
      lock = try steps.step { () throws(StorageError) in try storage.lock(WorkFolder.path, kind, waits: true) }
    } catch {
      // Without locks nothing is ever swept unasked, so there is nothing to be safe from.
      guard error.reason == .unsupported else { throw error }
      lock = nil
    }
    defer { if let lock { try? storage.close(lock.file) } }
    return try body()
  }

  /// Does something with a document's folder while no other process, and no other thread, changes it.
  func holding<Result>(
    _ path: StoragePath, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    while true {
      let lock: StorageLock?
      do {
        lock = try steps.step { () throws(StorageError) in try storage.lock(path, .exclusive, waits: true) }
      } catch {
        guard error.reason == .unsupported else { throw error }
        lock = nil
      }
      defer { if let lock { try? storage.close(lock.file) } }
      // While this one waited, another may have put a new folder in the place of the locked one.
      guard let lock, try steps.status(of: path)?.identity != lock.identity else { return try body() }
    }
  }

  /// Removes what crashes left behind. Done whenever a library is opened.
  /// - Returns: how many leftovers were removed or put back; nil if somebody is at work, so that leftovers cannot be told from what is
  ///   being made.
  /// - Throws: ``LibraryError`` if something cannot be removed.
  @discardableResult
  public func sweep() throws(LibraryError) -> Int? {
    do throws(StorageError) {
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
        // Without locks nobody can tell what is a leftover. A document that is missing is put back all the same: whoever
        // may be replacing it finds its place taken, and fails with the old one in place.
        try putBack()
        return nil
      }
      guard let lock else { return nil }
      defer { try? storage.close(lock.file) }
      let count = try steps.entries(of: WorkFolder.path).count
      try putBack()
      for (name, _) in try steps.entries(of: WorkFolder.path) { try steps.removeAll(WorkFolder.path / name) }
      return count
    } catch {
      throw LibraryError(error, .cannotDelete, in: storage)
    }
  }

  /// Puts documents back that a crash took out of their place on the way to a new content.
  private func putBack() throws(StorageError) {
    for (name, _) in try steps.entries(of: WorkFolder.path) {
      guard let original = WorkFolder.replacedName(name), try steps.status(of: .root / original) == nil else {
        continue
      }
      try steps.move(WorkFolder.path / name, to: .root / original, .exclusive)
      try steps.flushFolder(.root)
    }
  }

  /// The documents that ``sweep()`` would put back, as errors: in a library that is not swept they are not to be seen.
  /// - Throws: ``LibraryError`` if the library cannot be read.
  package func displacedDocuments() throws(LibraryError) -> [(number: DocumentNumber, error: LibraryError)] {
    try reading { () throws(StorageError) in
      guard try steps.status(of: WorkFolder.path)?.kind == .folder else { return [] }
      var displaced: [(number: DocumentNumber, error: LibraryError)] = []
      for (name, _) in try steps.entries(of: WorkFolder.path) {
        guard let original = WorkFolder.replacedName(name), try steps.status(of: .root / original) == nil,
          let number = WorkFolder.replacedNumber(name).flatMap({ DocumentNumber($0) })
        else { continue }
        let error = LibraryError(
          .displaced, storage.url(of: WorkFolder.path / name).path, "a crash took the document out of its place",
          remedy: "It is put back when the library is opened to be used and nobody else is at work")
        displaced.append((number, error))
      }
      return displaced
    }
  }
}
