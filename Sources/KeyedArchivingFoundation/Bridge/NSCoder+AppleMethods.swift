// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  public import Foundation
  import KeyedArchiving

  // Methods that NSCoder has on Apple's systems, and that Foundation lacks elsewhere.
  extension NSCoder {
    /// Decodes a point.
    ///
    /// The coders of this module record an error for a string that is not the text of a point with numbers.
    /// Foundation's `decodePoint(forKey:)` returns other numbers.
    /// - Parameter key: The key of the point.
    /// - Returns: The point, or zero if the key is absent or the call fails.
    public func decodeCGPoint(forKey key: String) -> CGPoint {
      guard let bridge = self as? BridgeDecoder else { return decodePoint(forKey: key) }
      return bridge.isUsable("decodeCGPoint(forKey:)") ? bridge.unarchiver.decodeCGPoint(forKey: key) : .zero
    }

    /// Decodes a size.
    ///
    /// The coders of this module record an error for a string that is not the text of a size with numbers.
    /// Foundation's `decodeSize(forKey:)` returns other numbers.
    /// - Parameter key: The key of the size.
    /// - Returns: The size, or zero if the key is absent or the call fails.
    public func decodeCGSize(forKey key: String) -> CGSize {
      guard let bridge = self as? BridgeDecoder else { return decodeSize(forKey: key) }
      return bridge.isUsable("decodeCGSize(forKey:)") ? bridge.unarchiver.decodeCGSize(forKey: key) : .zero
    }

    /// Decodes a rectangle.
    ///
    /// The coders of this module record an error for a string that is not the text of a rectangle with numbers.
    /// Foundation's `decodeRect(forKey:)` returns other numbers.
    /// - Parameter key: The key of the rectangle.
    /// - Returns: The rectangle, or zero if the key is absent or the call fails.
    public func decodeCGRect(forKey key: String) -> CGRect {
      guard let bridge = self as? BridgeDecoder else { return decodeRect(forKey: key) }
      return bridge.isUsable("decodeCGRect(forKey:)") ? bridge.unarchiver.decodeCGRect(forKey: key) : .zero
    }

    /// Encodes an integer.
    /// - Parameters:
    ///   - value: The integer.
    ///   - key: The key, which the object uses once.
    public func encodeCInt(_ value: Int32, forKey key: String) { encode(value, forKey: key) }

    /// Decodes the next unkeyed object, and throws errors.
    ///
    /// The types are those of `decodeObject()`.
    /// - Returns: The object, or nil if the archive stores nil.
    /// - Throws: `KeyedArchiveError` if the object is damaged or its class is not allowed. A caller that catches it can
    ///   continue.
    public func decodeTopLevelObject() throws -> Any? {
      if let bridge = self as? BridgeDecoder, bridge.isInUse { return try bridge.topLevelObject() }
      return try throwingError(decodeObject())
    }

    /// Decodes the object for a key, and throws errors.
    ///
    /// The types are those of `decodeObject(forKey:)`.
    /// - Parameter key: The key of the object.
    /// - Returns: The object, or nil if the key is absent or stores nil.
    /// - Throws: `KeyedArchiveError` if the object is damaged or its class is not allowed. A caller that catches it can
    ///   continue.
    public func decodeTopLevelObject(forKey key: String) throws -> Any? {
      if let bridge = self as? BridgeDecoder, bridge.isInUse {
        return try bridge.topLevelObject(of: nil, forKey: key)
      }
      return try throwingError(decodeObject(forKey: key))
    }

    /// Decodes the object of a class for a key, and throws errors.
    /// - Parameters:
    ///   - cls: The class; also the allow list.
    ///   - key: The key of the object.
    /// - Returns: The object, or nil if the key is absent or stores nil.
    /// - Throws: `KeyedArchiveError` if the object is damaged or its class is not allowed. A caller that catches it can
    ///   continue.
    public func decodeTopLevelObject<DecodedObjectType: NSObject & NSCoding>(
      of cls: DecodedObjectType.Type, forKey key: String
    ) throws -> DecodedObjectType? {
      if let bridge = self as? BridgeDecoder, bridge.isInUse {
        return try bridge.topLevelObject(of: [cls], forKey: key) as? DecodedObjectType
      }
      return try throwingError(decodeObject(of: cls, forKey: key))
    }

    /// Decodes the object for a key, which has one of several classes, and throws errors.
    /// - Parameters:
    ///   - classes: The allow list. Nil allows the types of `decodeObject(forKey:)`.
    ///   - key: The key of the object.
    /// - Returns: The object, or nil if the key is absent or stores nil.
    /// - Throws: `KeyedArchiveError` if the object is damaged or its class is not allowed. A caller that catches it can
    ///   continue.
    public func decodeTopLevelObject(of classes: [AnyClass]?, forKey key: String) throws -> Any? {
      if let bridge = self as? BridgeDecoder, bridge.isInUse {
        return try bridge.topLevelObject(of: classes, forKey: key)
      }
      return try throwingError(decodeObject(of: classes, forKey: key))
    }

    /// Returns the result of a call that records errors, or throws the recorded error.
    private func throwingError<Value>(_ result: Value?) throws -> Value? {
      if let error { throw error }
      return result
    }

    /// Decodes the array for a key, whose elements have one class.
    /// - Parameters:
    ///   - cls: The class of the elements.
    ///   - key: The key of the array.
    /// - Returns: The elements, or nil if the key is absent, stores nil, or the call fails.
    public func decodeArrayOfObjects<DecodedObjectType: NSObject & NSSecureCoding>(
      ofClass cls: DecodedObjectType.Type, forKey key: String
    ) -> [DecodedObjectType]? {
      array([cls], key) { typed($0, cls, key) }
    }

    /// Decodes the array for a key, whose elements have one of several classes.
    /// - Parameters:
    ///   - classes: The classes of the elements.
    ///   - key: The key of the array.
    /// - Returns: The elements, or nil if the key is absent, stores nil, or the call fails.
    public func decodeArrayOfObjects(ofClasses classes: [AnyClass], forKey key: String) -> [Any]? {
      array(classes, key) { isOf(classes, $0, key) ? $0 : nil }
    }

    /// Decodes the dictionary for a key, with one class for its keys and one for its values.
    /// - Parameters:
    ///   - keyClass: The class of the dictionary's keys.
    ///   - objectClass: The class of the dictionary's values.
    ///   - key: The key of the dictionary.
    /// - Returns: The dictionary, or nil if the key is absent, stores nil, or the call fails.
    public func decodeDictionary<KeyType: NSObject & NSCopying & NSSecureCoding, ValueType: NSObject & NSSecureCoding>(
      withKeyClass keyClass: KeyType.Type, objectClass: ValueType.Type, forKey key: String
    ) -> [KeyType: ValueType]? {
      dictionary([[keyClass], [objectClass]], key) { pairs in
        guard let keys = typed(pairs.map(\.0), keyClass, key), let values = typed(pairs.map(\.1), objectClass, key)
        else { return nil }
        return Dictionary(zip(keys, values)) { first, _ in first }
      }
    }

    /// Decodes the dictionary for a key, with several classes for its keys and several for its values.
    /// - Parameters:
    ///   - keyClasses: The classes of the dictionary's keys.
    ///   - objectClasses: The classes of the dictionary's values.
    ///   - key: The key of the dictionary.
    /// - Returns: The dictionary, or nil if the key is absent, stores nil, or the call fails.
    public func decodeDictionary(
      withKeysOfClasses keyClasses: [AnyClass], objectsOfClasses objectClasses: [AnyClass], forKey key: String
    ) -> [AnyHashable: Any]? {
      dictionary([keyClasses, objectClasses], key) { pairs in
        guard isOf(keyClasses, pairs.map(\.0), key), isOf(objectClasses, pairs.map(\.1), key) else { return nil }
        var result: [AnyHashable: Any] = [:]
        for (key, value) in pairs {
          // Foundation's array returns a string as the value of Swift, with which the caller looks it up.
          if let key = NSArray(object: key)[0] as? AnyHashable { result[key] = value }
        }
        return result
      }
    }

    /// Decodes an array and converts it. Many objects can refer to one, so the bridge converts it once.
    private func array<Result>(_ classes: [AnyClass], _ key: String, _ convert: ([Any]) -> Result?) -> Result? {
      guard let object = decodeObject(of: [NSArray.self] + classes, forKey: key) else { return nil }
      guard let array = object as? NSArray else {
        fail(object, "NSArray", key)
        return nil
      }
      guard let bridge = self as? BridgeDecoder else { return convert(array.storedElements) }
      return bridge.conversion(of: array, classes, convert)
    }

    /// Decodes a dictionary, as ``array(_:_:_:)`` does. The classes are those of the keys, and those of the values.
    private func dictionary<Result>(
      _ classes: [[AnyClass]], _ key: String, _ convert: ([(Any, Any)]) -> Result?
    ) -> Result? {
      guard let object = decodeObject(of: [NSDictionary.self] + classes.joined(), forKey: key) else { return nil }
      guard let dictionary = object as? NSDictionary else {
        fail(object, "NSDictionary", key)
        return nil
      }
      guard let bridge = self as? BridgeDecoder else { return convert(dictionary.storedPairs) }
      return bridge.conversion(of: dictionary, classes, convert)
    }

    /// Returns the objects as a class; nil after recording an error.
    private func typed<Object: NSObject>(_ objects: [Any], _ type: Object.Type, _ key: String) -> [Object]? {
      var result: [Object] = []
      for object in objects {
        // Foundation's collections can return strings, numbers and dates as Swift values.
        guard let element = (object as AnyObject) as? Object else {
          fail(object, "\(type)", key)
          return nil
        }
        result.append(element)
      }
      return result
    }

    /// Returns whether each object has one of some classes, and records an error if not.
    private func isOf(_ classes: [AnyClass], _ objects: [Any], _ key: String) -> Bool {
      for object in objects {
        guard let object = (object as AnyObject) as? NSObject, classes.contains(where: { object.isKind(of: $0) }) else {
          fail(object, classes.map { "\($0)" }.joined(separator: ", "), key)
          return false
        }
      }
      return true
    }

    private func fail(_ object: Any, _ expected: String, _ key: String) {
      let found = FoundationClassName.of(type(of: object as AnyObject))
      failWithError(
        KeyedArchiveError(
          .typeMismatch, "type mismatch for the key '\(key)': found an object of '\(found)'; expected \(expected)",
          className: found,
          remedy: "Request the class that the archive contains, or decode it with decodeObject(of:forKey:)"))
    }
  }
#endif
