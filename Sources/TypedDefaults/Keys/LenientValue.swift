// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import PropertyListFormat

extension DefaultsConversion where Value: LenientValue {
  /// Returns a conversion that also reads values of other kinds, as `UserDefaults.string(forKey:)` and its siblings do.
  /// - Returns: The conversion. For example, it reads a string from a number, a number from a string, and true from
  ///   each number but zero.
  public static func lenient() -> Self {
    Self {
      $0.object
    } deserialize: { object in
      guard let value = Value(leniently: object) else { throw DefaultsConversionError(Value.self, object) }
      return value
    }
  }
}

/// A type to which `UserDefaults` converts values of other types.
public protocol LenientValue: Sendable {
  /// Creates a value from a property-list value of any kind that has a conversion.
  /// - Parameter object: The property-list value.
  init?(leniently object: PropertyListValue)

  /// The property-list value to store.
  var object: PropertyListValue { get }
}

extension String: LenientValue {
  /// Creates a string from a string or the text of a number. A Boolean counts as the number 0 or 1.
  /// - Parameter object: The property-list value. The result is nil if it is of another kind.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .string(let text): self = text
    case .boolean(let value): self = value ? "1" : "0"
    case .integer(let value): self = "\(value)"
    case .wideInteger(let high, let low): self = "\(WideInteger(high: high, low: low))"
    case .float(let value): self = Self.text(value)
    case .double(let value): self = Self.text(value)
    default: return nil
    }
  }

  private static func text(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
    value.isZero && value.sign == .minus ? "-0" : Int64(exactly: value).map { "\($0)" } ?? value.description
  }

  /// The string as a property-list value.
  public var object: PropertyListValue { .string(self) }
}

extension Int: LenientValue {
  /// Creates an integer from an integer, a real without its fraction, or the number at the beginning of a string. A
  /// Boolean counts as the number 0 or 1.
  /// - Parameter object: The property-list value. The result is nil if it is of another kind or too large.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .integer(let value): self.init(exactly: value)
    case .boolean(let value): self = value ? 1 : 0
    case .float(let value): self.init(exactly: value.rounded(.towardZero))
    case .double(let value): self.init(exactly: value.rounded(.towardZero))
    case .string(let text): self = LeadingNumber.integer(text)
    default: return nil
    }
  }

  /// The integer as a property-list value.
  public var object: PropertyListValue { .integer(Int64(self)) }
}

extension Double: LenientValue {
  /// Creates a real from a number, or the number at the beginning of a string. A Boolean counts as the number 0 or 1.
  /// - Parameter object: The property-list value. The result is nil if it is of another kind.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .boolean(let value): self = value ? 1 : 0
    case .integer(let value): self = Double(value)
    case .wideInteger(let high, let low): self = Double(WideInteger(high: high, low: low))
    case .float(let value): self = Double(value)
    case .double(let value): self = value
    case .string(let text): self = LeadingNumber.real(text)
    default: return nil
    }
  }

  /// The real as a property-list value.
  public var object: PropertyListValue { .double(self) }
}

extension Bool: LenientValue {
  /// Creates a Boolean from a Boolean, a number, or a string. It is true for numbers other than zero, and for strings
  /// that start with such a number or the first letter of yes or true.
  /// - Parameter object: The property-list value. The result is nil if it is of another kind.
  public init?(leniently object: PropertyListValue) {
    switch object {
    case .boolean(let value): self = value
    case .integer(let value): self = value != 0
    case .wideInteger(let high, let low): self = high != 0 || low != 0
    case .float(let value): self = value != 0
    case .double(let value): self = value != 0
    case .string(let text):
      let start = LeadingNumber.start(of: text).utf8.first.map { $0 | 0x20 }
      self = start == UInt8(ascii: "y") || start == UInt8(ascii: "t") || LeadingNumber.integer(text) != 0
    default: return nil
    }
  }

  /// The Boolean as a property-list value.
  public var object: PropertyListValue { .boolean(self) }
}

/// The number at the beginning of a string; 0 if the string has none.
private enum LeadingNumber {
  /// Returns the string without the spaces at its beginning.
  static func start(of text: String) -> Substring {
    Substring(text.unicodeScalars.drop { $0.properties.isWhitespace })
  }

  static func integer(_ text: String) -> Int {
    let start = start(of: text)
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
