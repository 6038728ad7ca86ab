// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension GraphComparison {
  /// What a value is, where references have been followed as far as to see what they lead to.
  private enum Seen {
    case null
    /// A value that stands for itself, inside its object or as one of its own.
    case plain(KeyedArchive.StoredValue)
    case instance(ArchiveUID)
    case list([KeyedArchive.StoredValue])
    case dictionary([KeyedArchive.Entry])
    case classRecord(ArchiveUID)
  }

  private static func look(_ value: KeyedArchive.StoredValue, _ index: GraphIndex) -> Seen {
    switch value {
    case .reference(let uid):
      switch index.kind(of: uid) {
      case .null, .unknown: .null
      case .bare: .plain(value)
      case .instance: .instance(uid)
      case .classRecord: .classRecord(uid)
      }
    case .array(let values): .list(values)
    case .dictionary(let entries): .dictionary(entries)
    default: .plain(value)
    }
  }

  /// Compares a value with the one at its place.
  mutating func compare(
    _ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue, _ step: Step, at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    switch (Self.look(a, old), Self.look(b, new)) {
    case (.null, .null): break
    case (.plain, .plain): try comparePlain(a, b, step, at: place)
    case (.instance(let a), .instance(let b)): meet(a, b, step, at: place, mode)
    case (.list(let a), .list(let b)): try compareLists(a, b, at: ways.add(step, at: place), mode)
    case (.dictionary(let a), .dictionary(let b)): try compare(a, b, at: ways.add(step, at: place), mode)
    case (.classRecord(let a), .classRecord(let b)):
      let (before, after) = (try record(ofClass: a, .old).description, try record(ofClass: b, .new).description)
      if !classPair(a, b, before, after).areSame {
        try add(.changed, place, step, .classRecord(before), .classRecord(after))
      }
    case (.instance(let object), .plain):
      try compareChangeable(changeable(object, .old), with: plain(b, of: .new), a, b, step, at: place)
    case (.plain, .instance(let object)):
      try compareChangeable(changeable(object, .new), with: plain(a, of: .old), a, b, step, at: place)
    default: try add(.changed, place, step, value(a, of: .old), value(b, of: .new))
    }
  }

  /// What a string or data that can change holds, nil for other objects.
  private mutating func changeable(
    _ uid: ArchiveUID, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> KeyedArchive.StoredValue? {
    let (classUID, entries) = try instance(uid, side)
    let record = try record(ofClass: classUID, side)
    guard let content = ComparedContents(record.family, entries).plain(under: record.plainKeys) else { return nil }
    if let uid = content.uid, (side == .old ? old : new).kind(of: uid) != .bare { return nil }
    return try plain(content, of: side)
  }

  /// Compares what can change with what cannot: the same text is the same in another form.
  private mutating func compareChangeable(
    _ content: KeyedArchive.StoredValue?, with other: KeyedArchive.StoredValue, _ a: KeyedArchive.StoredValue,
    _ b: KeyedArchive.StoredValue, _ step: Step, at place: Place
  ) throws(KeyedArchiveError) {
    let isSame = content.map { $0.likeness(to: other) == .same } ?? false
    try add(isSame ? .form : .changed, place, step, value(a, of: .old), value(b, of: .new))
  }

  /// What is said of a value in a difference.
  mutating func value(
    _ value: KeyedArchive.StoredValue, of side: PathTree.Side
  ) throws(KeyedArchiveError) -> ArchiveDifference.Value {
    switch Self.look(value, side == .old ? old : new) {
    case .null: return .null
    case .plain: return .plain(try plain(value, of: side), value.uid)
    case .instance(let uid): return .object(className: try record(of: uid, side).description.name, uid)
    case .list(let values): return .array(count: values.count)
    case .dictionary(let entries): return .dictionary(count: entries.count)
    case .classRecord(let uid):
      return .classRecord(try record(ofClass: uid, side).description)
    }
  }

  private mutating func record(
    of uid: ArchiveUID, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> GraphIndex.Record {
    let (classUID, _) = try instance(uid, side)
    return try record(ofClass: classUID, side)
  }

  /// The class record with a number.
  mutating func record(
    ofClass uid: ArchiveUID, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> GraphIndex.Record {
    side == .old ? try old.record(uid, &room) : try new.record(uid, &room)
  }

  /// An object with its class's number and entries.
  mutating func instance(
    _ uid: ArchiveUID, _ side: PathTree.Side
  ) throws(KeyedArchiveError) -> (classUID: ArchiveUID, entries: [KeyedArchive.Entry]) {
    let archive = side == .old ? old.archive : new.archive
    guard case .instance(let classUID, let entries) = try archive.object(uid, room: &room) else {
      throw KeyedArchiveError(.damagedArchive, "object \(uid) has no class", uid: uid)
    }
    return (classUID, entries)
  }

  /// A value that stands for itself, from the object that it is if it is one.
  mutating func plain(
    _ value: KeyedArchive.StoredValue, of side: PathTree.Side
  ) throws(KeyedArchiveError) -> KeyedArchive.StoredValue {
    guard case .reference(let uid) = value else { return value }
    let archive = side == .old ? old.archive : new.archive
    guard case .bare(let value) = try archive.object(uid, room: &room) else {
      throw KeyedArchiveError(.damagedArchive, "object \(uid) is no plain value", uid: uid)
    }
    return value
  }

  private mutating func comparePlain(
    _ a: KeyedArchive.StoredValue, _ b: KeyedArchive.StoredValue, _ step: Step, at place: Place
  ) throws(KeyedArchiveError) {
    if let a = a.uid, let b = b.uid, samePlain.contains(Self.pair(a, b)) { return }
    let (before, after) = (try plain(a, of: .old), try plain(b, of: .new))
    let isStoredAlike = (a.uid == nil) == (b.uid == nil)
    switch before.likeness(to: after) {
    case .same where isStoredAlike:
      if let a = a.uid, let b = b.uid { samePlain.insert(Self.pair(a, b)) }
    case .same, .form: try add(.form, place, step, .plain(before, a.uid), .plain(after, b.uid))
    case .other: try add(.changed, place, step, .plain(before, a.uid), .plain(after, b.uid))
    }
  }

  /// Compares keys and values; in which order they stand makes no difference.
  mutating func compare(
    _ a: [KeyedArchive.Entry], _ b: [KeyedArchive.Entry], at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    if a.count == b.count, zip(a, b).allSatisfy({ $0.key.hasSameBytes(as: $1.key) }) {
      for (a, b) in zip(a, b) { try compare(a.value, b.value, .key(b.key), at: place, mode) }
      return
    }
    // A key may be there twice in a file that no archiver wrote; then in this order.
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

  /// Compares two objects that have classes.
  mutating func compareObjects(
    _ a: ArchiveUID, _ b: ArchiveUID, at place: Place, _ mode: Mode
  ) throws(KeyedArchiveError) {
    let (before, after) = (try instance(a, .old), try instance(b, .new))
    let beforeClass = try record(ofClass: before.classUID, .old)
    let afterClass = try record(ofClass: after.classUID, .new)
    let classes = classPair(before.classUID, after.classUID, beforeClass.description, afterClass.description)
    let (beforeContents, afterContents) = (
      ComparedContents(beforeClass.family, before.entries), ComparedContents(afterClass.family, after.entries)
    )
    let sides = (
      ArchiveDifference.Value.object(className: beforeClass.description.name, a),
      ArchiveDifference.Value.object(className: afterClass.description.name, b)
    )
    guard beforeContents.isComparable(to: afterContents, haveSameName: classes.haveSameName) else {
      return try add(.changed, place, nil, sides.0, sides.1)
    }
    if !classes.areSame {
      try addClass(before.classUID, after.classUID, beforeClass.description, afterClass.description, place)
    }
    if beforeContents.isNumbered != afterContents.isNumbered, !beforeContents.isEmpty, !afterContents.isEmpty {
      try add(.form, place, nil, sides.0, sides.1)
    }
    try compare(beforeContents.entries, afterContents.entries, at: place, mode)
    switch (beforeContents.members, afterContents.members) {
    case (.none, .none): break
    case (.pairs(let a), .pairs(let b)): try comparePairs(a, b, isCounted: afterContents.isCounted, at: place, mode)
    case (.pairs(let a), _): try comparePairs(a, [], isCounted: beforeContents.isCounted, at: place, mode)
    case (_, .pairs(let b)): try comparePairs([], b, isCounted: afterContents.isCounted, at: place, mode)
    case (.set, .set), (.set, .none), (.none, .set):
      try compareSets(beforeContents.elements, afterContents.elements, at: place, mode)
    default: try compareLists(beforeContents.elements, afterContents.elements, at: place, mode)
    }
  }
}

extension KeyedArchive.StoredValue {
  /// The object that a reference leads to.
  var uid: ArchiveUID? { if case .reference(let uid) = self { uid } else { nil } }

  enum Likeness { case same, form, other }

  /// Whether two values that stand for themselves are the same, bit for bit, whatever the width of a number.
  func likeness(to other: Self) -> Likeness {
    switch (self, other) {
    case (.boolean(let a), .boolean(let b)): a == b ? .same : .other
    case (.integer(let a), .integer(let b)): a == b ? .same : .other
    case (.wideInteger(let a), .wideInteger(let b)): a == b ? .same : .other
    case (.integer(let a), .wideInteger(let b)): Int128(a) == b ? .form : .other
    case (.wideInteger(let a), .integer(let b)): a == Int128(b) ? .form : .other
    case (.float(let a), .float(let b)): a.bitPattern == b.bitPattern ? .same : .other
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern ? .same : .other
    case (.float(let a), .double(let b)): Double(a).bitPattern == b.bitPattern ? .form : .other
    case (.double(let a), .float(let b)): a.bitPattern == Double(b).bitPattern ? .form : .other
    case (.date(let a), .date(let b)): a.bitPattern == b.bitPattern ? .same : .other
    case (.string(let a), .string(let b)): a.hasSameBytes(as: b) ? .same : .other
    case (.data(let a), .data(let b)): a == b ? .same : .other
    default: .other
    }
  }
}
