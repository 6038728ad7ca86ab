// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries
import PropertyListFormat

extension ImportReport {
  /// Adds a creature to a library, without invalid images.
  mutating func add(
    _ data: ScaryCreatureData, thumb: Data?, full: Data?, warnings: [DocumentWarning], from source: String,
    to database: ScaryCreatureDatabase
  ) {
    do {
      var warnings = warnings
      func checked(_ bytes: Data?, _ image: CreatureImage, makesThumb: Bool = false) -> Data? {
        guard let bytes else { return nil }
        do {
          try CreatureImage.check(bytes, image, source)
          // Making a thumbnail finds damage in the compressed pixels.
          if makesThumb { _ = try CreatureImage.thumbnail(for: bytes) }
          return bytes
        } catch {
          warnings.append(DocumentWarning("imageRefused", "\(error)"))
          return nil
        }
      }
      let doc = ScaryCreatureDoc(in: database, data)
      let thumb = checked(thumb, .thumb)
      if let thumb { try doc.setThumbImage(thumb) }
      if let full = checked(full, .full, makesThumb: thumb == nil) { try doc.setFullImage(full) }
      try doc.saveImported()
      guard let number = doc.number else { return }
      accept(source, as: number, warnings)
    } catch {
      refuse(source, error)
    }
  }
}

extension DocumentLibrary where Model == ScaryCreatureData {
  /// Copies the creatures of a folder, which stays unchanged: those of a library byte for byte, and those of a
  /// `.scarybug` library.
  ///
  /// As from a backup, damaged creatures of a library are copied as they are, with all files of their folders. Creatures
  /// that the library has already, with the same files, are left out, so an interrupted import can be repeated. The trash
  /// and other files are not copied.
  /// - Parameters:
  ///   - folder: The folder.
  ///   - dryRun: Whether to report the results without writing.
  /// - Returns: The imported and the rejected creatures.
  /// - Throws: `LibraryError` if the folder does not exist or has no creatures.
  public func importFolder(_ folder: URL, dryRun: Bool = false) throws -> ImportReport {
    let other = try ScaryCreatureDatabase(at: folder, limits: limits, creating: false, sweeping: false)
    let contents = try other.contents()
    let spool = try BackupSpool()
    var missing: [BackupProblem] = []
    var outdated: [BytewiseString: LibraryError] = [:]
    try other.backUp(
      documentsOnly: true, to: { try spool.write($0) },
      report: { problem in
        if !problem.isIncluded { missing.append(problem) }
        if problem.error.code == .incompleteUpdate { outdated[BytewiseString(problem.name)] = problem.error }
      })
    var report = try importCreatures(from: spool.source(), dryRun: dryRun)
    report.omitted = []
    for index in report.documents.indices {
      if let damage = report.documents[index].damage as? LibraryError, damage.code == .missingDataFile {
        // The caller does not know the backup that the remedy names.
        report.documents[index].damage = LibraryError(
          missingDataFile: damage.path, remedy: "Save new values, or restore the file in the folder and import again")
      }
      guard let error = outdated[BytewiseString(report.documents[index].source)] else { continue }
      report.documents[index].warnings.append(DocumentWarning(error.code.name, error.detail))
    }
    // The reason why an entry is not a creature is below.
    let others = Set(contents.problems.map { BytewiseString($0.name) })
    for problem in missing where !others.contains(BytewiseString(problem.name)) {
      report.refuse(problem.name, problem.error)
    }
    for problem in contents.problems {
      report.refuse(problem.name, LibraryError(.notADocument, problem.name, problem.description))
    }
    let bugs =
      try dryRun
      ? trial(after: report.documents.last?.number) { try $0.importScaryBugs(from: folder) }
      : importScaryBugs(from: folder)
    report.documents += bugs.documents
    report.refused += bugs.refused
    guard !report.documents.isEmpty || !report.present.isEmpty || !report.refused.isEmpty else {
      throw LibraryError(
        .notFound, folder.path, "no creatures found in the folder",
        remedy: "Pass the folder that contains N.scarycreature or N.scarybug folders")
    }
    return report
  }

