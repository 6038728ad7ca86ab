// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// A document of a library: a folder with an archive and attachments, which are read when they are first used, and
/// cached.
///
/// ```swift
/// let recipe = try library.document(7)
/// try recipe.data?.name                              // reads the archive
/// try recipe.edit { $0.name = "Soup" }               // reads it again, changes it and saves it; no other edit is lost
/// try recipe.setAttachment("photo.jpg", to: bytes)   // does not save
/// try recipe.save()                                  // saves all unsaved changes atomically
/// ```
///
/// Several threads can use a document at the same time.
///
/// An object stands for the document that has its number. If the document with the largest number is deleted or moved to the
/// trash, the next new document gets that number. An object of the former document then stands for the new one. Release
/// the objects of documents that no longer exist, such as those that ``DocumentLibrary/changes(every:)`` reports as removed.
public final class Document<Model: DocumentModel>: Sendable {
  /// The library that the document belongs to.
  public let library: DocumentLibrary<Model>
  let state: Locked<DocumentState>
  /// Whether a thread saves or deletes the document, so that two threads cannot save a new document twice.
  let isSaving = Locked(false)

  /// The cached and the unsaved content.
  struct Content: Sendable {
    var stored: StoredModel<Model>?
    var version: DataVersion?
    var isDataChanged = false
    /// The number of times that the values were set.
    var changeCount = 0
    var attachments: [String: Data?] = [:]
    var changedAttachments: Set<String> = []
    /// The error of a change that could not be made. The next save throws it.
    var failure: (any Error)?
  }

  /// Creates a document that exists in the storage.
  init(_ library: DocumentLibrary<Model>, _ number: DocumentNumber, _ name: StorageName?) {
    self.library = library
    let usual = name.map { $0 == FolderName.name(for: number, extension: Model.folderExtension) } ?? true
    state = Locked(DocumentState(number: number, otherName: usual ? nil : name))
  }

  /// Creates an unsaved document.
  /// - Parameters:
  ///   - library: The library to save the document to.
  ///   - model: The document's values; nil for none.
  ///   - attachments: The attachments by name.
  public init(in library: DocumentLibrary<Model>, _ model: Model? = nil, attachments: [String: Data] = [:]) {
    self.library = library
    var content = Content()
    content.stored = model.map { StoredModel($0) }
    content.isDataChanged = model != nil
    content.attachments = attachments.mapValues { Data?.some($0) }
    content.changedAttachments = Set(attachments.keys)
    state = Locked(DocumentState(content))
  }

  /// The document's number; nil before the first save.
  public var number: DocumentNumber? { state.withLock { $0.number } }

  /// The document's folder; nil before the first save.
  public var docPath: URL? { folderName.map { library.storage.url(of: .root / $0) } }

  /// A Boolean value that indicates whether this object deleted the document or moved it to the trash.
  public var isDeleted: Bool { state.withLock { $0.isDeleted } }

  /// A Boolean value that indicates whether the document has unsaved changes.
  public var hasChanges: Bool {
    state.withLock { $0[Content.self].map { $0.isDataChanged || !$0.changedAttachments.isEmpty } ?? false }
  }

  /// The folder's name; nil before the first save.
  var folderName: StorageName? {
    state.withLock { state in
      state.otherName ?? state.number.map { FolderName.name(for: $0, extension: Model.folderExtension) }
    }
  }

  /// Discards cached content, so that the next access reads it again. Unsaved changes remain.
  public func discardCache() {
    state.withLock { state in
      state.outdateReadings()
      guard var content = state[Content.self] else { return }
      if !content.isDataChanged {
        content.stored = nil
        content.version = nil
      }
      content.attachments = content.attachments.filter { content.changedAttachments.contains($0.key) }
      let isNeeded = content.isDataChanged || !content.attachments.isEmpty || content.failure != nil
      state[Content.self] = isNeeded ? content : nil
    }
  }

  /// Discards cached content and unsaved changes.
  public func revert() {
    state.withLock { state in
      state.outdateReadings()
      guard let old = state[Content.self] else { return }
      var content = Content()
      // A concurrent save must not mistake the next unsaved values for those that it saves.
      content.changeCount = old.changeCount + 1
      state[Content.self] = content
    }
  }

