// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import PropertyListFormat

// `UserDefaults` is a class of full Foundation. This module imports that on Apple's systems only, so the module
// `TypedDefaultsFoundation` implements the protocols on others. What both have in common is in this file.

/// The methods of `UserDefaults` that a store calls.
package protocol UserDefaultsCalls {
  func object(forKey key: String) -> Any?
  func set(_ object: Any?, forKey key: String)
  func removeObject(forKey key: String)
  func persistentDomain(forName domain: String) -> [String: Any]?
  func volatileDomain(forName domain: String) -> [String: Any]
  func synchronize() -> Bool
}

extension UserDefaultsCalls {
  /// The object of a key without a stored one.
  ///
  /// `object(forKey:)` looks at launch arguments first. Foundation on other systems than Apple's does not tell the registered
  /// default that an argument hides.
  fileprivate func unstoredObject(forKey key: String) -> Any? {
    guard volatileDomain(forName: "NSArgumentDomain")[key] != nil else { return object(forKey: key) }
    return persistentDomain(forName: "NSGlobalDomain")?[key] ?? volatileDomain(forName: "NSRegistrationDomain")[key]
  }
}

/// A `UserDefaults` that several threads can use, with its conversion of values.
package protocol SystemDefaults: AnyObject, Sendable {
  /// Whether changes are in a file only after `synchronize()`.
  var needsSynchronizing: Bool { get }

  func withLock<Result>(_ body: (any UserDefaultsCalls) throws -> Result) rethrows -> Result

  /// Calls a function after each change by this process, if the system announces them. Releasing the result ends that.
  func observe(_ body: @escaping @Sendable () -> Void) -> (any Sendable)?

  /// Returns the value of one of Foundation's numbers, or nil for other objects.
  static func number(_ object: Any) -> PropertyListValue?

  /// Returns the object for a Boolean, a number of at most 64 bits or a date, or nil for other values.
  static func object(for value: PropertyListValue) -> Any?
}

extension SystemDefaults {
  /// Returns the value of a launch argument for a key, or else that which is stored or registered as its default.
  func value(for key: String) -> PropertyListValue? {
    withLock { $0.object(forKey: key).flatMap(Self.value(of:)) }
  }

  /// Returns the value of a key without a stored one, such as its registered default, but not that of a launch argument.
  func unstoredValue(for key: String) -> PropertyListValue? {
    withLock { $0.unstoredObject(forKey: key).flatMap(Self.value(of:)) }
  }

  /// Stores objects, and removes those that are nil.
  func set(_ objects: [(key: String, object: Any?)]) {
    withLock { defaults in
      for (key, object) in objects {
        if let object { defaults.set(object, forKey: key) } else { defaults.removeObject(forKey: key) }
      }
    }
  }

  /// Returns the objects that a domain has for keys; nil for a key that has only a registered default.
  func objects(in domain: String, for keys: [String]) -> [(key: String, object: Any?)] {
    withLock { defaults in
      let stored = defaults.persistentDomain(forName: domain) ?? [:]
      return keys.map { ($0, stored[$0]) }
    }
  }

  /// Returns the values that `UserDefaults` has for those of the keys that a domain lacks, such as registered defaults.
  func unstoredValues(in domain: String, for keys: [String]) -> [(key: String, value: PropertyListValue?)] {
    withLock { defaults in
      let stored = defaults.persistentDomain(forName: domain) ?? [:]
      return keys.filter { stored[$0] == nil }.map {
        ($0, defaults.unstoredObject(forKey: $0).flatMap(Self.value(of:)))
      }
    }
  }

  /// Returns the values of a domain.
  func values(in domain: String) -> PropertyListDictionary {
    PropertyListDictionary(
      (withLock { $0.persistentDomain(forName: domain) } ?? [:]).compactMap { key, object in
        Self.value(of: object).map { (key, $0) }
      })
  }

  /// Returns the value of an object of Foundation, or nil if a property list cannot hold it.
  ///
  /// A `Float` becomes a double, because the files of `UserDefaults` do not keep the difference on all platforms.
  /// Otherwise the value would change as soon as the file is read again.
  package static func value(of object: Any) -> PropertyListValue? {
    PropertyListValue(plain: object) { object in
      // In collections, Foundation returns some numbers as Swift's types.
      if type(of: object) == Float.self, let value = object as? Float { return .double(Double(value)) }
      return number(object)
    }
  }

