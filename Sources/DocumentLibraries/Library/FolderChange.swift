// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import SystemFiles

/// The new content of a document's files by name; nil removes a file.
typealias FileChanges = [(name: StorageName, bytes: Data?)]

enum NumberChoice {
  /// The number after the largest one, or after a number that was recently the largest.
  case after(DocumentNumber?)
  /// This number, which must be free.
  case exactly(DocumentNumber)
}

/// The last number that a library gave to a document, with the identity and date of the library's folder after that. As
/// long as the folder is unchanged, the number is the largest, and the next document needs no listing.
struct NumberHint: Sendable {
  var number: DocumentNumber
  var root: StorageStatus

  /// Whether the folder has not changed since. Some file systems also count the entries in the size.
  func isCurrent(_ status: StorageStatus) -> Bool { status == root }
}

struct StoredFile: Sendable {
  var name: StorageName
  var bytes: Data
  /// The modification date; nil for the current one.
  var modified: StorageDate?
}

extension DocumentLibrary {
  /// Creates a document's folder atomically.
  /// - Returns: The number, and the version of the first file, which is the data file.
  func makeDocument(_ files: FileChanges) throws(StorageError) -> (DocumentNumber, FileVersion?) {
    var stored: [StoredFile] = []
    for (name, bytes) in files {
      if let bytes { stored.append(StoredFile(name: name, bytes: bytes, modified: nil)) }
    }
    return try makeDocument(stored, .after(nil))
  }

  /// Creates a document's folder atomically.
  /// - Returns: The number, and the version of the first file, which is the data file.
  func makeDocument(
    _ files: [StoredFile], _ choice: NumberChoice
  ) throws(StorageError) -> (DocumentNumber, FileVersion?) {
    let new = WorkFolder.newName()
    return try withWorkFolder { () throws(StorageError) in
      do throws(StorageError) {
        try steps.makeFolder(new)
        for file in files {
          try steps.write(file.bytes, to: new / file.name)
          guard let modified = file.modified else { continue }
          try steps.step { () throws(StorageError) in try storage.setModified(new / file.name, to: modified) }
        }
        try steps.flushFolder(new)
        let version = files.isEmpty ? nil : try version(of: new / files[0].name)
        return (try moveIntoPlace(new, choice), version)
      } catch {
        try? steps.removeAll(new)
        throw error
      }
    }
  }

  /// Moves a folder to the place of a document.
  func moveIntoPlace(_ new: StoragePath, _ choice: NumberChoice) throws(StorageError) -> DocumentNumber {
    switch choice {
    case .exactly(let number):
      try rename(new, to: number)
      // The next document gets the number after the largest, which may be another.
      numberHint.withLock { $0 = nil }
      return number
    case .after(let known):
      if let hint = hintedNumber(), known.map({ $0 < hint }) ?? true {
        do throws(StorageError) {
          return try take(hint, by: new)
        } catch {
          // Another process took the number, so the hint is outdated.
          guard error.reason == .exists else { throw error }
        }
      }
      var number: DocumentNumber
      if let next = known?.next { number = next } else { number = try firstFree() }
      while true {
        do throws(StorageError) {
          return try take(number, by: new)
        } catch {
          // Another process took the number.
          guard error.reason == .exists else { throw error }
          guard let next = number.next else { throw StorageError(.exhausted, .move, .root) }
          number = next
        }
      }
    }
  }

  /// Renames a folder to the name of a document with the number after the largest, and remembers the number.
  private func take(_ number: DocumentNumber, by new: StoragePath) throws(StorageError) -> DocumentNumber {
    try rename(new, to: number)
    // No call may fail after the rename. Without a status, the next document's number comes from a listing.
    let status = try? steps.status(of: .root)
    numberHint.withLock { $0 = status.map { NumberHint(number: number, root: $0) } }
    return number
  }

  /// The number after the last one that this object gave to a document, if the folder is unchanged since.
  ///
  /// Dates have a limited precision, so a change by another process at the same moment can go unnoticed. The folder's name
  /// is unique nevertheless, because it is taken by an exclusive rename. At worst another process took a larger number at
  /// that moment.
  private func hintedNumber() -> DocumentNumber? {
    guard let hint = numberHint.withLock({ $0 }), let now = try? steps.status(of: .root), hint.isCurrent(now) else {
      return nil
    }
    return hint.number.next
  }

  /// The number after the largest one.
  private func firstFree() throws(StorageError) -> DocumentNumber {
    do {
      return try nextNumber()
    } catch {
      // Only an exhausted range of numbers has no underlying error.
      throw (error.underlying as? StorageError) ?? StorageError(.exhausted, .move, .root)
    }
  }

  /// Renames a folder to a document's name, which must be free.
  private func rename(_ new: StoragePath, to number: DocumentNumber) throws(StorageError) {
    let name = FolderName.name(for: number, extension: Model.folderExtension)
    let document = StoragePath.root / name
    // A document that a change in two steps displaced still has its number, also after a crash between the steps.
    guard try steps.status(of: WorkFolder.name(replacing: name)) == nil else {
      throw StorageError(.exists, .move, document)
    }
    try steps.move(new, to: document, .exclusive)
    // The rename may not survive a crash if the flush fails, so it is undone then.
    try flush(.root) { () throws(StorageError) in try steps.move(document, to: new, .exclusive) }
  }

  /// Changes files of a document atomically. The caller locks the folder.
  /// - Returns: The version of the first file.
  func apply(_ changes: FileChanges, to folder: StorageName) throws(StorageError) -> FileVersion? {
    let document = StoragePath.root / folder
    guard let (name, bytes) = changes.first else { return nil }
    return changes.count == 1 ? try change(document / name, to: bytes) : try change(folder, changes)
  }

