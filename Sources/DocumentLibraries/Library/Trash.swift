// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The hidden folder of documents that can be restored.
enum TrashFolder {
  static let path: StoragePath = ".trash"

  /// The number that a document had. A second document of the same number has a suffix, as in `7.recipe 2`.
  static func number(of name: StorageName, extension: String) -> DocumentNumber? {
    FolderName.document(name.bytes.prefix { $0 != 0x20 }, extension: `extension`)?.number
  }
}

/// A document in a library's trash.
public struct TrashedDocument: Sendable {
  /// The name for ``DocumentLibrary/restore(_:)`` and ``DocumentLibrary/deleteFromTrash(_:)``.
  public let name: String
  /// The number that the document had; nil if another program put it into the trash under an unusual name.
  public let number: DocumentNumber?
  /// The date at which the document was moved to the trash: the modification date of its folder.
  public let date: StorageDate
  let folder: StorageName
}

extension DocumentLibrary {
  /// Returns the names of the documents in the trash. Pass them to ``restore(_:)`` or ``deleteFromTrash(_:)``.
  /// - Returns: The names in the order of ``trashedDocuments()``.
  /// - Throws: ``LibraryError`` if the trash cannot be read.
  public func trash() throws(LibraryError) -> [String] { try trashedDocuments().map(\.name) }

  /// Returns the documents in the trash with their numbers and dates.
  /// - Returns: The documents in the order of their numbers and names.
  /// - Throws: ``LibraryError`` if the trash cannot be read.
  public func trashedDocuments() throws(LibraryError) -> [TrashedDocument] {
    let found = try attempt { () throws(StorageError) -> [TrashedDocument] in
      guard try steps.status(of: TrashFolder.path) != nil else { return [] }
      var documents: [TrashedDocument] = []
      for (name, kind) in try steps.entries(of: TrashFolder.path) where kind == .folder && !name.isHidden {
        // Another process may have restored it.
        guard let status = try steps.status(of: TrashFolder.path / name) else { continue }
        let number = TrashFolder.number(of: name, extension: Model.folderExtension)
        documents.append(
          TrashedDocument(name: name.description, number: number, date: status.modified, folder: name))
      }
      return documents
    }
    // The sort is stable, so documents of one number stay in the order of their names.
    return found.sorted { ($0.number?.rawValue ?? .max) < ($1.number?.rawValue ?? .max) }
  }

  /// Reads the values of a document in the trash.
  /// - Parameter name: A name from ``trash()``.
  /// - Returns: The values.
  /// - Throws: ``LibraryError`` if the trash has no such document or its data file is unreadable.
  public func trashedData(_ name: String) throws -> Model {
    try trashedData(StorageName(name))
  }

  /// Reads the values of a document in the trash, whose name need not be valid UTF-8; see ``trashedData(_:)``.
  package func trashedData(of document: TrashedDocument) throws -> Model { try trashedData(document.folder) }

  private func trashedData(_ name: StorageName) throws -> Model {
    let file = try trashed(name) / StorageName(Model.dataFileName)
    let bytes = try attempt { () throws(StorageError) in
      guard let bytes = try steps.read(file, limit: limits.maximumDataByteCount) else {
        throw StorageError(.tooLarge, .read, file)
      }
      return bytes
    }
    do {
      return try Model.read(bytes, limits: limits.reading).stored.model
    } catch {
      throw LibraryError.reading(error, at: storage.url(of: file).path)
    }
  }

  /// Restores a document from the trash.
  ///
  /// The document gets its number back. If another document, or any other entry of the library, has that number, the
  /// restored one gets the number after the largest.
  /// - Parameter name: A name from ``trash()``.
  /// - Returns: The document.
  /// - Throws: ``LibraryError`` if the trash has no such document.
  @discardableResult
  public func restore(_ name: String) throws(LibraryError) -> Document<Model> { try restore(StorageName(name)) }

  /// Restores a document from the trash, whose name need not be valid UTF-8; see ``restore(_:)``.
  package func restore(_ document: TrashedDocument) throws(LibraryError) -> Document<Model> {
    try restore(document.folder)
  }

  private func restore(_ name: StorageName) throws(LibraryError) -> Document<Model> {
    let path = try trashed(name)
    var former = TrashFolder.number(of: name, extension: Model.folderExtension)
    if let number = former, try !isFree(number) { former = nil }
    let number = try attempt(.cannotCreate, on: path) { () throws(StorageError) in
      try withWorkFolder { () throws(StorageError) in
        let number = try moveIntoPlace(path, ifFree: former)
        // The restore is durable. After a power loss, at worst the trash holds the document as well.
        try? steps.flushFolder(TrashFolder.path)
        return number
      }
    }
    notifyObservers(of: number)
    return Document(self, number, nil)
  }

  /// Moves a folder to the place of a document with a number, or with the next one if another process takes that.
  private func moveIntoPlace(
    _ path: StoragePath, ifFree former: DocumentNumber?
  ) throws(StorageError) -> DocumentNumber {
    guard let former else { return try moveIntoPlace(path, .after(nil)) }
    do throws(StorageError) {
      return try moveIntoPlace(path, .exactly(former))
    } catch {
      guard error.reason == .exists else { throw error }
      return try moveIntoPlace(path, .after(nil))
    }
  }

  /// Whether no entry of the library's folder has a number. The move into place checks whether a displaced document has it.
  private func isFree(_ number: DocumentNumber) throws(LibraryError) -> Bool {
    let contents = try contents()
    return !contents.numbers.contains(number) && !contents.oddNumbers.contains(number)
  }

