// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
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
/// Folders are traversed in the order of names. Memory holds the names in the current folder and its parents, the
/// content of one file for each thread, and a few results. Results are reported in order. Symbolic links are not followed.
/// Files that are not archives are counted and not changed.
public struct FileMigration: Sendable {
  /// The location of backups.
  public enum Backup: Sendable, Hashable {
    /// No backups.
    case none
    /// Beside the files, with a suffix appended to their names, as in `a.plist.bak`. If another file has the name, a number
    /// follows, as in `a.plist.bak.2`. Files with such names are not migrated.
    case beside(suffix: String)
    /// In a folder, under the name of the requested file or folder, with a number if another one has the name. The file
    /// `.keyedarchive-backups` lists what each entry is a backup of. Neither this nor another migration changes the folder.
    /// A requested file or folder in it is refused.
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
  /// The number of threads that process files. The default is the number of processors.
  public var threadCount = ProcessInfo.processInfo.activeProcessorCount
  /// The paths to an archive inside of each file, from the outside in; none if the files are archives.
  package var inside: [GraphPath] = []
  /// Returns whether to stop before the next file. Unlike a stop by the report, it leaves no migrated file without a report.
  package var isStopped: @Sendable () -> Bool = { false }

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

  /// Migrates files, and the files in folders.
  /// - Parameters:
  ///   - paths: The files and folders, in order.
  ///   - report: A closure that receives the result of each archive, in order. Return `false` to stop. Some of the next
  ///     files may already be migrated then.
  /// - Returns: The number of files by outcome.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.invalidRules`. The code is
  ///   `KeyedArchiveError.Code.fileNotWritten` if the backup folder cannot be created. It is
  ///   `KeyedArchiveError.Code.fileAccess` if its index is damaged or the system has no open folders. Errors of a file are
  ///   part of its result.
  public func run(
    on paths: [String], report: (FileMigrationResult) -> Bool
  ) throws(KeyedArchiveError) -> FileMigrationSummary {
    try rules.validate()
    guard Capability.openFolders.isAvailable else { throw Self.lacking(.openFolders) }
    let store = try MigrationBackup(backup, isDryRun: isDryRun)
    var walk = MigrationWalk(
      paths, skipping: store.folderIdentity, outside: store.folderNames, suffix: store.suffix, isDryRun: isDryRun)
    let job = FileMigrationJob(migration: self, store: store)
    let work = OrderedWork(threadCount: threadCount) { (item: MigrationWalk.Item) in
      (item: item, result: job.result(of: item))
    }
    var results = FlushedResults(isDryRun: isDryRun)
    while results.isWanted, !isStopped(), let item = walk.next() {
      // Do not process a file twice at the same time.
      if let identity = item.identity, !results.begun.insert(identity).inserted {
        work.finish { results.take($0.item, $0.result, report) }
        results.finish(report)
        results.begun.insert(identity)
      }
      work.add(item) { results.take($0.item, $0.result, report) }
    }
    work.finish { results.take($0.item, $0.result, report) }
    results.finish(report)
    var summary = results.summary
    summary.others += walk.others
    summary.links = walk.links
    summary.leftovers = walk.leftovers
    summary.orphans = walk.orphans
    return summary
  }

  /// Returns the error of a migration on a system that lacks what it needs.
  package static func lacking(_ capability: Capability) -> KeyedArchiveError {
    KeyedArchiveError(
      .fileAccess, capability.problem,
      remedy: "Migrate the data of each archive with KeyedArchive.migrated(by:), and write it")
  }
}

/// The results of a migration, which are reported when the folders of their files are on the disk.
private struct FlushedResults {
  private let isDryRun: Bool
  /// The files that may not have been reported.
  var begun: Set<FileStatus.Identity> = []
  private var waiting: [(item: MigrationWalk.Item, result: FileMigrationResult?)] = []
  private(set) var summary = FileMigrationSummary()
  private(set) var isWanted = true

  /// The number of results after which the folders are flushed.
  private static let maximumCount = 64

  init(isDryRun: Bool) { self.isDryRun = isDryRun }

  /// Takes the next result; nil for a file that is not an archive.
  mutating func take(
    _ item: MigrationWalk.Item, _ result: FileMigrationResult?, _ report: (FileMigrationResult) -> Bool
  ) {
    waiting.append((item, result))
    if waiting.count >= Self.maximumCount { finish(report) }
  }

  /// Flushes each folder once for all of its replaced files, and reports the results.
  mutating func finish(_ report: (FileMigrationResult) -> Bool) {
    var failures: [ObjectIdentifier: SystemFailure?] = [:]
    for index in waiting.indices {
      let (item, result) = waiting[index]
      if let identity = item.identity { begun.remove(identity) }
      guard !isDryRun, let result, case .migrated = result.outcome, case .file(let file) = item else { continue }
      let folder = ObjectIdentifier(file.folder)
      let failure = failures[folder] ?? file.folder.flushFailure
      failures[folder] = failure
      if let failure { waiting[index].result = result.refused(FileMigrationJob.notDurable(failure)) }
    }
    for (_, result) in waiting where isWanted {
      guard let result else {
        summary.others += 1
        continue
      }
      summary.count(result)
      isWanted = report(result)
    }
    waiting.removeAll(keepingCapacity: true)
  }
}
