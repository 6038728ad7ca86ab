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

/// An archive that was rebuilt from its decoded values, and the reason if its bytes differ from the original.
///
/// Rebuilding tests how completely values are decoded, and how they are archived: the result contains only what the
/// values contain.
///
/// ```swift
/// let rebuilt = try RebuiltArchive(of: data)
/// print(rebuilt.difference?.name ?? "the same bytes")
/// ```
public struct RebuiltArchive: Sendable {
  /// The rebuilt archive.
  public let data: Data

  /// The reason why the bytes differ from the original; nil if they are equal.
  public let difference: RebuildDifference?

  /// Decodes an archive and archives its values again, in the format of the file and the layout of its time.
  /// - Parameters:
  ///   - data: The archive.
  ///   - types: The types to decode values as. Other objects and all collections are decoded as `ArchivedObject`.
  ///   - limits: The limits on memory and time.
  ///   - archivers: The accepted values of `$archiver`.
  /// - Throws: `KeyedArchiveError` if the data is not a keyed archive, or if a type rejects an object.
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
  /// The order of the envelope's keys. Their values are not read, because that takes long and can fail.
  fileprivate var envelopeOrder: [EnvelopeKey] {
    get throws(KeyedArchiveError) {
      guard case .dictionary(let keys, _) = try stored(list.top) else { return [] }
      var budget = budget
      var order: [EnvelopeKey] = []
      for key in keys {
        if let key = EnvelopeKey(exactly: try name(key, budget: &budget)) { order.append(key) }
      }
      return order
    }
  }
}
