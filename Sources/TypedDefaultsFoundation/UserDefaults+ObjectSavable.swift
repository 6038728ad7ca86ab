// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import Foundation
public import TypedDefaults

extension UserDefaults: ObjectSavable {
  /// Stores an object as JSON data; nil removes what is there.
  /// - Throws: `ObjectSavableError`.
  public func setObject<Object: Encodable>(_ object: Object, forKey key: String) throws {
    guard !ObjectSaving.isNil(object) else { return removeObject(forKey: key) }
    set(try ObjectSaving.data(object, key), forKey: key)
  }

  /// The object that is stored as JSON data.
  /// - Throws: `ObjectSavableError`.
  public func getObject<Object: Decodable>(forKey key: String, castTo type: Object.Type) throws -> Object {
    guard let stored = object(forKey: key) else { throw ObjectSavableError.noValue.about(key, type) }
    guard let data = stored as? Data else {
      throw ObjectSavableError.unableToDecode.about(
        key, type, DefaultsError(.undecodable, key: key, "expected JSON in data, found a \(Swift.type(of: stored))"))
    }
    return try ObjectSaving.object(data, key, type)
  }
}
