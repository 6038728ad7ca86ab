// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension KeyedArchive.StoredValue {
  /// Creates an integer that is stored in 16 bytes.
  /// - Parameter value: The integer.
  /// - Returns: ``wideInteger(high:low:)`` with the two words of the integer.
  public static func wideInteger(_ value: Int128) -> Self {
    let value = WideInteger(value)
    return .wideInteger(high: value.high, low: value.low)
  }

  /// The value of an integer of any width; nil for other kinds.
  public var int128: Int128? {
    switch self {
    case .integer(let value): Int128(value)
    case .wideInteger(let high, let low): WideInteger(high: high, low: low).int128
    default: nil
    }
  }
}

extension KeyedArchive {
  /// A value inside an object or in `$top`, as it is stored.
  public enum StoredValue: Sendable, Equatable {
    /// A reference to an object; a reference to object 0 is nil.
    case reference(ArchiveUID)
    /// A Boolean.
    case boolean(Bool)
    /// An integer of up to 8 bytes.
    case integer(Int64)
    /// An integer stored in 16 bytes, as unsigned 64-bit integers are: two words in two's complement, with the value
    /// `high` · 2^64 + `low`.
    case wideInteger(high: Int64, low: UInt64)
    /// A 4-byte real.
    case float(Float)
    /// An 8-byte real.
    case double(Double)
    /// Bytes.
    case data(Data)
    /// An inline string, such as the text of a mutable string.
    case string(String)
    /// An inline date, in seconds since 2001. No known archiver stores one.
    case date(Double)
    /// An inline array, nearly always of references, such as the value of `NS.objects`.
    case array([StoredValue])
    /// An inline dictionary. No known archiver stores one.
    case dictionary([Entry])

    /// The charge for reading the value again, beyond that of its container for an element; nil for containers, and for
    /// long values, which ``ArchiveReading`` caches.
    fileprivate var repeatedCharge: Int64? {
      switch self {
      case .array, .dictionary: nil
      case .string(let text): isLongContent ? nil : 2 * Int64(text.utf8.count)
      case .data(let bytes): isLongContent ? nil : 2 * Int64(bytes.count)
      default: 0
      }
    }

    /// The kind of a primitive; nil for references and containers.
    public var primitiveKind: PrimitiveKind? {
      switch self {
      case .boolean: .boolean
      case .integer: .integer
      case .wideInteger: .unsigned
      case .float: .float
      case .double: .double
      case .data: .data
      case .string: .string
      case .date: .date
      case .reference, .array, .dictionary: nil
      }
    }
  }

  /// The kind of a primitive, boxed or inline.
  public enum PrimitiveKind: String, Sendable, Hashable, CaseIterable {
    /// A Boolean.
    case boolean
    /// An integer of up to 8 bytes.
    case integer
    /// An integer stored in 16 bytes, as unsigned 64-bit integers are.
    case unsigned
    /// A 4-byte real.
    case float
    /// An 8-byte real.
    case double
    /// A string.
    case string
    /// Bytes.
    case data
    /// A date, which no known archiver stores as a primitive.
    case date

    /// The Foundation class of objects with such a value.
    package var className: String {
      switch self {
      case .string: "NSString"
      case .data: "NSData"
      case .date: "NSDate"
      case .boolean, .integer, .unsigned, .float, .double: "NSNumber"
      }
    }
  }

  /// A key with its value.
  public struct Entry: Sendable, Equatable {
    /// The key as it is stored: with an additional `$` at its start if the encoded key begins with one.
    public var key: String
    /// The value.
    public var value: StoredValue

    /// Creates an entry.
    /// - Parameters:
    ///   - key: The key as it is stored.
    ///   - value: The value.
    public init(_ key: String, _ value: StoredValue) {
      self.key = key
      self.value = value
    }
  }

  /// An element of `$objects`.
  public enum Object: Sendable, Equatable {
    /// The string `$null`, which represents nil: object 0, and conditional objects that were not archived.
    case null
    /// A boxed string, number, Boolean or data.
    case primitive(StoredValue)
    /// An object with the UID of its class record and its entries in stored order, without `$class`.
    case instance(class: ArchiveUID, [Entry])
    /// A class record.
    case classRecord(ClassDescription)
  }

  /// Reads an object.
  /// - Parameter uid: The UID of the object.
  /// - Returns: The object.
  /// - Throws: `KeyedArchiveError` if the object does not exist or is damaged.
  public func object(_ uid: ArchiveUID) throws(KeyedArchiveError) -> Object {
    var budget = budget
    return try object(uid, budget: &budget)
  }

