// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat
import ZipContainers

/// An entry of a library that a backup lacks, or has in a damaged state.
public struct BackupProblem: Sendable {
  /// The path of the entry in the library's folder, and in the backup.
  public var name: String
  /// A Boolean value that indicates whether the backup has the entry nevertheless, unchanged.
  public var isIncluded: Bool
  /// The reason.
  public var error: LibraryError
}

extension DocumentLibrary {
  /// Writes all of the library's folder to one ZIP file: the documents, the trash and all other files.
  ///
  /// Documents are valid or damaged, and have their unknown files and subfolders. The bytes of all files are unchanged,
  /// and dates are kept to the second. On a disk that ignores case, a document's file can have another spelling of its name.
  /// The backup has the usual one, which all disks find.
  ///
  /// What the last save of a document replaced is in the backup only if the data file is missing or damaged. A repair
  /// needs it then. The same applies to documents in the trash.
  ///
  /// Other programs and threads can change the library meanwhile. A document that is moved to the trash, or restored from
  /// it, is in the backup in one of the two places, or in both. A document that is added near the end can be missing.
  ///
  /// An entry that cannot be read does not prevent the backup of the others. The backup lacks symbolic links, and files
  /// whose names are not allowed in a container. It reports each of these, and each damaged document.
  ///
  /// A library that cannot or must not change can have an unfinished update. The backup has the former state of its
  /// documents then, and reports each of them.
  ///
  /// Each document outside of the trash is locked while it is read. Data files are checked, and attachments if
  /// `checkAttachment` is given. A file that is checked is in memory, up to its limit in ``LibraryLimits``. All other files
  /// of more than 16 MiB are copied in pieces. Outside of documents, that includes files with the name of an attachment.
  /// - Parameters:
  ///   - sink: Receives the file in pieces.
  ///   - checkAttachment: Throws an error if an attachment is invalid; nil to accept all attachments.
  ///   - progress: Called after each document.
  ///   - report: Receives the problems. The backup is complete if it receives none.
  /// - Throws: ``LibraryError`` if the library cannot be listed, or an error of `sink`. The file is then incomplete.
  public func backUp(
    to sink: @escaping (Data) throws -> Void,
    checkAttachment: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)? = nil,
    progress: () -> Void = {}, report: @escaping (BackupProblem) -> Void
  ) throws {
    try backUp(
      documentsOnly: false, to: sink, checkAttachment: checkAttachment, progress: progress, report: report)
  }

  /// Writes the library's folder to one ZIP file; see ``backUp(to:checkAttachment:progress:report:)``. With `documentsOnly`,
  /// the trash and the entries without names of documents are left out, and not reported.
  package func backUp(
    documentsOnly: Bool, to sink: @escaping (Data) throws -> Void,
    checkAttachment: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)? = nil,
    progress: () -> Void = {}, report: @escaping (BackupProblem) -> Void
  ) throws {
    let contents = try contents()
    for (_, error) in try displacedDocuments() {
      report(BackupProblem(name: URL(filePath: error.path).lastPathComponent, isIncluded: false, error: error))
    }
    let writer = BackupWriter<Model>(self, sink, checkAttachment, report)
    var known: Set<StorageName> = [WorkFolder.path.names[0], TrashFolder.path.names[0]]
    for number in contents.numbers {
      let folder = contents.otherNames[number] ?? FolderName.name(for: number, extension: Model.folderExtension)
      // A document that is in the trash now can be back when the other entries are listed.
      if try writer.addDocument(folder) { known.insert(folder) }
      progress()
    }
    // Before the other entries of the library, among which are documents that are restored from the trash meanwhile.
    let trash = try attempt { () throws(StorageError) in try steps.status(of: TrashFolder.path) }
    if trash != nil, !documentsOnly { try writer.addTrash() }
    try writer.addEntries(
      except: known, known: Set(contents.numbers), documentsOnly: documentsOnly, progress: progress)
    try writer.finish()
  }
}

/// A backup that is being written.
private final class BackupWriter<Model: DocumentModel> {
  /// The maximum number of bytes of a file that is read into memory, apart from those that are checked.
  private static var memoryByteCount: Int { 1 << 24 }

