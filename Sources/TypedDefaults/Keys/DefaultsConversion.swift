// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

public import KeyedArchiving
import PropertyListFormat

/// How values of a type become property-list objects and are made from them.
public struct DefaultsConversion<Value>: Sendable {
  /// The object for a value; nil for a value that is stored as nothing.
  public let serialize: @Sendable (Value) throws -> PropertyListValue?
  /// The value of an object.
  public let deserialize: @Sendable (PropertyListValue) throws -> Value

  /// A conversion by two functions.
  public init(
    serialize: @escaping @Sendable (Value) throws -> PropertyListValue?,
    deserialize: @escaping @Sendable (PropertyListValue) throws -> Value
  ) {
    self.serialize = serialize
    self.deserialize = deserialize
  }
}

extension DefaultsConversion where Value: Codable & SendableMetatype {
  /// Property-list objects: the list's own kinds as they are, other types as dictionaries and arrays. Nil is stored as
  /// nothing.
  public static func objects(_ options: DefaultsCodingOptions = DefaultsCodingOptions()) -> Self {
    if options.hook(for: Value.self) == nil, let type = Value.self as? any NativeValue.Type,
      Value.self != Date.self || options.dates == .native, let native = type.nativeConversion as? Self
    {
      return native
    }
    let (encoder, decoder) = (UserDefaultsEncoder(options: options), UserDefaultsDecoder(options: options))
    if Value.self is any OptionalValue.Type {
      return Self { value in
        (value as? any OptionalValue)?.isNil == true ? nil : try encoder.encode(value)
      } deserialize: {
        try decoder.decode(Value.self, from: $0)
      }
    }
    return Self {
      try encoder.encode($0)
    } deserialize: {
      try decoder.decode(Value.self, from: $0)
    }
  }

  /// Data: the value as JSON, its keys in order.
  public static func json() -> Self {
    Self { value in
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return .data(try encoder.encode(value))
    } deserialize: { object in
      // Other libraries store JSON as text.
      switch object {
      case .data(let data): return try JSONDecoder().decode(Value.self, from: data)
      case .string(let text): return try JSONDecoder().decode(Value.self, from: Data(text.utf8))
      default: throw DefaultsConversionError("expected JSON in data or text, found \(object.shortDescription)")
      }
    }
  }

  /// Data: the file of a property list, as `PropertyListEncoder` makes it. Values that are neither dictionaries nor arrays
  /// cannot be stored so.
  public static func propertyListData() -> Self {
    Self { value in
      .data(try UserDefaultsEncoder(options: .foundation).encode(value, as: .binary))
    } deserialize: { object in
      guard case .data(let data) = object else {
        throw DefaultsConversionError("expected a property list in data, found \(object.shortDescription)")
      }
      return try UserDefaultsDecoder(options: .foundation).decode(Value.self, from: data)
    }
  }
}

extension DefaultsConversion where Value: KeyedCoding & SendableMetatype {
  /// Data: a keyed archive, as Apple's programs store what is `NSSecureCoding`. The type says which classes may be in it.
  public static func keyedArchive() -> Self {
    Self { value in
      .data(try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true))
    } deserialize: { object in
      guard case .data(let data) = object else {
        throw DefaultsConversionError("expected a keyed archive in data, found \(object.shortDescription)")
      }
      guard let value = try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data) else {
        throw DefaultsConversionError("the keyed archive holds nil")
      }
      return value
    }
  }
}

extension DefaultsConversion where Value: RawRepresentable & Sendable, Value.RawValue: Codable & SendableMetatype {
  /// The raw value, for enums and option sets that are not Codable.
  public static func rawValue() -> Self {
    let raw = DefaultsConversion<Value.RawValue>.objects()
    return Self {
      try raw.serialize($0.rawValue)
    } deserialize: { object in
      let raw = try raw.deserialize(object)
      // An enum looks for its case by Swift's rules.
      guard (raw as? String).map({ MarkRun.isBounded($0) }) ?? true, let value = Value(rawValue: raw) else {
        throw DefaultsConversionError("\(object.shortDescription) is no \(Value.self)")
      }
      return value
    }
  }
}

extension DefaultsConversion where Value == PropertyListValue {
  /// The object itself.
  public static var itself: Self { Self(serialize: { $0 }, deserialize: { $0 }) }
}

