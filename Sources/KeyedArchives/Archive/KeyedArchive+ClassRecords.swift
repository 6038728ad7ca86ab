// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) package import PropertyListFormat

extension KeyedArchive {
  /// Reads a class record.
  ///
  /// An unedited archive reads each record once, however many objects refer to it.
  /// - Parameter uid: The UID of the class record.
  /// - Returns: The description of the class.
  /// - Throws: `KeyedArchiveError` if the object is not a class record, or if shared records take more than
  ///   `ReadLimits.maximumExpansion` times the archive's bytes.
  public func classDescription(_ uid: ArchiveUID) throws(KeyedArchiveError) -> ClassDescription {
    if list.isEdited {
      var budget = budget
      return try classDescription(uid, budget: &budget)
    }
    guard let read = reading.knownClass(uid) ?? readClass(uid) else { throw tooMuch() }
    return try read.get()
  }

  /// Returns the description of a class, or nil if ``classDescription(_:)`` throws an error. Each property of a node asks,
  /// so no error is made for a record that was read before.
  func knownDescription(_ uid: ArchiveUID) -> ClassDescription? {
    if list.isEdited { return try? classDescription(uid) }
    guard case .success(let description)? = reading.knownClass(uid) ?? readClass(uid) else { return nil }
    return description
  }

  /// Reads a class record of an unedited archive. The closure copies the archive, so known records do without.
  @inline(never)
  private func readClass(_ uid: ArchiveUID) -> Result<ClassDescription, KeyedArchiveError>? {
    var budget = budget
    return reading.classDescription(uid) {
      Result { () throws(KeyedArchiveError) in try classDescription(uid, budget: &budget) }
    }
  }

  /// Reads a class record and charges a traversal's budget for it.
  package func classDescription(
    _ uid: ArchiveUID, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> ClassDescription {
    guard case .classRecord(let description) = try object(uid, budget: &budget) else {
      throw located(
        KeyedArchiveError(.damagedArchive, "invalid class record \(uid): '$classname' is missing", uid: uid),
        at: try row(of: uid))
    }
    return description
  }

  /// Returns whether an object is a class record. Compares only keys as long as `$classname`.
  func isClassRecord(_ row: ObjectRef, budget: inout ExpansionBudget) throws(KeyedArchiveError) -> Bool {
    try nameRow(ofRecordIn: row, budget: &budget) != nil
  }

  /// Returns the row of the name in a class record, or nil for any other object. Reads nothing else of the object.
  func nameRow(
    ofRecordIn row: ObjectRef, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> ObjectRef? {
    if let item = try storedItem(row) {
      guard item.kind == .dictionary else { return nil }
      try spend(item.weight / 4, &budget)
    }
    return try value(forKey: ClassRecordKey.name.rawValue, in: row)
  }

  /// Parses a class record. Of a key that occurs twice the first counts, as for a decoder.
  func description(
    _ names: [String], _ values: [ObjectRef], budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> ClassDescription {
    var description = ClassDescription(name: "", chain: [])
    var seen: Set<BytewiseString> = []
    for (name, row) in zip(names, values) where seen.insert(name) {
      let value = try value(in: row, budget: &budget)
      switch (ClassRecordKey(exactly: name), value) {
      case (.name?, .string(let text)):
        try charge(text, &budget)
        description.name = text
      case (.chain?, .array(let list)): description.chain = try texts(list, of: name, row, budget: &budget)
      case (.hints?, .array(let list)): description.hints = try texts(list, of: name, row, budget: &budget)
      case (.name?, _):
        throw located(
          KeyedArchiveError(.damagedArchive, "invalid class record: '\(name)' is not a string"), at: row)
      case (_?, _): throw notTexts(name, row)
      case (nil, _): break
      }
    }
    return description
  }

  /// Charges for a long name, which is read once however often records have it. Callers compare, hash and write each one.
  private func charge(_ name: String, _ budget: inout ExpansionBudget) throws(KeyedArchiveError) {
    let count = name.utf8.count
    if count > ArchiveReading.longContent { try spend(2 * Int64(count), &budget) }
  }

  private func texts(
    _ values: [StoredValue], of key: String, _ row: ObjectRef, budget: inout ExpansionBudget
  ) throws(KeyedArchiveError) -> [String] {
    var texts: [String] = []
    for value in values {
      guard case .string(let text) = value else { throw notTexts(key, row) }
      try charge(text, &budget)
      texts.append(text)
    }
    return texts
  }

  private func notTexts(_ key: String, _ row: ObjectRef) -> KeyedArchiveError {
    located(
      KeyedArchiveError(.damagedArchive, "invalid class record: '\(key)' is not an array of strings"), at: row)
  }
}
