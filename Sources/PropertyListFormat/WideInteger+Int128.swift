// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Conversions from and to the standard library's integers of 128 bits, on systems that have them.

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension WideInteger {
  /// Creates an integer from one of the standard library.
  package init(_ value: Int128) {
    self.init(high: Int64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
  }

  /// The integer as one of the standard library.
  package var int128: Int128 { Int128(high) << 64 | Int128(low) }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension PropertyListValue {
  /// Creates an integer.
  /// - Parameter value: An integer of up to 128 bits.
  public init(_ value: Int128) { self.init(WideInteger(value)) }

  /// The value of an integer; nil for other kinds.
  public var int128: Int128? {
    switch self {
    case .integer(let value): Int128(value)
    case .wideInteger(let high, let low): WideInteger(high: high, low: low).int128
    default: nil
    }
  }
}

@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
extension PropertyListObject {
  /// Creates an integer that is stored in 16 bytes.
  /// - Parameter value: The integer.
  /// - Returns: ``wideInteger(high:low:)`` with the two words of the integer.
  public static func wideInteger(_ value: Int128) -> Self { .wideInteger(WideInteger(value)) }

  /// The value of an integer of any width; nil for other kinds.
  public var int128: Int128? {
    switch self {
    case .integer(let value): Int128(value)
    case .wideInteger(let high, let low): WideInteger(high: high, low: low).int128
    default: nil
    }
  }
}
