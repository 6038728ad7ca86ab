// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
public import TypedDefaults

extension UserDefaults: ObjectSavable {
  /// Stores an object as JSON data.
  /// - Parameters:
  ///   - object: The object, or nil to remove the stored one.
  ///   - key: The key.
  /// - Throws: `ObjectSavableError` if the object cannot be encoded.
  public func setObject<Object: Encodable>(_ object: Object, forKey key: String) throws {
    guard !ObjectSaving.isNil(object) else { return removeObject(forKey: key) }
    set(try ObjectSaving.data(object, key), forKey: key)
  }

  /// Returns an object stored as JSON data.
  /// - Parameters:
  ///   - key: The key.
  ///   - type: The type of the object.
  /// - Returns: The object.
  /// - Throws: `ObjectSavableError` if no value is stored or it cannot be decoded.
  public func getObject<Object: Decodable>(forKey key: String, castTo type: Object.Type) throws -> Object {
    guard let stored = object(forKey: key) else { throw ObjectSavableError.noValue.about(key, type) }
    guard let data = stored as? Data else {
      throw ObjectSavableError.unableToDecode.about(
        key, type,
        DefaultsError(.undecodable, key: key, "type mismatch: found a \(Swift.type(of: stored)); expected JSON in data")
      )
    }
    return try ObjectSaving.object(data, key, type)
  }
}
