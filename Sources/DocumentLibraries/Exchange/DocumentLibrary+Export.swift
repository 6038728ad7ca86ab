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
  /// Writes documents to one ZIP file: a folder for each document, with its files byte for byte and their dates to the
  /// second. Subfolders, links, and what the last save replaced are left out. A backup has subfolders, reports links, and has
  /// what the last save of a damaged document replaced; see ``backUp(to:checkAttachment:progress:report:)``.
  ///
  /// One document is in memory at a time, and is locked while it is read.
  /// - Parameters:
  ///   - numbers: The documents.
  ///   - sink: Receives the file in pieces.
  ///   - progress: Called after each document.
  /// - Throws: ``LibraryError`` if a document cannot be read or the name of a file is not allowed in a container, or an
  ///   error of `sink`. The file is then incomplete.
  public func export(
    _ numbers: [DocumentNumber], to sink: @escaping (Data) throws -> Void, progress: () -> Void = {}
  ) throws {
    var writer = ZipWriter(sink: sink)
    for number in numbers {
      let folder = try folderName(of: number)
      let name = FolderName.name(for: number, extension: Model.folderExtension).description
      for file in try withDocumentToRead(folder, { try files(in: folder) }) {
        let path = storage.url(of: .root / folder / file.name).path
        let remedy = "Rename the file, or move it away"
        guard StorageName(file.name.description) == file.name else {
          throw LibraryError(.cannotWrite, path, "the file's name is not valid UTF-8", remedy: remedy)
        }
        let isText = file.name.description.hasSuffix(".plist")
        // Whole seconds, because a conversion of the fraction could round up.
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

  /// Reads the files of a document, including hidden and unknown ones, without those of subfolders and former saves.
  private func files(in folder: StorageName) throws -> [StoredFile] {
    let path = StoragePath.root / folder
    let limit = max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount)
    return try attempt { () throws(StorageError) in
      var files: [StoredFile] = []
      for entry in try steps.entries(of: path, spelledAs: Model.fileNames)
      where entry.kind == .file && FormerFileName(entry.name) == nil {
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
