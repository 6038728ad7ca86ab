// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// A folder in the work folder with the new files of an update. It has its final name once all files are written.
///
/// `7-0123456789abcdef=Data.plist` is the new `Data.plist` of document 7, and the empty file
/// `7-0123456789abcdef!photo.jpg` says that its `photo.jpg` is removed. The digits are a hash of the former content. Each
/// change of a document first puts these files into place and removes them here. A document with any other content was
/// changed by a program that does not do that; it is left alone.
///
/// Once all documents have their files, the folder is renamed to `finished-…`. A power loss can undo the rename until the
/// work folder is flushed. A document that was meanwhile changed back to its former content would then be updated again.
/// So each change of a document flushes the work folder first if such a name is there.
enum PendingUpdate {
  private static let prefix = Array("update-".utf8)
  private static let finishedPrefix = Array("finished-".utf8)

  static func newPath() -> StoragePath { WorkFolder.path / StorageName("update-\(UUID().uuidString)") }

  static func newFinishedPath() -> StoragePath { WorkFolder.path / StorageName("finished-\(UUID().uuidString)") }

  static func isUpdate(_ name: StorageName) -> Bool { name.bytes.starts(with: prefix) }

  static func isFinished(_ name: StorageName) -> Bool { name.bytes.starts(with: finishedPrefix) }

  /// The name of a new or removed file.
  struct FileName: Equatable {
    var number: DocumentNumber
    /// The hash of the former content.
    var former: UInt64
    var file: StorageName
    var isRemoved: Bool

    var name: StorageName {
      let prefix = "\(number)-\(HexText.digits(former, count: 16))\(isRemoved ? "!" : "=")"
      return StorageName(bytes: Array(prefix.utf8) + file.bytes)
    }

    init(number: DocumentNumber, former: UInt64, file: StorageName, isRemoved: Bool) {
      self.number = number
      self.former = former
      self.file = file
      self.isRemoved = isRemoved
    }

    /// Parses a name. The result is nil for any other name.
    init?(_ name: StorageName) {
      let bytes = name.bytes
      guard let dash = bytes.firstIndex(of: 0x2D), bytes.count > dash + 18, [0x21, 0x3D].contains(bytes[dash + 17]),
        let number = DocumentNumber.parse(ContiguousArray(bytes[..<dash]).span).flatMap({ DocumentNumber($0) }),
        let former = FormerFileName.hash(bytes[(dash + 1)..<(dash + 17)])
      else { return nil }
      self.init(
        number: number, former: former, file: StorageName(bytes: Array(bytes[(dash + 18)...])),
        isRemoved: bytes[dash + 17] == 0x21)
      guard file.isPlain else { return nil }
    }
  }
}

/// A document with its new files.
typealias StagedDocument = (number: DocumentNumber, folder: StorageName, changes: FileChanges)

/// The hashes of documents' files as they were before an update's edits.
typealias FormerHashes = [DocumentNumber: [StorageName: UInt64]]

/// The files of an update by document, each with the meaning of its name.
///
/// A listing takes as long as the update has files, so it must not be repeated for each document. It can become outdated: a
/// process that has finished a document removes its files. It does so with the document's lock, or when all documents are
/// finished.
typealias PendingFiles = [DocumentNumber: [(name: StorageName, meaning: PendingUpdate.FileName)]]

/// The result of putting a document's files of an update into place.
enum UpdateOutcome {
  /// The document was changed. Its folder can be another one then, which the caller has not locked.
  case changed
  /// The document has its files already.
  case unchanged
  /// Another program has changed or removed the document, so it does not get its files.
  case refused
}

/// The new files that an update still has for a document.
private struct PendingRemainder {
  var changes: FileChanges = []
  /// The paths of the files in the update's folder.
  var staged: [StorageName: StoragePath] = [:]
  /// Whether the document has all of the files.
  var isInPlace = true
}

/// A file of a document that an update changes.
private struct PresentFile {
  var name: StorageName
  var bytes: Data?
  /// Whether something that is not a file has the name. A save replaces it, too.
  var isOther = false

