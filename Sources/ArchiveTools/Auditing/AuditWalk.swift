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

/// Traverses the objects reachable from `$top` and collects an audit. Iterative, because graphs may be deep.
struct AuditWalk {
  typealias Place = PathTree.Place

  /// A position whose values are counted: a key of a class's objects, a top-level key, or members of collections there.
  private struct Slot {
    var counts: [Kind: Int] = [:]
    /// The nesting level of collections.
    var depth: Int
    /// The slots for the elements, keys and values of the collections here, or -1.
    var inner = [-1, -1, -1]
  }

  /// A value's kind, with the index of its class instead of the name, which may be long.
  private enum Kind: Hashable {
    case null, array, dictionary, classRecord
    case primitive(KeyedArchive.PrimitiveKind, isBoxed: Bool)
    /// An integer of 16 bytes, which is an `unsigned` primitive whatever its value.
    case wideInteger(fitsInt64: Bool, fitsUInt64: Bool, isBoxed: Bool)
    case object(Int)

    /// The kind of a primitive; nil for other values.
    init?(primitive value: KeyedArchive.StoredValue, isBoxed: Bool) {
      if case .wideInteger(let high, let low) = value {
        let integer = WideInteger(high: high, low: low)
        self = .wideInteger(
          fitsInt64: Int64(exactly: integer) != nil, fitsUInt64: UInt64(exactly: integer) != nil, isBoxed: isBoxed)
      } else {
        guard let kind = value.primitiveKind else { return nil }
        self = .primitive(kind, isBoxed: isBoxed)
      }
    }
  }

  /// A class with its uses.
  private struct Class {
    var use: ArchiveAudit.ClassUse
    let containerKind: ObjectContents.ContainerKind
    /// Whether the members of an object count as those of the values around it.
    private(set) var isCollection: Bool
    var slots: [BytewiseString: Int] = [:]
    var patterns: Set<Int> = []

    init(_ name: String, _ description: ClassDescription) {
      use = ArchiveAudit.ClassUse(name: name)
      containerKind = ObjectContents.ContainerKind(description)
      isCollection = AuditWalk.collectionNames.contains(name)
    }

    /// Adds a class record. A class that only its hints name as a collection is decoded as one, with the list around it.
    mutating func add(_ description: ClassDescription) {
      use.add(description)
      isCollection = isCollection || description.hints.contains { AuditWalk.collectionNames.contains($0) }
    }
  }

  private enum Inner: Int { case element, pairKey, pairValue }

  /// A key path without indexes.
  private struct Pattern: Hashable {
    var parent: Int
    /// The number of the key; -1 for the elements of a collection.
    var key: Int
  }

  /// The maximum level of collections. Members of deeper collections count as members of the collection around them.
  private static let maximumLevels = 8
  /// The number of levels that a collection as a key of a dictionary counts for. A dictionary that contains itself, as a key and
  /// as a value, would otherwise have a slot for each sequence of keys and values.
  private static let keyLevels = 4
  /// The maximum nesting of archives in data.
  private static let maximumNesting = 8

  private(set) var audit = ArchiveAudit()
  private let archive: KeyedArchive
  private let followsNested: Bool
  private let nesting: Int
  private var budget: ExpansionBudget
  private var slots: [Slot] = []
  private var topSlots: [BytewiseString: Int] = [:]
  private var classes: [Class] = []
  private var classesByName: [BytewiseString: Int] = [:]
  private var classesByRecord: [ArchiveUID: Int] = [:]
  /// The kinds of visited objects.
  private var kinds: [ArchiveUID: Kind] = [:]
  private var queue: [(uid: ArchiveUID, place: Place, pattern: Int)] = []
  private var isQueued: [Bool]
  /// Collections whose members remain to be counted in a slot.
  private var collections: [(uid: ArchiveUID, slot: Int)] = []
  private var counted: Set<UInt64> = []
  private var pathTree = PathTree()
  private var patterns: [Pattern: Int] = [:]
  /// The places of the patterns.
  private var places: [AuditPlace] = []
  private var keyNumbers: [BytewiseString: Int] = [:]
  /// The numbers of long inline keys that many dictionaries share, so that each is hashed once.
  private var sharedKeyNumbers: [ObjectRef: Int] = [:]

