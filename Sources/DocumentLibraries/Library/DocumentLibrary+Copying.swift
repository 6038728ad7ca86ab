// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension DocumentLibrary {
  /// Copies a document of another library, byte for byte. It appears whole, with the number after the largest one.
  /// - Throws: ``LibraryError`` if its data cannot be read, for then nothing is copied.
  @discardableResult
  public func addCopy(of document: Document<Model>) throws -> Document<Model> {
    guard let folder = try document.placeToRead() else {
      throw LibraryError(.notSaved, document.library.folder.path, "the document has no folder to copy")
    }
    var files: FileChanges = []
    // Nobody changes one file of it while the others are read.
    try document.library.holdingDocument(folder, else: .cannotRead) {
      files.append((StorageName(Model.dataFileName), try document.library.readData(folder).2))
      for name in Model.attachmentNames {
        if let bytes = try document.library.readAttachment(name, of: folder) {
          files.append((StorageName(name), bytes))
        }
      }
    }
    do throws(StorageError) {
      let (number, _) = try makeDocument(files)
      note(number)
      return Document(self, number, nil)
    } catch {
      throw LibraryError(error, .cannotCreate, in: storage)
    }
  }
}
