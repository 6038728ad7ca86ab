// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat
import SystemFiles
import ZipContainers

/// The result of the repair of one document's data file.
public struct RepairResult: Sendable {
  /// The outcomes of a repair.
  public enum Outcome: Sendable {
    /// The data file is valid, and is untouched.
    case sound
    /// The data file was restored, or would be without `dryRun`; see ``RepairResult/source``.
    case restored
    /// The data file is missing or damaged, and is untouched.
    case failed(any Error)
  }

  /// The origins of restored files.
  public enum Source: String, Hashable, Sendable {
    /// The file that the last save of the values replaced.
    case formerSave
    /// The backup.
    case backup
  }

  /// The document's number.
  public var number: DocumentNumber
  /// The outcome.
  public var outcome: Outcome
  /// The origin of a restored file; nil for another outcome.
  public var source: Source?
  /// The name under which the document's folder keeps the damaged file; nil if the file was missing.
  public var keptName: String?
}

extension DocumentLibrary {
  /// Restores missing and damaged data files, each atomically. The values are those that the last save of values replaced;
  /// later saves of attachments alone leave them. If the document keeps no valid ones, they are those of the document with
  /// the same number in a backup.
  ///
  /// A number alone does not identify a document, because the number of a deleted document can be given again. The document of
  /// the backup is the same one if it has another file, for example an attachment, with the same content. Otherwise `confirming`
  /// decides.
  ///
  /// The damaged file stays in the document's folder as `.Data.plist.damaged`. The name is hidden, so other programs
  /// that read the folder ignore the file. An interrupted repair can be repeated.
  /// - Parameters:
  ///   - numbers: The documents; nil for all.
  ///   - backup: A file from ``backUp(to:checkAttachment:progress:report:)`` or ``export(_:to:progress:)``; nil to use
  ///     only what saves have kept.
  ///   - dryRun: Whether to report the results without writing.
  ///   - confirming: Receives a number, and the values of the backup, if no other file shows that they belong to the document.
  ///     Returns whether to restore them. The default is not to restore them.
  ///   - report: Receives each result, and returns whether to continue.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/badContainer`` if the backup is not a container, or another code
  ///   if the library cannot be listed.
  public func repair(
    _ numbers: [DocumentNumber]? = nil, from backup: BackupSource? = nil, dryRun: Bool = false,
    confirming: (_ number: DocumentNumber, _ saved: Model) throws -> Bool = { _, _ in false },
    report: (RepairResult) -> Bool
  ) throws {
    let container = try backup.map { try BackupContainer($0, folderExtension: Model.folderExtension) }
    let contents = try contents()
    for number in numbers ?? contents.numbers {
      var result = RepairResult(number: number, outcome: .sound, keptName: nil)
      do {
        let folder = if let other = contents.otherNames[number] { other } else { try folderName(of: number) }
        if let damage = try damage(of: folder) {
          let former = try withDocumentToRead(folder, finishing: !dryRun) { try formerData(in: folder) }
          let file = try former ?? savedData(of: number, folder, in: container, instead: damage, confirming)
          result.outcome = .restored
          result.source = former == nil ? .backup : .formerSave
          let name = StorageName(Model.dataFileName)
          result.keptName = try dryRun ? keptName(of: name, in: folder)?.description : replace(file, in: folder)
          if !dryRun { notifyObservers(of: number) }
        }
      } catch {
        result.outcome = .failed(error)
      }
      guard report(result) else { return }
    }
  }

  /// The error of a missing or damaged data file; nil if the file is valid.
  /// - Throws: ``LibraryError`` if that is not known. The file cannot be read or exceeds a limit, or a newer version of the
  ///   program wrote it. Or a migration of the model fails, which its author can correct.
  private func damage(of folder: StorageName) throws -> LibraryError? {
    do {
      _ = try readData(folder)
      return nil
    } catch let error as LibraryError
      where error.code == .missingDataFile
      || error.isAboutContent && ![.limitReached, .migrationFailed].contains(error.code)
    {
      return error
    }
  }

