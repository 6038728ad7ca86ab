// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The coverage of each pixel of an image by shapes, 0 to 255.
///
/// Shapes are united: a pixel keeps the larger value.
struct Mask {
  /// The number of pixels in a row, and of rows.
  let side: Int
  /// The coverage, row by row from the top.
  var coverage: [UInt8]
  /// The rows that can have coverage.
  private(set) var rows: Range<Int>

  /// Creates an empty mask.
  init(side: Int) {
    self.side = side
    coverage = [UInt8](repeating: 0, count: side * side)
    rows = 0..<0
  }

  /// The number of pixels per unit of a path.
  private var scale: Double { Double(side) / 1000 }

  /// Adds the inside of a path with exact coverage. Open contours are closed.
  mutating func fill(_ path: Path) {
    var filler = AreaFiller(path, scale: scale, side: side)
    widenRows(filler.rows)
    let columns = filler.columns
    for y in filler.rows {
      let row = filler.coverage(ofRow: y)
      for x in columns where row[x] > 0 {
        let value = UInt8(min(row[x], 1) * 255 + 0.5)
        if value > coverage[y * side + x] { coverage[y * side + x] = value }
      }
    }
  }

  /// Adds a line along a path, with round ends and corners. Its width can change linearly from start to end.
  mutating func stroke(_ path: Path, width: Double, endWidth: Double? = nil) {
    for contour in path.contours {
      var points = contour.points.map { $0 * scale }
      if contour.isClosed, let first = points.first { points.append(first) }
      var length = 0.0
      for (a, b) in zip(points, points.dropFirst()) { length += (b - a).length }
      let start = width * scale / 2
      let change = (endWidth ?? width) * scale / 2 - start
      var passed = 0.0
      for (a, b) in zip(points, points.dropFirst()) {
        let next = passed + (b - a).length
        guard next > passed else { continue }
        addCapsule(a, start + change * passed / length, b, start + change * next / length)
        passed = next
      }
    }
  }

  /// Adds the points within a radius of a segment. The boundary is almost straight within a pixel, so the coverage
  /// follows from the distance of the pixel's center.
  private mutating func addCapsule(_ a: Point, _ radiusA: Double, _ b: Point, _ radiusB: Double) {
    let reach = max(radiusA, radiusB) + 1
    let columns = pixels(from: min(a.x, b.x) - reach, to: max(a.x, b.x) + reach)
    let rows = pixels(from: min(a.y, b.y) - reach, to: max(a.y, b.y) + reach)
    widenRows(rows)
    let d = b - a
    let inverse = 1 / (d.x * d.x + d.y * d.y)
    for y in rows {
      let fromY = Double(y) + 0.5 - a.y
      for x in columns where coverage[y * side + x] != 255 {
        let fromX = Double(x) + 0.5 - a.x
        let t = min(max((fromX * d.x + fromY * d.y) * inverse, 0), 1)
        let (dx, dy) = (fromX - t * d.x, fromY - t * d.y)
        let inside = radiusA + (radiusB - radiusA) * t + 0.5 - (dx * dx + dy * dy).squareRoot()
        guard inside > 0 else { continue }
        let value = UInt8(min(inside, 1) * 255 + 0.5)
        if value > coverage[y * side + x] { coverage[y * side + x] = value }
      }
    }
  }

  /// Intersects the mask with another one.
  mutating func clip(to other: Mask) {
    for i in rows.lowerBound * side..<rows.upperBound * side where coverage[i] > 0 {
      coverage[i] = UInt8((Int(coverage[i]) * Int(other.coverage[i]) + 127) / 255)
    }
  }

  /// Returns a shadow: the mask moved down and blurred. Three box filters over `2 * radius + 1` pixels approximate a
  /// Gaussian.
  func shadow(radius: Double, down: Double) -> Mask {
    let reach = max(1, Int(radius * scale))
    var result = Mask(side: side)
    let drop = Int(down * scale)
    let from = min(max(rows.lowerBound + drop, 0), side)
    let to = max(min(rows.upperBound + drop, side), from)
    for i in from * side..<to * side { result.coverage[i] = coverage[i - drop * side] }
    for _ in 0..<3 {
      for line in 0..<side {
        result.blurLine(start: line * side, step: 1, reach: reach)
        result.blurLine(start: line, step: side, reach: reach)
      }
    }
    // In a shadow 26 levels look smooth, and they compress better than 256.
    for i in result.coverage.indices { result.coverage[i] = result.coverage[i] / 10 * 10 }
    result.rows = 0..<side
    return result
  }

  /// Replaces each value of a row or column by the mean of its neighborhood.
  private mutating func blurLine(start: Int, step: Int, reach: Int) {
    var line = [Int](repeating: 0, count: side + 2 * reach + 1)
    for i in 0..<side { line[i + reach] = Int(coverage[start + i * step]) }
    let width = 2 * reach + 1
    var sum = 0
    for i in 0..<width { sum += line[i] }
    for i in 0..<side {
      coverage[start + i * step] = UInt8((sum + reach) / width)
      sum += line[i + width] - line[i]
    }
  }

  private mutating func widenRows(_ more: Range<Int>) {
    if more.isEmpty { return }
    rows = rows.isEmpty ? more : min(rows.lowerBound, more.lowerBound)..<max(rows.upperBound, more.upperBound)
  }

  /// The pixels that an interval touches, within the image.
  private func pixels(from low: Double, to high: Double) -> Range<Int> {
    let first = Int(min(max(low, 0), Double(side)))
    return first..<max(first, Int(min(max(high + 1, 0), Double(side))))
  }
}
