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

/// The kinds and content hashes of an archive's objects, computed before a comparison to find matching elements.
///
/// A hash covers the objects first reached through its object, and less of other objects it refers to, depending on the
/// ``Level``. So hashes do not depend on referrers, cycles terminate, and all hashes take linear time. Equal hashes
/// never prove equality.
///
/// A class, because closures that look up hashes would copy all arrays of a value for each reference.
final class GraphIndex {
  /// How much of a referenced object a hash covers, if the object was first reached through another one.
  enum Level: Int, CaseIterable {
    /// Its contents.
    case deep
    /// Its contents, those of the objects that it refers to, and so on, a fixed number of times. It does not count
    /// through which object an object was first reached, which depends on the stored order of sets.
    case unfolded
    /// Its class and primitives.
    case shallow
    /// Its class.
    case classOnly
    /// Its primitives. Classes do not count at all, so that objects of renamed classes match.
    case withoutClasses

    /// The next level, which covers less.
    var next: Level? { Level(rawValue: rawValue + 1) }
  }

  let archive: KeyedArchive
  /// The places of reached objects in the other arrays, by UID. Nil and unreachable objects are at place 0.
  ///
  /// An element of `$objects` takes one byte of a file, but to reach it, a file needs a reference of several bytes. So nothing
  /// else has an element for each object.
  private var places: [UInt32]
  /// The reached objects by place.
  private var reached = [Reached(kind: .missing, discoverer: none)]
  /// The hashes for each level, by place.
  private var hashes: [[UInt64]] = Level.allCases.map { _ in [0] }
  /// Objects in the order in which they were reached, which is that of their places.
  private(set) var order: [UInt32] = []
  private var classes: [ArchiveUID: Record] = [:]
  private let primitiveHashes: SharedContents<UInt64>
  private var isUnfolded = false

  /// A reached object.
  private struct Reached {
    var kind: KeyedArchive.Node.Kind
    /// The object from which it was reached first; `none` for a top-level value.
    let discoverer: UInt32
    /// Whether more than one reference leads to it.
    var isShared = false
    /// The hash of its class and primitives, without references.
    var shallow: UInt64 = 0
    /// The hash of its primitives, without references.
    var shallowWithoutClass: UInt64 = 0
    var classHash: UInt64 = 0
  }

  /// A class with its properties for comparisons.
  struct Record {
    let description: ClassDescription
    let containerKind: ObjectContents.ContainerKind
    /// The possible keys of the content of a mutable string or mutable data, which has no other entries.
    let contentKeys: [String]
    let hash: UInt64
    /// The hash of the name only.
    let nameHash: UInt64

    init(_ description: ClassDescription) {
      self.description = description
      containerKind = ObjectContents.ContainerKind(description)
      contentKeys =
        switch description.name {
        case "NSMutableString": ["NS.string"]
        case "NSMutableData": ["NS.data", "NS.bytes"]
        default: []
        }
      hash = GraphIndex.hash(description)
      nameHash = GraphIndex.hash(ClassDescription(name: description.name, chain: []))
    }
  }

  /// An object of a class, as it was read.
  struct Instance {
    let classUID: ArchiveUID
    let record: Record
    let contents: ObjectContents
    /// The bytes of the keys.
    let keyBytes: Int64

    init(_ classUID: ArchiveUID, _ record: Record, _ entries: [KeyedArchive.Entry]) {
      self.classUID = classUID
      self.record = record
      contents = ObjectContents(entries, of: record.containerKind)
      keyBytes = contents.entries.reduce(0) { $0 + Int64($1.key.utf8.count) }
    }

    /// The number of entries and members.
    var count: Int { contents.entries.count + contents.members.count }
  }

  private static var none: UInt32 { .max }

