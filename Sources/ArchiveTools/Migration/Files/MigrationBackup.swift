// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// The backups of a migration. An existing file is never overwritten; one with the same bytes counts as the backup,
/// because an interrupted run may have created it.
struct MigrationBackup: Sendable {
  private let folder: OpenFolder?
  private let path: String
  /// The identity of the backup folder.
  let folderIdentity: FileStatus.Identity?
  /// The suffix of backups beside the files.
  let suffix: [UInt8]?

  init(_ backup: FileMigration.Backup, isDryRun: Bool) throws(KeyedArchiveError) {
    switch backup {
    case .none: (folder, path, folderIdentity, suffix) = (nil, "", nil, nil)
    case .beside(let suffix):
      guard FileName("x" + suffix).isPlain, !suffix.isEmpty else {
        throw KeyedArchiveError(
          .fileAccess, "invalid backup suffix '\(suffix)'; expected a non-empty text without '/'",
          remedy: "Use for example '.bak'")
      }
      (folder, path, folderIdentity, self.suffix) = (nil, "", nil, Array(suffix.utf8))
    case .folder(let url):
      suffix = nil
      path = url.path
      let writable = "Name a folder that the program may write, on a disk with free space"
      do {
        if !isDryRun { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
      } catch {
        throw KeyedArchiveError(.fileNotWritten, "could not create the folder \(url.path): \(error)", remedy: writable)
      }
      var opened: OpenFolder?
      var identity: FileStatus.Identity?
      do throws(SystemFailure) {
        opened = try OpenFolder(url.path)
        identity = try opened?.status().identity
      } catch {
        guard isDryRun, error.isNotFound else {
          throw KeyedArchiveError(.fileNotWritten, "\(url.path): \(error.text)", remedy: writable)
        }
      }
      (folder, folderIdentity) = (opened, identity)
    }
  }

  /// Creates a backup of a file that is about to be replaced, and returns its path.
  func keep(_ file: MigrationWalk.File, _ status: FileStatus, _ data: Data) throws(KeyedArchiveError) -> String? {
    do throws(SystemFailure) {
      if let suffix {
        let place = try keep(file, status, data, in: file.folder, FileName(bytes: file.name.bytes + suffix))
        return file.folderPath + place.text
      }
      guard var target = folder else { return nil }
      for name in file.names.dropLast() { target = try target.makeFolder(name) }
      let place = try keep(file, status, data, in: target, file.name)
      return ([path] + file.names.dropLast().map(\.text) + [place.text]).joined(separator: "/")
    } catch {
      throw KeyedArchiveError(
        .fileNotWritten, "creating the backup failed: \(error.text)", remedy: "Choose another location for backups")
    }
  }

  private func keep(
    _ file: MigrationWalk.File, _ status: FileStatus, _ data: Data, in target: OpenFolder, _ wanted: FileName
  ) throws(SystemFailure) -> FileName {
    var count = 1
    while true {
      let name = count == 1 ? wanted : FileName(bytes: wanted.bytes + Array(".\(count)".utf8))
      do throws(SystemFailure) {
        try file.folder.link(file.name, to: target, as: name)
        target.flush()
        return name
      } catch {
        if error.isNoLink, try !isThere(name, in: target) { return try copy(data, status, to: target, name) }
        guard error.isTaken || error.isNoLink else { throw error }
        if let kept = try target.read(name, limit: data.count + 1), kept.data == data { return name }
        count += 1
        guard count < 10_000 else { throw error }
      }
    }
  }

  private func isThere(_ name: FileName, in folder: OpenFolder) throws(SystemFailure) -> Bool {
    do {
      _ = try folder.status(of: name)
      return true
    } catch {
      guard error.isNotFound else { throw error }
      return false
    }
  }

  /// Copies a file that cannot be linked, for example to another disk.
  private func copy(
    _ data: Data, _ status: FileStatus, to folder: OpenFolder, _ name: FileName
  ) throws(SystemFailure) -> FileName {
    let temporary = FileMigrationJob.temporary(for: name)
    let failure = folder.replace(name, with: data, attributesOf: status, by: temporary) { () throws(Never) in }
    if let failure { throw failure }
    folder.flush()
    return name
  }
}
