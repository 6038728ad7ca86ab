// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ZipContainers

extension DocumentLibrary {
  /// Adds the entries of a file from ``backUp(to:checkAttachment:progress:report:)`` or
  /// ``export(_:to:progress:)``, each atomically. Damaged documents are restored as they are.
  ///
  /// An entry that the library has already, with the same content, is left alone. An interrupted import can therefore be
  /// repeated. No name in the file leads out of the library.
  /// - Parameters:
  ///   - source: The backup.
  ///   - keepingNumbers: Whether documents keep their numbers, which must be free, and all other entries are restored.
  ///     Otherwise each document gets the number after the largest one, and the other entries are omitted.
  ///   - dryRun: Whether to verify the backup and report the results without writing.
  ///   - checkAttachment: Throws an error if an attachment is invalid, which the report then has. Nil to accept all.
  ///   - progress: Called after each entry of the library's folder.
  /// - Returns: The restored, the present, the omitted and the rejected entries.
  /// - Throws: ``LibraryError``: ``LibraryError/Code/badContainer`` if the file is not a container, or another code if
  ///   the library cannot be listed.
  public func importBackup(
    _ source: BackupSource, keepingNumbers: Bool = false, dryRun: Bool = false,
    checkAttachment: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)? = nil,
    progress: () -> Void = {}
  ) throws -> ImportReport {
    let container = try BackupContainer(source, folderExtension: Model.folderExtension)
    var restoration = Restoration(
      reader: BackupReader<Model>(zip: container.reader, limits: limits), contents: try contents(),
      keepsNumbers: keepingNumbers, dryRun: dryRun, checkAttachment: checkAttachment)
    restoration.report.refused = container.rejected
    restoration.report.omitted = container.omitted
    if !keepingNumbers, !container.units.isEmpty { restoration.twins = numbersByShape(restoration.contents) }
    for unit in container.units {
      do {
        if let error = unit.error { throw error }
        switch unit.place {
        case .document(let number): try restore(unit, number, &restoration)
        case .other, .trash:
          if keepingNumbers {
            try restore(unit, &restoration)
          } else {
            restoration.report.omitted.append(unit.name)
          }
        }
      } catch let error as StorageError {
        restoration.report.refuse(unit.name, LibraryError(error, .cannotCreate, in: storage))
      } catch {
        restoration.report.refuse(unit.name, error)
      }
      progress()
    }
    return restoration.report
  }

  /// The state of an import.
  private struct Restoration {
    let reader: BackupReader<Model>
    /// The library before the import.
    let contents: LibraryContents
    let keepsNumbers: Bool
    let dryRun: Bool
    let checkAttachment: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)?
    /// The documents before the import by their files' names and sizes. Each can be equal to one document of the backup.
    var twins: [StorageTree.Shape: Twins] = [:]
    /// The last number of a new document.
    var last: DocumentNumber?
    var report = ImportReport()
  }

  /// Documents with files of the same names and sizes. A class, so that a change copies no table.
  private final class Twins {
    var numbers: [DocumentNumber] = []
    /// These documents by the checksums of their files, so that each is read once, and not for each document of the
    /// backup. It is nil until a document of the backup has the names and sizes.
    var byChecksums: [[UInt32]: [DocumentNumber]]?
  }

  private func folder(_ number: DocumentNumber, _ contents: LibraryContents) -> StoragePath {
    .root / (contents.otherNames[number] ?? FolderName.name(for: number, extension: Model.folderExtension))
  }

  private func numbersByShape(_ contents: LibraryContents) -> [StorageTree.Shape: Twins] {
    var numbers: [StorageTree.Shape: Twins] = [:]
    for number in contents.numbers {
      // A document with a subfolder that cannot be read is not compared. It must not prevent the import of others.
      let path = folder(number, contents)
      guard let tree = try? StorageTree(path, steps, spelledAs: Model.fileNames) else { continue }
      for shape in tree.shapes {
        let twins = numbers[shape] ?? Twins()
        twins.numbers.append(number)
        numbers[shape] = twins
      }
    }
    return numbers
  }

  /// The documents by the checksums of their files. A document that cannot be read is not compared.
  private func numbersByChecksums(
    _ numbers: [DocumentNumber], of unit: BackupUnit, _ contents: LibraryContents
  ) -> [[UInt32]: [DocumentNumber]] {
    let files = unit.sortedFiles.map(\.path)
    var byChecksums: [[UInt32]: [DocumentNumber]] = [:]
    for number in numbers {
      let path = folder(number, contents)
      guard let checksums = try? files.map({ try checksum(of: StoragePath(path.names + $0)) }) else { continue }
      byChecksums[checksums, default: []].append(number)
    }
    return byChecksums
  }

  private func checksum(of file: StoragePath) throws -> UInt32 {
    var checksum = ZipChecksum()
    try steps.read(file) { checksum.add($0) }
    return checksum.value
  }

  /// Restores a document.
  private func restore(_ unit: BackupUnit, _ number: DocumentNumber, _ restoration: inout Restoration) throws {
    if let present = try present(unit, number, &restoration) {
      restoration.report.present.append(.init(source: unit.name, number: present))
      return
    }
    let condition = try restoration.reader.condition(of: unit)
    let attachments = try restoration.reader.damagedAttachments(of: unit, restoration.checkAttachment)
    let new: DocumentNumber
    if restoration.dryRun {
      try restoration.reader.verify(unit)
      new = restoration.keepsNumbers ? number : try restoration.last?.next ?? nextNumber()
    } else {
      let choice: NumberChoice = restoration.keepsNumbers ? .exactly(number) : .after(restoration.last)
      do {
        new = try place(unit, restoration.reader) { (new) throws(StorageError) in try moveIntoPlace(new, choice) }
      } catch let error as StorageError
        where restoration.keepsNumbers && error.reason == .exists && error.call == .move
      {
        throw isTaken(number)
      }
      notifyObservers(of: new)
    }
    restoration.last = new
    restoration.report.documents.append(
      .init(
        source: unit.name, number: new, warnings: condition.warnings, damage: condition.damage,
        damagedAttachments: attachments))
  }

  private func isTaken(_ number: DocumentNumber) -> LibraryError {
    let path = StoragePath.root / FolderName.name(for: number, extension: Model.folderExtension)
    return LibraryError(
      .cannotCreate, storage.url(of: path).path, "document \(number) exists already",
      remedy: "Import the document with a new number, or into an empty library")
  }

  /// The number of a document with the content of a unit; nil if the unit must be restored.
  /// - Throws: ``LibraryError`` if another document has the unit's number, which it must keep.
  private func present(
    _ unit: BackupUnit, _ number: DocumentNumber, _ restoration: inout Restoration
  ) throws -> DocumentNumber? {
    guard restoration.keepsNumbers else {
      guard let twins = restoration.twins[unit.shape] else { return nil }
      if twins.byChecksums == nil {
        twins.byChecksums = numbersByChecksums(twins.numbers, of: unit, restoration.contents)
      }
      let checksums = unit.sortedFiles.map(\.entry.crc32)
      // Equal checksums do not prove that files are equal.
      for (index, twin) in (twins.byChecksums?[checksums] ?? []).enumerated()
      where try restoration.reader.isSame(unit, as: folder(twin, restoration.contents), in: steps) {
        twins.byChecksums?[checksums]?.remove(at: index)
        return twin
      }
      return nil
    }
    let path = folder(number, restoration.contents)
    if try steps.status(of: path) != nil {
      guard try restoration.reader.isSame(unit, as: path, in: steps) else { throw isTaken(number) }
      return number
    }
    // A rename to a free name does not detect an entry of the same number with capital letters in its extension.
    guard !restoration.contents.oddNumbers.contains(number) else { throw isTaken(number) }
    return nil
  }

  /// Restores an entry of the trash, or one that is not a document.
  private func restore(_ unit: BackupUnit, _ restoration: inout Restoration) throws {
    if unit.place == .trash, !restoration.dryRun {
      try attempt(.cannotCreate) { () throws(StorageError) in try steps.makeFolderIfMissing(TrashFolder.path) }
    }
    var target = unit.path
    var count = 1
    while try steps.status(of: target) != nil {
      if try restoration.reader.isSame(unit, as: target, in: steps) {
        restoration.report.present.append(.init(source: unit.name, number: nil))
        return
      }
      guard unit.place == .trash else {
        throw LibraryError(
          .cannotCreate, storage.url(of: target).path, "another file or folder has the name",
          remedy: "Rename it, or import the backup into an empty library")
      }
      // The next free name, as in a move to the trash.
      count += 1
      let name = unit.path.names.last ?? ""
      let isDocument = TrashFolder.number(of: name, extension: Model.folderExtension) != nil
      let base = isDocument ? Array(name.bytes.prefix { $0 != 0x20 }) : name.bytes
      target = TrashFolder.path / StorageName(bytes: base + Array(" \(count)".utf8))
    }
    if restoration.dryRun {
      try restoration.reader.verify(unit)
    } else {
      try place(unit, restoration.reader) { (new) throws(StorageError) in
        try steps.move(new, to: target, .exclusive)
        try flush(target.folder) { () throws(StorageError) in try steps.move(target, to: new, .exclusive) }
        if target.folder != .root { try flush(.root) { () throws(StorageError) in } }
      }
    }
    restoration.report.others.append(unit.name)
  }

  /// Writes a unit to the work folder, and moves it to its place.
  private func place<Result>(
    _ unit: BackupUnit, _ reader: BackupReader<Model>, _ move: (_ new: StoragePath) throws(StorageError) -> Result
  ) throws -> Result {
    let new = WorkFolder.newName()
    var failure: (any Error)?
    let result = try withWorkFolder { () throws(StorageError) -> Result? in
      do {
        try write(unit, to: new, reader)
      } catch {
        try? steps.removeAll(new)
        failure = error
        return nil
      }
      do throws(StorageError) {
        return try move(new)
      } catch {
        try? steps.removeAll(new)
        throw error
      }
    }
    if let failure { throw failure }
    guard let result else { throw StorageError(.unsupported, .move, new) }
    return result
  }

  /// Writes and flushes the files of a unit.
  private func write(_ unit: BackupUnit, to new: StoragePath, _ reader: BackupReader<Model>) throws {
    if unit.isFolder { try steps.makeFolder(new) }
    let folders = unit.folders.map { StoragePath(new.names + $0) }.sorted { $0.names.count < $1.names.count }
    for folder in folders { try steps.makeFolder(folder) }
    for (path, entry) in unit.entries {
      let file = StoragePath(new.names + path)
      guard entry.kind == .file else {
        // A backup has an entry for a folder only if the folder is empty.
        if let modified = BackupUnit.date(entry.modified) { try setModified(of: file, to: modified) }
        continue
      }
      try steps.write(to: file) { take in try reader.read(entry, take) }
      guard let modified = BackupUnit.date(entry.modified) else { continue }
      try steps.step { () throws(StorageError) in try storage.setModified(file, to: modified) }
    }
    if let modified = BackupUnit.date(unit.modified) { try setModified(of: new, to: modified) }
    for folder in folders.reversed() { try steps.flushFolder(folder) }
    if unit.isFolder { try steps.flushFolder(new) }
  }

  /// Sets the date of a folder, if the storage can do that.
  private func setModified(of folder: StoragePath, to date: StorageDate) throws(StorageError) {
    do throws(StorageError) {
      try steps.step { () throws(StorageError) in try storage.setModified(folder, to: date) }
    } catch {
      guard error.reason == .unsupported else { throw error }
    }
  }
}
