// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Proves that a migrated archive holds what the old one does, apart from what rules changed.
///
/// It knows the result as it was read back from its bytes, and the list of changes. With these undone one by one there
/// must be no difference left from the old archive, which the comparison of graphs decides; and each change must be what its
/// rule says. That the list is complete need not be trusted: what is not on it is a difference.
struct MigrationProof {
  private let old: KeyedArchive
  private let result: KeyedArchive
  private let changes: [MigrationChange]
  private let rules: MigrationRules
  private let discarded: [ArchiveUID]
  private var room: ExpansionBudget

  init(from old: KeyedArchive, to result: MigratedArchive, by rules: MigrationRules, discarded: [ArchiveUID]) {
    self.old = old
    self.result = result.archive
    changes = result.changes
    self.rules = rules
    self.discarded = discarded
    room = result.archive.room
  }

  /// Throws if anything is not proved.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.notProved`.
  mutating func verify() throws(KeyedArchiveError) {
    let undone = try undone()
    if let difference = try undone.differences(from: old).first {
      throw failure("a value that no rule names would change: \(difference)")
    }
    try checkUnreachable(undone)
    // A closure may make something else of its own result, and renamings may lead in a circle.
    var again = try GraphMigration(of: result, by: rules)
    if let change = try again.run().changes.first {
      let rule = change.rule.map { "rule \($0 + 1), \(rules.rules[$0])" } ?? "a rule"
      throw failure(
        "\(rule): applied to the migrated archive, it would change it once more", change.uid,
        remedy: "Write rules that find nothing to do in what they made, so that a migration can be run again")
    }
  }

  private func failure(_ detail: String, _ uid: ArchiveUID? = nil, remedy: String? = nil) -> KeyedArchiveError {
    KeyedArchiveError(.notProved, detail, uid: uid, remedy: remedy ?? "The old archive was left as it is")
  }

  // MARK: Undoing

  /// The result with all changes undone.
  private mutating func undone() throws(KeyedArchiveError) -> KeyedArchive {
    var undone = result
    for uid in discarded { try undone.setObject(uid, to: try old.object(uid, room: &room)) }
    var objects: [ArchiveUID: [MigrationChange]] = [:]
    var top: [MigrationChange] = []
    for change in changes {
      switch change.kind {
      case .format: break
      case .className: if let uid = change.uid { try undoClass(uid, &undone) }
      default: if let uid = change.uid { objects[uid, default: []].append(change) } else { top.append(change) }
      }
    }
    for (uid, changes) in objects.sorted(by: { $0.key < $1.key }) {
      guard case .instance(let classUID, let entries) = try undone.object(uid, room: &room) else {
        throw failure("an object that was changed is none any more", uid)
      }
      try undone.setObject(uid, to: .instance(class: classUID, try entriesBefore(changes, entries, uid)))
    }
    if !top.isEmpty {
      undone.setTop(try entriesBefore(top, undone.top, nil))
    }
    return undone
  }

  /// A class has the name that the rules give it, and what else its record holds stays.
  private func undoClass(_ uid: ArchiveUID, _ undone: inout KeyedArchive) throws(KeyedArchiveError) {
    let (before, after) = (try old.classDescription(uid), try result.classDescription(uid))
    let plan = ClassPlan(for: before, by: rules)
    guard after.hasSameBytes(as: plan.new) else {
      throw failure("the class '\(before.name)' would become '\(after.name)', which is not what the rules say", uid)
    }
    let known: Set<BytewiseString> = ["$classname", "$classes", "$classhints"]
    let others = try old.entries(of: old.row(of: uid)).filter { !known.contains($0.key) }
    guard others.isIdentical(to: try result.entries(of: result.row(of: uid)).filter { !known.contains($0.key) }) else {
      throw failure("what else the record of the class '\(before.name)' holds would change", uid)
    }
    try undone.setObject(uid, to: .classRecord(before))
  }

