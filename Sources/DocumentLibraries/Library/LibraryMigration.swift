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

/// What became of one document's data file in a migration.
public struct MigrationResult: Sendable {
  /// What became of it.
  public enum Outcome: Sendable {
    /// The file is as it would be written now; it was not touched.
    case alreadyCurrent
    /// The file was written anew, or would have been in a dry run.
    case migrated
    /// The file could not be read or written; it is as it was.
    case failed(any Error)
  }

  /// The document.
  public var number: DocumentNumber
  /// What became of it.
  public var outcome: Outcome
  /// What the layout was called before; nil if the file could not be read.
  public var layout: String?
  /// What is not as it should be in the file.
  public var warnings: [DocumentWarning]
}

extension DocumentLibrary {
  /// Writes the data files that are in an older layout anew, one document after the other, each in one step.
  ///
  /// Values are the same to the bit, what the model does not know is kept, attachments are not touched and dates stay. A
  /// file is only replaced after the new one was decoded and found equal. It can be stopped at any point, by a crash too,
  /// and run again; once all is migrated it changes nothing.
  /// - Parameters:
  ///   - numbers: the documents; all of the library unless given.
  ///   - dryRun: whether to look only.
  ///   - keepOld: is called with the bytes of each file before it is replaced; if it throws, the file is not.
  ///   - report: is called with each result; return false to stop.
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
      // Most are current in a second run; those need no lock.
      let stored = try readData(folder).0
      result.layout = stored.layout
      result.warnings = stored.warnings
      guard !stored.isCurrent else { return result }
      result.outcome = .migrated
      guard !dryRun else { return result }
      try holdingDocument(folder, else: .cannotWrite) {
        let (stored, version, bytes) = try readData(folder)
        guard !stored.isCurrent else {
          // Somebody else was faster.
          result.outcome = .alreadyCurrent
          return
        }
        let new = try migrated(stored, bytes, folder)
        try keepOld(number, bytes)
        do throws(StorageError) {
          let file = StoragePath.root / folder / StorageName(Model.dataFileName)
          try change(file, to: new, modified: version.modified)
        } catch {
          throw LibraryError(error, .cannotWrite, in: storage)
        }
      }
      note(number)
    } catch {
      result.outcome = .failed(error)
    }
    return result
  }

  /// The file as it would be written now, proved to hold the same.
  private func migrated(_ stored: StoredModel<Model>, _ bytes: Data, _ folder: StorageName) throws -> Data {
    let plain = try KeyedArchiver.archivedData(withRootObject: stored.model, requiringSecureCoding: true)
    let new =
      if let rules = Model.migrationRules {
        try KeyedArchive(bytes, limits: limits.reading).migrated(by: rules).archive.data()
      } else {
        try UnknownKeys.carry(from: bytes, rewrittenAs: plain, to: plain, of: Model.self, limits: limits.reading)
      }
    let again = try Model.stored(in: new, limits: limits.reading)
    guard again.isCurrent,
      try KeyedArchiver.archivedData(withRootObject: again.model, requiringSecureCoding: true) == plain
    else {
      throw LibraryError(
        .unreadableArchive, dataFile(of: folder), "the migrated file would hold other values; it was left as it is")
    }
    return new
  }
}
