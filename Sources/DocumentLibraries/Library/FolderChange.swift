// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// New content of a document's files by name; nil removes one.
typealias FileChanges = [(name: StorageName, bytes: Data?)]

/// Which number a new document gets.
enum NumberChoice {
  /// The one after the largest, or after one that is known to have been the largest a moment ago.
  case after(DocumentNumber?)
  /// This one, which must be free.
  case exactly(DocumentNumber)
}

/// A file of a document, as it is made or exchanged.
struct StoredFile: Sendable {
  var name: StorageName
  var bytes: Data
  /// When it was changed last; now if nil.
  var modified: StorageDate?
}

extension DocumentLibrary {
  /// Makes a document's folder, which appears whole.
  /// - Returns: its number, and what tells whether its data file, the first one given, is the same one later.
  func makeDocument(_ files: FileChanges) throws(StorageError) -> (DocumentNumber, FileVersion?) {
    var stored: [StoredFile] = []
    for (name, bytes) in files {
      if let bytes { stored.append(StoredFile(name: name, bytes: bytes, modified: nil)) }
    }
    return try makeDocument(stored, .after(nil))
  }

  /// Makes a document's folder, which appears whole.
  /// - Returns: its number, and what tells whether its data file, the first one given, is the same one later.
  func makeDocument(
    _ files: [StoredFile], _ choice: NumberChoice
  ) throws(StorageError) -> (DocumentNumber, FileVersion?) {
    let new = WorkFolder.newName()
    return try working { () throws(StorageError) in
      do throws(StorageError) {
        try steps.makeFolder(new)
        for file in files {
          try steps.write(file.bytes, to: new / file.name)
          guard let modified = file.modified else { continue }
          try steps.step { () throws(StorageError) in try storage.setModified(new / file.name, to: modified) }
        }
        try steps.flushFolder(new)
        let version = files.isEmpty ? nil : try version(of: new / files[0].name)
        return (try claim(new, choice), version)
      } catch {
        try? steps.removeAll(new)
        throw error
      }
    }
  }

  /// Gives a folder the place of a document.
  func claim(_ new: StoragePath, _ choice: NumberChoice) throws(StorageError) -> DocumentNumber {
    switch choice {
    case .exactly(let number):
      try place(new, as: number)
      return number
    case .after(let known):
      var number: DocumentNumber
      if let next = known?.next { number = next } else { number = try firstFree() }
      while true {
        do throws(StorageError) {
          try place(new, as: number)
          return number
        } catch {
          // Somebody else was faster.
          guard error.reason == .exists else { throw error }
          guard let next = number.next else { throw StorageError(.exhausted, .move, .root) }
          number = next
        }
      }
    }
  }

  /// The number after the largest one.
  private func firstFree() throws(StorageError) -> DocumentNumber {
    do {
      return try nextNumber()
    } catch {
      // There is one way to fail that is no step's: no number is left.
      throw (error.underlying as? StorageError) ?? StorageError(.exhausted, .move, .root)
    }
  }

  /// Gives a folder a document's name, which must be free.
  private func place(_ new: StoragePath, as number: DocumentNumber) throws(StorageError) {
    let place = StoragePath.root / FolderName.name(for: number, extension: Model.folderExtension)
    try steps.move(new, to: place, .exclusive)
    // Not known to last unless it is flushed, and then it must not be there.
    try flush(.root) { () throws(StorageError) in try steps.move(place, to: new, .exclusive) }
  }

  /// Changes files of a document, all of them or none. The folder must be held.
  /// - Returns: what tells whether the first of them is the same one later.
  func apply(_ changes: FileChanges, to folder: StorageName) throws(StorageError) -> FileVersion? {
    let document = StoragePath.root / folder
    guard let (name, bytes) = changes.first else { return nil }
    return changes.count == 1 ? try change(document / name, to: bytes) : try change(folder, changes)
  }

  /// What tells whether a file is the same one later. Asked before it takes its place: after that nothing may fail.
  private func version(of file: StoragePath) throws(StorageError) -> FileVersion? {
    try steps.status(of: file).map { FileVersion($0) }
  }

