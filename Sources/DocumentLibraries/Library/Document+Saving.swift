// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat
import SystemFiles

extension Document {
  /// Saves all unsaved changes atomically. A new document gets a number.
  /// - Throws: ``LibraryError``, or an error of the model's check. The stored document is then untouched.
  public func save() throws { try save(data: true, attachments: true, overwriting: false) }

  /// Saves a new document with values of another library, and accepts invalid values that it has already.
  package func saveImported() throws {
    guard number == nil else { return try save() }
    try withSaving {
      guard let content = state.withLock({ $0[Content.self] }) else { return }
      try saveFirst(content, of: content, isImported: true)
    }
  }

  /// Saves the values, if they were set.
  ///
  /// A new document gets a number and appears with its attachments. A document without values is not saved.
  /// - Parameter overwriting: Whether to replace values that another process saved since this object read the document,
  ///   and an unreadable data file. A document of a newer version is never replaced.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/changedElsewhere`` if another process saved other values. The
  ///   stored document is then untouched.
  public func saveData(overwriting: Bool = false) throws {
    try save(data: true, attachments: false, overwriting: overwriting)
  }

  /// Saves the attachments that were set, atomically. A new document gets a number and appears with its values.
  /// - Throws: ``LibraryError``; the stored document is then untouched.
  public func saveAttachments() throws { try save(data: false, attachments: true, overwriting: false) }

  /// Reads the values again, changes and saves them, while no other process can change them. Unsaved values are changed
  /// and saved instead.
  ///
  /// Inside of `change`, changes of the document throw an error with the code ``LibraryError/Code/nestedChange``, also
  /// through another object of it.
  /// - Parameters:
  ///   - attachments: Attachments to save together with the values, in one atomic change; nil removes one. Others that
  ///     were set remain unsaved.
  ///   - change: Changes the values. It must not use the document.
  /// - Throws: ``LibraryError``, or an error of `change` or of the model's check. The stored document is then
  ///   untouched.
  public func edit(attachments: [String: Data?] = [:], _ change: (inout Model) throws -> Void) throws {
    try withSaving {
      try checkNotDeleted()
      for name in attachments.keys.sorted() { try checkAttachmentName(name) }
      let content = state.withLock { $0[Content.self] } ?? Content()
      guard let folder = folderName else {
        guard var model = content.stored?.model else {
          throw LibraryError(
            .notSaved, library.folder.path, "no values: an edit needs values to change", remedy: "Set them with setData"
          )
        }
        try change(&model)
        var edited = content
        edited.stored = StoredModel(model)
        for (name, bytes) in attachments { edited.attachments[name] = .some(bytes) }
        return try saveFirst(edited, of: content, isEdit: true)
      }
      var files = DocumentChange(attachments: attachments, path: library.storage.url(of: .root / folder).path)
      if !attachments.isEmpty { try Model.complete(&files) }
      let saved = try library.withLockedDocument(folder, else: .cannotWrite) {
        guard content.isDataChanged, var model = content.stored?.model else {
          let old = try library.readData(folder)
          var model = old.stored.model
          try change(&model)
          return try library.saveModel(model, replacing: old, files.attachments, in: folder)
        }
        let old = try currentData(folder, since: content.version, overwriting: false)
        try change(&model)
        return try library.saveModel(model, replacing: old, files.attachments, in: folder)
      }
      // An attachment that the model added does not replace one that was set and is not saved.
      let cached = files.attachments.filter { name, _ in
        attachments.keys.contains { $0.hasSameBytes(as: name) } || !content.changedAttachments.contains(name)
      }
      didSave(saved, cached, of: content, isEdit: true)
    }
  }

  /// Deletes the document atomically. Deleting it again has no effect.
  /// - Throws: ``LibraryError``; the document is then untouched.
  public func delete() throws {
    try leave { folder in
      try library.withDocumentToDelete(folder) {
        try library.attempt(.cannotDelete) { () throws(StorageError) in try library.deleteFolder(folder) }
      }
      return nil
    }
  }

  /// Moves the document to the library's trash atomically; see ``DocumentLibrary/restore(_:)``.
  /// - Throws: ``LibraryError``; the document is then untouched.
  public func moveToTrash() throws {
    try leave { folder in
      try library.withLockedDocument(folder, else: .cannotDelete) {
        try library.attempt(.cannotDelete) { () throws(StorageError) in try library.trashFolder(folder) }
      }
    }
  }

