// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

extension ArchivedObject: SecureKeyedCoding, DynamicArchiveClass, ArchivedClassMatching {
  /// The class name of the type, `NSObject`. Each object is archived under its own ``archivedClass``.
  public static var archiveClassName: String { "NSObject" }
  /// Returns `true`: the type represents any class.
  package static func matches(_ description: ClassDescription) -> Bool { true }

  /// The layout that was read, or the class of an object that was changed.
  package var classVariant: ClassVariant {
    if let layout, layout.fits(entries) { return .layout(layout) }
    return .named(archivedClass)
  }

  /// Encodes the values in the order in which they were encoded originally, so that objects keep their UIDs.
  /// - Parameter coder: The archiver.
  /// - Throws: `KeyedArchiveError` if an array contains a value that is not a reference, or a new key is reserved for the
  ///   archiver.
  public func encode(with coder: KeyedArchiver) throws {
    let order = layout.flatMap { $0.fits(entries) ? $0.encodingOrder : nil } ?? Array(entries.indices)
    for index in order {
      let entry = entries[index]
      // Readers would take the object for a class record, or the value for its class. What was read stays as it is.
      let isReserved = entry.key.hasSameBytes(as: "$class") || ClassRecordKey(exactly: entry.key) == .name
      guard entry.hasReadKey || !isReserved else {
        throw KeyedArchiveError(
          .notEncodable, "the key '\(entry.key)' is reserved for the archiver",
          remedy: "Store an encoded key that begins with '$' with another '$' before it")
      }
      if let layout, let value = coder.recordedAsRead(entry, of: layout.origin) {
        coder.record(value, storedKey: entry.key)
      } else {
        try coder.encode(entry.value, forStoredKey: entry.key)
      }
    }
  }

  /// Decodes all values of the current object.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if the object is damaged.
  public convenience init?(coder: KeyedUnarchiver) throws {
    guard let uid = coder.storage.state.objectUID, case .object(let object) = try coder.graphValue(uid) else {
      throw coder.malformed("ArchivedObject was initialized while no object is being decoded")
    }
    self.init(object.archivedClass, object.entries)
    layout = object.layout
  }

  /// Returns the object with a UID; the same instance for each reference to it.
  /// - Parameters:
  ///   - uid: The UID of the object.
  ///   - coder: The unarchiver.
  /// - Returns: The object, or nil if the reference is nil.
  /// - Throws: `KeyedArchiveError` if the object is damaged or a primitive.
  public static func decode(_ uid: ArchiveUID, in coder: KeyedUnarchiver) throws -> ArchivedObject? {
    switch try coder.graphValue(uid.rawValue) {
    case .null, .conditionalObject: return nil
    case .object(let object): return object
    default: throw coder.unexpected(try coder.storage.state.source.entry(uid.rawValue), uid.rawValue, Self.self)
    }
  }
}

extension KeyedArchiver {
  /// Records a primitive that was read from an archive; returns nil for any other value. An entry may have been moved here
  /// from an object of another archive.
  func recordedAsRead(_ entry: ArchivedObject.Entry, of origin: SourceArchive) -> RecordedValue? {
    guard let source = entry.source, source.origin === origin, case .primitive(let value) = entry.value else {
      return nil
    }
    return recorded(value, row: source.row, of: source.origin)
  }

  /// Encodes a value of an archived object.
  func encode(_ value: ArchivedObject.Value, forStoredKey key: String) throws {
    guard case .references(let values) = value else { return record(try recorded(value, key), storedKey: key) }
    beginReferences(values.count, storedKey: key)
    for value in values {
      let element = try recorded(value, key)
      guard element.isReference else {
        throw KeyedArchiveError(.notEncodable, "an element of '\(key)' is an inline value; expected a reference")
      }
      record(element: element)
    }
  }

  /// Records a value other than an array.
  func recorded(_ value: ArchivedObject.Value, _ key: String) throws -> RecordedValue {
    switch value {
    case .primitive(let value): recorded(inline: value)
    case .object(let object): recorded(object, conditional: false)
    case .conditionalObject(let object): recorded(object, conditional: true)
    case .boxed(let box): recorded(box, conditional: false)
    case .value(let value): value.record(in: self)
    case .references: throw KeyedArchiveError(.notEncodable, "'\(key)' contains a nested array; expected a reference")
    case .null: .nullReference
    }
  }
}
