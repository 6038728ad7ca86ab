// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A key with a value to store in, and load from, any store.
///
/// ```swift
/// let launches = Defaults(key: "launches", value: 1)
/// launches.set(with: store)
/// launches.value(with: store)  // 1
/// ```
public struct Defaults<Value: Codable & Sendable>: Sendable {
  /// The key.
  public let key: String
  /// The value to store.
  public var value: Value
  private let conversion: DefaultsConversion<Value>

  /// Creates a key with a value.
  /// - Parameters:
  ///   - key: The key.
  ///   - value: The value to store.
  ///   - conversion: The conversion. The default is ``DefaultsConversion/objects(_:)``.
  public init(key: String, value: Value, conversion: DefaultsConversion<Value>? = nil) {
    self.key = key
    self.value = value
    self.conversion = conversion ?? .objects()
  }

  /// The key as a ``DefaultsKey`` of an optional value.
  public var defaultsKey: DefaultsKey<Value?> { DefaultsKey(key, conversion: conversion, policy: .useDefault) }

  /// Stores the value. The store reports errors; ``store(in:)`` throws them.
  /// - Parameter store: The store.
  public func set(with store: any DefaultsStore) { store[defaultsKey] = value }

  /// Returns the value in a store. The store reports errors; ``load(from:)`` throws them.
  /// - Parameter store: The store.
  /// - Returns: The value, or nil if none is stored or it cannot be decoded.
  public func value(with store: any DefaultsStore) -> Value? { store[defaultsKey] }

  /// Stores the value.
  /// - Parameter store: The store.
  /// - Throws: ``DefaultsError`` if the value cannot be encoded or stored.
  public func store(in store: any DefaultsStore) throws { try store.set(value, for: defaultsKey) }

  /// Returns the value in a store.
  /// - Parameter store: The store.
  /// - Returns: The value, or nil if none is stored.
  /// - Throws: ``DefaultsError`` if the stored value cannot be decoded.
  public func load(from store: any DefaultsStore) throws -> Value? { try store.storedValue(for: defaultsKey) ?? nil }
}
