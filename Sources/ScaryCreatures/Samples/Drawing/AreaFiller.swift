// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Computes the part of each pixel that a path covers, row by row. A point is inside if the winding number is not zero.
///
/// A row of pixels is divided into bands at every height where an edge begins, ends or crosses another. Within a band
/// the order of the edges is constant. Therefore each boundary of the inside is one edge, and the area beside it is a
/// trapezoid. The result is exact except for rounding, without sampling.
struct AreaFiller {
  /// A line segment from its upper to its lower end.
  private struct Edge {
    let top: Point
    let bottom: Point
    /// 1 if the contour runs down, -1 if it runs up.
    let winding: Int

    func x(at y: Double) -> Double {
      if y <= top.y { return top.x }
      if y >= bottom.y { return bottom.x }
      return top.x + (bottom.x - top.x) * ((y - top.y) / (bottom.y - top.y))
    }
  }

  /// The rows and columns of pixels that the path can touch.
  let rows: Range<Int>
  let columns: Range<Int>
  private let side: Int
  /// All edges, topmost first.
  private let edges: [Edge]
  private var nextEdge = 0
  /// The edges in the current row.
  private var active: [Edge] = []
  /// The change of coverage from each pixel to the next.
  private var changes: [Double]

  init(_ path: Path, scale: Double, side: Int) {
    var edges: [Edge] = []
    for contour in path.contours {
      let points = contour.points.map { $0 * scale }
      for (a, b) in zip(points, points.dropFirst() + points.prefix(1)) where a.y != b.y {
        edges.append(a.y < b.y ? Edge(top: a, bottom: b, winding: 1) : Edge(top: b, bottom: a, winding: -1))
      }
    }
    edges.sort { ($0.top.y, $0.top.x, $0.bottom.x) < ($1.top.y, $1.top.x, $1.bottom.x) }
    let limit = Double(side)
    func pixel(_ value: Double) -> Int { Int(min(max(value, 0), limit)) }
    let lefts = edges.map { min($0.top.x, $0.bottom.x) }.min() ?? 0
    let rights = edges.map { max($0.top.x, $0.bottom.x) }.max() ?? 0
    columns = pixel(lefts)..<max(pixel(lefts), pixel(rights + 1))
    rows = pixel(edges.first?.top.y ?? 0)..<pixel((edges.map(\.bottom.y).max() ?? 0) + 1)
    self.edges = edges
    self.side = side
    changes = [Double](repeating: 0, count: side + 2)
  }

  /// Computes the coverage of each pixel of a row, 0 to 1. The caller requests rows from top to bottom.
  mutating func coverage(ofRow row: Int) -> [Double] {
    let (top, bottom) = (Double(row), Double(row + 1))
    active.removeAll { $0.bottom.y <= top }
    while nextEdge < edges.count, edges[nextEdge].top.y < bottom {
      if edges[nextEdge].bottom.y > top { active.append(edges[nextEdge]) }
      nextEdge += 1
    }
    for i in changes.indices { changes[i] = 0 }
    let cuts = cuts(from: top, to: bottom)
    for (y0, y1) in zip(cuts, cuts.dropFirst()) where y1 > y0 { addBand(y0, y1) }
    var sum = 0.0
    return changes.map { change in
      sum += change
      return sum
    }
  }

  /// The heights within a row where the order of edges can change.
  private func cuts(from top: Double, to bottom: Double) -> [Double] {
    var cuts = [top, bottom]
    for (i, a) in active.enumerated() {
      if a.top.y > top { cuts.append(a.top.y) }
      if a.bottom.y < bottom { cuts.append(a.bottom.y) }
      for b in active[..<i] {
        let (low, high) = (max(a.top.y, b.top.y, top), min(a.bottom.y, b.bottom.y, bottom))
        guard low < high else { continue }
        let (before, after) = (a.x(at: low) - b.x(at: low), a.x(at: high) - b.x(at: high))
        if before < 0 && after > 0 || before > 0 && after < 0 {
          cuts.append(low + (high - low) * (before / (before - after)))
        }
      }
    }
    cuts.sort()
    return cuts
  }

  /// Adds the inside between two heights.
  private mutating func addBand(_ y0: Double, _ y1: Double) {
    let middle = (y0 + y1) / 2
    let crossed = active.filter { $0.top.y < middle && $0.bottom.y > middle }
      .map { (x: $0.x(at: middle), edge: $0) }.sorted { $0.x < $1.x }
    var winding = 0
    for (_, edge) in crossed {
      let before = winding
      winding += edge.winding
      if before == 0 {
        addRightOf(Point(edge.x(at: y0), y0), Point(edge.x(at: y1), y1), sign: 1)
      } else if winding == 0 {
        addRightOf(Point(edge.x(at: y0), y0), Point(edge.x(at: y1), y1), sign: -1)
      }
    }
  }

  /// Adds or subtracts the area to the right of a segment.
  private mutating func addRightOf(_ a: Point, _ b: Point, sign: Double) {
    let (left, right) = a.x < b.x ? (a, b) : (b, a)
    let height = sign * (b.y - a.y)
    let limit = Double(side)
    guard left.x < limit else { return }
    if right.x <= 0 {
      changes[0] += height
      return
    }
    guard right.x > left.x else { return add(height, at: left.x) }
    // The height for each step to the right.
    let slope = height / (right.x - left.x)
    var x = left.x
    if x < 0 {
      changes[0] += slope * -x
      x = 0
    }
    let end = min(right.x, limit)
    while x < end {
      let next = min(Double(Int(x) + 1), end)
      add(slope * (next - x), at: (x + next) / 2, in: Int(x))
      x = next
    }
  }

  /// Adds a height whose edge has its center at `x`: the pixel gets the part to the right of it, and later pixels get
  /// all.
  private mutating func add(_ height: Double, at x: Double, in pixel: Int? = nil) {
    let pixel = pixel ?? Int(x)
    let leftPart = x - Double(pixel)
    changes[pixel] += height * (1 - leftPart)
    changes[pixel + 1] += height * leftPart
  }
}
