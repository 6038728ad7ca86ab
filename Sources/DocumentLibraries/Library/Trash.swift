// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The hidden folder of documents that may be taken back.
enum TrashFolder {
  static let path: StoragePath = ".trash"
}

extension DocumentLibrary {
  /// The names of the documents in the trash, as ``restore(_:)`` and ``deleteFromTrash(_:)`` take them.
  /// - Throws: ``LibraryError`` if the trash cannot be read.
  public func trash() throws(LibraryError) -> [String] {
    try reading { () throws(StorageError) in
      guard try steps.status(of: TrashFolder.path) != nil else { return [] }
      return try steps.entries(of: TrashFolder.path).map(\.name.description)
    }
  }

  /// Takes a document back from the trash. It gets the number after the largest one.
  /// - Throws: ``LibraryError`` if there is none of that name.
  @discardableResult
  public func restore(_ name: String) throws(LibraryError) -> Document<Model> {
    do {
      let place = try trashed(name)
      let number = try working { () throws(StorageError) in
        let number = try claim(place, .after(nil))
        // It is in its place for good; at worst the trash still has it as well after a loss of power.
        try? steps.flushFolder(TrashFolder.path)
        return number
      }
      note(number)
      return Document(self, number, nil)
    } catch {
      throw LibraryError(error, .cannotCreate, in: storage)
    }
  }

  /// Deletes a document in the trash for good.
  /// - Throws: ``LibraryError`` if there is none of that name.
  public func deleteFromTrash(_ name: String) throws(LibraryError) {
    do {
      let place = try trashed(name)
      try working { () throws(StorageError) in try remove(place, by: WorkFolder.newName(), in: TrashFolder.path) }
    } catch {
      throw LibraryError(error, .cannotDelete, in: storage)
    }
  }

  private func trashed(_ name: String) throws(StorageError) -> StoragePath {
    let place = TrashFolder.path / StorageName(name)
    guard try steps.status(of: place)?.kind == .folder else { throw StorageError(.notFound, .status, place) }
    return place
  }

  /// Deletes a document's folder. It must be held.
  func deleteFolder(_ folder: StorageName) throws(StorageError) {
    try working { () throws(StorageError) in
      try remove(.root / folder, by: WorkFolder.newName(), in: .root)
    }
  }

  /// Moves a document's folder to the trash. It must be held.
  func trashFolder(_ folder: StorageName) throws(StorageError) {
    do {
      if try steps.status(of: TrashFolder.path) == nil { try steps.makeFolder(TrashFolder.path) }
    } catch {
      guard error.reason == .exists else { throw error }
    }
    let source = StoragePath.root / folder
    var count = 1
    while true {
      let suffix = count == 1 ? "" : " \(count)"
      let place = TrashFolder.path / StorageName(bytes: folder.bytes + Array(suffix.utf8))
      do {
        try steps.move(source, to: place, .exclusive)
      } catch {
        guard error.reason == .exists else { throw error }
        count += 1
        continue
      }
      try flush(TrashFolder.path) { () throws(StorageError) in try steps.move(place, to: source, .exclusive) }
      return try flush(.root) { () throws(StorageError) in try steps.move(place, to: source, .exclusive) }
    }
  }
}
