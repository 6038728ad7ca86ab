// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Finds the objects inside of a document that a save keeps, although the model makes new ones of its values.
///
/// An object of the new archive is one of the old archive if both have the same class, and one of these holds:
/// - They have the same key in the same object or dictionary.
/// - They are elements of the same list, and no other elements of it have their content.
/// - They are at the same index of a list whose length is the same, and neither of them is elsewhere in the other list. The
///   element was edited.
///
/// Elements of sets are new objects. So are elements of a list whose contents occur twice, unless the list is unchanged.
struct NestedUnknownKeys {
  struct Match {
    let old: ArchiveUID
    let new: ArchiveUID
    /// The entries of the old object that the model does not know.
    let unknown: [KeyedArchive.Entry]
  }

  private typealias Triple = (old: ArchiveUID, known: ArchiveUID, new: ArchiveUID)

  private var old: NumberedArchive
  /// The old archive, decoded and encoded by the model.
  private var known: NumberedArchive
  private var new: NumberedArchive
  private var contents = ContentNumbers()
  private var pending: [Triple] = []
  /// The budget of the old objects, because many can share their contents. The others were made by the model.
  private var budget: ExpansionBudget

  init(old: KeyedArchive, known: KeyedArchive, new: KeyedArchive) {
    (self.old, self.known, self.new) = (NumberedArchive(old), NumberedArchive(known), NumberedArchive(new))
    budget = old.budget
  }

  /// Returns the objects that can be reached from the documents' objects, without these.
  mutating func matches(from roots: (old: ArchiveUID, known: ArchiveUID, new: ArchiveUID)) throws -> [Match] {
    var matches: [Match] = []
    var seen: Set<ArchiveUID> = [roots.new]
    if case .instance(_, let oldEntries) = try old.archive.object(roots.old, budget: &budget),
      case .instance(_, let knownEntries) = try known.archive.object(roots.known),
      case .instance(_, let newEntries) = try new.archive.object(roots.new)
    {
      addValues(of: oldEntries, knownEntries, newEntries)
    }
    while let triple = pending.popLast() {
      guard seen.insert(triple.new).inserted,
        case (.instance(let oldClass, let oldEntries), .instance(let knownClass, let knownEntries)) =
          (try old.archive.object(triple.old, budget: &budget), try known.archive.object(triple.known)),
        case .instance(let newClass, let newEntries) = try new.archive.object(triple.new),
        let name = try name(of: newClass, in: new.archive), try self.name(of: knownClass, in: known.archive) == name,
        try self.name(of: oldClass, in: old.archive) == name
      else { continue }
      // The elements of a set have no order by which those of two archives could be compared.
      if ["NSSet", "NSMutableSet", "NSCountedSet"].contains(where: { $0 == name }) { continue }
      if let lists = Lists(oldEntries, knownEntries, newEntries) {
        try add(lists)
      } else {
        let keys = Set((knownEntries + newEntries).map { BytewiseString($0.key) })
        let unknown = oldEntries.filter { !keys.contains(BytewiseString($0.key)) }
        matches.append(Match(old: triple.old, new: triple.new, unknown: unknown))
        addValues(of: oldEntries, knownEntries, newEntries)
      }
    }
    return matches
  }

  private func name(of uid: ArchiveUID, in archive: KeyedArchive) throws -> String? {
    guard case .classRecord(let description) = try archive.object(uid) else { return nil }
    return description.name
  }

  /// Adds the objects that three objects have for the same key.
  private mutating func addValues(
    of oldEntries: [KeyedArchive.Entry], _ knownEntries: [KeyedArchive.Entry], _ newEntries: [KeyedArchive.Entry]
  ) {
    let oldReferences = Self.references(oldEntries)
    let knownReferences = Self.references(knownEntries)
    for entry in newEntries {
      let key = BytewiseString(entry.key)
      guard case .reference(let uid) = entry.value, let old = oldReferences[key], let known = knownReferences[key]
      else {
        continue
      }
      pending.append((old, known, uid))
    }
  }

