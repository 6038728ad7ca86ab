// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A place in a picture, in thousandths of its side; y grows downwards.
struct Point: Hashable {
  var x: Double
  var y: Double

  init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }

  init(_ pair: (Double, Double)) {
    self.init(pair.0, pair.1)
  }

  /// The distance from the origin.
  var length: Double { (x * x + y * y).squareRoot() }

  static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
  static func - (a: Point, b: Point) -> Point { Point(a.x - b.x, a.y - b.y) }
  static func * (a: Point, factor: Double) -> Point { Point(a.x * factor, a.y * factor) }
}
