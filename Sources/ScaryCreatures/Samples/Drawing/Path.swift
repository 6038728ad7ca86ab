// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Lines that are filled or stroked. Curves are cut into short straight pieces as soon as they are made.
struct Path {
  /// A line through points, with or without a way back to its start.
  struct Contour {
    var points: [Point]
    var isClosed: Bool
  }

  private(set) var contours: [Contour] = []

  /// A closed contour; it always runs the same way round, so that overlapping ones add up to their union.
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

  /// Both.
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

  /// A closed curve through points. A point that is given twice is a corner.
  static func blob(_ points: (Double, Double)...) -> Path {
    Path(closed: Curve.through(points.map(Point.init), isClosed: true))
  }

  /// An open curve through points. A point that is given twice is a corner.
  static func line(_ points: (Double, Double)...) -> Path {
    Path(open: Curve.through(points.map(Point.init), isClosed: false))
  }

  /// An ellipse.
  static func ellipse(_ x: Double, _ y: Double, _ radiusX: Double, _ radiusY: Double) -> Path {
    // How far the control points of a quarter lie, as a part of the radius: 4/3 (sqrt 2 - 1).
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

  /// A closed contour of fur: tufts that stand on an ellipse, every second point further out by `depth`.
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

  /// The same turned clockwise.
  func turned(_ degrees: Double, around center: (Double, Double)) -> Path {
    let angle = Angle(degrees: degrees)
    let center = Point(center)
    return map { point in
      let d = point - center
      return center + Point(d.x * angle.cosine - d.y * angle.sine, d.x * angle.sine + d.y * angle.cosine)
    }
  }

  /// The same elsewhere.
  func moved(_ x: Double, _ y: Double) -> Path {
    map { $0 + Point(x, y) }
  }

  /// The same, larger or smaller.
  func scaled(_ factor: Double, around center: (Double, Double) = (0, 0)) -> Path {
    map { Point(center) + ($0 - Point(center)) * factor }
  }

  /// The same as a mirror shows it that stands upright in the middle of the picture.
  var mirrored: Path {
    Path(
      contours.map { contour in
        let points = contour.points.map { Point(1000 - $0.x, $0.y) }
        // A mirror turns the way round about.
        return Contour(points: contour.isClosed ? points.reversed() : points, isClosed: contour.isClosed)
      })
  }

  /// The path and its mirror image.
  var twice: Path { self + mirrored }

  private func map(_ transform: (Point) -> Point) -> Path {
    Path(contours.map { Contour(points: $0.points.map(transform), isClosed: $0.isClosed) })
  }
}
