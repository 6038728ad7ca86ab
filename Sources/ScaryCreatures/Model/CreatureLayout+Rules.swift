// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension CreatureLayout {
  /// The rules that make the layout of today of every other one. What is there in two layouts stays in both: the older one
  /// is not the creature's then, but something that is kept.
  static let rules: MigrationRules = {
    let creature = ClassSelector([ScaryCreatureData.archiveClassName])
    let (title, rating) = (ScaryCreatureData.Keys.title.rawValue, ScaryCreatureData.Keys.rating.rawValue)
    let topKeys = ScaryCreatureData.formerTopKeys.map {
      MigrationRule.topKey($0, to: KeyedArchiver.rootKey, ifPresent: .keep)
    }
    return MigrationRules(
      topKeys + [
        .className(
          ClassSelector(classNames.sorted().map { "*.\($0)" }), to: ScaryCreatureData.archiveClassName,
          superclasses: ["NSObject"]),
        .key(title.lowercased(), to: title, of: creature, ifPresent: .keep),
        .key(rating.lowercased(), to: rating, of: creature, ifPresent: .keep),
        .standard(.float(0), forKey: rating, of: creature),
        .transform(rating, of: creature, asFloat), .numbers([rating], as: .objects, of: creature),
      ], format: .binary)
  }()

  /// The rating as the model reads it, which may be rounded; a warning says so then.
  @Sendable private static func asFloat(_ value: KeyedArchive.StoredValue) -> KeyedArchive.StoredValue {
    switch value {
    case .double(let value): .float(Float(value))
    case .integer(let value): .float(Float(value))
    case .wideInteger(let value): .float(Float(value))
    default: value
    }
  }
}
