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

/// Changes of several documents that one flush makes durable.
///
/// Until then, nothing is removed that a document needs after a power loss.
final class SharedFlush {
  /// The entries to remove after the flush.
  private(set) var removals: [StoragePath] = []

  func remove(_ path: StoragePath) { removals.append(path) }
}

extension DocumentLibrary {
  /// Changes files of a document atomically. The caller locks the folder.
  ///
  /// `staged` has flushed files with the new content, which need no second flush on a disk with links. With `shared`, the
  /// caller holds a lock of the work folder, and flushes the change.
  /// - Returns: The version of the first file that is not removed in vain.
  @discardableResult
  func apply(
    _ changes: FileChanges, to folder: StorageName, modified: StorageDate? = nil, _ policy: FormerFiles = .kept,
    staged: [StorageName: StoragePath] = [:], shared: SharedFlush? = nil
  ) throws(StorageError) -> FileVersion? {
    let document = StoragePath.root / folder
    let entries = try steps.entries(of: document)
    let spellings = try steps.otherSpellings(of: changes.map(\.name), in: document, entries)
    var plan = KeepingChange(
      changes, data: StorageName(Model.dataFileName), in: StorageSteps.respelled(entries, spellings),
      keepsFormerSaves || policy != .kept ? policy : .discarded)
    plan.otherSpellings = Array(spellings.values)
    guard let (name, bytes) = plan.changes.first else { return nil }
    // The new folder of several changes has no outdated files.
    guard plan.changes.count == 1 else { return try change(folder, plan, staged, shared) }
    let former = plan.former.first.map { document / $0.name }
    let version = try change(
      document / name, to: bytes, modified: modified, keeping: former, staged: staged[name], shared: shared)
    // The old names do no harm, and the next save tries it again.
    for (old, new) in plan.renamed { try? steps.move(document / old, to: document / new, .replacing) }
    for name in plan.outdated {
      if let shared { shared.remove(document / name) } else { try? steps.removeFile(document / name) }
    }
    return version
  }

  /// The version of a file. It is read before the file is renamed into place, because no call may fail after that.
  func version(of file: StoragePath) throws(StorageError) -> FileVersion? {
    try steps.status(of: file).map { FileVersion($0) }
  }

  /// Changes a file atomically, or removes it if `bytes` is nil, and returns its new version.
  ///
  /// `former` is a free name in the same folder, where the former content stays, or an empty file if the file is new. The
  /// name has a hash of the new content, so it is ignored until the file has that content. The two changes are therefore
  /// one for each reader, and one flush makes both durable.
  @discardableResult
  func change(
    _ file: StoragePath, to bytes: Data?, modified: StorageDate? = nil, keeping former: StoragePath? = nil,
    staged: StoragePath? = nil, shared: SharedFlush? = nil
  ) throws(StorageError) -> FileVersion? {
    let work = WorkFolder.newName()
    return try withWorkFolder(shared) { () throws(StorageError) in
      guard let bytes else {
        guard let former else {
          try remove(file, by: work, in: file.folder, shared)
          return nil
        }
        try steps.move(file, to: former, .exclusive)
        // The name is free, and a plain rename needs no space on a full disk.
        try flush(file.folder, shared) { () throws(StorageError) in try steps.move(former, to: file, .replacing) }
        return nil
      }
      let version: FileVersion?
      do throws(StorageError) {
        try write(bytes, to: work, replacing: file, staged)
        if let modified { try steps.step { () throws(StorageError) in try storage.setModified(work, to: modified) } }
        version = try self.version(of: work)
        guard try steps.status(of: file) != nil else {
          try place(work, at: file, marking: former, shared)
          return version
        }
        if let former {
          try replace(file, by: work, keeping: former, shared)
          return version
        }
        try exchange(work, with: file, shared)
        // The work folder holds the old content now.
        try flush(file.folder, shared) { () throws(StorageError) in try exchange(work, with: file) }
      } catch {
        try? steps.removeAll(work)
        throw error
      }
      discard(work, shared)
      return version
    }
  }

  /// Performs an operation with a lock of the work folder, which the caller has for a shared flush.
  private func withWorkFolder<Result>(
    _ shared: SharedFlush?, _ body: () throws(StorageError) -> Result
  ) throws(StorageError) -> Result {
    shared == nil ? try withWorkFolder(.shared, body) : try body()
  }

  /// Removes what is not needed any more, now or after a shared flush. A later cleanup removes what cannot be removed.
  private func discard(_ path: StoragePath, _ shared: SharedFlush?) {
    if let shared { shared.remove(path) } else { try? steps.removeAll(path) }
  }

  /// Flushes a folder, unless a shared flush does. If that fails, undoes the change.
  private func flush(
    _ folder: StoragePath, _ shared: SharedFlush?, undo: () throws(StorageError) -> Void
  ) throws(StorageError) {
    if shared == nil { try flush(folder, undo: undo) }
  }

  /// Creates a flushed file: a second name of a staged one with the content, or a new one. That has the permissions of the
  /// file that it will replace.
  ///
  /// The staged file keeps its name, because the update needs it until all documents are changed.
  private func write(
    _ bytes: Data, to path: StoragePath, replacing file: StoragePath, _ staged: StoragePath?
  ) throws(StorageError) {
    guard let staged else { return try steps.write(bytes, to: path, permissionsOf: file) }
    try steps.link(staged, to: path)
  }

