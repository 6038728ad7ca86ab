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
/// A file is replaced atomically, unless a program changed it after the migration. The backups remain. If several
/// migrations have used the folder, a file becomes as it was before the first.
package struct MigrationUndo {
  private let backup: OpenFolder
  private let identity: FileStatus.Identity
  private let isDryRun: Bool

  /// Opens the folder of the backups.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.fileAccess` if the folder cannot be opened.
  package init(from backup: URL, isDryRun: Bool) throws(KeyedArchiveError) {
    self.isDryRun = isDryRun
    do throws(SystemFailure) {
      self.backup = try OpenFolder(backup.path)
      identity = try self.backup.status().identity
    } catch {
      throw KeyedArchiveError(
        .fileAccess, "\(backup.path): \(error.text)", remedy: "Pass the folder that '--backup' created")
    }
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
    while let item = walk.next() {
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
    let old: (data: Data, status: FileStatus)
    let new: (data: Data, status: FileStatus)
    do throws(SystemFailure) {
      var folder = backup
      for name in file.names.dropLast() { folder = try folder.folder(name) }
      guard let kept = try folder.read(file.name) else { return nil }
      old = kept
      guard let now = try file.folder.read(file.name) else { return nil }
      new = now
    } catch {
      if error.isNotFound { return try missing(file) }
      throw KeyedArchiveError(.fileAccess, error.text)
    }
    guard old.data != new.data else { return .current }
    // A migration gives the new file the modification time of the old one.
    guard old.status.modified == new.status.modified else {
      throw KeyedArchiveError(
        .fileNotWritten, "another program changed the file after the migration",
        remedy: "To lose these changes, copy the backup")
    }
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
      .fileAccess, "the folder has no backup of the file", remedy: "Pass the same paths as to the migration")
  }
}
