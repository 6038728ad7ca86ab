// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A type that stores `Codable` objects as JSON by key.
///
/// All stores of this module conform to it. The module `TypedDefaultsFoundation` makes `UserDefaults` conform.
public protocol ObjectSavable {
  /// Stores an object as JSON data.
  /// - Parameters:
  ///   - object: The object, or nil to remove the stored one.
  ///   - key: The key.
  /// - Throws: ``ObjectSavableError`` if the object cannot be encoded, or an error of the store.
  func setObject<Object: Encodable>(_ object: Object, forKey key: String) throws

  /// Returns an object stored as JSON data.
  /// - Parameters:
  ///   - key: The key.
  ///   - type: The type of the object.
  /// - Returns: The object.
  /// - Throws: ``ObjectSavableError``.
  func getObject<Object: Decodable>(forKey key: String, castTo type: Object.Type) throws -> Object
}

/// An error that describes why an object cannot be stored or loaded.
///
/// The three kinds have the texts of the published articles. ``key``, ``type`` and ``underlying`` have details, which
/// are not compared. The type is a structure, so a `switch` over kinds needs a `default`.
///
/// ```swift
/// do {
///   book = try store.getObject(forKey: "MyFavouriteBook", castTo: Book.self)
/// } catch ObjectSavableError.noValue {
///   book = nil
/// }
/// ```
public struct ObjectSavableError: Error, RawRepresentable, Sendable {
  /// The text of the kind.
  public let rawValue: String
  /// The key.
  public let key: String?
  /// The type to encode or decode.
  public let type: String?
  /// The error of the coder, with its coding path.
  public let underlying: (any Error)?

  /// Creates an error from the text of its kind.
  /// - Parameter rawValue: The text. If no kind has it, the result is nil.
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
  /// No value is stored for the key.
  public static let noValue = Self("No data object found for the given key")
  /// The stored value is of another kind than data, or the data cannot be decoded as the type.
  public static let unableToDecode = Self("Unable to decode object into given type")

  private init(_ text: String) { self.init(text: text, key: nil, type: nil, underlying: nil) }

  /// Returns the error with details.
  /// - Parameters:
  ///   - key: The key.
  ///   - type: The type to encode or decode.
  ///   - underlying: The error of the coder.
  /// - Returns: The error.
  public func about(_ key: String, _ type: Any.Type, _ underlying: (any Error)? = nil) -> Self {
    Self(text: rawValue, key: key, type: "\(type)", underlying: underlying)
  }
}

extension ObjectSavableError: Hashable {
  /// Compares the kinds of two errors.
  /// - Parameters:
  ///   - a: An error.
  ///   - b: Another error.
  /// - Returns: `true` if the errors are of the same kind.
  public static func == (a: Self, b: Self) -> Bool { a.rawValue == b.rawValue }

  /// Hashes the kind.
  /// - Parameter hasher: Receives the hashed values.
  public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

  /// Returns whether an error is of a kind. It makes `catch ObjectSavableError.noValue` work.
  /// - Parameters:
  ///   - kind: An error of the kind.
  ///   - error: The error to match.
  /// - Returns: `true` if `error` is an ``ObjectSavableError`` of the same kind.
  public static func ~= (kind: Self, error: any Error) -> Bool { error as? Self == kind }
}

extension ObjectSavableError: LocalizedError, CustomStringConvertible {
  /// The text of the kind.
  public var errorDescription: String? { rawValue }

  /// The text of the kind.
  public var description: String { rawValue }
}

extension DefaultsStore {
  /// Stores an object as JSON data.
  /// - Parameters:
  ///   - object: The object, or nil to remove the stored one.
  ///   - key: The key.
  /// - Throws: ``ObjectSavableError`` if it cannot be encoded, ``DefaultsError`` if the store cannot be written.
  public func setObject<Object: Encodable>(_ object: Object, forKey key: String) throws {
    guard !ObjectSaving.isNil(object) else { return try setRawValue(nil, for: key) }
    try setRawValue(.data(ObjectSaving.data(object, key)), for: key)
  }

  /// Returns an object stored as JSON data.
  /// - Parameters:
  ///   - key: The key.
  ///   - type: The type of the object.
  /// - Returns: The object.
  /// - Throws: ``ObjectSavableError``.
  public func getObject<Object: Decodable>(forKey key: String, castTo type: Object.Type) throws -> Object {
    switch rawValue(for: key) {
    case nil: throw ObjectSavableError.noValue.about(key, type)
    case .data(let data)?: return try ObjectSaving.object(data, key, type)
    case let other?:
      throw ObjectSavableError.unableToDecode.about(
        key, type,
        DefaultsError(
          .undecodable, key: key, "type mismatch: found \(other.shortDescription); expected JSON in data",
          remedy: "Read it with a DefaultsKey, because it was not stored with setObject"))
    }
  }
}

extension MemoryStore: ObjectSavable {}
extension FileStore: ObjectSavable {}
extension LayeredStore: ObjectSavable {}
extension UserDefaultsStore: ObjectSavable {}

/// JSON coding with the errors of ``ObjectSavable``.
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