  /// Deletes the document, or moves it to the trash. `body` returns its name there.
  private func leave(_ body: (StorageName) throws -> StorageName?) throws {
    try withSaving {
      guard !isDeleted else { return }
      let trashed = try folderName.flatMap(body)
      state.withLock { state in
        state.isDeleted = true
        state.outdateReadings()
        if let trashed { state.trashName = trashed }
        state[Content.self] = nil
      }
      if let number { library.notifyObservers(of: number, in: folderName) }
    }
  }

  func save(data: Bool, attachments: Bool, overwriting: Bool) throws {
    try withSaving {
      try checkNotDeleted()
      try throwFailedChange()
      guard let content = state.withLock({ $0[Content.self] }) else { return }
      guard let folder = folderName else { return try saveFirst(content, of: content) }
      let changed = attachments ? content.changedAttachments : []
      guard (data && content.isDataChanged) || !changed.isEmpty else { return }
      var change = DocumentChange(
        attachments: content.attachments.filter { changed.contains($0.key) },
        path: library.storage.url(of: .root / folder).path)
      try Model.complete(&change)
      let saved = try library.withLockedDocument(folder, else: .cannotWrite) {
        guard data, content.isDataChanged, let model = content.stored?.model else {
          try library.checkNotNewer(folder)
          return try library.saveModel(nil, replacing: nil, change.attachments, in: folder)
        }
        let old = try currentData(folder, since: content.version, overwriting: overwriting)
        return try library.saveModel(model, replacing: old, change.attachments, in: folder)
      }
      didSave(saved, change.attachments, of: content)
    }
  }

  /// The stored data file, if it is the version that this object read.
  private func currentData(
    _ folder: StorageName, since version: DataVersion?, overwriting: Bool
  ) throws -> DataFile<Model>? {
    do {
      let file = try library.readData(folder)
      guard overwriting || version?.isSame(as: file.version) ?? true else {
        throw LibraryError(
          .changedElsewhere, library.dataFile(of: folder), "the document was changed elsewhere since it was read",
          remedy: "Call revert() and repeat the change, or save with overwriting: true")
      }
      return file
    } catch let error as LibraryError
      where error.code == .missingDataFile || overwriting && error.isAboutContent
    {
      return nil
    }
  }

  /// Saves a new document with all attachments. `old` is the unsaved content of this object, from which an edit made
  /// `content`.
  private func saveFirst(
    _ content: Content, of old: Content, isImported: Bool = false, isEdit: Bool = false
  ) throws {
    guard let model = content.stored?.model else {
      guard content.changedAttachments.isEmpty else {
        throw LibraryError(
          .notSaved, library.folder.path, "a document with attachments and no values cannot be saved",
          remedy: "Set its values with setData")
      }
      return
    }
    for name in content.attachments.keys.sorted() { try checkAttachmentName(name) }
    try model.check(replacing: isImported ? model : nil, at: library.folder.path)
    var change = DocumentChange(attachments: content.attachments)
    try Model.complete(&change)
    let data = try model.archived(at: library.folder.path)
    let files = [(StorageName(Model.dataFileName), Data?.some(data))] + library.files(change.attachments)
    try library.checkReading(files, in: nil)
    let (number, version) = try library.attempt(.cannotCreate) { () throws(StorageError) in
      try library.makeDocument(files)
    }
    state.withLock { $0.number = number }
    didSave(version.map { (model, DataVersion($0, data)) }, change.attachments, of: old, isEdit: isEdit)
  }

  /// Updates the cache after a save. Changes that were made during the save remain unsaved.
  func didSave(
    _ saved: (model: Model, version: DataVersion)?, _ attachments: [String: Data?], of old: Content,
    isEdit: Bool = false
  ) {
    state.withLock { state in
      state.outdateReadings()
      var content = state[Content.self] ?? Content()
      if let saved {
        let isUnchanged = content.changeCount == old.changeCount
        // Values that another thread set during an edit lack what the edit changed, so they are not of its version.
        if isUnchanged || !isEdit { content.version = saved.version }
        if isUnchanged {
          content.stored = StoredModel(saved.model)
          content.isDataChanged = false
        }
      }
      for (name, bytes) in attachments {
        // Another thread can have read the former content meanwhile.
        if !content.changedAttachments.contains(name) || content.attachments[name] == old.attachments[name] {
          content.changedAttachments.remove(name)
          content.attachments[name] = .some(bytes)
        }
      }
      state[Content.self] = content
    }
    if let number { library.notifyObservers(of: number) }
  }
}

