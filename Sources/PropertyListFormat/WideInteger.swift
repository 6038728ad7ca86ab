// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An integer of 128 bits in two's complement, which is the widest that a binary property list stores.
///
/// The standard library's `Int128` needs macOS 15. This type has only the operations that the package needs.
@usableFromInline
package struct WideInteger: Hashable, Sendable, BitwiseCopyable {
  /// The upper half, which has the sign.
  @usableFromInline
  package let high: Int64
  /// The lower half.
  @usableFromInline
  package let low: UInt64

  /// Creates the integer high · 2^64 + low.
  @inlinable
  package init(high: Int64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates an integer from a signed one.
  @inlinable
  package init(_ value: Int64) { self.init(high: value >> 63, low: UInt64(bitPattern: value)) }

  /// Creates an integer from an unsigned one.
  @inlinable
  package init(_ value: UInt64) { self.init(high: 0, low: value) }

  /// Creates an integer from one of any type, or returns nil if it needs more than 128 bits.
  package init?(exactly value: some BinaryInteger) {
    if let value = Int64(exactly: value) {
      self.init(value)
    } else if let value = UInt64(exactly: value) {
      self.init(value)
    } else {
      // All bits from the sign upward must be equal.
      let sign = value >> 127
      guard sign == 0 || sign == -1 else { return nil }
      self.init(high: Int64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
    }
  }

  /// Creates an integer from its sign and its magnitude, or returns nil if it needs more than 128 bits.
  package init?(isNegative: Bool, magnitude: WideMagnitude) {
    let low = isNegative ? 0 &- magnitude.low : magnitude.low
    let high = isNegative ? 0 &- magnitude.high &- (magnitude.low == 0 ? 0 : 1) : magnitude.high
    self.init(high: Int64(bitPattern: high), low: low)
    guard magnitude == self.magnitude, isNegative || self.high >= 0 else { return nil }
  }

  /// The distance from zero.
  package var magnitude: WideMagnitude {
    let high = UInt64(bitPattern: high)
    return self.high >= 0
      ? WideMagnitude(high: high, low: low) : WideMagnitude(high: ~high &+ (low == 0 ? 1 : 0), low: 0 &- low)
  }

  /// Whether the integer fits 64 bits, signed or unsigned.
  package var fits64Bits: Bool { high == 0 || (high == -1 && low >> 63 == 1) }
}

extension WideInteger: Comparable {
  @inlinable
  package static func < (a: Self, b: Self) -> Bool { (a.high, a.low) < (b.high, b.low) }
}

extension WideInteger: CustomStringConvertible {
  /// The integer in decimal digits.
  @usableFromInline
  package var description: String { (high < 0 ? "-" : "") + magnitude.description }

  /// Creates an integer from decimal digits with an optional sign, or returns nil for an empty text or too many digits.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    let isNegative = bytes.first == UInt8(ascii: "-")
    let hasSign = isNegative || bytes.first == UInt8(ascii: "+")
    guard let magnitude = WideMagnitude(digits: bytes.dropFirst(hasSign ? 1 : 0)) else { return nil }
    self.init(isNegative: isNegative, magnitude: magnitude)
  }
}

/// An unsigned integer of 128 bits.
package struct WideMagnitude: Hashable, Sendable, BitwiseCopyable {
  package private(set) var high: UInt64
  package private(set) var low: UInt64

  /// Creates the integer high · 2^64 + low.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package static let zero = WideMagnitude(high: 0, low: 0)

  /// Creates an integer from decimal digits, or returns nil for an empty text or too many digits.
  package init?(_ text: String) { self.init(digits: Array(text.utf8)[...]) }

  fileprivate init?(digits: ArraySlice<UInt8>) {
    self.init(high: 0, low: 0)
    guard !digits.isEmpty else { return nil }
    for digit in digits {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= digit else { return nil }
      let digit = UInt64(digit &- UInt8(ascii: "0"))
      if high == 0, low < UInt64.max / 10 {
        low = low &* 10 &+ digit
        continue
      }
      let lower = low.multipliedFullWidth(by: 10)
      let (sum, carry) = lower.low.addingReportingOverflow(digit)
      let (upper, overflow) = high.multipliedReportingOverflow(by: 10)
      let (total, isTooLarge) = upper.addingReportingOverflow(lower.high &+ (carry ? 1 : 0))
      guard !overflow, !isTooLarge else { return nil }
      (high, low) = (total, sum)
    }
  }

  /// Whether the integer is zero.
  package var isZero: Bool { high | low == 0 }

  /// The number of bits up to the highest one that is set.
  package var significantBitCount: Int {
    high == 0 ? 64 &- low.leadingZeroBitCount : 128 &- high.leadingZeroBitCount
  }

  /// The sixteen bytes, the lowest first.
  package var littleEndianBytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? low : high) >> UInt64(8 &* ($0 & 7))) }
  }

  /// Shifts the integer by 16 bits and sets the bits that become free.
  package mutating func append(_ digit: UInt16) {
    high = high << 16 | low >> 48
    low = low << 16 | UInt64(digit)
  }

  /// Returns the quotient and the remainder of a division.
  package func quotientAndRemainder(dividingBy divisor: UInt64) -> (quotient: WideMagnitude, remainder: UInt64) {
    let upper = high.quotientAndRemainder(dividingBy: divisor)
    let lower = divisor.dividingFullWidth((upper.remainder, low))
    return (WideMagnitude(high: upper.quotient, low: lower.quotient), lower.remainder)
  }
}

