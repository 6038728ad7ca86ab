// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The sine and cosine of an angle, from multiplications and additions alone: a platform's own functions differ in the
/// last digit, and the pictures are to be the same everywhere.
struct Angle {
  let sine: Double
  let cosine: Double

  init(degrees: Double) {
    // The half turn nearest to the angle, so that the series is short: it is used from -90 to 90 degrees.
    let halfTurns = Int(degrees / 180 + (degrees < 0 ? -0.5 : 0.5))
    let x = (degrees - 180 * Double(halfTurns)) * (3.14159265358979324 / 180)
    var (sine, cosine) = (0.0, 0.0)
    var term = 1.0
    for n in stride(from: 0.0, through: 20.0, by: 2.0) {
      cosine += term
      term *= x / (n + 1)
      sine += term
      term *= -x / (n + 2)
    }
    self.sine = halfTurns % 2 == 0 ? sine : -sine
    self.cosine = halfTurns % 2 == 0 ? cosine : -cosine
  }
}
