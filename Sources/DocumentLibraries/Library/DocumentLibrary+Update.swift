// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Edits of several documents that ``DocumentLibrary/update(_:)`` saves together.
public struct LibraryUpdate<Model: DocumentModel> {
  struct Edit {
    var attachments: [String: Data?]
    var change: (inout Model) throws -> Void
  }

  /// The edits of each document, in their order.
  private(set) var edits: [DocumentNumber: [Edit]] = [:]

  /// Adds an edit of a document. A document can have several edits.
  /// - Parameters:
  ///   - number: The document's number.
  ///   - attachments: Attachments to save together with the values; nil removes one.
  ///   - change: Changes the values. It runs when the update is saved, and must not use the library.
  ///     Inside of it, changes of the update's documents throw an error, also through other objects.
  public mutating func edit(
    _ number: DocumentNumber, attachments: [String: Data?] = [:], _ change: @escaping (inout Model) throws -> Void
  ) {
    edits[number, default: []].append(Edit(attachments: attachments, change: change))
  }
}

extension DocumentLibrary {
  /// Edits several documents: all of them, or none. No edit by another process is lost.
  ///
  /// ```swift
  /// try recipes.update { update in
  ///   for number in [1, 2, 3] as [DocumentNumber] { update.edit(number) { $0.steps.append("Serve") } }
  /// }
  /// ```
  ///
  /// The new files are written to the hidden folder `.work` first. One rename completes the update there. If the process
  /// ends after that, the next change of each document, or the next opening of the library, puts its new files into place.
  /// Until the call returns, other programs can read some documents before the update and some after it. Each document
  /// keeps what it replaces, so it can be undone on its own.
  ///
  /// From eight new files on, all are flushed with two calls, if the storage can do that; see
  /// ``StorageAbilities/wholeFlushes``. The calls also wait for what other programs have written to the disk.
  ///
  /// All documents are locked, and each lock is an open file. Unsaved changes of ``Document`` objects are not used.
  /// - Parameter body: Adds the edits.
  /// - Throws: ``LibraryError``, or an error of `body`, of an edit or of the model's check. No document is changed then,
  ///   except for two codes. With ``LibraryError/Code/incompleteUpdate``, the update is saved, and will be completed. With
  ///   ``LibraryError/Code/partialUpdate``, another program has changed or removed documents during the update. The
  ///   others are saved.
  public func update(_ body: (inout LibraryUpdate<Model>) throws -> Void) throws {
    // Fewer flushes of single files take less time than two of a disk to which other programs write.
    try update(flushingAllFrom: 8, body)
  }

