// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

extension KeyedArchive {
  /// A value inside an object, or in `$top`, as it is stored.
  public enum Stored: Sendable, Equatable {
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
    case array([Stored])
    /// A dictionary that is no object. No known archiver stores one.
    case dictionary([Entry])
  }

  /// A key with its value.
  public struct Entry: Sendable, Equatable {
    /// The key as it is stored: with a second `$` in front where the key that was encoded began with one.
    public var key: String
    /// The value.
    public var value: Stored

    /// Makes an entry.
    public init(_ key: String, _ value: Stored) {
      self.key = key
      self.value = value
    }
  }

  /// An element of `$objects`.
  public enum Object: Sendable, Equatable {
    /// The string `$null`, which stands for nil: element 0, and conditional objects that were never archived.
    case null
    /// A string, number, boolean or data that stands as it is.
    case bare(Stored)
    /// An object with its class record's number and its keys in the order in which they are stored, without `$class`.
    case instance(class: ArchiveUID, [Entry])
    /// A class record.
    case classRecord(ClassDescription)
  }

  /// The object with a number.
  /// - Throws: ``KeyedArchiveError`` if there is none or it is damaged.
  public func object(_ uid: ArchiveUID) throws(KeyedArchiveError) -> Object {
    let row = try row(of: uid)
    do {
      return try object(in: row)
    } catch {
      var error = error
      error.uid = error.uid ?? uid
      throw error
    }
  }

  private func object(in row: ObjectRef) throws(KeyedArchiveError) -> Object {
    let stored = try stored(row)
    var room = roomForValues
    switch stored {
    case .string("$null"): return .null
    case .dictionary(let keys, let values):
      let names = try keys.map { key throws(KeyedArchiveError) in try name(key) }
      if names.contains("$classname") { return .classRecord(try description(names, values)) }
      guard let place = names.firstIndex(of: "$class") else {
        throw KeyedArchiveError(
          .damagedArchive, "an object is a dictionary without a '$class'", byteOffset: offset(row))
      }
      guard case .uid(let classUID) = try self.stored(values[place]), classUID < UInt64(UInt32.max) else {
        throw KeyedArchiveError(.damagedArchive, "'$class' of an object is no reference", byteOffset: offset(row))
      }
      var entries: [Entry] = []
      entries.reserveCapacity(names.count - 1)
      for (index, name) in names.enumerated() where index != place {
        entries.append(Entry(name, try value(self.stored(values[index]), room: &room)))
      }
      return .instance(class: ArchiveUID(rawValue: UInt32(classUID)), entries)
    case .uid, .array, .set, .null, .date:
      throw KeyedArchiveError(
        .damagedArchive, "an element of '$objects' is of kind \(stored.kindName), which is no object",
        byteOffset: offset(row))
    default: return .bare(try value(stored, room: &room))
    }
  }

  /// The class record with a number.
  /// - Throws: ``KeyedArchiveError`` if the object with this number is no class record.
  public func classDescription(_ uid: ArchiveUID) throws(KeyedArchiveError) -> ClassDescription {
    guard case .classRecord(let description) = try object(uid) else {
      throw KeyedArchiveError(
        .damagedArchive, "object \(uid) stands for a class, but it has no '$classname'", uid: uid,
        byteOffset: offset(try row(of: uid)))
    }
    return description
  }

  /// The values in `$top`, by their keys, in the order in which they are stored.
  /// - Throws: ``KeyedArchiveError`` if `$top` is damaged.
  public var top: [Entry] {
    get throws(KeyedArchiveError) { try entries(of: topRow) }
  }

  func entries(of row: ObjectRef) throws(KeyedArchiveError) -> [Entry] {
    guard case .dictionary(let keys, let values) = try stored(row) else {
      throw KeyedArchiveError(.damagedArchive, "expected a dictionary", byteOffset: offset(row))
    }
    var entries: [Entry] = []
    var room = roomForValues
    for (key, row) in zip(keys, values) {
      entries.append(Entry(try name(key), try value(stored(row), room: &room)))
    }
    return entries
  }

  func name(_ key: ObjectRef) throws(KeyedArchiveError) -> String {
    guard case .string(let name) = try stored(key) else {
      throw KeyedArchiveError(
        .damagedPropertyList, "a dictionary key must be a string", byteOffset: offset(key))
    }
    return name
  }

  func value(in row: ObjectRef) throws(KeyedArchiveError) -> Stored {
    var room = roomForValues
    return try value(stored(row), room: &room)
  }

  /// How many bytes the values of one object may take. A row that is referred to twice is decoded twice, so without a
  /// bound a few hundred bytes of arrays in arrays become any number of values.
  private var roomForValues: Int {
    let room = list.bytes.count.multipliedReportingOverflow(by: list.limits.maximumExpansion)
    // An edited list may hold more than its bytes.
    return room.overflow || list.isEdited ? .max : room.partialValue
  }

  private func value(
    _ object: PropertyListObject, nesting: Int = 0, room: inout Int
  ) throws(KeyedArchiveError) -> Stored {
    room -= object.contentSize + 1
    guard room >= 0 else {
      throw KeyedArchiveError(
        .limitReached,
        "the values of one object would be more than \(list.limits.maximumExpansion) times as large as "
          + "the file (maximumExpansion)")
    }
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
      guard nesting < 32 else { throw tooDeep() }
      var values: [Stored] = []
      values.reserveCapacity(rows.count)
      for row in rows { values.append(try value(stored(row), nesting: nesting + 1, room: &room)) }
      return .array(values)
    case .dictionary(let keys, let values):
      guard nesting < 32 else { throw tooDeep() }
      var entries: [Entry] = []
      for (key, row) in zip(keys, values) {
        entries.append(Entry(try name(key), try value(stored(row), nesting: nesting + 1, room: &room)))
      }
      return .dictionary(entries)
    case .null:
      throw KeyedArchiveError(.damagedArchive, "a value is the null of the property list, which means nothing")
    }
  }

  private func tooDeep() -> KeyedArchiveError {
    KeyedArchiveError(.limitReached, "containers inside one object nest deeper than 32 levels")
  }

  private func description(_ names: [String], _ values: [ObjectRef]) throws(KeyedArchiveError) -> ClassDescription {
    var description = ClassDescription(name: "", chain: [])
    for (name, row) in zip(names, values) {
      switch (name, try value(in: row)) {
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

  private func texts(_ values: [Stored], _ row: ObjectRef) throws(KeyedArchiveError) -> [String] {
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

extension PropertyListObject {
  /// Bytes of a string or data, about.
  fileprivate var contentSize: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .data(let bytes): bytes.count
    default: 0
    }
  }
}
