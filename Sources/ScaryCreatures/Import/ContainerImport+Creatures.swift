// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import DocumentLibraries
import PropertyListFormat

extension DocumentLibrary where Model == ScaryCreatureData {
  /// Adds the creatures of a file that `export(_:to:progress:)` wrote, byte for byte.
  /// - Throws: `LibraryError` if it is no such file.
  public func importContainer(_ data: Data, keepingNumbers: Bool = false) throws -> CreatureImport {
    let container = try importDocuments(from: data, keepingNumbers: keepingNumbers)
    var report = CreatureImport()
    report.creatures = container.documents.map { .init(source: $0.source, number: $0.number, warnings: $0.warnings) }
    report.refused = container.refused.map { .init(source: $0.source, error: $0.error) }
    return report
  }

  /// Reads every creature and tells what is not as it should be, pictures included.
  /// - Parameters:
  ///   - progress: is called after each creature.
  ///   - report: is called with each finding; return false to stop.
  /// - Throws: `LibraryError` if the folder cannot be read.
  public func checkCreatures(
    progress: () -> Void = {}, report: (LibraryFinding) -> Bool
  ) throws(LibraryError) {
    try check(
      checkAttachment: { name, bytes, path in
        if let image = CreatureImage(exactly: name) { try CreatureImage.check(bytes, image, path) }
      }, progress: progress, report: report)
  }
}
