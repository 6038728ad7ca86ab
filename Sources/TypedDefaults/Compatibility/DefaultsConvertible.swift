// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A type that has its own key, and chooses the stored form of its one value.
///
/// The form consists of Booleans, numbers, strings, dates, data, and arrays and dictionaries of them.
public protocol DefaultsConvertible {
  /// The key.
  static var key: String { get }

  /// Creates a value from its stored form, or returns nil if the form does not match.
  /// - Parameter object: The stored form.
  init?(_ object: Any)

  /// Returns the stored form of the value.
  /// - Returns: The stored form.
  func serialize() -> Any
}

/// Another name of the protocol in published articles.
public typealias DefaultConvertible = DefaultsConvertible

extension DefaultsKey where Value: DefaultsConvertible & SendableMetatype {
  /// The key of a type that chooses its stored form.
  static var ofType: DefaultsKey<Value?> {
    let conversion = DefaultsConversion<Value> { value in
      let object = value.serialize()
      guard let object = PropertyListValue(plain: object) else {
        throw DefaultsConversionError(
          "unsupported type: found \(type(of: object)); expected a type that property lists can hold")
      }
      return object
    } deserialize: { object in
      if let key = object.unhashableKey { throw DefaultsConversionError(MarkRun.problem(key)) }
      guard let value = Value(object.plain) else { throw DefaultsConversionError(Value.self, object) }
      return value
    }
    return DefaultsKey<Value?>(Value.key, conversion: conversion, policy: .useDefault)
  }
}
