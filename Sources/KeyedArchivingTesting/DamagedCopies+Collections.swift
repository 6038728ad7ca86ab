// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Copies with damage inside of arrays, sets and dictionaries.
extension DamagedCopies {
  /// The keys of Foundation's collections.
  private enum CollectionKey {
    static let elements = "NS.objects"
    static let dictionaryKeys = "NS.keys"
  }

  /// A collection that has elements.
  private struct Collection {
    let uid: ArchiveUID
    /// The elements of an array or a set, or the values of a dictionary.
    let elements: [KeyedArchive.StoredValue]
    let isDictionary: Bool

    /// Returns nil for other objects, and for empty collections.
    init?(_ value: KeyedArchive.StoredValue, in archive: KeyedArchive) throws {
      guard case .reference(let uid) = value, uid.index < archive.objectCount,
        case .instance(_, let entries) = try archive.object(uid)
      else { return nil }
      guard case .array(let elements)? = entries.first(where: { $0.key == CollectionKey.elements })?.value,
        !elements.isEmpty
      else { return nil }
      self.uid = uid
      self.elements = elements
      isDictionary = entries.contains { $0.key == CollectionKey.dictionaryKeys }
    }
  }

  /// Calls a function with copies in which the first collection with elements under each key has other contents.
  func forEachCollection(_ body: (DamagedCopy) throws -> Void) throws {
    for entry in try topLevelEntries() {
      guard let collection = try Collection(entry.value, in: archive) else { continue }
      try forEachDamage(of: collection, Self.requested(entry.key), body)
    }
    var seen: Set<BytewiseString> = []
    for object in try decodedObjects() {
      for entry in object.entries where isDamaged(entry, of: object.uid) {
        let pair = Self.pair(object.className, entry.key)
        guard !seen.contains(pair), let collection = try Collection(entry.value, in: archive) else { continue }
        seen.insert(pair)
        try forEachDamage(of: collection, "\(object.className).\(Self.requested(entry.key))", body)
      }
    }
  }

  private func forEachDamage(
    of collection: Collection, _ name: String, _ body: (DamagedCopy) throws -> Void
  ) throws {
    func copy(
      _ text: String, _ edit: (inout KeyedArchive) throws -> [KeyedArchive.StoredValue]
    ) throws {
      var copy = archive
      let elements = try edit(&copy)
      try copy.setValue(.array(elements), forKey: CollectionKey.elements, of: collection.uid)
      try body(DamagedCopy(description: text, data: copy.data()))
    }
    let first = "the first \(collection.isDictionary ? "value" : "element") of \(name) is"
    let rest = collection.elements.dropFirst()
    let kind = kind(of: collection.elements[0])
    if kind != .null { try copy("\(first) nil") { _ in [.reference(.null)] + rest } }
    for (other, text, object) in Self.boxedDamage where other != kind && other != .data {
      try copy("\(first) \(text)") { [.reference(try $0.addObject(object))] + rest }
    }
    try copy("\(first) an object of an unknown class") { [try Self.addUnknownObject(to: &$0)] + rest }
    if collection.isDictionary {
      try copy("\(name) has fewer values than keys") { _ in Array(collection.elements.dropLast()) }
    }
  }
}
