// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

internal import PNGImages

/// Pixels in the making, opaque.
struct Canvas {
  let side: Int
  private var pixels: [UInt8]

  /// A canvas of one colour.
  init(side: Int) {
    self.side = side
    pixels = [UInt8](repeating: 255, count: 4 * side * side)
  }

  /// The picture as it is.
  var image: PNGImage { PNGImage(unchecked: pixels, width: side, height: side) }

  /// Paints all of the canvas.
  mutating func fill(_ paint: Paint) {
    var everything = Mask(side: side)
    everything.fill(.polygon((0, 0), (1000, 0), (1000, 1000), (0, 1000)))
    draw(everything, paint)
  }

  /// Paints what a mask covers.
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
