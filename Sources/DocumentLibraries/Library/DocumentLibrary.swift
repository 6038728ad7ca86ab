// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import PropertyListFormat
import SystemFiles

/// A folder of documents. Each document is a numbered folder, such as `7.recipe`, with a `Data.plist` and attachments.
///
/// A document appears completely or not at all, and a saved change survives a crash of the program or the machine.
/// Several processes can use a library at the same time. Each new document gets a number that no other has. Changes to one document
/// are serialized, and readers never see a partial change.
///
/// New and changed files are written in the hidden folder `.work` and renamed into place. Opening a library removes the
/// files that a crash left there. The hidden folder `.trash` holds documents that were moved to the trash. What the last
/// save of a document replaced stays in hidden files of its folder; see ``Document/undoLastSave()``.
///
/// No entry of the folder leads out of it: symbolic links are not followed. ``contents()`` reports entries that have
/// names of documents but are not documents. The library ignores all other entries.
public final class DocumentLibrary<Model: DocumentModel>: Sendable {
  /// The storage of the documents.
  public let storage: any DocumentStorage
  /// The limits for reading and saving.
  public let limits: LibraryLimits
  /// A Boolean value that indicates whether a save keeps the files that it replaces; see ``Document/undoLastSave()``.
  public let keepsFormerSaves: Bool
  /// Whether the library may complete or remove what a crash left behind, when nothing is changed.
  let sweeps: Bool
  let steps: StorageSteps
  let watch = Locked(LibraryWatch())
  let notices = Locked(LibraryNotices())
  let numberHint = Locked<NumberHint?>(nil)
  let threadChanges = Locked<Set<ThreadChange>>([])
  /// The listings of updates that other processes left unfinished, by the paths of the updates.
  let pendingListings = Locked<[StoragePath: PendingFiles]>([:])

  /// Opens a library in a storage, and by default removes what a crash left behind.
  /// - Parameters:
  ///   - storage: The storage.
  ///   - limits: The limits for reading and saving.
  ///   - creating: Whether to create the folder and its parents if they do not exist.
  ///   - sweeping: Whether to remove, restore or complete what a crash left behind, now and before readings that lock a
  ///     document. Pass `false` to read a library that must not change.
  ///   - keepingFormerSaves: Whether a save keeps the files that it replaces. Otherwise it removes what the save before
  ///     has kept.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/notFound`` if the folder does not exist and `creating` is `false`.
  ///   The code is ``LibraryError/Code/migrationFailed`` if the model has a migration to a version after its own.
  public init(
    in storage: any DocumentStorage, limits: LibraryLimits = .default, creating: Bool = true, sweeping: Bool = true,
    keepingFormerSaves: Bool = true
  ) throws(LibraryError) {
    self.storage = storage
    self.limits = limits
    keepsFormerSaves = keepingFormerSaves
    sweeps = sweeping
    steps = StorageSteps(storage: storage, patience: limits.patience)
    try Model.checkMigrations(at: storage.url(of: .root).path)
    do {
      if creating { try steps.step { () throws(StorageError) in try storage.makeRoot() } }
      guard try steps.status(of: .root)?.kind == .folder else {
        throw LibraryError(
          .notFound, storage.url(of: .root).path, "the folder does not exist", remedy: "Create it, or pass another one")
      }
    } catch let error as StorageError {
      throw LibraryError(error, .cannotCreate, in: storage)
    } catch let error as LibraryError {
      throw error
    } catch {
      throw LibraryError(.cannotCreate, storage.url(of: .root).path, "\(error)")
    }
    // Leftovers that cannot be removed now do no harm; the next cleanup removes them.
    if sweeping { _ = try? sweep() }
  }

  /// Opens a library in a folder on the disk, and by default removes what a crash left behind.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - limits: The limits for reading and saving.
  ///   - creating: Whether to create the folder and its parents if they do not exist.
  ///   - sweeping: Whether to remove or restore what a crash left behind.
  ///   - keepingFormerSaves: Whether a save keeps the files that it replaces.
  /// - Throws: The errors of ``init(in:limits:creating:sweeping:keepingFormerSaves:)``.
  public convenience init(
    at folder: URL, limits: LibraryLimits = .default, creating: Bool = true, sweeping: Bool = true,
    keepingFormerSaves: Bool = true
  ) throws(LibraryError) {
    try self.init(
      in: DiskStorage(folder), limits: limits, creating: creating, sweeping: sweeping,
      keepingFormerSaves: keepingFormerSaves)
  }

  /// The folder of the documents.
  public var folder: URL { storage.url(of: .root) }

  /// Returns the document with a number, without reading it. The cost does not depend on the number of documents, unless the
  /// document does not exist.
  /// - Parameter number: The number.
  /// - Returns: The document.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/notFound`` if the document does not exist.
  public func document(_ number: DocumentNumber) throws(LibraryError) -> Document<Model> {
    Document(self, number, try folderName(of: number))
  }

