// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import PropertyListFormat

/// A type that property lists store without a coder.
protocol NativeValue {
  init?(native value: PropertyListValue)
  var native: PropertyListValue { get }
  /// A conversion without a coder. It is created in an extension of the type, so that the compiler specializes it.
  static var nativeConversion: any Sendable { get }
}

extension NativeValue where Self: SendableMetatype {
  static var nativeConversion: any Sendable {
    DefaultsConversion<Self> {
      $0.native
    } deserialize: { object in
      if let value = Self(native: object) { return value }
      throw DefaultsConversionError(Self.self, object)
    }
  }
}

extension NativeValue where Self: FixedWidthInteger {
  init?(native value: PropertyListValue) {
    switch value {
    case .integer(let value): self.init(exactly: value)
    case .wideInteger(let high, let low): self.init(exactly: WideInteger(high: high, low: low))
    default: return nil
    }
  }

  var native: PropertyListValue {
    Int64(exactly: self).map(PropertyListValue.integer) ?? PropertyListValue(UInt64(self))
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
    guard let value = value.real(Double.self) else { return nil }
    self = value
  }

  var native: PropertyListValue { .double(self) }
}

extension Float: NativeValue {
  init?(native value: PropertyListValue) {
    guard let value = value.real(Float.self) else { return nil }
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