  /// Changes one file in one step.
  /// - Parameters:
  ///   - file: which file.
  ///   - bytes: its new content; nil removes it.
  ///   - modified: when it is to have been changed; now unless given.
  /// - Returns: what tells whether it is the same file later.
  /// - Throws: ``StorageError``; the file is as it was.
  @discardableResult
  func change(_ file: StoragePath, to bytes: Data?, modified: StorageDate? = nil) throws(StorageError) -> FileVersion? {
    let work = WorkFolder.newName()
    return try working { () throws(StorageError) in
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
        // The old content is in the work folder now.
        try flush(file.folder) { () throws(StorageError) in try exchange(work, with: file) }
      } catch {
        try? steps.removeAll(work)
        throw error
      }
      try? steps.removeAll(work)
      return version
    }
  }

  /// Lets two files change places; where the file system cannot, the second is kept under the first one's name all the
  /// same, by a second name that it gets before.
  private func exchange(_ new: StoragePath, with file: StoragePath) throws(StorageError) {
    do throws(StorageError) {
      try steps.move(new, to: file, .exchanging)
    } catch {
      guard error.reason == .unsupported else { throw error }
      let kept = WorkFolder.newName()
      do throws(StorageError) {
        try steps.link(file, to: kept)
        try steps.move(new, to: file, .replacing)
      } catch {
        try? steps.removeFile(kept)
        throw error
      }
      do throws(StorageError) {
        try steps.move(kept, to: new, .exclusive)
      } catch {
        try? steps.move(kept, to: file, .replacing)
        throw error
      }
    }
  }

  /// Changes several files in one step: a new folder, in which the unchanged files have second names, takes the place.
  private func change(_ folder: StorageName, _ changes: FileChanges) throws(StorageError) -> FileVersion? {
    let document = StoragePath.root / folder
    do throws(StorageError) {
      return try rebuild(document, changes, .shared) { (new) throws(StorageError) in
        try steps.move(new, to: document, .exchanging)
        try flush(.root) { () throws(StorageError) in try steps.move(new, to: document, .exchanging) }
      }
    } catch {
      guard error.reason == .unsupported, error.call == .move else { throw error }
      // In two steps then, with nobody else at work who could take the number in between. A crash after the first leaves
      // the document in the work folder under a name from which the next one to open the library puts it back.
      return try rebuild(document, changes, .exclusive) { (new) throws(StorageError) in
        let kept = WorkFolder.name(replacing: folder)
        // What an earlier change could not clear away.
        if try steps.status(of: kept) != nil, try steps.status(of: document) != nil { try steps.removeAll(kept) }
        try steps.move(document, to: kept, .exclusive)
        do throws(StorageError) {
          try steps.move(new, to: document, .exclusive)
          try flush(.root) { () throws(StorageError) in try steps.move(document, to: new, .exclusive) }
        } catch {
          try? steps.move(kept, to: document, .exclusive)
          throw error
        }
        // What cannot be taken apart now is swept later.
        try? steps.removeAll(kept)
      }
    }
  }

  private func rebuild(
    _ document: StoragePath, _ changes: FileChanges, _ kind: StorageLockKind,
    _ swap: (_ new: StoragePath) throws(StorageError) -> Void
  ) throws(StorageError) -> FileVersion? {
    let new = WorkFolder.newName()
    return try working(kind) { () throws(StorageError) in
      let version: FileVersion?
      do throws(StorageError) {
        try steps.makeFolder(new)
        try steps.linkAll(document, to: new, except: Set(changes.map(\.name)))
        for (name, bytes) in changes {
          if let bytes { try steps.write(bytes, to: new / name) }
        }
        try steps.flushFolder(new)
        version = changes.isEmpty ? nil : try self.version(of: new / changes[0].name)
        // Held before it takes the place, so that nobody changes it before it is known to stay.
        try holding(new) { () throws(StorageError) in try swap(new) }
      } catch {
        try? steps.removeAll(new)
        throw error
      }
      try? steps.removeAll(new)
      return version
    }
  }

  /// Removes a document or a file in one step, and takes it apart after that.
  func remove(_ path: StoragePath, by work: StoragePath, in folder: StoragePath) throws(StorageError) {
    guard try steps.status(of: path) != nil else { return }
    try steps.move(path, to: work, .exclusive)
    try flush(folder) { () throws(StorageError) in try steps.move(work, to: path, .exclusive) }
    // What cannot be taken apart now is swept later.
    try? steps.removeAll(work)
  }

  /// Flushes a folder; if that fails, what happened in it may not last and is undone.
  func flush(_ folder: StoragePath, undo: () throws(StorageError) -> Void) throws(StorageError) {
    do throws(StorageError) {
      try steps.flushFolder(folder)
    } catch {
      try? undo()
      throw error
    }
  }
}
