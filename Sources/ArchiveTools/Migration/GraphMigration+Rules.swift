// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
import KeyedArchiving
import PropertyListFormat

extension GraphMigration {
  /// Applies a rule to the keys of an object, or to those on top.
  mutating func apply(
    _ step: ClassPlan.Step, to table: inout EntryTable, of uid: ArchiveUID?
  ) throws(KeyedArchiveError) {
    let spot = Spot(step: step, uid: uid)
    let old = old
    switch step.rule.action {
    case .className: break
    case .key(let old, let new, let conflict): try rename(old, new, conflict, &table, spot)
    case .numbers(let keys?, let form):
      for key in keys {
        if let place = try place(of: key, &table, spot) { try setForm(form, place, &table, spot, isNamed: true) }
      }
    case .numbers(nil, let form):
      for place in table.entries.indices where !table.entries[place].isGone && table.entries[place].name != "$class" {
        try setForm(form, place, &table, spot, isNamed: false)
      }
    case .kind(let key, let kind):
      guard let place = try place(of: key, &table, spot) else { return }
      try replacePlain(place, &table, spot) { (value) throws(KeyedArchiveError) in
        guard let number = value.converted(to: kind) else {
          throw Self.failure(
            old, spot, key, "the value is \(value.text), which is no number that a \(kind.rawValue) has exactly",
            "Leave the number as it is, or give it another value before")
        }
        return number
      }
    case .standard(let key, let value, let form): try add(key, value, form, &table, spot)
    case .drop(let key):
      guard let place = try place(of: key, &table, spot) else { return }
      note(change(spot, from: key, to: nil, try work.value(in: table.entries[place].value), nil))
      table.remove(place)
      mayLeaveObjects = true
    case .transform(let key, let body):
      guard let place = try place(of: key, &table, spot) else { return }
      try replacePlain(place, &table, spot) { (value) throws(KeyedArchiveError) in
        do {
          return try body(value)
        } catch {
          throw Self.failure(old, spot, key, "the value is not transformed: \(error)", nil, error)
        }
      }
    }
  }

  /// Where a rule is applied.
  struct Spot {
    let step: ClassPlan.Step
    let uid: ArchiveUID?
  }

  fileprivate func failure(
    _ spot: Spot, _ key: String, _ detail: String, _ remedy: String?
  ) -> KeyedArchiveError {
    Self.failure(old, spot, key, detail, remedy)
  }

  private static func failure(
    _ old: KeyedArchive, _ spot: Spot, _ key: String, _ detail: String, _ remedy: String?,
    _ underlying: (any Error)? = nil
  ) -> KeyedArchiveError {
    let path = spot.uid.map { "\(old.keyPath(to: $0) ?? "\($0)")." } ?? ""
    return KeyedArchiveError(
      .notMigratable, "rule \(spot.step.place + 1), \(spot.step.rule): \(detail)", keyPath: path + key, uid: spot.uid,
      remedy: remedy, underlying: underlying)
  }

  private func change(
    _ spot: Spot, from oldKey: String?, to newKey: String?, _ old: KeyedArchive.StoredValue?,
    _ new: KeyedArchive.StoredValue?,
    plain: (old: KeyedArchive.StoredValue, new: KeyedArchive.StoredValue)? = nil
  ) -> MigrationChange {
    MigrationChange(
      spot.step.rule.change, spot.step.place, spot.uid, key: oldKey, to: newKey, from: old, to: new, plain: plain)
  }

  /// Where a key is; nil if it is not there.
  private func place(of key: String, _ table: inout EntryTable, _ spot: Spot) throws(KeyedArchiveError) -> Int? {
    let places = table.places(of: key)
    guard places.count > 1 else { return places.first }
    throw failure(
      spot, key, "the key '\(key)' is there \(places.count) times, and programs differ in which of them counts",
      "Remove all but one in the archive")
  }

  private mutating func rename(
    _ old: String, _ new: String, _ conflict: MigrationRule.KeyConflict, _ table: inout EntryTable, _ spot: Spot
  ) throws(KeyedArchiveError) {
    guard let place = try place(of: old, &table, spot) else { return }
    guard table.places(of: new).isEmpty else {
      if conflict == .keep { return }
      throw failure(
        spot, old, "there is a key '\(new)' already",
        "Drop one of them by a rule before, or keep both (ifPresent: keep)")
    }
    table.rename(place, to: new, keyRow(new))
    note(change(spot, from: old, to: new, nil, nil))
  }

  // MARK: Numbers

  private mutating func setForm(
    _ form: MigrationRule.NumberForm, _ place: Int, _ table: inout EntryTable, _ spot: Spot, isNamed: Bool
  ) throws(KeyedArchiveError) {
    let (name, row) = (table.entries[place].name, table.entries[place].value)
    let stored = try work.stored(row)
    if case .uid(let number) = stored {
      let target = try object(number)
      guard try target.map({ (row) throws(KeyedArchiveError) in try work.stored(row) })?.isNumber == true else {
        // Nil is a value for an object, but none for a number.
        if isNamed, form == .inline || target != nil { throw try notANumber(spot, name, row) }
        return
      }
      guard form == .inline, let target else { return }
      let value = try work.value(in: target)
      note(change(spot, from: name, to: name, try work.value(in: row), value, plain: (value, value)))
      table.setValue(place, target)
      mayLeaveObjects = true
    } else if stored.isNumber {
      guard form == .objects else { return }
      let value = try work.value(in: row)
      let uid = try numberObject(row)
      note(change(spot, from: name, to: name, value, .reference(uid), plain: (value, value)))
      table.setValue(place, work.list.append(.uid(UInt64(uid.rawValue))))
    } else if isNamed {
      throw try notANumber(spot, name, row)
    }
  }