  /// An object's entries as they were before changes, the last of which is undone first.
  private mutating func entriesBefore(
    _ changes: [MigrationChange], _ entries: [KeyedArchive.Entry], _ uid: ArchiveUID?
  ) throws(KeyedArchiveError) -> [KeyedArchive.Entry] {
    var places: [BytewiseString: Int] = [:]
    for (place, entry) in entries.enumerated() { places[BytewiseString(entry.key)] = place }
    var restored: [KeyedArchive.Entry?] = entries
    // Keys whose value was compared with the result's: those before it in the list are compared with each other.
    var isSeen: Set<BytewiseString> = []
    for change in changes.reversed() {
      var place: Int?
      if let key = change.newKey {
        place = places.removeValue(forKey: BytewiseString(key))
        guard let place, let value = restored[place]?.value else {
          throw failure("the key '\(key)' is missing after a change", uid)
        }
        if let new = change.new {
          let isFirst = isSeen.insert(key)
          guard try isSame(value, new, change, isFirst: isFirst) else {
            throw failure("'\(key)' is not what a rule made of it", uid)
          }
        }
      }
      try checkRule(change, uid)
      switch (change.oldKey, place) {
      case (let key?, let place?):
        if let new = change.newKey, isSeen.remove(BytewiseString(new)) != nil { isSeen.insert(BytewiseString(key)) }
        restored[place]?.key = key
        if let old = change.old { restored[place]?.value = old }
        places[BytewiseString(key)] = place
      case (let key?, nil):
        guard let old = change.old else { throw failure("what was under '\(key)' is not known any more", uid) }
        places[BytewiseString(key)] = restored.count
        restored.append(KeyedArchive.Entry(key, old))
        // It may lead to what is not in the result any more.
        isSeen.insert(BytewiseString(key))
      case (nil, let place?): restored[place] = nil
      case (nil, nil): break
      }
    }
    return restored.compactMap(\.self)
  }

  /// Whether a value is what a change left: the same reference or, if it was not changed by a later rule, to the same plain
  /// value.
  private mutating func isSame(
    _ value: KeyedArchive.StoredValue, _ new: KeyedArchive.StoredValue, _ change: MigrationChange, isFirst: Bool
  ) throws(KeyedArchiveError) -> Bool {
    guard value.isIdentical(to: new) else { return false }
    guard isFirst, case .reference(let uid) = value, let plain = change.plain?.new else { return true }
    guard case .bare(let found) = try result.object(uid, room: &room) else { return false }
    return found.isIdentical(to: plain)
  }

  /// Whether a change is one that its rule may make.
  private func checkRule(_ change: MigrationChange, _ uid: ArchiveUID?) throws(KeyedArchiveError) {
    guard let place = change.rule, rules.rules.indices.contains(place) else {
      throw failure("a change has no rule", uid)
    }
    let isRight: Bool
    switch rules.rules[place].action {
    case .className: isRight = false
    case .key(let old, let new, _):
      isRight = change.oldKey.has(old) && change.newKey.has(new) && change.old == nil && change.new == nil
    case .numbers(let keys, _):
      isRight =
        change.oldKey.has(change.newKey) && keys?.contains { change.newKey.has($0) } ?? true
        && change.plain.map { $0.old.isIdentical(to: $0.new) } ?? false
    case .kind(let key, let kind):
      isRight =
        change.oldKey.has(key) && change.newKey.has(key)
        && change.plain.map { $0.old.converted(to: kind)?.isIdentical(to: $0.new) ?? false } ?? false
    case .standard(let key, let value, _):
      isRight =
        change.oldKey == nil && change.newKey.has(key)
        && (change.plain?.new ?? change.new)?.isIdentical(to: value) ?? false
    case .drop(let key): isRight = change.oldKey.has(key) && change.newKey == nil
    case .transform(let key, _): isRight = change.oldKey.has(key) && change.newKey.has(key)
    }
    guard isRight else {
      throw failure("rule \(place + 1), \(rules.rules[place]), made a change that is not its own", uid)
    }
  }

  // MARK: What no way leads to

  /// The comparison follows ways from the top. What none leads to must be the same, number by number.
  private mutating func checkUnreachable(_ undone: KeyedArchive) throws(KeyedArchiveError) {
    let isReached = try old.reachable(from: old.topReferences())
    for index in isReached.indices where !isReached[index] {
      let uid = ArchiveUID(rawValue: UInt32(index))
      guard try old.object(uid, room: &room).isIdentical(to: undone.object(uid, room: &room)) else {
        throw failure("an object that nothing refers to would change", uid)
      }
    }
  }
}

extension String? {
  fileprivate func has(_ text: String?) -> Bool {
    guard let self, let text else { return false }
    return self.hasSameBytes(as: text)
  }
}

extension KeyedArchive.Object {
  /// Whether another one holds the same, bit for bit, whatever the order of its keys.
  fileprivate func isIdentical(to other: Self) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.bare(let a), .bare(let b)): a.isIdentical(to: b)
    case (.classRecord(let a), .classRecord(let b)): a.hasSameBytes(as: b)
    case (.instance(let classA, let a), .instance(let classB, let b)):
      classA == classB && a.isIdentical(to: b) || a.sortedByBytes.isIdentical(to: b.sortedByBytes)
    default: false
    }
  }
}

extension [KeyedArchive.Entry] {
  fileprivate var sortedByBytes: Self { sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}
