// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeyedArchiving
import PropertyListFormat
import Synchronization

extension Document {
  /// Its values, read when first asked for; nil for a document that has none yet.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/missingDataFile`` if there is no data file,
  ///   ``LibraryError/Code/unreadableArchive`` or ``LibraryError/Code/wrongClass`` if it is not as it should be.
  public var data: Model? { get throws { try stored?.model } }

  /// What is not as it should be in the data file, though it could be read.
  /// - Throws: as ``data``.
  public var warnings: [DocumentWarning] { get throws { try stored?.warnings ?? [] } }

  /// Its values with what is known of the file they were in; nil for a document that has none yet.
  /// - Throws: as ``data``.
  public var stored: StoredModel<Model>? {
    get throws {
      if let stored = state.withLock({ $0[Content.self]?.stored }) { return stored }
      guard let folder = try placeToRead() else { return nil }
      let (stored, version, _) = try library.readData(folder)
      state.withLock { state in
        var content = state[Content.self] ?? Content()
        guard !content.isDataChanged else { return }
        content.stored = stored
        content.version = version
        state[Content.self] = content
      }
      return stored
    }
  }

  /// The bytes of an attachment, read when first asked for; nil if there is none.
  /// - Throws: ``LibraryError``.
  public func attachment(_ name: String) throws(LibraryError) -> Data? {
    if let known = state.withLock({ $0[Content.self]?.attachments[name] }) { return known }
    guard let folder = try placeToRead() else { return nil }
    let bytes = try library.readAttachment(name, of: folder)
    state.withLock { state in
      var content = state[Content.self] ?? Content()
      guard !content.changedAttachments.contains(name) else { return }
      content.attachments[name] = .some(bytes)
      state[Content.self] = content
    }
    return bytes
  }

  /// Whether there is an attachment, told without reading it.
  /// - Throws: ``LibraryError``.
  public func hasAttachment(_ name: String) throws(LibraryError) -> Bool {
    if let known = state.withLock({ $0[Content.self]?.attachments[name] }) { return known != nil }
    guard let folder = try placeToRead() else { return false }
    let path = StoragePath.root / folder / StorageName(name)
    return try library.reading { () throws(StorageError) in
      try library.settled(folder) { () throws(StorageError) in try library.steps.status(of: path) }
    } != nil
  }

  /// Sets the values. They are saved by ``save()`` or ``saveData(overwriting:)``.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/deleted`` after the document was deleted.
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

  /// Sets an attachment, or removes it. It is saved by ``save()``.
  /// - Parameters:
  ///   - name: one of the model's ``DocumentModel/attachmentNames``.
  ///   - bytes: the new content, nil for none.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/invalidValue`` for a name that is not the model's.
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

  /// Refuses names that are not the model's.
  func checkAttachmentName(_ name: String) throws(LibraryError) {
    guard !Model.attachmentNames.contains(name) else { return }
    throw LibraryError(
      .invalidValue, docPath?.path ?? library.folder.path, "there is no attachment called '\(name)'",
      remedy: "The names are \(Model.attachmentNames.joined(separator: ", "))")
  }
}

extension DocumentLibrary {
  /// Looks for something in a document's folder.
  ///
  /// While one is looking, somebody may put another folder in the place and take the old one apart. So what is not there
  /// is looked for again, until the folder was the same before and after.
  /// - Returns: nil if it is not there.
  func settled<Result>(
    _ folder: StorageName, _ body: () throws(StorageError) -> Result?
  ) throws(StorageError) -> Result? {
    func look() throws(StorageError) -> Result? {
      do throws(StorageError) {
        return try body()
      } catch {
        guard error.reason == .notFound else { throw error }
        return nil
      }
    }
    if let result = try look() { return result }
    while true {
      let before = try steps.status(of: .root / folder)?.identity
      if let result = try look() { return result }
      guard try steps.status(of: .root / folder)?.identity != before else { return nil }
    }
  }

  /// Reads a data file, with what tells whether it is the same one later, and its bytes.
  func readData(_ folder: StorageName) throws -> (StoredModel<Model>, FileVersion, Data) {
    let (bytes, version) = try readDataFile(folder)
    do {
      return (try Model.stored(in: bytes, limits: limits.reading), version, bytes)
    } catch let error as KeyedArchiveError {
      throw LibraryError(error, at: dataFile(of: folder))
    }
  }

  /// Where a data file is.
  func dataFile(of folder: StorageName) -> String {
    storage.url(of: .root / folder / StorageName(Model.dataFileName)).path
  }

  /// The bytes of a data file.
  func readDataFile(_ folder: StorageName) throws(LibraryError) -> (Data, FileVersion) {
    let path = StoragePath.root / folder / StorageName(Model.dataFileName)
    while true {
      let found = try reading { () throws(StorageError) in
        try settled(folder) { () throws(StorageError) -> (StorageStatus, Data?, StorageStatus)? in
          guard let before = try steps.status(of: path) else { return nil }
          let isTooLarge = before.kind == .file && before.byteCount > limits.maximumDataByteCount
          let bytes = isTooLarge ? nil : try steps.read(path, limit: limits.maximumDataByteCount)
          guard let after = try steps.status(of: path) else { return nil }
          return (before, bytes, after)
        }
      }
      guard let (before, bytes, after) = found else {
        guard try reading({ () throws(StorageError) in try steps.status(of: .root / folder) }) != nil else {
          throw LibraryError(
            .notFound, storage.url(of: .root / folder).path, "the document is not there any more",
            remedy: "Somebody else deleted it")
        }
        throw LibraryError(
          .missingDataFile, storage.url(of: path).path, "the document has no data file",
          remedy: "Put one back from a backup, or save new values")
      }
      guard let bytes else {
        throw LibraryError(
          .limitReached, storage.url(of: path).path,
          "the file has more than the \(limits.maximumDataByteCount) bytes that are read",
          remedy: "Raise LibraryLimits.maximumDataByteCount")
      }
      // If another file took the name in between, its bytes and not its version may have been read, or the reverse.
      if FileVersion(after) == FileVersion(before) { return (bytes, FileVersion(before)) }
    }
  }

  /// The bytes of an attachment; nil if there is none.
  func readAttachment(_ name: String, of folder: StorageName) throws(LibraryError) -> Data? {
    let name = StorageName(name)
    guard name.isPlain else { return nil }
    let path = StoragePath.root / folder / name
    let bytes: Data?? = try reading { () throws(StorageError) in
      try settled(folder) { () throws(StorageError) -> Data?? in
        guard let status = try steps.status(of: path) else { return nil }
        guard status.kind != .file || status.byteCount <= limits.maximumAttachmentByteCount else { return .some(nil) }
        return .some(try steps.read(path, limit: limits.maximumAttachmentByteCount))
      }
    }
    guard let bytes else { return nil }
    guard let bytes else {
      throw LibraryError(
        .limitReached, storage.url(of: path).path,
        "the file has more than the \(limits.maximumAttachmentByteCount) bytes that are read",
        remedy: "Raise LibraryLimits.maximumAttachmentByteCount")
    }
    return bytes
  }
}
