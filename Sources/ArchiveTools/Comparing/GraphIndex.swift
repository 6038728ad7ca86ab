// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

/// What is found out about an archive's objects before they are compared with another's: what each is, and a hash of what
/// it holds, by which elements of lists and keys of dictionaries find each other.
///
/// A hash takes in what is below an object on the ways on which a walk from the top meets objects first, and less of what
/// else it refers to; how much less, is its level. So it does not change with what stands above; cycles end; and all
/// hashes together take as long as the archive is. That two hashes are equal is never taken for a proof that the objects
/// are.
struct GraphIndex {
  enum Kind: UInt8 {
    case unknown, null, bare, instance, classRecord
  }

  /// What a hash takes in of an object that is referred to and stands elsewhere.
  enum Level: Int, CaseIterable {
    /// What is below it.
    case deep
    /// Its class and plain values.
    case shallow
    /// Its class.
    case classOnly
    /// Its plain values. No class counts here, neither its own nor those of what is below: objects of classes that were
    /// renamed find each other.
    case withoutClasses

    /// The next one that takes in less.
    var next: Level? { Level(rawValue: rawValue + 1) }
  }

  let archive: KeyedArchive
  /// By object number; an object that cannot be reached from the top is unknown.
  private(set) var kinds: [Kind]
  /// For each level, by object number.
  private var hashes: [[UInt64]]
  /// Which objects more than one reference leads to.
  private(set) var isShared: [Bool]
  /// The hashes of classes and plain values of objects, without what they refer to.
  private var shallow: [UInt64]
  /// The same without classes.
  private var shallowWithoutClasses: [UInt64]
  /// The hashes of objects' classes.
  private var classHashes: [UInt64]
  /// For each object the one in which it was met first; for those on top and for others `none`.
  private var discoverers: [UInt32]
  /// Objects in the order in which they were met.
  private var order: [UInt32] = []
  private var classes: [ArchiveUID: Record] = [:]

  /// What there is to know of a class.
  struct Record {
    let description: ClassDescription
    let family: ComparedContents.Family
    /// The keys of the text or bytes in a string or in data that can change, which is nothing but these.
    let plainKeys: [String]
    let hash: UInt64
    /// That of the name alone.
    let nameHash: UInt64

    init(_ description: ClassDescription) {
      self.description = description
      family = ComparedContents.Family(description)
      plainKeys =
        switch description.name {
        case "NSMutableString": ["NS.string"]
        case "NSMutableData": ["NS.data", "NS.bytes"]
        default: []
        }
      hash = GraphIndex.hash(description)
      nameHash = GraphIndex.hash(ClassDescription(name: description.name, chain: []))
    }
  }

  private static var none: UInt32 { .max }

  /// Walks through an archive from its top.
  /// - Throws: `KeyedArchiveError` for a damaged object, and where more would be looked at than `room` allows.
  init(_ archive: KeyedArchive, room: inout ExpansionBudget) throws(KeyedArchiveError) {
    self.archive = archive
    let count = archive.objectCount
    kinds = [Kind](repeating: .unknown, count: count)
    shallow = [UInt64](repeating: 0, count: count)
    shallowWithoutClasses = shallow
    classHashes = shallow
    hashes = Level.allCases.map { _ in [UInt64](repeating: 0, count: count) }
    isShared = [Bool](repeating: false, count: count)
    discoverers = [UInt32](repeating: Self.none, count: count)
    try meet(in: archive.top, by: Self.none, &room)
    var next = 0
    while next < order.count {
      try look(at: order[next], &room)
      next += 1
    }
    try fill([.shallow, .classOnly, .withoutClasses], &room)
    try fill([.deep], &room)
  }

  /// Computes hashes of objects from those of what they hold.
  private mutating func fill(_ levels: [Level], _ room: inout ExpansionBudget) throws(KeyedArchiveError) {
    // What is met in an object comes behind it.
    for number in order.reversed() where kinds[Int(number)] == .instance {
      let object = try archive.object(ArchiveUID(rawValue: number), room: &room)
      guard case .instance(let classUID, let entries) = object else { continue }
      let record = try record(classUID, &room)
      let contents = ComparedContents(record.family, entries)
      for level in levels {
        hashes[level.rawValue][Int(number)] = hash(record, contents, hasClass: level != .withoutClasses) { child in
          guard kinds[child.index] == .instance, discoverers[child.index] != number else {
            return hashes[level.rawValue][child.index]
          }
          return switch level {
          case .deep: hashes[Level.shallow.rawValue][child.index]
          case .shallow: shallow[child.index]
          case .classOnly: classHashes[child.index]
          case .withoutClasses: shallowWithoutClasses[child.index]
          }
        }
      }
    }
  }

  /// What an object is.
  func kind(of uid: ArchiveUID) -> Kind { uid.index < kinds.count ? kinds[uid.index] : .unknown }

  /// The hash of a value, for which it makes no difference how it is stored.
  func hash(of value: KeyedArchive.StoredValue, _ level: Level = .deep) -> UInt64 {
    hash(of: value) { hashes[level.rawValue][$0.index] }
  }

  /// The hash of an object.
  func hash(of number: UInt32) -> UInt64 { hashes[0][Int(number)] }

  /// The hashes of the first things that an object holds, each with its key; which ones, depends on no hash.
  func parts(_ contents: ComparedContents, atMost count: Int) -> [UInt64] {
    var parts = contents.entries.sorted { $0.key < $1.key }.prefix(count).map { Self.hash($0.key, hash(of: $0.value)) }
    switch contents.members {
    case .none: break
    case .list(let elements), .set(let elements):
      parts += elements.prefix(count).map { Self.mix(1, hash(of: $0), 3) }
    case .pairs(let pairs): parts += pairs.prefix(count).map { Self.mix(hash(of: $0.key), hash(of: $0.value), 4) }
    }
    return parts
  }

