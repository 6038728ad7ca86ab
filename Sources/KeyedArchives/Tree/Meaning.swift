// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import PropertyListFormat

/// The value that an object represents, or its name, in a few words.
package struct Meaning: Sendable {
  /// The part of the object that the text represents.
  package enum Kind: Sendable {
    /// All of it, for example a color.
    case value
    /// The most important part, for example the family and the size of a font.
    case summary
    /// Its name or another value that identifies it.
    case name
  }

  /// The notation of the text.
  package enum Notation: Sendable {
    /// A string, which is shown in quotes.
    case string
    case number
    /// Other notations, such as that of a color.
    case plain
  }

  package let kind: Kind
  package let notation: Notation
  /// The text, which may contain any characters of the archive.
  package let text: String
  /// The color to show next to the text.
  package let color: Color?

  init(_ kind: Kind, _ text: String, as notation: Notation = .plain, color: Color? = nil) {
    self.kind = kind
    self.text = text
    self.notation = notation
    self.color = color
  }

  /// An RGB color with 8 bits per component.
  package struct Color: Sendable, Equatable {
    package let red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8

    /// Creates a color from components from 0 to 1; others are clamped. Returns nil for NaN and infinities.
    package init?(red: Double, green: Double, blue: Double, alpha: Double = 1) {
      func byte(_ value: Double) -> UInt8? {
        value.isFinite ? UInt8((min(max(value, 0), 1) * 255).rounded()) : nil
      }
      guard let red = byte(red), let green = byte(green), let blue = byte(blue), let alpha = byte(alpha) else {
        return nil
      }
      (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }

    /// The color as `#rrggbb`, or as `#rrggbbaa` if it is not opaque.
    package var text: String {
      "#" + HexText.bytes(alpha == 255 ? [red, green, blue] : [red, green, blue, alpha])
    }
  }
}

extension Meaning {
  /// Returns the color in the data of `NSRGB` or `NSWhite`: numbers as text, separated by spaces, up to a zero byte.
  package static func color(ofComponents bytes: Data, key: String) -> Meaning? {
    guard let values = numbers(bytes) else { return nil }
    switch (key, values.count) {
    case ("NSRGB", 3), ("NSRGB", 4): return color(values[0], values[1], values[2], values.count > 3 ? values[3] : 1)
    case ("NSWhite", 1), ("NSWhite", 2): return gray(values[0], values.count > 1 ? values[1] : 1)
    case ("NSCMYK", 4), ("NSCMYK", 5): return cmyk(values)
    default: return nil
    }
  }

  static func color(_ red: Double, _ green: Double, _ blue: Double, _ alpha: Double) -> Meaning? {
    guard let color = Color(red: red, green: green, blue: blue, alpha: alpha) else { return nil }
    let isClamped = [red, green, blue, alpha].contains { $0 < 0 || $0 > 1 }
    // Wide-gamut colors have components outside of 0 to 1.
    return Meaning(.value, color.text + (isClamped ? " (clamped)" : ""), color: color)
  }

  static func gray(_ white: Double, _ alpha: Double) -> Meaning? { color(white, white, white, alpha) }

  /// Returns the inks in percent. The color on screen depends on a profile, so the swatch is an approximation.
  private static func cmyk(_ values: [Double]) -> Meaning? {
    guard values.allSatisfy({ 0...1 ~= $0 }) else { return nil }
    let alpha = values.count > 4 ? values[4] : 1
    let light = values[..<3].map { (1 - $0) * (1 - values[3]) }
    let inks = values[..<4].map { "\(Int(($0 * 100).rounded()))%" }.joined(separator: " ")
    let opacity = alpha < 1 ? ", \(Int((alpha * 100).rounded()))% opaque" : ""
    return Meaning(
      .value, "CMYK \(inks)\(opacity)", color: Color(red: light[0], green: light[1], blue: light[2], alpha: alpha))
  }

  private static func numbers(_ bytes: Data) -> [Double]? {
    guard bytes.count <= 256 else { return nil }
    var values: [Double] = []
    for part in bytes.prefix(while: { $0 != 0 }).split(separator: UInt8(ascii: " ")) {
      guard let text = String(validUTF8: [UInt8](part)), let value = Double(text), value.isFinite, values.count < 5
      else {
        return nil
      }
      values.append(value)
    }
    return values
  }

  /// Returns a number without a fraction of zero.
  static func text(_ value: Double) -> String {
    let text = "\(value)"
    return text.rest(before: ".0").map { String($0) } ?? text
  }

  /// Returns a decimal number with the digits of a significand.
  static func decimal(_ digits: String, exponent: Int, isNegative: Bool) -> String {
    let sign = isNegative ? "-" : ""
    guard exponent < 0 else { return sign + digits + String(repeating: "0", count: exponent) }
    let zeros = String(repeating: "0", count: max(0, 1 - exponent - digits.utf8.count))
    let padded = zeros + digits
    let point = padded.index(padded.endIndex, offsetBy: exponent)
    return sign + padded[..<point] + "." + padded[point...]
  }
}

extension ValueText {
  /// Returns a meaning, escaped for terminals.
  package func text(_ meaning: Meaning, limit: Int = maximumLength) -> String {
    switch meaning.notation {
    case .string: return style(.string, EscapedText.quoted(meaning.text, limit: limit))
    case .number, .plain:
      let start = meaning.text.unicodeScalars.prefix(limit)
      let isCut = start.endIndex < meaning.text.endIndex
      return style(.number, EscapedText.plain(String(start)) + (isCut ? "…" : ""))
    }
  }
}
