// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

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