  /// The hash by which the update recognizes the former content.
  var hash: UInt64 {
    let hash = FormerSave.hash([(name, bytes)])
    // Not the hash of a missing file.
    return isOther ? ~hash : hash
  }
}

extension DocumentLibrary {
  /// Flushes the documents of all updates in the work folder.
  ///
  /// A process that ended before its shared flush left what these documents need after a power loss. It can be removed
  /// after this call.
  func flushPendingDocuments() throws(StorageError) {
    let updates = try pendingUpdates()
    guard !updates.isEmpty else { return }
    var numbers: Set<DocumentNumber> = []
    for update in updates { numbers.formUnion(try pendingFiles(update).keys) }
    for number in numbers.sorted() {
      let folder = try? folderName(of: number)
      guard let folder else { continue }
      try steps.flushFolder(.root / folder)
    }
    try steps.flushFolder(.root)
  }

  /// Writes the new files of an update, durably, and completes it with a rename.
  /// - Parameters:
  ///   - documents: The documents with their new files.
  ///   - formerHashes: The hashes of what these replace. Those that are missing are made here.
  ///   - watch: The watch for one flush of all files; nil to flush each.
  /// - Returns: The folder of the update.
  /// - Throws: ``StorageError``; nothing is left then.
  func stage(
    _ documents: [StagedDocument], replacing formerHashes: FormerHashes = [:], _ watch: StorageFile?
  ) throws(StorageError) -> StoragePath {
    let (new, pending) = (WorkFolder.newName(), PendingUpdate.newPath())
    try withWorkFolder { () throws(StorageError) in
      do throws(StorageError) {
        try steps.makeFolder(new)
        for document in documents {
          for (file, bytes) in document.changes {
            let current = StoragePath.root / document.folder / file
            if file == StorageName(Model.dataFileName), try steps.status(of: current) == nil {
              // Another program has removed the document since it was read.
              throw StorageError(.notFound, .open, current)
            }
            let known = formerHashes[document.number]?[file]
            let former = if let known { known } else { try formerHash(of: file, in: document.folder) }
            let name = PendingUpdate.FileName(
              number: document.number, former: former, file: file, isRemoved: bytes == nil
            ).name
            try steps.write(bytes ?? Data(), to: new / name, flushing: watch == nil, permissionsOf: current)
          }
        }
        if let watch {
          try steps.flushAll(watch)
        } else {
          try steps.flushFolder(new)
          // The work folder itself may be new.
          try steps.flushFolder(.root)
        }
        try steps.move(new, to: pending, .exclusive)
        try flush(WorkFolder.path) { () throws(StorageError) in try steps.move(pending, to: new, .replacing) }
      } catch {
        try? steps.removeAll(new)
        throw error
      }
    }
    return pending
  }

  /// Puts the new files of all documents of an update into place, durably. The caller locks their folders.
  /// - Returns: The documents that another program has changed or removed meanwhile. They do not get their files.
  func finish(
    _ pending: StoragePath, _ documents: [StagedDocument], _ watch: StorageFile?
  ) throws(StorageError) -> [DocumentNumber] {
    var refused: [DocumentNumber] = []
    var files: PendingFiles = [:]
    func finish(_ document: StagedDocument, _ shared: SharedFlush? = nil) throws(StorageError) {
      let outcome = try self.finish(pending, files[document.number] ?? [], document.folder, shared)
      if outcome == .refused { refused.append(document.number) }
    }
    guard let watch else {
      files = try pendingFiles(pending)
      for document in documents { try finish(document) }
      return refused
    }
    var others: [StagedDocument] = []
    // With the lock until all is flushed: a cleanup by another process would remove what the documents still need.
    try withWorkFolder { () throws(StorageError) in
      let shared = SharedFlush()
      do throws(StorageError) {
        files = try pendingFiles(pending)
        for document in documents {
          do throws(StorageError) {
            try finish(document, shared)
          } catch {
            // Without an exchange of folders, a document with several new files is replaced in two steps.
            guard error.reason == .unsupported, error.call == .move else { throw error }
            others.append(document)
          }
        }
      } catch {
        // The documents before this one are not undone. A cleanup must not remove what they need.
        try? steps.flushAll(watch)
        throw error
      }
      try steps.flushAll(watch)
      for path in shared.removals { try? steps.removeAll(path) }
    }
    for document in others { try finish(document) }
    return refused
  }

