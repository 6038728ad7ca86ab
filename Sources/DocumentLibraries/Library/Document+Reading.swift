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
  /// The document's values, read on first access; nil if the document has none yet.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/missingDataFile`` if the data file is missing,
  ///   ``LibraryError/Code/unreadableArchive`` or ``LibraryError/Code/wrongClass`` if it is invalid. The code is
  ///   ``LibraryError/Code/newerVersion`` if a newer version of the program wrote it.
  public var data: Model? { get throws { try stored?.model } }

  /// The defects of the data file that did not prevent reading it.
  /// - Throws: The errors of ``data``.
  public var warnings: [DocumentWarning] { get throws { try stored?.warnings ?? [] } }

  /// The document's values with information about the file; nil if the document has none yet.
  /// - Throws: The errors of ``data``.
  public var stored: StoredModel<Model>? {
    get throws {
      while true {
        let (known, reading) = state.withLock { ($0[Content.self]?.stored, $0.outdatedReadings) }
        if let known { return known }
        guard let folder = try folderToRead() else { return nil }
        let file = try library.readData(folder)
        let isCurrent = state.withLock { state in
          guard state.outdatedReadings == reading else { return false }
          var content = state[Content.self] ?? Content()
          guard !content.isDataChanged else { return true }
          content.stored = file.stored
          content.version = file.version
          state[Content.self] = content
          return true
        }
        // Otherwise another thread has saved or discarded the values. A caller that changed the old ones would not notice
        // the save, because their version is not known any more.
        if isCurrent { return file.stored }
      }
    }
  }

  /// Returns the content of an attachment, which is read on first access.
  /// - Parameter name: The attachment's name. A file that is not an attachment of the model is read each time.
  /// - Returns: The content; nil if the document has no such attachment.
  /// - Throws: ``LibraryError``.
  public func attachment(_ name: String) throws(LibraryError) -> Data? {
    // The keys of the cache are equal if they are canonically equivalent. Of such names, only one is an attachment.
    guard Model.attachmentNames.contains(name) else {
      return try folderToRead().flatMap { (folder) throws(LibraryError) in try library.readAttachment(name, of: folder)
      }
    }
    while true {
      let (known, reading) = state.withLock { ($0[Content.self]?.attachments[name], $0.outdatedReadings) }
      if let known { return known }
      guard let folder = try folderToRead() else { return nil }
      let bytes = try library.readAttachment(name, of: folder)
      let isCurrent = state.withLock { state in
        guard state.outdatedReadings == reading else { return false }
        var content = state[Content.self] ?? Content()
        guard !content.changedAttachments.contains(name) else { return true }
        content.attachments[name] = .some(bytes)
        state[Content.self] = content
        return true
      }
      if isCurrent { return bytes }
    }
  }

  /// Returns whether the document has an attachment, without reading it.
  /// - Parameter name: The attachment's name.
  /// - Returns: `true` if the document has the attachment.
  /// - Throws: ``LibraryError``.
  public func hasAttachment(_ name: String) throws(LibraryError) -> Bool {
    if Model.attachmentNames.contains(name), let known = state.withLock({ $0[Content.self]?.attachments[name] }) {
      return known != nil
    }
    guard let folder = try folderToRead() else { return false }
    return try library.hasFile(StorageName(name), in: folder)
  }

  /// Sets the values without saving them; see ``save()`` and ``saveData(overwriting:)``.
  ///
  /// If this object has not read the stored values, the save replaces them, whichever they are. An ``edit(attachments:_:)``
  /// changes the stored values. If several threads use the document, call that: another thread can save other values
  /// between a reading of ``data`` and this call.
  /// - Parameter model: The new values.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/deleted`` if the document is deleted.
  public func setData(_ model: Model) throws(LibraryError) {
    try checkNotDeleted()
    state.withLock { state in
      var content = state[Content.self] ?? Content()
      content.stored = StoredModel(model)
      content.isDataChanged = true
      content.changeCount += 1
      state[Content.self] = content
    }
  }

  /// Changes the values without saving them. If they cannot be read, they are not changed, and the next save throws the
  /// error. It is for properties, whose setters cannot throw.
  /// - Parameters:
  ///   - new: The values to change if the document has none yet.
  ///   - change: Changes the values. It must not use the document.
  package func changeData(orNew new: Model, _ change: (inout Model) -> Void) {
    do {
      while true {
        try checkNotDeleted()
        let model = try data
        let isChanged = state.withLock { state in
          var content = state[Content.self] ?? Content()
          // Another thread may have discarded the values meanwhile.
          guard var changed = content.stored?.model ?? (model == nil ? new : nil) else { return false }
          change(&changed)
          content.stored = StoredModel(changed)
          content.isDataChanged = true
          content.changeCount += 1
          state[Content.self] = content
          return true
        }
        if isChanged { return }
      }
    } catch {
      state.withLock { state in
        var content = state[Content.self] ?? Content()
        content.failure = content.failure ?? error
        state[Content.self] = content
      }
    }
  }

  /// Throws the error of a change that could not be made, once.
  func throwFailedChange() throws {
    let failure = state.withLock { state -> (any Error)? in
      guard var content = state[Content.self], let failure = content.failure else { return nil }
      content.failure = nil
      state[Content.self] = content
      return failure
    }
    if let failure { throw failure }
  }

  /// Sets or removes an attachment without saving it; see ``save()``. If several objects save the same attachment, the last
  /// one wins.
  /// - Parameters:
  ///   - name: One of the model's ``DocumentModel/attachmentNames``.
  ///   - bytes: The new content; nil removes the attachment.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/invalidValue`` if the model has no attachment of that
  ///   name, or ``LibraryError/Code/deleted`` if the document is deleted.
  public func setAttachment(_ name: String, to bytes: Data?) throws(LibraryError) {
    try checkNotDeleted()
    try checkAttachmentName(name)
    state.withLock { state in
      var content = state[Content.self] ?? Content()
      content.attachments[name] = .some(bytes)
      content.changedAttachments.insert(name)
      state[Content.self] = content
    }
  }

  /// Throws an error if the model has no attachment of that name.
  func checkAttachmentName(_ name: String) throws(LibraryError) {
    guard !Model.attachmentNames.contains(name) else { return }
    throw LibraryError(
      .invalidValue, docPath?.path ?? library.folder.path, "unknown attachment '\(name)'",
      remedy: "Use one of: \(Model.attachmentNames.joined(separator: ", "))")
  }
}

