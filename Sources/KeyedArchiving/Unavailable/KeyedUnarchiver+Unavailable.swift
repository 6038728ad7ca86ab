// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// The documentation leaves out what is unavailable, so these declarations have no comments:
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Calls of Apple's decoders without a counterpart of the same form. The compiler's message names the replacement.
//
// A result whose type this module cannot name has two declarations: one for uses where the context names a type, and one
// for others. Otherwise the compiler would report the type in place of the message.

extension KeyedUnarchiver {
  @available(
    *, unavailable,
    message: "name the type: try KeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)"
  )
  public static func unarchiveObject(with data: Data) -> Any? { nil }

  @available(
    *, unavailable,
    message: "name the type: try KeyedUnarchiver(contentsOf: url).decodeTopLevelObject(of: T.self, forKey: \"root\")"
  )
  public static func unarchiveObject(withFile path: String) -> Any? { nil }

  @available(*, unavailable, message: "name the classes: unarchiveTopLevelObjectWithData(data, classes: [T.self])")
  public static func unarchiveTopLevelObjectWithData(_ data: Data) throws -> Any? { nil }

  @available(
    *, unavailable,
    message: """
      decode a Codable type with KeyedArchiveDecoder, or adopt KeyedCoding, KeyedCodable or FoundationCoding; write \
      String for NSString, Int for NSNumber, [T] for NSArray
      """
  )
  @_disfavoredOverload
  public static func unarchivedObject<Value>(ofClass type: Value.Type, from data: Data) throws -> Value? { nil }

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, or unarchivedFoundationObject"
  )
  @_disfavoredOverload
  public static func unarchivedObject(ofClasses types: [Any.Type], from data: Data) throws -> Any? { nil }

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, Int for NSNumber, [T] for NSArray"
  )
  @_disfavoredOverload
  public static func unarchivedArrayOfObjects<Value>(
    ofClass type: Value.Type, from data: Data
  ) throws -> [Value]? { nil }

  @available(*, unavailable, renamed: "init(forReadingFrom:)", message: "then set requiresSecureCoding to false")
  public convenience init(forReadingWith data: Data) throws { try self.init(forReadingFrom: data) }

  @available(*, unavailable, message: "an unarchiver needs an archive: KeyedUnarchiver(forReadingFrom: data)")
  public convenience init() throws { try self.init(forReadingFrom: Data()) }

  @available(
    *, unavailable,
    message: "nothing is global: declare archiveClassAliases, or call setClass on an unarchiver"
  )
  public static func setClass(_ type: Any.Type?, forClassName name: String) {}

  @available(
    *, unavailable,
    message: "no class is looked up by its name; setClass(_:forClassName:) of an unarchiver maps a name"
  )
  public static func `class`(forClassName name: String) -> AnyClass? { nil }

  @available(*, unavailable, message: "the type must adopt KeyedCoding, or KeyedCodable if it is Codable")
  @_disfavoredOverload
  public func setClass(_ type: Any.Type?, forClassName name: String) {}
}

// With keys.
extension KeyedUnarchiver {
  @available(
    *, unavailable,
    message: "name the type: decodeObject(of: T.self, forKey: key), or try decode(T.self, forKey: key) in place of as!"
  )
  public func decodeObject(forKey key: String) -> Any? { nil }