  private let library: DocumentLibrary<Model>
  private var zip: ZipWriter
  private let checkAttachment: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)?
  private let report: (BackupProblem) -> Void

  init(
    _ library: DocumentLibrary<Model>, _ sink: @escaping (Data) throws -> Void,
    _ checkAttachment: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)?,
    _ report: @escaping (BackupProblem) -> Void
  ) {
    self.library = library
    zip = ZipWriter(sink: sink)
    self.checkAttachment = checkAttachment
    self.report = report
  }

  func finish() throws { try zip.writeDirectory() }

  /// Adds a document of the library.
  /// - Returns: Whether the library has it. Another process can have deleted it.
  @discardableResult
  func addDocument(_ folder: StorageName) throws -> Bool {
    let path = StoragePath.root / folder
    return try reporting(path) {
      try library.withDocumentToRead(folder) {
        if let error = library.unfinishedUpdate(of: folder) {
          report(BackupProblem(name: path.description, isIncluded: true, error: error))
        }
        try addDocument(at: path)
      }
    }
  }

  /// Adds a document, which the caller locks unless it is in the trash.
  private func addDocument(at path: StoragePath) throws {
    var hasDataFile = false
    var isDamaged = false
    try addTree(path) { [self] name, bytes, byteCount in
      let file = path / name
      if name == StorageName(Model.dataFileName) {
        hasDataFile = true
        isDamaged = !checkData(bytes, file)
      } else if Self.isAttachment(name) {
        check(name.description, bytes, byteCount, file)
      }
    }
    // The trash is not locked, so another process can have restored or deleted the document.
    guard !isGone(path) else { return }
    if isDamaged || !hasDataFile { try addFormerFiles(of: path) }
    let dataFile = path / StorageName(Model.dataFileName)
    guard !hasDataFile, try library.steps.status(of: dataFile)?.kind != .file else { return }
    let error = LibraryError(missingDataFile: location(dataFile))
    report(BackupProblem(name: path.description, isIncluded: true, error: error))
  }

  /// Adds the trash. Its documents need no locks, because they are moved or deleted as a whole.
  func addTrash() throws {
    for (name, kind) in try list(TrashFolder.path) {
      let path = TrashFolder.path / name
      let isDocument = TrashFolder.number(of: name, extension: Model.folderExtension) != nil
      try addEntry(path, kind) { folder in
        if isDocument {
          try reporting(folder) { try addDocument(at: folder) }
        } else {
          try addTree(folder)
        }
      }
    }
  }

  /// Adds what the last save of a document replaced.
  private func addFormerFiles(of folder: StoragePath) throws {
    for (name, kind) in try list(folder) where FormerFileName(name) != nil && kind == .file {
      let path = folder / name
      try reporting(path) { try addFile(path) }
    }
  }

  /// Adds the other entries of the library: documents that were added meanwhile, and entries that are not documents. A
  /// second folder with one of the known numbers is not a document. With `documentsOnly`, entries without the name of a
  /// document are left out.
  func addEntries(
    except names: Set<StorageName>, known numbers: Set<DocumentNumber>, documentsOnly: Bool, progress: () -> Void
  ) throws {
    for (name, kind) in try list(.root) where !names.contains(name) {
      let document = FolderName.document(name.bytes, extension: Model.folderExtension)
      if kind == .folder, let (number, isCanonical) = document, isCanonical || !numbers.contains(number) {
        try addDocument(name)
        progress()
      } else if !documentsOnly || document != nil {
        try addEntry(.root / name, kind) { try addTree($0) }
      }
    }
  }

  /// The entries of a folder; none if it cannot be read. Those that are found by one of `names` have that name.
  private func list(
    _ folder: StoragePath, spelledAs names: [StorageName] = []
  ) throws -> [(name: StorageName, kind: StorageStatus.Kind)] {
    var entries: [(name: StorageName, kind: StorageStatus.Kind)] = []
    try reporting(folder) { entries = try library.steps.entries(of: folder, spelledAs: names) }
    return entries
  }

  /// Receives the name of a document's own file, its bytes, and its size. The bytes are nil if they are not in memory.
  private typealias FileCheck = (_ name: StorageName, _ bytes: Data?, _ byteCount: Int) -> Void

  /// Adds a folder with its content. A document has a `check`, which receives its own files but not those of subfolders.
  /// What its last save replaced is left out.
  private func addTree(_ root: StoragePath, check: FileCheck? = nil) throws {
    var pending = [root]
    while let folder = pending.popLast() {
      let check = folder == root ? check : nil
      let entries = try list(folder, spelledAs: check == nil ? [] : Model.fileNames)
      guard entries.isEmpty || folder.names.count < ZipLimits.default.maximumDepth else {
        let error = LibraryError(
          .limitReached, location(folder),
          "folders nested too deeply: expected at most \(ZipLimits.default.maximumDepth) levels", remedy: "Move it up")
        report(BackupProblem(name: folder.description, isIncluded: false, error: error))
        continue
      }
      // The date of a folder in the trash is that of the deletion.
      if entries.isEmpty || folder.folder == TrashFolder.path { try addFolder(folder) }
      var subfolders: [StoragePath] = []
      for (name, kind) in entries {
        if check != nil, kind == .file, FormerFileName(name) != nil { continue }
        try addEntry(folder / name, kind, check) { subfolders.append($0) }
      }
      pending += subfolders.reversed()
    }
  }

  private func addEntry(
    _ path: StoragePath, _ kind: StorageStatus.Kind, _ check: FileCheck? = nil, addFolder: (StoragePath) throws -> Void
  ) throws {
    switch kind {
    case .file: try reporting(path) { try addFile(path, check) }
    case .folder: try addFolder(path)
    case .link, .special, .unknown:
      let error = LibraryError(
        .cannotRead, location(path),
        kind == .link
          ? "found a symbolic link, which a backup does not follow; expected a file"
          : "found a device, a pipe or a socket; expected a file",
        remedy: "Replace it with the file itself, or move it away")
      report(BackupProblem(name: path.description, isIncluded: false, error: error))
    }
  }

  private func addFolder(_ path: StoragePath) throws {
    try reporting(path) {
      guard let status = try library.steps.status(of: path) else { return }
      try zip.addFolder(name(path), modified: Self.date(status))
    }
  }

  /// Adds a file. Only a file with a check is in memory up to the limit of the library.
  private func addFile(_ path: StoragePath, _ check: FileCheck? = nil) throws {
    guard let status = try library.steps.status(of: path), let fileName = path.names.last else { return }
    let limit = check == nil ? Self.memoryByteCount : memoryLimit(of: fileName)
    let bytes = status.byteCount > limit ? nil : try library.steps.read(path, limit: limit)
    let name = try name(path)
    if let bytes {
      try zip.addFile(
        name, bytes, compression: name.hasSuffix(".plist") ? .automatic : .stored, modified: Self.date(status))
    } else {
      try zip.addFile(name, modified: Self.date(status)) { take in try library.steps.read(path, take) }
    }
    check?(fileName, bytes, bytes?.count ?? status.byteCount)
  }

  private static func isAttachment(_ name: StorageName) -> Bool {
    Model.attachmentNames.contains { name == StorageName($0) }
  }

  /// The maximum number of bytes of a document's own file that is read into memory. A check needs all of it.
  private func memoryLimit(of name: StorageName) -> Int {
    guard name != StorageName(Model.dataFileName) else { return library.limits.maximumDataByteCount }
    let isChecked = checkAttachment != nil && Self.isAttachment(name)
    return isChecked ? library.limits.maximumAttachmentByteCount : Self.memoryByteCount
  }

  /// Reports a data file that cannot be decoded.
  /// - Returns: Whether the file is valid, or a newer version of the program can read it.
  private func checkData(_ bytes: Data?, _ file: StoragePath) -> Bool {
    do {
      guard let bytes else {
        throw LibraryError(
          tooLarge: location(file), expected: library.limits.maximumDataByteCount, "maximumDataByteCount")
      }
      _ = try Model.read(bytes, limits: library.limits.reading)
      return true
    } catch {
      let error = failure(LibraryError.reading(error, at: location(file)), file)
      guard error.code != .newerVersion else { return true }
      report(BackupProblem(name: file.description, isIncluded: true, error: error))
      return false
    }
  }

  /// Reports an invalid attachment.
  private func check(_ name: String, _ bytes: Data?, _ byteCount: Int, _ file: StoragePath) {
    do {
      guard byteCount <= library.limits.maximumAttachmentByteCount else {
        throw LibraryError(
          tooLarge: location(file), expected: library.limits.maximumAttachmentByteCount, "maximumAttachmentByteCount")
      }
      if let bytes { try checkAttachment?(name, bytes, location(file.folder)) }
    } catch {
      report(BackupProblem(name: file.description, isIncluded: true, error: failure(error, file)))
    }
  }

  /// Performs a step, and reports its failure, unless the sink has failed.
  /// - Returns: Whether the entry exists. One that another process has deleted or moved meanwhile is not missing.
  @discardableResult
  private func reporting(_ path: StoragePath, _ body: () throws -> Void) throws -> Bool {
    do {
      try body()
    } catch {
      guard !zip.hasFailed else { throw error }
      // A document that was gone can be back by now.
      if (error as? LibraryError)?.code == .notFound || isGone(path) { return false }
      report(BackupProblem(name: path.description, isIncluded: false, error: failure(error, path)))
    }
    return true
  }

  private func isGone(_ path: StoragePath) -> Bool {
    do {
      return try library.steps.status(of: path) == nil
    } catch {
      return false
    }
  }

  private func failure(_ error: any Error, _ path: StoragePath) -> LibraryError {
    switch error {
    case let error as LibraryError: error
    case let error as StorageError: LibraryError(error, .cannotRead, in: library.storage)
    case let error as ZipError:
      LibraryError(
        .cannotRead, location(path), error.detail,
        remedy: error.code == .readFailed ? error.remedy : "Rename the file, or move it away", underlying: error)
    default: LibraryError(.cannotRead, location(path), "\(error)", underlying: error)
    }
  }

  /// The name in the backup.
  private func name(_ path: StoragePath) throws(LibraryError) -> String {
    guard path.names.allSatisfy({ StorageName($0.description) == $0 }) else {
      throw LibraryError(
        .cannotRead, location(path), "the file's name is not valid UTF-8", remedy: "Rename the file, or move it away")
    }
    return path.description
  }

  private func location(_ path: StoragePath) -> String { library.storage.url(of: path).path }

  /// The modification date in whole seconds, because a conversion of the fraction could round up.
  private static func date(_ status: StorageStatus) -> Date {
    Date(timeIntervalSince1970: Double(status.modified.seconds))
  }
}
