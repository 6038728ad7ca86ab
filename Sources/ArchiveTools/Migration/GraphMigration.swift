// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// Applies rules to an archive, object by object in the order of their numbers.
///
/// It works on the rows of the property list. A number that becomes an object is the same row in another place, so its
/// width and bits are those that it had; and numbers that were one row, as equal integers are in files by Apple, become
/// one object.
struct GraphMigration {
  let old: KeyedArchive
  let rules: MigrationRules
  /// The archive with the edits so far.
  var work: KeyedArchive
  /// Its `$objects`.
  var rows: [ObjectRef]
  private(set) var changes: [MigrationChange] = []
  /// Objects that nothing leads to any more.
  private(set) var discarded: [ArchiveUID] = []
  /// The numbers of bare objects that are numbers, by their rows, once one is needed.
  var numberObjects: [ObjectRef: ArchiveUID]?
  /// Whether a reference was taken away from an object.
  var mayLeaveObjects = false
  private var plans: [ArchiveUID: ClassPlan] = [:]
  private var names: [ObjectRef: String] = [:]
  private var keyRows: [BytewiseString: ObjectRef] = [:]
  private var room: ExpansionBudget

  init(of old: KeyedArchive, by rules: MigrationRules) throws(KeyedArchiveError) {
    self.old = old
    self.rules = rules
    work = old
    room = old.room
    guard case .array(let rows) = try old.stored(old.objectsRow) else {
      throw KeyedArchiveError(.damagedArchive, "'$objects' is no array")
    }
    self.rows = rows
  }

  /// Applies the rules and reads back what comes of it.
  mutating func run() throws(KeyedArchiveError) -> MigratedArchive {
    for index in 0..<old.objectCount {
      let uid = ArchiveUID(rawValue: UInt32(index))
      guard case .dictionary(let keys, let values) = try spending(old.stored(rows[index])) else { continue }
      var table = try table(keys, values)
      if !table.places(of: "$classname").isEmpty {
        try migrateRecord(&table, uid)
      } else {
        try migrateObject(&table, uid)
      }
      if table.isChanged { rows[index] = work.list.append(table.dictionary) }
    }
    var top: EntryTable?
    let topSteps = ClassPlan.top(by: rules)
    if !topSteps.isEmpty, case .dictionary(let keys, let values) = try old.stored(old.topRow) {
      var table = try table(keys, values)
      for step in topSteps { try apply(step, to: &table, of: nil) }
      if table.isChanged { top = table }
    }
    work.editedRows = rows
    if mayLeaveObjects { try discardObjects(top) }
    return try finish(top)
  }

  private mutating func spending(_ object: PropertyListObject) throws(KeyedArchiveError) -> PropertyListObject {
    guard room.take(object.weight) else {
      throw KeyedArchiveError(
        .limitReached, "the archive's objects hold so much that is shared that they are not looked at further",
        remedy: "Raise ReadLimits.maximumExpansion if the archive is to be trusted")
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

  /// The text of a key's row; most objects share theirs.
  private mutating func name(_ key: ObjectRef) throws(KeyedArchiveError) -> String {
    if let name = names[key] { return name }
    let name = try old.name(key)
    names[key] = name
    return name
  }

  /// The row of a key string that rules bring; one for each text.
  mutating func keyRow(_ key: String) -> ObjectRef {
    if let row = keyRows[BytewiseString(key)] { return row }
    let row = work.list.append(.string(key))
    keyRows[BytewiseString(key)] = row
    return row
  }

  private mutating func migrateObject(_ table: inout EntryTable, _ uid: ArchiveUID) throws(KeyedArchiveError) {
    guard let place = table.places(of: "$class").first,
      case .uid(let number) = try old.stored(table.entries[place].value), number < UInt64(UInt32.max)
    else { return }
    let plan = try plan(ArchiveUID(rawValue: UInt32(number)))
    for step in plan.steps { try apply(step, to: &table, of: uid) }
  }

  private mutating func plan(_ classUID: ArchiveUID) throws(KeyedArchiveError) -> ClassPlan {
    if let plan = plans[classUID] { return plan }
    let plan = ClassPlan(for: try old.classDescription(classUID), by: rules)
    plans[classUID] = plan
    return plan
  }

  private mutating func migrateRecord(_ table: inout EntryTable, _ uid: ArchiveUID) throws(KeyedArchiveError) {
    let plan = try plan(uid)
    guard plan.changesRecord else { return }
    func set(_ key: String, _ object: PropertyListObject) {
      let row = work.list.append(object)
      if let place = table.places(of: key).first {
        table.setValue(place, row)
      } else {
        table.add(key, keyRow(key), row)
      }
    }
    func texts(_ texts: [String]) -> PropertyListObject { .array(texts.map { work.list.append(.string($0)) }) }
    if !plan.new.name.hasSameBytes(as: plan.old.name) { set("$classname", .string(plan.new.name)) }
    if !ClassDescription.areSame(plan.new.chain, plan.old.chain) { set("$classes", texts(plan.new.chain)) }
    if !ClassDescription.areSame(plan.new.hints, plan.old.hints) { set("$classhints", texts(plan.new.hints)) }
    for rule in plan.classRules { note(MigrationChange(.className, rule, uid)) }
  }

  mutating func note(_ change: MigrationChange) { changes.append(change) }

  // MARK: The result

  /// Puts `$null` in the place of objects that changes took the last reference from, and nothing behind the last object.
  private mutating func discardObjects(_ top: EntryTable?) throws(KeyedArchiveError) {
    let before = try old.reachable(from: old.topReferences())
    var references: [ArchiveUID] = []
    if let top {
      for entry in top.entries where !entry.isGone { work.collect(try work.value(in: entry.value), into: &references) }
    } else {
      references = old.topReferences()
    }
    // What nothing led to before stays, and what it needs.
    for index in before.indices where !before[index] { references.append(ArchiveUID(rawValue: UInt32(index))) }
    let after = try work.reachable(from: references)
    while rows.count > old.objectCount, !after[rows.count - 1] { rows.removeLast() }
    for index in 1..<max(1, rows.count) where !after[index] && (index >= before.count || before[index]) {
      let uid = ArchiveUID(rawValue: UInt32(index))
      if try work.isNull(work.row(of: uid)) { continue }
      rows[index] = rows[0]
      if index < before.count { discarded.append(uid) }
    }
    work.editedRows = rows
    // What else rules did to these does not matter any more.
    let gone = Set(discarded)
    changes.removeAll { $0.uid.map(gone.contains) ?? false }
  }

  private mutating func finish(_ top: EntryTable?) throws(KeyedArchiveError) -> MigratedArchive {
    let format = rules.format ?? old.format
    if format != old.format { note(MigrationChange(.format, nil, nil)) }
    guard !changes.isEmpty else { return MigratedArchive(archive: old, changes: []) }
    guard rows.count < Int32.max else {
      throw KeyedArchiveError(.limitReached, "the archive would have more than \(Int32.max) objects")
    }
    var list = work.list
    guard case .dictionary(let keys, var values) = try work.stored(list.top) else {
      throw KeyedArchiveError(.notAnArchive, "an archive is a dictionary")
    }
    func set(_ key: EnvelopeKey, _ object: PropertyListObject) throws(KeyedArchiveError) {
      // Of a key that is there twice, the first counts.
      for (place, row) in keys.enumerated() where try old.name(row).hasSameBytes(as: key.rawValue) {
        values[place] = list.append(object)
        return
      }
    }
    try set(.objects, .array(rows))
    if let top { try set(.top, top.dictionary) }
    list.replace(list.top, with: .dictionary(keys: keys, values: values))
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
