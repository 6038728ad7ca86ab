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
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/badContainer`` if it is no such file.
  public func importDocuments(
    from container: Data, keepingNumbers: Bool = false, progress: () -> Void = {}
  ) throws -> ContainerImport {
    let container = try DocumentContainer(container, folderExtension: Model.folderExtension, limits: limits)
    var report = ContainerImport()
    report.refused = container.strange
    var last: DocumentNumber?
    for folder in container.folders {
      do {
        let files = try container.files(of: folder)
        let warnings = try check(files, in: folder.name)
        let number: DocumentNumber
        do throws(StorageError) {
          (number, _) = try makeDocument(files, keepingNumbers ? .exactly(folder.number) : .after(last))
        } catch {
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
    // In memory, so that a check is the very import that it stands for.
    let trial = try DocumentLibrary(in: MemoryStorage(), limits: limits)
    let report = try trial.importDocuments(from: container)
    return (report.documents.count, report.refused)
  }

  /// Decodes the data among a document's files.
  private func check(_ files: [StoredFile], in folder: String) throws -> [DocumentWarning] {
    let path = "\(folder)/\(Model.dataFileName)"
    guard let data = files.first(where: { $0.name == StorageName(Model.dataFileName) }) else {
      throw LibraryError(.missingDataFile, path, "the document has no data file")
    }
    do {
      return try Model.stored(in: data.bytes, limits: limits.reading).warnings
    } catch let error as KeyedArchiveError {
      throw LibraryError(error, at: path)
    }
  }
}
