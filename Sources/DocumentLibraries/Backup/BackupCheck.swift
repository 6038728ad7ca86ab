// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import ZipContainers

/// The result of the check of a backup.
public struct BackupCheck: Sendable {
  /// The number of valid documents.
  public internal(set) var documents = 0
  /// The number of other entries that can be restored: those of the trash, and other files and folders.
  public internal(set) var others = 0
  /// The documents that were damaged before the backup, and are restored as they are.
  public internal(set) var damaged: [ImportReport.Refusal] = []
  /// The entries that cannot be restored.
  public internal(set) var refused: [ImportReport.Refusal] = []

  /// A Boolean value that indicates whether the check found no problem.
  public var isSound: Bool { damaged.isEmpty && refused.isEmpty }
}

extension DocumentLibrary {
  /// Verifies a file from ``backUp(to:checkAttachment:progress:report:)`` or ``export(_:to:progress:)`` without
  /// unpacking it: all checksums, and that each document can be read.
  /// - Parameters:
  ///   - source: The backup.
  ///   - limits: The limits for reading.
  ///   - checkAttachment: Throws an error if an attachment is invalid; nil to accept all attachments.
  ///   - progress: Called after each entry of the library's folder.
  /// - Returns: The numbers of valid entries, and the problems.
  /// - Throws: ``LibraryError`` with code ``LibraryError/Code/badContainer`` if the file is not a container.
  public static func checkBackup(
    _ source: BackupSource, limits: LibraryLimits = .default,
    checkAttachment: ((_ name: String, _ bytes: Data, _ path: String) throws -> Void)? = nil,
    progress: () -> Void = {}
  ) throws -> BackupCheck {
    let container = try BackupContainer(source, folderExtension: Model.folderExtension)
    let reader = BackupReader<Model>(zip: container.reader, limits: limits)
    var result = BackupCheck()
    result.refused = container.rejected
    for unit in container.units {
      defer { progress() }
      do {
        if let error = unit.error { throw error }
        guard case .document = unit.place else {
          try reader.verify(unit)
          result.others += 1
          continue
        }
        var damages: [any Error] = []
        if let damage = try reader.condition(of: unit).damage { damages.append(damage) }
        damages += try reader.damagedAttachments(of: unit, checkAttachment)
        try reader.verify(unit, exceptAttachments: checkAttachment != nil)
        if damages.isEmpty { result.documents += 1 }
        result.damaged += damages.map { .init(source: unit.name, error: $0) }
      } catch {
        result.refused.append(.init(source: unit.name, error: error))
      }
    }
    return result
  }
}
