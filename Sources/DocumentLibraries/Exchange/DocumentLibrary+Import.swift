// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension DocumentLibrary {
  /// Adds the documents of a file from ``export(_:to:progress:)`` byte for byte, each atomically.
  ///
  /// A rejected document does not prevent the import of the others. The import uses only the number and the names of a
  /// document's files, so no name in the file leads out of the library.
  /// - Parameters:
  ///   - container: The file's bytes.
  ///   - keepingNumbers: Whether documents keep their numbers, which must be free. Otherwise each gets the number after
  ///     the largest one.
  ///   - progress: Called after each document.
  /// - Returns: The imported and the rejected documents.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/badContainer`` if the file is not a container, or another code if
  ///   the library cannot be listed.
  public func importDocuments(
    from container: Data, keepingNumbers: Bool = false, progress: () -> Void = {}
  ) throws -> ImportReport {
    let container = try DocumentContainer(container, folderExtension: Model.folderExtension, limits: limits)
    var report = ImportReport()
    report.refused = container.rejected
    // A rename to a free name does not detect a folder of the same number with capital letters in its extension.
    let taken = keepingNumbers ? try contents().oddNumbers : []
    var last: DocumentNumber?
    for folder in container.folders {
      do {
        let files = try container.files(of: folder)
        let warnings = try check(files, in: folder.name)
        guard !taken.contains(folder.number) else { throw isTaken(folder.number) }
        let number: DocumentNumber
        do throws(StorageError) {
          (number, _) = try makeDocument(files, keepingNumbers ? .exactly(folder.number) : .after(last))
        } catch {
          if keepingNumbers, error.reason == .exists, error.call == .move { throw isTaken(folder.number) }
          throw LibraryError(error, .cannotCreate, in: storage)
        }
        last = number
        notifyObservers(of: number)
        report.accept(folder.name, as: number, warnings)
      } catch {
        report.refuse(folder.name, error)
      }
      progress()
    }
    return report
  }

  /// Verifies a file from ``export(_:to:progress:)``: all checksums, and that each document's data can be decoded.
  /// - Parameters:
  ///   - container: The file's bytes.
  ///   - limits: The limits for reading.
  /// - Returns: The number of valid documents, and the problems; none if all of the file can be imported.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/badContainer`` if the file is not a container.
  public static func checkContainer(
    _ container: Data, limits: LibraryLimits = .default
  ) throws -> (documents: Int, problems: [ImportReport.Refusal]) {
    // Each document is checked as an import does, and then released.
    let trial = try DocumentLibrary(in: MemoryStorage(), limits: limits)
    let container = try DocumentContainer(container, folderExtension: Model.folderExtension, limits: limits)
    var count = 0
    var problems = container.rejected
    for folder in container.folders {
      do {
        _ = try trial.check(container.files(of: folder), in: folder.name)
        count += 1
      } catch {
        problems.append(.init(source: folder.name, error: error))
      }
    }
    return (count, problems)
  }

  func isTaken(_ number: DocumentNumber) -> LibraryError {
    let path = StoragePath.root / FolderName.name(for: number, extension: Model.folderExtension)
    return LibraryError(
      .cannotCreate, storage.url(of: path).path, "document \(number) exists already",
      remedy: "Import the document with a new number, or into an empty library")
  }

  /// Decodes the data of a document, and rejects files that exceed the limits of the library.
  private func check(_ files: [StoredFile], in folder: String) throws -> [DocumentWarning] {
    let path = "\(folder)/\(Model.dataFileName)"
    guard let data = files.first(where: { $0.name == StorageName(Model.dataFileName) }) else {
      throw LibraryError(missingDataFile: path, remedy: "Use another copy of the container")
    }
    for name in Model.attachmentNames {
      guard let file = files.first(where: { $0.name == StorageName(name) }) else { continue }
      try check(file, in: folder, limits.maximumAttachmentByteCount, "maximumAttachmentByteCount")
    }
    try check(data, in: folder, limits.maximumDataByteCount, "maximumDataByteCount")
    do {
      return try Model.read(data.bytes, limits: limits.reading).stored.warnings
    } catch {
      throw LibraryError.reading(error, at: path)
    }
  }

  private func check(_ file: StoredFile, in folder: String, _ limit: Int, _ name: StaticString) throws(LibraryError) {
    guard file.bytes.count > limit else { return }
    throw LibraryError(tooLarge: "\(folder)/\(file.name)", found: file.bytes.count, expected: limit, name)
  }
}

/// The result of an import.
public struct ImportReport: Sendable {
  /// An imported document.
  public struct Document: Sendable {
    /// Its name in the source.
    public var source: String
    /// Its number in the library.
    public var number: DocumentNumber
    /// The defects of its data that did not prevent the import.
    public var warnings: [DocumentWarning]
    /// The reason why its values cannot be read; nil if they can. Only the import of a backup accepts such a document.
    public var damage: (any Error)?
    /// The reasons why attachments are invalid. Only the import of a backup with a check finds them, and accepts them.
    public var damagedAttachments: [any Error] = []
  }

  /// An entry of a backup that the library has already, with the same content.
  public struct Present: Sendable {
    /// Its name in the source.
    public var source: String
    /// The number of the document in the library; nil if the entry is not a document.
    public var number: DocumentNumber?
  }

  /// An entry or a document that was not imported.
  public struct Refusal: Sendable {
    /// Its name in the source.
    public var source: String
    /// The reason.
    public var error: any Error
  }

  /// The imported documents, in the order of the source.
  public package(set) var documents: [Document] = []
  /// The rejected documents, and the entries that belong to no document.
  public package(set) var refused: [Refusal] = []
  /// The entries of a backup that the library has already.
  public package(set) var present: [Present] = []
  /// The restored entries of a backup that are not documents: those of the trash, and other files and folders.
  public package(set) var others: [String] = []
  /// The entries of a backup that are not documents, and are not restored, because documents get new numbers. The folder
  /// `__MACOSX`, which the Finder adds to files that it compresses, is never restored.
  public package(set) var omitted: [String] = []

  package init() {}

  package mutating func accept(_ source: String, as number: DocumentNumber, _ warnings: [DocumentWarning]) {
    documents.append(Document(source: source, number: number, warnings: warnings))
  }

  package mutating func refuse(_ source: String, _ error: any Error) {
    refused.append(Refusal(source: source, error: error))
  }
}
