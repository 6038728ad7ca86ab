// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import Dispatch
public import PropertyListFormat
package import SystemFiles

/// Migrates the archives in files and folders.
///
/// ```swift
/// let migration = FileMigration(by: rules, backup: .folder(URL(filePath: "old")))
/// let summary = try migration.run(on: ["Library"]) { result in
///   print(result.path, result.outcome)
///   return true
/// }
/// ```
///
/// Each file is replaced atomically, after `KeyedArchive.migrated(by:allowing:reading:)` has verified its new contents.
/// Its permissions and modification time do not change. If a run is killed, each file has either its old or its new
/// contents. The next run continues and removes temporary files. When all files are migrated, a run changes nothing.
///
/// Folders are traversed in the order of names. Memory holds the names in the current folder and its parents, and at
/// most 64 files. All cores process files, and results are reported in order. Symbolic links are not followed. Files
/// that are not archives are counted and not changed.
public struct FileMigration: Sendable {
  /// The location of backups.
  public enum Backup: Sendable, Hashable {
    /// No backups.
    case none
    /// Beside the files, with a suffix appended to their names. Files with this suffix are not migrated.
    case beside(suffix: String)
    /// In a folder, under the paths relative to the requested folder. The backup folder itself is not migrated.
    case folder(URL)
  }

  /// The rules.
  public var rules: MigrationRules
  /// The class names that migrated archives may contain; nil allows all.
  public var allowed: Set<String>?
  /// The location of backups.
  public var backup: Backup
  /// A Boolean value that indicates whether the migration reports changes without making them.
  public var isDryRun: Bool
  /// The limits on memory and time for each archive.
  public var limits: ReadLimits
  /// The accepted values of `$archiver`.
  public var archivers: AcceptedArchivers
  /// The paths to an archive inside of each file, from the outside in; none if the files are archives.
  package var inside: [GraphPath] = []

  /// Creates a migration.
  /// - Parameters:
  ///   - rules: The rules.
  ///   - allowed: The class names that migrated archives may contain; nil allows all.
  ///   - backup: The location of backups.
  ///   - isDryRun: Whether to report changes without making them.
  ///   - limits: The limits on memory and time for each archive.
  ///   - archivers: The accepted values of `$archiver`.
  public init(
    by rules: MigrationRules, allowing allowed: Set<String>? = nil, backup: Backup = .none, isDryRun: Bool = false,
    limits: ReadLimits = .default, archivers: AcceptedArchivers = .known
  ) {
    self.rules = rules
    self.allowed = allowed
    self.backup = backup
    self.isDryRun = isDryRun
    self.limits = limits
    self.archivers = archivers
  }

  /// The number of files that are processed before the traversal continues.
  private static let batchCount = 64

  /// Migrates files, and the files in folders.
  /// - Parameters:
  ///   - paths: The files and folders, in order.
  ///   - report: A closure that receives the result of each archive, in order. Return `false` to stop. Some of the next
  ///     files may already be migrated then.
  /// - Returns: The number of files by outcome.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.invalidRules`, or with code
  ///   `KeyedArchiveError.Code.fileAccess` if the backup folder cannot be created or the system has no open folders. Errors
  ///   of a file are part of its result.
  public func run(
    on paths: [String], report: (FileMigrationResult) -> Bool
  ) throws(KeyedArchiveError) -> FileMigrationSummary {
    try rules.validate()
    guard Capability.openFolders.isAvailable else { throw Self.lacking(.openFolders) }
    let store = try MigrationBackup(backup, isDryRun: isDryRun)
    var walk = MigrationWalk(paths, skipping: store.folderIdentity, suffix: store.suffix, isDryRun: isDryRun)
    var summary = FileMigrationSummary()
    var batch: [MigrationWalk.Item] = []
    var known: Set<FileStatus.Identity> = []
    var isWanted = true
    /// Processes the batch and reports its results.
    func finish() {
      defer {
        batch.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
      }
      for result in process(batch, store) where isWanted {
        guard let result else {
          summary.others += 1
          continue
        }
        summary.count(result)
        isWanted = report(result)
      }
    }
    while isWanted, let item = walk.next() {
      // Do not process a file twice at the same time.
      if let identity = item.identity, !known.insert(identity).inserted {
        finish()
        known.insert(identity)
      }
      batch.append(item)
      if batch.count >= Self.batchCount { finish() }
    }
    if isWanted { finish() }
    summary.others += walk.others
    summary.links = walk.links
    summary.leftovers = walk.leftovers
    return summary
  }

  /// Returns the error of a migration on a system that lacks what it needs.
  package static func lacking(_ capability: Capability) -> KeyedArchiveError {
    KeyedArchiveError(
      .fileAccess, capability.problem,
      remedy: "Migrate the data of each archive with KeyedArchive.migrated(by:), and write it")
  }

  /// Returns the results of a batch; nil for files that are not archives.
  private func process(_ batch: [MigrationWalk.Item], _ store: MigrationBackup) -> [FileMigrationResult?] {
    let results = Locked([FileMigrationResult?](repeating: nil, count: batch.count))
    let job = FileMigrationJob(migration: self, store: store)
    if batch.count == 1 {
      results.withLock { $0[0] = job.result(of: batch[0]) }
    } else {
      DispatchQueue.concurrentPerform(iterations: batch.count) { place in
        let result = job.result(of: batch[place])
        results.withLock { $0[place] = result }
      }
    }
    let all = results.withLock { $0 }
    // Flush each folder once for all of its replaced files.
    var flushed: Set<ObjectIdentifier> = []
    for (item, result) in zip(batch, all) {
      guard !isDryRun, case .migrated? = result?.outcome, case .file(let file) = item,
        flushed.insert(ObjectIdentifier(file.folder)).inserted
      else { continue }
      file.folder.flush()
    }
    return all
  }
}
