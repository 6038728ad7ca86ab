// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat
import ZipContainers

/// Ends a comparison.
private struct Difference: Error {}

/// The reader of a backup with the limits of a library.
struct BackupReader<Model: DocumentModel> {
  let zip: ZipReader
  let limits: LibraryLimits

  /// The state of a document's data file in a backup.
  struct Condition {
    var warnings: [DocumentWarning] = []
    /// The reason why the values cannot be read; nil if they can.
    var damage: (any Error)?
  }

  /// The maximum number of bytes of a compressed entry, which is read into memory.
  private var memoryLimit: Int { max(limits.maximumDataByteCount, limits.maximumAttachmentByteCount) }

  /// Reads an entry in pieces, and verifies it.
  func read(_ entry: ZipEntry, _ take: (Data) throws -> Void) throws {
    do {
      try zip.read(entry, inMemory: memoryLimit, take)
    } catch let error as ZipError {
      throw LibraryError(error, of: entry)
    }
  }

  /// Verifies the checksums of all files of a unit, or of those that are not attachments.
  func verify(_ unit: BackupUnit, exceptAttachments: Bool = false) throws {
    let others = exceptAttachments ? Set(Model.attachmentNames.map { [StorageName($0)] }) : []
    for (path, entry) in unit.entries where entry.kind == .file && !others.contains(path) { try read(entry) { _ in } }
  }

  /// Checks the attachments of a document, also their checksums.
  /// - Returns: The reasons why attachments are invalid; none without a check.
  /// - Throws: ``LibraryError`` if the backup is damaged.
  func damagedAttachments(
    of unit: BackupUnit, _ check: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)?
  ) throws -> [any Error] {
    guard let check else { return [] }
    let files = unit.files
    var damages: [any Error] = []
    for name in Model.attachmentNames {
      guard let entry = files[[StorageName(name)]] else { continue }
      guard entry.byteCount <= limits.maximumAttachmentByteCount else {
        damages.append(
          LibraryError(
            tooLarge: "\(unit.name)/\(name)", found: entry.byteCount, expected: limits.maximumAttachmentByteCount,
            "maximumAttachmentByteCount"))
        try read(entry) { _ in }
        continue
      }
      var bytes = Data()
      try read(entry) { bytes += $0 }
      do {
        try check(name, bytes, unit.name)
      } catch {
        damages.append(error)
      }
    }
    return damages
  }

  /// Returns whether a document in a storage has a file with the content of one in the backup, apart from the data file. Such a
  /// file shows that both are the same document.
  func sharesFile(_ unit: BackupUnit, with folder: StoragePath, in steps: StorageSteps) -> Bool {
    unit.files.contains { path, entry in
      guard path != [StorageName(Model.dataFileName)], entry.byteCount > 0 else { return false }
      let file = StoragePath(folder.names + path)
      // A file that cannot be read shows nothing.
      guard let status = try? steps.status(of: file), status.kind == .file, status.byteCount == entry.byteCount else {
        return false
      }
      return (try? isSame(entry, as: file, in: steps)) ?? false
    }
  }

  /// Decodes the data file of a document.
  /// - Returns: The condition, also of a file that was damaged before the backup.
  /// - Throws: ``LibraryError`` if the backup is damaged.
  func condition(of unit: BackupUnit) throws -> Condition {
    var condition = Condition()
    do {
      condition.warnings = try warnings(of: unit)
    } catch let error as LibraryError where error.code == .badContainer {
      throw error
    } catch let error as LibraryError where error.code == .newerVersion {
      condition.warnings = [DocumentWarning(error.code.name, error.detail)]
    } catch {
      condition.damage = error
    }
    return condition
  }

  private func warnings(of unit: BackupUnit) throws -> [DocumentWarning] {
    let name = StorageName(Model.dataFileName)
    let path = "\(unit.name)/\(Model.dataFileName)"
    guard let entry = unit.files[[name]] else {
      throw LibraryError(missingDataFile: path, remedy: "Use another copy of the backup, or save new values")
    }
    guard entry.byteCount <= limits.maximumDataByteCount else {
      throw LibraryError(
        tooLarge: path, found: entry.byteCount, expected: limits.maximumDataByteCount, "maximumDataByteCount")
    }
    var bytes = Data()
    try read(entry) { bytes += $0 }
    do {
      return try Model.read(bytes, limits: limits.reading).stored.warnings
    } catch {
      throw LibraryError.reading(error, at: path)
    }
  }

  /// Compares a unit with an entry of a storage, without dates and ignored files.
  func isSame(_ unit: BackupUnit, as path: StoragePath, in steps: StorageSteps) throws -> Bool {
    let tree = try StorageTree(path, steps, spelledAs: unit.place == .other ? [] : Model.fileNames)
    guard let tree, tree.shapes.contains(unit.shape) else { return false }
    for (file, entry) in unit.files.sorted(by: { $0.value.headerOffset < $1.value.headerOffset }) {
      guard try isSame(entry, as: StoragePath(path.names + file), in: steps) else { return false }
    }
    return true
  }

  private func isSame(_ entry: ZipEntry, as path: StoragePath, in steps: StorageSteps) throws -> Bool {
    let file = try steps.step { () throws(StorageError) in try steps.storage.open(path) }
    defer { try? steps.storage.close(file) }
    do {
      try read(entry) { piece in
        var found = Data()
        while found.count < piece.count {
          let count = try steps.at(path) { () throws(StorageError) in
            try steps.storage.read(file, into: &found, atMost: piece.count - found.count)
          }
          if count == 0 { break }
        }
        guard found == piece else { throw Difference() }
      }
      return true
    } catch is Difference {
      return false
    }
  }
}