  /// Edits several documents.
  /// - Parameters:
  ///   - leastCount: The least number of new files for which all files are flushed with one call.
  ///   - body: Adds the edits.
  /// - Throws: The errors of ``update(_:)``.
  func update(flushingAllFrom leastCount: Int, _ body: (inout LibraryUpdate<Model>) throws -> Void) throws {
    var update = LibraryUpdate<Model>()
    try body(&update)
    guard !update.edits.isEmpty else { return }
    let numbers = update.edits.keys.sorted()
    var folders: [StorageName] = []
    for number in numbers { folders.append(try folderName(of: number)) }
    var locks: [StorageFile] = []
    var changes: [ThreadChange] = []
    defer {
      for lock in locks { try? storage.close(lock) }
      for change in changes { endChange(change) }
    }
    for folder in folders {
      changes.append(try beginChange(.folder(folder), at: storage.url(of: .root / folder).path))
    }
    repeat {
      for lock in locks { try? storage.close(lock) }
      locks = []
      // In the order of the numbers, so that two updates cannot wait for each other.
      for folder in folders {
        if let lock = try lockDocument(folder) { locks.append(lock) }
      }
      // Completing an update can replace a locked folder. Its lock then excludes no other process.
    } while try finishUpdates(of: folders, else: .cannotWrite)
    var staged: [StagedDocument] = []
    var formerHashes: FormerHashes = [:]
    for (number, folder) in zip(numbers, folders) {
      let (files, hashes) = try self.changes(update.edits[number] ?? [], in: folder)
      guard !files.isEmpty else { continue }
      staged.append((number, folder, files))
      formerHashes[number] = hashes
    }
    guard !staged.isEmpty else { return }
    let watch = try attempt(.cannotWrite) { () throws(StorageError) -> StorageFile? in
      guard staged.reduce(0, { $0 + $1.changes.count }) >= leastCount else { return nil }
      try learnAbilities()
      return try steps.beginFlushingAll()
    }
    defer { if let watch { try? storage.close(watch) } }
    let pending: StoragePath
    do throws(StorageError) {
      pending = try stage(staged, replacing: formerHashes, watch)
    } catch {
      if error.reason == .notFound, let folder = folders.first(where: { error.path.folder == .root / $0 }) {
        throw missingDocument(folder, else: "Repeat the update without it")
      }
      throw LibraryError(error, .cannotWrite, in: storage)
    }
    let refused: [DocumentNumber]
    do {
      refused = try attempt(.cannotWrite) { () throws(StorageError) in
        let refused = try finish(pending, staged, watch)
        try discard(pending)
        return refused
      }
    } catch {
      var failure = error
      failure.code = .incompleteUpdate
      failure.detail = "the update is saved, but not yet in all documents: \(failure.detail)"
      failure.remedy = "Remove the cause, and open the library again; that completes the update. Do not repeat it"
      // Some of the documents may have changed already.
      for (number, _, _) in staged { notifyObservers(of: number) }
      throw failure
    }
    for (number, _, _) in staged { notifyObservers(of: number) }
    guard let folder = staged.first(where: { refused.contains($0.number) })?.folder else { return }
    let names = refused.map(\.description).joined(separator: ", ")
    throw LibraryError(
      .partialUpdate, storage.url(of: .root / folder).path,
      "another program has changed or removed documents during the update: \(names); all others are saved",
      remedy: "Read these documents again, and repeat their edits only")
  }

  /// Locks a document until the file is closed; nil if the storage has no locks.
  private func lockDocument(_ folder: StorageName) throws -> StorageFile? {
    let path = StoragePath.root / folder
    do {
      while let lock = try steps.lock(path, .exclusive) {
        var isCurrent = false
        defer { if !isCurrent { try? storage.close(lock.file) } }
        // Another process may have replaced the locked folder during the wait.
        isCurrent = try steps.status(of: path)?.identity == lock.identity
        if isCurrent { return lock.file }
      }
      return nil
    } catch {
      guard error.reason == .notFound else { throw LibraryError(error, .cannotWrite, in: storage) }
      throw missingDocument(folder, else: "Repeat the update without it")
    }
  }

  /// Performs the edits of a document in memory. The caller locks the folder.
  /// - Returns: The new files, and the hashes of what they replace. A program that has no lock can change these files at any
  ///   moment. So the hashes are those before the edits, whose functions can take any time.
  private func changes(
    _ edits: [LibraryUpdate<Model>.Edit], in folder: StorageName
  ) throws -> (FileChanges, formerHashes: [StorageName: UInt64]) {
    let old = try readData(folder)
    let data = StorageName(Model.dataFileName)
    var formerHashes = [data: FormerSave.hash([(data, old.bytes)])]
    for edit in edits {
      for name in edit.attachments.keys.sorted() {
        try checkAttachmentName(name, in: folder)
        formerHashes[StorageName(name)] = try attempt(.cannotWrite) { () throws(StorageError) in
          try formerHash(of: StorageName(name), in: folder)
        }
      }
    }
    var model = old.stored.model
    var files = DocumentChange(path: storage.url(of: .root / folder).path)
    for edit in edits {
      try edit.change(&model)
      files.attachments.merge(edit.attachments) { $1 }
    }
    if !files.attachments.isEmpty { try Model.complete(&files) }
    let changes = try fileChanges(model, replacing: old, files.attachments, in: folder).changes
    return (changes.count == 1 && changes[0].bytes == old.bytes ? [] : changes, formerHashes)
  }

  private func checkAttachmentName(_ name: String, in folder: StorageName) throws(LibraryError) {
    try Document(self, 0, folder).checkAttachmentName(name)
  }
}
