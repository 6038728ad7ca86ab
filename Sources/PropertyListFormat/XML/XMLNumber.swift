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

  /// Parses a decimal real, NaN or an infinity.
  static func real(_ text: String) -> Double? {
    let rest = trimmed(text)
    switch rest.lowercased() {
    case "nan": return .nan
    case "inf", "+inf", "infinity", "+infinity": return .infinity
    case "-inf", "-infinity": return -.infinity
    default: break
    }
    let isPlain = rest.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "e"), UInt8(ascii: "E"):
        true
      default: false
      }
    }
    guard isPlain, let value = Double(rest), value.isFinite else { return nil }
    return value
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
}
