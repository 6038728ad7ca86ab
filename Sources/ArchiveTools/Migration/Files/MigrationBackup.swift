// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import KeyedArchiving
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// The backups of a migration. An existing file is never overwritten. If the last backup of a file has the same bytes, no other
/// one is created, because an interrupted run may have created it.
struct MigrationBackup: Sendable {
  private let folder: OpenFolder?
  private let path: String
  /// The identity of the backup folder.
  let folderIdentity: FileStatus.Identity?
  /// The names on the absolute path of the backup folder, without symbolic links.
  let folderNames: [FileName]?
  /// The suffix of backups beside the files.
  let suffix: BackupSuffix?
  /// The index of the backup folder, as it was read last.
  private let index: SharedIndex

  private final class SharedIndex: Sendable {
    let value: Locked<BackupIndex?>

    init(_ index: BackupIndex?) { value = Locked(index) }
  }

  init(_ backup: FileMigration.Backup, isDryRun: Bool) throws(KeyedArchiveError) {
    try backup.validate()
    switch backup {
    case .none: (folder, path, folderIdentity, suffix) = (nil, "", nil, nil)
    case .beside(let suffix): (folder, path, folderIdentity, self.suffix) = (nil, "", nil, BackupSuffix(suffix))
    case .folder(let url):
      suffix = nil
      path = url.path
      do throws(SystemFailure) {
        let opened = isDryRun ? try OpenFolder(url.path) : try OpenFolder.making(url.absoluteURL)
        (folder, folderIdentity) = (opened, try opened.status().identity)
      } catch {
        guard isDryRun, error.isNotFound else {
          throw KeyedArchiveError(
            .fileNotWritten, "\(url.path): \(error.text)",
            remedy: "Name a folder that the program may write, on a disk with free space")
        }
        (folder, folderIdentity) = (nil, nil)
      }
    }
    folderNames =
      folder == nil ? nil : (try? Descriptor.realPath(FileName(path))).map { MigrationWalk.names(of: $0) }
    index = SharedIndex(try folder.flatMap { folder throws(KeyedArchiveError) in try BackupIndex(of: folder) })
  }

  /// Creates a backup of a file that is about to be replaced, and returns its path.
  func keep(_ file: MigrationWalk.File, _ status: FileStatus, _ data: Data) throws(KeyedArchiveError) -> String? {
    if let suffix { return try file.folderPath + keep(file, status, data, beside: suffix).text }
    guard let folder else { return nil }
    let place = try keep(file, status, data, below: folder)
    return ([path] + place.map(\.text)).joined(separator: "/")
  }

  /// Creates a backup beside the file, with a number if another file has the name.
  private func keep(
    _ file: MigrationWalk.File, _ status: FileStatus, _ data: Data, beside suffix: BackupSuffix
  ) throws(KeyedArchiveError) -> FileName {
    var number = 1
    var name = suffix.name(for: file.name, number: number)
    return try Self.keeping { () throws(SystemFailure) in
      while try !keep(file, status, data, in: file.folder, name) {
        number += 1
        name = suffix.name(for: file.name, number: number)
      }
      return name
    }
  }

  /// Creates a backup in the backup folder, in a later entry than the earlier backups of the file, and returns its place.
  private func keep(
    _ file: MigrationWalk.File, _ status: FileStatus, _ data: Data, below folder: OpenFolder
  ) throws(KeyedArchiveError) -> [FileName] {
    while true {
      let places = index.value.withLock { $0?.places(of: file.location) ?? [] }
      let kept: [FileName]? = try Self.keeping { () throws(SystemFailure) in
        var free: [FileName]?
        for place in places.reversed() {
          if let last = try folder.read(at: place, limit: data.count + 1) {
            if last.data == data { return place }
            break
          }
          free = place
        }
        guard let free, let name = free.last else { return nil }
        var target = folder
        for name in free.dropLast() { target = try target.makeFolder(name) }
        return try keep(file, status, data, in: target, name) ? free : nil
      }
      if let kept { return kept }
      try index.value.withLock { (index) throws(KeyedArchiveError) in
        // Another thread may have added an entry.
        guard index?.places(of: file.location) ?? [] == places else { return }
        index = try BackupIndex.adding(file.origin, to: index, in: folder)
      }
    }
  }

  /// Keeps a file under a name, and returns whether the name was free or has the same bytes.
  private func keep(
    _ file: MigrationWalk.File, _ status: FileStatus, _ data: Data, in target: OpenFolder, _ name: FileName
  ) throws(SystemFailure) -> Bool {
    // A program may write to the file under another of its names, which would change a link.
    if status.nameCount == 1 {
      do throws(SystemFailure) {
        try file.folder.link(file.name, to: target, as: name)
        try target.flush()
        return true
      } catch {
        guard error.isTaken || error.isNoLink else { throw error }
      }
    }
    guard try !target.has(name) else { return try target.read(name, limit: data.count + 1)?.data == data }
    let failure = target.replace(
      name, with: data, attributesOf: status, by: FileMigrationJob.temporary(for: name)
    ) { () throws(Never) in }
    if let failure { throw failure }
    try target.flush()
    return true
  }

  private static func keeping<Result>(
    _ body: () throws(SystemFailure) -> Result
  ) throws(KeyedArchiveError) -> Result {
    do { return try body() } catch {
      throw KeyedArchiveError(
        .fileNotWritten, "creating the backup failed: \(error.text)", remedy: "Choose another location for backups")
    }
  }
}

extension FileMigration.Backup {
  /// Throws if backups cannot have their suffix.
  package func validate() throws(KeyedArchiveError) {
    guard case .beside(let suffix) = self, suffix.isEmpty || !FileName("x" + suffix).isPlain else { return }
    throw KeyedArchiveError(
      .fileAccess, "invalid backup suffix '\(suffix)'; expected a non-empty text without '/'",
      remedy: "Use for example '.bak'")
  }
}
