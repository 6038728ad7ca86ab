// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries

extension DocumentLibrary where Model == ScaryCreatureData {
  /// Copies the creatures of a folder, which is not changed: of a library like this one, byte for byte, and of a
  /// `.scarybug` library.
  /// - Throws: `LibraryError` if there is no such folder, or no creature in it.
  public func importFolder(_ folder: URL) throws -> CreatureImport {
    let other = try ScaryCreatureDatabase(at: folder, limits: limits, creating: false, sweeping: false)
    var report = CreatureImport()
    for (_, error) in try other.displacedDocuments() {
      report.refused.append(.init(source: URL(filePath: error.path).lastPathComponent, error: error))
    }
    let contents = try other.contents()
    for doc in other.documents(of: contents) {
      let source = doc.docPath?.lastPathComponent ?? ""
      do {
        guard let number = try addCopy(of: doc).number else { continue }
        report.creatures.append(.init(source: source, number: number, warnings: try doc.warnings))
      } catch {
        report.refused.append(.init(source: source, error: error))
      }
      doc.discardCache()
    }
    for problem in contents.problems {
      report.refused.append(
        .init(source: problem.name, error: LibraryError(.notADocument, problem.name, problem.description)))
    }
    let bugs = try importScaryBugs(from: folder)
    report.creatures += bugs.creatures
    report.refused += bugs.refused
    guard !report.creatures.isEmpty || !report.refused.isEmpty else {
      throw LibraryError(
        .notFound, folder.path, "there are no creatures in the folder",
        remedy: "Name the folder that holds N.scarycreature or N.scarybug folders")
    }
    return report
  }
}
