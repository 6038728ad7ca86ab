// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchiving
import PropertyListFormat
import Synchronization

extension Document {
  /// Saves all that was set, in one step. A document without a number gets one and appears whole.
  /// - Throws: ``LibraryError``, and what the model's own checks throw; what was stored before is intact then.
  public func save() throws { try save(data: true, attachments: true, overwriting: false) }

  /// Saves a new document whose values come from another library: mistakes that were there already are kept.
  package func saveImported() throws {
    guard number == nil else { return try save() }
    try saving.withLock { _ in try saveFirst(isImported: true) }
  }

  /// Saves the values if they were set. A document without a number gets one and appears whole, attachments included; one
  /// that has no values yet stays as it is.
  /// - Parameter overwriting: whether to replace what somebody else has saved since this object read the document, and
  ///   a data file that cannot be read.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/changedElsewhere`` if somebody else has saved other values meanwhile;
  ///   what was stored before is intact then.
  public func saveData(overwriting: Bool = false) throws {
    try save(data: true, attachments: false, overwriting: overwriting)
  }

  /// Saves the attachments that were set, in one step. A document without a number gets one and appears whole.
  /// - Throws: ``LibraryError``; what was stored before is intact then.
  public func saveAttachments() throws { try save(data: false, attachments: true, overwriting: false) }

  /// Reads the values anew, changes and saves them, with nobody else's change in between. Values that were set and not
  /// saved yet are changed and saved instead.
  /// - Parameter change: changes the values; it must not use the document.
  /// - Throws: ``LibraryError``, and what `change` and the model's own checks throw; what was stored before is intact then.
  public func edit(_ change: (inout Model) throws -> Void) throws {
    try saving.withLock { _ in
      try checkNotDeleted()
      let content = state.withLock { $0[Content.self] } ?? Content()
      guard let folder = folderName else {
        guard var model = content.stored?.model else {
          throw LibraryError(
            .notSaved, library.folder.path, "the document has no values to change", remedy: "Set them with setData")
        }
        try change(&model)
        try setData(model)
        return try saveFirst()
      }
      let saved = try library.holdingDocument(folder, else: .cannotWrite) {
        guard content.isDataChanged, var model = content.stored?.model else {
          let (old, _, bytes) = try library.readData(folder)
          var model = old.model
          try change(&model)
          return try library.saveModel(model, replacing: old.model, bytes, [:], in: folder)
        }
        let old = try currentData(folder, since: content.version, overwriting: false)
        try change(&model)
        return try library.saveModel(model, replacing: old?.0.model, old?.1, [:], in: folder)
      }
      didSave(saved, [:], of: content)
    }
  }

  /// Deletes the document: it is gone in one step. Deleting it again does nothing; saving it is an error then.
  /// - Throws: ``LibraryError``; the document is intact then.
  public func delete() throws { try leave { (folder) throws(StorageError) in try library.deleteFolder(folder) } }

  /// Moves the document to the library's trash, in one step, from where ``DocumentLibrary/restore(_:)`` takes it back.
  /// - Throws: ``LibraryError``; the document is intact then.
  public func moveToTrash() throws { try leave { (folder) throws(StorageError) in try library.trashFolder(folder) } }

  private func leave(_ body: (StorageName) throws(StorageError) -> Void) throws {
    try saving.withLock { _ in
      guard !isDeleted else { return }
      if let folder = folderName {
        try library.holdingDocument(folder, else: .cannotDelete) {
          do throws(StorageError) {
            try body(folder)
          } catch {
            throw LibraryError(error, .cannotDelete, in: library.storage)
          }
        }
      }
      state.withLock { state in
        state.isDeleted = true
        state[Content.self] = nil
      }
      if let number { library.note(number) }
    }
  }

  private func save(data: Bool, attachments: Bool, overwriting: Bool) throws {
    try saving.withLock { _ in
      try checkNotDeleted()
      guard let content = state.withLock({ $0[Content.self] }) else { return }
      guard let folder = folderName else { return try saveFirst() }
      let changed = attachments ? content.changedAttachments : []
      guard (data && content.isDataChanged) || !changed.isEmpty else { return }
      var change = DocumentChange(
        attachments: content.attachments.filter { changed.contains($0.key) },
        path: library.storage.url(of: .root / folder).path)
      try Model.complete(&change)
      let saved = try library.holdingDocument(folder, else: .cannotWrite) {
        guard data, content.isDataChanged, let model = content.stored?.model else {
          return try library.saveModel(nil, replacing: nil, nil, change.attachments, in: folder)
        }
        let old = try currentData(folder, since: content.version, overwriting: overwriting)
        return try library.saveModel(model, replacing: old?.0.model, old?.1, change.attachments, in: folder)
      }
      didSave(saved, change.attachments, of: content)
    }
  }

