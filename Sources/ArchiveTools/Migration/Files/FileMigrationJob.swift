// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import SystemFiles

/// The migration of one file.
struct FileMigrationJob: Sendable {
  let migration: FileMigration
  let store: MigrationBackup

  /// Returns the result of a file, or nil if it is not an archive and was not named by the caller.
  func result(of item: MigrationWalk.Item) -> FileMigrationResult? {
    switch item {
    case .problem(let path, let error): FileMigrationResult(path, .refused(error))
    case .file(let file): result(of: file)
    }
  }

  /// The number of attempts to migrate a file that other programs change at the same time.
  private static let attempts = 3

  private func result(of file: MigrationWalk.File) -> FileMigrationResult? {
    var result: FileMigrationResult?
    for _ in 0..<Self.attempts {
      var isChanged = false
      result = attempt(file, isChanged: &isChanged)
      guard isChanged else { break }
    }
    return result
  }

  /// Migrates a file. `isChanged` becomes true if another program changed the file meanwhile.
  private func attempt(_ file: MigrationWalk.File, isChanged: inout Bool) -> FileMigrationResult? {
    do throws(KeyedArchiveError) {
      guard let (data, status) = try read(file) else { return nil }
      guard status.byteCount <= migration.limits.maximumByteCount else {
        throw KeyedArchiveError(
          .limitReached, "file too large: \(status.byteCount) bytes; the limit is \(migration.limits.maximumByteCount)"
        ).advising(.raiseLimit, "If you trust the archive, raise ReadLimits.maximumByteCount")
      }
      guard data.count == status.byteCount else {
        isChanged = true
        throw KeyedArchiveError(
          .fileAccess, "another program changed the file during reading",
          remedy: "Run the migration again")
      }
      let nested: NestedData
      let archive: KeyedArchive
      do {
        nested = try NestedData(at: migration.inside, in: data, limits: migration.limits)
        guard file.isNamed || ArchiveBytes.mayBePropertyList(nested.data) else { return nil }
        archive = try inData { () throws(KeyedArchiveError) in
          try KeyedArchive(nested.data, limits: migration.limits, archivers: migration.archivers)
        }
      } catch  where !file.isNamed && (Self.meansOtherFile.contains(error.code) || isOtherList(data, error)) {
        return nil
      }
      let migrated = try inData { () throws(KeyedArchiveError) in
        try archive.migrated(by: migration.rules, allowing: migration.allowed)
      }
      guard migrated.isChanged else { return FileMigrationResult(file.path, .current) }
      if !file.isNamed, let original = original(of: file, status) {
        throw KeyedArchiveError(
          .notMigratable,
          "probably a backup of '\(original.text)', which has the same modification time and the beginning of the name",
          remedy: "To leave it out, pass the suffix of the backups; to migrate it, name the file itself")
      }
      let folderPath = file.folderPath.isEmpty ? "." : file.folderPath
      if migration.isDryRun, !FileManager.default.isWritableFile(atPath: folderPath) {
        throw KeyedArchiveError(
          .fileNotWritten, "no permission to write to the folder", remedy: "Check the permissions of the folder")
      }
      let list = migrated.archive.propertyList
      let new = try migrated.archive.data()
      var warnings = list.format == .xml ? try XMLProblems(of: new, from: list).descriptions : []
      if list.format == .xml, let note = archive.propertyList.noteOfLostLayout { warnings.append(note) }
      // A dry run makes the new contents, too, because that fails if the file cannot hold them.
      let contents = try nested.file(replacing: new)
      let backup = migration.isDryRun ? nil : try replace(file, status, data, by: contents, isChanged: &isChanged)
      return FileMigrationResult(
        file.path, .migrated, changes: migrated.changeCounts, backup: backup, warnings: warnings)
    } catch {
      return FileMigrationResult(file.path, .refused(error))
    }
  }

  /// The codes of errors about files that are not archives, or have none at the place.
  private static let meansOtherFile: Set<KeyedArchiveError.Code> = [.notAnArchive, .valueNotFound, .typeMismatch]

  /// Returns whether a file is a damaged property list without the keys of an archive.
  private func isOtherList(_ data: Data, _ error: KeyedArchiveError) -> Bool {
    migration.inside.isEmpty && error.code == .damagedPropertyList && !ArchiveBytes.mayBeArchive(data)
  }

