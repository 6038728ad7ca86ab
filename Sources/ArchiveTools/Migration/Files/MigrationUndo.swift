// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeyedArchiving
import PropertyListFormat
import SystemFiles

/// Puts the files of a migration back as they were, from the folder of its backups.
///
/// A backup is found by the absolute path of its file. A file is replaced atomically, unless a program changed it after the
/// migration. The backups remain. If several migrations have used the folder, a file becomes as it was before the first of
/// those between which no program changed it.
package struct MigrationUndo {
  private let backup: OpenFolder
  private let index: BackupIndex
  private let identity: FileStatus.Identity
  private let isDryRun: Bool
  /// Returns whether to stop before the next file.
  package var isStopped: () -> Bool = { false }

  /// Opens the folder of the backups.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.fileAccess` if the folder cannot be opened.
  package init(from backup: URL, isDryRun: Bool) throws(KeyedArchiveError) {
    self.isDryRun = isDryRun
    let remedy = "Pass the folder that '--backup' created"
    do throws(SystemFailure) {
      self.backup = try OpenFolder(backup.path)
      identity = try self.backup.status().identity
    } catch {
      throw KeyedArchiveError(.fileAccess, "\(backup.path): \(error.text)", remedy: remedy)
    }
    guard let index = try BackupIndex(of: self.backup) else {
      throw KeyedArchiveError(
        .fileAccess,
        "\(backup.path): the folder has no backups of a migration (no file '\(BackupIndex.fileName.text)')",
        remedy: remedy)
    }
    self.index = index
  }

  /// Restores files, and the files in folders. The paths must be those of the migration.
  /// - Parameters:
  ///   - paths: The files and folders, in order.
  ///   - report: Receives the result of each file that has a backup; ``FileMigrationResult/Outcome/migrated`` is that of a
  ///     restored one. Returns `false` to stop.
  /// - Returns: The number of files by outcome; the others have no backup.
  package func run(on paths: [String], report: (FileMigrationResult) -> Bool) -> FileMigrationSummary {
    var walk = MigrationWalk(paths, skipping: identity, suffix: nil, isDryRun: isDryRun)
    var summary = FileMigrationSummary()
    while !isStopped(), let item = walk.next() {
      let result: FileMigrationResult?
      switch item {
      case .problem(let path, let error): result = FileMigrationResult(path, .refused(error))
      case .file(let file):
        do throws(KeyedArchiveError) {
          result = try restore(file).map { FileMigrationResult(file.path, $0) }
        } catch {
          result = FileMigrationResult(file.path, .refused(error))
        }
      }
      guard let result else {
        summary.others += 1
        continue
      }
      summary.count(result)
      guard report(result) else { break }
    }
    summary.others += walk.others
    summary.links = walk.links
    summary.leftovers = walk.leftovers
    return summary
  }

  /// Restores a file; returns nil if it has no backup.
  private func restore(_ file: MigrationWalk.File) throws(KeyedArchiveError) -> FileMigrationResult.Outcome? {
    var backups: [(data: Data, status: FileStatus)] = []
    let new: (data: Data, status: FileStatus)
    do {
      for place in index.places(of: file.location) {
        if let kept = try backup.read(at: place) { backups.append(kept) }
      }
      guard let first = backups.first else { return try missing(file) }
      guard let now = try file.folder.read(file.name) else { return nil }
      new = now
      guard first.data != new.data else { return .current }
    } catch let error as SystemFailure {
      throw KeyedArchiveError(.fileAccess, error.text)
    } catch {
      throw KeyedArchiveError(wrapping: error)
    }
    // A migration gives the new file the modification time of the old one.
    guard let old = backups.first(where: { $0.status.modified == new.status.modified }) else {
      throw KeyedArchiveError(
        .fileNotWritten, "another program changed the file after the migration",
        remedy: "To lose these changes, copy the backup")
    }
    guard old.data != new.data else { return .current }
    guard !isDryRun else { return .migrated }
    let failure = try file.folder.replace(
      file.name, with: old.data, attributesOf: old.status, by: FileMigrationJob.temporary(for: file.name)
    ) { () throws(KeyedArchiveError) in
      guard let now = try? file.folder.status(of: file.name), now.isSame(as: new.status) else {
        throw KeyedArchiveError(
          .fileNotWritten, "another program changed the file", remedy: "Run the command again")
      }
    }
    if let failure {
      throw KeyedArchiveError(
        .fileNotWritten, failure.text, remedy: "Check the free space and the permissions of the folder")
    }
    file.folder.flush()
    return .migrated
  }

  /// Returns nil for a file in a folder. A file that was named must have a backup.
  private func missing(_ file: MigrationWalk.File) throws(KeyedArchiveError) -> FileMigrationResult.Outcome? {
    guard file.isNamed else { return nil }
    throw KeyedArchiveError(
      .fileAccess, "the folder has no backup of the file",
      remedy: "If the file was moved after the migration, copy its backup")
  }
}