  /// Traverses an archive from its top-level values.
  /// - Parameters:
  ///   - archive: The archive.
  ///   - budget: The expansion budget.
  ///   - hasSimilarity: Whether to compute the hashes by which objects that differ are similar.
  /// - Throws: `KeyedArchiveError` if an object is damaged or the budget is exhausted.
  init(
    _ archive: KeyedArchive, budget: inout ExpansionBudget, hasSimilarity: Bool = true
  ) throws(KeyedArchiveError) {
    self.archive = archive
    primitiveHashes = SharedContents(of: archive, Self.hash(ofPrimitive:))
    places = [UInt32](repeating: 0, count: archive.objectCount)
    try visit(in: archive.top, by: Self.none, &budget)
    var next = 0
    while next < order.count {
      try inspect(order[next], &budget)
      next += 1
    }
    try fill(hasSimilarity ? [.shallow, .classOnly, .withoutClasses] : [.shallow], &budget)
    try fill([.deep], &budget)
  }

  /// The number of places, with that of nil and unreachable objects.
  var placeCount: Int { reached.count }

  /// Returns the place of an object.
  func place(of uid: ArchiveUID) -> Int { Int(places[uid.index]) }

  private func place(_ number: UInt32) -> Int { Int(places[Int(number)]) }

  /// Adds an object that was reached from another one.
  private func addPlace(of uid: ArchiveUID, from number: UInt32) {
    places[uid.index] = UInt32(reached.count)
    // `inspect` sets the kind and the hashes.
    reached.append(Reached(kind: .null, discoverer: number))
    for level in hashes.indices { hashes[level].append(0) }
    order.append(uid.rawValue)
  }

  /// Returns whether an object is an instance of a class.
  func isObject(_ uid: ArchiveUID) -> Bool { reached[place(of: uid)].kind == .object }

  /// Returns whether more than one reference leads to an object.
  func isShared(_ uid: ArchiveUID) -> Bool { reached[place(of: uid)].isShared }

  /// The number of references that the level ``Level/unfolded`` follows.
  private static let unfoldedDistance = 3

  /// Computes the hashes of a level that most comparisons do not need.
  func prepare(_ level: Level, _ budget: inout ExpansionBudget) throws(KeyedArchiveError) {
    guard level == .unfolded, !isUnfolded else { return }
    isUnfolded = true
    let level = level.rawValue
    for place in reached.indices where reached[place].kind == .object { hashes[level][place] = reached[place].shallow }
    for _ in 0..<Self.unfoldedDistance {
      let before = hashes[level]
      for number in order {
        guard let instance = try keptInstance(number, &budget) else { continue }
        hashes[level][place(number)] = hash(instance.record, instance.contents) { before[place(of: $0)] }
      }
    }
  }

  /// The objects that were read, by UID. Each level and each comparison needs them again.
  private var kept: [UInt32: Instance] = [:]
  /// The number of objects, entries and members in them.
  private var keptCount = 0
  private static let maximumKeptCount = 1 << 16

  private func keep(_ instance: Instance, _ number: UInt32) {
    keptCount += 1 + instance.count
    if keptCount <= Self.maximumKeptCount { kept[number] = instance }
  }

