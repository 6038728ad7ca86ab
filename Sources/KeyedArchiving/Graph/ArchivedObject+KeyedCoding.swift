// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

extension ArchivedObject: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching {
  /// `NSObject`; each object is archived under a class of its own.
  public static var archiveClassName: String { "NSObject" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// Any class.
  package static func matches(_ description: ClassDescription) -> Bool { true }

  /// The same for objects with one layout.
  package var classVariant: ClassVariant {
    if let layout, layout.fits(entries) { return .layout(ObjectIdentifier(layout)) }
    return .named(archivedClass)
  }

  /// How it was read.
  package var layoutAsRead: ArchivedLayout? { layout }

  /// Stores the values in the order in which they were encoded once, so that objects get the numbers they had.
  public func encode(with coder: KeyedArchiver) throws {
    let order = layout.flatMap { $0.fits(entries) ? $0.encodingOrder : nil } ?? Array(entries.indices)
    for place in order {
      let entry = entries[place]
      if entry.row > 0, let origin = layout?.origin, let note = coder.note(entry, origin) {
        coder.storage.state.record(note, storedKey: entry.key)
      } else {
        try coder.encode(entry.value, forStoredKey: entry.key)
      }
    }
  }

  /// Reads all values of the object that is being decoded.
  public convenience init?(coder: KeyedUnarchiver) throws {
    guard let uid = coder.storage.state.objectUID, case .object(let object) = try coder.graphValue(uid) else {
      throw coder.malformed("no object is being decoded")
    }
    self.init(object.archivedClass, object.entries)
    layout = object.layout
  }

  /// The one for the object with a number.
  public static func _decode(from uid: ArchiveUID, _ coder: KeyedUnarchiver) throws -> ArchivedObject? {
    switch try coder.graphValue(uid.rawValue) {
    case .null, .conditionalObject: return nil
    case .object(let object): return object
    default: throw coder.unexpected(try coder.storage.state.source.entry(uid.rawValue), uid.rawValue, Self.self)
    }
  }
}

extension KeyedArchiver {
  /// The note of a number, bytes or text that was read; nil for anything else.
  func note(_ entry: ArchivedObject.Entry, _ origin: SourceArchive) -> _RecordedValue? {
    let value: ArchivePrimitive
    switch entry.value {
    case .integer(let number): value = .number(.integer(number))
    case .unsigned(let number): value = .number(.unsigned(number))
    case .float(let number): value = .number(.float(number))
    case .double(let number): value = .number(.double(number))
    case .data(let bytes): value = .data(bytes)
    case .string(let text): value = .string(text)
    default: return nil
    }
    return storage.state.note(value, storage.state.identity(entry.row, in: origin))
  }

  /// Stores a value of an object that is archived as data.
  fileprivate func encode(_ value: ArchivedObject.Value, forStoredKey key: String) throws {
    guard case .references(let values) = value else {
      return storage.state.record(try note(value, key), storedKey: key)
    }
    storage.state.record(_RecordedValue(.array, UInt64(values.count)), storedKey: key)
    for value in values {
      let note = try note(value, key)
      guard note.isReference else {
        throw KeyedArchiveError(.notEncodable, "an element of '\(key)' is no reference but a value stored inside")
      }
      storage.state.append(note)
    }
  }

  func note(_ value: ArchivedObject.Value, _ key: String) throws -> _RecordedValue {
    switch value {
    case .null: return _RecordedValue(.null)
    case .object(let object): return note(object, conditional: false)
    case .conditionalObject(let object): return note(object, conditional: true)
    case .scalar(let scalar): return note(scalar, conditional: false)
    case .value(let value): return value._record(in: self)
    case .references:
      throw KeyedArchiveError(.notEncodable, "'\(key)' holds an array where there can be none")
    case .boolean(let value): return _RecordedValue(.boolean, value ? 1 : 0)
    case .integer(let value): return _RecordedValue(.int64, UInt64(bitPattern: value))
    case .unsigned(let value): return _RecordedValue(.uint64, value)
    case .float(let value): return _RecordedValue(.float, UInt64(value.bitPattern))
    case .double(let value): return _RecordedValue(.double, value.bitPattern)
    case .data(let bytes): return _RecordedValue(.bytes, storage.state.keep(bytes))
    case .string(let text): return _RecordedValue(.text, storage.state.keep(text))
    }
  }

}

extension _RecordedValue {
  /// Whether it is stored as a reference.
  fileprivate var isReference: Bool {
    switch kind {
    case .boolean, .int32, .int64, .uint64, .float, .double, .bytes, .text, .array, .readValue: false
    default: true
    }
  }
}

extension ArchiverState {
  /// Notes a value of the innermost object for a key that is written as it is.
  fileprivate mutating func record(_ note: _RecordedValue, storedKey key: String) {
    guard isRecording else { return }
    node = tree.child(of: node, rawKey: key)
    notes.append(note)
  }
}
