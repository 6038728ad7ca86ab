// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

/// A key with the type of its value, a conversion for storing it, and a default value.
///
/// Declare keys once, as constants:
///
/// ```swift
/// extension DefaultsKey where Value == Int { static let launches = DefaultsKey("launches", default: 0) }
/// extension DefaultsKey where Value == Date? { static let lastOpened = DefaultsKey("lastOpened") }
/// try store.set(3, for: .launches)
/// let launches = try store.value(for: .launches)
/// ```
///
/// Storing nil with a key of an optional type removes the stored value. With a default value, the key then has that again.
public struct DefaultsKey<Value>: Sendable {
  /// A policy for stored property-list values that cannot be decoded. With each policy they stay in the store until another
  /// value is stored.
  public enum Policy: Sendable, Hashable {
    /// ``DefaultsStore/value(for:)`` throws an error.
    case `throw`
    /// ``DefaultsStore/value(for:)`` returns the default value, and the store reports the error.
    case useDefault
  }

  /// The key in the store.
  public let name: String
  /// The policy for property-list values that cannot be decoded.
  public let policy: Policy
  /// The conversion between values and property-list values.
  public let conversion: DefaultsConversion<Value>
  private let makeDefault: @Sendable () -> Value
  let exact: BytewiseString

  /// Creates a key with a conversion and a function for its default value.
  /// - Parameters:
  ///   - name: The key in the store.
  ///   - conversion: The conversion between values and property-list values.
  ///   - policy: The policy for property-list values that cannot be decoded.
  ///   - makeDefault: A function that returns the default value. It is called each time that the value is needed.
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

  /// The value if none is stored.
  public var defaultValue: Value { makeDefault() }
}

extension DefaultsKey where Value: Sendable {
  /// Creates a key with a default value and a conversion.
  /// - Parameters:
  ///   - name: The key in the store.
  ///   - value: The default value.
  ///   - conversion: The conversion between values and property-list values.
  ///   - policy: The policy for property-list values that cannot be decoded.
  public init(
    _ name: String, default value: Value, conversion: DefaultsConversion<Value>, policy: Policy = .throw
  ) {
    self.init(name, conversion: conversion, policy: policy) { value }
  }
}

extension DefaultsKey where Value: Codable & Sendable {
  /// Creates a key with a default value, whose values are stored with ``DefaultsConversion/objects(_:)``.
  /// - Parameters:
  ///   - name: The key in the store.
  ///   - value: The default value.
  ///   - options: The forms of types that have more than one.
  ///   - policy: The policy for property-list values that cannot be decoded.
  public init(
    _ name: String, default value: Value, options: PropertyListCodingOptions = .defaults, policy: Policy = .throw
  ) {
    self.init(name, conversion: .objects(options), policy: policy) { value }
  }
}

extension DefaultsKey where Value: Codable & SendableMetatype {
  /// Creates a key with a function for its default value, whose values are stored with
  /// ``DefaultsConversion/objects(_:)``.
  /// - Parameters:
  ///   - name: The key in the store.
  ///   - options: The forms of types that have more than one.
  ///   - policy: The policy for property-list values that cannot be decoded.
  ///   - makingDefault: A function that returns the default value. It is called each time that the value is needed.
  public init(
    _ name: String, options: PropertyListCodingOptions = .defaults, policy: Policy = .throw,
    makingDefault: @escaping @Sendable () -> Value
  ) {
    self.init(name, conversion: .objects(options), policy: policy, default: makingDefault)
  }
}

extension DefaultsKey {
  /// Creates a key without a default value: its value is nil if none is stored, and storing nil removes the value.
  /// - Parameters:
  ///   - name: The key in the store.
  ///   - options: The forms of types that have more than one.
  ///   - policy: The policy for property-list values that cannot be decoded.
  public init<Wrapped: Codable & SendableMetatype>(
    _ name: String, options: PropertyListCodingOptions = .defaults, policy: Policy = .throw
  ) where Value == Wrapped? {
    self.init(name, conversion: .objects(options), policy: policy)
  }

  /// Creates a key without a default value, but with a conversion.
  /// - Parameters:
  ///   - name: The key in the store.
  ///   - conversion: The conversion of values that are not nil.
  ///   - policy: The policy for property-list values that cannot be decoded.
  public init<Wrapped: SendableMetatype>(
    _ name: String, conversion: DefaultsConversion<Wrapped>, policy: Policy = .throw
  ) where Value == Wrapped? {
    self.init(name, conversion: .optional(conversion), policy: policy) { nil }
  }
}

extension DefaultsKey {
  /// Returns the property-list value to store for a value.
  package func object(_ value: Value) throws(DefaultsError) -> PropertyListValue? {
    do {
      return try conversion.serialize(value)
    } catch {
      throw DefaultsError(
        .unencodable, key: name, "the value of type \(Value.self) cannot be encoded: \(DefaultsError.reason(error))",
        underlying: error)
    }
  }

  /// Decodes a stored property-list value.
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
      .undecodable, key: name, "the stored value is not a \(Value.self): \(DefaultsError.reason(error))",
      remedy: "It is unchanged; read it with rawValue(for:), or convert it with a migration", underlying: error)
  }

  /// Decodes a stored property-list value, and returns the default value if that fails.
  @inline(__always)
  package func valueOrDefault(_ object: PropertyListValue?, _ report: (DefaultsError) -> Void) -> Value {
    do {
      return try decoded(object) ?? makeDefault()
    } catch {
      report(error)
      return makeDefault()
    }
  }
}
