// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
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
  private var places: [DocumentNumber: Int] = [:]
  /// Documents of which not every file can be had, and why.
  private var halves: [DocumentNumber: LibraryError] = [:]

  init(_ data: Data, folderExtension: String, limits: LibraryLimits) throws(LibraryError) {
    do {
      let perFile = max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount)
      // The directory is limited by itself; a library may be large.
      let limits = ZipLimits(maximumEntryCount: .max, maximumEntryByteCount: perFile)
      reader = try ZipReader(data, limits: limits)
    } catch {
      throw LibraryError(
        .badContainer, "the file", "\(error)", remedy: "Give a file that was exported from a library", underlying: error
      )
    }
    let `extension` = Array(folderExtension.utf8)
    for entry in reader.entries {
      let otherName = reader.otherName(of: entry)
      let isFolder = entry.kind == .folder && entry.name.utf8.last == UInt8(ascii: "/")
      guard otherName != nil || !(isFolder || entry.isFinderMetadata) else { continue }
      do {
        guard let otherName else {
          try add(entry, `extension`)
          continue
        }
        let error = LibraryError(
          .badContainer, entry.name, "its own header calls it \(otherName.debugDescription)",
          remedy: "The file is damaged; take another copy of it")
        // Whichever of the two it belongs to would be half a document.
        refuse(Self.number(in: entry.name, `extension`), for: error)
        refuse(Self.number(in: otherName, `extension`), for: error)
        throw error
      } catch {
        strange.append(.init(source: entry.name, error: error))
      }
    }
    folders.sort { $0.number < $1.number }
  }

  /// Puts an entry into the document that its name says.
  private mutating func add(_ entry: ZipEntry, _ extension: [UInt8]) throws(LibraryError) {
    let path: [String]
    do {
      path = try entry.safePath()
    } catch {
      throw LibraryError(error, of: entry)
    }
    guard path.count == 2, let folder = path.first, let file = path.last,
      let number = Self.number(in: folder, `extension`)
    else {
      throw LibraryError(
        .badContainer, entry.name, "it is no file of a document",
        remedy: "Documents are folders called 7.\(String(decoding: `extension`, as: UTF8.self)) with files in them")
    }
    let place = places[number] ?? folders.count
    do throws(LibraryError) {
      guard entry.kind == .file else {
        throw LibraryError(.badContainer, entry.name, "it is a link or another thing that is no file")
      }
      guard place == folders.count || folders[place].name == folder else {
        throw LibraryError(.badContainer, entry.name, "another folder has the same number")
      }
    } catch {
      // Without it the document would be half of one.
      refuse(number, for: error)
      throw error
    }
    if place == folders.count {
      places[number] = place
      folders.append(Folder(number: number, name: folder, files: []))
    }
    folders[place].files.append((StorageName(file), entry))
  }

  private mutating func refuse(_ number: DocumentNumber?, for error: LibraryError) {
    if let number { halves[number] = error }
  }

  /// The document whose folder is the first part of a name.
  private static func number(in name: String, _ extension: [UInt8]) -> DocumentNumber? {
    let folder = Array(name.utf8.prefix { $0 != UInt8(ascii: "/") })
    guard case .document(let number, _) = FolderName.meaning(of: folder.span, extension: `extension`.span) else {
      return nil
    }
    return DocumentNumber(number)
  }

  /// The files of a document, checked.
  func files(of folder: Folder) throws(LibraryError) -> [StoredFile] {
    if let error = halves[folder.number] {
      throw LibraryError(
        .badContainer, folder.name, "a file of it cannot be had: \(error)",
        remedy: "Take another copy of the container",
        underlying: error)
    }
    var files: [StoredFile] = []
    for (name, entry) in folder.files {
      let bytes: Data
      do {
        bytes = try reader.read(entry)
      } catch {
        throw LibraryError(error, of: entry)
      }
      let modified = entry.modified.map { StorageDate(seconds: Int64($0.timeIntervalSince1970)) }
      files.append(StoredFile(name: name, bytes: bytes, modified: modified))
    }
    return files
  }
}

extension LibraryError {
  /// What is wrong with an entry of a container.
  fileprivate init(_ error: ZipError, of entry: ZipEntry) {
    self.init(
      .badContainer, entry.name, "\(error)", remedy: "Take another copy of the container", underlying: error)
  }
}