  /// The valid data file of a document in a backup.
  private func savedData(
    of number: DocumentNumber, _ folder: StorageName, in container: BackupContainer?, instead damage: LibraryError,
    _ confirming: (_ number: DocumentNumber, _ saved: Model) throws -> Bool
  ) throws -> StoredFile {
    guard let container else { throw damage }
    var missing = damage
    guard let unit = container.units.first(where: { $0.place == .document(number) }) else {
      missing.remedy = "The backup does not have the document. Use another backup, or save new values"
      throw missing
    }
    if let error = unit.error { throw error }
    let reader = BackupReader<Model>(zip: container.reader, limits: limits)
    let name = StorageName(Model.dataFileName)
    guard try reader.condition(of: unit).damage == nil, let entry = unit.files[[name]] else {
      missing.remedy = "The backup has the document in a damaged state, too. Use an older backup, or save new values"
      throw missing
    }
    var bytes = Data()
    try reader.read(entry) { bytes += $0 }
    if !reader.sharesFile(unit, with: .root / folder, in: steps),
      try !confirming(number, Model.read(bytes, limits: limits.reading).stored.model)
    {
      missing.remedy =
        "The backup's document \(number) can be another one: no other file is equal, and numbers of deleted documents are used "
        + "again. If it is the same, confirm that; otherwise use another backup, or save new values"
      throw missing
    }
    return StoredFile(name: name, bytes: bytes, modified: BackupUnit.date(entry.modified))
  }

  /// Replaces a missing or damaged data file, unless another process has repaired it.
  /// - Returns: The name of the old file.
  private func replace(_ file: StoredFile, in folder: StorageName) throws -> String? {
    try withLockedDocument(folder, else: .cannotWrite) { () throws -> String? in
      guard try damage(of: folder) != nil else { return nil }
      let kept = try keepDamaged(StorageName(Model.dataFileName), in: folder)
      try attempt(.cannotWrite) { () throws(StorageError) in
        _ = try change(.root / folder / file.name, to: file.bytes, modified: file.modified)
      }
      return kept?.description
    }
  }

  /// Gives a damaged file a second name, durably. The caller locks the folder.
  /// - Returns: The name; nil if the file is missing.
  func keepDamaged(_ name: StorageName, in folder: StorageName) throws(LibraryError) -> StorageName? {
    guard let kept = try keptName(of: name, in: folder) else { return nil }
    let path = StoragePath.root / folder
    try attempt(.cannotWrite) { () throws(StorageError) in
      try learnAbilities()
      // An interrupted repair may have done it.
      guard try steps.status(of: path / kept) == nil else { return }
      if try steps.abilities().contains(.links) {
        try steps.link(path / name, to: path / kept)
      } else {
        try copy(path / name, to: path / kept)
      }
      try steps.flushFolder(path)
    }
    return kept
  }

  /// Copies a file with its date and permissions. The copy is moved from the work folder into place when it is complete, so
  /// a crash leaves no partial file in the document.
  private func copy(_ file: StoragePath, to target: StoragePath) throws(StorageError) {
    let new = WorkFolder.newName()
    try withWorkFolder { () throws(StorageError) in
      do throws(StorageError) {
        try steps.link(file, to: new)
        try steps.move(new, to: target, .exclusive)
      } catch {
        try? steps.removeAll(new)
        throw error
      }
    }
  }

  /// The name for a damaged file: one that is free, or that the file has already; nil if the file is missing.
  func keptName(of damaged: StorageName, in folder: StorageName) throws(LibraryError) -> StorageName? {
    let path = StoragePath.root / folder
    let file = path / damaged
    return try attempt { () throws(StorageError) -> StorageName? in
      guard let status = try steps.status(of: file) else { return nil }
      guard status.kind == .file else { throw StorageError(.notAFile, .open, file) }
      var count = 1
      while true {
        let name = StorageName(".\(damaged).damaged\(count == 1 ? "" : " \(count)")")
        guard let other = try steps.status(of: path / name) else { return name }
        if other.kind == .file, other.byteCount == status.byteCount {
          if other.identity == status.identity { return name }
          // On a disk without links, the name is that of a copy.
          let limit = max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount)
          if let bytes = try steps.read(file, limit: limit), try steps.read(path / name, limit: limit) == bytes {
            return name
          }
        }
        count += 1
      }
    }
  }
}

extension Document {
  /// Replaces a missing or damaged data file by new values, atomically. The damaged file stays in the document's folder
  /// as `.Data.plist.damaged`. The new values also replace unsaved ones.
  /// - Parameters:
  ///   - model: The new values.
  ///   - attachments: Attachments to save together with the values, in one atomic change; nil removes one. Other
  ///     attachments that were set are then saved, too.
  /// - Throws: ``LibraryError``, or an error of the model's check. The stored document is then untouched, apart from a
  ///   second name of the damaged file. The code is ``LibraryError/Code/changedElsewhere`` if the data file is valid, for
  ///   example because another process has repaired it. It is ``LibraryError/Code/newerVersion`` if a newer version of the
  ///   program wrote the file, which is never replaced.
  public func repairData(with model: Model, attachments: [String: Data?] = [:]) throws {
    try withSaving {
      let folder = try savedFolder()
      for name in attachments.keys.sorted() { try checkAttachmentName(name) }
      let content = state.withLock { $0[Content.self] } ?? Content()
      var change = DocumentChange(path: library.storage.url(of: .root / folder).path)
      if !attachments.isEmpty {
        change.attachments = content.attachments.filter { content.changedAttachments.contains($0.key) }
        change.attachments.merge(attachments) { $1 }
        try Model.complete(&change)
      }
      let saved = try library.withLockedDocument(folder, else: .cannotWrite) {
        try library.repairData(with: model, change.attachments, in: folder)
      }
      // The error of a change of the damaged values, which do not exist any more.
      try? throwFailedChange()
      didSave(saved, change.attachments, of: content, isEdit: true)
    }
  }
}

