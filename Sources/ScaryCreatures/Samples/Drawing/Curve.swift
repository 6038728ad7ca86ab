// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Curves as straight pieces.
enum Curve {
  /// How far a piece may be from its curve, in thousandths of the picture's side.
  private static let tolerance = 0.05

  /// Appends a cubic Bézier curve, all but its start.
  static func append(_ start: Point, _ control1: Point, _ control2: Point, _ end: Point, to points: inout [Point]) {
    // Cut into n pieces, a curve is off by at most an eighth of its second derivative over n squared.
    let bend1 = (start - control1 * 2 + control2).length
    let bend2 = (control1 - control2 * 2 + end).length
    let count = 1 + Int((6 * max(bend1, bend2) / (8 * tolerance)).squareRoot())
    for i in 1...count {
      let t = Double(i) / Double(count)
      let s = 1 - t
      points.append(
        start * (s * s * s) + control1 * (3 * s * s * t) + control2 * (3 * s * t * t) + end * (t * t * t))
    }
  }

  /// A smooth line through all of the points: a centripetal Catmull-Rom spline, which makes no loops or cusps of its own.
  /// A point that is there twice is a corner.
  static func through(_ points: [Point], isClosed: Bool) -> [Point] {
    let count = points.count
    guard count > 1 else { return points }
    /// The point at an index that may be just outside.
    func point(_ i: Int) -> Point {
      isClosed ? points[(i + count) % count] : points[min(max(i, 0), count - 1)]
    }
    var result = [points[0]]
    for i in 0..<(isClosed ? count : count - 1) {
      let (a, b, c, d) = (point(i - 1), point(i), point(i + 1), point(i + 2))
      if b == c { continue }
      append(b, control(a, b, c), control(d, c, b), c, to: &result)
    }
    return result
  }

  /// The control point beside `b` on the way from `b` to `c`, coming from `a`.
  private static func control(_ a: Point, _ b: Point, _ c: Point) -> Point {
    let before = (b - a).length
    let after = (c - b).length
    guard before > 0 else { return b }
    // Knots are as far apart as the roots of the distances.
    let product = (before * after).squareRoot()
    let sum = c * before - a * after + b * (2 * before + 3 * product + after)
    return sum * (1 / (3 * (before + product)))
  }
}