  /// Puts the new files of a document into place, unless they are there. The caller locks the folder.
  /// - Parameters:
  ///   - pending: The folder of the update.
  ///   - files: The document's files there.
  ///   - folder: The document's folder.
  ///   - shared: A flush that makes the change durable; nil to flush it here.
  /// - Returns: The result.
  /// - Throws: ``StorageError``.
  @discardableResult
  func finish(
    _ pending: StoragePath, _ files: [(name: StorageName, meaning: PendingUpdate.FileName)], _ folder: StorageName,
    _ shared: SharedFlush? = nil
  ) throws(StorageError) -> UpdateOutcome {
    guard let remainder = try remainder(of: pending, files, folder) else { return .refused }
    guard !remainder.changes.isEmpty else { return .unchanged }
    guard remainder.isInPlace else {
      let data = StorageName(Model.dataFileName)
      try apply(
        remainder.changes.filter { $0.name == data } + remainder.changes.filter { $0.name != data }, to: folder,
        staged: remainder.staged, shared: shared)
      return .changed
    }
    guard shared == nil else { return .unchanged }
    // The process that put them into place may have ended before it flushed them.
    try steps.flushFolder(.root / folder)
    try steps.flushFolder(.root)
    return .unchanged
  }

  /// Compares a document with its new files. The caller locks the folder.
  ///
  /// A file that is gone since the listing is in place: another process has finished the document, or the update.
  /// - Returns: The files that are left; nil if another program has changed the document, which is then left alone.
  private func remainder(
    of pending: StoragePath, _ files: [(name: StorageName, meaning: PendingUpdate.FileName)], _ folder: StorageName
  ) throws(StorageError) -> PendingRemainder? {
    var remainder = PendingRemainder()
    for (name, new) in files {
      let bytes: Data?
      do throws(StorageError) {
        if new.isRemoved {
          // Otherwise a file that was added after the update could be removed.
          guard try steps.status(of: pending / name) != nil else { continue }
          bytes = nil
        } else {
          bytes = try steps.read(pending / name, limit: .max)
        }
      } catch {
        guard error.reason == .notFound else { throw error }
        continue
      }
      let current = try presentFile(new.file, in: folder)
      remainder.changes.append((new.file, bytes))
      if !new.isRemoved { remainder.staged[new.file] = pending / name }
      guard current.isOther || current.bytes != bytes else { continue }
      remainder.isInPlace = false
      guard current.hash == new.former else { return nil }
    }
    return remainder
  }

  /// Returns the hash by which an update recognizes the present content of a file.
  func formerHash(of name: StorageName, in folder: StorageName) throws(StorageError) -> UInt64 {
    try presentFile(name, in: folder).hash
  }

  /// A file that an update changes. It is read without the limits of the library, because the process that performed the
  /// update can have larger ones.
  private func presentFile(_ name: StorageName, in folder: StorageName) throws(StorageError) -> PresentFile {
    do throws(StorageError) {
      return PresentFile(name: name, bytes: try content(of: .root / folder / name, limit: .max))
    } catch {
      guard [.link, .notAFile].contains(error.reason) else { throw error }
      return PresentFile(name: name, isOther: true)
    }
  }

  /// The names of the files of an update; none if another process has completed it.
  private func pendingNames(_ pending: StoragePath) throws(StorageError) -> [StorageName] {
    do {
      return try steps.entries(of: pending).map(\.name)
    } catch {
      guard error.reason == .notFound else { throw error }
      return []
    }
  }

