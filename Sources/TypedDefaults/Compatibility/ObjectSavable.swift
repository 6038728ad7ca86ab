// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A place where Codable objects are kept as JSON under keys.
///
/// Every ``DefaultsStore`` is one; the module `TypedDefaultsFoundation` makes `UserDefaults` one.
public protocol ObjectSavable {
  /// Stores an object as JSON data; nil removes what is there.
  /// - Throws: ``ObjectSavableError``.
  func setObject<Object: Encodable>(_ object: Object, forKey key: String) throws

  /// The object that is stored as JSON data.
  /// - Throws: ``ObjectSavableError``.
  func getObject<Object: Decodable>(forKey key: String, castTo type: Object.Type) throws -> Object
}

/// Why an object could not be kept, or found again.
///
/// The three kinds have the texts that they always had. ``key``, ``type`` and ``underlying`` say more; they are not
/// compared. Since it is no enum, a `switch` over kinds needs a `default`.
///
/// ```swift
/// do {
///   book = try store.getObject(forKey: "MyFavouriteBook", castTo: Book.self)
/// } catch ObjectSavableError.noValue {
///   book = nil
/// }
/// ```
public struct ObjectSavableError: Error, RawRepresentable, Sendable {
  /// The text.
  public let rawValue: String
  /// The key.
  public let key: String?
  /// The type that was to be encoded or decoded.
  public let type: String?
  /// What the coder had to say, with the place in the object.
  public let underlying: (any Error)?

  /// The kind of error with a text; nil if there is none.
  public init?(rawValue: String) {
    guard [Self.unableToEncode, .noValue, .unableToDecode].contains(where: { $0.rawValue == rawValue }) else {
      return nil
    }
    self.init(text: rawValue, key: nil, type: nil, underlying: nil)
  }

  private init(text: String, key: String?, type: String?, underlying: (any Error)?) {
    rawValue = text
    self.key = key
    self.type = type
    self.underlying = underlying
  }

  /// The object cannot be encoded.
  public static let unableToEncode = Self("Unable to encode object into data")
  /// There is nothing under the key.
  public static let noValue = Self("No data object found for the given key")
  /// There is something under the key that is no such object, or no data at all.
  public static let unableToDecode = Self("Unable to decode object into given type")

  private init(_ text: String) { self.init(text: text, key: nil, type: nil, underlying: nil) }

  /// This error, with what is known about the case.
  public func about(_ key: String, _ type: Any.Type, _ underlying: (any Error)? = nil) -> Self {
    Self(text: rawValue, key: key, type: "\(type)", underlying: underlying)
  }
}

extension ObjectSavableError: Hashable {
  /// Equal when the texts are.
  public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }

  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// Whether an error is of a kind, for `catch ObjectSavableError.noValue`.
  public static func ~= (kind: Self, error: any Error) -> Bool { error as? Self == kind }
}

extension ObjectSavableError: LocalizedError, CustomStringConvertible {
  /// The text.
  public var errorDescription: String? { rawValue }

  /// The text.
  public var description: String { rawValue }
}

extension DefaultsStore {
  /// Stores an object as JSON data; nil removes what is there.
  /// - Throws: ``ObjectSavableError`` if it cannot be encoded, ``DefaultsError`` if the store cannot be written.
  public func setObject<Object: Encodable>(_ object: Object, forKey key: String) throws {
    guard (object as? any OptionalValue)?.isNil != true else { return try setRawValue(nil, for: key) }
    try setRawValue(.data(ObjectSaving.data(object, key)), for: key)
  }

  /// The object that is stored as JSON data.
  /// - Throws: ``ObjectSavableError``.
  public func getObject<Object: Decodable>(forKey key: String, castTo type: Object.Type) throws -> Object {
    switch rawValue(for: key) {
    case nil: throw ObjectSavableError.noValue.about(key, type)
    case .data(let data)?: return try ObjectSaving.object(data, key, type)
    case let other?:
      throw ObjectSavableError.unableToDecode.about(
        key, type,
        DefaultsError(
          .undecodable, key: key, "expected JSON in data, found \(other.shortDescription)",
          remedy: "It was stored by other means; read it with a key"))
    }
  }
}

extension MemoryStore: ObjectSavable {}
extension FileStore: ObjectSavable {}
extension LayeredStore: ObjectSavable {}

/// Objects as JSON, with the errors of ``ObjectSavable``.
package enum ObjectSaving {
  package static func data<Object: Encodable>(_ object: Object, _ key: String) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    do {
      return try encoder.encode(object)
    } catch {
      throw ObjectSavableError.unableToEncode.about(key, Object.self, error)
    }
  }

  package static func object<Object: Decodable>(_ data: Data, _ key: String, _ type: Object.Type) throws -> Object {
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw ObjectSavableError.unableToDecode.about(key, type, error)
    }
  }

  package static func isNil(_ object: Any) -> Bool { (object as? any OptionalValue)?.isNil == true }
}
