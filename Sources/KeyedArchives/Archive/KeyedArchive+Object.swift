// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

extension KeyedArchive {
  /// A value inside an object, or in `$top`, as it is stored.
  public enum StoredValue: Sendable, Equatable {
    /// A reference to an object; number 0 is nil.
    case reference(ArchiveUID)
    /// A boolean.
    case boolean(Bool)
    /// An integer.
    case integer(Int64)
    /// An integer that is stored in 16 bytes, as unsigned 64-bit numbers are.
    case wideInteger(Int128)
    /// A 4-byte real.
    case float(Float)
    /// An 8-byte real.
    case double(Double)
    /// Bytes.
    case data(Data)
    /// A string that is no object, as the text of a mutable string is stored.
    case string(String)
    /// A date. No known archiver stores one.
    case date(Double)
    /// An array, nearly always of references: `NS.objects`.
    case array([StoredValue])
    /// A dictionary that is no object. No known archiver stores one.
    case dictionary([Entry])
  }

  /// A key with its value.
  public struct Entry: Sendable, Equatable {
    /// The key as it is stored: with a second `$` in front where the key that was encoded began with one.
    public var key: String
    /// The value.
    public var value: StoredValue

    /// Makes an entry.
    public init(_ key: String, _ value: StoredValue) {
      self.key = key
      self.value = value
    }
  }

  /// An element of `$objects`.
  public enum Object: Sendable, Equatable {
    /// The string `$null`, which stands for nil: element 0, and conditional objects that were never archived.
    case null
    /// A string, number, boolean or data that stands as it is.
    case bare(StoredValue)
    /// An object with its class record's number and its keys in the order in which they are stored, without `$class`.
    case instance(class: ArchiveUID, [Entry])
    /// A class record.
    case classRecord(ClassDescription)
  }

  /// The object with a number.
  /// - Throws: `KeyedArchiveError` if there is none or it is damaged.
  public func object(_ uid: ArchiveUID) throws(KeyedArchiveError) -> Object {
    var room = room
    return try object(uid, room: &room)
  }

  /// The object with a number, for those who look at many: objects may share what they hold, so a few hundred bytes may
  /// hold any number of values.
  package func object(_ uid: ArchiveUID, room: inout ExpansionBudget) throws(KeyedArchiveError) -> Object {
    let row = try row(of: uid)
    do {
      return try object(in: row, room: &room)
    } catch {
      var error = error
      error.uid = error.uid ?? uid
      throw error
    }
  }

  private func object(in row: ObjectRef, room: inout ExpansionBudget) throws(KeyedArchiveError) -> Object {
    let stored = try stored(row)
    try spend(stored.weight, &room)
    switch stored {
    case .string("$null"): return .null
    case .dictionary(let keys, let values):
      var names: [String] = []
      names.reserveCapacity(keys.count)
      for key in keys { names.append(try name(key, room: &room)) }
      if names.contains("$classname") { return .classRecord(try description(names, values, room: &room)) }
      guard let place = names.firstIndex(of: "$class") else {
        throw withoutClass("an object is a dictionary without a '$class'", row)
      }
      guard case .uid(let classUID) = try self.stored(values[place]), classUID < UInt64(UInt32.max) else {
        throw withoutClass("'$class' of an object is no reference", row)
      }
      var entries: [Entry] = []
      entries.reserveCapacity(names.count - 1)
      for (index, name) in names.enumerated() where index != place {
        entries.append(Entry(name, try value(in: values[index], room: &room)))
      }
      return .instance(class: ArchiveUID(rawValue: UInt32(classUID)), entries)
    case .uid, .array, .set, .null, .date:
      throw KeyedArchiveError(
        .damagedArchive, "an element of '$objects' is of kind \(stored.kindName), which is no object",
        byteOffset: offset(row))
    default: return .bare(try value(stored, isWeighed: true, room: &room))
    }
  }

  private func withoutClass(_ detail: String, _ row: ObjectRef) -> KeyedArchiveError {
    var error = KeyedArchiveError(.damagedArchive, detail, byteOffset: offset(row))
    error.lacksClass = true
    return error
  }