  /// The version of a file. It is read before the file is renamed into place, because no call may fail after that.
  private func version(of file: StoragePath) throws(StorageError) -> FileVersion? {
    try steps.status(of: file).map { FileVersion($0) }
  }

  /// Changes a file atomically, or removes it if `bytes` is nil, and returns its new version.
  @discardableResult
  func change(_ file: StoragePath, to bytes: Data?, modified: StorageDate? = nil) throws(StorageError) -> FileVersion? {
    let work = WorkFolder.newName()
    return try withWorkFolder { () throws(StorageError) in
      guard let bytes else {
        try remove(file, by: work, in: file.folder)
        return nil
      }
      let version: FileVersion?
      do throws(StorageError) {
        try steps.write(bytes, to: work)
        if let modified { try steps.step { () throws(StorageError) in try storage.setModified(work, to: modified) } }
        version = try self.version(of: work)
        guard try steps.status(of: file) != nil else {
          try steps.move(work, to: file, .exclusive)
          try flush(file.folder) { () throws(StorageError) in try steps.move(file, to: work, .exclusive) }
          return version
        }
        try exchange(work, with: file)
        // The work folder holds the old content now.
        try flush(file.folder) { () throws(StorageError) in try exchange(work, with: file) }
      } catch {
        try? steps.removeAll(work)
        throw error
      }
      try? steps.removeAll(work)
      return version
    }
  }

  /// Exchanges two files. On a file system without an exchange, the old file first gets a second name, or a copy, which
  /// becomes `new`.
  private func exchange(_ new: StoragePath, with file: StoragePath) throws(StorageError) {
    guard try !steps.abilities().contains(.exchanges) else { return try steps.move(new, to: file, .exchanging) }
    let kept = WorkFolder.newName()
    do throws(StorageError) {
      try steps.link(file, to: kept)
      try steps.move(new, to: file, .replacing)
    } catch {
      try? steps.removeFile(kept)
      throw error
    }
    do throws(StorageError) {
      // The name is free, and no other process uses it.
      try steps.move(kept, to: new, .replacing)
    } catch {
      try? steps.move(kept, to: file, .replacing)
      throw error
    }
  }

  /// Changes several files atomically: a new folder, with links to the unchanged files, replaces the folder.
  private func change(_ folder: StorageName, _ changes: FileChanges) throws(StorageError) -> FileVersion? {
    let document = StoragePath.root / folder
    try learnAbilities()
    do throws(StorageError) {
      guard try steps.abilities().contains(.exchanges) else { throw StorageError(.unsupported, .move, document) }
      return try rebuild(document, changes, .shared) { (new) throws(StorageError) in
        try steps.move(new, to: document, .exchanging)
        try flush(.root) { () throws(StorageError) in try steps.move(new, to: document, .exchanging) }
      }
    } catch {
      guard error.reason == .unsupported, error.call == .move else { throw error }
      // Without an exchange, possibly only of folders, two renames are needed, and no other process may take the number
      // in between. After a crash between them the document is in the work folder, under a name from which the next
      // cleanup restores it.
      return try rebuild(document, changes, .exclusive) { (new) throws(StorageError) in
        let kept = WorkFolder.name(replacing: folder)
        // An earlier change may have failed to remove it.
        if try steps.status(of: kept) != nil, try steps.status(of: document) != nil { try steps.removeAll(kept) }
        try steps.move(document, to: kept, .exclusive)
        do throws(StorageError) {
          try steps.move(new, to: document, .exclusive)
          try flush(.root) { () throws(StorageError) in try steps.move(document, to: new, .exclusive) }
        } catch {
          try? steps.move(kept, to: document, .exclusive)
          throw error
        }
        // A later cleanup removes what cannot be removed now.
        try? steps.removeAll(kept)
      }
    }
  }

  private func rebuild(
    _ document: StoragePath, _ changes: FileChanges, _ kind: StorageLockKind,
    _ swap: (_ new: StoragePath) throws(StorageError) -> Void
  ) throws(StorageError) -> FileVersion? {
    let new = WorkFolder.newName()
    return try withWorkFolder(kind) { () throws(StorageError) in
      let version: FileVersion?
      do throws(StorageError) {
        try steps.makeFolder(new)
        try steps.linkAll(document, to: new, except: Set(changes.map(\.name)))
        for (name, bytes) in changes {
          if let bytes { try steps.write(bytes, to: new / name) }
        }
        try steps.flushFolder(new)
        version = changes.isEmpty ? nil : try self.version(of: new / changes[0].name)
        // Locked before the rename, so that no other process changes it before the rename is durable.
        try withLock(new) { () throws(StorageError) in try swap(new) }
      } catch {
        try? steps.removeAll(new)
        throw error
      }
      try? steps.removeAll(new)
      return version
    }
  }

  /// Removes a document or a file atomically, and then its content.
  func remove(_ path: StoragePath, by work: StoragePath, in folder: StoragePath) throws(StorageError) {
    guard try steps.status(of: path) != nil else { return }
    try steps.move(path, to: work, .exclusive)
    try flush(folder) { () throws(StorageError) in try steps.move(work, to: path, .exclusive) }
    // A later cleanup removes what cannot be removed now.
    try? steps.removeAll(work)
  }

  /// Flushes a folder. If that fails, undoes the change, which may not survive a crash.
  func flush(_ folder: StoragePath, undo: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) {
      try steps.flushFolder(folder)
    } catch {
      try? undo()
      throw error
    }
  }
}
