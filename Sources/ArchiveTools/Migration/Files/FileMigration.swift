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
import Synchronization
import SystemFiles

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
/// Each file is replaced in one step, after the new one was proved to hold what the old one does, as
/// `KeyedArchive.migrated(by:allowing:reading:)` says; its permissions and time of change stay. A run that was killed leaves
/// each file in its old form or in its new one, and the next run goes on from there and removes what was left over; when
/// all is migrated, a run changes nothing.
///
/// Folders are walked in the order of names; in memory are the names in the folders on the way and some 64 files, however
/// many there are. Files are worked on by all cores and reported in their order. Symbolic links are not followed; files
/// that are no archives are counted and left alone.
public struct FileMigration: Sendable {
  /// Where old files are kept.
  public enum Backup: Sendable, Hashable {
    /// Nowhere.
    case none
    /// Beside the new ones, with a suffix to their names. Files with this suffix are not migrated.
    case beside(suffix: String)
    /// In a folder, by the way that leads to them from the one that was asked for. It is not migrated if it is in there.
    case folder(URL)
  }

  /// The rules.
  public var rules: MigrationRules
  /// The class names that may be in migrated archives; any if nil.
  public var allowed: Set<String>?
  /// Where old files are kept.
  public var backup: Backup
  /// Whether to look only.
  public var isDryRun: Bool
  /// How much may be spent on an archive.
  public var limits: ReadLimits
  /// Which `$archiver` names are accepted.
  public var archivers: AcceptedArchivers

  /// Makes a migration.
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

  /// So many files are worked on before the next ones are looked for.
  private static let batchCount = 64

  /// Migrates files and the files in folders.
  /// - Parameters:
  ///   - paths: the files and folders, in this order.
  ///   - report: is called with the result of each archive, in order; return false to stop. Some files
  ///     behind the one that was reported last may have been migrated by then.
  /// - Returns: how many files came out how.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.invalidRules`, or with code
  ///   `KeyedArchiveError.Code.fileAccess` if the folder for backups cannot be made. What is wrong with a file is its result.
  public func run(
    on paths: [String], report: (FileMigrationResult) -> Bool
  ) throws(KeyedArchiveError) -> FileMigrationSummary {
    try rules.validate()
    let store = try MigrationBackup(backup, isDryRun: isDryRun)
    var walk = MigrationWalk(paths, skipping: store.folderIdentity, suffix: store.suffix, isDryRun: isDryRun)
    var summary = FileMigrationSummary()
    var batch: [MigrationWalk.Item] = []
    var known: Set<FileStatus.Identity> = []
    var isWanted = true
    /// Works on the batch and reports it.
    func finish() {
      defer {
        batch.removeAll(keepingCapacity: true)
        known.removeAll(keepingCapacity: true)
      }
      for result in work(on: batch, store) where isWanted {
        guard let result else {
          summary.others += 1
          continue
        }
        summary.count(result)
        isWanted = report(result)
      }
    }
    while isWanted, let item = walk.next() {
      // A file that was named twice is not worked on twice at a time.
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

  /// The results of some files; nil for those that are no archives.
  private func work(on batch: [MigrationWalk.Item], _ store: MigrationBackup) -> [FileMigrationResult?] {
    let results = Mutex([FileMigrationResult?](repeating: nil, count: batch.count))
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
    // A folder goes to the disk once for all of its files that were replaced.
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
