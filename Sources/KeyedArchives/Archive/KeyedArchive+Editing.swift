// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

extension KeyedArchive {
  /// Puts another object in the place of one. Whoever refers to it refers to the new one.
  /// - Throws: `KeyedArchiveError` if there is no object with this number.
  public mutating func setObject(_ uid: ArchiveUID, to object: Object) throws(KeyedArchiveError) {
    _ = try row(of: uid)
    try put(add(object), at: uid)
    classIndex.update(uid, to: object)
  }

  /// Gives an element of `$objects` a row of its own: in a file, several elements may be one row, as all `$null` are in
  /// those by Apple.
  private mutating func put(_ object: PropertyListObject, at uid: ArchiveUID) throws(KeyedArchiveError) {
    try makeRowsEditable()
    editedRows?[uid.index] = list.append(object)
  }

  private mutating func makeRowsEditable() throws(KeyedArchiveError) {
    guard editedRows == nil else { return }
    guard case .array(let rows) = try stored(objectsRow) else {
      throw KeyedArchiveError(.damagedArchive, "'$objects' is no array")
    }
    editedRows = rows
  }

  /// Adds an object and returns its number.
  /// - Throws: `KeyedArchiveError` when `$objects` is damaged.
  public mutating func addObject(_ object: Object) throws(KeyedArchiveError) -> ArchiveUID {
    try makeRowsEditable()
    let row = list.append(add(object))
    editedRows?.append(row)
    return ArchiveUID(rawValue: UInt32(objectCount - 1))
  }

  /// Adds a class record, unless there is an equal one, and returns its number.
  /// - Throws: `KeyedArchiveError` when a damaged class record is met on the way.
  public mutating func addClass(_ description: ClassDescription) throws(KeyedArchiveError) -> ArchiveUID {
    if let known = classIndex.uid(of: description) { return known }
    var room = room
    while classIndex.searchedCount < objectCount {
      let uid = ArchiveUID(rawValue: UInt32(classIndex.searchedCount))
      classIndex.add(try isClassRecord(row(of: uid), room: &room) ? object(uid, room: &room) : .null)
      if let found = classIndex.uid(of: description) { return found }
    }
    return try addObject(.classRecord(description))
  }

  /// Sets a value of an object, or removes it. A new key is added behind the others. The key `$class` takes only a
  /// reference to a class record: that makes the object one of another class.
  /// - Throws: `KeyedArchiveError` if the object is not an instance, or with code
  ///   `KeyedArchiveError.Code.limitReached` when many objects that share their keys in the file were edited: each gets
  ///   keys of its own.
  public mutating func setValue(
    _ value: StoredValue?, forKey key: String, of uid: ArchiveUID
  ) throws(KeyedArchiveError) {
    let row = try row(of: uid)
    // The values of the others are not read: objects may share them.
    guard try self.value(forKey: "$classname", in: row) == nil,
      let reference = try self.value(forKey: "$class", in: row), self.reference(in: reference) != nil
    else {
      throw KeyedArchiveError(
        .typeMismatch, "object \(uid) is not an instance of a class: only instances have keys that can be set", uid: uid
      )
    }
    if key.hasSameBytes(as: "$class") {
      guard case .reference(let classUID)? = value, case .classRecord? = try? object(classUID) else {
        throw KeyedArchiveError(
          .typeMismatch, "the value for '$class' must be a reference to a class record", uid: uid,
          remedy: "Refer to what addClass(_:) returns")
      }
    }
    if let item = try storedItem(row) {
      guard editRoom.take(item.weight) else { throw tooMuch() }
    }
    guard let object = try dictionary(in: row, setting: value, forKey: key) else { return }
    try put(object, at: uid)
    // With other keys it may have become a class record.
    if key.hasSameBytes(as: "$classname") { classIndex = ClassIndex() }
  }

  /// Sets a value of `$top`, or removes it.
  /// - Throws: `KeyedArchiveError` if `$top` is damaged.
  public mutating func setTopValue(_ value: StoredValue?, forKey key: String) throws(KeyedArchiveError) {
    if let top = try dictionary(in: topRow, setting: value, forKey: key) { list.replace(topRow, with: top) }
  }

  /// Puts other values in the place of all of `$top`.
  package mutating func setTop(_ entries: [Entry]) { list.replace(topRow, with: add(entries)) }

  /// Puts `$null` in the place of every object that no way from the top leads to, such as those that edits replaced, so
  /// that nothing is left of them in the file. Numbers stay as they are.
  /// - Returns: how many objects were discarded.
  /// - Throws: `KeyedArchiveError` when a damaged object is met on the way.
  @discardableResult
  public mutating func discardUnreachableObjects() throws(KeyedArchiveError) -> Int {
    // Nothing is reached from a damaged top, and nothing may be lost for that.
    _ = try top
    let isReached = try reachable(from: topReferences())
    var count = 0
    for index in isReached.indices where !isReached[index] {
      let uid = ArchiveUID(rawValue: UInt32(index))
      // What is damaged is discarded as well.
      if (try? isNull(row(of: uid))) ?? false { continue }
      try setObject(uid, to: .null)
      count += 1
    }
    return count
  }

  /// A dictionary with a value set or removed; nil if nothing changes.
  private mutating func dictionary(
    in row: ObjectRef, setting value: StoredValue?, forKey key: String
  ) throws(KeyedArchiveError) -> PropertyListObject? {
    guard case .dictionary(var keys, var values) = try stored(row) else { return nil }
    var place: Int?
    // The first of its name, as whoever reads takes.
    for (index, keyRow) in keys.enumerated() where place == nil {
      if try isText(keyRow, key) { place = index }
    }
    switch (place, value) {
    case (let place?, let value?): values[place] = append(value)
    case (let place?, nil):
      keys.remove(at: place)
      values.remove(at: place)
    case (nil, let value?):
      keys.append(keyRow(key))
      values.append(append(value))
    case (nil, nil): return nil
    }
    return .dictionary(keys: keys, values: values)
  }

  /// A key string; one for each text, as in archives by Apple.
  private mutating func keyRow(_ key: String) -> ObjectRef {
    if let row = addedKeys[BytewiseString(key)] { return row }
    let row = list.append(.string(key))
    addedKeys[BytewiseString(key)] = row
    return row
  }

  private mutating func append(_ value: StoredValue) -> ObjectRef { list.append(add(value)) }

  private mutating func add(_ value: StoredValue) -> PropertyListObject {
    switch value {
    case .reference(let uid): .uid(UInt64(uid.rawValue))
    case .boolean(let value): .boolean(value)
    case .integer(let value): .integer(value)
    case .wideInteger(let value): .wideInteger(value)
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
    case .bare(let value): return add(value)
    case .instance(let classUID, let entries): return add(entries + [Entry("$class", .reference(classUID))])
    case .classRecord(let description):
      var entries = [Entry("$classname", .string(description.name))]
      if !description.chain.isEmpty { entries.append(Entry("$classes", .array(description.chain.map { .string($0) }))) }
      if !description.hints.isEmpty {
        entries.append(Entry("$classhints", .array(description.hints.map { .string($0) })))
      }
      return add(entries)
    }
  }
}
