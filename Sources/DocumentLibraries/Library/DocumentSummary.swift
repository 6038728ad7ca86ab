// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// The properties of a document that a list shows.
public struct DocumentSummary<Model: DocumentModel>: Sendable {
  /// The saved values, with information about the file.
  public let stored: StoredModel<Model>
  /// The modification date of the data file.
  public let modified: StorageDate
  /// The attachments that the document has, of those that were looked up.
  public let attachmentNames: Set<String>
}

extension DocumentLibrary {
  /// Reads the properties of documents that a list shows, one after the other, with few system calls. A document with two
  /// attachments takes eight on a disk.
  ///
  /// The summaries have what is saved. They are not cached, and unsaved changes of the documents remain.
  ///
  /// ```swift
  /// library.readSummaries(of: try library.documents()) { document, summary in
  ///   if case .success(let summary) = summary { rows.append((document.number, summary.stored.model.title)) }
  /// }
  /// ```
  /// - Parameters:
  ///   - documents: The documents.
  ///   - names: The attachments to look up.
  ///   - others: The attachments to look up if one of `names` is missing, for example the same ones in other formats.
  ///   - visit: Receives each document with its summary, or with the error of reading it.
  public func readSummaries(
    of documents: some Sequence<Document<Model>>, lookingUp names: [String] = Model.attachmentNames,
    orElse others: [String] = [],
    _ visit: (_ document: Document<Model>, _ summary: Result<DocumentSummary<Model>, any Error>) throws -> Void
  ) rethrows {
    // Without it, each document is read by its path, and has the error then.
    let root = try? FolderReader(.root, in: steps)
    for document in documents {
      try visit(document, Result { try summary(of: document, names, others, in: root) })
    }
  }

  private func summary(
    of document: Document<Model>, _ names: [String], _ others: [String], in root: FolderReader?
  ) throws -> DocumentSummary<Model> {
    guard let folder = try document.folderToRead() else {
      throw LibraryError(.notSaved, self.folder.path, "the document is not saved", remedy: "Save it before you read it")
    }
    // A missing data file is an error here, too.
    if let root, let files = try? openSummary(of: folder, names, others, in: root) {
      do {
        let stored = try Model.read(files.data, limits: limits.reading).stored
        return DocumentSummary(stored: stored, modified: files.status.modified, attachmentNames: files.present)
      } catch {
        throw LibraryError.reading(error, at: dataFile(of: folder))
      }
    }
    // By paths, which repeats each look-up if another process replaces the folder, and has a specific error for each reason.
    let file = try readData(folder)
    var present: Set<String> = []
    for name in names + others where try hasFile(StorageName(name), in: folder) { present.insert(name) }
    return DocumentSummary(stored: file.stored, modified: file.version.file.modified, attachmentNames: present)
  }

  /// Reads a document's folder, until it is the same before and after. All files are therefore of one version.
  /// - Returns: nil if the data file is too large.
  private func openSummary(
    of folder: StorageName, _ names: [String], _ others: [String], in root: FolderReader
  ) throws(StorageError) -> (data: Data, status: StorageStatus, present: Set<String>)? {
    while true {
      let reader = try FolderReader(root.path / folder, in: root.steps)
      var identity = reader.isOpen ? nil : try reader.identity()
      let file: (bytes: Data, status: StorageStatus)?
      do throws(StorageError) {
        file = try reader.read(StorageName(Model.dataFileName), limit: limits.maximumDataByteCount)
      } catch {
        // The other process may have removed it already.
        guard error.reason == .notFound, try root.steps.status(of: root.path / folder)?.identity != reader.identity()
        else { throw error }
        continue
      }
      guard let file else { return nil }
      let present = try reader.present(names, orElse: others)
      if reader.isOpen {
        // If another process replaced an open folder, it removes the old files, but leaves them as they were.
        if present.isSuperset(of: names) { return (file.bytes, file.status, present) }
        identity = try reader.identity()
      }
      if try root.steps.status(of: root.path / folder)?.identity == identity {
        return (file.bytes, file.status, present)
      }
    }
  }

