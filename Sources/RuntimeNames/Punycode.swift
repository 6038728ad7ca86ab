// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Identifiers outside of ASCII in mangled names.
///
/// The algorithm is that of RFC 3492. The delimiter is `_`, and the digits are `a` to `z` and `A` to `J`, as
/// `docs/ABI/Mangling.rst` of Swift describes.
enum Punycode {
  /// Returns the name in UTF-8.
  static func decoded(_ text: ArraySlice<UInt8>) throws(UnsupportedName) -> [UInt8] {
    var scalars: [Unicode.Scalar] = []
    var rest = text
    if let delimiter = text.lastIndex(of: UInt8(ascii: "_")) {
      for byte in text[..<delimiter] {
        guard byte < 0x80 else { throw UnsupportedName() }
        scalars.append(Unicode.Scalar(byte))
      }
      rest = text[(delimiter + 1)...]
    }
    // 64 bits, because products do not fit in the 32 bits of `Int` on some watches.
    var scalar: Int64 = 128
    var place: Int64 = 0
    var bias: Int64 = 72
    while !rest.isEmpty {
      let start = place
      var weight: Int64 = 1
      var threshold: Int64 = 36
      while true {
        guard let byte = rest.popFirst() else { throw UnsupportedName() }
        let digit: Int64
        if byte.isLowercase {
          digit = Int64(byte - UInt8(ascii: "a"))
        } else if (UInt8(ascii: "A")...UInt8(ascii: "J")).contains(byte) {
          digit = Int64(byte - UInt8(ascii: "A")) + 26
        } else {
          throw UnsupportedName()
        }
        place += digit * weight
        let limit = min(max(threshold - bias, 1), 26)
        guard digit >= limit else { break }
        // No place in a name of limited length is larger. Both factors stay below a product that overflows.
        guard place <= maximum else { throw UnsupportedName() }
        weight *= 36 - limit
        guard weight <= maximum else { throw UnsupportedName() }
        threshold += 36
      }
      guard place <= maximum else { throw UnsupportedName() }
      let count = Int64(scalars.count) + 1
      bias = adapted(place - start, count, isFirst: start == 0)
      scalar += place / count
      place %= count
      scalars.insert(try character(scalar), at: Int(place))
      place += 1
    }
    return Array(String(String.UnicodeScalarView(scalars)).utf8)
  }

  private static let maximum = 0x10FFFF * (Int64(NameBytes.limit) + 1)

  private static func adapted(_ difference: Int64, _ count: Int64, isFirst: Bool) -> Int64 {
    var delta = isFirst ? difference / 700 : difference / 2
    delta += delta / count
    var steps: Int64 = 0
    while delta > 455 {
      delta /= 35
      steps += 36
    }
    return steps + 36 * delta / (delta + 38)
  }

  /// Returns the character for a number. Those of surrogates stand for ASCII characters that no symbol may contain.
  private static func character(_ number: Int64) throws(UnsupportedName) -> Unicode.Scalar {
    let number = (0xD800..<0xD880).contains(number) ? number - 0xD800 : number
    guard let value = UInt32(exactly: number), let scalar = Unicode.Scalar(value) else { throw UnsupportedName() }
    return scalar
  }
}
