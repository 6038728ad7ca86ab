// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Calls of Apple's coders that have no counterpart of their name: the compiler says what to write in their place.

extension KeyedUnarchiver {
  /// See the message.
  @available(*, unavailable, message: "name the type: KeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)")
  public static func unarchiveObject(with data: Data) -> Any? { nil }

  /// See the message.
  @available(
    *, unavailable,
    message: "name the type: KeyedUnarchiver(contentsOf: url).decodeTopLevelObject(of: T.self, forKey: \"root\")"
  )
  public static func unarchiveObject(withFile path: String) -> Any? { nil }

  /// See the message.
  @available(*, unavailable, message: "name the classes: unarchiveTopLevelObjectWithData(data, classes: [T.self])")
  public static func unarchiveTopLevelObjectWithData(_ data: Data) throws -> Any? { nil }

  /// See the message.
  @available(*, unavailable, renamed: "init(forReadingFrom:)", message: "then set requiresSecureCoding to false")
  public convenience init(forReadingWith data: Data) throws { try self.init(forReadingFrom: data) }

  /// See the message.
  @available(*, unavailable, message: "nothing is global: declare archiveClassAliases, or call setClass on a decoder")
  public static func setClass(_ type: AnyClass?, forClassName name: String) {}

  /// See the message.
  @available(*, unavailable, message: "name the type: decodeObject(of: T.self, forKey: key)")
  public func decodeObject(forKey key: String) -> Any? { nil }

  /// See the message.
  @available(*, unavailable, message: "name the type: decodeTopLevelObject(of: T.self, forKey: key)")
  public func decodeTopLevelObject(forKey key: String) throws -> Any? { nil }
}

extension KeyedArchiver {
  /// See the message.
  @available(*, unavailable, message: "use KeyedArchiver.archive(object, to: url, requiringSecureCoding: false)")
  public static func archiveRootObject(_ object: Any, toFile path: String) -> Bool { false }

  /// See the message.
  @available(*, unavailable, message: "use archivedData(withRootObject: object, requiringSecureCoding: false)")
  public static func archivedData(withRootObject object: Any) -> Data { Data() }

  /// See the message.
  @available(*, unavailable, message: "use encode(_:); in a keyed archive they are the same")
  public func encodeRootObject(_ object: Any) {}

  /// See the message.
  @available(*, unavailable, message: "use init(requiringSecureCoding:), and read encodedData at the end")
  public convenience init(forWritingWith data: Any) { self.init(requiringSecureCoding: false) }

  /// See the message.
  @available(
    *, unavailable, message: "nothing is global: declare archiveClassName, or call setClassName on an archiver"
  )
  public static func setClassName(_ name: String?, for type: AnyClass) {}

  /// See the message.
  @available(
    *, unavailable,
    message: "values of any type cannot be archived: use [String: any KeyedCoding] in an ArchivedDictionary"
  )
  @_disfavoredOverload
  public func encode(_ values: [String: Any], forKey key: String) {}

  /// See the message.
  @available(*, unavailable, message: "values of any type cannot be archived: use ArchivedArray([any KeyedCoding])")
  @_disfavoredOverload
  public func encode(_ values: [Any], forKey key: String) {}
}
