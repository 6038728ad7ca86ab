// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

extension KeyedArchive {
  /// Replaces an object. References to it then refer to the new object.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - object: The new object.
  /// - Throws: `KeyedArchiveError` if the object does not exist, or if no reader would read the new object as it is. The
  ///   code of the latter error is `KeyedArchiveError.Code.typeMismatch`. If values nest too deeply, the code is
  ///   `KeyedArchiveError.Code.limitReached`.
  public mutating func setObject(_ uid: ArchiveUID, to object: Object) throws(KeyedArchiveError) {
    try Self.checkKeys(object, uid)
    try setStoredObject(uid, to: object)
  }

  /// Replaces an object by one that was read from a file, which may have a key twice. Readers take the first value.
  package mutating func setStoredObject(_ uid: ArchiveUID, to object: Object) throws(KeyedArchiveError) {
    _ = try row(of: uid)
    guard uid != .null || object == .null else {
      throw KeyedArchiveError(
        .typeMismatch, "object #0 represents nil, and readers read no other object there", uid: uid,
        remedy: "Add an object with addObject(_:), and refer to it")
    }
    try Self.check(object, uid)
    try put(add(object), at: uid)
    classIndex.update(uid, to: object)
  }

  /// Gives an element of `$objects` a separate row. Several elements may share a row of a file, as all `$null` do in
  /// Apple's archives.
  private mutating func put(_ object: PropertyListObject, at uid: ArchiveUID) throws(KeyedArchiveError) {
    try makeRowsEditable()
    editedRows?[uid.index] = list.append(object)
  }

  private mutating func makeRowsEditable() throws(KeyedArchiveError) {
    guard editedRows == nil else { return }
    guard case .array(let rows) = try stored(objectsRow) else {
      throw KeyedArchiveError(.damagedArchive, "invalid envelope: '$objects' is not an array")
    }
    editedRows = rows
  }

  /// Adds an object.
  /// - Parameter object: The object.
  /// - Returns: The UID of the object.
  /// - Throws: `KeyedArchiveError` if `$objects` is damaged, or if no reader would read the object as it is. The code of
  ///   the latter error is `KeyedArchiveError.Code.typeMismatch`. If values nest too deeply, the code is
  ///   `KeyedArchiveError.Code.limitReached`.
  public mutating func addObject(_ object: Object) throws(KeyedArchiveError) -> ArchiveUID {
    try Self.checkKeys(object)
    try Self.check(object)
    try makeRowsEditable()
    let row = list.append(add(object))
    editedRows?.append(row)
    return ArchiveUID(rawValue: UInt32(objectCount - 1))
  }

  /// Adds a class record, unless the archive has an equal one.
  /// - Parameter description: The description of the class.
  /// - Returns: The UID of the class record.
  /// - Throws: `KeyedArchiveError` if a class record is damaged.
  public mutating func addClass(_ description: ClassDescription) throws(KeyedArchiveError) -> ArchiveUID {
    if let known = classIndex.uid(of: description) { return known }
    var budget = budget
    while classIndex.searchedCount < objectCount {
      let uid = ArchiveUID(rawValue: UInt32(classIndex.searchedCount))
      let object = try isClassRecord(row(of: uid), budget: &budget) ? object(uid, budget: &budget) : .null
      if case .classRecord(let description) = object {
        // Many records can share one long name, which the index hashes for each.
        guard budget.touch(ClassIndex.hashingCost(of: description)) else { throw tooMuch() }
      }
      classIndex.add(object)
      if case .classRecord = object, let found = classIndex.uid(of: description) { return found }
    }
    return try addObject(.classRecord(description))
  }