  /// Returns the object of Foundation that `UserDefaults` can hold for a value, and keeps in its files.
  /// - Parameters:
  ///   - value: The value.
  ///   - key: The key of the error.
  ///   - levels: The number of levels of containers that the value may have. The files of `UserDefaults` have one more.
  ///     Foundation reads no file with more levels, so that one value would make it lose all values of the file.
  /// - Returns: The object.
  /// - Throws: `DefaultsError` for UIDs, integers of more than 64 bits, keys with too many combining marks, and values that
  ///   nest too deep. On systems other than Apple's also for dates that are infinite or not a number.
  package static func object(
    for value: PropertyListValue, _ key: String, levels: Int = ReadLimits().maximumDepth - 1
  ) throws -> Any {
    switch value {
    case .boolean, .integer, .wideInteger, .float, .double, .date:
      if let object = object(for: value) { return object }
    case .data(let value): return value
    case .string(let value): return value
    case .uid: break
    case .array(let elements):
      try check(levels, key)
      return try elements.map { try object(for: $0, key, levels: levels - 1) }
    case .dictionary(let entries):
      try check(levels, key)
      if let unhashable = value.unhashableKey {
        throw DefaultsError(.unencodable, key: key, MarkRun.problem(unhashable))
      }
      var objects: [String: Any] = [:]
      for entry in entries { objects[entry.key] = try object(for: entry.value, key, levels: levels - 1) }
      return objects
    }
    throw DefaultsError(
      .unencodable, key: key, "unsupported value: UserDefaults cannot hold \(value)", remedy: "Use a FileStore")
  }

  private static func check(_ levels: Int, _ key: String) throws {
    guard levels <= 0 else { return }
    throw DefaultsError(
      .unencodable, key: key,
      "nesting limit reached: UserDefaults holds at most \(ReadLimits().maximumDepth - 1) levels of arrays and dictionaries",
      remedy: "Encode the value as data, and store that")
  }
}

/// The conversions of `NSNumber` that ``PropertyListValue/init(_:)`` needs.
package protocol FoundationNumber {
  /// Whether the number is one of Foundation's two Boolean objects. Their type encoding can be that of `Int8`.
  var isBoolean: Bool { get }
  /// The type encoding of the number.
  var kind: Character { get }
  var boolValue: Bool { get }
  var doubleValue: Double { get }
  var uint64Value: UInt64 { get }
  var int64Value: Int64 { get }
}

extension PropertyListValue {
  package init(_ number: any FoundationNumber) {
    if number.isBoolean {
      self = .boolean(number.boolValue)
      return
    }
    switch number.kind {
    case "d", "f": self = .double(number.doubleValue)
    case "Q", "L", "I", "S", "C": self = PropertyListValue(number.uint64Value)
    default: self = .integer(number.int64Value)
    }
  }
}

#if canImport(Darwin)
  extension SharedDefaults: SystemDefaults {
    package var needsSynchronizing: Bool { false }

    package func observe(_ body: @escaping @Sendable () -> Void) -> (any Sendable)? { Announcements(body) }

    package static func number(_ object: Any) -> PropertyListValue? {
      guard let number = object as? NSNumber, type(of: object) is NSNumber.Type else { return nil }
      return PropertyListValue(number)
    }

    package static func object(for value: PropertyListValue) -> Any? {
      switch value {
      case .boolean(let value): NSNumber(value: value)
      case .integer(let value): NSNumber(value: value)
      case .wideInteger(let high, let low): high == 0 ? NSNumber(value: low) : nil
      case .float(let value): NSNumber(value: value)
      case .double(let value): NSNumber(value: value)
      case .date(let value): value
      default: nil
      }
    }
  }

  extension UserDefaults: UserDefaultsCalls {}

  extension NSNumber: FoundationNumber {
    package var isBoolean: Bool { self === NSNumber(value: true) || self === NSNumber(value: false) }
  }
#endif
