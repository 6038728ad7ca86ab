// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The exact decimal value of a finite number. It gives the text with 17 digits where no C library can be imported.
///
/// A number is m · 2ᵉ with integers m and e. If e is negative, it is also m · 5⁻ᵉ · 10ᵉ. Both forms have an integer as their
/// first part, with at most 767 digits.
package struct ExactDecimal {
  /// The integer in base 10⁹, from the least significant digit on.
  private var groups: [UInt32] = []
  /// The power of ten by which the integer is multiplied; at most 0.
  private var scale = 0

  private static let base: UInt64 = 1_000_000_000

  /// Creates the decimal value of a number's magnitude.
  private init(magnitudeOf value: Double) {
    let isNormal = value.exponentBitPattern > 0
    var significand = value.significandBitPattern | (isNormal ? 1 << 52 : 0)
    var exponent = Int(max(1, value.exponentBitPattern)) - 1075
    let zeros = max(0, min(significand.trailingZeroBitCount, -exponent))
    significand >>= UInt64(zeros)
    exponent += zeros
    while significand > 0 {
      groups.append(UInt32(significand % Self.base))
      significand /= Self.base
    }
    scale = min(0, exponent)
    // The greatest powers that a group can be multiplied by within 64 bits.
    while exponent >= 29 {
      multiply(by: 1 << 29)
      exponent -= 29
    }
    if exponent > 0 { multiply(by: 1 << UInt64(exponent)) }
    while exponent <= -13 {
      multiply(by: 1_220_703_125)
      exponent += 13
    }
    while exponent < 0 {
      multiply(by: 5)
      exponent += 1
    }
  }

  private mutating func multiply(by factor: UInt64) {
    var carry: UInt64 = 0
    for place in groups.indices {
      let product = UInt64(groups[place]) * factor + carry
      groups[place] = UInt32(product % Self.base)
      carry = product / Self.base
    }
    while carry > 0 {
      groups.append(UInt32(carry % Self.base))
      carry /= Self.base
    }
  }

  /// The significant digits, from the first one on.
  private var digits: [UInt8] {
    var digits: [UInt8] = []
    for group in groups.reversed() {
      var rest = group
      var nine = [UInt8](repeating: 0, count: 9)
      for place in nine.indices.reversed() {
        nine[place] = UInt8(rest % 10)
        rest /= 10
      }
      digits += nine
    }
    return Array(digits.drop { $0 == 0 })
  }

  /// Returns at most `count` digits without trailing zeros, rounded to nearest and ties to even, and the power of ten of the
  /// first digit.
  private func rounded(to count: Int) -> (digits: [UInt8], power: Int) {
    var digits = digits
    var power = digits.count - 1 + scale
    if digits.count > count {
      let rest = digits[count...]
      let isAboveHalf = digits[count] > 5 || (digits[count] == 5 && rest.dropFirst().contains { $0 > 0 })
      let isTieToOdd = digits[count] == 5 && digits[count - 1] % 2 == 1
      digits.removeSubrange(count...)
      if isAboveHalf || isTieToOdd {
        while digits.last == 9 { digits.removeLast() }
        if let last = digits.indices.last {
          digits[last] += 1
        } else {
          digits = [1]
          power += 1
        }
      }
    }
    while digits.last == 0 { digits.removeLast() }
    return (digits, power)
  }

  /// Returns the text that C's `%.17g` gives for a finite number.
  /// - Parameter value: The number.
  /// - Returns: The text.
  package static func text(_ value: Double) -> String {
    let sign = value.sign == .minus ? "-" : ""
    guard value != 0 else { return sign + "0" }
    let (digits, power) = Self(magnitudeOf: value).rounded(to: 17)
    let text = digits.map { String($0) }
    func fraction(from place: Int) -> String {
      place < text.count ? "." + text[place...].joined() : ""
    }
    if power < -4 || power >= 17 {
      let magnitude = String(power.magnitude)
      let exponent = (power < 0 ? "e-" : "e+") + (magnitude.utf8.count < 2 ? "0" : "") + magnitude
      return sign + text[0] + fraction(from: 1) + exponent
    }
    if power < 0 { return sign + "0." + String(repeating: "0", count: -power - 1) + text.joined() }
    let whole = text.prefix(power + 1).joined() + String(repeating: "0", count: max(0, power + 1 - text.count))
    return sign + whole + fraction(from: power + 1)
  }
}