  /// What is stored now, if it is what this object has read.
  private func currentData(
    _ folder: StorageName, since version: FileVersion?, overwriting: Bool
  ) throws -> (StoredModel<Model>, Data)? {
    do {
      let (stored, current, bytes) = try library.readData(folder)
      guard overwriting || version == nil || current == version else {
        throw LibraryError(
          .changedElsewhere, library.dataFile(of: folder), "somebody else has saved the document meanwhile",
          remedy: "Read it again and repeat the change, use edit, or save with overwriting: true")
      }
      return (stored, bytes)
    } catch let error as LibraryError
      where error.code == .missingDataFile || overwriting && error.isAboutContent
    {
      return nil
    }
  }

  /// Makes the folder, with everything in it.
  private func saveFirst(isImported: Bool = false) throws {
    let content = state.withLock { $0[Content.self] } ?? Content()
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
    let data = try KeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
    let files = [(StorageName(Model.dataFileName), Data?.some(data))] + library.files(change.attachments)
    do throws(StorageError) {
      let (number, version) = try library.makeDocument(files)
      state.withLock { $0.number = number }
      didSave(version.map { (model, $0) }, change.attachments, of: content)
    } catch {
      throw LibraryError(error, .cannotCreate, in: library.storage)
    }
  }

  /// Takes note of what is stored now; what was set while it was being saved stays to be saved.
  private func didSave(
    _ saved: (model: Model, version: FileVersion)?, _ attachments: [String: Data?], of old: Content
  ) {
    state.withLock { state in
      var content = state[Content.self] ?? Content()
      if let saved {
        content.version = saved.version
        if content.changeCount == old.changeCount {
          content.stored = StoredModel(saved.model)
          content.isDataChanged = false
        }
      }
      for (name, bytes) in attachments {
        if content.attachments[name] == old.attachments[name] {
          content.changedAttachments.remove(name)
          content.attachments[name] = .some(bytes)
        }
      }
      state[Content.self] = content
    }
    if let number { library.note(number) }
  }
}

extension DocumentLibrary {
  /// Holds a document's folder while something happens that may fail in other ways than a storage's.
  func holdingDocument<Result>(
    _ folder: StorageName, else code: LibraryError.Code, _ body: () throws -> Result
  ) throws -> Result {
    var failure: (any Error)?
    var result: Result?
    do throws(StorageError) {
      try holding(.root / folder) { () throws(StorageError) in
        do {
          result = try body()
        } catch {
          failure = error
        }
      }
    } catch {
      guard error.reason == .notFound else { throw LibraryError(error, code, in: storage) }
      throw LibraryError(
        .notFound, storage.url(of: .root / folder).path, "the document is not there any more",
        remedy: "Somebody else deleted it; make a new document")
    }
    if let failure { throw failure }
    guard let result else { throw LibraryError(code, storage.url(of: .root / folder).path, "nothing happened") }
    return result
  }

  /// Files by the names that attachments have, in one order.
  func files(_ attachments: [String: Data?]) -> FileChanges {
    attachments.sorted { $0.key < $1.key }.map { (StorageName($0.key), $0.value) }
  }

  /// Saves values, attachments or both. The folder must be held.
  func saveModel(
    _ model: Model?, replacing old: Model?, _ oldBytes: Data?, _ attachments: [String: Data?], in folder: StorageName
  ) throws -> (model: Model, version: FileVersion)? {
    var changes = files(attachments)
    if let model {
      try model.check(replacing: old, at: dataFile(of: folder))
      var bytes = try KeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)
      if let old, let oldBytes {
        bytes = try UnknownKeys.carry(
          from: oldBytes, rewrittenAs: KeyedArchiver.archivedData(withRootObject: old, requiringSecureCoding: true),
          to: bytes, of: Model.self, limits: limits.reading)
      }
      changes.insert((StorageName(Model.dataFileName), bytes), at: 0)
    }
    do throws(StorageError) {
      // What is to be removed and is not there needs no step.
      var needed: FileChanges = []
      for change in changes {
        if change.bytes == nil, try steps.status(of: .root / folder / change.name) == nil { continue }
        needed.append(change)
      }
      let version = try apply(needed, to: folder)
      return model.flatMap { model in version.map { (model, $0) } }
    } catch {
      throw LibraryError(error, .cannotWrite, in: storage)
    }
  }
}