  @available(*, unavailable, message: "name the type: decodeTopLevelObject(of: T.self, forKey: key)")
  public func decodeTopLevelObject(forKey key: String) throws -> Any? { nil }

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, Int for NSNumber, [T] for NSArray"
  )
  @_disfavoredOverload
  public func decodeObject<Value>(of type: Value.Type, forKey key: String) -> Value? { nil }

  @available(
    *, unavailable,
    message: "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, or decodeFoundationObject"
  )
  @_disfavoredOverload
  public func decodeObject(of types: [Any.Type]?, forKey key: String) -> Any? { nil }

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, Int for NSNumber, [T] for NSArray"
  )
  @_disfavoredOverload
  public func decode<Value>(_ type: Value.Type, forKey key: String) throws -> Value {
    throw KeyedArchiveError(.reportedByClass, "")
  }

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, Int for NSNumber, [T] for NSArray"
  )
  @_disfavoredOverload
  public func decodeTopLevelObject<Value>(of type: Value.Type, forKey key: String) throws -> Value? { nil }

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, Int for NSNumber, [T] for NSArray"
  )
  @_disfavoredOverload
  public func decodeTopLevelObject(of types: [Any.Type]?, forKey key: String) throws -> Any? { nil }

  @available(
    *, unavailable,
    message:
      "adopt KeyedCoding, KeyedCodable or FoundationCoding; write String for NSString, Int for NSNumber, [T] for NSArray"
  )
  @_disfavoredOverload
  public func decodeArrayOfObjects<Value>(ofClass type: Value.Type, forKey key: String) -> [Value]? { nil }

  @available(*, unavailable, renamed: "decodeInt32(forKey:)")
  public func decodeCInt(forKey key: String) -> Int32 { 0 }

  @available(*, unavailable, message: "write decodeBytes(forKey: key), which returns Data with its count")
  public func decodeBytes(forKey key: String, returnedLength length: inout Int) -> Data? { nil }

  @available(*, unavailable, message: "write decodeBytes(forKey: key), which returns Data with its count")
  @_disfavoredOverload
  public func decodeBytes(forKey key: String, returnedLength length: Any?) -> Data? { nil }

  @available(*, unavailable, message: "write decodeBytes(forKey: key), which returns Data")
  public func withDecodedUnsafeBufferPointer<Result>(
    forKey key: String, body: (Data?) throws -> Result
  ) rethrows -> Result { try body(nil) }

  @available(*, unavailable, message: "write decodeBytes(forKey: key), which returns Data")
  public func withDecodedUnsafeBytes<Result>(
    forKey key: String, body: (Data?) throws -> Result
  ) rethrows -> Result { try body(nil) }
}

// Without keys.
extension KeyedUnarchiver {
  @available(*, unavailable, message: "name the type: decodeObject(of: T.self)")
  public func decodeObject() -> Any? { nil }

  @available(*, unavailable, message: "name the type: decodeObject(of: T.self); errors are in the property error")
  public func decodeTopLevelObject() throws -> Any? { nil }

  @available(*, unavailable, message: "write decodeObject(of: Data.self)")
  public func decodeData() -> Data? { nil }

  @available(
    *, unavailable,
    message: "name the types: decodeObject(of: [ArchivedArray.self, ArchivedDictionary.self, String.self])"
  )
  public func decodePropertyList() -> Any? { nil }

  @available(*, unavailable, message: "write decodeObject(of: Data.self), which returns Data with its count")
  public func decodeBytes(withReturnedLength length: inout Int) -> Data? { nil }

  @available(*, unavailable, message: "write decodeObject(of: Data.self), which returns Data with its count")
  @_disfavoredOverload
  public func decodeBytes(withReturnedLength length: Any?) -> Data? { nil }

  @available(*, unavailable, message: "write decodeObject(of: Data.self), and check its count")
  public func decodeBytes(withMinimumLength length: Int) -> Data? { nil }

  @available(
    *, unavailable,
    message: "name a key: decodeInteger(forKey: key), or decodeObject(of: T.self, forKey: key)"
  )
  public func decodeValue<Value>(ofObjCType itemType: Any, at address: inout Value) {}

  @available(
    *, unavailable,
    message: "name a key: decodeInteger(forKey: key), or decodeObject(of: T.self, forKey: key)"
  )
  @_disfavoredOverload
  public func decodeValue(ofObjCType itemType: Any, at address: Any?) {}

  @available(
    *, unavailable,
    message: "name a key: decodeInteger(forKey: key), or decodeObject(of: T.self, forKey: key)"
  )
  public func decodeValue<Value>(ofObjCType itemType: Any, at address: inout Value, size: Int) {}

  @available(
    *, unavailable,
    message: "name a key: decodeInteger(forKey: key), or decodeObject(of: T.self, forKey: key)"
  )
  @_disfavoredOverload
  public func decodeValue(ofObjCType itemType: Any, at address: Any?, size: Int) {}

  @available(*, unavailable, message: "name a key and a type: decodeArrayOfObjects(ofClass: T.self, forKey: key)")
  public func decodeArray<Value>(ofObjCType itemType: Any, count: Int, at address: inout Value) {}

  @available(*, unavailable, message: "name a key and a type: decodeArrayOfObjects(ofClass: T.self, forKey: key)")
  @_disfavoredOverload
  public func decodeArray(ofObjCType itemType: Any, count: Int, at address: Any?) {}
}

