// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

package import ArchiveTools
import Foundation
package import HarnessSupport
package import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// An archive with one edit by the test, and the places in it that can be edited so that one difference comes of it.
package struct EditedArchive {
  package enum Edit: CaseIterable {
    case value, newKey, goneKey, newElement, goneElement, className
  }

  /// A place in the archive's objects.
  private struct Spot {
    var uid: ArchiveUID
    var classUID: ArchiveUID
    var entries: [KeyedArchive.Entry]
    var place: Int
  }

  package let original: KeyedArchive
  private let objects: [KeyedArchive.Object]
  private var spots: [Edit: [Spot]] = [:]

  package init(_ archive: KeyedArchive) throws {
    original = archive
    objects = try (0..<UInt32(archive.objectCount)).map { try archive.object(ArchiveUID(rawValue: $0)) }
    find()
  }

  /// Finds the objects that are reached otherwise than as keys of dictionaries or elements of sets: what these hold decides
  /// what they are compared with.
  private mutating func find() {
    var isReached = [Bool](repeating: false, count: objects.count)
    var stack = ((try? original.top) ?? []).flatMap { Self.references($0.value) }
    while let uid = stack.popLast() {
      guard !isReached[Int(uid.rawValue)] else { continue }
      isReached[Int(uid.rawValue)] = true
      guard case .instance(let classUID, let entries) = objects[Int(uid.rawValue)] else { continue }
      for (place, entry) in entries.enumerated() where entry.key != "NS.keys" {
        if entry.key == "NS.objects", isSet(classUID) { continue }
        stack += Self.references(entry.value)
        add(entry, Spot(uid: uid, classUID: classUID, entries: entries, place: place))
      }
    }
  }

  private mutating func add(_ entry: KeyedArchive.Entry, _ spot: Spot) {
    let isFoundations = entry.key.hasPrefix("NS.")
    switch entry.value {
    case .integer, .double, .boolean, .float, .data: if !isFoundations { spots[.value, default: []].append(spot) }
    case .array(let values):
      if entry.key == "NS.objects", spot.entries.count == 1, !isSet(spot.classUID) {
        spots[.newElement, default: []].append(spot)
        if !values.isEmpty { spots[.goneElement, default: []].append(spot) }
      }
    default: break
    }
    guard !isFoundations, spot.entries.count > 1 else { return }
    spots[.newKey, default: []].append(spot)
    spots[.goneKey, default: []].append(spot)
  }

  private func isSet(_ uid: ArchiveUID) -> Bool {
    guard case .classRecord(let description) = objects[Int(uid.rawValue)] else { return false }
    return description.chain.contains("NSSet")
  }

  static func references(_ value: KeyedArchive.StoredValue) -> [ArchiveUID] {
    switch value {
    case .reference(let uid): uid == .null ? [] : [uid]
    case .array(let values): values.flatMap { references($0) }
    case .dictionary(let entries): entries.flatMap { references($0.value) }
    default: []
    }
  }

  /// The archive with one edit, and what its difference must be; nil if there is no place for one.
  package func edited(
    _ edit: Edit, _ random: inout SeededRandom
  ) throws -> (archive: KeyedArchive, kind: ArchiveDifference.Kind, key: String)? {
    guard let spot = spots[edit == .className ? .newKey : edit]?.randomElement(using: &random) else { return nil }
    var archive = original
    let entry = spot.entries[spot.place]
    switch edit {
    case .value:
      try archive.setValue(Self.other(entry.value), forKey: entry.key, of: spot.uid)
      return (archive, .changed, entry.key)
    case .newKey:
      try archive.setValue(.integer(4711), forKey: "a new key", of: spot.uid)
      return (archive, .added, "[\"a new key\"]")
    case .goneKey:
      try archive.setValue(nil, forKey: entry.key, of: spot.uid)
      return (archive, .removed, entry.key)
    case .newElement:
      guard case .array(var values) = entry.value else { return nil }
      let place = Int.random(in: 0...values.count, using: &random)
      values.insert(.reference(try archive.addObject(.primitive(.string("a new element")))), at: place)
      try archive.setValue(.array(values), forKey: entry.key, of: spot.uid)
      return (archive, .added, "[\(place)]")
    case .goneElement:
      guard case .array(var values) = entry.value else { return nil }
      values.remove(at: Int.random(in: values.indices, using: &random))
      try archive.setValue(.array(values), forKey: entry.key, of: spot.uid)
      return (archive, .removed, "]")
    case .className:
      guard case .classRecord(var description) = objects[Int(spot.classUID.rawValue)] else { return nil }
      description.name = "A.New.Name"
      try archive.setObject(spot.classUID, to: .classRecord(description))
      return (archive, .className, "")
    }
  }

  private static func other(_ value: KeyedArchive.StoredValue) -> KeyedArchive.StoredValue {
    switch value {
    case .integer(let value): .integer(value ^ 1)
    case .double(let value): .double(value.isNaN ? 0 : value.nextUp)
    case .float(let value): .float(value.isNaN ? 0 : value.nextUp)
    case .boolean(let value): .boolean(!value)
    case .data(let bytes): .data(bytes + [1])
    default: value
    }
  }

  /// The same graph with other numbers, and the keys of objects in another order.
  package static func renumbered(_ archive: KeyedArchive, _ random: inout SeededRandom) throws -> KeyedArchive {
    let count = UInt32(archive.objectCount)
    let numbers = [0] + (1..<count).shuffled(using: &random)
    func move(_ uid: ArchiveUID) -> ArchiveUID {
      uid.rawValue < count ? ArchiveUID(rawValue: numbers[Int(uid.rawValue)]) : uid
    }
    func move(_ value: KeyedArchive.StoredValue) -> KeyedArchive.StoredValue {
      switch value {
      case .reference(let uid): .reference(move(uid))
      case .array(let values): .array(values.map { move($0) })
      case .dictionary(let entries): .dictionary(entries.map { .init($0.key, move($0.value)) })
      default: value
      }
    }
    // A file of its own, for the oldest archivers stored equal values of all objects once.
    var file = ArchiveFile()
    for _ in 1..<archive.objectCount { _ = file.object(row: file.row(.string("$null"))) }
    var moved = try KeyedArchive(file.data(top: [], archiver: archive.archiverName), archivers: .any)
    for number in 0..<count {
      let uid = ArchiveUID(rawValue: number)
      var object = try archive.object(uid)
      if case .instance(let classUID, let entries) = object {
        object = .instance(
          class: move(classUID), entries.shuffled(using: &random).map { .init($0.key, move($0.value)) })
      }
      try moved.setObject(move(uid), to: object)
    }
    for entry in try archive.top { try moved.setTopValue(move(entry.value), forKey: entry.key) }
    return try KeyedArchive(moved.data(format: .binary), archivers: .any)
  }
}
