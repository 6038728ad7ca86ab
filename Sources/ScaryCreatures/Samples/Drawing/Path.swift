// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A path to fill or stroke. Curves are flattened when they are created.
struct Path {
  /// A line through points, open or closed.
  struct Contour {
    var points: [Point]
    var isClosed: Bool
  }

  private(set) var contours: [Contour] = []

  /// Creates a closed contour with a fixed orientation, so that overlapping contours unite.
  private init(closed points: [Point]) {
    var twiceTheArea = 0.0
    for (a, b) in zip(points, points.dropFirst() + points.prefix(1)) { twiceTheArea += a.x * b.y - b.x * a.y }
    contours = [Contour(points: twiceTheArea < 0 ? points.reversed() : points, isClosed: true)]
  }

  private init(open points: [Point]) {
    contours = [Contour(points: points, isClosed: false)]
  }

  private init(_ contours: [Contour]) {
    self.contours = contours
  }

  /// Combines two paths.
  static func + (a: Path, b: Path) -> Path { Path(a.contours + b.contours) }

  // MARK: Shapes

  /// A polygon.
  static func polygon(_ points: (Double, Double)...) -> Path {
    polygon(points)
  }

  /// A polygon.
  static func polygon(_ points: [(Double, Double)]) -> Path {
    Path(closed: points.map(Point.init))
  }

  /// A closed curve through points. A repeated point is a corner.
  static func blob(_ points: (Double, Double)...) -> Path {
    Path(closed: Curve.through(points.map(Point.init), isClosed: true))
  }

  /// An open curve through points. A repeated point is a corner.
  static func line(_ points: (Double, Double)...) -> Path {
    Path(open: Curve.through(points.map(Point.init), isClosed: false))
  }

  /// An ellipse.
  static func ellipse(_ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double) -> Path {
    // The distance of the control points of a quarter circle: 4/3 (sqrt 2 - 1) of the radius.
    let pull = 4.0 / 3.0 * ((2.0).squareRoot() - 1)
    let (px, py) = (radiusX * pull, radiusY * pull)
    let (right, bottom) = (Point(x + radiusX, y), Point(x, y + radiusY))
    let (left, top) = (Point(x - radiusX, y), Point(x, y - radiusY))
    var points: [Point] = []
    Curve.append(right, Point(right.x, y + py), Point(x + px, bottom.y), bottom, to: &points)
    Curve.append(bottom, Point(x - px, bottom.y), Point(left.x, y + py), left, to: &points)
    Curve.append(left, Point(left.x, y - py), Point(x - px, top.y), top, to: &points)
    Curve.append(top, Point(x + px, top.y), Point(right.x, y - py), right, to: &points)
    return Path(closed: points)
  }

  /// A circle.
  static func circle(_ x: Double, _ y: Double, _ radius: Double) -> Path {
    ellipse(x, y, radius, radius)
  }

  /// A closed contour of fur: tufts on an ellipse that extend by `depth`.
  static func fur(
    _ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double, tufts: Int, depth: Double
  ) -> Path {
    var points: [Point] = []
    for i in 0..<tufts {
      let step = 360 / Double(tufts)
      for (offset, reach) in [(0.0, 0.0), (0.0, 0.0), (0.34, 0.62), (0.62, 1.0), (0.62, 1.0), (0.86, 0.4)] {
        let angle = Angle(degrees: (Double(i) + offset) * step)
        points.append(
          Point(x + (radiusX + depth * reach) * angle.cosine, y + (radiusY + depth * reach) * angle.sine))
      }
    }
    return Path(closed: Curve.through(points, isClosed: true))
  }

  // MARK: Copies

  /// Returns the path rotated clockwise.
  func turned(_ degrees: Double, around center: (Double, Double)) -> Path {
    let angle = Angle(degrees: degrees)
    let center = Point(center)
    return map { point in
      let d = point - center
      return center + Point(d.x * angle.cosine - d.y * angle.sine, d.x * angle.sine + d.y * angle.cosine)
    }
  }

  /// Returns the path translated.
  func moved(_ x: Double, _ y: Double) -> Path {
    map { $0 + Point(x, y) }
  }

  /// Returns the path scaled.
  func scaled(_ factor: Double, around center: (Double, Double) = (0, 0)) -> Path {
    map { Point(center) + ($0 - Point(center)) * factor }
  }

  /// The path reflected in the vertical center line of the image.
  var mirrored: Path {
    Path(
      contours.map { contour in
        let points = contour.points.map { Point(1000 - $0.x, $0.y) }
        // A reflection reverses the orientation.
        return Contour(points: contour.isClosed ? points.reversed() : points, isClosed: contour.isClosed)
      })
  }

  /// The path with its mirror image.
  var twice: Path { self + mirrored }

  private func map(_ transform: (Point) -> Point) -> Path {
    Path(contours.map { Contour(points: $0.points.map(transform), isClosed: $0.isClosed) })
  }
}

/// Curves, flattened to line segments.
enum Curve {
  /// The maximum distance of a segment from its curve, in thousandths of the image's side.
  private static let tolerance = 0.05

  /// Appends a cubic Bézier curve without its start.
  static func append(_ start: Point, _ control1: Point, _ control2: Point, _ end: Point, to points: inout [Point]) {
    // With n segments, the error is at most an eighth of the second derivative, divided by n squared.
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

  /// Returns a smooth line through points: a centripetal Catmull-Rom spline, which adds no loops or cusps. A repeated
  /// point is a corner.
  static func through(_ points: [Point], isClosed: Bool) -> [Point] {
    let count = points.count
    guard count > 1 else { return points }
    /// The point at an index, which can be just outside the range.
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

  /// The control point beside `b` for the part from `b` to `c`, after `a`.
  private static func control(_ a: Point, _ b: Point, _ c: Point) -> Point {
    let before = (b - a).length
    let after = (c - b).length
    guard before > 0 else { return b }
    // The distance between knots is the square root of that between points.
    let product = (before * after).squareRoot()
    let sum = c * before - a * after + b * (2 * before + 3 * product + after)
    return sum * (1 / (3 * (before + product)))
  }
}

/// A point of an image, in thousandths of its side; y increases downward.
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

/// The sine and the cosine of an angle, computed only by additions and multiplications. The functions of platforms
/// differ in the last digit, but the images must be equal on all of them.
struct Angle {
  let sine: Double
  let cosine: Double

  init(degrees: Double) {
    // The nearest half turn, so that the series is used from -90 to 90 degrees, where it is short.
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