/// Values as Apple's `UserDefaults` reads them: numbers as texts, texts as numbers, whatever is not zero as true.
extension DefaultsConversion where Value: LenientValue {
  /// Reads values of other kinds, as `UserDefaults.string(forKey:)` and its siblings do.
  public static func lenient() -> Self {
    Self {
      $0.object
    } deserialize: { object in
      guard let value = Value(leniently: object) else {
        throw DefaultsConversionError("expected a value for \(Value.self), found \(object.shortDescription)")
      }
      return value
    }
  }
}

/// A type that `UserDefaults` converts values of other types to.
public protocol LenientValue: Sendable {
  /// The value that an object stands for, if only in a way; nil if in none.
  init?(leniently object: PropertyListValue)
  /// The object that is stored.
  var object: PropertyListValue { get }
}

extension String: LenientValue {
  /// The text, or that of a number.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .string(let text): self = text
    case .boolean(let value): self = value ? "1" : "0"
    case .integer(let value): self = "\(value)"
    case .wideInteger(let value): self = "\(value)"
    case .float(let value): self = Self.text(Double(value))
    case .double(let value): self = Self.text(value)
    default: return nil
    }
  }

  private static func text(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }

  /// The text.
  public var object: PropertyListValue { .string(self) }
}

extension Int: LenientValue {
  /// The integer, that of a real without its fraction, or that at the beginning of a text.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .integer(let value): self.init(exactly: value)
    case .boolean(let value): self = value ? 1 : 0
    case .float(let value): self.init(exactly: value.rounded(.towardZero))
    case .double(let value): self.init(exactly: value.rounded(.towardZero))
    case .string(let text): self = LenientText.integer(text)
    default: return nil
    }
  }

  /// The integer.
  public var object: PropertyListValue { .integer(Int64(self)) }
}

extension Double: LenientValue {
  /// The number, or that at the beginning of a text.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .boolean(let value): self = value ? 1 : 0
    case .integer(let value): self = Double(value)
    case .wideInteger(let value): self = Double(value)
    case .float(let value): self = Double(value)
    case .double(let value): self = value
    case .string(let text): self = LenientText.real(text)
    default: return nil
    }
  }

  /// The number.
  public var object: PropertyListValue { .double(self) }
}

extension Bool: LenientValue {
  /// The boolean, whether a number is not zero, or whether a text says yes, true or a number that is not zero.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .boolean(let value): self = value
    case .integer(let value): self = value != 0
    case .wideInteger(let value): self = value != 0
    case .float(let value): self = value != 0
    case .double(let value): self = value != 0
    case .string(let text):
      let start = text.utf8.first.map { $0 | 0x20 }
      self = start == UInt8(ascii: "y") || start == UInt8(ascii: "t") || LenientText.integer(text) != 0
    default: return nil
    }
  }

  /// The boolean.
  public var object: PropertyListValue { .boolean(self) }
}

/// Numbers at the beginning of texts.
private enum LenientText {
  static func integer(_ text: String) -> Int {
    let start = Substring(text.unicodeScalars.drop { $0.properties.isWhitespace })
    let isNegative = start.hasPrefix("-")
    let digits = Substring((start.rest(after: isNegative ? "-" : "+") ?? start).utf8.prefix { 0x30...0x39 ~= $0 })
    return Int((isNegative ? "-" : "") + digits) ?? (digits.isEmpty ? 0 : isNegative ? .min : .max)
  }

  static func real(_ text: String) -> Double {
    let start = text.drop { $0.isWhitespace }
    let number = start.prefixMatch(of: /[+\-]?([0-9]++(\.[0-9]*+)?|\.[0-9]++)([eE][+\-]?[0-9]++)?/)
    return number.flatMap { Double($0.0) } ?? 0
  }
}

/// Why an object does not fit a conversion.
struct DefaultsConversionError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

extension PropertyListValue {
  /// The value in a message; not the content of texts and data, which may be nobody's business.
  var shortDescription: String {
    switch self {
    case .boolean, .integer, .wideInteger, .float, .double: "the \(kindName) \(self)"
    case .array(let elements): "an array of \(elements.count)"
    case .dictionary(let entries): "a dictionary of \(entries.count)"
    default: "a value of kind \(kindName)"
    }
  }
}
