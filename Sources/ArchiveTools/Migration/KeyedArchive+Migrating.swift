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
  /// Objects keep their UIDs, keys their order, numbers their bits, and all values that no rule selects stay unchanged.
  /// If a rule cannot be applied without loss, the method throws an error. It reads the result back from its bytes and
  /// verifies that:
  ///
  /// - The original and the result with all changes undone have no ``differences(from:ignoring:)``. Numbers of another
  ///   form and renamed keys have the same bits.
  /// - The result is valid according to `check(allowing:)`, and contains only allowed classes.
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
    // Write an edited archive first, because rules work on the rows of a file.
    let old = list.isEdited || editedRows != nil ? try KeyedArchive(propertyList, archivers: .any) : self
    let findings = old.check(allowing: allowed).filter { $0.severity == .error }
    // Rules may mend these two.
    if let error = findings.first(where: { !["misspelledRoot", "classNotAllowed"].contains($0.code) }) {
      throw error.asError
    }
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

  private func checkResult(allowing allowed: Set<String>?) throws(KeyedArchiveError) {
    let errors = check(allowing: allowed).filter { $0.severity == .error }
    guard let worst = errors.first(where: { $0.code != "classNotAllowed" }) ?? errors.first else { return }
    throw worst.asError
  }
}

extension KeyedArchive.Issue {
  /// The error that fails a migration because of the issue.
  fileprivate var asError: KeyedArchiveError {
    switch code {
    case "limitReached":
      KeyedArchiveError(
        .limitReached, detail, uid: uid, byteOffset: byteOffset,
        remedy: "If you trust the archive, raise ReadLimits.maximumExpansion")
    case "classNotAllowed":
      KeyedArchiveError(
        .classNotAllowed, detail, uid: uid, byteOffset: byteOffset,
        remedy: "Add the class to the allowed names, or rename it with a rule")
    default: KeyedArchiveError(.damagedArchive, detail, uid: uid, byteOffset: byteOffset)
    }
  }
}