  init(_ archive: KeyedArchive, followingNestedArchives: Bool, nesting: Int = 0) {
    self.archive = archive
    followsNested = followingNestedArchives
    self.nesting = nesting
    isQueued = [Bool](repeating: false, count: archive.objectCount)
    // Each object is visited twice, and a collection once more for each slot.
    let list = archive.list
    budget = ExpansionBudget(
      byteCount: 4 * Int64(list.byteCount), editedWeight: 4 * list.editedWeight, limits: list.limits)
  }

  mutating func run() throws(KeyedArchiveError) {
    audit.archiveCount = 1
    audit.recordNames = Set(archive.classNames.lazy.map { BytewiseString($0) })
    audit.archivers = [BytewiseString(archive.archiverName): 1]
    for entry in try archive.top {
      let key = BytewiseString(entry.key)
      let slot = topSlots[key] ?? newSlot(depth: 0)
      topSlots[key] = slot
      try count(entry.value, in: slot)
      try visit(entry.value, .key(entry.key), at: -1, pattern: -1)
    }
    var next = 0
    while next < queue.count {
      let item = queue[next]
      next += 1
      try inspect(item.uid, at: item.place, pattern: item.pattern)
    }
    next = 0
    while next < collections.count {
      let item = collections[next]
      next += 1
      try countMembers(of: item.uid, in: item.slot)
    }
    try finish()
  }

  // MARK: Traversal

  /// Enqueues the objects that a value refers to.
  private mutating func visit(
    _ value: KeyedArchive.StoredValue, _ step: PathTree.Step, at place: Place, pattern: Int
  ) throws(KeyedArchiveError) {
    switch value {
    case .reference(.null): break
    case .reference(let uid):
      guard uid.index < isQueued.count else {
        throw KeyedArchiveError.dangling(uid, objectCount: isQueued.count)
      }
      guard !isQueued[uid.index] else { return }
      isQueued[uid.index] = true
      queue.append((uid, pathTree.add(step, at: place, old: uid, new: uid), self.pattern(pattern, step)))
    case .array(let values):
      let here = pathTree.add(step, at: place)
      let inner = self.pattern(pattern, step)
      for (index, value) in values.enumerated() {
        try visit(value, .element(old: index, new: index), at: here, pattern: inner)
      }
    case .dictionary(let entries):
      let here = pathTree.add(step, at: place)
      let inner = self.pattern(pattern, step)
      for entry in entries { try visit(entry.value, .key(entry.key), at: here, pattern: inner) }
    case .data(let bytes):
      guard followsNested else { return }
      try auditNested(bytes, step, at: place, self.pattern(pattern, step))
    default: break
    }
  }

  private mutating func pattern(_ parent: Int, _ step: PathTree.Step) -> Int {
    let text: String? =
      switch step {
      case .key(let key), .numbered(let key, _, _): key
      case .pairKey: "NS.keys"
      case .element: nil
      }
    let pattern = Pattern(parent: parent, key: text.map { number(ofKey: $0) } ?? -1)
    if let known = patterns[pattern] { return known }
    patterns[pattern] = patterns.count
    var place = parent < 0 ? AuditPlace() : places[parent]
    place.append(text)
    places.append(place)
    return patterns.count - 1
  }

  private mutating func number(ofKey key: String) -> Int {
    let row = archive.sharedRow(of: .string(key))
    if let row, let known = sharedKeyNumbers[row] { return known }
    let number = keyNumbers[BytewiseString(key)] ?? keyNumbers.count
    keyNumbers[BytewiseString(key)] = number
    if let row { sharedKeyNumbers[row] = number }
    return number
  }