// Geometry and times.
extension KeyedUnarchiver {
  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodePoint(forKey: key), which returns an ArchivedPoint"
  )
  public func decodeCGPoint(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodePoint(forKey: key), which returns an ArchivedPoint"
  )
  @_disfavoredOverload
  public func decodeCGPoint<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeSize(forKey: key), which returns an ArchivedSize"
  )
  public func decodeCGSize(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeSize(forKey: key), which returns an ArchivedSize"
  )
  @_disfavoredOverload
  public func decodeCGSize<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeRect(forKey: key), which returns an ArchivedRect"
  )
  public func decodeCGRect(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeRect(forKey: key), which returns an ArchivedRect"
  )
  @_disfavoredOverload
  public func decodeCGRect<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodePoint(forKey: key), which returns an ArchivedPoint"
  )
  public func decodeCGVector(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodePoint(forKey: key), which returns an ArchivedPoint"
  )
  @_disfavoredOverload
  public func decodeCGVector<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeTransform(forKey: key), which returns a CoordinateTransform"
  )
  public func decodeCGAffineTransform(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeTransform(forKey: key), which returns a CoordinateTransform"
  )
  @_disfavoredOverload
  public func decodeCGAffineTransform<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeEdgeInsets(forKey: key), which returns an ArchivedEdgeInsets"
  )
  public func decodeUIEdgeInsets(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeEdgeInsets(forKey: key), which returns an ArchivedEdgeInsets"
  )
  @_disfavoredOverload
  public func decodeUIEdgeInsets<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodePoint(forKey: key), which returns an ArchivedPoint"
  )
  public func decodeUIOffset(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodePoint(forKey: key), which returns an ArchivedPoint"
  )
  @_disfavoredOverload
  public func decodeUIOffset<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeEdgeInsets(forKey: key), which returns an ArchivedEdgeInsets"
  )
  public func decodeDirectionalEdgeInsets(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "import ArchivedClasses and write decodeEdgeInsets(forKey: key), which returns an ArchivedEdgeInsets"
  )
  @_disfavoredOverload
  public func decodeDirectionalEdgeInsets<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "CMTime and its form are Core Media's: encode its numbers with keys, and decode them"
  )
  public func decodeTime(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "CMTime and its form are Core Media's: encode its numbers with keys, and decode them"
  )
  @_disfavoredOverload
  public func decodeTime<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "CMTimeRange and its form are Core Media's: encode its numbers with keys, and decode them"
  )
  public func decodeTimeRange(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "CMTimeRange and its form are Core Media's: encode its numbers with keys, and decode them"
  )
  @_disfavoredOverload
  public func decodeTimeRange<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(
    *, unavailable,
    message: "CMTimeMapping and its form are Core Media's: encode its numbers with keys, and decode them"
  )
  public func decodeTimeMapping(forKey key: String) -> Any { () }

  @available(
    *, unavailable,
    message: "CMTimeMapping and its form are Core Media's: encode its numbers with keys, and decode them"
  )
  @_disfavoredOverload
  public func decodeTimeMapping<Value>(forKey key: String) -> Value { preconditionFailure("unavailable") }

  @available(*, unavailable, message: "write decodeObject(of: String.self), and parse the numbers in braces")
  public func decodePoint() -> Any { () }

  @available(*, unavailable, message: "write decodeObject(of: String.self), and parse the numbers in braces")
  @_disfavoredOverload
  public func decodePoint<Value>() -> Value { preconditionFailure("unavailable") }

  @available(*, unavailable, message: "write decodeObject(of: String.self), and parse the numbers in braces")
  public func decodeSize() -> Any { () }

  @available(*, unavailable, message: "write decodeObject(of: String.self), and parse the numbers in braces")
  @_disfavoredOverload
  public func decodeSize<Value>() -> Value { preconditionFailure("unavailable") }

  @available(*, unavailable, message: "write decodeObject(of: String.self), and parse the numbers in braces")
  public func decodeRect() -> Any { () }

  @available(*, unavailable, message: "write decodeObject(of: String.self), and parse the numbers in braces")
  @_disfavoredOverload
  public func decodeRect<Value>() -> Value { preconditionFailure("unavailable") }
}

// Properties.
extension KeyedUnarchiver {
  @available(*, unavailable, message: "the requested type is the allow list; this list does not exist")
  public var allowedClasses: [Any.Type]? { nil }

  @available(*, unavailable, message: "always true: remove the check")
  public var allowsKeyedCoding: Bool { true }

  @available(*, unavailable, message: "an archive does not store it")
  public var systemVersion: UInt32 { 0 }

  @available(*, unavailable, message: "a keyed archive has no versions of classes: encode one with a key")
  public func version(forClassName name: String) -> Int { 0 }
}