  /// The attachments of a stored document, in the model's order.
  func attachmentNames(of folder: StorageName) throws(LibraryError) -> [String] {
    let entries = try attempt { () throws(StorageError) in try documentEntries(of: folder) }
    let names = Set((entries ?? []).map(\.name))
    return Model.attachmentNames.filter { names.contains(StorageName($0)) }
  }

  /// Returns whether a document has a file, without reading it.
  func hasFile(_ name: StorageName, in folder: StorageName) throws(LibraryError) -> Bool {
    let path = StoragePath.root / folder / name
    return try attempt { () throws(StorageError) in
      try retryingIfReplaced(folder) { () throws(StorageError) in try steps.status(of: path) }
    } != nil
  }
}

extension Document {
  /// The names of the attachments that the document has, saved or not, in the model's order. No attachment is read.
  /// - Throws: ``LibraryError``.
  public var attachmentNames: [String] {
    get throws(LibraryError) {
      let known = state.withLock { $0[Content.self]?.attachments ?? [:] }
      let stored = try folderToRead().map { (folder) throws(LibraryError) in try library.attachmentNames(of: folder) }
      return Model.attachmentNames.filter { name in
        known[name].map { $0 != nil } ?? stored?.contains(name) ?? false
      }
    }
  }
}

/// A folder that is open, if the storage can keep it open.
struct FolderReader {
  let steps: StorageSteps
  /// The folder's path in the storage of `steps`.
  let path: StoragePath
  /// Whether the folder is open.
  let isOpen: Bool

  init(_ path: StoragePath, in outer: StorageSteps) throws(StorageError) {
    if let open = try outer.step({ () throws(StorageError) in try outer.storage.openFolder(path) }) {
      steps = StorageSteps(storage: open)
      self.path = .root
      isOpen = true
    } else {
      steps = outer
      self.path = path
      isOpen = false
    }
  }

  /// The identity of the folder; nil if it does not exist.
  func identity() throws(StorageError) -> UInt64? { try steps.status(of: path)?.identity }

  /// Reads a file, and returns its status from before.
  /// - Returns: nil if the file is larger than `limit`.
  func read(_ name: StorageName, limit: Int) throws(StorageError) -> (bytes: Data, status: StorageStatus)? {
    let file = try steps.step { () throws(StorageError) in try steps.storage.open(path / name) }
    defer { try? steps.storage.close(file) }
    var status = file.status
    if status == nil { status = try steps.status(of: path / name) }
    guard let status, status.byteCount <= limit else { return nil }
    var bytes = Data()
    // A file that is not empty needs no call to find its end.
    while bytes.isEmpty || bytes.count < status.byteCount {
      // One byte more than the limit shows that the file is larger. The limit can be the largest integer.
      let wanted = min(limit - bytes.count, max(1 << 16, status.byteCount) - 1) + 1
      let count = try steps.at(path / name) { () throws(StorageError) in
        try steps.storage.read(file, into: &bytes, atMost: wanted)
      }
      if count == 0 { break }
    }
    return bytes.count <= limit ? (bytes, status) : nil
  }

  /// The names of those entries that exist. The others are looked up only if one of the names is missing.
  func present(_ names: [String], orElse others: [String] = []) throws(StorageError) -> Set<String> {
    var present: Set<String> = []
    // A listing of an open folder takes seven calls.
    if names.count <= 7 {
      for name in names where try steps.status(of: path / StorageName(name)) != nil { present.insert(name) }
      guard !others.isEmpty, present.count < names.count else { return present }
    }
    let entries = Set(try steps.entries(of: path, spelledAs: (names + others).map { StorageName($0) }).map(\.name))
    for name in names + others where entries.contains(StorageName(name)) { present.insert(name) }
    return present
  }
}
