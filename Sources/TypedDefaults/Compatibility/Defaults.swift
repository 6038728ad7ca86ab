// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A key with a value for it, which is put into stores and read from them.
///
/// ```swift
/// let launches = Defaults(key: "launches", value: 1)
/// launches.set(with: store)
/// launches.value(with: store)  // 1
/// ```
public struct Defaults<Value: Codable & Sendable>: Sendable {
  /// The key.
  public let key: String
  /// The value that is put in.
  public var value: Value
  private let conversion: DefaultsConversion<Value>

  /// A key with a value, which is stored as a property-list object unless another conversion is given.
  public init(key: String, value: Value, conversion: DefaultsConversion<Value>? = nil) {
    self.key = key
    self.value = value
    self.conversion = conversion ?? .objects()
  }

  /// The key by itself.
  public var defaultsKey: DefaultsKey<Value?> { DefaultsKey(key, conversion: conversion, policy: .useDefault) }

  /// Puts the value into a store. What goes wrong is told to the store's reports; ``store(in:)`` throws it.
  public func set(with store: any DefaultsStore) { store[defaultsKey] = value }

  /// The value in a store; nil if there is none, or something else, of which the store's reports tell.
  public func value(with store: any DefaultsStore) -> Value? { store[defaultsKey] }

  /// Puts the value into a store.
  /// - Throws: ``DefaultsError`` if it cannot be encoded or stored.
  public func store(in store: any DefaultsStore) throws { try store.set(value, for: defaultsKey) }

  /// The value in a store; nil if there is none.
  /// - Throws: ``DefaultsError`` if there is something else.
  public func load(from store: any DefaultsStore) throws -> Value? { try store.storedValue(for: defaultsKey) ?? nil }
}
