// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import ZipContainers

/// A ZIP file of documents, classified by its directory.
struct DocumentContainer {
  /// The entries of a document.
  struct Folder {
    var number: DocumentNumber
    var name: String
    var files: [(name: StorageName, entry: ZipEntry)]
  }

  let reader: ZipReader
  private(set) var folders: [Folder] = []
  private(set) var rejected: [ImportReport.Refusal] = []
  private var indexes: [DocumentNumber: Int] = [:]
  /// The documents with an unusable entry, with the reason.
  private var incomplete: [DocumentNumber: LibraryError] = [:]

  init(_ data: Data, folderExtension: String, limits: LibraryLimits) throws(LibraryError) {
    do {
      let perFile = max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount)
      // The directory limits itself, and a library may be large.
      let limits = ZipLimits(maximumEntryCount: .max, maximumEntryByteCount: perFile)
      reader = try ZipReader(data, limits: limits)
    } catch {
      throw LibraryError(opening: error)
    }
    for entry in reader.entries {
      let otherName = reader.otherName(of: entry)
      let isFolder = entry.kind == .folder && entry.name.utf8.last == UInt8(ascii: "/")
      guard otherName != nil || !(isFolder || entry.isFinderMetadata) else { continue }
      do {
        guard let otherName else {
          try add(entry, folderExtension)
          continue
        }
        let error = LibraryError(
          .badContainer, entry.name, "inconsistent name: the entry's own header has \(otherName.debugDescription)",
          remedy: "Use another copy of the container")
        // Without this entry, a document of either name would be incomplete.
        refuse(Self.number(in: entry.name, folderExtension), for: error)
        refuse(Self.number(in: otherName, folderExtension), for: error)
        throw error
      } catch {
        rejected.append(.init(source: entry.name, error: error))
      }
    }
    folders.sort { $0.number < $1.number }
  }

  /// Adds an entry to the document that its name belongs to.
  private mutating func add(_ entry: ZipEntry, _ extension: String) throws(LibraryError) {
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
        .badContainer, entry.name, "the entry is not a file of a document",
        remedy: "Name folders of documents like 7.\(`extension`)")
    }
    let index = indexes[number] ?? folders.count
    do throws(LibraryError) {
      guard entry.kind == .file else {
        throw LibraryError(.badContainer, entry.name, "found a link or a special file; expected a file")
      }
      guard index == folders.count || folders[index].name == folder else {
        throw LibraryError(.badContainer, entry.name, "another folder has the same number")
      }
    } catch {
      // Without this entry, the document would be incomplete.
      refuse(number, for: error)
      throw error
    }
    if index == folders.count {
      indexes[number] = index
      folders.append(Folder(number: number, name: folder, files: []))
    }
    folders[index].files.append((StorageName(file), entry))
  }

  private mutating func refuse(_ number: DocumentNumber?, for error: LibraryError) {
    if let number { incomplete[number] = error }
  }

  /// The number of the document whose folder is the first component of a name.
  private static func number(in name: String, _ extension: String) -> DocumentNumber? {
    FolderName.document(name.utf8.prefix { $0 != UInt8(ascii: "/") }, extension: `extension`)?.number
  }

  /// Reads and verifies the files of a document.
  func files(of folder: Folder) throws(LibraryError) -> [StoredFile] {
    if let error = incomplete[folder.number] {
      throw LibraryError(
        .badContainer, folder.name, "a file of the document is unusable: \(error)",
        remedy: "Use another copy of the container", underlying: error)
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
  /// Creates the error for a file that is not a container.
  init(opening error: ZipError) {
    self.init(
      .badContainer, "the file", error.located, remedy: "Pass a file that was exported from a library",
      underlying: error)
  }

  /// Creates the error for an invalid entry of a container.
  init(_ error: ZipError, of entry: ZipEntry) {
    self.init(
      .badContainer, entry.name, error.located, remedy: error.remedy, underlying: error)
  }
}
