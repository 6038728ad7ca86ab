// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeyedArchiving

extension ScaryCreatureData {
  /// The creature as versions of the app without secure coding wrote it, for those that still read it.
  ///
  /// They ask for the rating as a plain float. In a file that is written now it is an object, and they get 0 for it and no
  /// error. This library reads both; a migration turns this one into the layout that is written now.
  /// - Throws: `KeyedArchiveError`.
  public func archivedForOldReaders() throws -> Data {
    try KeyedArchiver.archivedData(withRootObject: InsecureCreature(creature: self), requiringSecureCoding: false)
  }
}

/// A creature whose rating stands inside its object.
private struct InsecureCreature: KeyedCoding {
  static var archiveClassName: String { ScaryCreatureData.archiveClassName }

  let creature: ScaryCreatureData

  init(creature: ScaryCreatureData) { self.creature = creature }

  func encode(with coder: KeyedArchiver) {
    coder.encode(creature.title, forKey: ScaryCreatureData.Keys.title.rawValue)
    coder.encode(creature.rating, forKey: ScaryCreatureData.Keys.rating.rawValue)
  }

  init?(coder: KeyedUnarchiver) { return nil }
}
