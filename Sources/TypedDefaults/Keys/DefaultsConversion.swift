// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

public import KeyedArchiving
public import PropertyListFormat

/// A conversion between values of a type and the property-list values that a store holds.
public struct DefaultsConversion<Value>: Sendable {
  /// A function that returns the property-list value to store, or nil to store nothing.
  public let serialize: @Sendable (Value) throws -> PropertyListValue?
  /// A function that returns the value for a stored property-list value.
  public let deserialize: @Sendable (PropertyListValue) throws -> Value

  /// Creates a conversion.
  /// - Parameters:
  ///   - serialize: A function that returns the property-list value to store, or nil to store nothing.
  ///   - deserialize: A function that returns the value for a stored property-list value.
  public init(
    serialize: @escaping @Sendable (Value) throws -> PropertyListValue?,
    deserialize: @escaping @Sendable (PropertyListValue) throws -> Value
  ) {
    self.serialize = serialize
    self.deserialize = deserialize
  }

  /// Creates a conversion that stores nothing for nil, if the type is optional.
  init(
    storing serialize: @escaping @Sendable (Value) throws -> PropertyListValue,
    deserialize: @escaping @Sendable (PropertyListValue) throws -> Value
  ) where Value: SendableMetatype {
    self.deserialize = deserialize
    // Decided once: a cast of each value takes time.
    guard Value.self is any OptionalValue.Type else {
      self.serialize = serialize
      return
    }
    self.serialize = { value in
      (value as? any OptionalValue)?.isNil == true ? nil : try serialize(value)
    }
  }
}

extension PropertyListCodingOptions {
  /// The default options of keys: those of `init()`, and URLs are also read from keyed archives.
  public static var defaults: Self { Self().readingArchivedURLs }

  fileprivate var readingArchivedURLs: Self {
    guard urlFromData == nil else { return self }
    var options = self
    options.urlFromData = { try KeyedUnarchiver.unarchivedObject(ofClass: URL.self, from: $0) }
    return options
  }
}

extension PropertyListCodingOptions.URLForm {
  /// Data with the keyed archive of an `NSURL`, as Apple's `UserDefaults` stores URLs.
  public static let archive = Self {
    .data(try KeyedArchiver.archivedData(withRootObject: $0, requiringSecureCoding: true))
  }
}

extension DefaultsConversion where Value: Codable & SendableMetatype {
  /// Returns a conversion to property-list values: primitives are stored natively, other types as dictionaries and
  /// arrays. Nil is not stored.
  /// - Parameter options: The forms of types that have more than one. URLs are also read from keyed archives, unless
  ///   the options have another function for URLs in data.
  /// - Returns: The conversion.
  public static func objects(_ options: PropertyListCodingOptions = .defaults) -> Self {
    if !options.converts(Value.self), let type = Value.self as? any NativeValue.Type,
      Value.self != Date.self || options.dates == .native, let native = type.nativeConversion as? Self
    {
      return native
    }
    let options = options.readingArchivedURLs
    let (encoder, decoder) = (PropertyListValueEncoder(options: options), PropertyListValueDecoder(options: options))
    return Self(storing: { try encoder.encode($0) }, deserialize: { try decoder.decode(Value.self, from: $0) })
  }

  /// Returns a conversion to data with JSON, whose keys are sorted. Nil is not stored.
  /// - Returns: The conversion. It also reads JSON from a string, because other libraries store it in this form.
  public static func json() -> Self {
    Self(storing: { value in
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return .data(try encoder.encode(value))
    }) { object in
      switch object {
      case .data(let data): return try JSONDecoder().decode(Value.self, from: data)
      case .string(let text): return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
      default: throw DefaultsConversionError("JSON in data or a string", object)
      }
    }
  }

  /// Returns a conversion to data with a property-list file, as `PropertyListEncoder` creates it. Nil is not stored.
  /// - Returns: The conversion. It cannot store values that are neither dictionaries nor arrays.
  public static func propertyListData() -> Self {
    let options = PropertyListCodingOptions.foundation.readingArchivedURLs
    return Self(storing: { value in
      .data(try PropertyListValueEncoder(options: options).encode(value, as: .binary))
    }) { object in
      guard case .data(let data) = object else { throw DefaultsConversionError("a property list in data", object) }
      return try PropertyListValueDecoder(options: options).decode(Value.self, from: data)
    }
  }
}

extension DefaultsConversion where Value: KeyedCoding & SendableMetatype {
  /// Returns a conversion to data with a keyed archive, as Apple's programs store `NSSecureCoding` objects. Nil is not
  /// stored.
  /// - Returns: The conversion. The type is the allow list of the archive's classes.
  public static func keyedArchive() -> Self {
    Self(storing: { value in
      .data(try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true))
    }) { object in
      guard case .data(let data) = object else { throw DefaultsConversionError("a keyed archive in data", object) }
      guard let value = try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data) else {
        throw DefaultsConversionError(
          "missing value: the keyed archive contains nil; expected a value for \(Value.self)")
      }
      return value
    }
  }
}

extension DefaultsConversion where Value: RawRepresentable & Sendable, Value.RawValue: Codable & SendableMetatype {
  /// Returns a conversion to the raw value. It suits enumerations and option sets that are not `Codable`.
  /// - Returns: The conversion.
  public static func rawValue() -> Self {
    let raw = DefaultsConversion<Value.RawValue>.objects()
    return Self {
      try raw.serialize($0.rawValue)
    } deserialize: { object in
      let raw = try raw.deserialize(object)
      // An enumeration compares raw values by Swift's rules.
      guard (raw as? String).map({ MarkRun.isBounded($0) }) ?? true, let value = Value(rawValue: raw) else {
        throw DefaultsConversionError("a raw value of \(Value.self)", object)
      }
      return value
    }
  }
}

extension DefaultsConversion where Value == PropertyListValue {
  /// The conversion that stores the property-list value itself.
  public static var itself: Self { Self(serialize: { $0 }, deserialize: { $0 }) }
}

extension DefaultsConversion {
  /// Returns a conversion for optionals, which does not store nil.
  /// - Parameter wrapped: The conversion of the values.
  /// - Returns: The conversion of the optionals.
  public static func optional<Wrapped: SendableMetatype>(_ wrapped: DefaultsConversion<Wrapped>) -> Self
  where Value == Wrapped? {
    Self {
      try $0.flatMap { try wrapped.serialize($0) }
    } deserialize: {
      try wrapped.deserialize($0)
    }
  }
}

/// An error that describes why a property-list value does not fit a conversion.
struct DefaultsConversionError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }

  init(_ expected: String, _ object: PropertyListValue) {
    self.init("type mismatch: found \(object.shortDescription); expected \(expected)")
  }

  init(_ type: Any.Type, _ object: PropertyListValue) { self.init("a value for \(type)", object) }
}
