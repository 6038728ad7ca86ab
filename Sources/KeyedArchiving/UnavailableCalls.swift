// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Calls of Apple's coders without a counterpart of the same name. The compiler's message names the replacement.

extension KeyedUnarchiver {
  /// Unavailable; the message names the replacement.
  /// - Parameter data: The archive.
  /// - Returns: Nil.
  @available(*, unavailable, message: "name the type: KeyedUnarchiver.unarchivedObject(ofClass: T.self, from: data)")
  public static func unarchiveObject(with data: Data) -> Any? { nil }

  /// Unavailable; the message names the replacement.
  /// - Parameter path: The path of the archive.
  /// - Returns: Nil.
  @available(
    *, unavailable,
    message: "name the type: KeyedUnarchiver(contentsOf: url).decodeTopLevelObject(of: T.self, forKey: \"root\")"
  )
  public static func unarchiveObject(withFile path: String) -> Any? { nil }

  /// Unavailable; the message names the replacement.
  /// - Parameter data: The archive.
  /// - Returns: Nil.
  /// - Throws: No error.
  @available(*, unavailable, message: "name the classes: unarchiveTopLevelObjectWithData(data, classes: [T.self])")
  public static func unarchiveTopLevelObjectWithData(_ data: Data) throws -> Any? { nil }

  /// Unavailable; the message names the replacement.
  /// - Parameter data: The archive.
  /// - Throws: The errors of ``KeyedUnarchiver/init(forReadingFrom:limits:archivers:)``.
  @available(*, unavailable, renamed: "init(forReadingFrom:)", message: "then set requiresSecureCoding to false")
  public convenience init(forReadingWith data: Data) throws { try self.init(forReadingFrom: data) }

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - type: A class.
  ///   - name: The archived class name that it should match.
  @available(*, unavailable, message: "nothing is global: declare archiveClassAliases, or call setClass on a decoder")
  public static func setClass(_ type: AnyClass?, forClassName name: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter key: The key of the object.
  /// - Returns: Nil.
  @available(*, unavailable, message: "name the type: decodeObject(of: T.self, forKey: key)")
  public func decodeObject(forKey key: String) -> Any? { nil }

  /// Unavailable; the message names the replacement.
  /// - Parameter key: The top-level key.
  /// - Returns: Nil.
  /// - Throws: No error.
  @available(*, unavailable, message: "name the type: decodeTopLevelObject(of: T.self, forKey: key)")
  public func decodeTopLevelObject(forKey key: String) throws -> Any? { nil }
}

extension KeyedArchiver {
  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - object: The root object.
  ///   - path: The path of the archive to write.
  /// - Returns: `false`.
  @available(*, unavailable, message: "use KeyedArchiver.archive(object, to: url, requiringSecureCoding: false)")
  public static func archiveRootObject(_ object: Any, toFile path: String) -> Bool { false }

  /// Unavailable; the message names the replacement.
  /// - Parameter object: The root object.
  /// - Returns: Empty data.
  @available(*, unavailable, message: "use archivedData(withRootObject: object, requiringSecureCoding: false)")
  public static func archivedData(withRootObject object: Any) -> Data { Data() }

  /// Unavailable; the message names the replacement.
  /// - Parameter object: The root object.
  @available(*, unavailable, message: "use encode(_:); in a keyed archive they are the same")
  public func encodeRootObject(_ object: Any) {}

  /// Unavailable; the message names the replacement.
  /// - Parameter data: The mutable data that would receive the archive.
  @available(*, unavailable, message: "use init(requiringSecureCoding:), and read encodedData at the end")
  public convenience init(forWritingWith data: Any) { self.init(requiringSecureCoding: false) }

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - name: The archived class name, or nil for the default.
  ///   - type: A class.
  @available(
    *, unavailable, message: "nothing is global: declare archiveClassName, or call setClassName on an archiver"
  )
  public static func setClassName(_ name: String?, for type: AnyClass) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - values: The values.
  ///   - key: The key of the collection.
  @available(
    *, unavailable,
    message: "values of any type cannot be archived: use [String: any KeyedCoding] in an ArchivedDictionary"
  )
  @_disfavoredOverload
  public func encode(_ values: [String: Any], forKey key: String) {}

  /// Unavailable; the message names the replacement.
  /// - Parameters:
  ///   - values: The values.
  ///   - key: The key of the collection.
  @available(*, unavailable, message: "values of any type cannot be archived: use ArchivedArray([any KeyedCoding])")
  @_disfavoredOverload
  public func encode(_ values: [Any], forKey key: String) {}
}