  /// The class record with a number.
  ///
  /// A record is read once, however many objects refer to it, as long as the archive was not edited.
  /// - Throws: `KeyedArchiveError` if the object with this number is no class record, or if records share so much that
  ///   they take more than `ReadLimits.maximumExpansion` times the archive's bytes.
  public func classDescription(_ uid: ArchiveUID) throws(KeyedArchiveError) -> ClassDescription {
    guard !list.isEdited else { return try readClassDescription(uid) }
    let read = reading.classDescription(uid) {
      Result { () throws(KeyedArchiveError) in try readClassDescription(uid) }
    }
    guard let read else { throw tooMuch() }
    return try read.get()
  }

  private func readClassDescription(_ uid: ArchiveUID) throws(KeyedArchiveError) -> ClassDescription {
    guard case .classRecord(let description) = try object(uid) else {
      throw KeyedArchiveError(
        .damagedArchive, "object \(uid) stands for a class, but it has no '$classname'", uid: uid,
        byteOffset: offset(try row(of: uid)))
    }
    return description
  }

  /// The name in the class record in a row; nil for any other object. No more of it is read than this.
  func className(ofRecordIn row: ObjectRef, room: inout ExpansionBudget) throws(KeyedArchiveError) -> String? {
    guard let nameRow = try nameRow(ofRecordIn: row, room: &room) else { return nil }
    return try name(nameRow, room: &room)
  }

  /// Whether the object in a row is a class record. No more of it is read than its keys of this length.
  func isClassRecord(_ row: ObjectRef, room: inout ExpansionBudget) throws(KeyedArchiveError) -> Bool {
    try nameRow(ofRecordIn: row, room: &room) != nil
  }