extension DocumentLibrary {
  /// Locks a document's folder while it is read. If an ended process left an update unfinished, the call completes it,
  /// provided that the library may change and the storage can be written.
  func withDocumentToRead<Result>(
    _ folder: StorageName, finishing: Bool = true, _ body: () throws -> Result
  ) throws -> Result {
    var isFinishing = finishing && sweeps
    let finish = { () throws(LibraryError) -> Bool in
      guard isFinishing else { return false }
      do throws(LibraryError) {
        return try self.finishUpdates(of: [folder], else: .cannotRead)
      } catch {
        // A library on a read-only or a full disk must be readable, for example to back it up after a crash.
        guard [.noPermission, .diskFull].contains(error.code) else { throw error }
        isFinishing = false
        return true
      }
    }
    return try withLock(of: folder, else: .cannotRead, finish, body)
  }

  /// Locks a document's folder while `body` deletes it.
  ///
  /// A full disk must not keep documents from being deleted. An update of an ended process is then left unfinished, and loses
  /// what it has for the document: another one may get the number.
  func withDocumentToDelete(_ folder: StorageName, _ body: () throws -> Void) throws {
    var isUnfinished = false
    let finish = { () throws(LibraryError) -> Bool in
      guard !isUnfinished else { return false }
      do throws(LibraryError) {
        return try self.finishUpdates(of: [folder], else: .cannotDelete)
      } catch {
        guard error.code == .diskFull else { throw error }
        isUnfinished = true
        return true
      }
    }
    try withLock(of: folder, else: .cannotDelete, finish) {
      try body()
      // After the deletion, because a crash before it must not leave the document with a part of the update.
      if isUnfinished { try? discardUpdates(of: folder) }
    }
  }

  /// Locks a document's folder during a change that can throw any error.
  func withLockedDocument<Result>(
    _ folder: StorageName, else code: LibraryError.Code, _ body: () throws -> Result
  ) throws -> Result {
    try withLock(
      of: folder, else: code, { () throws(LibraryError) in try finishUpdates(of: [folder], else: code) }, body)
  }

  /// Locks a document's folder, completes unfinished updates, and performs `body`. `finish` returns whether it may have
  /// replaced the folder. The lock is then of the old folder and excludes no other process, so the new one is locked.
  private func withLock<Result>(
    of folder: StorageName, else code: LibraryError.Code, _ finish: () throws(LibraryError) -> Bool,
    _ body: () throws -> Result
  ) throws -> Result {
    let change = try beginChange(.folder(folder), at: storage.url(of: .root / folder).path)
    defer { endChange(change) }
    var failure: (any Error)?
    var result: Result?
    do throws(StorageError) {
      var locksAgain = false
      repeat {
        try withLock(.root / folder) { () throws(StorageError) in
          do {
            locksAgain = try finish()
            if !locksAgain { result = try body() }
          } catch {
            locksAgain = false
            failure = error
          }
        }
      } while locksAgain
    } catch {
      guard error.reason == .notFound else { throw LibraryError(error, code, in: storage) }
      throw missingDocument(folder, else: "Create a new document")
    }
    if let failure { throw failure }
    guard let result else {
      throw LibraryError(code, storage.url(of: .root / folder).path, "the operation had no result")
    }
    return result
  }

  /// Returns the error for a document that another process has deleted or moved to the trash.
  func missingDocument(_ folder: StorageName, else remedy: String) -> LibraryError {
    let hint = FolderName.document(folder.bytes, extension: Model.folderExtension).flatMap { trashHint($0.number) }
    return LibraryError(
      .notFound, storage.url(of: .root / folder).path, "the document does not exist anymore",
      remedy: hint ?? "Another process deleted it. \(remedy)")
  }

  /// The attachments as files, in a deterministic order.
  func files(_ attachments: [String: Data?]) -> FileChanges {
    attachments.sorted { $0.key < $1.key }.map { (StorageName($0.key), $0.value) }
  }

  /// The new files for values, attachments or both, the data file first. The caller locks the folder.
  func fileChanges(
    _ model: Model?, replacing old: DataFile<Model>?, _ attachments: [String: Data?], in folder: StorageName
  ) throws -> (changes: FileChanges, former: FormerFiles) {
    var changes = files(attachments)
    guard let model else {
      try checkSizes(changes, in: folder)
      return (changes, .kept)
    }
    let path = dataFile(of: folder)
    try model.check(replacing: old?.stored.model, at: path)
    var bytes = try model.archived(at: path)
    if let old {
      bytes = try UnknownKeys.carry(
        from: old.current, rewrittenAs: old.stored.model.archived(at: path), to: bytes, of: Model.self,
        limits: limits.reading)
    }
    changes.insert((StorageName(Model.dataFileName), bytes), at: 0)
    try checkReading(changes, in: folder)
    // An undo must not bring back a damaged file, and a save of the same bytes changes nothing that can be undone.
    guard let old else { return (changes, .discarded) }
    return (changes, changes.count == 1 && old.bytes == bytes ? .unchanged : .kept)
  }

