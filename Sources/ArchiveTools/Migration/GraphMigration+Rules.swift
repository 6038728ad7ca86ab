// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension GraphMigration {
  /// Applies a rule to the keys of an object, or to the top-level keys.
  mutating func apply(
    _ step: ClassPlan.Step, to table: inout EntryTable, of uid: ArchiveUID?
  ) throws(KeyedArchiveError) {
    let context = RuleContext(step: step, uid: uid)
    currentRule = step.index
    let old = old
    switch step.rule.action {
    case .renameClass: break
    case .renameKey(let old, let new, let conflict): try rename(old, new, conflict, &table, context)
    case .storeNumbers(let keys?, let form):
      for key in keys {
        if let position = try position(of: key, &table, context) {
          try setForm(form, position, &table, context, isNamed: true)
        }
      }
    case .storeNumbers(nil, let form):
      for position in table.entries.indices
      where !table.entries[position].isGone && table.entries[position].name != "$class" {
        try setForm(form, position, &table, context, isNamed: false)
      }
    case .convertNumber(let key, let kind):
      guard let position = try position(of: key, &table, context) else { return }
      try replacePrimitive(position, &table, context) { (value) throws(KeyedArchiveError) in
        guard let number = value.converted(to: kind) else {
          throw Self.failure(
            old, context, key,
            "the value is \(value.text); expected \(value.expectation(for: kind))",
            "Keep the kind of the number, or change its value with an earlier rule")
        }
        return number
      }
    case .defaultValue(let key, let value, let form): try add(key, value, form, &table, context)
    case .removeKey(let key):
      guard let position = try position(of: key, &table, context) else { return }
      record(change(context, from: key, to: nil, try value(in: table.entries[position].value), nil))
      table.remove(position)
      removedReferences = true
    case .transform(let key, let body):
      guard let position = try position(of: key, &table, context) else { return }
      try replacePrimitive(position, &table, context) { (value) throws(KeyedArchiveError) in
        do {
          return try body(value)
        } catch {
          throw Self.failure(old, context, key, "transforming the value failed: \(error)", nil, error)
        }
      }
    }
  }

  /// A rule and the object that it is applied to. Messages report both.
  struct RuleContext {
    let step: ClassPlan.Step
    let uid: ArchiveUID?
  }

  fileprivate func failure(
    _ context: RuleContext, _ key: String, _ detail: String, _ remedy: String?
  ) -> KeyedArchiveError {
    Self.failure(old, context, key, detail, remedy)
  }

  private static func failure(
    _ old: KeyedArchive, _ context: RuleContext, _ key: String, _ detail: String, _ remedy: String?,
    _ underlying: (any Error)? = nil
  ) -> KeyedArchiveError {
    var path = context.uid.map { old.keyPathText(to: $0) ?? KeyPathText($0) } ?? KeyPathText(isWhole: true)
    path.append(key: key)
    return KeyedArchiveError(
      .notMigratable, "rule \(context.step.index + 1), \(context.step.rule): \(detail)", keyPath: path.text,
      uid: context.uid,
      remedy: remedy, underlying: underlying)
  }

  private func change(
    _ context: RuleContext, from oldKey: String?, to newKey: String?, _ old: KeyedArchive.StoredValue?,
    _ new: KeyedArchive.StoredValue?,
    primitive: (old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)? = nil
  ) -> MigrationChange {
    MigrationChange(
      context.step.rule.change, context.step.index, context.uid, key: oldKey, to: newKey, from: old, to: new,
      primitive: primitive)
  }

  /// Returns the position of a key, or nil if the key is absent.
  private func position(of key: String, _ table: inout EntryTable, _ context: RuleContext) throws(KeyedArchiveError)
    -> Int?
  {
    let positions = table.positions(of: key)
    guard positions.count > 1 else { return positions.first }
    throw failure(
      context, key, "the key '\(key)' occurs \(positions.count) times, and programs differ in which one they read",
      "Remove all but one from the archive")
  }

  private mutating func rename(
    _ old: String, _ new: String, _ conflict: MigrationRule.KeyConflict, _ table: inout EntryTable,
    _ context: RuleContext
  ) throws(KeyedArchiveError) {
    guard let position = try position(of: old, &table, context) else { return }
    guard table.positions(of: new).isEmpty else {
      if conflict == .keep { return }
      throw failure(
        context, old, "the new key '\(new)' exists already",
        "Remove one of the keys with an earlier rule, or keep both (ifPresent: keep)")
    }
    table.rename(position, to: new, textRow(new))
    record(change(context, from: old, to: new, nil, nil))
  }

  // MARK: Numbers

  private mutating func setForm(
    _ form: MigrationRule.NumberForm, _ position: Int, _ table: inout EntryTable, _ context: RuleContext, isNamed: Bool
  ) throws(KeyedArchiveError) {
    let (name, row) = (table.entries[position].name, table.entries[position].value)
    if let number = work.reference(in: row) {
      let target = try object(number)
      guard let target, try isNumber(target) else {
        // Nil can be stored boxed, but not inline.
        if isNamed, form == .inline || target != nil { throw try notANumber(context, name, row) }
        return
      }
      guard form == .inline else { return }
      if !isNamed { _ = try self.position(of: name, &table, context) }
      let (before, value) = (try value(in: row), try value(in: target))
      record(change(context, from: name, to: name, before, value, primitive: (value, value)))
      table.setValue(position, target)
      removedReferences = true
    } else if try isNumber(row) {
      guard form == .objects else { return }
      if !isNamed { _ = try self.position(of: name, &table, context) }
      let value = try value(in: row)
      let uid = try numberObject(row)
      record(change(context, from: name, to: name, value, .reference(uid), primitive: (value, value)))
      table.setValue(position, work.list.append(.uid(UInt64(uid.rawValue))))
    } else if isNamed {
      throw try notANumber(context, name, row)
    }
  }

  // The kinds of values are found without reading them, because many objects may share a long text.

  private func isNumber(_ row: ObjectRef) throws(KeyedArchiveError) -> Bool {
    guard let item = try work.storedItem(row) else { return try work.stored(row).isNumber }
    return switch item.kind {
    case .true, .false, .integer, .float, .double: true
    default: false
    }
  }

  private func isPrimitive(_ row: ObjectRef) throws(KeyedArchiveError) -> Bool {
    guard let item = try work.storedItem(row) else { return try work.stored(row).isPrimitive }
    return switch item.kind {
    case .ascii, .utf16, .data, .true, .false, .integer, .float, .double: true
    default: false
    }
  }

  private mutating func notANumber(_ context: RuleContext, _ key: String, _ row: ObjectRef) throws(KeyedArchiveError)
    -> KeyedArchiveError
  {
    failure(
      context, key, "found \(try value(in: row).text); expected a number", "Name only keys with numbers")
  }

  /// Returns the row of an object, or nil for nil.
  private func object(_ number: UInt64) throws(KeyedArchiveError) -> ObjectRef? {
    guard number < UInt64(rows.count) else {
      throw KeyedArchiveError.dangling(ArchiveUID(rawValue: UInt32(clamping: number)), objectCount: rows.count)
    }
    let row = rows[Int(number)]
    return try work.isNull(row) ? nil : row
  }

  /// Returns the UID of the boxed number in a row; boxes it if necessary.
  private mutating func numberObject(_ row: ObjectRef) throws(KeyedArchiveError) -> ArchiveUID {
    if numberObjects == nil {
      var found: [ObjectRef: ArchiveUID] = [:]
      for (index, row) in rows.enumerated() where found[row] == nil {
        if try isNumber(row) { found[row] = ArchiveUID(rawValue: UInt32(index)) }
      }
      numberObjects = found
    }
    if let known = numberObjects?[row] { return known }
    let uid = try addObject(row)
    numberObjects?[row] = uid
    return uid
  }

  private mutating func addObject(_ row: ObjectRef) throws(KeyedArchiveError) -> ArchiveUID {
    guard rows.count < Int32.max else {
      throw KeyedArchiveError.tooManyObjects
    }
    rows.append(row)
    return ArchiveUID(rawValue: UInt32(rows.count - 1))
  }

  // MARK: Values

  /// Replaces a primitive by another one in the same form, boxed or inline. Objects that share a boxed primitive share the
  /// new one.
  private mutating func replacePrimitive(
    _ position: Int, _ table: inout EntryTable, _ context: RuleContext,
    _ body: (KeyedArchive.StoredValue) throws(KeyedArchiveError) -> KeyedArchive.StoredValue
  ) throws(KeyedArchiveError) {
    let (name, row) = (table.entries[position].name, table.entries[position].value)
    guard let number = work.reference(in: row) else {
      guard let (primitive, result) = try replacement(in: row, name, context, isBoxed: false, body) else { return }
      record(change(context, from: name, to: name, primitive, result, primitive: (primitive, result)))
      return table.setValue(position, work.append(result))
    }
    guard let target = try object(number) else { return }
    let uid = ArchiveUID(rawValue: UInt32(number))
    let key = Replacement(rule: context.step.index, replaced: uid)
    guard !unchanged.contains(key) else { return }
    if replacements[key] == nil {
      guard let (primitive, result) = try replacement(in: target, name, context, isBoxed: true, body) else {
        unchanged.insert(key)
        return
      }
      replacements[key] = (try addObject(work.append(result)), primitive, result)
    }
    guard let (new, primitive, result) = replacements[key] else { return }
    record(change(context, from: name, to: name, .reference(uid), .reference(new), primitive: (primitive, result)))
    table.setValue(position, work.list.append(.uid(UInt64(new.rawValue))))
    removedReferences = true
  }

  /// Returns a primitive with the one that a rule makes of it, or nil if the rule does not change it.
  private mutating func replacement(
    in row: ObjectRef, _ name: String, _ context: RuleContext, isBoxed: Bool,
    _ body: (KeyedArchive.StoredValue) throws(KeyedArchiveError) -> KeyedArchive.StoredValue
  ) throws(KeyedArchiveError) -> (old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)? {
    guard try isPrimitive(row) else {
      throw failure(
        context, name,
        "found a value of kind \(try work.stored(row).kindName); expected a string, number, Boolean or data",
        "The value is an object; write a rule for its class")
    }
    let primitive = try value(in: row)
    let result = try body(primitive)
    guard result.isPrimitive else {
      throw failure(
        context, name, "the new value is \(result.text); expected a string, number, Boolean or data", nil)
    }
    if case .string("$null") = result, isBoxed {
      throw failure(context, name, "the boxed string '$null' represents nil", nil)
    }
    guard !primitive.isIdentical(to: result) else { return nil }
    try checkFormat(result, name, context)
    return (primitive, result)
  }

  private mutating func add(
    _ key: String, _ value: KeyedArchive.StoredValue, _ form: MigrationRule.NumberForm, _ table: inout EntryTable,
    _ context: RuleContext
  ) throws(KeyedArchiveError) {
    guard table.positions(of: key).isEmpty else { return }
    try checkFormat(value, key, context)
    var stored = value
    if form == .objects, value.isPrimitive {
      let key = Replacement(rule: context.step.index)
      if replacements[key] == nil {
        replacements[key] = (try addObject(work.append(value)), value, value)
      }
      if let new = replacements[key] { stored = .reference(new.uid) }
    }
    table.add(key, textRow(key), work.append(stored))
    record(change(context, from: nil, to: key, nil, stored, primitive: value.isPrimitive ? (value, value) : nil))
  }

  private func checkFormat(_ value: KeyedArchive.StoredValue, _ key: String, _ context: RuleContext)
    throws(KeyedArchiveError)
  {
    guard case .float = value, (rules.format ?? old.format) == .xml else { return }
    throw failure(
      context, key, "XML property lists have no 4-byte reals", "Migrate to binary, or convert the number to a double")
  }
}

extension KeyedArchive.StoredValue {
  /// The values that a conversion expects instead of this one.
  fileprivate func expectation(for kind: MigrationRule.NumberKind) -> String {
    switch (primitiveKind, kind) {
    case (_, .boolean): "0 or 1 as an integer"
    case (.boolean?, _): "a number, because a Boolean becomes only an integer"
    default: "a number that \(kind == .integer ? "an" : "a") \(kind.rawValue) represents exactly"
    }
  }
}

extension PropertyListObject {
  var isNumber: Bool {
    switch self {
    case .boolean, .integer, .wideInteger, .float, .double: true
    default: false
    }
  }

  /// Whether the object is a string, number, Boolean or data.
  fileprivate var isPrimitive: Bool {
    switch self {
    case .string, .data: true
    default: isNumber
    }
  }
}