/// A data file that was read.
struct DataFile<Model: DocumentModel> {
  var stored: StoredModel<Model>
  var version: DataVersion
  var bytes: Data
  /// The bytes as an archive of the model's version, after its migrations.
  var current: Data
}

extension DocumentLibrary {
  /// Looks up an entry of a document's folder, until the folder is the same before and after.
  ///
  /// Another process can replace the folder during a lookup and remove the old one. The lookup then finds nothing,
  /// although the document has the entry.
  /// - Returns: The result of `body`; nil if the entry does not exist.
  func retryingIfReplaced<Result>(
    _ folder: StorageName, _ body: () throws(StorageError) -> Result?
  ) throws(StorageError) -> Result? {
    if let result = try ifFound(body) { return result }
    while true {
      let before = try steps.status(of: .root / folder)?.identity
      if let result = try ifFound(body) { return result }
      guard try steps.status(of: .root / folder)?.identity != before else { return nil }
    }
  }

  /// The entries of a document's folder, until it is the same before and after; nil if it does not exist. Files that are found
  /// by names of the model have these names.
  ///
  /// A listing of a folder that another process replaces meanwhile lacks the files that are removed already.
  func documentEntries(
    of folder: StorageName
  ) throws(StorageError) -> [(name: StorageName, kind: StorageStatus.Kind)]? {
    while true {
      let before = try steps.status(of: .root / folder)?.identity
      let entries = try ifFound { () throws(StorageError) in
        try steps.entries(of: .root / folder, spelledAs: Model.fileNames)
      }
      guard try steps.status(of: .root / folder)?.identity != before else { return entries }
    }
  }

  private func ifFound<Result>(_ body: () throws(StorageError) -> Result?) throws(StorageError) -> Result? {
    do throws(StorageError) {
      return try body()
    } catch {
      guard error.reason == .notFound else { throw error }
      return nil
    }
  }

  /// Reads a data file.
  func readData(_ folder: StorageName) throws -> DataFile<Model> {
    let (bytes, version) = try readDataFile(folder)
    do {
      let (stored, current) = try Model.read(bytes, limits: limits.reading)
      return DataFile(stored: stored, version: DataVersion(version, bytes), bytes: bytes, current: current)
    } catch {
      throw LibraryError.reading(error, at: dataFile(of: folder))
    }
  }

  func dataFile(of folder: StorageName) -> String {
    storage.url(of: .root / folder / StorageName(Model.dataFileName)).path
  }

  func readDataFile(_ folder: StorageName) throws(LibraryError) -> (Data, FileVersion) {
    let path = StoragePath.root / folder / StorageName(Model.dataFileName)
    while true {
      let found = try attempt { () throws(StorageError) in
        try retryingIfReplaced(folder) { () throws(StorageError) -> (StorageStatus, Data?, StorageStatus)? in
          guard let before = try steps.status(of: path) else { return nil }
          let isTooLarge = before.kind == .file && before.byteCount > limits.maximumDataByteCount
          let bytes = isTooLarge ? nil : try steps.read(path, limit: limits.maximumDataByteCount)
          guard let after = try steps.status(of: path) else { return nil }
          return (before, bytes, after)
        }
      }
      guard let (before, bytes, after) = found else {
        guard try attempt(.cannotRead, { () throws(StorageError) in try steps.status(of: .root / folder) }) != nil
        else {
          throw missingDocument(folder, else: "List the library again")
        }
        throw LibraryError(missingDataFile: storage.url(of: path).path)
      }
      guard let bytes else {
        throw LibraryError(
          tooLarge: storage.url(of: path).path, expected: limits.maximumDataByteCount, "maximumDataByteCount")
      }
      // If another process replaced the file in between, the bytes may belong to another version.
      if FileVersion(after) == FileVersion(before) { return (bytes, FileVersion(before)) }
    }
  }

  /// Reads the content of an attachment; nil if the document has no such attachment.
  func readAttachment(_ name: String, of folder: StorageName) throws(LibraryError) -> Data? {
    let name = StorageName(name)
    guard name.isPlain else { return nil }
    let path = StoragePath.root / folder / name
    let bytes: Data?? = try attempt { () throws(StorageError) in
      try retryingIfReplaced(folder) { () throws(StorageError) -> Data?? in
        guard let status = try steps.status(of: path) else { return nil }
        guard status.kind != .file || status.byteCount <= limits.maximumAttachmentByteCount else { return .some(nil) }
        return .some(try steps.read(path, limit: limits.maximumAttachmentByteCount))
      }
    }
    guard let bytes else { return nil }
    guard let bytes else {
      throw LibraryError(
        tooLarge: storage.url(of: path).path, expected: limits.maximumAttachmentByteCount, "maximumAttachmentByteCount")
    }
    return bytes
  }
}
