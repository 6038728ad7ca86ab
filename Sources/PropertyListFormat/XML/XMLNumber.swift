// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A parser of numbers in XML property lists.
enum XMLNumber {
  /// Parses an integer from -2^63 to 2^64 - 1 with an optional sign: decimal or, with the prefix `0x`, hexadecimal.
  static func integer(_ text: String) -> WideInteger? {
    var rest = trimmed(text)
    var isNegative = false
    if let sign = rest.utf8.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest = Substring(rest.utf8.dropFirst())
    }
    let isHex = rest.hasPrefix("0x") || rest.hasPrefix("0X")
    if isHex { rest = Substring(rest.utf8.dropFirst(2)) }
    // Swift's initializer would accept another sign.
    guard let first = rest.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
      let magnitude = UInt64(rest, radix: isHex ? 16 : 10)
    else { return nil }
    guard isNegative else { return WideInteger(magnitude) }
    return magnitude <= Int64.min.magnitude ? WideInteger(Int64(truncatingIfNeeded: 0 &- magnitude)) : nil
  }

  /// Parses an integer of at most 18 digits with an optional minus sign. Returns nil for any other text.
  static func shortInteger(_ text: ContiguousArray<UInt8>) -> Int64? {
    let isNegative = text.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard 1...18 ~= text.count - start else { return nil }
    var value: Int64 = 0
    for index in start..<text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value &* 10 &+ Int64(digit)
    }
    return isNegative ? -value : value
  }

  /// Parses a decimal real of at most 15 digits, with an optional minus sign and point. Returns nil for any other text.
  ///
  /// Both the digits as an integer and the power of ten are exact, so their quotient is the nearest real.
  static func shortReal(_ text: ContiguousArray<UInt8>) -> Double? {
    let isNegative = text.first == UInt8(ascii: "-")
    let start = isNegative ? 1 : 0
    guard 1...16 ~= text.count - start, text.last != UInt8(ascii: "."), text[start] != UInt8(ascii: ".") else {
      return nil
    }
    var value: Int64 = 0
    var digitCount = 0
    var divisor = 1.0
    var isFraction = false
    for index in start..<text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else {
        guard text[index] == UInt8(ascii: "."), !isFraction else { return nil }
        isFraction = true
        continue
      }
      value = value &* 10 &+ Int64(digit)
      digitCount += 1
      if isFraction { divisor *= 10 }
    }
    guard digitCount <= 15 else { return nil }
    let magnitude = Double(value) / divisor
    return isNegative ? -magnitude : magnitude
  }

  /// Parses a decimal real, NaN or an infinity.
  static func real(_ text: String) -> Double? {
    // Most texts have no white space to remove.
    if isPlain(text.utf8), let value = Double(text) { return value.isFinite ? value : nil }
    let rest = trimmed(text)
    switch rest.lowercased() {
    // C writes the sign of a NaN.
    case "nan", "+nan", "-nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default: break
    }
    guard isPlain(rest.utf8), let value = Double(rest), value.isFinite else { return nil }
    return value
  }

  /// Returns whether a text has only characters of decimal numbers.
  private static func isPlain(_ text: some Sequence<UInt8>) -> Bool {
    text.allSatisfy {
      switch $0 {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
  }

  private static func trimmed(_ text: String) -> Substring {
    let isBlank = { (scalar: Unicode.Scalar) in scalar.properties.isWhitespace }
    var rest = text.unicodeScalars.drop(while: isBlank)
    while let last = rest.last, isBlank(last) { rest.removeLast() }
    return Substring(rest)
  }
}

/// The text of reals in XML property lists: C's `%.17g`, and names for NaN and the infinities.
package enum RealText {
  package static func text(_ value: Double) -> String {
    if value.isNaN { return "nan" }
    if value.isInfinite { return value < 0 ? "-infinity" : "+infinity" }
    return CLibrary.text(value)
  }

  /// Appends the text of a real.
  ///
  /// For 0 and from 0.001 to 2^53, the 17 digits are calculated here instead of by the C library. They are the upper bits of
  /// the product of the real's 53 bits and a power of ten up to 10^19.
  static func put(_ value: Double, to sink: inout ByteSink) {
    let magnitude = value.magnitude
    guard magnitude == 0 || magnitude >= 1e-3 && magnitude < 9_007_199_254_740_992 else {
      return text(value).withBytes { sink.put($0) }
    }
    if value.sign == .minus { sink.put(UInt8(ascii: "-"), times: 1) }
    guard magnitude != 0 else { return sink.put(UInt8(ascii: "0"), times: 1) }
    // The position of the first digit: 0 for 1 to 9, -1 for 0.1 to 0.9.
    var exponent = 0
    var power = 1.0
    if magnitude < 1 {
      // All three constants are rounded up, and no real is between one of them and its exact value.
      exponent = magnitude >= 0.1 ? -1 : magnitude >= 0.01 ? -2 : -3
    } else {
      while magnitude >= power * 10 {
        power *= 10
        exponent += 1
      }
    }
    var digits = rounded(magnitude, timesTenTo: 16 - exponent)
    if digits == 100_000_000_000_000_000 { exponent += 1 }
    // Zeros at the end are not written.
    var count = digits == 100_000_000_000_000_000 ? 18 : 17
    while digits % 10 == 0 {
      digits /= 10
      count -= 1
    }
    if exponent < 0 {
      sink.put(literal: "0.")
      sink.put(decimal: digits, width: count - 1 - exponent)
    } else if count <= exponent + 1 {
      sink.put(decimal: digits)
      sink.put(UInt8(ascii: "0"), times: exponent + 1 - count)
    } else {
      var unit: UInt64 = 1
      for _ in exponent + 1..<count { unit &*= 10 }
      sink.put(decimal: digits / unit)
      sink.put(UInt8(ascii: "."), times: 1)
      sink.put(decimal: digits % unit, width: count - exponent - 1)
    }
  }

  /// Returns the product of a real and a power of ten, rounded to the nearest integer, and to the even one in the middle.
  /// - Parameters:
  ///   - value: A real from 0.001 to 2^53.
  ///   - exponent: The exponent of the power, 0 to 19. The product is less than 2^63.
  /// - Returns: The product.
  private static func rounded(_ value: Double, timesTenTo exponent: Int) -> UInt64 {
    var power: UInt64 = 1
    for _ in 0..<exponent { power &*= 10 }
    let product = (value.significandBitPattern | 1 << 52).multipliedFullWidth(by: power)
    // The value is its significand divided by 2^shift, which is 0 to 62.
    let shift = UInt64(52 - Int(value.exponent))
    guard shift > 0 else { return product.low }
    let whole = product.high << (64 - shift) | product.low >> shift
    let rest = product.low << (64 - shift)
    let half: UInt64 = 1 << 63
    return rest > half || rest == half && whole & 1 == 1 ? whole + 1 : whole
  }
}
