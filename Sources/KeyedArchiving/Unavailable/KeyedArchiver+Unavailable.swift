// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Calls of Apple's encoders without a counterpart of the same form. The compiler's message names the replacement.

extension KeyedArchiver {
  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - object: The object.
  ///   - path: The path of the file.
  /// - Returns: Nothing, because no program can call it.
  @available(*, unavailable, message: "write try KeyedArchiver.archive(object, to: url, requiringSecureCoding: true)")
  public static func archiveRootObject(_ object: Any, toFile path: String) -> Bool { false }

  /// Unavailable; the message names the replacement.
  /// - Parameter object: The object.
  /// - Returns: Nothing, because no program can call it.
  @available(
    *, unavailable,
    message: "write try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)"
  )
  public static func archivedData(withRootObject object: Any) -> Data { Data() }

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - object: The object.
  ///   - requiresSecureCoding: Whether secure coding is required.
  /// - Returns: Nothing, because no program can call it.
  /// - Throws: Nothing.
  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data, NSString as String, NSArray as [T]"
  )
  @_disfavoredOverload
  public static func archivedData(
    withRootObject object: Any?, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data { Data() }

  /// Unavailable; the message names the replacement.
  /// - Parameter data: The archive.
  @available(
    *, unavailable,
    message: "write KeyedArchiver(requiringSecureCoding: true), and read encodedData at the end"
  )
  public convenience init(forWritingWith data: Any) { self.init(requiringSecureCoding: false) }

  /// Unavailable; the message names the replacement.
  @available(*, unavailable, message: "write KeyedArchiver(requiringSecureCoding: true)")
  public convenience init() { self.init(requiringSecureCoding: false) }

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - name: The class name in archives.
  ///   - type: The type.
  @available(
    *, unavailable,
    message: "nothing is global: declare archiveClassName, or call setClassName on an archiver"
  )
  public static func setClassName(_ name: String?, for type: Any.Type) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter type: The type.
  /// - Returns: Nothing, because no program can call it.
  @available(*, unavailable, message: "nothing is global: read archiveClassName of the type")
  public static func className(for type: Any.Type) -> String? { nil }

  /// Unavailable; the message names the replacement.
  /// - Parameter type: The type.
  /// - Returns: Nothing, because no program can call it.
  @available(*, unavailable, renamed: "className(for:)")
  public func classNameForClass(_ type: Any.Type) -> String? { nil }

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - name: The class name in archives.
  ///   - type: The type.
  @available(*, unavailable, message: "the type must adopt KeyedCoding, or KeyedCodable if it is Codable")
  @_disfavoredOverload
  public func setClassName(_ name: String?, for type: Any.Type) {}
}

// With keys.
extension KeyedArchiver {
  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - values: The values.
  ///   - key: The key.
  @available(
    *, unavailable,
    message: "write encodeAny(_:forKey:) of ArchivedClasses, or an ArchivedDictionary of [String: any KeyedCoding]"
  )
  @_disfavoredOverload
  public func encode(_ values: [String: Any], forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - values: The values.
  ///   - key: The key.
  @available(
    *, unavailable, message: "write encodeAny(_:forKey:) of ArchivedClasses, or an ArchivedArray([any KeyedCoding])"
  )
  @_disfavoredOverload
  public func encode(_ values: [Any], forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data, or call encodeFoundationObject"
  )
  @_disfavoredOverload
  public func encode(_ value: Any?, forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data, or call encodeFoundationObject"
  )
  @_disfavoredOverload
  public func encodeObject(_ value: Any?, forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - object: The object.
  ///   - key: The key.
  @available(*, unavailable, message: "a conditional reference needs an instance of a class that adopts KeyedCoding")
  @_disfavoredOverload
  public func encodeConditionalObject(_ object: Any?, forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  @available(*, unavailable, renamed: "encode(_:forKey:)")
  public func encodeCInt(_ value: Int32, forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key.
  @available(
    *, unavailable,
    message: "write encode(_:forKey:) of a value whose type adopts KeyedCoding, or encodeEncodable(_:forKey:)"
  )
  public func encodePropertyList(_ value: Any, forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - length: The number of bytes.
  ///   - key: The key.
  @available(*, unavailable, message: "write encodeBytes(Data(bytes: bytes, count: length), forKey: key)")
  public func encodeBytes(_ bytes: Any?, length: Int, forKey key: String) {}
}

// Without keys.
extension KeyedArchiver {
  /// Unavailable; the message names the replacement.
  /// - Parameter object: The object.
  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data, NSString as String, NSArray as [T]"
  )
  @_disfavoredOverload
  public func encode(_ object: Any?) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter object: The object.
  @available(*, unavailable, message: "a conditional reference needs an instance of a class that adopts KeyedCoding")
  @_disfavoredOverload
  public func encodeConditionalObject(_ object: Any?) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter object: The object.
  @available(*, unavailable, message: "write encode(object); in a keyed archive both store the same")
  public func encodeRootObject(_ object: Any) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter object: The object.
  @available(*, unavailable, message: "write encode(object); it is for distributed objects, and stores the same")
  public func encodeBycopyObject(_ object: Any?) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter object: The object.
  @available(*, unavailable, message: "write encode(object); it is for distributed objects, and stores the same")
  public func encodeByrefObject(_ object: Any?) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter value: The value.
  @available(*, unavailable, message: "write encode(_:) of a value whose type adopts KeyedCoding")
  public func encodePropertyList(_ value: Any) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - length: The number of bytes.
  @available(*, unavailable, message: "write encode(Data(bytes: bytes, count: length))")
  public func encodeBytes(_ bytes: Any?, length: Int) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - itemType: The Objective-C type.
  ///   - address: The place in memory.
  @available(*, unavailable, message: "name a key: encode(value, forKey: key)")
  public func encodeValue<Value>(ofObjCType itemType: Any, at address: inout Value) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - itemType: The Objective-C type.
  ///   - address: The place in memory.
  @available(*, unavailable, message: "name a key: encode(value, forKey: key)")
  @_disfavoredOverload
  public func encodeValue(ofObjCType itemType: Any, at address: Any) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - itemType: The Objective-C type.
  ///   - count: The number of elements.
  ///   - address: The place in memory.
  @available(*, unavailable, message: "name a key: encode(array, forKey: key)")
  public func encodeArray<Value>(ofObjCType itemType: Any, count: Int, at address: inout Value) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - itemType: The Objective-C type.
  ///   - count: The number of elements.
  ///   - address: The place in memory.
  @available(*, unavailable, message: "name a key: encode(array, forKey: key)")
  @_disfavoredOverload
  public func encodeArray(ofObjCType itemType: Any, count: Int, at address: Any) {}
}

// Properties.
extension KeyedArchiver {
  /// Unavailable; the message names the replacement.
  @available(*, unavailable, message: "always true: remove the check")
  public var allowsKeyedCoding: Bool { true }

  /// Unavailable; the message names the replacement.
  @available(*, unavailable, message: "an archive does not store it")
  public var systemVersion: UInt32 { 0 }

  /// Unavailable; the message names the replacement.
  /// - Parameter name: The class name in archives.
  /// - Returns: Nothing, because no program can call it.
  @available(*, unavailable, message: "a keyed archive has no versions of classes: encode one with a key")
  public func version(forClassName name: String) -> Int { 0 }
}