  private func nameRow(
    ofRecordIn row: ObjectRef, room: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> ObjectRef? {
    if let item = try storedItem(row) {
      guard item.kind == .dictionary else { return nil }
      guard room.take(item.weight / 4) else { throw tooMuch() }
    }
    return try value(forKey: "$classname", in: row)
  }

  /// Whether the object in a row is the string `$null`.
  package func isNull(_ row: ObjectRef) throws(KeyedArchiveError) -> Bool {
    if let item = try storedItem(row), item.count != 5 || item.kind != .ascii && item.kind != .utf16 { return false }
    guard case .string("$null") = try stored(row) else { return false }
    return true
  }

  /// The values in `$top`, by their keys, in the order in which they are stored.
  /// - Throws: `KeyedArchiveError` if `$top` is damaged.
  public var top: [Entry] {
    get throws(KeyedArchiveError) { try entries(of: topRow) }
  }

  package func entries(of row: ObjectRef) throws(KeyedArchiveError) -> [Entry] {
    guard case .dictionary(let keys, let values) = try stored(row) else {
      throw KeyedArchiveError(.damagedArchive, "expected a dictionary", byteOffset: offset(row))
    }
    var entries: [Entry] = []
    var room = room
    for (key, row) in zip(keys, values) {
      entries.append(Entry(try name(key, room: &room), try value(in: row, room: &room)))
    }
    return entries
  }

  /// The text of a key.
  package func name(_ key: ObjectRef) throws(KeyedArchiveError) -> String { try readName(key).text }

  /// The text of a key for a walk, which compares or hashes what it gets.
  private func name(_ key: ObjectRef, room: inout ExpansionBudget) throws(KeyedArchiveError) -> String {
    let name = try readName(key)
    // A long key is made once, however many objects have it. A short one takes no more than its place, which was weighed.
    let count = name.text.utf8.count
    guard name.wasKnown || count <= ArchiveReading.shortKey ? room.touch(count) : room.take(2 * count) else {
      throw tooMuch()
    }
    return name.text
  }

  private func readName(_ key: ObjectRef) throws(KeyedArchiveError) -> (text: String, wasKnown: Bool) {
    let isLong = try storedItem(key).map { $0.count > ArchiveReading.shortKey } ?? false
    if isLong, let known = reading.longKey(key) { return (known, true) }
    guard case .string(let name) = try stored(key) else {
      throw KeyedArchiveError(
        .damagedPropertyList, "a dictionary key must be a string", byteOffset: offset(key))
    }
    if isLong { reading.keep(name, key) }
    return (name, false)
  }

  /// Where the object in a row lies in the bytes; nil if an edit put it there.
  func storedItem(_ row: ObjectRef) throws(KeyedArchiveError) -> BinaryItem? {
    do {
      return try list.storedItem(row)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  package func value(in row: ObjectRef) throws(KeyedArchiveError) -> StoredValue {
    var room = room
    return try value(in: row, room: &room)
  }

  /// What may be made of the archive. An edited one may hold more than its bytes.
  package var room: ExpansionBudget {
    ExpansionBudget(byteCount: list.bytes.count, editedWeight: list.editedWeight, limits: list.limits)
  }

  private func spend(_ weight: Int, _ room: inout ExpansionBudget) throws(KeyedArchiveError) {
    guard room.take(weight) else { throw tooMuch() }
  }

  func tooMuch() -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached,
      "the values of the archive's objects would take more than \(list.limits.maximumExpansion) times its "
        + "\(list.bytes.count) bytes, for they are shared many times over",
      remedy: "Raise ReadLimits.maximumExpansion if the archive is to be trusted")
  }

  /// What an element of a container is. A long text or data that several containers hold is read once.
  private func value(
    in row: ObjectRef, nesting: Int = 0, room: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> StoredValue {
    let isLong = try storedItem(row).map { $0.isLongContent } ?? false
    if isLong, let known = reading.sharedContent(row) { return known }
    let value = try value(stored(row), nesting: nesting, room: &room)
    if isLong { reading.keepIfShared(value, row) }
    return value
  }

  private func value(
    _ object: PropertyListObject, isWeighed: Bool = false, nesting: Int = 0, room: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> StoredValue {
    // Its container was weighed, with its place in it.
    if !isWeighed { try spend(object.weight - ExpansionBudget.element, &room) }
    switch object {
    case .uid(let number):
      guard number < UInt64(UInt32.max) else {
        throw KeyedArchiveError(.damagedArchive, "a reference to object #\(number)")
      }
      return .reference(ArchiveUID(rawValue: UInt32(number)))
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .wideInteger(let value): return .wideInteger(value)
    case .float(let value): return .float(value)
    case .double(let value): return .double(value)
    case .data(let value): return .data(value)
    case .string(let value): return .string(value)
    case .date(let value): return .date(value)
    case .array(let rows), .set(let rows):
      guard nesting < Self.maximumNesting else { throw Self.tooDeep() }
      var values: [StoredValue] = []
      values.reserveCapacity(rows.count)
      for row in rows { values.append(try value(in: row, nesting: nesting + 1, room: &room)) }
      return .array(values)
    case .dictionary(let keys, let values):
      guard nesting < Self.maximumNesting else { throw Self.tooDeep() }
      var entries: [Entry] = []
      for (key, row) in zip(keys, values) {
        entries.append(
          Entry(try name(key, room: &room), try value(in: row, nesting: nesting + 1, room: &room)))
      }
      return .dictionary(entries)
    case .null:
      throw KeyedArchiveError(.damagedArchive, "a value is the null of the property list, which means nothing")
    }
  }

  /// How deep containers inside one object may nest.
  package static let maximumNesting = 32

  package static func tooDeep() -> KeyedArchiveError {
    KeyedArchiveError(.limitReached, "containers inside one object nest deeper than \(maximumNesting) levels")
  }

  /// What a class record says; of a key that it has twice, the first counts, as for a decoder.
  private func description(
    _ names: [String], _ values: [ObjectRef], room: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> ClassDescription {
    var description = ClassDescription(name: "", chain: [])
    var seen: Set<BytewiseString> = []
    for (name, row) in zip(names, values) where seen.insert(name) {
      switch (name, try value(in: row, room: &room)) {
      case ("$classname", .string(let text)): description.name = text
      case ("$classes", .array(let list)): description.chain = try texts(list, row)
      case ("$classhints", .array(let list)): description.hints = try texts(list, row)
      case ("$classname", _), ("$classes", _), ("$classhints", _):
        throw KeyedArchiveError(
          .damagedArchive, "'\(name)' of a class record is not as it should be", byteOffset: offset(row))
      default: break
      }
    }
    return description
  }

  private func texts(_ values: [StoredValue], _ row: ObjectRef) throws(KeyedArchiveError) -> [String] {
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else {
        throw KeyedArchiveError(
          .damagedArchive, "a class record lists something that is no name", byteOffset: offset(row))
      }
      texts.append(text)
    }
    return texts
  }

  /// Where a row lies in the file, if it was read from a binary one.
  func offset(_ row: ObjectRef) -> Int? {
    guard format == .binary, let item = try? list.storedItem(row) else { return nil }
    return item.content
  }
}
