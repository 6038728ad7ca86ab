// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat
import ZipContainers

extension DocumentLibrary {
  /// Writes documents into one ZIP file, which every system can open: a folder for each, named as in the library, with its
  /// files byte for byte and their dates to the second. Of all documents, that is a backup.
  ///
  /// One document is in memory at a time, and none changes while it is read.
  /// - Parameters:
  ///   - numbers: the documents.
  ///   - sink: takes the file piece by piece.
  ///   - progress: is called after each document.
  /// - Throws: ``LibraryError`` if a document cannot be read or a file's name has no place in a container, and what `sink` throws; the file is incomplete then.
  public func export(
    _ numbers: [DocumentNumber], to sink: @escaping (Data) throws -> Void, progress: () -> Void = {}
  ) throws {
    var writer = ZipWriter(sink: sink)
    for number in numbers {
      let folder = try folderName(of: number)
      let name = FolderName.name(for: number, extension: Model.folderExtension).description
      for file in try holdingDocument(folder, else: .cannotRead, { try files(in: folder) }) {
        let path = storage.url(of: .root / folder / file.name).path
        let remedy = "Give the file another name, or put it elsewhere"
        guard StorageName(file.name.description) == file.name else {
          throw LibraryError(.cannotWrite, path, "the name of the file is no text", remedy: remedy)
        }
        let isText = file.name.description.hasSuffix(".plist")
        // Whole seconds, since a date may round parts of one up.
        let modified = file.modified.map { Date(timeIntervalSince1970: Double($0.seconds)) }
        do {
          try writer.addFile(
            "\(name)/\(file.name)", file.bytes, compression: isText ? .automatic : .stored, modified: modified)
        } catch let error as ZipError {
          throw LibraryError(.cannotWrite, path, error.detail, remedy: remedy, underlying: error)
        }
      }
      progress()
    }
    try writer.finish()
  }

  /// The files of a document, hidden ones and those that no model knows included; not what is in folders of the folder.
  private func files(in folder: StorageName) throws -> [StoredFile] {
    let path = StoragePath.root / folder
    let limit = max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount)
    return try reading { () throws(StorageError) in
      var files: [StoredFile] = []
      for entry in try steps.entries(of: path) where entry.kind == .file {
        guard let status = try steps.status(of: path / entry.name) else { continue }
        guard let bytes = try steps.read(path / entry.name, limit: limit) else {
          throw StorageError(.tooLarge, .read, path / entry.name)
        }
        files.append(StoredFile(name: entry.name, bytes: bytes, modified: status.modified))
      }
      return files
    }
  }
}