  private static func references(_ entries: [KeyedArchive.Entry]) -> [BytewiseString: ArchiveUID] {
    var references: [BytewiseString: ArchiveUID] = [:]
    for entry in entries {
      if case .reference(let uid) = entry.value { references[BytewiseString(entry.key)] = uid }
    }
    return references
  }

  // MARK: Collections

  /// The elements of three arrays, or the values of three dictionaries with their keys.
  private struct Lists {
    struct List {
      var keys: [ArchiveUID]?
      var objects: [ArchiveUID]

      /// Creates a list from the entries of an array or a dictionary. For other objects the result is nil.
      init?(_ entries: [KeyedArchive.Entry]) {
        guard let objects = Self.references("NS.objects", entries) else { return nil }
        self.objects = objects
        keys = Self.references("NS.keys", entries)
        if let keys, keys.count != objects.count { return nil }
      }

      private static func references(_ key: String, _ entries: [KeyedArchive.Entry]) -> [ArchiveUID]? {
        guard case .array(let values)? = entries.first(where: { $0.key == key })?.value else { return nil }
        return values.map { if case .reference(let uid) = $0 { uid } else { ArchiveUID(rawValue: 0) } }
      }
    }

    let old: List
    let known: List
    let new: List

    init?(
      _ old: [KeyedArchive.Entry], _ known: [KeyedArchive.Entry], _ new: [KeyedArchive.Entry]
    ) {
      guard let old = List(old), let known = List(known), let new = List(new) else { return nil }
      (self.old, self.known, self.new) = (old, known, new)
    }
  }

  private mutating func add(_ lists: Lists) throws {
    switch (lists.old.keys, lists.known.keys, lists.new.keys) {
    case (let oldKeys?, let knownKeys?, let newKeys?):
      let oldIndexes = Dictionary(try oldKeys.enumerated().map { (try number(ofOld: $1), $0) }) { first, _ in first }
      let knownIndexes = Dictionary(try knownKeys.enumerated().map { (try number(ofKnown: $1), $0) }) { first, _ in
        first
      }
      for (index, key) in newKeys.enumerated() {
        guard let number = try number(ofNew: key), let old = oldIndexes[number], let known = knownIndexes[number] else {
          continue
        }
        pending.append((lists.old.objects[old], lists.known.objects[known], lists.new.objects[index]))
      }
    case (nil, nil, nil): try addElements(lists.old.objects, lists.known.objects, lists.new.objects)
    default: break
    }
  }

  /// Adds the elements of arrays. A set has the form of an array, and no order.
  private mutating func addElements(_ old: [ArchiveUID], _ known: [ArchiveUID], _ new: [ArchiveUID]) throws {
    guard old.count == known.count else { return }
    let knownNumbers = try known.map { try number(ofKnown: $0) }
    let newNumbers = try new.map { try number(ofNew: $0) }
    func add(_ index: Int, _ newIndex: Int) { pending.append((old[index], known[index], new[newIndex])) }
    if knownNumbers == newNumbers {
      for index in new.indices { add(index, index) }
      return
    }
    let (knownIndexes, newIndexes) = (Self.indexes(knownNumbers), Self.indexes(newNumbers))
    // In the order of the elements, because objects are added to the archive in the order of these pairs.
    for index in new.indices {
      guard let number = newNumbers[index], newIndexes[number]?.count == 1, let others = knownIndexes[number],
        others.count == 1
      else { continue }
      add(others[0], index)
    }
    guard known.count == new.count else { return }
    for index in new.indices {
      guard let knownNumber = knownNumbers[index], let newNumber = newNumbers[index] else { continue }
      if newIndexes[knownNumber] == nil, knownIndexes[newNumber] == nil { add(index, index) }
    }
  }

  private static func indexes(_ numbers: [Int?]) -> [Int: [Int]] {
    var indexes: [Int: [Int]] = [:]
    for case (let index, let number?) in numbers.enumerated() { indexes[number, default: []].append(index) }
    return indexes
  }

  private mutating func number(ofOld uid: ArchiveUID) throws -> Int? { try contents.number(of: uid, in: &old) }
  private mutating func number(ofKnown uid: ArchiveUID) throws -> Int? { try contents.number(of: uid, in: &known) }
  private mutating func number(ofNew uid: ArchiveUID) throws -> Int? { try contents.number(of: uid, in: &new) }
}

