// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchives
public import KeyedArchiving
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// The verified result of a migration.
public struct MigratedArchive: Sendable {
  /// The migrated archive; the unchanged original if no rule changed it.
  public let archive: KeyedArchive
  /// The changes, in the order of the objects.
  public let changes: [MigrationChange]

  /// A Boolean value that indicates whether the migration changed the archive.
  public var isChanged: Bool { !changes.isEmpty }

  /// The number of changes of each kind.
  package var changeCounts: [MigrationChange.Kind: Int] {
    changes.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 }
  }
}

extension KeyedArchive {
  /// Returns the archive migrated by rules. The classes of its objects are not needed.
  ///
  /// Objects keep their UIDs, numbers their bits, and all values that no rule selects stay unchanged. In binary files, keys
  /// keep their order. An edited archive is written first, which fails if it is XML and cannot hold a value exactly.
  ///
  /// If a rule cannot be applied without loss, the method throws an error. It reads the result back from its bytes and
  /// verifies that:
  ///
  /// - The original and the result with all changes undone have no ``differences(from:ignoring:)``. Numbers of another
  ///   form and renamed keys have the same bits.
  /// - The result is valid according to `check(allowing:)`, and contains only allowed classes. A top-level key like `root`
  ///   is accepted.
  /// - The rules change nothing in the result, so the migration can be repeated.
  ///
  /// Time and memory are proportional to the size of the archive.
  /// - Parameters:
  ///   - rules: The rules.
  ///   - allowed: The class names that the result may contain; nil allows all.
  ///   - read: A closure that reads the result as its program does. An error that it throws fails the migration.
  /// - Returns: The migrated archive with its changes; the unchanged original if no rule changed it.
  /// - Throws: `KeyedArchiveError`, for example with code `KeyedArchiveError.Code.notMigratable`,
  ///   `KeyedArchiveError.Code.notProved` or `KeyedArchiveError.Code.invalidRules`.
  public func migrated(
    by rules: MigrationRules, allowing allowed: Set<String>? = nil,
    reading read: ((KeyedArchive) throws -> Void)? = nil
  ) throws(KeyedArchiveError) -> MigratedArchive {
    try rules.validate()
    let old = try asFile()
    let findings = old.migrationErrors(allowing: allowed)
    // Rules may rename a class.
    if let error = findings.first(where: { $0.code != "classNotAllowed" }) { throw error.asError }
    var migration = try GraphMigration(of: old, by: rules)
    let result = try migration.run()
    if !result.isChanged {
      if let error = findings.first { throw error.asError }
    } else {
      try result.archive.checkResult(allowing: allowed)
      var proof = MigrationProof(from: old, to: result, by: rules, discarded: migration.discarded)
      try proof.verify()
    }
    do {
      try read?(result.archive)
    } catch {
      throw KeyedArchiveError(wrapping: error)
    }
    return result
  }

  /// Returns the archive with all of its rows in a file, because rules work on these. An edited archive is written.
  func asFile() throws(KeyedArchiveError) -> KeyedArchive {
    guard list.isEdited || editedRows != nil else { return self }
    let list = propertyList
    // A proof compares with the written archive, so it does not see what writing changes.
    if list.format == .xml, let loss = try XMLLoss(in: list, countsWidths: true) { throw loss.error }
    return try KeyedArchive(list, archivers: .any)
  }

  /// The errors of a check that fail a migration. Programs may use any top-level key, therefore a migration accepts a key
  /// that is like `root`.
  private func migrationErrors(allowing allowed: Set<String>?) -> [Issue] {
    check(allowing: allowed).filter { $0.severity == .error && $0.code != "misspelledRoot" }
  }

  private func checkResult(allowing allowed: Set<String>?) throws(KeyedArchiveError) {
    let errors = migrationErrors(allowing: allowed)
    guard let worst = errors.first(where: { $0.code != "classNotAllowed" }) ?? errors.first else { return }
    throw worst.asError
  }
}