  /// Sets or removes a value of an object.
  ///
  /// A new key is added after the others. To change the class of the object, set `$class` to a reference to a class
  /// record.
  /// - Parameters:
  ///   - value: The value, or nil to remove the key.
  ///   - key: The key as it is stored. If the object has it twice, a value replaces the first one, which decoders read.
  ///     Nil removes both.
  ///   - uid: The UID of the object.
  /// - Throws: `KeyedArchiveError` if the object is not an instance, or if the key or value is reserved for the archiver.
  ///   The code is `KeyedArchiveError.Code.limitReached` if the value nests too deeply. It is the same if many edited
  ///   objects share their keys in the file, because each edit copies the keys.
  public mutating func setValue(
    _ value: StoredValue?, forKey key: String, of uid: ArchiveUID
  ) throws(KeyedArchiveError) {
    let row = try row(of: uid)
    if let value { try Self.check([value]) }
    // Other values are not read, because objects may share them.
    guard try self.value(forKey: ClassRecordKey.name.rawValue, in: row) == nil,
      let reference = try self.value(forKey: "$class", in: row), self.reference(in: reference) != nil
    else {
      throw KeyedArchiveError(
        .typeMismatch, "object \(uid) is not an instance of a class; only instances have keys", uid: uid,
        remedy: "Pass the UID of an instance of a class")
    }
    if key.hasSameBytes(as: ClassRecordKey.name.rawValue) { throw Self.reserved(key, uid) }
    if key.hasSameBytes(as: "$class") {
      guard case .reference(let classUID)? = value, case .classRecord? = try? object(classUID) else {
        throw KeyedArchiveError(
          .typeMismatch, "invalid value for '$class'; expected a reference to a class record", uid: uid,
          remedy: "Pass a reference to the UID that addClass(_:) returns")
      }
    }
    if let item = try storedItem(row) {
      guard editBudget.take(item.weight) else { throw tooMuch() }
    }
    guard let object = try dictionary(in: row, setting: value, forKey: key) else { return }
    try put(object, at: uid)
  }

  /// Sets or removes a value of `$top`.
  /// - Parameters:
  ///   - value: The value, or nil to remove the key.
  ///   - key: The top-level key.
  /// - Throws: `KeyedArchiveError` if `$top` is damaged, or with code `KeyedArchiveError.Code.limitReached` if the value
  ///   nests too deeply.
  public mutating func setTopValue(_ value: StoredValue?, forKey key: String) throws(KeyedArchiveError) {
    if let value { try Self.check([value]) }
    if let top = try dictionary(in: topRow, setting: value, forKey: key) { list.replace(topRow, with: top) }
  }

  /// Throws if an object would be read as another one, or not at all.
  private static func check(_ object: Object, _ uid: ArchiveUID? = nil) throws(KeyedArchiveError) {
    switch object {
    case .null, .classRecord: break
    case .primitive(.string("$null")):
      throw KeyedArchiveError(
        .typeMismatch, "the boxed string '$null' represents nil", uid: uid, remedy: "Pass Object.null for nil")
    case .primitive(let value):
      switch value.primitiveKind {
      case .date?, nil:
        throw KeyedArchiveError(
          .typeMismatch, "invalid boxed primitive; expected a string, number, Boolean or data", uid: uid,
          remedy: "Store other values in an instance of a class")
      default: break
      }
    case .instance(let classUID, let entries):
      // The record can be added later.
      guard classUID != .null, classUID.rawValue != .max else {
        throw KeyedArchiveError(
          .typeMismatch, "invalid class \(classUID); expected the UID of a class record", uid: uid,
          remedy: "Pass the UID that addClass(_:) returns")
      }
      if let entry = entries.first(where: {
        $0.key.hasSameBytes(as: "$class") || ClassRecordKey(exactly: $0.key) == .name
      }) {
        throw reserved(entry.key, uid)
      }
      try check(entries.lazy.map(\.value))
    }
  }

  /// Throws if an object has a key twice, because readers would ignore the second value.
  private static func checkKeys(_ object: Object, _ uid: ArchiveUID? = nil) throws(KeyedArchiveError) {
    guard case .instance(_, let entries) = object, entries.count > 1 else { return }
    var keys: Set<BytewiseString> = []
    for entry in entries where !keys.insert(entry.key) {
      throw KeyedArchiveError(
        .typeMismatch,
        "the key '\(MessageText.shortened(entry.key))' occurs twice, and readers take only its first value", uid: uid,
        remedy: "Pass one entry for each key")
    }
  }

  private static func reserved(_ key: String, _ uid: ArchiveUID?) -> KeyedArchiveError {
    KeyedArchiveError(
      .typeMismatch, "the key '\(key)' is reserved for the archiver", uid: uid,
      remedy: "Pass the class as the UID of its record; to store a class record, pass Object.classRecord")
  }

