// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The documentation leaves out what is unavailable, so these declarations have no comments:
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Calls of Apple's encoders without a counterpart of the same form. The compiler's message names the replacement.

extension KeyedArchiver {
  @available(*, unavailable, message: "write try KeyedArchiver.archive(object, to: url, requiringSecureCoding: true)")
  public static func archiveRootObject(_ object: Any, toFile path: String) -> Bool { false }

  @available(
    *, unavailable,
    message: "write try KeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)"
  )
  public static func archivedData(withRootObject object: Any) -> Data { Data() }

  @available(
    *, unavailable,
    message: """
      encode a Codable value with KeyedArchiveEncoder, or adopt KeyedCoding, KeyedCodable or FoundationCoding; encode \
      an image as Data, NSString as String, NSArray as [T]
      """
  )
  @_disfavoredOverload
  public static func archivedData(
    withRootObject object: Any?, requiringSecureCoding requiresSecureCoding: Bool
  ) throws -> Data { Data() }

  @available(
    *, unavailable,
    message: "write KeyedArchiver(requiringSecureCoding: true), and read encodedData at the end"
  )
  public convenience init(forWritingWith data: Any) { self.init(requiringSecureCoding: false) }

  @available(*, unavailable, message: "write KeyedArchiver(requiringSecureCoding: true)")
  public convenience init() { self.init(requiringSecureCoding: false) }

  @available(
    *, unavailable,
    message: "nothing is global: declare archiveClassName, or call setClassName on an archiver"
  )
  public static func setClassName(_ name: String?, for type: Any.Type) {}

  @available(*, unavailable, message: "nothing is global: read archiveClassName of the type")
  public static func className(for type: Any.Type) -> String? { nil }

  @available(*, unavailable, renamed: "className(for:)")
  public func classNameForClass(_ type: Any.Type) -> String? { nil }

  @available(*, unavailable, message: "the type must adopt KeyedCoding, or KeyedCodable if it is Codable")
  @_disfavoredOverload
  public func setClassName(_ name: String?, for type: Any.Type) {}
}

// With keys.
extension KeyedArchiver {
  @available(
    *, unavailable,
    message: "write encodeAny(_:forKey:) of ArchivedClasses, or an ArchivedDictionary of [String: any KeyedCoding]"
  )
  @_disfavoredOverload
  public func encode(_ values: [String: Any], forKey key: String) {}

  @available(
    *, unavailable, message: "write encodeAny(_:forKey:) of ArchivedClasses, or an ArchivedArray([any KeyedCoding])"
  )
  @_disfavoredOverload
  public func encode(_ values: [Any], forKey key: String) {}

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data, or call encodeFoundationObject"
  )
  @_disfavoredOverload
  public func encode(_ value: Any?, forKey key: String) {}

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data, or call encodeFoundationObject"
  )
  @_disfavoredOverload
  public func encodeObject(_ value: Any?, forKey key: String) {}

  @available(*, unavailable, message: "a conditional reference needs an instance of a class that adopts KeyedCoding")
  @_disfavoredOverload
  public func encodeConditionalObject(_ object: Any?, forKey key: String) {}

  @available(*, unavailable, renamed: "encode(_:forKey:)")
  public func encodeCInt(_ value: Int32, forKey key: String) {}

  @available(
    *, unavailable,
    message: "write encode(_:forKey:) of a value whose type adopts KeyedCoding, or encodeEncodable(_:forKey:)"
  )
  public func encodePropertyList(_ value: Any, forKey key: String) {}

  @available(*, unavailable, message: "write encodeBytes(Data(bytes: bytes, count: length), forKey: key)")
  public func encodeBytes(_ bytes: Any?, length: Int, forKey key: String) {}
}

// Without keys.
extension KeyedArchiver {
  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; encode an image as Data, NSString as String, NSArray as [T]"
  )
  @_disfavoredOverload
  public func encode(_ object: Any?) {}

  @available(*, unavailable, message: "a conditional reference needs an instance of a class that adopts KeyedCoding")
  @_disfavoredOverload
  public func encodeConditionalObject(_ object: Any?) {}

  @available(*, unavailable, message: "write encode(object); in a keyed archive both store the same")
  public func encodeRootObject(_ object: Any) {}

  @available(*, unavailable, message: "write encode(object); it is for distributed objects, and stores the same")
  public func encodeBycopyObject(_ object: Any?) {}

  @available(*, unavailable, message: "write encode(object); it is for distributed objects, and stores the same")
  public func encodeByrefObject(_ object: Any?) {}

  @available(*, unavailable, message: "write encode(_:) of a value whose type adopts KeyedCoding")
  public func encodePropertyList(_ value: Any) {}

  @available(*, unavailable, message: "write encode(Data(bytes: bytes, count: length))")
  public func encodeBytes(_ bytes: Any?, length: Int) {}

  @available(*, unavailable, message: "name a key: encode(value, forKey: key)")
  public func encodeValue<Value>(ofObjCType itemType: Any, at address: inout Value) {}

  @available(*, unavailable, message: "name a key: encode(value, forKey: key)")
  @_disfavoredOverload
  public func encodeValue(ofObjCType itemType: Any, at address: Any) {}

  @available(*, unavailable, message: "name a key: encode(array, forKey: key)")
  public func encodeArray<Value>(ofObjCType itemType: Any, count: Int, at address: inout Value) {}

  @available(*, unavailable, message: "name a key: encode(array, forKey: key)")
  @_disfavoredOverload
  public func encodeArray(ofObjCType itemType: Any, count: Int, at address: Any) {}
}

// Properties.
extension KeyedArchiver {
  @available(*, unavailable, message: "always true: remove the check")
  public var allowsKeyedCoding: Bool { true }

  @available(*, unavailable, message: "an archive does not store it")
  public var systemVersion: UInt32 { 0 }

  @available(*, unavailable, message: "a keyed archive has no versions of classes: encode one with a key")
  public func version(forClassName name: String) -> Int { 0 }
}
