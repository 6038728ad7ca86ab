// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A kind of value that a property list has itself.
protocol NativeValue {
  init?(native value: PropertyListValue)
  var native: PropertyListValue { get }
  /// The conversion that needs no coder, made where the type is known: there the compiler makes code for just this type.
  static var nativeConversion: any Sendable { get }
}

extension NativeValue where Self: SendableMetatype {
  static var nativeConversion: any Sendable {
    DefaultsConversion<Self> {
      $0.native
    } deserialize: { object in
      if let value = Self(native: object) { return value }
      throw DefaultsConversionError("expected a value for \(Self.self), found \(object.shortDescription)")
    }
  }
}

extension NativeValue where Self: FixedWidthInteger {
  init?(native value: PropertyListValue) {
    switch value {
    case .integer(let value): self.init(exactly: value)
    case .wideInteger(let value): self.init(exactly: value)
    default: return nil
    }
  }

  var native: PropertyListValue {
    Int64(exactly: self).map(PropertyListValue.integer) ?? PropertyListValue(Int128(self))
  }
}

extension Int: NativeValue {}
extension Int8: NativeValue {}
extension Int16: NativeValue {}
extension Int32: NativeValue {}
extension Int64: NativeValue {}
extension UInt: NativeValue {}
extension UInt8: NativeValue {}
extension UInt16: NativeValue {}
extension UInt32: NativeValue {}
extension UInt64: NativeValue {}

extension Bool: NativeValue {
  init?(native value: PropertyListValue) {
    guard case .boolean(let value) = value else { return nil }
    self = value
  }

  var native: PropertyListValue { .boolean(self) }
}

extension Double: NativeValue {
  init?(native value: PropertyListValue) {
    guard let value = Scalars.real(Double.self, value) else { return nil }
    self = value
  }

  var native: PropertyListValue { .double(self) }
}

extension Float: NativeValue {
  init?(native value: PropertyListValue) {
    guard let value = Scalars.real(Float.self, value) else { return nil }
    self = value
  }

  var native: PropertyListValue { .float(self) }
}

extension String: NativeValue {
  init?(native value: PropertyListValue) {
    guard case .string(let value) = value else { return nil }
    self = value
  }

  var native: PropertyListValue { .string(self) }
}

extension Data: NativeValue {
  init?(native value: PropertyListValue) {
    guard case .data(let value) = value else { return nil }
    self = value
  }

  var native: PropertyListValue { .data(self) }
}

extension Date: NativeValue {
  init?(native value: PropertyListValue) {
    guard case .date(let value) = value else { return nil }
    self = value
  }

  var native: PropertyListValue { .date(self) }
}
