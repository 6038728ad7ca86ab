// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
public import Foundation
public import KeyedArchiving
import PropertyListFormat

// Calls as they are written for `NSKeyedArchiver`, with objects of Foundation. On Linux, all references to an object share
// its archived form. On Apple's systems, the value is archived.
//
// The calls are disfavored, so that a call with a value of Swift has the same meaning with and without this module.
extension KeyedArchiver {
  private func encode<Value: KeyedCoding>(_ object: NSObject?, as type: Value.Type, forKey key: String) {
    #if canImport(Darwin)
      // The cast from `Any` converts the object to a value of Swift.
      encode((object as Any?) as? Value, forKey: key)
    #else
      encodeFoundationObject(object, forKey: key)
    #endif
  }

  /// Encodes a string of Foundation.
  /// - Parameters:
  ///   - string: The string, or nil.
  ///   - key: The key, which the object uses once.
  @_disfavoredOverload
  public func encode(_ string: NSString?, forKey key: String) {
    encode(string, as: String.self, forKey: key)
  }

  /// Encodes data of Foundation.
  /// - Parameters:
  ///   - data: The data, or nil.
  ///   - key: The key, which the object uses once.
  @_disfavoredOverload
  public func encode(_ data: NSData?, forKey key: String) {
    encode(data, as: Data.self, forKey: key)
  }

  /// Encodes a date of Foundation.
  /// - Parameters:
  ///   - date: The date, or nil.
  ///   - key: The key, which the object uses once.
  @_disfavoredOverload
  public func encode(_ date: NSDate?, forKey key: String) {
    encode(date, as: Date.self, forKey: key)
  }

  /// Encodes a URL of Foundation.
  /// - Parameters:
  ///   - url: The URL, or nil.
  ///   - key: The key, which the object uses once.
  @_disfavoredOverload
  public func encode(_ url: NSURL?, forKey key: String) {
    encode(url, as: URL.self, forKey: key)
  }

  /// Encodes a UUID of Foundation.
  /// - Parameters:
  ///   - uuid: The UUID, or nil.
  ///   - key: The key, which the object uses once.
  @_disfavoredOverload
  public func encode(_ uuid: NSUUID?, forKey key: String) {
    encode(uuid, as: UUID.self, forKey: key)
  }

  /// Encodes a number of Foundation as an object. `decodeObject(of: NSNumber.self, forKey:)` decodes it.
  /// - Parameters:
  ///   - number: The number, or nil.
  ///   - key: The key, which the object uses once.
  @_disfavoredOverload
  public func encode(_ number: NSNumber?, forKey key: String) {
    #if canImport(Darwin)
      if let decimal = number as? NSDecimalNumber { return encode(decimal.decimalValue, forKey: key) }
      encodeObject(number.map { ArchiveNumber($0) }, forKey: key)
    #else
      encodeFoundationObject(number, forKey: key)
    #endif
  }

  #if !canImport(Darwin)
    /// Encodes a string with attributes.
    /// - Parameters:
    ///   - string: The string, or nil.
    ///   - key: The key, which the object uses once.
    @_disfavoredOverload
    public func encode(_ string: NSAttributedString?, forKey key: String) {
      encodeFoundationObject(string, forKey: key)
    }
  #endif
}

extension KeyedUnarchiver {
  /// Decodes the number for a key, which was encoded as an object.
  /// - Parameters:
  ///   - type: `NSNumber.self`.
  ///   - key: The key of the number.
  /// - Returns: The number, or nil if the key is absent, stores nil, or the call fails.
  @_disfavoredOverload
  public func decodeObject(of type: NSNumber.Type, forKey key: String) -> NSNumber? {
    switch decodeObject(of: [ArchiveNumber.self, Decimal.self] as [any KeyedCoding.Type], forKey: key) {
    case let number as ArchiveNumber: NSNumber(number)
    case let decimal as Decimal: NSDecimalNumber(decimal: decimal)
    default: nil
    }
  }

  #if !canImport(Darwin)
    /// Decodes the string with attributes for a key.
    ///
    /// The attributes may have plain values of Foundation. For other values, request an `ArchivedAttributedString`. All
    /// calls of this method return the same object for references to one string.
    /// - Parameters:
    ///   - type: `NSAttributedString.self`.
    ///   - key: The key of the string.
    /// - Returns: The string, or nil if the key is absent, stores nil, or the call fails.
    @_disfavoredOverload
    public func decodeObject(of type: NSAttributedString.Type, forKey key: String) -> NSAttributedString? {
      recordingErrors(nil) {
        // Many objects can refer to one text, so this call charges the decoder, as all other requests do.
        try decodeIfPresent(ArchivedAttributedString.self, forKey: key)
          .flatMap { try DecodedFoundationObjects.of(self).object($0) as? NSAttributedString }
      }
    }
  #endif
}

extension ArchiveNumber {
  /// Creates the archived form of a number of Foundation.
  init(_ number: NSNumber) {
    // Foundation has one object for each Boolean.
    if number === NSNumber(value: true) || number === NSNumber(value: false) {
      self = .boolean(number.boolValue)
      return
    }
    self =
      switch number.typeText {
      case "f": .float(number.floatValue)
      case "d": .double(number.doubleValue)
      case "Q": .unsigned(number.uint64Value)
      default: .integer(number.int64Value)
      }
  }
}

extension NSNumber {
  /// Creates a number of Foundation with the kind of an archived one.
  convenience init(_ number: ArchiveNumber) {
    switch number {
    case .boolean(let value): self.init(value: value)
    case .integer(let value): self.init(value: value)
    case .unsigned(let value): self.init(value: value)
    case .float(let value): self.init(value: value)
    case .double(let value): self.init(value: value)
    }
  }
}
