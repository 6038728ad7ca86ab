// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

extension Document {
  /// Brings back the files that the last save replaced, atomically. Undoing again brings back the newer ones.
  ///
  /// A save keeps what it replaces in hidden files of the document's folder, unless the library was opened with
  /// `keepingFormerSaves: false`. A migration is a save, too. A save of several files is undone completely. Unsaved
  /// changes of this object remain unsaved.
  /// - Throws: ``LibraryError``; the stored document is then untouched. The code is
  ///   ``LibraryError/Code/noFormerSave`` if the document was not saved since it was created, or another program changed
  ///   it after the last save.
  public func undoLastSave() throws {
    try withSaving {
      guard let folder = try folderToRead() else {
        throw LibraryError(.notSaved, library.folder.path, "the document is not saved", remedy: "Save it")
      }
      try library.undoLastSave(in: folder)
      discardCache()
    }
    if let number { library.notifyObservers(of: number) }
  }

  /// A Boolean value that indicates whether ``undoLastSave()`` has files to bring back.
  /// - Throws: ``LibraryError`` if the document cannot be read.
  public var hasFormerSave: Bool {
    get throws {
      guard let folder = try folderToRead() else { return false }
      return try library.withDocumentToRead(folder) { try library.formerFiles(in: folder) } != nil
    }
  }
}

extension DocumentLibrary {
  /// Brings back the files that the last save of a document replaced; see ``Document/undoLastSave()``.
  /// - Parameter number: The document's number.
  /// - Returns: The document.
  /// - Throws: The errors of ``document(_:)`` and of ``Document/undoLastSave()``.
  @discardableResult
  public func undoLastSave(of number: DocumentNumber) throws -> Document<Model> {
    let document = try document(number)
    try document.undoLastSave()
    return document
  }

  fileprivate func undoLastSave(in folder: StorageName) throws {
    try withLockedDocument(folder, else: .cannotWrite) {
      guard let files = try formerFiles(in: folder) else {
        throw LibraryError(
          .noFormerSave, storage.url(of: .root / folder).path, "the document has no former save",
          remedy: "Change the document instead. Only its last save can be undone, and only while no other program "
            + "changes its files")
      }
      try checkNotNewer(folder)
      let data = StorageName(Model.dataFileName)
      if let former = files.first(where: { $0.name == data }) {
        do {
          _ = try Model.read(former.bytes ?? Data(), limits: limits.reading)
        } catch {
          throw LibraryError.reading(error, at: dataFile(of: folder))
        }
      }
      try attempt(.cannotWrite) { () throws(StorageError) in _ = try apply(files, to: folder) }
    }
  }

  /// The former content of the files that the last save changed, the data file first. The caller locks the folder.
  /// - Returns: The files; nil if the document was not saved twice, or its files were changed since.
  func formerFiles(in folder: StorageName) throws(LibraryError) -> FileChanges? {
    let path = StoragePath.root / folder
    let data = StorageName(Model.dataFileName)
    return try attempt { () throws(StorageError) -> FileChanges? in
      for save in FormerSave.all(in: try steps.entries(of: path)) {
        var current: FileChanges = []
        do throws(StorageError) {
          for (name, _) in save.files { current.append((name, try content(of: path / name))) }
        } catch {
          // Another program has put something else in the place of a file.
          guard [.link, .notAFile].contains(error.reason) else { throw error }
          continue
        }
        guard FormerSave.hash(current) == save.id.hash else { continue }
        var files: FileChanges = []
        for (name, kept) in save.files {
          files.append((name, try kept.flatMap { (kept) throws(StorageError) in try content(of: path / kept) }))
        }
        return files.filter { $0.name == data } + files.filter { $0.name != data }
      }
      return nil
    }
  }

  /// The latest valid data file that a save of values replaced; nil if the folder has none. The caller locks the folder.
  func formerData(in folder: StorageName) throws(LibraryError) -> StoredFile? {
    let path = StoragePath.root / folder
    let name = StorageName(Model.dataFileName)
    return try attempt { () throws(StorageError) -> StoredFile? in
      let formers = try steps.entries(of: path).filter { $0.kind == .file }.compactMap { FormerFileName($0.name) }
        .filter { $0.file == name && $0.kind != .absent }
        .sorted { ($0.save.number, $0.save.hash) > ($1.save.number, $1.save.hash) }
      for former in formers {
        guard let status = try steps.status(of: path / former.name),
          let bytes = try steps.read(path / former.name, limit: limits.maximumDataByteCount),
          // An unfinished save can leave its new file there.
          FormerSave.hash([(name, bytes)]) != former.save.hash,
          (try? Model.read(bytes, limits: limits.reading)) != nil
        else { continue }
        return StoredFile(name: name, bytes: bytes, modified: status.modified)
      }
      return nil
    }
  }

  /// The content of a file; nil if it does not exist. By default, the limit is the larger one of the library.
  func content(of file: StoragePath, limit: Int? = nil) throws(StorageError) -> Data? {
    guard let status = try steps.status(of: file) else { return nil }
    let limit = limit ?? max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount)
    guard status.byteCount <= limit, let bytes = try steps.read(file, limit: limit) else {
      throw StorageError(.tooLarge, .read, file)
    }
    return bytes
  }
}