  // MARK: Walking

  private mutating func meet(
    in entries: [KeyedArchive.Entry], by number: UInt32, _ room: inout ExpansionBudget
  ) throws(KeyedArchiveError) {
    // By their names, for the order in which keys are stored makes no difference.
    for entry in entries.sorted(by: { $0.key < $1.key }) { try meet(entry.value, by: number, &room) }
  }

  private mutating func meet(
    _ value: KeyedArchive.StoredValue, by number: UInt32, _ room: inout ExpansionBudget
  ) throws(KeyedArchiveError) {
    switch value {
    case .reference(let uid):
      guard uid.index < kinds.count else {
        throw KeyedArchiveError(
          .damagedArchive, "a reference to object \(uid), where '$objects' holds \(kinds.count)", uid: uid)
      }
      guard uid != .null else {
        kinds[0] = .null
        return
      }
      guard kinds[uid.index] == .unknown else {
        isShared[uid.index] = true
        return
      }
      // What it is will be known when it is looked at; until then, that it was met.
      kinds[uid.index] = .null
      discoverers[uid.index] = number
      order.append(uid.rawValue)
    case .array(let values): for value in values { try meet(value, by: number, &room) }
    case .dictionary(let entries): try meet(in: entries, by: number, &room)
    default: break
    }
  }

  private mutating func look(at number: UInt32, _ room: inout ExpansionBudget) throws(KeyedArchiveError) {
    let index = Int(number)
    switch try archive.object(ArchiveUID(rawValue: number), room: &room) {
    case .null: break
    case .bare(let value):
      kinds[index] = .bare
      setAll(index, hash(of: value))
    case .classRecord(let description):
      kinds[index] = .classRecord
      setAll(index, Self.hash(description))
    case .instance(let classUID, let entries):
      kinds[index] = .instance
      let record = try record(classUID, &room)
      classHashes[index] = record.hash
      let contents = ComparedContents(record.family, entries)
      shallow[index] = hash(record, contents) { _ in 0 }
      shallowWithoutClasses[index] = hash(record, contents, hasClass: false) { _ in 0 }
      try meet(in: entries, by: number, &room)
    }
  }

  private mutating func setAll(_ index: Int, _ hash: UInt64) {
    for level in Level.allCases { hashes[level.rawValue][index] = hash }
  }

  /// The class record with a number.
  mutating func record(_ uid: ArchiveUID, _ room: inout ExpansionBudget) throws(KeyedArchiveError) -> Record {
    if let known = classes[uid] { return known }
    guard case .classRecord(let description) = try archive.object(uid, room: &room) else {
      throw KeyedArchiveError(
        .damagedArchive, "object \(uid) stands for a class, but it has no '$classname'", uid: uid)
    }
    let found = Record(description)
    classes[uid] = found
    return found
  }

  // MARK: Hashing

  private func hash(
    _ record: Record, _ contents: ComparedContents, hasClass: Bool = true, _ reference: (ArchiveUID) -> UInt64
  ) -> UInt64 {
    if let plain = contents.plain(under: record.plainKeys) { return hash(of: plain, reference) }
    var sum = hasClass ? record.hash : 0
    // Sums, where order makes no difference.
    for entry in contents.entries { sum &+= Self.hash(entry.key, hash(of: entry.value, reference)) }
    switch contents.members {
    case .none: break
    case .list(let elements):
      sum &+= elements.reduce(UInt64(elements.count)) { Self.mix($0, hash(of: $1, reference), 2) }
    case .set(let elements): sum &+= elements.reduce(0) { $0 &+ Self.mix(1, hash(of: $1, reference), 3) }
    case .pairs(let pairs):
      for pair in pairs { sum &+= Self.mix(hash(of: pair.key, reference), hash(of: pair.value, reference), 4) }
    }
    return Self.mix(sum, 1, 5)
  }

  private func hash(of value: KeyedArchive.StoredValue, _ reference: (ArchiveUID) -> UInt64) -> UInt64 {
    var hasher = Hasher()
    switch value {
    case .reference(let uid): return reference(uid)
    case .boolean(let value): hasher.combine(value ? 1 : 2)
    case .integer(let value): hasher.combine(Int128(value))
    case .wideInteger(let value): hasher.combine(value)
    case .float(let value): hasher.combine(Double(value).bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .date(let value):
      hasher.combine(3)
      hasher.combine(value.bitPattern)
    case .string(let text): hasher.combine(BytewiseString(text))
    case .data(let bytes): hasher.combine(FullyHashedData(bytes))
    case .array(let values):
      hasher.combine(values.count)
      for value in values { hasher.combine(hash(of: value, reference)) }
    case .dictionary(let entries):
      hasher.combine(entries.reduce(UInt64(entries.count)) { $0 &+ Self.hash($1.key, hash(of: $1.value, reference)) })
    }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  private static func hash(_ description: ClassDescription) -> UInt64 {
    var hasher = Hasher()
    for name in [description.name] + description.chain + description.hints { hasher.combine(BytewiseString(name)) }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  private static func hash(_ key: String, _ value: UInt64) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(BytewiseString(key))
    hasher.combine(value)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  private static func mix(_ a: UInt64, _ b: UInt64, _ salt: Int) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(a)
    hasher.combine(b)
    hasher.combine(salt)
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }
}
