// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import PropertyListFormat

// The calls that most programs need.
extension KeyedUnarchiver {
  /// Decodes the object for the key `root` of an archive.
  /// - Parameters:
  ///   - type: The type to decode; also the allow list.
  ///   - data: The archive.
  ///   - limits: The limits of the decode.
  /// - Returns: The object, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the data is not a keyed archive, the object is damaged, or a class is not
  ///   allowed.
  @inlinable
  public static func unarchivedObject<Value: KeyedCoding>(
    ofClass type: Value.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> Value? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    let value = try unarchiver.decodeIfPresent(type, forKey: unarchiver.existingRootKey())
    unarchiver.finishDecoding()
    return value
  }

  /// Decodes the object for the key `root` of an archive, which has one of several types.
  /// - Parameters:
  ///   - types: The allow list.
  ///   - data: The archive.
  ///   - limits: The limits of the decode.
  /// - Returns: The object, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError`` if the data is not a keyed archive, the object is damaged, or a class is not
  ///   allowed.
  public static func unarchivedObject(
    ofClasses types: [any KeyedCoding.Type], from data: Data, limits: ReadLimits = .default
  ) throws -> (any KeyedCoding)? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    return try unarchiver.rootObject { try unarchiver.decodeTopLevelObject(of: types, forKey: $0) }
  }

  /// Decodes the array for the key `root` of an archive.
  /// - Parameters:
  ///   - type: The type of the elements.
  ///   - data: The archive.
  ///   - limits: The limits of the decode.
  /// - Returns: The array, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError``, as ``unarchivedObject(ofClass:from:limits:)``.
  public static func unarchivedArrayOfObjects<Element: KeyedCoding>(
    ofClass type: Element.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> [Element]? {
    try unarchivedObject(ofClass: [Element].self, from: data, limits: limits)
  }

  /// Decodes the array for the key `root` of an archive, whose elements have one of several types.
  /// - Parameters:
  ///   - types: The allow list for the elements. It must contain ``ArchivedArray`` if an element may be an array.
  ///   - data: The archive.
  ///   - limits: The limits of the decode.
  /// - Returns: The elements, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError``, as ``unarchivedObject(ofClasses:from:limits:)``.
  public static func unarchivedArrayOfObjects(
    ofClasses types: [any KeyedCoding.Type], from data: Data, limits: ReadLimits = .default
  ) throws -> [any KeyedCoding]? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    return try unarchiver.rootObject { key in try unarchiver.throwing { try unarchiver.array(types, key) } }
  }

  /// Decodes the dictionary for the key `root` of an archive, with one allow list for its keys and one for its values.
  /// - Parameters:
  ///   - keyTypes: The allow list for the dictionary's keys.
  ///   - valueTypes: The allow list for the dictionary's values.
  ///   - data: The archive.
  ///   - limits: The limits of the decode.
  /// - Returns: The dictionary, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError``, as ``unarchivedObject(ofClasses:from:limits:)``.
  public static func unarchivedDictionary(
    ofKeyClasses keyTypes: [any KeyedCoding.Type], objectClasses valueTypes: [any KeyedCoding.Type], from data: Data,
    limits: ReadLimits = .default
  ) throws -> ArchivedDictionary? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    return try unarchiver.rootObject { key in
      try unarchiver.throwing { try unarchiver.dictionary(keyTypes, valueTypes, key) }
    }
  }

  /// Decodes the dictionary for the key `root` of an archive.
  /// - Parameters:
  ///   - keyType: The type of the dictionary's keys.
  ///   - valueType: The type of the dictionary's values.
  ///   - data: The archive.
  ///   - limits: The limits of the decode.
  /// - Returns: The dictionary, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError``, as ``unarchivedObject(ofClass:from:limits:)``.
  public static func unarchivedDictionary<Key: KeyedCoding & Hashable, Value: KeyedCoding>(
    ofKeyClass keyType: Key.Type, objectClass valueType: Value.Type, from data: Data, limits: ReadLimits = .default
  ) throws -> [Key: Value]? {
    try unarchivedObject(ofClass: [Key: Value].self, from: data, limits: limits)
  }

  /// Decodes the object for the key `root` of an archive, without requiring secure coding.
  ///
  /// Use this for archives and types that predate secure coding. The decoder still allows only the named types.
  /// - Parameters:
  ///   - data: The archive.
  ///   - types: The allow list.
  ///   - limits: The limits of the decode.
  /// - Returns: The object, or nil if the archive stores nil.
  /// - Throws: ``KeyedArchiveError``, as ``unarchivedObject(ofClasses:from:limits:)``.
  public static func unarchiveTopLevelObjectWithData(
    _ data: Data, classes types: [any KeyedCoding.Type], limits: ReadLimits = .default
  ) throws -> (any KeyedCoding)? {
    let unarchiver = try KeyedUnarchiver(forReadingFrom: data, limits: limits)
    unarchiver.requiresSecureCoding = false
    return try unarchiver.rootObject { try unarchiver.decodeTopLevelObject(of: types, forKey: $0) }
  }

  private func rootObject<Value>(_ decode: (String) throws -> Value?) throws -> Value? {
    let value = try decode(existingRootKey())
    finishDecoding()
    return value
  }

  /// Returns the key of the root object, which the archive must have.
  @usableFromInline
  package func existingRootKey() throws -> String { try existingKey(KeyedArchiver.rootKey) }

  /// Returns a top-level key, which the archive must have.
  /// - Parameters:
  ///   - key: The key.
  ///   - advice: How to decode an archive that has other keys, which follow this text in the error.
  /// - Returns: The key.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/valueNotFound`` if the archive does not have it.
  func existingKey(
    _ key: String, advice: String = "Open it with KeyedUnarchiver(forReadingFrom:) and request one of its keys"
  ) throws -> String {
    guard try throwing({ try storage.state.contains(key) }) else {
      let keys = storage.state.topLevelKeys
      throw KeyedArchiveError(
        .valueNotFound, "missing top-level key '\(key)'", keyPath: "$top",
        remedy: keys.isEmpty
          ? "The archive has no keys: encode a value before you take the archiver's data"
          : "\(advice): \(MessageText.list(keys))")
    }
    return key
  }
}