  /// Imports into a library in memory, which finds all errors.
  /// - Parameters:
  ///   - last: The number after which the creatures would be added; nil for the largest one of this library.
  ///   - body: Imports into the library that it receives.
  /// - Returns: The report, with the numbers that this library would give.
  /// - Throws: An error of `body`, or `LibraryError` if this library has no number left.
  package func trial(
    after last: DocumentNumber? = nil, _ body: (ScaryCreatureDatabase) throws -> ImportReport
  ) throws -> ImportReport {
    var report = try body(ScaryCreatureDatabase(in: MemoryStorage(), limits: limits))
    guard !report.documents.isEmpty else { return report }
    var next = try last?.next ?? nextNumber()
    for index in report.documents.indices {
      report.documents[index].number = next
      next = next.next ?? next
    }
    return report
  }

  /// Reads every creature and its images, and reports all problems.
  /// - Parameters:
  ///   - progress: Called after each creature.
  ///   - report: Receives each finding, and returns whether to continue.
  /// - Throws: `LibraryError` if the folder cannot be read.
  public func checkCreatures(
    progress: () -> Void = {}, report: (LibraryFinding) -> Bool
  ) throws(LibraryError) {
    try check(
      checkAttachment: Self.checkImage, checkNames: CreatureImage.warnings, progress: progress, report: report)
  }
}

// Backups.
extension DocumentLibrary where Model == ScaryCreatureData {
  /// Writes all of the library's folder to one ZIP file, and reports damaged creatures and images.
  /// - Parameters:
  ///   - sink: Receives the file in pieces.
  ///   - progress: Called after each creature.
  ///   - report: Receives the problems. The backup is complete if it receives none.
  /// - Throws: `LibraryError` if the library cannot be listed, or an error of `sink`. The file is then incomplete.
  public func backUpCreatures(
    to sink: @escaping (Data) throws -> Void, progress: () -> Void = {}, report: @escaping (BackupProblem) -> Void
  ) throws {
    try backUpCreatures(only: false, to: sink, progress: progress, report: report)
  }

  /// Writes the library's folder to one ZIP file; see ``backUpCreatures(to:progress:report:)``. With `only`, the trash and
  /// the entries without names of creatures are left out, and not reported.
  package func backUpCreatures(
    only: Bool, to sink: @escaping (Data) throws -> Void, progress: () -> Void = {},
    report: @escaping (BackupProblem) -> Void
  ) throws {
    try backUp(
      documentsOnly: only, to: sink, checkAttachment: Self.checkImage, progress: progress, report: report)
  }

  /// Adds the entries of a backup, and names the damaged creatures and images, which are restored as they are.
  /// - Parameters:
  ///   - source: The backup.
  ///   - keepingNumbers: Whether creatures keep their numbers, which must be free, and all other entries are restored.
  ///   - dryRun: Whether to verify the backup and report the results without writing.
  /// - Returns: The restored, the present, the omitted and the rejected entries.
  /// - Throws: `LibraryError` with code `LibraryError.Code.badContainer` if the file is not a container.
  public func importCreatures(
    from source: BackupSource, keepingNumbers: Bool = false, dryRun: Bool = false
  ) throws -> ImportReport {
    try importBackup(source, keepingNumbers: keepingNumbers, dryRun: dryRun, checkAttachment: Self.checkImage)
  }

  /// Verifies a backup of creatures without unpacking it: all checksums, the data and the images.
  /// - Parameters:
  ///   - source: The backup.
  ///   - progress: Called after each entry of the library's folder.
  /// - Returns: The numbers of valid entries, and the problems.
  /// - Throws: `LibraryError` with code `LibraryError.Code.badContainer` if the file is not a container.
  public static func checkCreatures(in source: BackupSource, progress: () -> Void = {}) throws -> BackupCheck {
    try checkBackup(source, checkAttachment: checkImage, progress: progress)
  }

  private static func checkImage(_ name: String, _ bytes: Data, _ path: String) throws {
    if let image = CreatureImage(fileName: name) { try CreatureImage.check(bytes, image, path) }
  }
}