  /// Reads an object and charges a traversal's budget for it, because objects may share their contents.
  /// With `omitsData`, data of the file is empty in the result, so a traversal that does not need it takes no memory for it.
  package func object(
    _ uid: ArchiveUID, omitsData: Bool = false, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> Object {
    let row = try row(of: uid)
    do {
      return try object(in: row, omitsData: omitsData, budget: &budget)
    } catch {
      var error = error
      error.uid = error.uid ?? uid
      throw error
    }
  }

  private func object(
    in row: ObjectRef, omitsData: Bool, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> Object {
    if omitsData, try isStoredData(row) {
      try spend(ExpansionBudget.element, &budget)
      return .primitive(.data(Data()))
    }
    let stored = try stored(row)
    try spend(stored.weight, &budget)
    switch stored {
    case .string("$null"): return .null
    case .dictionary(let keys, let values):
      var names: [String] = []
      names.reserveCapacity(keys.count)
      for key in keys { names.append(try name(key, budget: &budget)) }
      if names.contains(ClassRecordKey.name.rawValue) {
        return .classRecord(try description(names, values, budget: &budget))
      }
      guard let place = names.firstIndex(of: "$class") else {
        throw withoutClass("invalid object: a dictionary without '$class'", row)
      }
      guard case .uid(let classUID) = try self.stored(values[place]), classUID < UInt64(UInt32.max) else {
        throw withoutClass("invalid object: '$class' is not a reference", row)
      }
      var entries: [Entry] = []
      entries.reserveCapacity(names.count - 1)
      for (index, name) in names.enumerated() where index != place {
        entries.append(Entry(name, try value(in: values[index], omitsData: omitsData, budget: &budget)))
      }
      return .instance(class: ArchiveUID(rawValue: UInt32(classUID)), entries)
    case .uid, .array, .set, .null, .date:
      throw located(
        KeyedArchiveError(
          .damagedArchive,
          "invalid object: found a value of kind \(stored.kindName); expected a dictionary, string, number or data"),
        at: row)
    default: return .primitive(try value(stored, isWeighed: true, omitsData: omitsData, budget: &budget))
    }
  }

  private func withoutClass(_ detail: String, _ row: ObjectRef) -> KeyedArchiveError {
    var error = located(KeyedArchiveError(.damagedArchive, detail), at: row)
    error.lacksClass = true
    return error
  }

  // MARK: Entries and values

  /// The entries of `$top`: the top-level keys with their values, in stored order.
  /// - Throws: `KeyedArchiveError` if `$top` is damaged.
  public var top: [Entry] {
    get throws(KeyedArchiveError) { try entries(of: topRow) }
  }

  package func entries(of row: ObjectRef) throws(KeyedArchiveError) -> [Entry] {
    var budget = budget
    return try entries(of: row, budget: &budget)
  }

  /// Returns the entries of a dictionary, and charges a traversal's budget for their contents.
  package func entries(
    of row: ObjectRef, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> [Entry] {
    let stored = try stored(row)
    guard case .dictionary(let keys, let values) = stored else {
      throw located(
        KeyedArchiveError(.damagedArchive, "found a value of kind \(stored.kindName); expected a dictionary"), at: row)
    }
    var entries: [Entry] = []
    for (key, row) in zip(keys, values) {
      entries.append(Entry(try name(key, budget: &budget), try value(in: row, budget: &budget)))
    }
    return entries
  }

  /// Returns whether the object in a row is the string `$null`.
  package func isNull(_ row: ObjectRef) throws(KeyedArchiveError) -> Bool {
    if let item = try storedItem(row) {
      guard item.count == 5, item.kind == .ascii || item.kind == .utf16 else { return false }
      if list.withBytes({ list.table.isString(item, "$null", in: $0) }) { return true }
    }
    guard case .string("$null") = try stored(row) else { return false }
    return true
  }

  /// Returns the text of a key.
  package func name(_ key: ObjectRef) throws(KeyedArchiveError) -> String { try readName(key).text }

  /// Returns the text of a key and charges for it, because the caller compares or hashes the text.
  package func name(_ key: ObjectRef, budget: inout ExpansionBudget) throws(KeyedArchiveError) -> String {
    let name = try readName(key)
    // A long key is read once, however many objects have it. The container was charged for the storage of a short one.
    let count = Int64(name.text.utf8.count)
    guard name.wasKnown || count <= ArchiveReading.shortKey ? budget.touch(count) : budget.take(2 * count) else {
      throw tooMuch()
    }
    return name.text
  }

  private func readName(_ key: ObjectRef) throws(KeyedArchiveError) -> (text: String, wasKnown: Bool) {
    let isLong = try storedItem(key).map { $0.count > ArchiveReading.shortKey } ?? false
    if isLong, let known = reading.longKey(key) { return (known, true) }
    guard case .string(let name) = try stored(key) else {
      throw located(KeyedArchiveError(.damagedPropertyList, "a dictionary key must be a string"), at: key)
    }
    if isLong { reading.cache(name, key) }
    return (name, false)
  }

  /// Returns the byte range of the object in a row, or nil if an edit added the object.
  package func storedItem(_ row: ObjectRef) throws(KeyedArchiveError) -> BinaryItem? {
    do {
      return try list.storedItem(row)
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  func value(in row: ObjectRef) throws(KeyedArchiveError) -> StoredValue {
    var budget = budget
    return try value(in: row, budget: &budget)
  }

  /// The expansion budget of one traversal. An edited archive may hold more than its bytes.
  package var budget: ExpansionBudget {
    ExpansionBudget(byteCount: Int64(list.byteCount), editedWeight: list.editedWeight, limits: list.limits)
  }

  /// Charges a traversal's budget.
  package func spend(_ weight: Int64, _ budget: inout ExpansionBudget) throws(KeyedArchiveError) {
    guard budget.take(weight) else { throw tooMuch() }
  }

  func tooMuch() -> KeyedArchiveError {
    .expansionLimit(
      "expansion limit reached: the archive's shared values would take more than "
        + "\(list.limits.maximumExpansion) times its \(list.byteCount) bytes")
  }

  /// Returns whether the object in a row is data of the file. Its bytes are not read.
  private func isStoredData(_ row: ObjectRef) throws(KeyedArchiveError) -> Bool { try storedItem(row)?.kind == .data }

  /// Reads a value of a container, and charges a traversal's budget for it. A long string or data that several containers
  /// hold is read once.
  package func value(
    in row: ObjectRef, nesting: Int = 0, omitsData: Bool = false, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> StoredValue {
    let item = try storedItem(row)
    // The container was charged for the value's storage.
    if omitsData, item?.kind == .data { return .data(Data()) }
    let isLong = item?.isLongContent ?? false
    if isLong, let known = reading.sharedContent(row) { return known }
    let value = try value(stored(row), nesting: nesting, omitsData: omitsData, budget: &budget)
    if isLong { reading.cacheIfShared(value, row) }
    return value
  }

  private func value(
    _ object: PropertyListObject, isWeighed: Bool = false, nesting: Int = 0, omitsData: Bool,
    budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> StoredValue {
    // The container was charged for its elements' storage.
    if !isWeighed { try spend(object.weight - ExpansionBudget.element, &budget) }
    switch object {
    case .uid(let number):
      guard number < UInt64(UInt32.max) else {
        throw KeyedArchiveError(
          .damagedArchive, "dangling reference to object #\(number); '$objects' has \(objectCount) objects")
      }
      return .reference(ArchiveUID(rawValue: UInt32(number)))
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .wideInteger(let high, let low): return .wideInteger(high: high, low: low)
    case .float(let value): return .float(value)
    case .double(let value): return .double(value)
    case .data(let value): return .data(value)
    case .string(let value): return .string(value)
    case .date(let value): return .date(value)
    case .array(let rows), .set(let rows):
      guard nesting < Self.maximumNesting else { throw Self.tooDeep() }
      return .array(try elements(rows, nesting: nesting + 1, omitsData: omitsData, budget: &budget))
    case .dictionary(let keys, let values):
      guard nesting < Self.maximumNesting else { throw Self.tooDeep() }
      var entries: [Entry] = []
      for (key, row) in zip(keys, values) {
        let name = try name(key, budget: &budget)
        let value = try value(in: row, nesting: nesting + 1, omitsData: omitsData, budget: &budget)
        entries.append(Entry(name, value))
      }
      return .dictionary(entries)
    case .null:
      throw KeyedArchiveError(
        .damagedArchive, "invalid value: found the null of property lists; expected a reference to object #0 for nil")
    }
  }

  /// Reads the elements of an array. A row that follows itself, as in an array of many equal texts, is read once, and
  /// charged for each element.
  private func elements(
    _ rows: [ObjectRef], nesting: Int, omitsData: Bool, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> [StoredValue] {
    var values: [StoredValue] = []
    values.reserveCapacity(rows.count)
    var last: (row: ObjectRef, value: StoredValue, charge: Int64)?
    for row in rows {
      if let last, last.row == row {
        try spend(last.charge, &budget)
        values.append(last.value)
        continue
      }
      let value = try value(in: row, nesting: nesting, omitsData: omitsData, budget: &budget)
      values.append(value)
      last = value.repeatedCharge.map { (row, value, $0) }
    }
    return values
  }

  /// The maximum depth of inline containers in one object.
  package static let maximumNesting = 32

  package static func tooDeep() -> KeyedArchiveError {
    KeyedArchiveError(
      .limitReached, "inline containers nest deeper than \(maximumNesting) levels",
      remedy: "Store the inner containers as objects of the archive")
  }

  /// Returns an error with the place of a row in the file: an offset in a binary file, and a line in an XML file.
  func located(_ error: KeyedArchiveError, at row: ObjectRef) -> KeyedArchiveError {
    var error = error
    error.byteOffset = offset(row)
    error.line = list.line(of: row)
    return error
  }

  /// Returns the byte offset of the marker of the object in a row, if the archive was read from a binary file.
  func offset(_ row: ObjectRef) -> Int? {
    guard format == .binary, let item = try? list.storedItem(row) else { return nil }
    return list.withBytes { item.offset(in: $0) }
  }
}