  /// The files of an update by document, in the order of their names; none if another process has completed it.
  private func pendingFiles(_ pending: StoragePath) throws(StorageError) -> PendingFiles {
    var files: PendingFiles = [:]
    for name in try pendingNames(pending) {
      guard let meaning = PendingUpdate.FileName(name) else { continue }
      files[meaning.number, default: []].append((name, meaning))
    }
    return files
  }

  /// The files of an update by document. It is listed once for all documents of this object: files are only removed from it.
  private func knownPendingFiles(_ pending: StoragePath) throws(StorageError) -> PendingFiles {
    if let known = pendingListings.withLock({ $0[pending] }) { return known }
    let files = try pendingFiles(pending)
    pendingListings.withLock { $0[pending] = files }
    return files
  }

  /// The names of the entries of the work folder. The listings of updates that are gone are forgotten.
  private func workNames() throws(StorageError) -> [StorageName] {
    let names = try pendingNames(WorkFolder.path)
    pendingListings.withLock { listings in
      guard !listings.isEmpty else { return }
      let paths = Set(names.map { WorkFolder.path / $0 })
      listings = listings.filter { paths.contains($0.key) }
    }
    return names
  }

  /// Removes the folder of an update whose documents all have their new files.
  func discard(_ pending: StoragePath) throws(StorageError) {
    let done = PendingUpdate.newFinishedPath()
    try RunningChanges.perform { () throws(StorageError) in
      do throws(StorageError) {
        try steps.move(pending, to: done, .exclusive)
      } catch {
        // Another process has completed the update.
        guard error.reason == .notFound else { throw error }
        return
      }
      try flush(WorkFolder.path) { () throws(StorageError) in try steps.move(done, to: pending, .exclusive) }
      // A later cleanup removes what cannot be removed now.
      try? steps.removeAll(done)
    }
  }

  /// The error for a document in the state before an update that a process left unfinished; nil if it is in none. The caller
  /// locks the folder, so no process is still performing the update.
  func unfinishedUpdate(of folder: StorageName) -> LibraryError? {
    guard let (number, _) = FolderName.document(folder.bytes, extension: Model.folderExtension),
      // A work folder that cannot be read says nothing about the document.
      let updates = try? pendingUpdates(),
      updates.contains(where: { update in
        guard let files = (try? knownPendingFiles(update))?[number] else { return false }
        do {
          return try remainder(of: update, files, folder)?.isInPlace == false
        } catch {
          // A file that cannot be read can be one that the document lacks.
          return true
        }
      })
    else { return nil }
    return LibraryError(
      .incompleteUpdate, storage.url(of: .root / folder).path,
      "an update of several documents is saved, but not complete: this document has its former state",
      remedy: "Open the library for writing while no other process uses it; that completes the update")
  }

  /// Puts the new files of documents from updates of ended processes into place. The caller locks the folders.
  ///
  /// A reading operation, with the code `cannotRead`, accepts a work folder that is something else: it has no updates.
  /// - Returns: Whether a document was changed. The caller must then lock the folders again, because they can be other
  ///   ones, and call this method again, because other updates can remain.
  func finishUpdates(of folders: [StorageName], else code: LibraryError.Code) throws(LibraryError) -> Bool {
    let documents = folders.compactMap { folder in
      FolderName.document(folder.bytes, extension: Model.folderExtension).map { ($0.number, folder) }
    }
    guard !documents.isEmpty else { return false }
    return try attempt(code) { () throws(StorageError) -> Bool in
      let names: [StorageName]
      do throws(StorageError) {
        names = try workNames()
      } catch {
        guard code == .cannotRead, let kind = try steps.status(of: WorkFolder.path)?.kind, kind != .folder else {
          throw error
        }
        return false
      }
      var isDiscarding = false
      var hasChanged = false
      // With locks of former folders, no other update may be completed.
      for name in names where PendingUpdate.isUpdate(name) && !hasChanged {
        let pending = WorkFolder.path / name
        // A file or a link is not an update. A cleanup removes it.
        guard try steps.status(of: pending)?.kind == .folder else { continue }
        do throws(StorageError) {
          let files = try knownPendingFiles(pending)
          for (number, folder) in documents {
            let own = files[number] ?? []
            if try finish(pending, own, folder) == .changed { hasChanged = true }
            for file in own { try removeIfPresent(pending / file.name) }
            // Durably, because the document may be changed now. Also without own files: the process that removed them
            // may have ended before it flushed the folder.
            try steps.flushFolder(pending)
          }
          // Without a listing: the system refuses to remove a folder with files of other documents. A later cleanup removes
          // what cannot be removed now.
          try? steps.step { () throws(StorageError) in try storage.removeFolder(pending) }
        } catch {
          guard error.reason == .notFound, try steps.status(of: pending) == nil else { throw error }
          // Another process has finished the update meanwhile.
          isDiscarding = true
        }
      }
      let finished = names.filter { PendingUpdate.isFinished($0) }
      guard isDiscarding || !finished.isEmpty else { return hasChanged }
      try steps.flushFolder(WorkFolder.path)
      for name in finished { try? steps.removeAll(WorkFolder.path / name) }
      return hasChanged
    }
  }