  /// Returns the result of a call, whose error names the place of the archive in the file.
  private func inData<Result>(
    _ call: () throws(KeyedArchiveError) -> Result
  ) throws(KeyedArchiveError) -> Result {
    do { return try call() } catch { throw error.inData(at: migration.inside) }
  }

  /// The bytes of a file that may be an archive.
  private func read(_ file: MigrationWalk.File) throws(KeyedArchiveError) -> (data: Data, status: FileStatus)? {
    do {
      return try file.folder.read(
        file.name, limit: migration.limits.maximumByteCount, beginning: ArchiveBytes.beginning
      ) { start in
        // Property lists that are not archives are not reported.
        file.isNamed || ArchiveBytes.mayBeArchiveFile(start, orHoldOne: true)
      }
    } catch {
      // The file was removed after its folder was listed.
      if error.isNotFound, !file.isNamed { return nil }
      throw KeyedArchiveError(.fileAccess, error.text)
    }
  }

  /// Returns the file that a file is probably a backup of, from a run with a suffix.
  ///
  /// A migration keeps the modification time, so the original and its backup have the same. The suffix begins with a
  /// punctuation mark, as in `.bak`, `~` and ` (old)`. The original begins like an
  /// archive.
  private func original(of file: MigrationWalk.File, _ status: FileStatus) -> FileName? {
    for end in file.name.bytes.indices.dropFirst().reversed() {
      switch file.name.bytes[end] {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...:
        continue
      default: break
      }
      let name = FileName(bytes: Array(file.name.bytes[..<end]))
      if let other = try? file.folder.status(of: name), other.kind == .file, other.modified == status.modified,
        isCandidate(name, in: file.folder)
      {
        return name
      }
    }
    return nil
  }

  /// Returns whether a file may be an archive. Only its first bytes are read.
  private func isCandidate(_ name: FileName, in folder: OpenFolder) -> Bool {
    var isCandidate = false
    _ = try? folder.read(name, limit: migration.limits.maximumByteCount, beginning: ArchiveBytes.beginning) { start in
      isCandidate = ArchiveBytes.mayBeArchiveFile(start, orHoldOne: true)
      return false
    }
    return isCandidate
  }

  // MARK: Replacing

  /// Returns the error of a file that was replaced in a folder that could not be flushed.
  static func notDurable(_ failure: SystemFailure) -> KeyedArchiveError {
    KeyedArchiveError(
      .fileNotWritten, "the file was replaced, but \(failure.text); the old one can be back after a loss of power",
      remedy: "Check the disk, and run the command again")
  }

  private static let prefix = Array(".keyedarchive-migration-".utf8)

  /// Returns the name of the temporary file for a file's new contents. It is the same in each run, so that a run
  /// overwrites the temporary file of a killed one.
  static func temporary(for name: FileName) -> FileName {
    FileName(bytes: prefix + Array(HexText.digits(FNVHash.of(ContiguousArray(name.bytes).span), count: 16).utf8))
  }

  /// Returns whether a name is that of a temporary file.
  static func isTemporary(_ name: FileName) -> Bool {
    name.bytes.count == prefix.count + 16 && name.bytes.starts(with: prefix)
      && name.bytes.dropFirst(prefix.count).allSatisfy { byte in
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
      }
  }

  /// Replaces a file, and returns the path of its backup.
  private func replace(
    _ file: MigrationWalk.File, _ status: FileStatus, _ old: Data, by new: Data, isChanged: inout Bool
  ) throws(KeyedArchiveError) -> String? {
    var backup: String?
    let failure = try file.folder.replace(
      file.name, with: new, attributesOf: status, by: Self.temporary(for: file.name)
    ) { () throws(KeyedArchiveError) in
      let now: FileStatus
      do throws(SystemFailure) {
        now = try file.folder.status(of: file.name)
      } catch {
        throw KeyedArchiveError(.fileAccess, error.text)
      }
      guard now.isSame(as: status) else {
        isChanged = true
        throw KeyedArchiveError(
          .fileNotWritten, "another program changed the file during the migration", remedy: "Run the migration again")
      }
      backup = try store.keep(file, now, old)
    }
    if let failure {
      throw KeyedArchiveError(
        .fileNotWritten, failure.text, remedy: "Check the free space and the permissions of the folder")
    }
    return backup
  }
}
