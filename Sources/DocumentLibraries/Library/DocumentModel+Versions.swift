// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension DocumentModel {
  /// Archives the values as a data file of the model's version.
  /// - Parameter path: The path to report in errors.
  /// - Returns: The archive.
  /// - Throws: ``LibraryError`` if the values cannot be archived.
  func archived(at path: String) throws -> Data {
    let data: Data
    do {
      let archiver = KeyedArchiver(requiringSecureCoding: true)
      archiver.encode(self, forKey: KeyedArchiver.rootKey)
      if Self.version > 1 { archiver.encode(Self.version, forKey: DocumentVersion.key) }
      data = try archiver.encodedData
    } catch let error as KeyedArchiveError {
      throw LibraryError(archiving: error, at: path)
    }
    // A hand-written `encode(to:)` may encode a single value, such as a string, which cannot be decoded as the model.
    if self is any Encodable, let archive = try? KeyedArchive(data), let root = archive.root.uid,
      case .primitive? = try? archive.object(root)
    {
      throw LibraryError(
        .invalidValue, path, "\(Self.self) is encoded as a single value; expected keys with values",
        remedy: "Use a struct with a property for the value")
    }
    return data
  }

  /// Reads a data file of this or of an older version.
  /// - Returns: The values, and the file as an archive of this version. Its unknown keys stay in the next one.
  static func read(_ data: Data, limits: ReadLimits) throws -> (stored: StoredModel<Self>, current: Data) {
    // If this is not an archive, the model's own method throws the better error, or can read it nevertheless.
    guard let archive = try? KeyedArchive(data, limits: limits, archivers: .any) else {
      return (try stored(in: data, limits: limits), data)
    }
    let found = try DocumentVersion.number(of: archive)
    guard found != version else { return (try stored(in: data, limits: limits), data) }
    try checkNotNewer(found)
    let current = try migrated(archive, from: found, limits: limits)
    var stored = try stored(in: current, limits: limits)
    stored.layout = stored.isCurrent ? "version \(found)" : "\(stored.layout), version \(found)"
    stored.isCurrent = false
    return (stored, current)
  }

  /// Throws an error if a newer version of the program wrote a data file. Nothing of the model is decoded.
  static func checkNotNewer(_ data: Data, limits: ReadLimits) throws(LibraryError) {
    // A damaged file tells no version.
    guard let archive = try? KeyedArchive(data, limits: limits, archivers: .any),
      let found = try? DocumentVersion.number(of: archive)
    else { return }
    try checkNotNewer(found)
  }

  private static func checkNotNewer(_ found: Int) throws(LibraryError) {
    guard found > version else { return }
    throw LibraryError(
      .newerVersion, "",
      "the document has version \(found) (key 'documentVersion'); this program knows versions up to \(version)",
      remedy: "Open it with a newer version of the program; this one does not change it")
  }

  /// Performs the steps from an older version to this one.
  private static func migrated(_ archive: KeyedArchive, from found: Int, limits: ReadLimits) throws -> Data {
    let keys = [KeyedArchiver.rootKey] + formerTopKeys
    guard let key = keys.first(where: { archive[$0].exists }), let root = archive[key].uid else {
      // The model's own method reports what is wrong.
      return try archive.data()
    }
    var fields = ArchivedFields(archive, root, limits: limits)
    for step in migrations.sorted(by: { $0.version < $1.version }) where step.version > found {
      do {
        try step.change(&fields)
      } catch {
        throw LibraryError(
          .migrationFailed, "",
          "the migration from version \(found) failed in the step to version \(step.version): \(error)",
          remedy: "Correct that step of \(Self.self).migrations; the document is untouched", underlying: error)
      }
    }
    try fields.archive.setTopValue(.integer(Int64(version)), forKey: DocumentVersion.key)
    return try fields.archive.data()
  }

  /// Throws an error if a migration leads to a version that the model does not have.
  static func checkMigrations(at path: String) throws(LibraryError) {
    guard let last = migrations.map(\.version).max(), last > version else { return }
    throw LibraryError(
      .migrationFailed, path, "\(Self.self) has a migration to version \(last), but its version is \(version)",
      remedy: "Declare 'static let version = \(last)'")
  }
}

extension LibraryError {
  /// Creates the error for values that cannot be archived.
  fileprivate init(archiving error: KeyedArchiveError, at path: String) {
    self.init(
      error.code == .limitReached ? .limitReached : .invalidValue, path,
      "the values cannot be archived: \(error.located)", remedy: error.remedy, underlying: error)
  }

  /// Returns an error with a path, if it has none.
  static func located(_ error: LibraryError, at path: String) -> LibraryError {
    var error = error
    if error.path.isEmpty { error.path = path }
    return error
  }

  /// Returns the error for a data file that cannot be read, with its path.
  static func reading(_ error: any Error, at path: String) -> any Error {
    switch error {
    case let error as LibraryError: return located(error, at: path)
    case let error as KeyedArchiveError:
      var result = LibraryError(error, at: path)
      if let key = missingKey(error) {
        result.remedy =
          "If older documents do not have '\(key)', declare it as an optional, or add a DocumentMigration that sets it; "
          + "no save overwrites the file by default"
      }
      return result
    default: return error
    }
  }

  /// The key that a Codable type requires and the archive does not have, if that is the cause of an error.
  private static func missingKey(_ error: any Error) -> String? {
    switch error {
    case let error as KeyedArchiveError: error.underlying.flatMap { missingKey($0) }
    case DecodingError.keyNotFound(let key, _): key.stringValue
    default: nil
    }
  }
}
