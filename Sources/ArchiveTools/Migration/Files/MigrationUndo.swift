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
    var summary = FileMigrationSummary()
    var absent: [String] = []
    for path in paths {
      let lost = lost(below: path)
      if !lost.isEmpty { absent.append(path) }
      for result in lost {
        summary.count(result)
        guard report(result) else { return summary }
      }
    }
    var walk = MigrationWalk(paths, skipping: identity, suffix: nil, isDryRun: isDryRun)
    while !isStopped(), let item = walk.next() {
      let result: FileMigrationResult?
      switch item {
      // What was lost with the path is reported already.
      case .problem(let path, _) where absent.contains { $0.hasSameBytes(as: path) } && !Self.exists(path): continue
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
    if let failure = file.folder.flushFailure { throw FileMigrationJob.notDurable(failure) }
    return .migrated
  }

  // MARK: Lost files

  private static func exists(_ path: String) -> Bool { (try? Descriptor.realPath(FileName(path))) != nil }

  /// Returns a refusal for each backup of a file that no longer exists at a path or below it.
  ///
  /// A user can have deleted or moved the file after the migration, so it is not created again.
  private func lost(below path: String) -> [FileMigrationResult] {
    guard !path.isEmpty, !path.contains("\0"), let wanted = Self.location(of: path) else { return [] }
    var results: [FileMigrationResult] = []
    var reported: Set<[FileName]> = []
    for entry in index.entries {
      let origin = entry.origin
      guard origin.starts(with: wanted) || wanted.starts(with: origin) else { continue }
      var places = [[entry.name] + wanted.dropFirst(origin.count)]
      while let place = places.popLast() {
        guard let name = place.last, let status = try? folder(of: place)?.status(of: name) else { continue }
        switch status.kind {
        case .folder:
          let names = (try? folder(of: place + [name])?.names()) ?? []
          places += names.sorted(by: >).filter { !FileMigrationJob.isTemporary($0) }.map { place + [$0] }
        case .file:
          let location = origin + place.dropFirst()
          guard reported.insert(location).inserted, Self.isLost(location) else { continue }
          let shown = [path] + location.dropFirst(wanted.count).map(\.text)
          results.append(
            FileMigrationResult(
              shown.joined(separator: "/"),
              .refused(
                KeyedArchiveError(
                  .fileAccess, "the file was deleted or moved after the migration",
                  remedy:
                    "To have it again, copy its backup '\(place.map(\.text).joined(separator: "/"))' in the folder of "
                    + "the backups"))))
        case .link, .other: break
        }
      }
    }
    return results
  }

  /// Opens the folder of an entry in the backup folder; nil if it does not exist.
  private func folder(of place: [FileName]) throws(SystemFailure) -> OpenFolder? {
    var folder = backup
    for name in place.dropLast() {
      guard try folder.has(name) else { return nil }
      folder = try folder.folder(name)
    }
    return folder
  }

  private static func isLost(_ location: [FileName]) -> Bool {
    let path = FileName(bytes: Array(location.map { [UInt8(ascii: "/")] + $0.bytes }.joined()))
    do throws(SystemError) {
      _ = try Descriptor.working.status(of: path)
      return false
    } catch {
      return error.reason == .notFound
    }
  }

  /// Returns the names on the absolute path of a file, which may have been deleted with its folders.
  private static func location(of path: String) -> [FileName]? {
    var rest: [FileName] = []
    var known = URL(filePath: path).path
    while true {
      if let real = try? Descriptor.realPath(FileName(known)) { return MigrationWalk.names(of: real) + rest }
      let url = URL(filePath: known)
      let name = FileName(url.lastPathComponent)
      guard name.isPlain, url.pathComponents.count > 1 else { return nil }
      rest.insert(name, at: 0)
      known = url.deletingLastPathComponent().path
    }
  }

  /// Returns nil for a file in a folder. A file that was named must have a backup.
  private func missing(_ file: MigrationWalk.File) throws(KeyedArchiveError) -> FileMigrationResult.Outcome? {
    guard file.isNamed else { return nil }
    throw KeyedArchiveError(
      .fileAccess, "the folder has no backup of the file",
      remedy: "If the file was moved after the migration, copy its backup")
  }
}
