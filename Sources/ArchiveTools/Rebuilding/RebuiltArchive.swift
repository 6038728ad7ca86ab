// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import ArchivedClasses
import KeyedArchives
public import KeyedArchiving
public import PropertyListFormat

/// An archive written anew from the values that it decodes to, and why its bytes are others than the file's if they are.
///
/// This is the test of what the values hold and of how they are archived: nothing is copied from the file but what went
/// through the values.
///
/// ```swift
/// let rebuilt = try RebuiltArchive(of: data)
/// print(rebuilt.difference?.name ?? "the same bytes")
/// ```
public struct RebuiltArchive: Sendable {
  /// The archive that was written.
  public let data: Data

  /// Why it is not the file; nil if it is, byte for byte.
  public let difference: RebuildDifference?

  /// Decodes an archive and archives what came out, in the format of the file and the layout of its time.
  /// - Parameters:
  ///   - data: the archive.
  ///   - types: the types that objects are made as; any other object, and any collection, is made an `ArchivedObject`,
  ///     which see.
  ///   - limits: how much may be spent on it.
  ///   - archivers: which `$archiver` names are accepted.
  /// - Throws: `KeyedArchiveError`: for data that is no keyed archive, and for an object that its type refuses.
  public init(
    of data: Data, makingValues types: [any KeyedCoding.Type] = KeyedUnarchiver.valueTypes,
    limits: ReadLimits = .default, archivers: AcceptedArchivers = .known
  ) throws {
    let archive = try KeyedArchive(data, limits: limits, archivers: archivers)
    let order = try archive.envelopeOrder
    let layout = ArchiveLayout.allCases.first { $0.envelopeOrder == order }
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: layout ?? .appleLegacy)
    archiver.archiverName = archive.archiverName
    archiver.outputFormat = archive.format
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits, archivers: archivers)
    let top = try unarchiver.decodeTopLevel(makingValues: types)
    defer { top.dismantle() }
    try archiver.encodeTopLevel(top)
    self.data = try archiver.encodedData
    difference =
      if self.data == data {
        nil
      } else if archive.format == .binary, layout == nil {
        .olderGeneration
      } else {
        try RebuildDifference(from: archive, to: KeyedArchive(self.data, limits: limits, archivers: archivers))
      }
  }
}

extension KeyedArchive {
  /// The order of the outermost keys.
  fileprivate var envelopeOrder: [EnvelopeKey] {
    get throws(KeyedArchiveError) {
      try entries(of: list.top).compactMap { EnvelopeKey(exactly: $0.key) }
    }
  }
}