/// An archive with the numbers of its objects' contents, each of which is read once.
private struct NumberedArchive {
  let archive: KeyedArchive
  /// The numbers so far; nil for an object that contains itself.
  var numbers: [ArchiveUID: Int?] = [:]
  /// Many objects can share their contents.
  var budget: ExpansionBudget

  init(_ archive: KeyedArchive) {
    self.archive = archive
    budget = archive.budget
  }
}

/// Numbers for contents of objects in several archives. Objects have the same number if they have the same content.
private struct ContentNumbers {
  /// The levels of objects that fit every stack. A file can nest them more deeply.
  private static let maximumDepth = 64

  /// By arrays, because `Data` hashes only its first 80 bytes. Contents with an equal beginning would be compared one by
  /// one.
  private var numbers: [[UInt8]: Int] = [:]
  private var depth = 0

  /// Returns the number of an object's content; nil for an object that contains itself, or that nests too deeply.
  mutating func number(of uid: ArchiveUID, in archive: inout NumberedArchive) throws -> Int? {
    if let number = archive.numbers[uid] { return number }
    guard depth < Self.maximumDepth else { return nil }
    depth += 1
    defer { depth -= 1 }
    // Until the content is known, the object counts as one that contains itself.
    archive.numbers[uid] = .some(nil)
    var bytes: [UInt8] = []
    var isFinite = true
    switch try archive.archive.object(uid, budget: &archive.budget) {
    case .null: bytes.append(0)
    case .primitive(let value):
      bytes.append(1)
      isFinite = try append(value, &archive, to: &bytes)
    case .classRecord(let description):
      bytes.append(2)
      for name in description.chain { append(name, to: &bytes) }
    case .instance(let record, let entries):
      bytes.append(3)
      isFinite = try append(.reference(record), &archive, to: &bytes)
      for entry in entries where isFinite {
        append(entry.key, to: &bytes)
        isFinite = try append(entry.value, &archive, to: &bytes)
      }
    }
    guard isFinite else { return nil }
    let number = numbers[bytes] ?? numbers.count
    numbers[bytes] = number
    archive.numbers[uid] = number
    return number
  }

  private func append(_ text: String, to bytes: inout [UInt8]) {
    append(UInt64(text.utf8.count), to: &bytes)
    bytes.append(contentsOf: text.utf8)
  }

  private func append(_ number: UInt64, to bytes: inout [UInt8]) {
    for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(shift)))) }
  }

  /// Appends a value, and returns `false` if it leads to an object that contains itself.
  private mutating func append(
    _ value: KeyedArchive.StoredValue, _ archive: inout NumberedArchive, to bytes: inout [UInt8]
  ) throws -> Bool {
    func append(_ kind: UInt8, _ numbers: UInt64...) {
      bytes.append(kind)
      for number in numbers { self.append(number, to: &bytes) }
    }
    switch value {
    case .reference(let uid):
      guard let number = try number(of: uid, in: &archive) else { return false }
      append(0, UInt64(number))
    case .boolean(let value): append(1, value ? 1 : 0)
    case .integer(let value): append(2, UInt64(bitPattern: value))
    case .wideInteger(let high, let low): append(3, UInt64(bitPattern: high), low)
    case .float(let value): append(4, UInt64(value.bitPattern))
    case .double(let value): append(5, value.bitPattern)
    case .date(let value): append(6, value.bitPattern)
    case .data(let value):
      append(7, UInt64(value.count))
      bytes.append(contentsOf: value)
    case .string(let value):
      append(8)
      self.append(value, to: &bytes)
    case .array(let values):
      append(9, UInt64(values.count))
      for value in values {
        guard try self.append(value, &archive, to: &bytes) else { return false }
      }
    case .dictionary(let entries):
      append(10, UInt64(entries.count))
      for entry in entries {
        self.append(entry.key, to: &bytes)
        guard try self.append(entry.value, &archive, to: &bytes) else { return false }
      }
    }
    return true
  }
}
