// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Synchronization

/// One document of a library: a folder with an archive and files beside it, read when first asked for and kept then.
///
/// ```swift
/// let recipe = try library.document(7)
/// try recipe.data?.name                              // read now
/// try recipe.edit { $0.name = "Soup" }               // read anew, changed, saved: nobody's change is lost
/// try recipe.setAttachment("photo.jpg", to: bytes)   // not saved yet
/// try recipe.save()                                  // all that was set, in one step
/// ```
///
/// A document may be used from several threads at once.
public final class Document<Model: DocumentModel>: Sendable {
  /// The library it belongs to.
  public let library: DocumentLibrary<Model>
  let state: Mutex<DocumentState>
  /// Held while the document is saved or deleted, so that two threads that save a new one do not make two of it.
  let saving = Mutex(())

  /// What was read of it or set.
  struct Content: Sendable {
    var stored: StoredModel<Model>?
    var version: FileVersion?
    var isDataChanged = false
    /// How often the values were set.
    var changeCount = 0
    var attachments: [String: Data?] = [:]
    var changedAttachments: Set<String> = []
  }

  /// A document that is on the disk.
  init(_ library: DocumentLibrary<Model>, _ number: DocumentNumber, _ name: StorageName?) {
    self.library = library
    let usual = name.map { $0 == FolderName.name(for: number, extension: Model.folderExtension) } ?? true
    state = Mutex(DocumentState(number: number, otherName: usual ? nil : name))
  }

  /// A document that is not saved yet.
  /// - Parameters:
  ///   - library: where it will be.
  ///   - model: its values; nil for a document that has none yet.
  ///   - attachments: files beside the archive.
  public init(in library: DocumentLibrary<Model>, _ model: Model? = nil, attachments: [String: Data] = [:]) {
    self.library = library
    var content = Content()
    content.stored = model.map { StoredModel($0) }
    content.isDataChanged = model != nil
    content.attachments = attachments.mapValues { Data?.some($0) }
    content.changedAttachments = Set(attachments.keys)
    state = Mutex(DocumentState(content))
  }

  /// Its number; nil before it is saved for the first time.
  public var number: DocumentNumber? { state.withLock { $0.number } }

  /// Its folder; nil before it is saved for the first time.
  public var docPath: URL? { folderName.map { library.storage.url(of: .root / $0) } }

  /// Whether it was deleted, by this object.
  public var isDeleted: Bool { state.withLock { $0.isDeleted } }

  /// Whether something was set and is not saved yet.
  public var hasChanges: Bool {
    state.withLock { $0[Content.self].map { $0.isDataChanged || !$0.changedAttachments.isEmpty } ?? false }
  }

  /// The folder's name; nil for a document without one.
  var folderName: StorageName? {
    state.withLock { state in
      state.otherName ?? state.number.map { FolderName.name(for: $0, extension: Model.folderExtension) }
    }
  }

  /// Forgets what was read, so that the next access reads anew; what was set and not saved is kept.
  public func discardCache() {
    state.withLock { state in
      guard var content = state[Content.self] else { return }
      if !content.isDataChanged {
        content.stored = nil
        content.version = nil
      }
      content.attachments = content.attachments.filter { content.changedAttachments.contains($0.key) }
      state[Content.self] = content.isDataChanged || !content.attachments.isEmpty ? content : nil
    }
  }

  /// Forgets what was read, and what was set and not saved.
  public func revert() {
    state.withLock { state in
      guard let old = state[Content.self] else { return }
      var content = Content()
      // A save under way must not take what is set next for what it saves.
      content.changeCount = old.changeCount + 1
      state[Content.self] = content
    }
  }

  /// When the data file was changed last; nil before the document is saved for the first time.
  /// - Throws: ``LibraryError``.
  public var modified: StorageDate? {
    get throws(LibraryError) {
      guard let folder = try placeToRead() else { return nil }
      let path = StoragePath.root / folder / StorageName(Model.dataFileName)
      return try library.reading { () throws(StorageError) in try library.steps.status(of: path)?.modified }
    }
  }

  /// The folder to read from; nil for a document that has none yet.
  func placeToRead() throws(LibraryError) -> StorageName? {
    try checkNotDeleted()
    return folderName
  }

  func checkNotDeleted() throws(LibraryError) {
    guard isDeleted else { return }
    throw LibraryError(
      .deleted, docPath?.path ?? library.folder.path, "the document was deleted",
      remedy: "Make a new document of what it held")
  }
}

/// What tells one content of a file from another without reading it.
struct FileVersion: Hashable, Sendable {
  var identity: UInt64
  var byteCount: Int
  var modified: StorageDate

  init(_ status: StorageStatus) {
    identity = status.identity
    byteCount = status.byteCount
    modified = status.modified
  }
}
