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

/// An archive as rules made it of another one, proved to hold everything else as it was.
public struct MigratedArchive: Sendable {
  /// The archive; the old one, byte for byte, if nothing changed.
  public let archive: KeyedArchive
  /// What was changed, in the order of the objects.
  public let changes: [MigrationChange]

  /// Whether anything was changed.
  public var isChanged: Bool { !changes.isEmpty }
}

extension KeyedArchive {
  /// The archive as rules make it, without any of its classes.
  ///
  /// Objects keep their numbers, keys their order, numbers their bits, and what no rule names stays as it is, be it
  /// understood or not; an archive that a rule cannot be applied to without loss is refused. Before the result is handed
  /// out it was read back and proved:
  ///
  /// - With each change undone there is no difference from the old archive, as ``differences(from:ignoring:)`` tells;
  ///   numbers that changed their place, and keys that changed their name, have the same bits.
  /// - It is sound, as `check(allowing:)` tells, and has no other classes than the allowed ones.
  /// - The rules change nothing in it, so that a migration can be run again.
  ///
  /// Time and memory grow with the archive's size.
  /// - Parameters:
  ///   - rules: the rules.
  ///   - allowed: the class names that may be in the result; any if nil.
  ///   - read: reads the result as the program will that it is for, if given; the migration fails with what it throws.
  /// - Returns: the archive with what was changed in it; the old one, byte for byte, if nothing was.
  /// - Throws: `KeyedArchiveError`, with code `KeyedArchiveError.Code.notMigratable`,
  ///   `KeyedArchiveError.Code.notProved` or `KeyedArchiveError.Code.invalidRules`, among others.
  public func migrated(
    by rules: MigrationRules, allowing allowed: Set<String>? = nil,
    reading read: ((KeyedArchive) throws -> Void)? = nil
  ) throws(KeyedArchiveError) -> MigratedArchive {
    try rules.validate()
    // An archive that was edited becomes a file first, so that numbers and rows are those of one.
    let old = list.isEdited || editedRows != nil ? try KeyedArchive(propertyList, archivers: .any) : self
    let findings = old.check(allowing: allowed).filter { $0.severity == .error }
    // These two are what rules may be for.
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
  /// The finding as what stops a migration.
  fileprivate var asError: KeyedArchiveError {
    switch code {
    case "limitReached":
      KeyedArchiveError(
        .limitReached, detail, uid: uid, byteOffset: byteOffset,
        remedy: "Raise ReadLimits.maximumExpansion if the archive is to be trusted")
    case "classNotAllowed":
      KeyedArchiveError(
        .classNotAllowed, detail, uid: uid, byteOffset: byteOffset,
        remedy: "Add it to the list, or rename it with a rule")
    default: KeyedArchiveError(.damagedArchive, detail, uid: uid, byteOffset: byteOffset)
    }
  }
}
