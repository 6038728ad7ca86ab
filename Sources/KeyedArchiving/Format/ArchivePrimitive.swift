// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// A primitive of an archive: a string, number, Boolean or data, which has no class record.
public enum ArchivePrimitive: Hashable, Sendable {
  /// A string.
  case string(String)
  /// A number or Boolean.
  case number(ArchiveNumber)
  /// Bytes.
  case data(Data)

  /// Returns whether two values have the same kind and value. Strings are compared by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether the values are equal.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.string(let a), .string(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.data(let a), .data(let b)): a.hasSameBytes(as: b)
    default: false
    }
  }

  /// Hashes the value.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .string(let text): hasher.combine(text)
    case .number(let number): hasher.combine(number)
    case .data(let bytes): hasher.combine(FullyHashedData(bytes))
    }
  }
}

/// A number with its kind, as in `NSNumber`: 1, 1.0 and true differ.
public enum ArchiveNumber: Hashable, Sendable {
  /// A Boolean.
  case boolean(Bool)
  /// A signed integer.
  case integer(Int64)
  /// An unsigned integer, which recent Apple systems store as such whatever its value.
  case unsigned(UInt64)
  /// A single-precision number.
  case float(Float)
  /// A double-precision number.
  case double(Double)

  /// The value as an integer, if it is an integer that fits. Booleans are not integers.
  public var integer: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .unsigned(let value): Int(exactly: value)
    default: nil
    }
  }

  /// The value as a real, if it is one. Integers and Booleans are not reals.
  public var real: Double? {
    switch self {
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// The value as a Boolean, if it is one.
  public var boolean: Bool? {
    if case .boolean(let value) = self { value } else { nil }
  }
}