  private func notANumber(_ spot: Spot, _ key: String, _ row: ObjectRef) throws(KeyedArchiveError) -> KeyedArchiveError
  {
    failure(
      spot, key, "expected a number, found \(try work.value(in: row).text)", "Name the keys that hold numbers only")
  }

  /// The row of an object; nil for nil.
  private func object(_ number: UInt64) throws(KeyedArchiveError) -> ObjectRef? {
    guard number < UInt64(rows.count) else {
      throw KeyedArchiveError(.damagedArchive, "a reference to object #\(number), where there are \(rows.count)")
    }
    let row = rows[Int(number)]
    if case .string("$null") = try work.stored(row) { return nil }
    return row
  }

  /// The object that a number in a row is, or becomes.
  private mutating func numberObject(_ row: ObjectRef) throws(KeyedArchiveError) -> ArchiveUID {
    if numberObjects == nil {
      var found: [ObjectRef: ArchiveUID] = [:]
      for (index, row) in rows.enumerated() where try work.stored(row).isNumber && found[row] == nil {
        found[row] = ArchiveUID(rawValue: UInt32(index))
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
      throw KeyedArchiveError(.limitReached, "the archive would have more than \(Int32.max) objects")
    }
    rows.append(row)
    return ArchiveUID(rawValue: UInt32(rows.count - 1))
  }

  // MARK: Values

  /// Puts another plain value in the place of one, as an object if that one is.
  private mutating func replacePlain(
    _ place: Int, _ table: inout EntryTable, _ spot: Spot,
    _ body: (KeyedArchive.StoredValue) throws(KeyedArchiveError) -> KeyedArchive.StoredValue
  ) throws(KeyedArchiveError) {
    let (name, row) = (table.entries[place].name, table.entries[place].value)
    let before = try work.value(in: row)
    var target = row
    if case .reference(let uid) = before {
      guard let object = try object(UInt64(uid.rawValue)) else { return }
      target = object
    }
    let stored = try work.stored(target)
    guard stored.isPlain else {
      throw failure(
        spot, name, "expected a string, number, boolean or data, found \(stored.kindName)",
        "Such a value is an object with keys of its own; write a rule for its class")
    }
    let plain = try work.value(in: target)
    let result = try body(plain)
    guard result.isPlain else {
      throw failure(spot, name, "a value can become a string, number, boolean or data, not \(result.text)", nil)
    }
    if case .string("$null") = result, target != row {
      throw failure(spot, name, "the text '$null' as an object stands for nil", nil)
    }
    guard !plain.isIdentical(to: result) else { return }
    try checkFormat(result, name, spot)
    let newRow = work.list.append(PropertyListObject(result))
    if target == row {
      note(change(spot, from: name, to: name, before, result, plain: (plain, result)))
      table.setValue(place, newRow)
    } else {
      let uid = try addObject(newRow)
      note(change(spot, from: name, to: name, before, .reference(uid), plain: (plain, result)))
      table.setValue(place, work.list.append(.uid(UInt64(uid.rawValue))))
      mayLeaveObjects = true
    }
  }

  private mutating func add(
    _ key: String, _ value: KeyedArchive.StoredValue, _ form: MigrationRule.NumberForm, _ table: inout EntryTable,
    _ spot: Spot
  ) throws(KeyedArchiveError) {
    guard table.places(of: key).isEmpty else { return }
    try checkFormat(value, key, spot)
    var stored = value
    if form == .objects, value.isPlain {
      let row = work.list.append(PropertyListObject(value))
      stored = .reference(try addObject(row))
    }
    table.add(key, keyRow(key), work.list.append(PropertyListObject(stored)))
    note(change(spot, from: nil, to: key, nil, stored, plain: value.isPlain ? (value, value) : nil))
  }
}

extension GraphMigration {
  private func checkFormat(_ value: KeyedArchive.StoredValue, _ key: String, _ spot: Spot) throws(KeyedArchiveError) {
    guard case .float = value, (rules.format ?? old.format) == .xml else { return }
    throw failure(
      spot, key, "an XML property list has no 4-byte reals", "Migrate to binary, or make it a double")
  }
}

extension PropertyListObject {
  var isNumber: Bool {
    switch self {
    case .boolean, .integer, .wideInteger, .float, .double: true
    default: false
    }
  }

  /// Whether it stands for itself.
  fileprivate var isPlain: Bool {
    switch self {
    case .string, .data: true
    default: isNumber
    }
  }

  /// A value that holds no others.
  fileprivate init(_ value: KeyedArchive.StoredValue) {
    switch value {
    case .reference(let uid): self = .uid(UInt64(uid.rawValue))
    case .boolean(let value): self = .boolean(value)
    case .integer(let value): self = .integer(value)
    case .wideInteger(let value): self = .wideInteger(value)
    case .float(let value): self = .float(value)
    case .double(let value): self = .double(value)
    case .data(let value): self = .data(value)
    case .string(let value): self = .string(value)
    case .date(let value): self = .date(value)
    case .array: self = .array([])
    case .dictionary: self = .dictionary(keys: [], values: [])
    }
  }
}