  /// Creates and saves a document, which gets the number after the largest one.
  /// - Parameters:
  ///   - model: The document's values.
  ///   - attachments: The attachments by name.
  /// - Returns: The document.
  /// - Throws: ``LibraryError``, or an error of the model's check.
  @discardableResult
  public func addDocument(_ model: Model, attachments: [String: Data] = [:]) throws -> Document<Model> {
    let document = Document(in: self, model, attachments: attachments)
    try document.save()
    return document
  }

  /// The name of a document's folder in the storage, and what has the name; nil if nothing has it.
  func existingFolder(
    of number: DocumentNumber
  ) throws(LibraryError) -> (name: StorageName, kind: StorageStatus.Kind?)? {
    let canonical = FolderName.name(for: number, extension: Model.folderExtension)
    let status = try attempt { () throws(StorageError) in try steps.status(of: .root / canonical) }
    if let status, status.kind == .folder { return (canonical, status.kind) }
    // Old versions of an app may have written the extension in capital letters.
    guard let other = try contents().otherNames[number] else { return status.map { (canonical, $0.kind) } }
    return (other, try attempt { () throws(StorageError) in try steps.status(of: .root / other) }?.kind)
  }

  /// The name of a document's folder in the storage.
  func folderName(of number: DocumentNumber) throws(LibraryError) -> StorageName {
    guard let (name, kind) = try existingFolder(of: number) else {
      let canonical = FolderName.name(for: number, extension: Model.folderExtension)
      throw LibraryError(
        .notFound, storage.url(of: .root / canonical).path, "document \(number) does not exist",
        remedy: trashHint(number).map { "\($0), or list the library to see its numbers" }
          ?? "List the library to see its numbers")
    }
    guard kind == .folder else {
      throw LibraryError(
        .notADocument, storage.url(of: .root / name).path,
        kind == .link ? "found a symbolic link; expected a folder" : "found a file; expected a folder",
        remedy: "Replace it with the folder, or rename it")
    }
    return name
  }

  /// Performs an operation on the storage, and converts its error.
  func attempt<Result>(
    _ code: LibraryError.Code = .cannotRead, _ body: () throws(StorageError) -> Result
  ) throws(LibraryError) -> Result {
    do {
      return try body()
    } catch {
      throw LibraryError(error, code, in: storage)
    }
  }
}

extension DocumentLibrary {
  /// Copies a document of another library byte for byte. The copy gets the number after the largest one.
  /// - Parameter document: The document to copy.
  /// - Returns: The copy.
  /// - Throws: ``LibraryError``; nothing is copied then, for example because the values cannot be read.
  @discardableResult
  public func addCopy(of document: Document<Model>) throws -> Document<Model> {
    guard let folder = try document.folderToRead() else {
      throw LibraryError(
        .notSaved, document.library.folder.path, "the document is not saved", remedy: "Save it before you copy it")
    }
    var files: FileChanges = []
    // Locked, so that all files belong to one version.
    try document.library.withDocumentToRead(folder) {
      files.append((StorageName(Model.dataFileName), try document.library.readData(folder).bytes))
      for name in try document.library.attachmentNames(of: folder) {
        if let bytes = try document.library.readAttachment(name, of: folder) {
          files.append((StorageName(name), bytes))
        }
      }
    }
    try checkReading(files, in: nil)
    let (number, _) = try attempt(.cannotCreate) { () throws(StorageError) in try makeDocument(files) }
    notifyObservers(of: number)
    return Document(self, number, nil)
  }
}

/// The limits for reading and saving documents.
///
/// A document that could not be read again is not saved. Each save of values therefore decodes them once before it writes, which
/// calls the model's initializer. For a small document that takes about 1 percent of the time of a save.
public struct LibraryLimits: Hashable, Sendable {
  /// The maximum number of bytes of a data file.
  public var maximumDataByteCount: Int
  /// The maximum number of bytes of an attachment.
  public var maximumAttachmentByteCount: Int
  /// The limits for decoding a data file.
  public var reading: ReadLimits
  /// The maximum time that an operation waits for another process or thread that changes the same document. After it, the
  /// operation fails with ``LibraryError/Code/busy``.
  public var patience: Duration

  /// Creates limits.
  /// - Parameters:
  ///   - maximumDataByteCount: The maximum number of bytes of a data file.
  ///   - maximumAttachmentByteCount: The maximum number of bytes of an attachment.
  ///   - reading: The limits for decoding a data file.
  ///   - patience: The maximum time to wait for a change by another process or thread; nil for 30 seconds.
  public init(
    maximumDataByteCount: Int = 1 << 26, maximumAttachmentByteCount: Int = 1 << 28, reading: ReadLimits = .default,
    patience: Duration? = nil
  ) {
    self.maximumDataByteCount = maximumDataByteCount
    self.maximumAttachmentByteCount = maximumAttachmentByteCount
    self.reading = reading
    self.patience = patience ?? StorageSteps.defaultPatience
  }

  /// The default limits: 64 MiB for a data file and 256 MiB for an attachment, and 30 s to wait.
  public static let `default` = LibraryLimits()
}
