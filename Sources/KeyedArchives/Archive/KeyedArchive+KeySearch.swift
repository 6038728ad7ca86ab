// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

// Finds values by their keys, without strings for the keys that differ.
extension KeyedArchive {
  /// Returns the UID that the value in a row refers to, or nil if the value is not a reference.
  package func reference(in row: ObjectRef) -> UInt64? {
    reference(in: row, try? storedItem(row))
  }

  func reference(in row: ObjectRef, _ item: BinaryItem?) -> UInt64? {
    // Do not read other values, which may be long.
    if let item {
      return item.kind == .uid ? list.withBytes { list.table.uid(item, in: $0) } : nil
    }
    guard case .uid(let number)? = try? stored(row) else { return nil }
    return number
  }

  /// Returns the row of a value in a dictionary. Compares only keys of the same length.
  func value(forKey key: String, in row: ObjectRef) throws(KeyedArchiveError) -> ObjectRef? {
    try value(forKey: key, in: row, storedItem(row), of: nil)
  }

  func value(
    forKey key: String, in row: ObjectRef, _ item: BinaryItem?, of owner: ArchiveUID?
  ) throws(KeyedArchiveError) -> ObjectRef? {
    var search = KeySearch(text: key, owner: owner)
    guard let item else {
      guard case .dictionary(let keys, let values) = try stored(row) else { return nil }
      for (place, keyRow) in keys.enumerated() where try finds(&search, keyRow, storedItem(keyRow)) {
        return values[place]
      }
      return nil
    }
    guard item.kind == .dictionary else { return nil }
    var place = 0
    while let next = try nextKey(ofByteCount: key.utf8.count, from: place, in: item) {
      if try finds(&search, next.key, next.keyItem) { return next.value }
      place = next.place + 1
    }
    return nil
  }

  /// Returns the next key of a dictionary that may have `count` bytes, with its value. Reads no keys, because there may
  /// be many.
  private func nextKey(
    ofByteCount count: Int, from start: Int, in item: BinaryItem
  ) throws(KeyedArchiveError) -> (place: Int, key: ObjectRef, keyItem: BinaryItem, value: ObjectRef)? {
    do {
      return try list.withBytes { bytes throws(PropertyListError) in
        for place in start..<item.count {
          let row = try list.table.element(place, of: item, in: bytes)
          let key = try list.table.item(row, in: bytes)
          guard key.mayBeText(ofByteCount: count) else { continue }
          return (place, row, key, try list.table.element(item.count + place, of: item, in: bytes))
        }
        return nil
      }
    } catch {
      throw KeyedArchiveError(error)
    }
  }

  /// Returns the index of the next value, or reference to an object, that may be a text of `count` bytes. Reads no
  /// values, because there may be many.
  func place(ofTextWithByteCount count: Int, in rows: [ObjectRef], from start: Int) -> Int? {
    guard !list.isEdited, editedRows == nil else { return start < rows.count ? start : nil }
    let table = list.table
    return list.withBytes { bytes in
      rows.indices[start...].first { place in
        guard let item = try? table.item(rows[place], in: bytes) else { return false }
        guard item.kind == .uid else { return item.mayBeText(ofByteCount: count) }
        guard let uid = Int(exactly: table.uid(item, in: bytes)), uid < envelope.objects.count,
          let row = try? table.element(uid, of: envelope.objects, in: bytes),
          let object = try? table.item(row, in: bytes)
        else { return false }
        return object.mayBeText(ofByteCount: count)
      }
    }
  }

  /// Returns whether an edit added the value in a row, and it is a string.
  func isEditedString(_ row: ObjectRef) -> Bool {
    if case .string? = try? stored(row) { true } else { false }
  }

  /// Returns whether the value in a row is the key of a search. Compares only texts that may have the same length, and a long
  /// one once.
  func finds(
    _ search: inout KeySearch, _ row: ObjectRef, _ item: BinaryItem?
  ) throws(KeyedArchiveError) -> Bool {
    if let item {
      let count = Int64(item.count)
      guard item.mayBeText(ofByteCount: search.text.utf8.count) else { return false }
      if count > ArchiveReading.smallWeight {
        guard search.isNew(row), reading.mayCompare(row, of: search.owner, byteCount: count) else { return false }
      }
    }
    return try isText(row, item, search.text)
  }

  /// Returns whether the value in a row, whose length may be that of a text, is the text.
  func isText(_ row: ObjectRef, _ item: BinaryItem?, _ text: String) throws(KeyedArchiveError) -> Bool {
    // Creates no string for most texts. Bytes that equal the text may still be invalid ASCII.
    if let item, item.kind == .ascii {
      guard list.withBytes({ list.table.isString(item, text, in: $0) }) else { return false }
      if text.isASCII { return true }
    }
    return try name(row).hasSameBytes(as: text)
  }
}

/// A search for a key of an object.
struct KeySearch {
  let text: String
  /// The object that pays for the comparisons of long keys.
  let owner: ArchiveUID?
  private var compared: Set<ObjectRef> = []

  init(text: String, owner: ArchiveUID?) { (self.text, self.owner) = (text, owner) }

  /// Returns whether a row has not been compared in this search. A damaged object can have one key thousands of times.
  mutating func isNew(_ row: ObjectRef) -> Bool { compared.insert(row).inserted }
}
