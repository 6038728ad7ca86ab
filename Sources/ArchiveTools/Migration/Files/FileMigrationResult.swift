// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// The result of migrating a file.
public struct FileMigrationResult: Sendable {
  /// The outcome for a file.
  public enum Outcome: Sendable {
    /// The rules change nothing; the file was not written.
    case current
    /// The file was replaced, or would be without the dry run.
    case migrated
    /// The file was not changed because of an error. If the disk fails after the file was replaced, the detail of the error
    /// says that.
    case refused(KeyedArchiveError)
  }

  /// The path of the file, beginning with the requested path. Invalid UTF-8 is replaced by the replacement character.
  public let path: String
  /// The outcome.
  public let outcome: Outcome
  /// The number of changes of each kind.
  public let changes: [MigrationChange.Kind: Int]
  /// The path of the backup.
  public let backup: String?

  /// The warnings about a file in XML; see ``XMLProblems``.
  package let warnings: [String]

  init(
    _ path: String, _ outcome: Outcome, changes: [MigrationChange.Kind: Int] = [:], backup: String? = nil,
    warnings: [String] = []
  ) {
    self.path = path
    self.outcome = outcome
    self.changes = changes
    self.backup = backup
    self.warnings = warnings
  }

  /// Returns the result with an error that occurred after the migration.
  func refused(_ error: KeyedArchiveError) -> Self {
    Self(path, .refused(error), changes: changes, backup: backup, warnings: warnings)
  }

  /// Creates the result of a file whose migrated archive is written elsewhere.
  package init(of path: String, _ migrated: MigratedArchive) {
    self.init(path, migrated.isChanged ? .migrated : .current, changes: migrated.changeCounts)
  }
}

/// The number of files of a migration by outcome.
public struct FileMigrationSummary: Sendable, Hashable {
  /// The archives that the rules do not change.
  public var current = 0
  /// The migrated archives, or those that would be migrated without the dry run.
  public var migrated = 0
  /// The archives with errors, which were reported.
  public var refused = 0
  /// The files that are not archives.
  public var others = 0
  /// The symbolic links, which are not followed.
  public var links = 0
  /// The removed temporary files of interrupted runs.
  public var leftovers = 0
  /// The files that were left out because their names end with the suffix of backups, although no file has the name without
  /// the suffix. They also count as ``others``.
  public var orphans = 0

  mutating func count(_ result: FileMigrationResult) {
    switch result.outcome {
    case .current: current += 1
    case .migrated: migrated += 1
    case .refused: refused += 1
    }
  }
}
