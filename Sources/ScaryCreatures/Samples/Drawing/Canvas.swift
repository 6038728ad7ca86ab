// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PNGImages

/// An opaque image that can be painted on.
struct Canvas {
  let side: Int
  private var pixels: [UInt8]

  /// Creates a white canvas.
  init(side: Int) {
    self.side = side
    pixels = [UInt8](repeating: 255, count: 4 * side * side)
  }

  /// The image.
  var image: PNGImage { PNGImage(unchecked: pixels, width: side, height: side) }

  /// Paints the whole canvas.
  mutating func fill(_ paint: Paint) {
    var everything = Mask(side: side)
    everything.fill(.polygon((0, 0), (1000, 0), (1000, 1000), (0, 1000)))
    draw(everything, paint)
  }

  /// Paints the area that a mask covers.
  mutating func draw(_ mask: Mask, _ paint: Paint) {
    let unit = 1000 / Double(side)
    var isFlat = false
    if case .flat = paint { isFlat = true }
    var color = paint.color(0, 0)
    for y in mask.rows {
      for x in 0..<side {
        let covered = mask.coverage[y * side + x]
        if covered == 0 { continue }
        if !isFlat { color = paint.color((Double(x) + 0.5) * unit, (Double(y) + 0.5) * unit) }
        let part = color.alpha * Double(covered) / 255
        let i = 4 * (y * side + x)
        pixels[i] = Self.mixed(pixels[i], color.red, part)
        pixels[i + 1] = Self.mixed(pixels[i + 1], color.green, part)
        pixels[i + 2] = Self.mixed(pixels[i + 2], color.blue, part)
      }
    }
  }

  private static func mixed(_ below: UInt8, _ above: Double, _ part: Double) -> UInt8 {
    let below = Double(below)
    return UInt8(below + (above - below) * part + 0.5)
  }
}

/// A fill: a color or a gradient.
enum Paint {
  /// One color.
  case flat(Color)
  /// A linear gradient from one height down to another.
  case down(Color, from: Double, Color, to: Double)
  /// A radial gradient from a center to a radius.
  case radial(Color, Color, x: Double, y: Double, radius: Double)

  /// The color at a point.
  func color(_ x: Double, _ y: Double) -> Color {
    switch self {
    case .flat(let color): return color
    case .down(let upper, let from, let lower, let to):
      return Self.step(upper, lower, min(max((y - from) / (to - from), 0), 1))
    case .radial(let inner, let outer, let centerX, let centerY, let radius):
      return Self.step(inner, outer, min(Point(x - centerX, y - centerY).length / radius, 1))
    }
  }

  /// Mixes two colors in small steps. All channels change at the same points, which halves the size of the file.
  private static func step(_ a: Color, _ b: Color, _ part: Double) -> Color {
    let difference = max((a.red - b.red).magnitude, (a.green - b.green).magnitude, (a.blue - b.blue).magnitude)
    let count = Double(Int(difference / 2) + 1)
    return a.mixed(b, Double(Int(part * count + 0.5)) / count)
  }
}

/// A color with opacity.
struct Color: Hashable {
  var red: Double
  var green: Double
  var blue: Double
  /// The opacity, from 0, transparent, to 1.
  var alpha = 1.0

  /// Creates a color from a number such as `0xFF8800`, as in style sheets.
  init(_ number: UInt32) {
    red = Double(number >> 16 & 0xFF)
    green = Double(number >> 8 & 0xFF)
    blue = Double(number & 0xFF)
  }

  /// Returns the color with another opacity.
  func alpha(_ alpha: Double) -> Color {
    var color = self
    color.alpha = alpha
    return color
  }

  /// Returns a mix of this color (0) and another one (1).
  func mixed(_ other: Color, _ part: Double) -> Color {
    var color = self
    color.red += (other.red - red) * part
    color.green += (other.green - green) * part
    color.blue += (other.blue - blue) * part
    color.alpha += (other.alpha - alpha) * part
    return color
  }

  /// The color of lines and pupils, a very dark violet.
  static let ink = Color(0x2A2140)
  /// White.
  static let white = Color(0xFFFFFF)
}
