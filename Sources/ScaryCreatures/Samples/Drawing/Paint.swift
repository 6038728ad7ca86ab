// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What a shape is filled with.
enum Paint {
  /// One colour.
  case flat(Color)
  /// From one colour at a height to another further down.
  case down(Color, from: Double, Color, to: Double)
  /// From one colour in the middle to another at a radius.
  case radial(Color, Color, x: Double, y: Double, radius: Double)

  /// The colour at a place.
  func color(_ x: Double, _ y: Double) -> Color {
    switch self {
    case .flat(let color): return color
    case .down(let upper, let from, let lower, let to):
      return Self.step(upper, lower, min(max((y - from) / (to - from), 0), 1))
    case .radial(let inner, let outer, let centerX, let centerY, let radius):
      return Self.step(inner, outer, min(Point(x - centerX, y - centerY).length / radius, 1))
    }
  }

  /// A colour between two, in steps so small that nobody sees them. Red, green and blue change at the same places, which
  /// halves the files.
  private static func step(_ a: Color, _ b: Color, _ part: Double) -> Color {
    let difference = max((a.red - b.red).magnitude, (a.green - b.green).magnitude, (a.blue - b.blue).magnitude)
    let count = Double(Int(difference / 2) + 1)
    return a.mixed(b, Double(Int(part * count + 0.5)) / count)
  }
}
