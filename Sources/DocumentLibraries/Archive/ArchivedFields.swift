// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
public import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// The archived values of a document's object by key, as a ``DocumentMigration`` changes them.
///
/// ```swift
/// let text = try recipe.value(String.self, forKey: "serves")
/// try recipe.setValue(text.flatMap { Int($0) } ?? 4, forKey: "servings")
/// try recipe.removeValue(forKey: "serves")
/// ```
///
/// A key that is not removed, and that today's model does not know, stays in the document.
public struct ArchivedFields: Sendable {
  /// The whole archive. Its methods change nested objects.
  public var archive: KeyedArchive
  /// The UID of the document's object.
  public let root: ArchiveUID
  private let limits: ReadLimits

  init(_ archive: KeyedArchive, _ root: ArchiveUID, limits: ReadLimits) {
    self.archive = archive
    self.root = root
    self.limits = limits
  }

  /// Decodes the value of a key, as a property of a Codable model. Only the requested type, and the types that it
  /// requests, are decoded.
  /// - Parameters:
  ///   - type: The type of the value.
  ///   - key: The key.
  /// - Returns: The value; nil if the object has no such key or its value is nil.
  /// - Throws: `DecodingError` or `KeyedArchiveError` if the value has another type or is damaged.
  public func value<Value: Decodable>(_ type: Value.Type, forKey key: String) throws -> Value? {
    guard let stored = try storedValue(forKey: key) else { return nil }
    // An archive of this value alone, because a migration step can read many keys of a large document.
    var single = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: 0, requiringSecureCoding: true))
    var copy = GraphCopy(from: archive)
    let value = try copy.value(stored, to: &single)
    try copy.finish(&single)
    let record = try single.addClass(
      ClassDescription(name: FieldKey.className, chain: [FieldKey.className, "NSObject"]))
    let field = try single.addObject(.instance(class: record, [.init(FieldKey.stored(key), value)]))
    try single.setTopValue(.reference(field), forKey: KeyedArchiver.rootKey)
    var decoder = KeyedArchiveDecoder()
    decoder.limits = limits
    decoder.archivers = .any
    decoder.classNames[DecodedField<Value>.self] = FieldKey.className
    decoder.userInfo = FieldKey.userInfo(key)
    return try decoder.decode(DecodedField<Value>.self, from: single.data()).value
  }

  /// Sets the value of a key, in the form in which a Codable model archives a property.
  /// - Parameters:
  ///   - value: The value; nil removes the key.
  ///   - key: The key.
  /// - Throws: `KeyedArchiveError`, or an error of the value's `encode(to:)`.
  public mutating func setValue<Value: Encodable>(_ value: Value?, forKey key: String) throws {
    guard let value else { return try removeValue(forKey: key) }
    var encoder = KeyedArchiveEncoder()
    encoder.classNames[EncodedField<Value>.self] = FieldKey.className
    encoder.userInfo = FieldKey.userInfo(key)
    let source = try KeyedArchive(encoder.encode(EncodedField(value: value)))
    guard let field = source.root.uid, case .instance(_, let entries) = try source.object(field) else { return }
    var copy = GraphCopy(from: source)
    for entry in entries {
      try archive.setValue(try copy.value(entry.value, to: &archive), forKey: entry.key, of: root)
    }
    try copy.finish(&archive)
  }

  /// Gives a value another key. If the object has no value for the old key, or one for the new key, nothing changes.
  /// - Parameters:
  ///   - key: The old key.
  ///   - newKey: The new key.
  /// - Throws: `KeyedArchiveError` if the object is damaged.
  public mutating func renameValue(forKey key: String, to newKey: String) throws(KeyedArchiveError) {
    guard let value = try storedValue(forKey: key), try storedValue(forKey: newKey) == nil else { return }
    try archive.setValue(nil, forKey: FieldKey.stored(key), of: root)
    try archive.setValue(value, forKey: FieldKey.stored(newKey), of: root)
  }

  /// Removes the value of a key, if the object has one.
  /// - Parameter key: The key.
  /// - Throws: `KeyedArchiveError` if the object is damaged.
  public mutating func removeValue(forKey key: String) throws(KeyedArchiveError) {
    try archive.setValue(nil, forKey: FieldKey.stored(key), of: root)
  }

  private func storedValue(forKey key: String) throws(KeyedArchiveError) -> KeyedArchive.StoredValue? {
    guard case .instance(_, let entries) = try archive.object(root) else {
      throw KeyedArchiveError(.typeMismatch, "not an object with keys", uid: root)
    }
    let key = FieldKey.stored(key)
    return entries.first { $0.key == key }?.value
  }
}

/// The only key of an object that wraps a value.
private struct FieldKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }

  init?(intValue: Int) { nil }

  static let className = "Field"

  /// Archivers write a `$` before a key that begins with one.
  static func stored(_ key: String) -> String { key.hasPrefix("$") ? "$" + key : key }

  private static let info = CodingUserInfoKey(rawValue: "DocumentLibraries.field")

  static func userInfo(_ key: String) -> [CodingUserInfoKey: any Sendable] { info.map { [$0: key] } ?? [:] }

  /// The key from the information of a coder.
  init(_ userInfo: [CodingUserInfoKey: Any]) {
    stringValue = Self.info.flatMap { userInfo[$0] as? String } ?? ""
  }
}

private struct DecodedField<Value: Decodable>: Decodable {
  let value: Value?

  init(from decoder: any Decoder) throws {
    value = try decoder.container(keyedBy: FieldKey.self)
      .decodeIfPresent(Value.self, forKey: FieldKey(decoder.userInfo))
  }
}

private struct EncodedField<Value: Encodable>: Encodable {
  let value: Value

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: FieldKey.self)
    try container.encode(value, forKey: FieldKey(encoder.userInfo))
  }
}
