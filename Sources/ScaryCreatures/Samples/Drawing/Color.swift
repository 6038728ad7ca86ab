// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A colour that may let something shine through.
struct Color: Hashable {
  var red: Double
  var green: Double
  var blue: Double
  /// From 0, nothing to be seen, to 1.
  var alpha = 1.0

  /// A colour as it is written in style sheets, such as `0xFF8800`.
  init(_ number: UInt32) {
    red = Double(number >> 16 & 0xFF)
    green = Double(number >> 8 & 0xFF)
    blue = Double(number & 0xFF)
  }

  /// The same, more transparent.
  func alpha(_ alpha: Double) -> Color {
    var color = self
    color.alpha = alpha
    return color
  }

  /// The colour between this (0) and another (1).
  func mixed(_ other: Color, _ part: Double) -> Color {
    var color = self
    color.red += (other.red - red) * part
    color.green += (other.green - green) * part
    color.blue += (other.blue - blue) * part
    color.alpha += (other.alpha - alpha) * part
    return color
  }

  /// What lines and pupils are drawn in: a very dark violet, friendlier than black.
  static let ink = Color(0x2A2140)
  /// White.
  static let white = Color(0xFFFFFF)
}
