// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeyedArchives
import KeyedArchiving

/// The result of migrating one document's data file.
public struct MigrationResult: Sendable {
  /// The outcomes of a migration.
  public enum Outcome: Sendable {
    /// The file has the current layout already, and is untouched.
    case alreadyCurrent
    /// The file was rewritten, or would be without `dryRun`.
    case migrated
    /// The file could not be read or written, and is untouched.
    case failed(any Error)
  }

  /// The document's number.
  public var number: DocumentNumber
  /// The outcome.
  public var outcome: Outcome
  /// The name of the layout before; nil if the file could not be read.
  public var layout: String?
  /// The defects of the file that did not prevent reading it.
  public var warnings: [DocumentWarning]
}

extension DocumentLibrary {
  /// Rewrites the data files with an older layout or version, each atomically.
  ///
  /// Values stay equal bit for bit; unknown keys, attachments and modification dates stay as well. The new file is
  /// decoded and compared before it replaces the old one. An interrupted migration can be run again; a complete one
  /// changes nothing the second time.
  /// - Parameters:
  ///   - numbers: The documents; nil for all.
  ///   - dryRun: Whether to report the results without writing.
  ///   - keepOld: Receives the bytes of each file before it is replaced. If it throws, the file is not replaced.
  ///   - report: Receives each result, and returns whether to continue.
  /// - Throws: ``LibraryError`` if the library cannot be listed.
  public func migrate(
    _ numbers: [DocumentNumber]? = nil, dryRun: Bool = false,
    keepOld: (_ number: DocumentNumber, _ bytes: Data) throws -> Void = { _, _ in },
    report: (MigrationResult) -> Bool
  ) throws(LibraryError) {
    let contents = try contents()
    for number in numbers ?? contents.numbers {
      guard report(migrate(number, contents.otherNames[number], dryRun, keepOld)) else { return }
    }
  }

  private func migrate(
    _ number: DocumentNumber, _ otherName: StorageName?, _ dryRun: Bool,
    _ keepOld: (_ number: DocumentNumber, _ bytes: Data) throws -> Void
  ) -> MigrationResult {
    var result = MigrationResult(number: number, outcome: .alreadyCurrent, layout: nil, warnings: [])
    do {
      let folder = if let otherName { otherName } else { try folderName(of: number) }
      // Most files are current in a second run and need no lock.
      let found = try readData(folder)
      result.layout = found.stored.layout
      result.warnings = found.stored.warnings
      guard !found.stored.isCurrent else { return result }
      result.outcome = .migrated
      guard !dryRun else {
        _ = try migrated(found, folder)
        return result
      }
      try withLockedDocument(folder, else: .cannotWrite) {
        let old = try readData(folder)
        guard !old.stored.isCurrent else {
          // Another process migrated it.
          result.outcome = .alreadyCurrent
          return
        }
        let new = try migrated(old, folder)
        try keepOld(number, old.bytes)
        _ = try attempt(.cannotWrite) { () throws(StorageError) in
          try apply(
            [(StorageName(Model.dataFileName), new)], to: folder, modified: old.version.file.modified)
        }
      }
      notifyObservers(of: number)
    } catch {
      result.outcome = .failed(error)
    }
    return result
  }

  /// The rewritten file, after proof that it holds the same values.
  private func migrated(_ old: DataFile<Model>, _ folder: StorageName) throws -> Data {
    let path = dataFile(of: folder)
    let plain = try old.stored.model.archived(at: path)
    let new =
      if let rules = Model.migrationRules {
        try migrated(old.current, by: rules, at: path)
      } else {
        try UnknownKeys.carry(from: old.current, rewrittenAs: plain, to: plain, of: Model.self, limits: limits.reading)
      }
    try checkSizes([(StorageName(Model.dataFileName), new)], in: folder)
    let again = try Model.read(new, limits: limits.reading).stored
    guard again.isCurrent, try again.model.archived(at: path) == plain else {
      throw LibraryError(
        .unreadableArchive, path, "the migrated file would hold other values, so the old one was kept")
    }
    return new
  }

  private func migrated(_ data: Data, by rules: MigrationRules, at path: String) throws -> Data {
    do {
      return try KeyedArchive(data, limits: limits.reading).migrated(by: rules).archive.data()
    } catch {
      // The model's reason, without the words of the rule that it is in.
      guard var reason = error.underlying as? LibraryError else { throw error }
      reason.path = path
      throw reason
    }
  }
}