  /// Renames a new file into place. The empty file `marker` says that it is new.
  private func place(
    _ new: StoragePath, at file: StoragePath, marking marker: StoragePath?, _ shared: SharedFlush?
  ) throws(StorageError) {
    if let marker { try steps.write(Data(), to: marker, flushing: shared == nil) }
    do throws(StorageError) {
      try steps.move(new, to: file, .exclusive)
      // A removal needs no space on a full disk.
      try flush(file.folder, shared) { () throws(StorageError) in try steps.removeFile(file) }
    } catch {
      if let marker { try? steps.removeFile(marker) }
      throw error
    }
  }

  /// Replaces a file, and keeps the old one under the name `former`.
  private func replace(
    _ file: StoragePath, by new: StoragePath, keeping former: StoragePath, _ shared: SharedFlush?
  ) throws(StorageError) {
    let abilities = try steps.abilities()
    guard abilities.contains(.links) || !abilities.contains(.exchanges) else {
      // No copy is needed: the new file gets the name, and then the place of the old one.
      try steps.move(new, to: former, .exclusive)
      do throws(StorageError) {
        try steps.move(former, to: file, .exchanging)
        try flush(file.folder, shared) { () throws(StorageError) in try steps.move(former, to: file, .exchanging) }
      } catch {
        try? steps.move(former, to: new, .exclusive)
        throw error
      }
      return
    }
    try steps.link(file, to: former)
    do throws(StorageError) {
      try steps.move(new, to: file, .replacing)
    } catch {
      try? steps.removeFile(former)
      throw error
    }
    try flush(file.folder, shared) { () throws(StorageError) in try steps.move(former, to: file, .replacing) }
  }

  /// Exchanges two files. On a file system without an exchange, the old file first gets a second name, or a copy, which
  /// becomes `new`.
  private func exchange(
    _ new: StoragePath, with file: StoragePath, _ shared: SharedFlush? = nil
  ) throws(StorageError) {
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
  private func change(
    _ folder: StorageName, _ plan: KeepingChange, _ staged: [StorageName: StoragePath], _ shared: SharedFlush?
  ) throws(StorageError) -> FileVersion? {
    let document = StoragePath.root / folder
    try learnAbilities()
    do throws(StorageError) {
      guard try steps.abilities().contains(.exchanges) else { throw StorageError(.unsupported, .move, document) }
      return try rebuild(document, plan, staged, .shared, shared) { (new) throws(StorageError) in
        try steps.move(new, to: document, .exchanging)
        try flush(.root, shared) { () throws(StorageError) in try steps.move(new, to: document, .exchanging) }
      }
    } catch {
      // The way below needs the exclusive lock, which the caller of a shared flush does not have.
      guard error.reason == .unsupported, error.call == .move, shared == nil else { throw error }
      // Without an exchange, possibly only of folders, two renames are needed, and no other process may take the number
      // in between. After a crash between them the document is in the work folder, under a name from which the next
      // cleanup restores it.
      return try rebuild(document, plan, staged, .exclusive, nil) { (new) throws(StorageError) in
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
    _ document: StoragePath, _ plan: KeepingChange, _ staged: [StorageName: StoragePath], _ kind: StorageLockKind,
    _ shared: SharedFlush?, _ swap: (_ new: StoragePath) throws(StorageError) -> Void
  ) throws(StorageError) -> FileVersion? {
    let new = WorkFolder.newName()
    func build() throws(StorageError) -> FileVersion? {
      let version: FileVersion?
      do throws(StorageError) {
        try steps.makeFolder(new, permissionsOf: document)
        let replaced = plan.changes.map(\.name) + plan.otherSpellings
        try steps.linkAll(document, to: new, except: Set(replaced + plan.outdated + plan.renamed.map(\.old)))
        for (old, name) in plan.renamed { try steps.link(document / old, to: new / name) }
        for (name, bytes) in plan.changes {
          if let bytes { try write(bytes, to: new / name, replacing: document / name, staged[name]) }
        }
        for former in plan.former {
          if former.kind == .absent {
            try steps.write(Data(), to: new / former.name)
          } else {
            try steps.link(document / former.file, to: new / former.name)
          }
        }
        // Also with a shared flush: after a kill, a power loss could otherwise keep the exchange without the new entries.
        try steps.flushFolder(new)
        version = try self.version(of: new / plan.changes[0].name)
        // Locked before the rename, so that no other process changes it before the rename is durable.
        try withLock(new) { () throws(StorageError) in try swap(new) }
      } catch {
        try? steps.removeAll(new)
        throw error
      }
      discard(new, shared)
      return version
    }
    return shared == nil ? try withWorkFolder(kind, build) : try build()
  }

  /// Removes a document or a file atomically, and then its content.
  /// - Returns: Whether it was there. Another process can have moved it away meanwhile.
  @discardableResult
  func remove(
    _ path: StoragePath, by work: StoragePath, in folder: StoragePath, _ shared: SharedFlush? = nil
  ) throws(StorageError) -> Bool {
    do throws(StorageError) {
      try steps.move(path, to: work, .exclusive)
    } catch {
      // Otherwise the work folder is missing.
      guard error.reason == .notFound, try steps.status(of: path) == nil else { throw error }
      return false
    }
    try flush(folder, shared) { () throws(StorageError) in try steps.move(work, to: path, .exclusive) }
    discard(work, shared)
    return true
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
