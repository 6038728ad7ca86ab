// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving

// Calls as they are written for `NSCoder`, with Foundation's classes and geometry.
//
// The requests for classes are disfavored, so that a declaration with the same name that returns an instance of the
// class has precedence.
extension KeyedUnarchiver {
  /// Decodes the string for a key.
  /// - Parameters:
  ///   - type: `NSString.self`.
  ///   - key: The key of the string.
  /// - Returns: The string, or nil if the key is absent, stores nil, or the call fails.
  @_disfavoredOverload
  public func decodeObject(of type: NSString.Type, forKey key: String) -> String? {
    decodeObject(of: String.self, forKey: key)
  }

  /// Decodes the data for a key.
  /// - Parameters:
  ///   - type: `NSData.self`.
  ///   - key: The key of the data.
  /// - Returns: The data, or nil if the key is absent, stores nil, or the call fails.
  @_disfavoredOverload
  public func decodeObject(of type: NSData.Type, forKey key: String) -> Data? {
    decodeObject(of: Data.self, forKey: key)
  }

  /// Decodes the date for a key.
  /// - Parameters:
  ///   - type: `NSDate.self`.
  ///   - key: The key of the date.
  /// - Returns: The date, or nil if the key is absent, stores nil, or the call fails.
  @_disfavoredOverload
  public func decodeObject(of type: NSDate.Type, forKey key: String) -> Date? {
    decodeObject(of: Date.self, forKey: key)
  }

  /// Decodes the URL for a key.
  /// - Parameters:
  ///   - type: `NSURL.self`.
  ///   - key: The key of the URL.
  /// - Returns: The URL, or nil if the key is absent, stores nil, or the call fails.
  @_disfavoredOverload
  public func decodeObject(of type: NSURL.Type, forKey key: String) -> URL? { decodeObject(of: URL.self, forKey: key) }

  /// Decodes the UUID for a key.
  /// - Parameters:
  ///   - type: `NSUUID.self`.
  ///   - key: The key of the UUID.
  /// - Returns: The UUID, or nil if the key is absent, stores nil, or the call fails.
  @_disfavoredOverload
  public func decodeObject(of type: NSUUID.Type, forKey key: String) -> UUID? {
    decodeObject(of: UUID.self, forKey: key)
  }
}

extension KeyedArchiver {
  /// Encodes a point as Apple's coders do, as a string. To archive it as an `NSValue`, call `encodeObject(_:forKey:)`.
  /// - Parameters:
  ///   - point: The point.
  ///   - key: The key, which the object uses once.
  public func encode(_ point: CGPoint, forKey key: String) {
    encodePoint(ArchivedPoint(x: point.x, y: point.y), forKey: key)
  }

  /// Encodes a size as Apple's coders do, as a string. To archive it as an `NSValue`, call `encodeObject(_:forKey:)`.
  /// - Parameters:
  ///   - size: The size.
  ///   - key: The key, which the object uses once.
  public func encode(_ size: CGSize, forKey key: String) {
    encodeSize(ArchivedSize(width: size.width, height: size.height), forKey: key)
  }

  /// Encodes a rectangle as Apple's coders do, as a string. To archive it as an `NSValue`, call
  /// `encodeObject(_:forKey:)`.
  /// - Parameters:
  ///   - rect: The rectangle.
  ///   - key: The key, which the object uses once.
  public func encode(_ rect: CGRect, forKey key: String) {
    encodeRect(ArchivedRect(rect), forKey: key)
  }
}

extension KeyedUnarchiver {
  /// Decodes the point for a key.
  /// - Parameter key: The key of the point.
  /// - Returns: The point, or the origin if the key is absent or the call fails.
  public func decodeCGPoint(forKey key: String) -> CGPoint {
    let point = decodePoint(forKey: key)
    return CGPoint(x: point.x, y: point.y)
  }

  /// Decodes the size for a key.
  /// - Parameter key: The key of the size.
  /// - Returns: The size, or zero if the key is absent or the call fails.
  public func decodeCGSize(forKey key: String) -> CGSize {
    let size = decodeSize(forKey: key)
    return CGSize(width: size.width, height: size.height)
  }

  /// Decodes the rectangle for a key.
  /// - Parameter key: The key of the rectangle.
  /// - Returns: The rectangle, or zero if the key is absent or the call fails.
  public func decodeCGRect(forKey key: String) -> CGRect {
    CGRect(decodeRect(forKey: key))
  }
}
