// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries
import KeyedArchiving
import PropertyListFormat

/// A document of the "Scary Bugs" apps of 2010 to 2014: `7.scarybug` with `data.plist` and PNG or JPEG images.
struct ScaryBug: DocumentModel {
  static let folderExtension = "scarybug"
  static let dataFileName = "data.plist"
  static let pictureNames = ["png", "jpg", "jpeg"]
  static let attachmentNames = ["thumbImage", "fullImage"].flatMap { name in pictureNames.map { "\(name).\($0)" } }

  let creature: ScaryCreatureData

  static func stored(in data: Data, limits: ReadLimits) throws -> StoredModel<ScaryBug> {
    let file = try CreatureFile(data, limits: limits)
    return StoredModel(
      ScaryBug(creature: file.creature), warnings: file.warnings, layout: file.layout.description, isCurrent: false)
  }

  init(creature: ScaryCreatureData) { self.creature = creature }
  func encode(with coder: KeyedArchiver) { creature.encode(with: coder) }
  init?(coder: KeyedUnarchiver) {
    guard let creature = ScaryCreatureData(coder: coder) else { return nil }
    self.creature = creature
  }
}

extension DocumentLibrary where Model == ScaryCreatureData {
  /// Copies the creatures of a `.scarybug` library, which stays unchanged. Each gets the number after the largest one.
  ///
  /// An unreadable creature does not affect the others. Images are copied unchanged, in any format.
  /// - Parameter folder: The folder.
  /// - Returns: The imported and the rejected creatures.
  /// - Throws: `LibraryError` if the folder does not exist.
  public func importScaryBugs(from folder: URL) throws -> ImportReport {
    let bugs = try DocumentLibrary<ScaryBug>(at: folder, limits: limits, creating: false, sweeping: false)
    var report = ImportReport()
    let contents = try bugs.contents()
    for bug in bugs.documents(of: contents) {
      defer { bug.discardCache() }
      let source = bug.docPath?.lastPathComponent ?? ""
      do {
        guard let stored = try bug.storedUnderAnyName() else { continue }
        var warnings = stored.warnings
        /// An image; nil if it cannot be read. It is then left out like a damaged one.
        func picture(_ name: String) -> Data? {
          do {
            return try bug.picture(name)
          } catch {
            warnings.append(DocumentWarning("imageRefused", "\(error)"))
            return nil
          }
        }
        let (thumb, full) = (picture("thumbImage"), picture("fullImage"))
        report.add(stored.model.creature, thumb: thumb, full: full, warnings: warnings, from: source, to: self)
      } catch {
        report.refuse(source, error)
      }
    }
    for problem in contents.problems {
      report.refuse(problem.name, LibraryError(.notADocument, problem.name, problem.description))
    }
    return report
  }
}

extension Document where Model == ScaryBug {
  /// The values of the data file, whose name begins with a capital letter in some versions of the app.
  fileprivate func storedUnderAnyName() throws -> StoredModel<ScaryBug>? {
    do {
      return try stored
    } catch let error as LibraryError where error.code == .missingDataFile {
      guard let bytes = try attachment(ScaryCreatureData.dataFileName) else { throw error }
      return try ScaryBug.stored(in: bytes, limits: library.limits.reading)
    }
  }

  /// The first image with a name, in any format.
  fileprivate func picture(_ name: String) throws(LibraryError) -> Data? {
    for fileExtension in ScaryBug.pictureNames {
      if let bytes = try attachment("\(name).\(fileExtension)") { return bytes }
    }
    return nil
  }
}
