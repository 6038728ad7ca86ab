// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// A type of which one value is kept, under a key of its own, in a form that it chooses.
///
/// The form is of booleans, numbers, texts, dates, data, and arrays and dictionaries of them.
public protocol DefaultsConvertible {
  /// The key.
  static var key: String { get }

  /// The value of an object; nil if the object is of the wrong kind.
  init?(_ object: Any)

  /// The object for the value.
  func serialize() -> Any
}

/// The name that the protocol has in some places.
public typealias DefaultConvertible = DefaultsConvertible

extension PropertyListValue {
  /// The object for a value of Swift's own types: a boolean, a number, a text, a date, data, or an array or a dictionary
  /// of them; nil for anything else.
  public init?(plain value: Any) {
    switch value {
    case let value as PropertyListValue: self = value
    case let value as Bool where type(of: value) == Bool.self: self = .boolean(value)
    case let value as String: self = .string(value)
    case let value as Int: self = .integer(Int64(value))
    case let value as Double: self = .double(value)
    case let value as Float: self = .float(value)
    case let value as Date: self = .date(value)
    case let value as Data: self = .data(value)
    case let value as [String: Any]:
      var entries: [PropertyListDictionary.Element] = []
      for (key, value) in value {
        guard let value = Self(plain: value) else { return nil }
        entries.append(.init(key: key, value: value))
      }
      self = .dictionary(PropertyListDictionary(sorting: entries))
    case let value as [Any]:
      var elements: [Self] = []
      for value in value {
        guard let value = Self(plain: value) else { return nil }
        elements.append(value)
      }
      self = .array(elements)
    case let value as any BinaryInteger:
      guard let value = Self(exactly: value) else { return nil }
      self = value
    default: return nil
    }
  }

  /// The value in Swift's own types. Integers are `Int` where that holds them; dictionaries are `[String: Any]`, so of two
  /// keys that Swift takes for the same, one is left. A key with more than 127 combining marks in a row, which Swift
  /// could not hash in a reasonable time, is left out.
  public var plain: Any {
    switch self {
    case .boolean(let value): value
    case .integer(let value): Int(exactly: value) ?? value
    case .wideInteger(let value): UInt64(exactly: value) ?? value
    case .float(let value): value
    case .double(let value): value
    case .date(let value): value
    case .data(let value): value
    case .string(let value): value
    case .uid(let value): value
    case .array(let elements): elements.map(\.plain)
    case .dictionary(let entries):
      Dictionary(entries.lazy.filter { MarkRun.isBounded($0.key) }.map { ($0.key, $0.value.plain) }) { $1 }
    }
  }
}

extension DefaultsKey where Value: DefaultsConvertible & SendableMetatype {
  /// The key of a type that chooses its own form.
  static var ofType: DefaultsKey<Value?> {
    let conversion = DefaultsConversion<Value> { value in
      let object = value.serialize()
      guard let object = PropertyListValue(plain: object) else {
        throw DefaultsConversionError("\(type(of: object)) is nothing that a property list can hold")
      }
      return object
    } deserialize: { object in
      if let key = object.unhashableKey {
        throw DefaultsConversionError(
          "a key has a run of too many combining marks: found \(key.utf8.count) bytes; expected at most "
            + "\(MarkRun.longest) marks in a row")
      }
      guard let value = Value(object.plain) else {
        throw DefaultsConversionError("\(Value.self) cannot be made from \(object.shortDescription)")
      }
      return value
    }
    return DefaultsKey<Value?>(Value.key, conversion: conversion, policy: .useDefault)
  }
}
