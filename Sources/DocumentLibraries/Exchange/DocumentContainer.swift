// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ZipContainers

/// A ZIP file with documents, judged by its directory: which entries make up which document, and what is neither.
struct DocumentContainer {
  /// The entries of a document.
  struct Folder {
    var number: DocumentNumber
    var name: String
    var files: [(name: StorageName, entry: ZipEntry)]
  }

  let reader: ZipReader
  private(set) var folders: [Folder] = []
  private(set) var strange: [ContainerImport.Refusal] = []

  init(_ data: Data, folderExtension: String, limits: LibraryLimits) throws(LibraryError) {
    do {
      let perFile = max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount)
      reader = try ZipReader(data, limits: ZipLimits(maximumEntryByteCount: perFile))
    } catch {
      throw LibraryError(
        .badContainer, "the file", "\(error)", remedy: "Give a file that was exported from a library", underlying: error
      )
    }
    var places: [DocumentNumber: Int] = [:]
    let `extension` = Array(folderExtension.utf8)
    for entry in reader.entries where !entry.isFinderMetadata && entry.kind != .folder {
      do {
        let path = try entry.safePath()
        guard entry.kind == .file, path.count == 2, let folder = path.first, let file = path.last,
          case .document(let rawNumber, _) = FolderName.meaning(
            of: Array(folder.utf8).span, extension: `extension`.span), let number = DocumentNumber(rawNumber)
        else {
          throw LibraryError(
            .badContainer, entry.name, "it is no file of a document",
            remedy: "Documents are folders called 7.\(folderExtension) with files in them")
        }
        let place = places[number] ?? folders.count
        if place == folders.count {
          places[number] = place
          folders.append(Folder(number: number, name: folder, files: []))
        }
        guard folders[place].name == folder else {
          throw LibraryError(.badContainer, entry.name, "another folder has the same number")
        }
        folders[place].files.append((StorageName(file), entry))
      } catch {
        strange.append(.init(source: entry.name, error: error))
      }
    }
    folders.sort { $0.number < $1.number }
  }

  /// The files of a document, checked.
  func files(of folder: Folder) throws -> [StoredFile] {
    try folder.files.map { name, entry in
      let seconds = entry.modified?.timeIntervalSince1970 ?? 0
      // Dates of ZIP files are of this era; anything else is not worth keeping.
      let known = abs(seconds) < 1e11 ? Int64(seconds) : 0
      return StoredFile(name: name, bytes: try reader.read(entry), modified: StorageDate(seconds: known))
    }
  }
}
