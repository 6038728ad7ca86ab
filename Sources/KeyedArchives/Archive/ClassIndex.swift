// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// The class records of an archive by what they say, as far as its objects were searched for them.
///
/// Without it, each class that an edit adds would be compared with all objects.
struct ClassIndex: Sendable {
  /// A description that equals another one only if all their texts have the same bytes.
  private struct Key: Hashable {
    var texts: [BytewiseString]
    var chainCount: Int

    init(_ description: ClassDescription) {
      texts = ([description.name] + description.chain + description.hints).map { BytewiseString($0) }
      chainCount = description.chain.count
    }
  }

  /// The UIDs of equal records, in ascending order.
  private var uids: [Key: [UInt32]] = [:]
  private var keys: [UInt32: Key] = [:]
  /// How many objects were searched, from the first one on.
  private(set) var searchedCount = 0

  /// Returns the first record that says this, among the objects that were searched.
  func uid(of description: ClassDescription) -> ArchiveUID? {
    keys.isEmpty ? nil : uids[Key(description)]?.first.map { ArchiveUID(rawValue: $0) }
  }

  /// Takes note of the next object that was searched.
  mutating func add(_ object: KeyedArchive.Object) {
    set(UInt32(truncatingIfNeeded: searchedCount), to: object)
    searchedCount += 1
  }

  /// Takes note of a change to an object.
  mutating func update(_ uid: ArchiveUID, to object: KeyedArchive.Object) {
    if uid.index < searchedCount { set(uid.rawValue, to: object) }
  }

  private mutating func set(_ uid: UInt32, to object: KeyedArchive.Object) {
    if let old = keys.removeValue(forKey: uid) {
      uids[old]?.removeAll { $0 == uid }
      if uids[old]?.isEmpty ?? false { uids[old] = nil }
    }
    guard case .classRecord(let description) = object else { return }
    let key = Key(description)
    keys[uid] = key
    let place = uids[key]?.firstIndex { $0 > uid } ?? uids[key]?.count ?? 0
    uids[key, default: []].insert(uid, at: place)
  }
}