  /// Deletes a document in the trash permanently.
  /// - Parameter name: A name from ``trash()``.
  /// - Throws: ``LibraryError`` if the trash has no such document, or another process has restored it meanwhile.
  public func deleteFromTrash(_ name: String) throws(LibraryError) { try deleteFromTrash(StorageName(name)) }

  /// Deletes a document in the trash, whose name need not be valid UTF-8; see ``deleteFromTrash(_:)``.
  package func deleteFromTrash(_ document: TrashedDocument) throws(LibraryError) {
    try deleteFromTrash(document.folder)
  }

  private func deleteFromTrash(_ name: StorageName) throws(LibraryError) {
    let path = try trashed(name)
    guard try attempt(.cannotDelete, { () throws(StorageError) in try removeFromTrash(path) }) else {
      throw notInTrash(path)
    }
  }

  /// Deletes the documents in the trash permanently, each atomically.
  /// - Parameter date: The date before which a document was moved to the trash; nil for all documents.
  /// - Returns: The deleted documents, without those that another process has deleted or restored meanwhile.
  /// - Throws: ``LibraryError`` if a document cannot be deleted. The ones before it are deleted then.
  @discardableResult
  public func emptyTrash(before date: Date? = nil) throws(LibraryError) -> [TrashedDocument] {
    var deleted: [TrashedDocument] = []
    for document in try trashedDocuments() where date.map({ document.date.date < $0 }) ?? true {
      let isDeleted = try attempt(.cannotDelete) { () throws(StorageError) in
        try removeFromTrash(TrashFolder.path / document.folder)
      }
      if isDeleted { deleted.append(document) }
    }
    return deleted
  }

  /// Returns how to bring a document back, if the trash has one that had the number; nil otherwise.
  func trashHint(_ number: DocumentNumber) -> String? {
    let documents = try? trashedDocuments().filter { $0.number == number }
    guard let document = documents?.max(by: { $0.date.date < $1.date.date }) else { return nil }
    return "The trash has '\(document.name)'. Restore it"
  }

  /// Removes a document from the trash.
  /// - Returns: Whether it was there. Another process can have restored or deleted it meanwhile.
  private func removeFromTrash(_ path: StoragePath) throws(StorageError) -> Bool {
    try withWorkFolder { () throws(StorageError) in try remove(path, by: WorkFolder.newName(), in: TrashFolder.path) }
  }

  private func trashed(_ name: StorageName) throws(LibraryError) -> StoragePath {
    let path = TrashFolder.path / name
    guard name.isPlain else { throw notInTrash(path) }
    let status = try attempt { () throws(StorageError) in try steps.status(of: path) }
    guard status?.kind == .folder else { throw notInTrash(path) }
    return path
  }

  /// Performs an operation on a document in the trash, which another process may restore or delete meanwhile.
  private func attempt<Result>(
    _ code: LibraryError.Code, on path: StoragePath, _ body: () throws(StorageError) -> Result
  ) throws(LibraryError) -> Result {
    do {
      return try body()
    } catch {
      throw error.reason == .notFound ? notInTrash(path) : LibraryError(error, code, in: storage)
    }
  }

  private func notInTrash(_ path: StoragePath) -> LibraryError {
    LibraryError(
      .notFound, storage.url(of: path).path, "the trash has no such document", remedy: "List the trash to see its names"
    )
  }

  /// Sets the date of a folder to the current one, if the storage can do that.
  private func setModifiedNow(_ folder: StoragePath) throws(StorageError) {
    do {
      try steps.step { () throws(StorageError) in try storage.setModified(folder, to: .now) }
      try steps.flushFolder(folder)
    } catch {
      switch error.reason {
      case .unsupported: return
      case .noPermission:
        // Only the owner may set a date. A new entry sets it as well, and needs only the permission to write.
        let file = folder / StorageName(".date-\(UUID().uuidString)")
        try steps.write(Data(), to: file, flushing: false)
        try steps.removeFile(file)
        try steps.flushFolder(folder)
      default: throw error
      }
    }
  }

  /// Moves a document's folder to the trash. The caller locks it.
  /// - Returns: The name in the trash.
  func trashFolder(_ folder: StorageName) throws(StorageError) -> StorageName {
    try learnAbilities()
    try steps.makeFolderIfMissing(TrashFolder.path)
    let source = StoragePath.root / folder
    // Before the move, because a crash after it would leave an old date, by which the trash may be emptied.
    try setModifiedNow(source)
    var count = 1
    while true {
      let suffix = count == 1 ? "" : " \(count)"
      let name = StorageName(bytes: folder.bytes + Array(suffix.utf8))
      let path = TrashFolder.path / name
      do {
        try steps.move(source, to: path, .exclusive)
      } catch {
        guard error.reason == .exists else { throw error }
        count += 1
        continue
      }
      try flush(TrashFolder.path) { () throws(StorageError) in try steps.move(path, to: source, .exclusive) }
      try flush(.root) { () throws(StorageError) in try steps.move(path, to: source, .exclusive) }
      return name
    }
  }
}

extension StorageDate {
  /// The current date.
  fileprivate static var now: StorageDate {
    let time = Date().timeIntervalSince1970
    let seconds = time.rounded(.down)
    return StorageDate(seconds: Int64(seconds), nanoseconds: min(999_999_999, Int64((time - seconds) * 1_000_000_000)))
  }
}
