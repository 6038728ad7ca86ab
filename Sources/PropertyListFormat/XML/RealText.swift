// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Reals as C prints them with `%.17g`, which is how XML property lists hold them: 17 digits of the exact value, less
/// the zeros at their end.
package enum RealText {
  package static func text(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    let sign = value.sign == .minus ? "-" : ""
    if value == 0 { return sign + "0" }
    let (digits, exponent) = digits(value.magnitude)
    var kept = digits
    while kept.count > 1, kept.last == UInt8(ascii: "0") { kept.removeLast() }
    if exponent < -4 || exponent >= 17 {
      let fraction = kept.count > 1 ? "." + text(kept[1...]) : ""
      let power = String(exponent.magnitude)
      return sign + text(kept[..<1]) + fraction + "e" + (exponent < 0 ? "-" : "+") + (power.count < 2 ? "0" : "")
        + power
    }
    if exponent < 0 { return sign + "0." + String(repeating: "0", count: -exponent - 1) + text(kept[...]) }
    let whole = text(kept.prefix(exponent + 1)) + String(repeating: "0", count: max(0, exponent + 1 - kept.count))
    return sign + whole + (kept.count > exponent + 1 ? "." + text(kept[(exponent + 1)...]) : "")
  }

  private static func text(_ digits: ArraySlice<UInt8>) -> String { String(decoding: digits, as: UTF8.self) }

  /// 17 digits of a positive number, rounded from the exact value, and the power of ten of the first.
  private static func digits(_ value: Double) -> (digits: [UInt8], exponent: Int) {
    var exponent = decimalExponent(value)
    while true {
      let rounded = scaled(value, byTenTo: 16 - exponent)
      // Rounding, or an estimate that was off by one, may give one digit more or less.
      if rounded >= 100_000_000_000_000_000 {
        exponent += 1
      } else if rounded < 10_000_000_000_000_000 {
        exponent -= 1
      } else {
        return (Array(String(rounded).utf8), exponent)
      }
    }
  }

  /// The power of ten of the first digit of the shortest text for a number.
  private static func decimalExponent(_ value: Double) -> Int {
    let text = value.description.utf8
    if let e = text.firstIndex(of: UInt8(ascii: "e")) { return Int(Substring(text[text.index(after: e)...])) ?? 0 }
    let parts = text.split(separator: UInt8(ascii: "."))
    if let whole = parts.first, !whole.elementsEqual("0".utf8) { return whole.count - 1 }
    return -1 - (parts.last?.prefix { $0 == UInt8(ascii: "0") }.count ?? 0)
  }

  /// `value` times a power of ten, rounded half to even; the caller sees to it that this is below 2^63.
  private static func scaled(_ value: Double, byTenTo power: Int) -> UInt64 {
    var numerator = BigNumber(value.significandBits)
    var denominator = BigNumber(1)
    for _ in 0..<power.magnitude { if power > 0 { numerator.multiply(by: 10) } else { denominator.multiply(by: 10) } }
    let shift = value.significandShift
    if shift > 0 { numerator.shiftLeft(shift) } else { denominator.shiftLeft(-shift) }
    let quotient = numerator.divide(by: denominator)
    // What is left of the numerator is the remainder.
    numerator.shiftLeft(1)
    let isAbove = denominator.isLess(than: numerator)
    let isBelow = numerator.isLess(than: denominator)
    return quotient + (isAbove || (!isBelow && quotient & 1 == 1) ? 1 : 0)
  }
}

extension Double {
  /// The significand as an integer.
  fileprivate var significandBits: UInt64 {
    exponentBitPattern == 0 ? significandBitPattern : significandBitPattern | 1 << 52
  }

  /// The power of two that ``significandBits`` is to be multiplied with.
  fileprivate var significandShift: Int { (exponentBitPattern == 0 ? 1 : Int(exponentBitPattern)) - 1075 }
}

/// A natural number of any size, with just what exact rounding needs.
private struct BigNumber {
  /// Digits to the base 2^32, least significant first, without zeros at the end.
  private var limbs: [UInt32]

  init(_ value: UInt64) {
    limbs = [UInt32(truncatingIfNeeded: value), UInt32(truncatingIfNeeded: value >> 32)]
    trim()
  }

  private mutating func trim() { while limbs.last == 0 { limbs.removeLast() } }

  private var bitCount: Int { limbs.isEmpty ? 0 : limbs.count * 32 - limbs[limbs.count - 1].leadingZeroBitCount }

  mutating func multiply(by factor: UInt32) {
    var carry: UInt64 = 0
    for i in limbs.indices {
      carry += UInt64(limbs[i]) * UInt64(factor)
      limbs[i] = UInt32(truncatingIfNeeded: carry)
      carry >>= 32
    }
    if carry > 0 { limbs.append(UInt32(carry)) }
  }

  mutating func shiftLeft(_ bits: Int) {
    let (whole, part) = (bits / 32, UInt32(bits % 32))
    if part > 0 {
      var carry: UInt32 = 0
      for i in limbs.indices {
        let limb = limbs[i]
        limbs[i] = limb << part | carry
        carry = limb >> (32 - part)
      }
      if carry > 0 { limbs.append(carry) }
    }
    if !limbs.isEmpty { limbs.insert(contentsOf: repeatElement(0, count: whole), at: 0) }
  }

  mutating func shiftRightByOne() {
    for i in limbs.indices {
      limbs[i] = limbs[i] >> 1 | (i + 1 < limbs.count ? limbs[i + 1] << 31 : 0)
    }
    trim()
  }

  func isLess(than other: BigNumber) -> Bool {
    if limbs.count != other.limbs.count { return limbs.count < other.limbs.count }
    for i in limbs.indices.reversed() where limbs[i] != other.limbs[i] { return limbs[i] < other.limbs[i] }
    return false
  }

  private mutating func subtract(_ other: BigNumber) {
    var borrow: Int64 = 0
    for i in limbs.indices {
      let difference = Int64(limbs[i]) - (i < other.limbs.count ? Int64(other.limbs[i]) : 0) + borrow
      limbs[i] = UInt32(truncatingIfNeeded: difference)
      borrow = difference < 0 ? -1 : 0
    }
    trim()
  }

  /// The quotient, which must be below 2^63; the remainder stays in this number.
  mutating func divide(by divisor: BigNumber) -> UInt64 {
    var shift = bitCount - divisor.bitCount
    guard shift >= 0 else { return 0 }
    var shifted = divisor
    shifted.shiftLeft(shift)
    var quotient: UInt64 = 0
    while shift >= 0 {
      quotient <<= 1
      if !isLess(than: shifted) {
        subtract(shifted)
        quotient |= 1
      }
      shifted.shiftRightByOne()
      shift -= 1
    }
    return quotient
  }
}
