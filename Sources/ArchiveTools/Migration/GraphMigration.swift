// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Applies rules to the objects of an archive, in ascending order of UIDs.
///
/// Rules work on rows of the property list. Boxing a number reuses its row, which preserves its width and bits. Numbers
/// that share a row, as equal integers do in Apple's archives, become one object.
struct GraphMigration {
  let old: KeyedArchive
  let rules: MigrationRules
  /// The archive with the edits so far.
  var work: KeyedArchive
  /// Its `$objects`.
  var rows: [ObjectRef]
  private(set) var changes: [MigrationChange] = []
  /// Objects that became unreachable.
  private(set) var discarded: [ArchiveUID] = []
  /// A boxed primitive that rules created: from the object that it replaces, or as a default value.
  struct Replacement: Hashable {
    var rule: Int
    var replaced: ArchiveUID?
  }

  /// The boxed primitives that rules created, because objects that shared one before share one after it.
  var replacements: [Replacement: (uid: ArchiveUID, old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)] = [:]
  /// The boxed primitives that rules do not change.
  var unchanged: Set<Replacement> = []
  /// The rule that was applied last. If the migration fails because of a rule, it is that rule.
  var currentRule: Int?
  /// The UIDs of boxed numbers by their rows, created on demand.
  var numberObjects: [ObjectRef: ArchiveUID]?
  /// Whether a reference was removed, which may make objects unreachable.
  var removedReferences = false
  private let classRules: ClassRules
  private var plans: [ArchiveUID: ClassPlan] = [:]
  private var names: [ObjectRef: String] = [:]
  private var textRows: [BytewiseString: ObjectRef] = [:]
  private var budget: ExpansionBudget

  init(of old: KeyedArchive, by rules: MigrationRules) throws(KeyedArchiveError) {
    self.old = old
    self.rules = rules
    classRules = ClassRules(rules)
    work = old
    budget = old.budget
    guard case .array(let rows) = try old.stored(old.objectsRow) else {
      throw KeyedArchiveError(.damagedArchive, "invalid envelope: '$objects' is not an array")
    }
    self.rows = rows
  }

  /// Applies the rules and reads the result back from its bytes.
  mutating func run() throws(KeyedArchiveError) -> MigratedArchive {
    for index in 0..<old.objectCount {
      let uid = ArchiveUID(rawValue: UInt32(index))
      guard case .dictionary(let keys, let values) = try spending(old.stored(rows[index])) else { continue }
      var table = try table(keys, values)
      if !table.positions(of: ClassRecordKey.name.rawValue).isEmpty {
        try migrateRecord(&table, uid)
      } else {
        try migrateObject(&table, uid)
      }
      if table.isChanged { rows[index] = work.list.append(table.dictionary) }
    }
    try checkClasses()
    var top: EntryTable?
    let topSteps = ClassPlan.top(by: rules)
    if !topSteps.isEmpty, case .dictionary(let keys, let values) = try old.stored(old.topRow) {
      var table = try table(keys, values)
      for step in topSteps { try apply(step, to: &table, of: nil) }
      if table.isChanged { top = table }
    }
    work.editedRows = rows
    if removedReferences { try discardObjects(top) }
    return try finish(top)
  }

  /// Reads a value, which many objects may share.
  mutating func value(in row: ObjectRef) throws(KeyedArchiveError) -> KeyedArchive.StoredValue {
    try work.value(in: row, budget: &budget)
  }

  private mutating func spending(_ object: PropertyListObject) throws(KeyedArchiveError) -> PropertyListObject {
    guard budget.take(object.weight) else {
      throw KeyedArchiveError.expansionLimit(
        "expansion limit reached: the archive's objects share too many values to be migrated")
    }
    return object
  }

  // MARK: Objects

  private mutating func table(_ keys: [ObjectRef], _ values: [ObjectRef]) throws(KeyedArchiveError) -> EntryTable {
    var entries: [EntryTable.Entry] = []
    entries.reserveCapacity(keys.count)
    for (key, value) in zip(keys, values) {
      entries.append(EntryTable.Entry(name: try name(key), key: key, value: value))
    }
    return EntryTable(entries)
  }

  /// Returns the text of a key, cached because objects share keys.
  private mutating func name(_ key: ObjectRef) throws(KeyedArchiveError) -> String {
    if let name = names[key] { return name }
    let name = try old.name(key)
    names[key] = name
    return name
  }

  /// Returns the row of a new key or class name. Equal ones share a row, as in Apple's archives.
  mutating func textRow(_ text: String) -> ObjectRef {
    if let row = textRows[BytewiseString(text)] { return row }
    let row = work.list.append(.string(text))
    textRows[BytewiseString(text)] = row
    return row
  }

  private mutating func migrateObject(_ table: inout EntryTable, _ uid: ArchiveUID) throws(KeyedArchiveError) {
    guard let position = table.positions(of: "$class").first,
      let number = old.reference(in: table.entries[position].value), number < UInt64(UInt32.max)
    else { return }
    let plan = try plan(ArchiveUID(rawValue: UInt32(number)))
    for step in plan.steps { try apply(step, to: &table, of: uid) }
  }

  private mutating func plan(_ classUID: ArchiveUID) throws(KeyedArchiveError) -> ClassPlan {
    if let plan = plans[classUID] { return plan }
    // Records may share long names, so all are charged together.
    let plan = ClassPlan(for: try old.classDescription(classUID, budget: &budget), by: classRules)
    plans[classUID] = plan
    return plan
  }