  /// Removes what updates of ended processes have for a document, which is deleted. The caller locks its folder.
  func discardUpdates(of folder: StorageName) throws(StorageError) {
    guard let (number, _) = FolderName.document(folder.bytes, extension: Model.folderExtension) else { return }
    for pending in try pendingUpdates() {
      for file in try pendingFiles(pending)[number] ?? [] { try removeIfPresent(pending / file.name) }
    }
  }

  private func removeIfPresent(_ file: StoragePath) throws(StorageError) {
    do {
      try steps.removeFile(file)
    } catch {
      guard error.reason == .notFound else { throw error }
    }
  }

  /// The complete updates in the work folder.
  private func pendingUpdates() throws(StorageError) -> [StoragePath] {
    var updates: [StoragePath] = []
    for name in try workNames() where PendingUpdate.isUpdate(name) {
      let path = WorkFolder.path / name
      if try steps.status(of: path)?.kind == .folder { updates.append(path) }
    }
    return updates
  }

  /// Completes the updates of ended processes, except for documents that another process has locked.
  /// - Returns: The number of completed updates.
  /// - Throws: The first ``StorageError``. It does not keep other documents from being completed.
  func finishUpdates() throws(StorageError) -> Int {
    var count = 0
    var failure: StorageError?
    for pending in try pendingUpdates() {
      do throws(StorageError) {
        var isComplete = true
        for (number, files) in try pendingFiles(pending).sorted(by: { $0.key < $1.key }) {
          do throws(StorageError) {
            if try !finishUnlocked(pending, number, files) { isComplete = false }
          } catch {
            isComplete = false
            failure = failure ?? error
          }
        }
        guard isComplete else { continue }
        try discard(pending)
        count += 1
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    return count
  }

  /// Puts the new files of a document into place, unless another process has locked the document.
  /// - Returns: Whether they are in place, or the document does not exist.
  private func finishUnlocked(
    _ pending: StoragePath, _ number: DocumentNumber, _ files: [(name: StorageName, meaning: PendingUpdate.FileName)]
  ) throws(StorageError) -> Bool {
    let folder: StorageName
    do {
      folder = try folderName(of: number)
    } catch {
      guard error.code == .notFound else {
        throw error.underlying as? StorageError ?? StorageError(.notAFolder, .status, pending)
      }
      // A document that is being replaced, or that a crash displaced, still gets its files.
      return try !isDisplaced(number)
    }
    let path = StoragePath.root / folder
    var lock: StorageLock?
    do throws(StorageError) {
      lock = try steps.step { () throws(StorageError) in try storage.lock(path, .exclusive) }
      guard lock != nil else { return false }
    } catch {
      guard error.reason == .unsupported else { throw error }
    }
    defer { if let lock { try? storage.close(lock.file) } }
    // Another process may have replaced the locked folder.
    if let lock, try steps.status(of: path)?.identity != lock.identity { return false }
    try finish(pending, files, folder)
    return true
  }
}
