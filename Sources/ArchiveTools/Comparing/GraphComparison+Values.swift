// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension GraphComparison {
  /// Returns the kind of a value; that of a reference is the kind of its object.
  func kind(of value: KeyedArchive.StoredValue, _ side: PathTree.Side) -> KeyedArchive.Node.Kind {
    side == .old ? old.kind(of: value) : new.kind(of: value)
  }

  /// Compares two values at the same position.
  mutating func compare(
    _ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue, _ step: Step, at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    switch (a, old.kind(of: a), b, new.kind(of: b)) {
    case (_, .null, _, .null): break
    case (_, .primitive, _, .primitive): try comparePrimitives(a, b, step, at: place)
    case (.reference(let a), .object, .reference(let b), .object): visit(a, b, step, at: place, mode)
    case (.array(let a), _, .array(let b), _): try compareLists(a, b, at: pathTree.add(step, at: place), mode)
    case (.dictionary(let a), _, .dictionary(let b), _): try compare(a, b, at: pathTree.add(step, at: place), mode)
    case (.reference(let a), .classRecord, .reference(let b), .classRecord):
      let (before, after) = (try record(ofClass: a, .old).description, try record(ofClass: b, .new).description)
      if !classPair(a, b, before, after).areSame {
        try add(.changed, place, step, .classRecord(before), .classRecord(after))
      }
    case (.reference(let object), .object, _, .primitive):
      try compareMutable(mutableContent(object, .old), primitive(b, of: .new), a, b, step, at: place)
    case (_, .primitive, .reference(let object), .object):
      try compareMutable(primitive(a, of: .old), mutableContent(object, .new), a, b, step, at: place)
    default: try add(.changed, place, step, value(a, of: .old), value(b, of: .new))
    }
  }

  /// Returns the content of a mutable string or mutable data, or nil for another object.
  private mutating func mutableContent(
    _ uid: ArchiveUID, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> KeyedArchive.StoredValue? {
    let instance = try instance(uid, side)
    guard let content = instance.contents.soleValue(under: instance.record.contentKeys),
      case .primitive = kind(of: content, side)
    else { return nil }
    return try primitive(content, of: side)
  }

  /// Compares the content of a mutable string or data with a primitive. An equal text is equal in another form.
  private mutating func compareMutable(
    _ before: KeyedArchive.StoredValue?, _ after: KeyedArchive.StoredValue?, _ a: KeyedArchive.StoredValue,
    _ b: KeyedArchive.StoredValue, _ step: Step, at place: Place
  ) throws(KeyedArchiveError) {
    var isSame = false
    if let before, let after { isSame = primitives.match(before, after) == .equal }
    try add(isSame ? .form : .changed, place, step, value(a, of: .old), value(b, of: .new))
  }

  /// Returns the description of a value for a difference.
  mutating func value(
    _ value: KeyedArchive.StoredValue, of side: PathTree.Side
  ) throws(KeyedArchiveError) -> ArchiveDifference.Value {
    switch (value, kind(of: value, side)) {
    case (_, .primitive): return .primitive(try primitive(value, of: side), value.uid)
    case (.reference(let uid), .object): return .object(className: try instance(uid, side).record.description.name, uid)
    case (.reference(let uid), .classRecord): return .classRecord(try record(ofClass: uid, side).description)
    case (.array(let values), _): return .array(count: values.count)
    case (.dictionary(let entries), _): return .dictionary(count: entries.count)
    default: return .null
    }
  }

  /// Returns the class record with a UID.
  mutating func record(
    ofClass uid: ArchiveUID, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> GraphIndex.Record {
    side == .old ? try old.record(uid, &budget) : try new.record(uid, &budget)
  }

  /// Returns an object with its class.
  mutating func instance(_ uid: ArchiveUID, _ side: PathTree.Side) throws(KeyedArchiveError) -> GraphIndex.Instance {
    side == .old ? try old.instance(uid, &budget) : try new.instance(uid, &budget)
  }

  /// Returns a primitive, boxed or inline.
  mutating func primitive(
    _ value: KeyedArchive.StoredValue, of side: PathTree.Side
  ) throws(KeyedArchiveError) -> KeyedArchive.StoredValue {
    guard case .reference(let uid) = value else { return value }
    let archive = side == .old ? old.archive : new.archive
    guard case .primitive(let value) = try archive.object(uid, budget: &budget) else {
      throw KeyedArchiveError(
        .damagedArchive, "invalid object \(uid): expected a string, number, Boolean or data", uid: uid)
    }
    return value
  }

  private mutating func comparePrimitives(
    _ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue, _ step: Step, at place: Place
  ) throws(KeyedArchiveError) {
    if let a = a.uid, let b = b.uid, equalPrimitives.contains(Self.pair(a, b)) { return }
    let (before, after) = (try primitive(a, of: .old), try primitive(b, of: .new))
    let haveSameForm = (a.uid == nil) == (b.uid == nil)
    switch primitives.match(before, after) {
    case .equal where haveSameForm:
      if let a = a.uid, let b = b.uid { equalPrimitives.insert(Self.pair(a, b)) }
    case .equal, .equalInOtherForm: try add(.form, place, step, .primitive(before, a.uid), .primitive(after, b.uid))
    case .different: try add(.changed, place, step, .primitive(before, a.uid), .primitive(after, b.uid))
    }
  }

  /// Compares entries, whatever their order.
  mutating func compare(
    _ a: [KeyedArchive.Entry], _ b: [KeyedArchive.Entry], at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    if a.count == b.count, zip(a, b).allSatisfy({ $0.key.hasSameBytes(as: $1.key) }) {
      for (a, b) in zip(a, b) where !isDecided { try compare(a.value, b.value, .key(b.key), at: place, mode) }
      return
    }
    // A file that no archiver wrote may contain a key twice. Such entries are matched in order.
    var places: [BytewiseString: [Int]] = [:]
    for index in a.indices.reversed() { places[BytewiseString(a[index].key), default: []].append(index) }
    for entry in b {
      let step = Step.key(entry.key)
      if let index = places[BytewiseString(entry.key)]?.popLast() {
        try compare(a[index].value, entry.value, step, at: place, mode)
      } else {
        try add(.added, place, step, nil, value(entry.value, of: .new))
      }
    }
    for index in places.values.joined().sorted() {
      try add(.removed, place, .key(a[index].key), value(a[index].value, of: .old), nil)
    }
  }

  /// Compares two objects with classes.
  mutating func compareObjects(
    _ a: ArchiveUID, _ b: ArchiveUID, at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    let (before, after) = (try instance(a, .old), try instance(b, .new))
    let (beforeClass, afterClass) = (before.record.description, after.record.description)
    let classes = classPair(before.classUID, after.classUID, beforeClass, afterClass)
    let sides = (
      ArchiveDifference.Value.object(className: beforeClass.name, a),
      ArchiveDifference.Value.object(className: afterClass.name, b)
    )
    guard before.contents.isComparable(to: after.contents, haveSameName: classes.haveSameName) else {
      return try add(.changed, place, nil, sides.0, sides.1)
    }
    if !classes.areSame {
      try addClass(before.classUID, after.classUID, beforeClass, afterClass, place)
    }
    if !before.contents.hasSameForm(as: after.contents) { try add(.form, place, nil, sides.0, sides.1) }
    try compare(before.contents.entries, after.contents.entries, at: place, mode)
    let members = Members(old: before.contents, new: after.contents, place: place, mode: mode)
    if matchesObjects(members) { postpone(members) } else { try compareMembers(members) }
  }

  /// Returns whether objects among the members are matched by content: in a set, or as keys of a dictionary.
  private func matchesObjects(_ members: Members) -> Bool {
    switch (members.old.members, members.new.members) {
    case (.set, .set): true
    case (.pairs(let a), .pairs(let b)):
      a.contains { old.kind(of: $0.key) == .object } && b.contains { new.kind(of: $0.key) == .object }
    default: false
    }
  }

  /// Compares the members of two collections.
  mutating func compareMembers(_ members: Members) throws(KeyedArchiveError) {
    let (before, after, place, mode) = (members.old, members.new, members.place, members.mode)
    switch (before.members, after.members) {
    case (.none, .none): break
    case (.pairs(let a), .pairs(let b)): try comparePairs(a, b, isCounted: after.isCounted, at: place, mode)
    case (.pairs(let a), _): try comparePairs(a, [], isCounted: before.isCounted, at: place, mode)
    case (_, .pairs(let b)): try comparePairs([], b, isCounted: after.isCounted, at: place, mode)
    case (.set, .set), (.set, .none), (.none, .set):
      try compareSets(before.elements ?? [], after.elements ?? [], at: place, mode)
    default: try compareLists(before.elements ?? [], after.elements ?? [], at: place, mode)
    }
  }
}

extension ObjectContents {
  /// Whether the object stores no members.
  var isEmpty: Bool { if case .none = members { true } else { false } }

  /// Returns whether the members of two objects are stored under the same kinds of keys. An empty collection with numbered
  /// keys stores nothing, which is another form than an empty array.
  fileprivate func hasSameForm(as other: ObjectContents) -> Bool {
    guard !isEmpty, !other.isEmpty else {
      let members = isEmpty ? other : self
      return isEmpty == other.isEmpty || (members.elements?.count ?? members.pairs?.count) != 0
    }
    return isNumbered == other.isNumbered && hasNumberedKeys == other.hasNumberedKeys
  }

  /// Returns the value for one of some keys, if the object contains nothing else.
  func soleValue(under keys: [String]) -> KeyedArchive.StoredValue? {
    guard !keys.isEmpty, isEmpty, entries.count == 1, keys.contains(entries[0].key) else { return nil }
    return entries[0].value
  }

  /// Returns whether two objects can be compared part by part. Two containers can, except a dictionary and another
  /// container. A container and another object need equal class names. Two other objects need equal class names or a
  /// common key, unless both have no keys.
  func isComparable(to other: ObjectContents, haveSameName: Bool) -> Bool {
    switch (members, other.members) {
    case (.pairs, .pairs): return isCounted == other.isCounted
    case (.pairs, .list), (.pairs, .set), (.list, .pairs), (.set, .pairs): return false
    case (.none, .none):
      if haveSameName || (entries.isEmpty && other.entries.isEmpty) { return true }
      let keys = Set(other.entries.map { BytewiseString($0.key) })
      return entries.contains { keys.contains(BytewiseString($0.key)) }
    case (.none, _), (_, .none): return haveSameName
    default: return true
    }
  }
}

extension KeyedArchive.StoredValue {
  /// The object that a reference refers to.
  var uid: ArchiveUID? { if case .reference(let uid) = self { uid } else { nil } }

  enum Match { case equal, equalInOtherForm, different }

  /// Compares two primitives bit for bit. Equal numbers of different widths are equal in another form.
  func match(with other: Self) -> Match {
    switch (self, other) {
    case (.boolean(let a), .boolean(let b)): a == b ? .equal : .different
    case (.integer(let a), .integer(let b)): a == b ? .equal : .different
    case (.wideInteger(let high, let low), .wideInteger(let otherHigh, let otherLow)):
      high == otherHigh && low == otherLow ? .equal : .different
    case (.integer(let value), .wideInteger(let high, let low)),
      (.wideInteger(let high, let low), .integer(let value)):
      WideInteger(value) == WideInteger(high: high, low: low) ? .equalInOtherForm : .different
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern ? .equal : .different
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern ? .equal : .different
    case (.float(let a), .double(let b)): Double(a).bitPattern == b.bitPattern ? .equalInOtherForm : .different
    case (.double(let a), .float(let b)): a.bitPattern == Double(b).bitPattern ? .equalInOtherForm : .different
    case (.date(let a), .date(let b)): a.bitPattern == b.bitPattern ? .equal : .different
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b) ? .equal : .different
    case (.data(let a), .data(let b)): a == b ? .equal : .different
    default: .different
    }
  }
}