  private mutating func inspect(_ uid: ArchiveUID, at place: Place, pattern: Int) throws(KeyedArchiveError) {
    switch try archive.object(uid, budget: &budget) {
    case .null, .classRecord: break
    case .primitive(let value):
      guard let kind = value.primitiveKind else { return }
      try count(classNumber(kind.className), at: place, pattern)
      if case .data(let bytes) = value { try auditNested(bytes, nil, at: place, pattern) }
    case .instance(let classUID, let entries):
      let number = try classNumber(classUID)
      try count(number, at: place, pattern)
      var slots = classes[number].slots
      classes[number].slots = [:]
      for entry in entries {
        let key = BytewiseString(entry.key)
        let slot = slots[key] ?? newSlot(depth: 0)
        slots[key] = slot
        try count(entry.value, in: slot)
      }
      classes[number].slots = slots
      try visitMembers(ObjectContents(entries, of: classes[number].containerKind), at: place, pattern)
    }
  }

  private mutating func visitMembers(
    _ contents: ObjectContents, at place: Place, _ pattern: Int
  ) throws(KeyedArchiveError) {
    for entry in contents.entries { try visit(entry.value, .key(entry.key), at: place, pattern: pattern) }
    switch contents.members {
    case .none: break
    case .list(let elements), .set(let elements):
      for (index, value) in elements.enumerated() {
        try visit(value, .element(old: index, new: index), at: place, pattern: pattern)
      }
    case .pairs(let pairs):
      for (index, pair) in pairs.enumerated() {
        let key: PathTree.Step =
          contents.isCounted
          ? .numbered("NS.object", old: index, new: index) : .pairKey(old: index, new: index)
        try visit(pair.key, key, at: place, pattern: pattern)
        let text = try text(pair.key)
        let value: PathTree.Step = text.map { .key($0) } ?? .element(old: index, new: index)
        try visit(pair.value, value, at: place, pattern: pattern)
      }
    }
  }

  /// Returns the text of a dictionary's key, if the key is a string.
  private mutating func text(_ key: KeyedArchive.StoredValue) throws(KeyedArchiveError) -> String? {
    switch key {
    case .string(let text): return text
    case .reference(let uid):
      guard case .primitive(.string(let text)) = try archive.object(uid, budget: &budget) else { return nil }
      return text
    default: return nil
    }
  }

  /// Returns the index of a class by its record.
  private mutating func classNumber(_ uid: ArchiveUID) throws(KeyedArchiveError) -> Int {
    if let known = classesByRecord[uid] { return known }
    let description = try archive.classDescription(uid, budget: &budget)
    let number = classNumber(description.name, description)
    classes[number].add(description)
    classesByRecord[uid] = number
    return number
  }

  private mutating func classNumber(_ name: String, _ description: ClassDescription? = nil) -> Int {
    if let known = classesByName[BytewiseString(name)] { return known }
    classesByName[BytewiseString(name)] = classes.count
    classes.append(Class(name, description ?? ClassDescription(name: name, chain: [])))
    return classes.count - 1
  }

  /// Counts an object of a class.
  private mutating func count(_ number: Int, at place: Place, _ pattern: Int) throws(KeyedArchiveError) {
    classes[number].use.count += 1
    audit.objectCount += 1
    guard classes[number].patterns.insert(pattern).inserted else { return }
    let auditPlace = places[pattern]
    classes[number].use.places.insert(auditPlace)
    guard classes[number].use.shown.count < ArchiveAudit.maximumPathCount else { return }
    let path = pathTree.text(place, nil, .new)
    try spend(2 * Int64(path.utf8.count))
    classes[number].use.shown.append(ArchiveAudit.ClassUse.Path(text: path, place: auditPlace))
  }

  // MARK: Counting

  private mutating func newSlot(depth: Int) -> Int {
    slots.append(Slot(depth: depth))
    return slots.count - 1
  }