  /// Returns an object of a class; nil for another object. A kept object is not charged, so only code that needs each
  /// object a fixed number of times may call it.
  private func keptInstance(
    _ number: UInt32, _ budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> Instance? {
    guard reached[place(number)].kind == .object else { return nil }
    if let kept = kept[number] { return kept }
    guard let (classUID, entries) = try read(number, &budget) else { return nil }
    let instance = Instance(classUID, try record(classUID, &budget), entries)
    keep(instance, number)
    return instance
  }

  /// Returns an object of a class, and charges for each call, because one large object can be compared with many.
  func instance(
    _ uid: ArchiveUID, _ budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> Instance {
    if let kept = kept[uid.rawValue] {
      guard budget.take(ExpansionBudget.element * Int64(1 + kept.count)), budget.touch(kept.keyBytes) else {
        throw GraphComparison.tooMuch
      }
      return kept
    }
    guard let (classUID, entries) = try read(uid.rawValue, &budget) else {
      throw KeyedArchiveError(.damagedArchive, "invalid object \(uid): '$class' is missing", uid: uid)
    }
    return Instance(classUID, try record(classUID, &budget), entries)
  }

  private func read(
    _ number: UInt32, _ budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> (classUID: ArchiveUID, entries: [KeyedArchive.Entry])? {
    guard case .instance(let classUID, let entries) = try archive.object(ArchiveUID(rawValue: number), budget: &budget)
    else { return nil }
    return (classUID, entries)
  }

  /// Computes the hashes of objects from those of their contents. The method ``prepare(_:_:)`` computes those of
  /// ``Level/unfolded``.
  private func fill(_ levels: [Level], _ budget: inout ExpansionBudget) throws(KeyedArchiveError) {
    // In reverse order, objects precede those from which they were reached.
    for number in order.reversed() {
      guard let instance = try keptInstance(number, &budget) else { continue }
      for level in levels {
        let hasClass = level != .withoutClasses
        hashes[level.rawValue][place(number)] = hash(instance.record, instance.contents, hasClass: hasClass) { child in
          let place = place(of: child)
          let child = reached[place]
          guard child.kind == .object, child.discoverer != number else { return hashes[level.rawValue][place] }
          return switch level {
          case .deep, .unfolded: hashes[Level.shallow.rawValue][place]
          case .shallow: child.shallow
          case .classOnly: child.classHash
          case .withoutClasses: child.shallowWithoutClass
          }
        }
      }
    }
  }

  /// Returns the kind of a value; that of a reference is the kind of its object.
  func kind(of value: KeyedArchive.StoredValue) -> KeyedArchive.Node.Kind {
    switch value {
    case .reference(.null): .null
    case .reference(let uid): uid.index < places.count ? reached[place(of: uid)].kind : .missing
    case .array: .array
    case .dictionary: .dictionary
    default: value.primitiveKind.map { .primitive($0) } ?? .missing
    }
  }

  /// Returns the hash of a value, which does not depend on the form in which the value is stored.
  func hash(of value: KeyedArchive.StoredValue, _ level: Level = .deep) -> UInt64 {
    hash(of: value) { hashes[level.rawValue][place(of: $0)] }
  }

  /// Returns the deep hash of an object.
  func hash(of number: UInt32) -> UInt64 { hashes[0][place(number)] }

  /// Returns the hashes of an object's first parts with their keys. The selection does not depend on hashes.
  func parts(_ contents: ObjectContents, atMost count: Int) -> [UInt64] {
    var parts = contents.entries.sorted { $0.key < $1.key }.prefix(count).map { hash($0.key, hash(of: $0.value)) }
    switch contents.members {
    case .none: break
    case .list(let elements), .set(let elements):
      parts += elements.prefix(count).map { Self.mix(1, hash(of: $0), 3) }
    case .pairs(let pairs): parts += pairs.prefix(count).map { Self.mix(hash(of: $0.key), hash(of: $0.value), 4) }
    }
    return parts
  }

  /// Returns the objects that an object refers to.
  func references(of instance: Instance) -> [ArchiveUID] {
    var references: [ArchiveUID] = []
    for entry in instance.contents.entries { archive.collect(entry.value, into: &references) }
    switch instance.contents.members {
    case .none: break
    case .list(let elements), .set(let elements):
      for element in elements { archive.collect(element, into: &references) }
    case .pairs(let pairs):
      for pair in pairs {
        archive.collect(pair.key, into: &references)
        archive.collect(pair.value, into: &references)
      }
    }
    return references
  }

  // MARK: Traversal

  private func visit(
    in entries: [KeyedArchive.Entry], by number: UInt32, _ budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) {
    var leading: [KeyedArchive.Entry] = []
    for entry in entries {
      switch entry.value {
      // Objects with many references that share them need no order.
      case .reference(let uid) where uid.index < places.count && place(of: uid) != 0:
        reached[place(of: uid)].isShared = true
      case .reference, .array, .dictionary: leading.append(entry)
      default: break
      }
    }
    // Sorted, because the stored order of keys does not count.
    for entry in leading.sorted(by: { $0.key < $1.key }) { try visit(entry.value, by: number, &budget) }
  }

  private func visit(
    _ value: KeyedArchive.StoredValue, by number: UInt32, _ budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) {
    switch value {
    case .reference(let uid):
      guard uid.index < places.count else {
        throw KeyedArchiveError.dangling(uid, objectCount: places.count)
      }
      guard uid != .null else { return }
      guard place(of: uid) == 0 else {
        reached[place(of: uid)].isShared = true
        return
      }
      addPlace(of: uid, from: number)
    case .array(let values): for value in values { try visit(value, by: number, &budget) }
    case .dictionary(let entries): try visit(in: entries, by: number, &budget)
    default: break
    }
  }

  private func inspect(_ number: UInt32, _ budget: inout ExpansionBudget) throws(KeyedArchiveError) {
    let index = place(number)
    switch try archive.object(ArchiveUID(rawValue: number), budget: &budget) {
    case .null: break
    case .primitive(let value):
      reached[index].kind = kind(of: value)
      setAll(index, hash(of: value))
    case .classRecord(let description):
      reached[index].kind = .classRecord
      setAll(index, Self.hash(description))
    case .instance(let classUID, let entries):
      reached[index].kind = .object
      let instance = Instance(classUID, try record(classUID, &budget), entries)
      reached[index].classHash = instance.record.hash
      reached[index].shallow = hash(instance.record, instance.contents) { _ in 0 }
      reached[index].shallowWithoutClass = hash(instance.record, instance.contents, hasClass: false) { _ in 0 }
      keep(instance, number)
      try visit(in: entries, by: number, &budget)
    }
  }

  private func setAll(_ index: Int, _ hash: UInt64) {
    for level in Level.allCases { hashes[level.rawValue][index] = hash }
  }

  /// Returns the class record with a UID.
  func record(_ uid: ArchiveUID, _ budget: inout ExpansionBudget) throws(KeyedArchiveError) -> Record {
    if let known = classes[uid] { return known }
    let found = Record(try archive.classDescription(uid, budget: &budget))
    classes[uid] = found
    return found
  }

  // MARK: Hashing

  /// Returns the hash of an object, with the given hashes of the objects that it refers to.
  func hash(
    _ record: Record, _ contents: ObjectContents, hasClass: Bool = true, _ reference: (ArchiveUID) -> UInt64
  ) -> UInt64 {
    if let primitive = contents.soleValue(under: record.contentKeys) { return hash(of: primitive, reference) }
    var sum = hasClass ? record.hash : 0
    // Sums, because the order of entries does not count.
    for entry in contents.entries { sum &+= hash(entry.key, hash(of: entry.value, reference)) }
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
    switch value {
    case .reference(let uid): return reference(uid)
    case .array(let values):
      var hasher = Hasher()
      hasher.combine(values.count)
      for value in values { hasher.combine(hash(of: value, reference)) }
      return UInt64(truncatingIfNeeded: hasher.finalize())
    case .dictionary(let entries):
      var hasher = Hasher()
      hasher.combine(entries.reduce(UInt64(entries.count)) { $0 &+ hash($1.key, hash(of: $1.value, reference)) })
      return UInt64(truncatingIfNeeded: hasher.finalize())
    default: return value.isLongContent ? primitiveHashes[value] : Self.hash(ofPrimitive: value)
    }
  }

  private static func hash(ofPrimitive value: KeyedArchive.StoredValue) -> UInt64 {
    var hasher = Hasher()
    switch value {
    case .boolean(let value): hasher.combine(value ? 1 : 2)
    case .integer(let value): hasher.combine(WideInteger(value))
    case .wideInteger(let high, let low): hasher.combine(WideInteger(high: high, low: low))
    case .float(let value): hasher.combine(Double(value).bitPattern)
    case .double(let value): hasher.combine(value.bitPattern)
    case .date(let value):
      hasher.combine(3)
      hasher.combine(value.bitPattern)
    case .string(let text): hasher.combine(BytewiseString(text))
    case .data(let bytes): hasher.combine(FullyHashedData(bytes))
    case .reference, .array, .dictionary: break
    }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  private static func hash(_ description: ClassDescription) -> UInt64 {
    var hasher = Hasher()
    for name in [description.name] + description.chain + description.hints { hasher.combine(BytewiseString(name)) }
    return UInt64(truncatingIfNeeded: hasher.finalize())
  }

  private func hash(_ key: String, _ value: UInt64) -> UInt64 {
    var hasher = Hasher()
    // Many objects can share the bytes of a long key.
    if key.isLongContent {
      hasher.combine(primitiveHashes[.string(key)])
    } else {
      hasher.combine(BytewiseString(key))
    }
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
