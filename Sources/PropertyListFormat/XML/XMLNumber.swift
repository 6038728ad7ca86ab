// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Numbers as XML property lists spell them.
enum XMLNumber {
  /// An integer: decimal or, with `0x`, hexadecimal; with a sign; between -2^63 and 2^64.
  static func integer(_ text: String) -> Int128? {
    var rest = trimmed(text)
    var isNegative = false
    if let sign = rest.utf8.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") {
      isNegative = sign == UInt8(ascii: "-")
      rest = Substring(rest.utf8.dropFirst())
    }
    let isHex = rest.hasPrefix("0x") || rest.hasPrefix("0X")
    if isHex { rest = Substring(rest.utf8.dropFirst(2)) }
    // Swift's own reading would take one more sign.
    guard let first = rest.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-"),
      let magnitude = UInt64(rest, radix: isHex ? 16 : 10)
    else { return nil }
    let value = isNegative ? -Int128(magnitude) : Int128(magnitude)
    return value >= Int128(Int64.min) ? value : nil
  }

  /// A real: decimal, or one of the names of the values that are no numbers.
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
