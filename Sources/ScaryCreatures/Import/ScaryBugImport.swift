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

/// A document of the "Scary Bugs" apps of 2010 to 2014: `7.scarybug` with `data.plist` and pictures, PNG or JPEG.
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
  /// Copies the creatures of a `.scarybug` library, which is not changed. Each gets the number after the largest one.
  ///
  /// A creature that cannot be read hides no other. Pictures are taken over as they are, whatever their format.
  /// - Throws: `LibraryError` if there is no such folder.
  public func importScaryBugs(from folder: URL) throws -> CreatureImport {
    let bugs = try DocumentLibrary<ScaryBug>(at: folder, limits: limits, creating: false, sweeping: false)
    var report = CreatureImport()
    let contents = try bugs.contents()
    for bug in bugs.documents(of: contents) {
      defer { bug.discardCache() }
      let source = bug.docPath?.lastPathComponent ?? ""
      do {
        guard let stored = try bug.storedUnderAnyName() else { continue }
        var warnings = stored.warnings
        /// A picture that cannot be read is left behind, as a damaged one is.
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
        report.refused.append(.init(source: source, error: error))
      }
    }
    for problem in contents.problems {
      report.refused.append(
        .init(source: problem.name, error: LibraryError(.notADocument, problem.name, problem.description)))
    }
    return report
  }
}

extension Document where Model == ScaryBug {
  /// The data file, which some copies of the app write with a capital letter.
  fileprivate func storedUnderAnyName() throws -> StoredModel<ScaryBug>? {
    do {
      return try stored
    } catch let error as LibraryError where error.code == .missingDataFile {
      guard let bytes = try attachment(ScaryCreatureData.dataFileName) else { throw error }
      return try ScaryBug.stored(in: bytes, limits: library.limits.reading)
    }
  }

  /// The first picture there is of a name.
  fileprivate func picture(_ name: String) throws(LibraryError) -> Data? {
    for fileExtension in ScaryBug.pictureNames {
      if let bytes = try attachment("\(name).\(fileExtension)") { return bytes }
    }
    return nil
  }
}
