// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A key with the type of its value, how that is stored, and what it is where nothing is.
///
/// Declare keys once, as constants:
///
/// ```swift
/// extension DefaultsKey where Value == Int { static let launches = DefaultsKey("launches", default: 0) }
/// extension DefaultsKey where Value == Date? { static let lastOpened = DefaultsKey("lastOpened") }
/// try store.set(3, for: .launches)
/// let launches = try store.value(for: .launches)
/// ```
public struct DefaultsKey<Value>: Sendable {
  /// What becomes of a stored object that is no value of the type. It is never removed.
  public enum Policy: Sendable, Hashable {
    /// ``DefaultsStore/value(for:)`` throws.
    case `throw`
    /// The default value is given, and the store's reports tell.
    case useDefault
  }

  /// The key in the store.
  public let name: String
  /// What becomes of what cannot be decoded.
  public let policy: Policy
  /// How values are stored.
  public let conversion: DefaultsConversion<Value>
  private let makeDefault: @Sendable () -> Value
  let exact: BytewiseString

  /// A key with a default value, which is made anew whenever it is needed, and a conversion.
  public init(
    _ name: String, conversion: DefaultsConversion<Value>, policy: Policy = .throw,
    default makeDefault: @escaping @Sendable () -> Value
  ) {
    self.name = name
    self.policy = policy
    self.conversion = conversion
    self.makeDefault = makeDefault
    exact = BytewiseString(name)
  }

  /// What the value is where none is stored.
  public var defaultValue: Value { makeDefault() }
}

extension DefaultsKey where Value: Sendable {
  /// A key with a default value and a conversion.
  public init(
    _ name: String, default value: Value, conversion: DefaultsConversion<Value>, policy: Policy = .throw
  ) {
    self.init(name, conversion: conversion, policy: policy) { value }
  }
}

extension DefaultsKey where Value: Codable & Sendable {
  /// A key whose values are stored as property-list objects.
  public init(
    _ name: String, default value: Value, options: DefaultsCodingOptions = DefaultsCodingOptions(),
    policy: Policy = .throw
  ) {
    self.init(name, conversion: .objects(options), policy: policy) { value }
  }
}

extension DefaultsKey where Value: Codable & SendableMetatype {
  /// A key whose values are stored as property-list objects, and whose default is made anew whenever it is needed.
  public init(
    _ name: String, options: DefaultsCodingOptions = DefaultsCodingOptions(), policy: Policy = .throw,
    makingDefault: @escaping @Sendable () -> Value
  ) {
    self.init(name, conversion: .objects(options), policy: policy, default: makingDefault)
  }
}

extension DefaultsKey {
  /// A key without a default: nil where nothing is stored, and storing nil removes what is.
  public init<Wrapped: Codable & SendableMetatype>(
    _ name: String, options: DefaultsCodingOptions = DefaultsCodingOptions(), policy: Policy = .throw
  ) where Value == Wrapped? {
    self.init(name, conversion: .optional(.objects(options)), policy: policy) { nil }
  }

  /// A key without a default, by a conversion of what may be there.
  public init<Wrapped: SendableMetatype>(
    _ name: String, conversion: DefaultsConversion<Wrapped>, policy: Policy = .throw
  ) where Value == Wrapped? {
    self.init(name, conversion: .optional(conversion), policy: policy) { nil }
  }
}

extension DefaultsConversion {
  /// A conversion for optionals: nil is stored as nothing.
  public static func optional<Wrapped: SendableMetatype>(_ wrapped: DefaultsConversion<Wrapped>) -> Self
  where Value == Wrapped? {
    Self {
      try $0.flatMap { try wrapped.serialize($0) }
    } deserialize: {
      try wrapped.deserialize($0)
    }
  }
}

extension DefaultsKey {
  /// The object for a value.
  func object(_ value: Value) throws(DefaultsError) -> PropertyListValue? {
    do {
      return try conversion.serialize(value)
    } catch {
      throw DefaultsError(
        .unencodable, key: name, "the value of type \(Value.self) could not be encoded: \(DefaultsError.reason(error))",
        underlying: error)
    }
  }

  /// The value of an object; nil if there is none.
  @inline(__always)
  func decoded(_ object: PropertyListValue?) throws(DefaultsError) -> Value? {
    guard let object else { return nil }
    do {
      return try conversion.deserialize(object)
    } catch {
      throw undecodable(error)
    }
  }

  @inline(never)
  func undecodable(_ error: any Error) -> DefaultsError {
    DefaultsError(
      .undecodable, key: name, "what is stored is no \(Value.self): \(DefaultsError.reason(error))",
      remedy: "It was left as it is; look at it with rawValue(for:), or convert it by a migration", underlying: error)
  }

  /// The value of an object by the key's policy.
  @inline(__always)
  func value(_ object: PropertyListValue?, _ report: (DefaultsError) -> Void) throws(DefaultsError) -> Value {
    do {
      return try decoded(object) ?? makeDefault()
    } catch {
      guard policy == .useDefault else { throw error }
      report(error)
      return makeDefault()
    }
  }

  /// The value of an object, or the default, whatever the policy.
  @inline(__always)
  func valueOrDefault(_ object: PropertyListValue?, _ report: (DefaultsError) -> Void) -> Value {
    do {
      return try decoded(object) ?? makeDefault()
    } catch {
      report(error)
      return makeDefault()
    }
  }
}