extension WideMagnitude: CustomStringConvertible {
  /// The integer in decimal digits.
  package var description: String {
    guard high != 0 else { return String(low) }
    // The largest power of ten in 64 bits, so three parts of 19 digits are enough.
    let (rest, last) = quotientAndRemainder(dividingBy: 10_000_000_000_000_000_000)
    let end = String(last)
    return rest.description + String(repeating: "0", count: 19 &- end.utf8.count) + end
  }
}

extension FixedWidthInteger {
  /// Creates an integer from a wide one, or returns nil if it is out of range.
  @inlinable
  package init?(exactly value: WideInteger) {
    if value.high == Int64(bitPattern: value.low) >> 63 {
      self.init(exactly: Int64(bitPattern: value.low))
    } else if value.high == 0 {
      self.init(exactly: value.low)
    } else if Self.bitWidth >= 128, Self.isSigned || value.high > 0 {
      self = Self(truncatingIfNeeded: value.high) << 64 | Self(truncatingIfNeeded: value.low)
    } else {
      return nil
    }
  }
}

extension BinaryFloatingPoint {
  /// Creates the real nearest to a wide integer. The type must have a significand of fewer than 62 bits.
  package init(_ value: WideInteger) {
    let magnitude = value.magnitude
    let shift = Swift.max(magnitude.significantBitCount &- 64, 0)
    // The upper 64 bits. The last one is also set for all lower ones, so that the result is rounded once, and correctly.
    let lost = shift == 0 ? 0 : magnitude.low << UInt64(64 &- shift)
    let upper = magnitude.high << UInt64(64 &- shift) | magnitude.low >> UInt64(shift) | (lost == 0 ? 0 : 1)
    self.init(sign: value.high < 0 ? .minus : .plus, exponent: Self.Exponent(shift), significand: Self(upper))
  }

  /// Creates a real from a wide integer, or returns nil if it cannot represent it exactly.
  @usableFromInline
  package init?(exactly value: WideInteger) {
    let magnitude = value.magnitude
    let zeros = magnitude.low == 0 ? 64 &+ magnitude.high.trailingZeroBitCount : magnitude.low.trailingZeroBitCount
    guard magnitude.isZero || magnitude.significantBitCount &- zeros <= Self.significandBitCount &+ 1 else {
      return nil
    }
    self.init(value)
  }
}