  /// Throws if inline containers nest deeper than readers allow, or if a reference cannot refer to an object.
  private static func check(
    _ values: some Sequence<StoredValue>, nesting: Int = 0
  ) throws(KeyedArchiveError) {
    for value in values {
      switch value {
      case .array(let values):
        guard nesting < maximumNesting else { throw tooDeep() }
        try check(values, nesting: nesting + 1)
      case .dictionary(let entries):
        guard nesting < maximumNesting else { throw tooDeep() }
        try check(entries.map(\.value), nesting: nesting + 1)
      case .reference(let uid) where uid.rawValue == .max:
        throw KeyedArchiveError(
          .typeMismatch, "a reference to object \(uid), which no archive can have", uid: uid,
          remedy: "Pass the UID that addObject(_:) returns")
      default: break
      }
    }
  }

  /// Replaces all entries of `$top`.
  package mutating func setTop(_ entries: [Entry]) { list.replace(topRow, with: add(entries)) }

  /// Replaces each object that is not reachable from `$top` by `$null`, so that its contents leave the file.
  ///
  /// Edits that replace references leave such objects behind. UIDs do not change.
  /// - Returns: The number of discarded objects.
  /// - Throws: `KeyedArchiveError` if a reachable object is damaged.
  @discardableResult
  public mutating func discardUnreachableObjects() throws(KeyedArchiveError) -> Int {
    // A damaged top makes everything unreachable; throw instead of discarding everything.
    _ = try top
    let isReached = try reachable(from: topReferences())
    return try discardObjects { !isReached[$0] }.count
  }

  /// Replaces objects by `$null`, except those that are `$null` already. They share the row of object 0, as in Apple's
  /// archives.
  /// - Parameter isUnused: Returns whether to discard the object with an index.
  /// - Returns: The UIDs of the discarded objects.
  /// - Throws: `KeyedArchiveError` if `$objects` is damaged.
  package mutating func discardObjects(where isUnused: (Int) -> Bool) throws(KeyedArchiveError) -> [ArchiveUID] {
    var discarded: [ArchiveUID] = []
    for index in 0..<objectCount where index > 0 && isUnused(index) {
      let uid = ArchiveUID(rawValue: UInt32(index))
      // Damaged objects are discarded as well.
      if (try? isNull(row(of: uid))) ?? false { continue }
      discarded.append(uid)
    }
    guard !discarded.isEmpty else { return [] }
    try makeRowsEditable()
    // A damaged archive can have another object 0.
    let first = try row(of: .null)
    let null = try isNull(first) ? first : list.append(.string("$null"))
    for uid in discarded {
      editedRows?[uid.index] = null
      classIndex.update(uid, to: .null)
    }
    return discarded
  }

  /// Returns a dictionary with a value set or removed, or nil if nothing changes.
  private mutating func dictionary(
    in row: ObjectRef, setting value: StoredValue?, forKey key: String
  ) throws(KeyedArchiveError) -> PropertyListObject? {
    guard case .dictionary(var keys, var values) = try stored(row) else { return nil }
    // The first edit of an object charges for all.
    let isCharged = try storedItem(row) != nil
    var places: [Int] = []
    // Readers take the first of two equal keys. If it is removed, none may remain.
    for (index, keyRow) in keys.enumerated() where value == nil || places.isEmpty {
      let item = try storedItem(keyRow)
      if let item {
        guard item.mayBeText(ofByteCount: key.utf8.count) else { continue }
        guard !isCharged || editBudget.touch(Int64(item.count)) else { throw tooMuch() }
      }
      if try isText(keyRow, item, key) { places.append(index) }
    }
    switch (places.first, value) {
    case (let place?, let value?): values[place] = append(value)
    case (_?, nil):
      let removed = Set(places)
      let rest = keys.indices.filter { !removed.contains($0) }
      (keys, values) = (rest.map { keys[$0] }, rest.map { values[$0] })
    case (nil, let value?):
      keys.append(keyRow(key))
      values.append(append(value))
    case (nil, nil): return nil
    }
    return .dictionary(keys: keys, values: values)
  }

  /// Returns the row of a key string. Equal keys share a row, as in Apple's archives.
  private mutating func keyRow(_ key: String) -> ObjectRef {
    if let row = addedKeys[BytewiseString(key)] { return row }
    let row = list.append(.string(key))
    addedKeys[BytewiseString(key)] = row
    return row
  }

