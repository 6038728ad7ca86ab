// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// What became of a file in a migration.
public struct FileMigrationResult: Sendable {
  /// What became of it.
  public enum Outcome: Sendable {
    /// The rules find nothing to do; the file was not touched.
    case current
    /// The file was replaced, or would have been in a dry run.
    case migrated
    /// The file is as it was, for this reason.
    case refused(KeyedArchiveError)
  }

  /// The file, by the path that was asked for and the names below it; bytes that are no text are shown as the replacement
  /// character.
  public let path: String
  /// What became of it.
  public let outcome: Outcome
  /// How many changes of each kind were made.
  public let changes: [MigrationChange.Kind: Int]
  /// Where the old file is kept.
  public let backup: String?

  init(
    _ path: String, _ outcome: Outcome, changes: [MigrationChange.Kind: Int] = [:], backup: String? = nil
  ) {
    self.path = path
    self.outcome = outcome
    self.changes = changes
    self.backup = backup
  }
}

/// How many files of a migration came out how.
public struct FileMigrationSummary: Sendable, Hashable {
  /// The rules found nothing to do.
  public var current = 0
  /// Migrated, or to be migrated.
  public var migrated = 0
  /// As they were, for a reason that was reported.
  public var refused = 0
  /// No archives.
  public var others = 0
  /// Symbolic links, which are not followed.
  public var links = 0
  /// Files that a killed run left, and that were removed.
  public var leftovers = 0

  mutating func count(_ result: FileMigrationResult) {
    switch result.outcome {
    case .current: current += 1
    case .migrated: migrated += 1
    case .refused: refused += 1
    }
  }
}
