// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Verifies that a migrated archive equals the original except for its recorded changes.
///
/// It reads the result back from its bytes and undoes the changes. No difference from the original may remain, and each
/// change must be one that its rule allows. The list of changes need not be trusted: an unlisted change shows up as a
/// difference.
struct MigrationProof {
  private let old: KeyedArchive
  private let result: KeyedArchive
  private let changes: [MigrationChange]
  private let rules: MigrationRules
  private let classRules: ClassRules
  private let discarded: [ArchiveUID]
  /// The keys that a rule about the form of numbers names, by the rule's index. A rule can name many.
  private let numberKeys: [Int: Set<BytewiseString>]
  private var budget: ExpansionBudget
  /// The memory of long texts and data that boxed primitives of the result equal. The changes keep it.
  private var proved: [ArchiveUID: MemoryRange] = [:]

  init(from old: KeyedArchive, to result: MigratedArchive, by rules: MigrationRules, discarded: [ArchiveUID]) {
    self.old = old
    self.result = result.archive
    changes = result.changes
    self.rules = rules
    classRules = ClassRules(rules)
    self.discarded = discarded
    numberKeys = rules.rules.enumerated().reduce(into: [:]) { keys, rule in
      if case .storeNumbers(let named?, _) = rule.element.action { keys[rule.offset] = Set(named.exact) }
    }
    budget = result.archive.budget
  }

  /// Throws an error if the verification fails.
  /// - Throws: `KeyedArchiveError` with code `KeyedArchiveError.Code.notProved`.
  mutating func verify() throws(KeyedArchiveError) {
    let undone = try undone()
    if let difference = try undone.differences(from: old).first {
      throw failure("a value would change without a rule: \(difference)")
    }
    try checkUnreachable(undone)
    // A closure may not be idempotent, and renamings may form a cycle.
    let remedy = "Write rules that change nothing in their own results"
    let repeated: MigratedArchive
    do throws(KeyedArchiveError) {
      var again = try GraphMigration(of: result, by: rules)
      repeated = try again.run()
    } catch  where error.code == .notMigratable {
      // Its remedy would be about the archive, which has no error.
      throw failure("applied to the migrated archive, the rules would fail: \(error.detail)", remedy: remedy)
    }
    if let change = repeated.changes.first {
      let rule = change.rule.map { "rule \($0 + 1), \(rules.rules[$0])" } ?? "a rule"
      throw failure(
        "\(rule): applied to the migrated archive, it would change the archive again", change.uid, remedy: remedy)
    }
  }

  private func failure(_ detail: String, _ uid: ArchiveUID? = nil, remedy: String? = nil) -> KeyedArchiveError {
    KeyedArchiveError(.notProved, detail, uid: uid, remedy: remedy ?? "The original archive was not changed")
  }

  // MARK: Undoing changes