extension Document {
  /// The folder of a document to repair.
  private func savedFolder() throws(LibraryError) -> StorageName {
    if let folder = try folderToRead() { return folder }
    throw LibraryError(
      .notSaved, library.folder.path, "the document is not saved", remedy: "Save it; only a saved document is damaged")
  }
}

extension DocumentLibrary {
  /// Replaces a missing or damaged data file, and keeps it under another name. The caller locks the folder.
  fileprivate func repairData(
    with model: Model, _ attachments: [String: Data?], in folder: StorageName
  ) throws -> (model: Model, version: DataVersion)? {
    guard try damage(of: folder) != nil else {
      throw LibraryError(
        .changedElsewhere, dataFile(of: folder), "the data file is neither missing nor damaged",
        remedy: "Read the document again, and call edit")
    }
    // Before the second name, because invalid values must leave nothing.
    let (changes, former) = try fileChanges(model, replacing: nil, attachments, in: folder)
    _ = try keepDamaged(StorageName(Model.dataFileName), in: folder)
    return try save(model, changes, former, in: folder)
  }
}

extension Document {
  /// Replaces a missing or damaged attachment, atomically. The damaged file stays in the document's folder under a hidden
  /// name, such as `.photo.jpg.damaged`. The files that the last save replaced remain; see ``undoLastSave()``.
  /// - Parameters:
  ///   - name: One of the model's ``DocumentModel/attachmentNames``.
  ///   - others: Other names under which the attachment can be stored, for example those of other formats. If the document
  ///     has no file `name`, the first of them that it has is the damaged file. It is then removed.
  ///   - dryRun: Whether to return the name without writing.
  ///   - content: Receives the stored content, or nil if the document has none of the names, and a function that reads
  ///     another stored attachment. Returns the new content, or nil if the stored one is not damaged. No other process can
  ///     change the document meanwhile, unless this is a dry run.
  /// - Returns: The name under which the folder keeps the damaged file; nil if the file was missing or is not damaged.
  /// - Throws: ``LibraryError``, or an error of `content`; the stored attachment is then untouched, apart from a second
  ///   name.
  @discardableResult
  public func repairAttachment(
    _ name: String, orElse others: [String] = [], dryRun: Bool = false,
    by content: (_ stored: Data?, _ attachment: (_ name: String) throws -> Data?) throws -> Data?
  ) throws -> String? {
    for name in [name] + others { try checkAttachmentName(name) }
    let folder = try savedFolder()
    func attachment(_ name: String) throws -> Data? {
      try checkAttachmentName(name)
      return try library.readAttachment(name, of: folder)
    }
    /// The name of the stored file, and the new content; nil if the attachment is not damaged.
    func repaired() throws -> (damaged: String, bytes: Data)? {
      let stored = try ([name] + others).first { try library.hasFile(StorageName($0), in: folder) } ?? name
      guard let bytes = try content(library.readAttachment(stored, of: folder), attachment) else { return nil }
      try library.checkSizes([(StorageName(name), bytes)], in: folder)
      return (stored, bytes)
    }
    if dryRun {
      return try repaired().flatMap { try library.keptName(of: StorageName($0.damaged), in: folder)?.description }
    }
    var changes: [String: Data?] = [:]
    let kept = try library.withLockedDocument(folder, else: .cannotWrite) { () throws -> StorageName?? in
      guard let (damaged, bytes) = try repaired() else { return nil }
      try library.checkNotNewer(folder)
      changes[name] = bytes
      if damaged != name { changes[damaged] = .some(nil) }
      let kept = try library.keepDamaged(StorageName(damaged), in: folder)
      try library.attempt(.cannotWrite) { () throws(StorageError) in
        _ = try library.apply(library.files(changes), to: folder, .unchanged)
      }
      return .some(kept)
    }
    guard let kept else { return nil }
    state.withLock { state in
      state.outdateReadings()
      guard var content = state[Content.self] else { return }
      for (name, bytes) in changes where !content.changedAttachments.contains(name) {
        content.attachments[name] = .some(bytes)
      }
      state[Content.self] = content
    }
    if let number { library.notifyObservers(of: number) }
    return kept?.description
  }
}