  private mutating func inner(_ inner: Inner, of slot: Int) -> Int {
    guard slots[slot].depth < Self.maximumLevels else { return slot }
    let known = slots[slot].inner[inner.rawValue]
    if known >= 0 { return known }
    let new = newSlot(depth: slots[slot].depth + (inner == .pairKey ? Self.keyLevels : 1))
    slots[slot].inner[inner.rawValue] = new
    return new
  }

  private mutating func count(_ value: KeyedArchive.StoredValue, in slot: Int) throws(KeyedArchiveError) {
    let kind = try kind(of: value)
    slots[slot].counts[kind, default: 0] += 1
    switch value {
    case .reference(let uid):
      guard case .object(let number) = kind, classes[number].isCollection else { return }
      if counted.insert(UInt64(uid.rawValue) << 32 | UInt64(slot)).inserted { collections.append((uid, slot)) }
    case .array(let values):
      let inner = inner(.element, of: slot)
      for value in values { try count(value, in: inner) }
    case .dictionary(let entries):
      let inner = inner(.pairValue, of: slot)
      for entry in entries { try count(entry.value, in: inner) }
    default: break
    }
  }

  private mutating func countMembers(of uid: ArchiveUID, in slot: Int) throws(KeyedArchiveError) {
    guard case .instance(let classUID, let entries) = try archive.object(uid, budget: &budget) else { return }
    let contents = ObjectContents(entries, of: classes[try classNumber(classUID)].containerKind)
    switch contents.members {
    case .none: break
    case .list(let elements), .set(let elements):
      let inner = inner(.element, of: slot)
      for value in elements { try count(value, in: inner) }
    case .pairs(let pairs):
      let keys = inner(contents.isCounted ? .element : .pairKey, of: slot)
      let values = contents.isCounted ? nil : inner(.pairValue, of: slot)
      for pair in pairs {
        try count(pair.key, in: keys)
        if let values { try count(pair.value, in: values) }
      }
    }
  }

  private mutating func kind(of value: KeyedArchive.StoredValue) throws(KeyedArchiveError) -> Kind {
    switch value {
    case .reference(let uid):
      if let known = kinds[uid] { return known }
      let kind: Kind
      switch try archive.object(uid, budget: &budget) {
      case .null: kind = .null
      case .primitive(let value): kind = Kind(primitive: value, isBoxed: true) ?? .null
      case .classRecord: kind = .classRecord
      case .instance(let classUID, _): kind = .object(try classNumber(classUID))
      }
      kinds[uid] = kind
      return kind
    case .array: return .array
    case .dictionary: return .dictionary
    default: return Kind(primitive: value, isBoxed: false) ?? .null
    }
  }

  /// The collections whose members are decoded with the collection's allow list.
  static let collectionNames: Set<BytewiseString> = [
    "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet", "NSMutableOrderedSet", "NSCountedSet",
    "NSDictionary", "NSMutableDictionary",
  ]

  private mutating func spend(_ weight: Int64) throws(KeyedArchiveError) {
    guard budget.take(weight) else {
      throw KeyedArchiveError.expansionLimit(
        "expansion limit reached: the archive's objects share too many values to be audited")
    }
  }

  /// Moves the counts to the audit.
  private mutating func finish() throws(KeyedArchiveError) {
    for (key, slot) in topSlots { audit.topUses[key] = try use(slot) }
    for item in classes where item.use.count > 0 {
      var mine = item.use
      for (key, slot) in item.slots { mine.uses[key] = try use(slot) }
      let name = BytewiseString(mine.name)
      // Nested archives may have added the class.
      if let nested = audit.classTable[name] { mine.merge(nested) }
      audit.classTable[name] = mine
    }
  }