  /// Returns the result with all changes undone.
  private mutating func undone() throws(KeyedArchiveError) -> KeyedArchive {
    var undone = result
    for uid in discarded { try undone.setStoredObject(uid, to: try old.object(uid, budget: &budget)) }
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
      guard case .instance(let classUID, let entries) = try undone.object(uid, budget: &budget) else {
        throw failure("a changed object is not an object with a class any more", uid)
      }
      try undone.setStoredObject(uid, to: .instance(class: classUID, try entriesBefore(changes, entries, uid)))
    }
    if !top.isEmpty {
      undone.setTop(try entriesBefore(top, undone.top, nil))
    }
    return undone
  }

  /// Checks that a class record has the names that the rules give it and no other changes, and restores it.
  private mutating func undoClass(_ uid: ArchiveUID, _ undone: inout KeyedArchive) throws(KeyedArchiveError) {
    let (before, after) = (try old.classDescription(uid), try result.classDescription(uid))
    let plan = ClassPlan(for: before, by: classRules)
    guard after.hasSameBytes(as: plan.new) else {
      throw failure("the class '\(before.name)' would become '\(after.name)', which differs from the rules", uid)
    }
    // Records may share their lists.
    func otherEntries(_ archive: KeyedArchive) throws(KeyedArchiveError) -> [KeyedArchive.Entry] {
      try archive.entries(of: archive.row(of: uid), budget: &budget).filter { ClassRecordKey(exactly: $0.key) == nil }
    }
    guard try otherEntries(old).isIdentical(to: otherEntries(result)) else {
      throw failure("other entries of the record of class '\(before.name)' would change", uid)
    }
    try undone.setObject(uid, to: .classRecord(before))
  }

  /// Returns an object's entries with changes undone, in reverse order.
  private mutating func entriesBefore(
    _ changes: [MigrationChange], _ entries: [KeyedArchive.Entry], _ uid: ArchiveUID?
  ) throws(KeyedArchiveError) -> [KeyedArchive.Entry] {
    var places: [BytewiseString: Int] = [:]
    for (place, entry) in entries.enumerated() { places[BytewiseString(entry.key)] = place }
    var restored: [KeyedArchive.Entry?] = entries
    // Keys whose value was compared with the result. Earlier changes are compared with later ones.
    var isSeen: Set<BytewiseString> = []
    for change in changes.reversed() {
      var place: Int?
      if let key = change.newKey {
        place = places.removeValue(forKey: BytewiseString(key))
        guard let place, let value = restored[place]?.value else {
          throw failure("the changed key '\(key)' is missing", uid)
        }
        if let new = change.new {
          let isFirst = isSeen.insert(key)
          guard try isSame(value, new, change, isFirst: isFirst) else {
            throw failure("'\(key)' has another value than its rule set", uid)
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
        guard let old = change.old else { throw failure("the removed value of '\(key)' is unknown", uid) }
        places[BytewiseString(key)] = restored.count
        restored.append(KeyedArchive.Entry(key, old))
        // Its reference may be dangling in the result.
        isSeen.insert(BytewiseString(key))
      case (nil, let place?): restored[place] = nil
      case (nil, nil): break
      }
    }
    return restored.compactMap(\.self)
  }

  /// Returns whether a value is the result of a change. If `isFirst` is true, a reference must also refer to an equal
  /// primitive; a later rule can have changed the others.
  private mutating func isSame(
    _ value: KeyedArchive.StoredValue, _ new: KeyedArchive.StoredValue, _ change: MigrationChange, isFirst: Bool
  ) throws(KeyedArchiveError) -> Bool {
    guard value.isIdentical(to: new) else { return false }
    guard isFirst, case .reference(let uid) = value, let primitive = change.primitive?.new else { return true }
    // Many objects may share a long text. It is read and compared once.
    let memory = primitive.longContentMemory
    if let memory, proved[uid] == memory { return true }
    guard case .primitive(let found) = try result.object(uid, budget: &budget) else { return false }
    let isIdentical = found.isIdentical(to: primitive)
    if isIdentical { proved[uid] = memory }
    return isIdentical
  }

  /// Checks that the rule of a change allows the change.
  private func checkRule(_ change: MigrationChange, _ uid: ArchiveUID?) throws(KeyedArchiveError) {
    guard let index = change.rule, rules.rules.indices.contains(index) else {
      throw failure("a change has no rule", uid)
    }
    let isAllowed: Bool
    switch rules.rules[index].action {
    case .renameClass: isAllowed = false
    case .renameKey(let old, let new, _):
      isAllowed = change.oldKey.has(old) && change.newKey.has(new) && change.old == nil && change.new == nil
    case .storeNumbers:
      isAllowed =
        change.oldKey.has(change.newKey) && change.newKey.map { numberKeys[index]?.contains($0) ?? true } ?? false
        && change.primitive.map { $0.old.isIdentical(to: $0.new) } ?? false
    case .convertNumber(let key, let kind):
      isAllowed =
        change.oldKey.has(key) && change.newKey.has(key)
        && change.primitive.map { $0.old.converted(to: kind)?.isIdentical(to: $0.new) ?? false } ?? false
    case .defaultValue(let key, let value, _):
      isAllowed =
        change.oldKey == nil && change.newKey.has(key)
        && (change.primitive?.new ?? change.new)?.isIdentical(to: value) ?? false
    case .removeKey(let key): isAllowed = change.oldKey.has(key) && change.newKey == nil
    case .transform(let key, _): isAllowed = change.oldKey.has(key) && change.newKey.has(key)
    }
    guard isAllowed else {
      throw failure("rule \(index + 1), \(rules.rules[index]): the change is not one that the rule makes", uid)
    }
  }

  // MARK: Unreachable objects

  /// Checks that unreachable objects, which the comparison of graphs does not visit, are equal UID by UID.
  private mutating func checkUnreachable(_ undone: KeyedArchive) throws(KeyedArchiveError) {
    let isReached = try old.reachable(from: old.topReferences())
    let primitives = PrimitiveComparison(old, undone)
    for index in isReached.indices where !isReached[index] {
      let uid = ArchiveUID(rawValue: UInt32(index))
      let (before, after) = (try old.object(uid, budget: &budget), try undone.object(uid, budget: &budget))
      guard before.isIdentical(to: after, by: primitives) else {
        throw failure("an unreachable object would change", uid)
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
  /// Returns whether another object is equal bit for bit, in any order of keys.
  fileprivate func isIdentical(to other: Self, by primitives: PrimitiveComparison) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.primitive(let a), .primitive(let b)): a.isIdentical(to: b, by: primitives)
    case (.classRecord(let a), .classRecord(let b)): a.hasSameBytes(as: b)
    case (.instance(let classA, let a), .instance(let classB, let b)):
      classA == classB && a.isIdentical(to: b, by: primitives)
        || a.sortedByBytes.isIdentical(to: b.sortedByBytes, by: primitives)
    default: false
    }
  }
}

extension [KeyedArchive.Entry] {
  fileprivate var sortedByBytes: Self { sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) } }
}
