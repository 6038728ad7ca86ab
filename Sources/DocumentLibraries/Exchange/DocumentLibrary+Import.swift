// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeyedArchiving

extension DocumentLibrary {
  /// Adds the documents of a file that ``export(_:to:progress:)`` wrote, byte for byte. Each appears whole.
  ///
  /// A document that is damaged, whose data cannot be decoded, or that is none, hides no other. Names in the file lead
  /// nowhere: of each, only the number and the name of a file in the document are used.
  /// - Parameters:
  ///   - container: the file.
  ///   - keepingNumbers: whether documents get the numbers they had, which must be free; otherwise each gets the one after
  ///     the largest.
  ///   - progress: is called after each document.
  /// - Returns: what was added and what was refused.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/badContainer`` if it is no such file, another code if the library
  ///   cannot be listed.
  public func importDocuments(
    from container: Data, keepingNumbers: Bool = false, progress: () -> Void = {}
  ) throws -> ContainerImport {
    let container = try DocumentContainer(container, folderExtension: Model.folderExtension, limits: limits)
    var report = ContainerImport()
    report.refused = container.strange
    // Of the numbers that folders in other letters have, no move to a free name would tell.
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
        note(number)
        report.documents.append(.init(source: folder.name, number: number, warnings: warnings))
      } catch {
        report.refused.append(.init(source: folder.name, error: error))
      }
      progress()
    }
    return report
  }

  /// Checks a file that ``export(_:to:progress:)`` wrote: every checksum, and that every document's data can be decoded.
  /// - Returns: what is wrong with it; nothing if it can be imported whole.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/badContainer`` if it is no such file.
  public static func checkContainer(
    _ container: Data, limits: LibraryLimits = .default
  ) throws -> (documents: Int, problems: [ContainerImport.Refusal]) {
    // One document after the other is judged as an import does, and let go.
    let trial = try DocumentLibrary(in: MemoryStorage(), limits: limits)
    let container = try DocumentContainer(container, folderExtension: Model.folderExtension, limits: limits)
    var count = 0
    var problems = container.strange
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

  private func isTaken(_ number: DocumentNumber) -> LibraryError {
    let path = StoragePath.root / FolderName.name(for: number, extension: Model.folderExtension)
    return LibraryError(
      .cannotCreate, storage.url(of: path).path, "the number \(number) is taken",
      remedy: "Import the document with a new number, or into an empty library")
  }

  /// Decodes the data among a document's files, and refuses what could not be read once it is in the library.
  private func check(_ files: [StoredFile], in folder: String) throws -> [DocumentWarning] {
    let path = "\(folder)/\(Model.dataFileName)"
    guard let data = files.first(where: { $0.name == StorageName(Model.dataFileName) }) else {
      throw LibraryError(.missingDataFile, path, "the document has no data file")
    }
    for name in Model.attachmentNames {
      guard let file = files.first(where: { $0.name == StorageName(name) }) else { continue }
      try check(file, in: folder, limits.maximumAttachmentByteCount, "maximumAttachmentByteCount")
    }
    try check(data, in: folder, limits.maximumDataByteCount, "maximumDataByteCount")
    do {
      return try Model.stored(in: data.bytes, limits: limits.reading).warnings
    } catch let error as KeyedArchiveError {
      throw LibraryError(error, at: path)
    }
  }

  private func check(_ file: StoredFile, in folder: String, _ limit: Int, _ name: StaticString) throws(LibraryError) {
    guard file.bytes.count > limit else { return }
    throw LibraryError(
      .limitReached, "\(folder)/\(file.name)", "the file has more than the \(limit) bytes that are read",
      remedy: "Raise LibraryLimits.\(name)")
  }
}
