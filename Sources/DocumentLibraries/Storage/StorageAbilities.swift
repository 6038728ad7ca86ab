// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import SystemFiles

/// The operations that a storage supports. FAT and exFAT have no hard links. Some network and FUSE file systems lack the
/// exclusive rename.
///
/// A library chooses the way of each change by the abilities of its storage. It reads them from
/// ``DocumentStorage/abilities``, or tries each operation once before its first change.
public struct StorageAbilities: OptionSet, Hashable, Sendable {
  /// The abilities as bits.
  public let rawValue: Int

  /// Creates a set of abilities.
  /// - Parameter rawValue: The abilities as bits.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Files can have several names. Otherwise a library copies unchanged files instead of linking them.
  public static let links = StorageAbilities(rawValue: 1)
  /// A rename can fail if the target exists. Otherwise a library checks the target first, and links files if possible.
  public static let exclusiveMoves = StorageAbilities(rawValue: 2)
  /// A rename can exchange two entries. Otherwise a library replaces an entry in two steps.
  public static let exchanges = StorageAbilities(rawValue: 4)
  /// Folders can be locked. Otherwise changes by several processes to one document are not serialized, and the library
  /// does not remove what a crash left behind.
  public static let locks = StorageAbilities(rawValue: 8)
  /// Changes can be flushed. Otherwise each change is atomic for other processes, but may not survive a power loss.
  public static let flushes = StorageAbilities(rawValue: 16)

  /// One call can flush all changes. Otherwise an update of several documents flushes each of them.
  public static let wholeFlushes = StorageAbilities(rawValue: 32)

  /// All abilities.
  public static let all: StorageAbilities = [.links, .exclusiveMoves, .exchanges, .locks, .flushes, .wholeFlushes]
}

extension DocumentStorage {
  /// The default implementation returns nil: the library tries the operations.
  public var abilities: StorageAbilities? { nil }
}

/// The abilities of a storage, once they are known.
final class KnownAbilities: Sendable {
  let value: Locked<StorageAbilities?>

  init(_ value: StorageAbilities?) { self.value = Locked(value) }
}

extension StorageSteps {
  /// The abilities; nil before they were tried.
  var knownAbilities: StorageAbilities? { known.value.withLock { $0 } }

  /// The abilities of the storage. Unless the storage declares them, the first call tries each operation in the work
  /// folder.
  func abilities() throws(StorageError) -> StorageAbilities {
    if let known = knownAbilities { return known }
    try makeFolderIfMissing(WorkFolder.path)
    let folder = WorkFolder.newName()
    let found: StorageAbilities
    do throws(StorageError) {
      try makeFolder(folder)
      found = try triedAbilities(in: folder)
    } catch {
      try? removeAll(folder)
      // A full disk must not keep documents from being deleted. The next change tries again.
      guard error.reason == .noSpace else { throw error }
      return .all
    }
    do throws(StorageError) {
      try removeAll(folder)
    } catch {
      // Once more, because a leftover remains until no other process is writing. A second failure does no harm.
      try? removeAll(folder)
    }
    known.value.withLock { $0 = found }
    return found
  }

  /// Tries each operation in an empty folder.
  private func triedAbilities(in folder: StoragePath) throws(StorageError) -> StorageAbilities {
    let (first, second) = (folder / "first", folder / "second")
    var abilities = StorageAbilities.all
    func attempt(
      _ ability: StorageAbilities, _ reasons: Set<StorageError.Reason> = [.unsupported],
      _ body: () throws(StorageError) -> Void
    ) throws(StorageError) {
      do {
        try step(body)
      } catch {
        guard reasons.contains(error.reason) else { throw error }
        abilities.remove(ability)
      }
    }
    for path in [first, second] {
      let file = try step { () throws(StorageError) in try storage.create(path) }
      defer { try? storage.close(file) }
      if path == first { try attempt(.flushes) { () throws(StorageError) in try storage.flush(file) } }
    }
    try attempt(.flushes) { () throws(StorageError) in try storage.flushFolder(folder) }
    try attempt(.wholeFlushes) { () throws(StorageError) in
      // Only the watch: a flush can take long while other programs write.
      let watch = try storage.beginFlushingAll()
      try? storage.close(watch)
    }
    try attempt(.exchanges) { () throws(StorageError) in try storage.move(first, to: second, .exchanging) }
    let third = folder / "third"
    try attempt(.exclusiveMoves) { () throws(StorageError) in try storage.move(second, to: third, .exclusive) }
    if abilities.contains(.exclusiveMoves) {
      do throws(StorageError) {
        // Some file systems accept the call and replace the target.
        try step { () throws(StorageError) in try storage.move(third, to: first, .exclusive) }
        abilities.remove(.exclusiveMoves)
      } catch {
        guard error.reason == .exists else { throw error }
      }
    }
    // Systems report either reason for a file system without links.
    try attempt(.links, [.unsupported, .noPermission]) { () throws(StorageError) in
      try storage.link(first, to: folder / "link")
    }
    try attempt(.locks) { () throws(StorageError) in
      if let lock = try storage.lock(folder, .exclusive) { try? storage.close(lock.file) }
    }
    return abilities
  }

  /// Renames a file or folder to a name that must be free.
  func moveExclusively(_ path: StoragePath, to target: StoragePath) throws(StorageError) {
    let abilities = try abilities()
    if abilities.contains(.exclusiveMoves) {
      do throws(StorageError) {
        return try step { () throws(StorageError) in try storage.move(path, to: target, .exclusive) }
      } catch {
        // On a full disk the abilities are unknown, and this one can be missing.
        guard error.reason == .unsupported, knownAbilities == nil else { throw error }
      }
    }
    guard try status(of: target) == nil else { throw StorageError(.exists, .move, target) }
    let isFile = try status(of: path)?.kind == .file
    guard !abilities.contains(.links) || !isFile else {
      try step { () throws(StorageError) in try storage.link(path, to: target) }
      do throws(StorageError) {
        return try removeFile(path)
      } catch {
        try? removeFile(target)
        throw error
      }
    }
    do {
      // Of entries that appear meanwhile, this replaces only a file or an empty folder. Processes that lock the
      // document's folder create its files one after the other, and a document's folder is never empty.
      try step { () throws(StorageError) in try storage.move(path, to: target, .replacing) }
    } catch {
      guard [.notEmpty, .notAFile, .notAFolder].contains(error.reason), (try status(of: target)) != nil else {
        throw error
      }
      throw StorageError(.exists, .move, target)
    }
  }
}