  /// Throws an error if the library could not read one of the files again. The data file is decoded, because the limits for
  /// decoding, and the model's own initializer, have reasons that only decoding finds. That costs little beside the flushes of
  /// a save.
  /// - Parameters:
  ///   - files: The new content of a document's files.
  ///   - folder: The document's folder; nil for a new document.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/limitReached``, or ``LibraryError/Code/invalidValue`` if the
  ///   values cannot be decoded for another reason.
  func checkReading(_ files: FileChanges, in folder: StorageName?) throws(LibraryError) {
    try checkSizes(files, in: folder)
    for case (let name, let bytes?) in files where name == StorageName(Model.dataFileName) {
      do {
        _ = try Model.read(bytes, limits: limits.reading)
      } catch {
        let path = folder.map { StoragePath.root / $0 / name } ?? .root
        let reason = LibraryError.reading(error, at: storage.url(of: path).path) as? LibraryError
        let isLimit = reason?.code == .limitReached
        throw LibraryError(
          isLimit ? .limitReached : .invalidValue, storage.url(of: path).path,
          "the values could not be read again: \(reason?.detail ?? "\(error)")",
          remedy: isLimit
            ? "Save less or simpler values, or raise the limit in LibraryLimits.reading"
            : "Correct \(Model.self), so that it decodes all values that it encodes", underlying: error)
      }
    }
  }

  /// Throws an error if a file is larger than the library's limits.
  func checkSizes(_ files: FileChanges, in folder: StorageName?) throws(LibraryError) {
    for (name, bytes) in files {
      let isData = name == StorageName(Model.dataFileName)
      let limit = isData ? limits.maximumDataByteCount : limits.maximumAttachmentByteCount
      guard let bytes, bytes.count > limit else { continue }
      let path = folder.map { StoragePath.root / $0 / name } ?? .root
      throw LibraryError(
        .limitReached, storage.url(of: path).path,
        "\(name) is too large to be read again: found \(bytes.count) bytes; expected at most \(limit)",
        remedy: "Save less, or raise LibraryLimits.maximum\(isData ? "Data" : "Attachment")ByteCount")
    }
  }

  /// Throws an error if a newer version of the program wrote the document. A change of attachments alone does not need the
  /// values, which can be missing or damaged. The next reading of the values reports that.
  func checkNotNewer(_ folder: StorageName) throws(LibraryError) {
    guard let bytes = try? readDataFile(folder).0 else { return }
    do {
      try Model.checkNotNewer(bytes, limits: limits.reading)
    } catch {
      throw LibraryError.located(error, at: dataFile(of: folder))
    }
  }

  /// Saves values, attachments or both. The caller locks the folder.
  func saveModel(
    _ model: Model?, replacing old: DataFile<Model>?, _ attachments: [String: Data?], in folder: StorageName
  ) throws -> (model: Model, version: DataVersion)? {
    let (changes, former) = try fileChanges(model, replacing: old, attachments, in: folder)
    return try save(model, changes, former, in: folder)
  }

  /// Saves the new files of ``fileChanges(_:replacing:_:in:)``. The caller locks the folder.
  func save(
    _ model: Model?, _ changes: FileChanges, _ former: FormerFiles, in folder: StorageName
  ) throws(LibraryError) -> (model: Model, version: DataVersion)? {
    try attempt(.cannotWrite) { () throws(StorageError) -> (model: Model, version: DataVersion)? in
      let version = try apply(changes, to: folder, former)
      guard let model, let version, let bytes = changes.first?.bytes else { return nil }
      return (model, DataVersion(version, bytes))
    }
  }
}

extension Document {
  /// Saves all unsaved changes after a period without changes, for example while a user types.
  ///
  /// Each call restarts the delay, so one save covers many changes. Until then they are only in memory: call ``save()``
  /// before the program ends. The document stays in memory until it is saved. A deleted document is not saved.
  ///
  /// ```swift
  /// try recipe.setData(recipe.data.renamed(to: field.text))
  /// recipe.saveLater { error in show(error) }
  /// ```
  /// - Parameters:
  ///   - delay: The period without changes.
  ///   - failed: Receives an error of ``save()``, on another thread.
  public func saveLater(
    after delay: Duration = .milliseconds(500), failed: @escaping @Sendable (any Error) -> Void
  ) {
    let task = Task.detached {
      do {
        try await Task.sleepAtMostYear(for: delay)
      } catch {
        return
      }
      do {
        if !self.isDeleted { try self.save() }
      } catch {
        failed(error)
      }
    }
    let former = state.withLock { state in
      defer { state.delayedSave = task }
      return state.delayedSave
    }
    former?.cancel()
  }
}