  /// Converts a slot and its inner slots. The recursion is as deep as slots nest.
  ///
  /// Each kind is charged, because it is sorted and printed for each slot. A collection under many keys gives each of their
  /// slots all classes of its members.
  private mutating func use(_ slot: Int) throws(KeyedArchiveError) -> ValueUse {
    var use = ValueUse()
    for (kind, count) in slots[slot].counts {
      if case .wideInteger(let fitsInt64, let fitsUInt64, _) = kind {
        use.exceedsInt64 = use.exceedsInt64 || !fitsInt64
        use.exceedsUInt64 = use.exceedsUInt64 || !fitsUInt64
      }
      let kind = publicKind(kind)
      try spend(4 * (ExpansionBudget.element + Int64(kind.className?.utf8.count ?? 0)))
      use.add(kind, count: count)
    }
    var inner: [[ValueUse]] = []
    for slot in slots[slot].inner { inner.append(slot < 0 ? [] : [try self.use(slot)]) }
    use.elementUse = inner[Inner.element.rawValue]
    use.pairKeyUse = inner[Inner.pairKey.rawValue]
    use.pairValueUse = inner[Inner.pairValue.rawValue]
    return use
  }

  private func publicKind(_ kind: Kind) -> ValueUse.Kind {
    switch kind {
    case .null: .null
    case .array: .array
    case .dictionary: .dictionary
    case .classRecord: .classRecord
    case .primitive(let kind, let isBoxed): .primitive(kind, isBoxed: isBoxed)
    case .wideInteger(_, _, let isBoxed): .primitive(.unsigned, isBoxed: isBoxed)
    case .object(let number): .object(className: classes[number].use.name)
    }
  }

  // MARK: Nested archives

  /// Audits data that is an archive.
  private mutating func auditNested(
    _ bytes: Data, _ step: PathTree.Step?, at place: Place, _ pattern: Int
  ) throws(KeyedArchiveError) {
    guard followsNested, ArchiveBytes.mayBePropertyList(bytes) else { return }
    try spend(16 * Int64(bytes.count))
    let nested: KeyedArchive
    do {
      nested = try KeyedArchive(bytes, limits: archive.list.limits, archivers: .any)
    } catch {
      // Data with the keys of an envelope near its beginning is a damaged archive.
      let wasArchive = error.code != .notAnArchive && ArchiveBytes.mayBeArchive(bytes)
      if wasArchive || error.code == .limitReached { audit.damagedNestedArchiveCount += 1 }
      return
    }
    guard nesting < Self.maximumNesting else {
      audit.damagedNestedArchiveCount += 1
      return
    }
    var walk = AuditWalk(nested, followingNestedArchives: true, nesting: nesting + 1)
    // Use the same budget, because many objects may share the data of an archive, and so may those nested in it.
    walk.budget = budget
    do {
      try walk.run()
      budget = walk.budget
    } catch {
      budget = walk.budget
      guard !budget.isExhausted else { throw error }
      audit.damagedNestedArchiveCount += 1
      return
    }
    try merge(walk.audit, below: pathTree.text(place, step, .new), places[pattern])
  }

  private mutating func merge(
    _ nested: ArchiveAudit, below path: String, _ place: AuditPlace
  ) throws(KeyedArchiveError) {
    var nested = nested
    nested.archiveCount = 0
    nested.archivers = [:]
    nested.nestedArchiveCount += 1
    for (key, use) in nested.topUses { nested.nestedTopUses[key, default: ValueUse()].merge(use) }
    nested.topUses = [:]
    for name in nested.classTable.keys {
      guard var use = nested.classTable.removeValue(forKey: name) else { continue }
      func below(_ inner: AuditPlace) -> AuditPlace {
        var place = place
        place.append(nested: inner)
        return place
      }
      for index in use.shown.indices {
        use.shown[index].text = "\(path) > \(use.shown[index].text)"
        use.shown[index].place = below(use.shown[index].place)
      }
      try spend(2 * use.shown.reduce(0) { $0 + Int64($1.text.utf8.count) })
      try spend(ExpansionBudget.element * Int64(use.places.count))
      use.places = Set(use.places.map(below))
      nested.classTable[name] = use
    }
    audit.merge(nested)
  }
}