  /// The modification date of the data file; nil before the first save.
  /// - Throws: ``LibraryError``.
  public var modified: StorageDate? {
    get throws(LibraryError) {
      guard let folder = try folderToRead() else { return nil }
      let path = StoragePath.root / folder / StorageName(Model.dataFileName)
      return try library.attempt { () throws(StorageError) in
        try library.retryingIfReplaced(folder) { () throws(StorageError) in try library.steps.status(of: path) }?
          .modified
      }
    }
  }

  /// The folder to read from; nil before the first save.
  func folderToRead() throws(LibraryError) -> StorageName? {
    try checkNotDeleted()
    return folderName
  }

  func checkNotDeleted() throws(LibraryError) {
    guard isDeleted else { return }
    if let name = state.withLock({ $0.trashName }) {
      throw LibraryError(
        .deleted, library.storage.url(of: TrashFolder.path / name).path, "the document was moved to the trash",
        remedy: "Restore it with restore(\"\(name)\") of the library, and use the document that the call returns")
    }
    throw LibraryError(
      .deleted, docPath?.path ?? library.folder.path, "the document was deleted",
      remedy: "Create a new document with its values")
  }
}

/// The metadata that identifies a version of a file without its content.
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

/// A version of a data file with a hash of its bytes. On a disk without hard links, a save of images copies the data
/// file: its identity changes, and its content does not.
struct DataVersion: Hashable, Sendable {
  var file: FileVersion
  private var hash: UInt64

  init(_ file: FileVersion, _ bytes: Data) {
    self.file = file
    // Both versions are of one document, so no caller benefits from a collision.
    hash = FNVHash.of(bytes.span)
  }

  /// Whether both files have equal contents.
  func isSame(as other: Self) -> Bool { file.byteCount == other.file.byteCount && hash == other.hash }
}

/// The state of a document.
///
/// A list has one state for each of its documents, and most have only a number. Rare properties are therefore stored in
/// a separate object. The type is not generic, so creating a state needs no runtime lookup of a type.
struct DocumentState: Sendable {
  /// -1 if the document has no number.
  private var rawNumber = -1
  private var more: More?

  private struct Rest: Sendable {
    var otherName: StorageName?
    var isDeleted = false
    var trashName: StorageName?
    var content: (any Sendable)?
    var outdatedReadings: UInt32 = 0
    var delayedSave: Task<Void, Never>?
  }

  private final class More: Sendable {
    let rest: Rest
    init(_ rest: Rest) { self.rest = rest }
  }

  private var rest: Rest {
    get { more?.rest ?? Rest() }
    set { more = More(newValue) }
  }

  /// Creates the state of a stored document.
  init(number: DocumentNumber, otherName: StorageName? = nil) {
    rawNumber = number.rawValue
    if otherName != nil { rest.otherName = otherName }
  }

  /// Creates the state of an unsaved document.
  init(_ content: some Sendable) { rest.content = content }

  /// The document's number; nil before the first save.
  var number: DocumentNumber? {
    get { DocumentNumber(rawNumber) }
    set { rawNumber = newValue?.rawValue ?? -1 }
  }

  /// The folder's name, if it differs from the usual one.
  var otherName: StorageName? { more?.rest.otherName }

  var isDeleted: Bool {
    get { more?.rest.isDeleted ?? false }
    set { rest.isDeleted = newValue }
  }

  /// The name in the trash, if this object has moved the document there.
  var trashName: StorageName? {
    get { more?.rest.trashName }
    set { rest.trashName = newValue }
  }

  /// A number that changes whenever content that a thread is reading becomes outdated. The thread must not cache it then.
  var outdatedReadings: UInt32 { more?.rest.outdatedReadings ?? 0 }

  /// Keeps all threads that are reading the document from caching what they have read.
  mutating func outdateReadings() { rest.outdatedReadings &+= 1 }

  var delayedSave: Task<Void, Never>? {
    get { more?.rest.delayedSave }
    set { rest.delayedSave = newValue }
  }

  /// The cached or unsaved content. A document always uses the same type.
  subscript<Content: Sendable>(type: Content.Type) -> Content? {
    get { more?.rest.content as? Content }
    set { rest.content = newValue }
  }
}
