// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving

/// A model of how a recursive archiver numbers objects: an object before its children, in the order in which they are
/// encoded, and the record of its class when it has encoded all.
struct RecursiveNumbering {
  private let archive: KeyedArchive
  private let keyOrder: [String: Int]
  private let conditionalKeys: Set<String>
  private var numbers: [UInt32] = [0]
  private var isNumbered: Set<UInt32> = [0]
  private var isEncoded: Set<UInt32> = [0]

  /// The numbers of an archive's objects in the order in which a recursive archiver meets them, if objects encode these
  /// keys in this order and some of them conditionally.
  static func numbers(
    in archive: KeyedArchive, keyOrder: [String], conditionalKeys: Set<String>
  ) throws -> [UInt32] {
    var numbering = RecursiveNumbering(
      archive: archive, keyOrder: Dictionary(uniqueKeysWithValues: keyOrder.enumerated().map { ($1, $0) }),
      conditionalKeys: conditionalKeys)
    for entry in try archive.top { try numbering.encode(entry.value) }
    return numbering.numbers
  }

  private init(archive: KeyedArchive, keyOrder: [String: Int], conditionalKeys: Set<String>) {
    (self.archive, self.keyOrder, self.conditionalKeys) = (archive, keyOrder, conditionalKeys)
  }

  private mutating func number(_ uid: ArchiveUID) {
    if isNumbered.insert(uid.rawValue).inserted { numbers.append(uid.rawValue) }
  }

  private mutating func encode(_ value: KeyedArchive.StoredValue) throws {
    switch value {
    case .array(let elements): for element in elements { try encode(element) }
    case .reference(let uid):
      number(uid)
      guard isEncoded.insert(uid.rawValue).inserted else { return }
      guard case .instance(let record, let entries) = try archive.object(uid) else { return }
      for entry in entries.sorted(by: { keyOrder[$0.key, default: 0] < keyOrder[$1.key, default: 0] }) {
        if conditionalKeys.contains(entry.key) {
          if case .reference(let uid) = entry.value { number(uid) }
        } else {
          try encode(entry.value)
        }
      }
      number(record)
    default: break
    }
  }
}