  /// Returns the row of a value. A long content keeps its row, because edits of many objects can set the same one.
  package mutating func append(_ value: StoredValue) -> ObjectRef {
    if let row = sharedRow(of: value) { return row }
    let row = list.append(add(value))
    if let memory = value.longContentMemory { addedContents[memory] = row }
    return row
  }

  private mutating func add(_ value: StoredValue) -> PropertyListObject {
    switch value {
    case .reference(let uid): .uid(UInt64(uid.rawValue))
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .wideInteger(let high, let low): .wideInteger(high: high, low: low)
    case .float(let value): .float(value)
    case .double(let value): .double(value)
    case .data(let value): .data(value)
    case .string(let value): .string(value)
    case .date(let value): .date(value)
    case .array(let values): .array(values.map { append($0) })
    case .dictionary(let entries): add(entries)
    }
  }

  private mutating func add(_ entries: [Entry]) -> PropertyListObject {
    let keys = entries.map { keyRow($0.key) }
    return .dictionary(keys: keys, values: entries.map { append($0.value) })
  }

  private mutating func add(_ object: Object) -> PropertyListObject {
    switch object {
    case .null: return .string("$null")
    case .primitive(let value): return add(value)
    case .instance(let classUID, let entries): return add(entries + [Entry("$class", .reference(classUID))])
    case .classRecord(let description):
      func entry(_ key: ClassRecordKey, _ names: [String]) -> [Entry] {
        names.isEmpty ? [] : [Entry(key.rawValue, .array(names.map { .string($0) }))]
      }
      return add(
        [Entry(ClassRecordKey.name.rawValue, .string(description.name))]
          + entry(.chain, description.chain) + entry(.hints, description.hints))
    }
  }
}

/// An index of class records by their contents. Without it, adding a class would compare its description with all
/// objects.
///
/// Objects are searched for class records in ascending order, as far as edits need.
struct ClassIndex: Sendable {
  /// The contents of a record. Equal keys have bytewise equal texts.
  ///
  /// The texts are hashed once. A dictionary hashes its keys again when it grows or when another key is removed.
  private struct Key: Hashable {
    private let texts: [BytewiseString]
    private let chainCount: Int
    private let hash: Int

    init(_ description: ClassDescription) {
      texts = ([description.name] + description.chain + description.hints).map { BytewiseString($0) }
      chainCount = description.chain.count
      hash = texts.hashValue
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }
  }

  /// The cost of adding a record, whose key is hashed and compared with that of an equal record.
  static func hashingCost(of description: ClassDescription) -> Int64 {
    let texts = [description.name] + description.chain + description.hints
    return 4 * texts.reduce(0) { $0 + Int64($1.utf8.count) }
  }

  /// The records with equal contents. An archive can have many, so that no operation may visit them all each time.
  private struct Records {
    var uids: Set<UInt32> = []
    /// The least UID; nil if it is to be found again.
    var least: UInt32?

    mutating func insert(_ uid: UInt32) {
      if uids.isEmpty || least.map({ uid < $0 }) ?? false { least = uid }
      uids.insert(uid)
    }
  }

  private var records: [Key: Records] = [:]
  private var keys: [UInt32: Key] = [:]
  /// The number of objects that were searched, starting with object 0.
  private(set) var searchedCount = 0

  /// Returns the first record with these contents among the searched objects.
  mutating func uid(of description: ClassDescription) -> ArchiveUID? {
    guard !keys.isEmpty else { return nil }
    let key = Key(description)
    guard let known = records[key], let least = known.least ?? known.uids.min() else { return nil }
    if known.least == nil { records[key]?.least = least }
    return ArchiveUID(rawValue: least)
  }

  /// Adds the next object.
  mutating func add(_ object: KeyedArchive.Object) {
    set(UInt32(truncatingIfNeeded: searchedCount), to: object)
    searchedCount += 1
  }

  /// Updates the index after an object was replaced.
  mutating func update(_ uid: ArchiveUID, to object: KeyedArchive.Object) {
    if uid.index < searchedCount { set(uid.rawValue, to: object) }
  }

  private mutating func set(_ uid: UInt32, to object: KeyedArchive.Object) {
    if let old = keys.removeValue(forKey: uid) {
      records[old]?.uids.remove(uid)
      if records[old]?.least == uid { records[old]?.least = nil }
    }
    guard case .classRecord(let description) = object else { return }
    let key = Key(description)
    keys[uid] = key
    records[key, default: Records()].insert(uid)
  }
}
