// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

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
      if entry.row > 0, let origin = layout?.origin, let value = coder.recorded(entry, origin) {
        coder.record(value, storedKey: entry.key)
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
  /// How to store a number, bytes or text that was read; nil for anything else.
  func recorded(_ entry: ArchivedObject.Entry, _ origin: SourceArchive) -> _RecordedValue? {
    entry.value.primitive.flatMap { recorded($0, row: entry.row, of: origin) }
  }

  /// Stores a value of an object that is archived as data.
  fileprivate func encode(_ value: ArchivedObject.Value, forStoredKey key: String) throws {
    guard case .references(let values) = value else { return record(try recorded(value, key), storedKey: key) }
    record(.array(count: values.count), storedKey: key)
    for value in values {
      let element = try recorded(value, key)
      guard element.isReference else {
        throw KeyedArchiveError(.notEncodable, "an element of '\(key)' is no reference but a value stored inside")
      }
      record(element: element)
    }
  }

  /// How to store a value other than an array.
  func recorded(_ value: ArchivedObject.Value, _ key: String) throws -> _RecordedValue {
    if let primitive = value.primitive { return recorded(inline: primitive) }
    return switch value {
    case .object(let object): note(object, conditional: false)
    case .conditionalObject(let object): note(object, conditional: true)
    case .scalar(let scalar): note(scalar, conditional: false)
    case .value(let value): value._record(in: self)
    case .references: throw KeyedArchiveError(.notEncodable, "'\(key)' holds an array where there can be none")
    default: .nullReference
    }
  }
}

extension ArchivedObject.Value {
  /// What is stored inside the object; nil for references.
  fileprivate var primitive: ArchivePrimitive? {
    switch self {
    case .boolean(let value): .number(.boolean(value))
    case .integer(let value): .number(.integer(value))
    case .unsigned(let value): .number(.unsigned(value))
    case .float(let value): .number(.float(value))
    case .double(let value): .number(.double(value))
    case .data(let bytes): .data(bytes)
    case .string(let text): .string(text)
    case .null, .object, .conditionalObject, .scalar, .value, .references: nil
    }
  }
}