  private mutating func migrateRecord(_ table: inout EntryTable, _ uid: ArchiveUID) throws(KeyedArchiveError) {
    let plan = try plan(uid)
    guard plan.changesRecord else { return }
    if let (name, rule) = plan.newRepetition {
      currentRule = rule
      throw KeyedArchiveError(
        .notMigratable,
        "rule \(rule + 1), \(rules.rules[rule]): the class '\(name)' would be among its own superclasses", uid: uid,
        remedy: "Select only the class and not its superclasses, or list the new superclasses in the rule")
    }
    func set(_ key: ClassRecordKey, _ row: ObjectRef) {
      if let position = table.positions(of: key.rawValue).first {
        table.setValue(position, row)
      } else {
        table.add(key.rawValue, textRow(key.rawValue), row)
      }
    }
    func texts(_ texts: [String]) -> ObjectRef {
      let rows = texts.map { textRow($0) }
      return work.list.append(.array(rows))
    }
    if !plan.new.name.hasSameBytes(as: plan.old.name) { set(.name, textRow(plan.new.name)) }
    if !ClassDescription.areSame(plan.new.chain, plan.old.chain) { set(.chain, texts(plan.new.chain)) }
    if !ClassDescription.areSame(plan.new.hints, plan.old.hints) { set(.hints, texts(plan.new.hints)) }
    for rule in plan.classRules { record(MigrationChange(.className, rule, uid)) }
  }

  /// Throws if a rule merges a class with one that it does not select.
  private mutating func checkClasses() throws(KeyedArchiveError) {
    let applied = Set(plans.values.flatMap(\.classRules)).sorted()
    guard !applied.isEmpty else { return }
    let ordered = plans.sorted { $0.key < $1.key }
    // The places of the plans with each name.
    var places: [BytewiseString: [Int]] = [:]
    for (place, item) in ordered.enumerated() {
      for name in item.value.names { places[name, default: []].append(place) }
    }
    for rule in applied {
      let (selector, action) = (rules.rules[rule].selector, rules.rules[rule].action)
      guard case .renameClass(let name, _, .refuse) = action, !selector.matches(name) else { continue }
      for place in places[BytewiseString(name)] ?? [] {
        let (uid, plan) = ordered[place]
        guard plan.names(before: rule).contains(where: { $0.hasSameBytes(as: name) }) else { continue }
        currentRule = rule
        throw KeyedArchiveError(
          .notMigratable,
          "rule \(rule + 1), \(rules.rules[rule]): the archive has a class '\(name)' already, and the objects of both classes "
            + "could not be told apart any more", uid: uid,
          remedy: "Choose another name; to merge the classes, add \"ifPresent\": \"keep\" to the rule in a rules file")
      }
    }
  }

  mutating func record(_ change: MigrationChange) { changes.append(change) }

  // MARK: The result

  /// Replaces objects that became unreachable by `$null`, and removes new ones at the end.
  private mutating func discardObjects(_ top: EntryTable?) throws(KeyedArchiveError) {
    let before = try old.reachable(from: old.topReferences())
    var references: [ArchiveUID] = []
    if let top {
      for entry in top.entries where !entry.isGone { work.collect(try value(in: entry.value), into: &references) }
    } else {
      references = old.topReferences()
    }
    // Objects that were unreachable before stay, with everything that they refer to.
    for index in before.indices where !before[index] { references.append(ArchiveUID(rawValue: UInt32(index))) }
    let after = try work.reachable(from: references)
    while rows.count > old.objectCount, !after[rows.count - 1] { rows.removeLast() }
    work.editedRows = rows
    let unused = try work.discardObjects { !after[$0] && ($0 >= before.count || before[$0]) }
    rows = work.editedRows ?? rows
    discarded = unused.filter { $0.index < before.count }
    // Drop the changes of discarded objects.
    let gone = Set(discarded)
    changes.removeAll { $0.uid.map(gone.contains) ?? false }
  }

  private mutating func finish(_ top: EntryTable?) throws(KeyedArchiveError) -> MigratedArchive {
    let format = rules.format ?? old.format
    if format != old.format { record(MigrationChange(.format, nil, nil)) }
    guard !changes.isEmpty else { return MigratedArchive(archive: old, changes: []) }
    guard rows.count < Int32.max else {
      throw KeyedArchiveError.tooManyObjects
    }
    var list = work.list
    guard case .dictionary(let keys, var values) = try work.stored(list.top) else {
      throw KeyedArchiveError(.notAnArchive, "not a keyed archive: the top object is not a dictionary")
    }
    func set(_ key: EnvelopeKey, _ object: PropertyListObject) throws(KeyedArchiveError) {
      // Of a key that occurs twice, the first counts.
      for (index, row) in keys.enumerated() where try old.name(row).hasSameBytes(as: key.rawValue) {
        values[index] = list.append(object)
        return
      }
    }
    try set(.objects, .array(rows))
    if let top { try set(.top, top.dictionary) }
    list.replace(list.top, with: .dictionary(keys: keys, values: values))
    // A number of another width would fail the proof, whose error has no remedy.
    if format == .xml, let loss = try XMLLoss(in: list, countsWidths: true) { throw loss.error }
    do {
      let result = try KeyedArchive(list.data(format: format), limits: list.limits, archivers: .any)
      return MigratedArchive(archive: result, changes: changes)
    } catch let error as PropertyListError {
      throw KeyedArchiveError(error)
    } catch {
      throw KeyedArchiveError(wrapping: error)
    }
  }
}

extension KeyedArchiveError {
  static var tooManyObjects: Self {
    Self(
      .limitReached, "the archive would have more than \(Int32.max) objects",
      remedy: "Use rules that add fewer objects")
  }
}
