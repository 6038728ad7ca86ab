// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import TestSupport
import Testing

@testable import ScaryCreatures

/// The coverage of pixels, compared with independent calculations.
@Suite struct MaskTests {
  @Test("covers partial pixels of a rectangle exactly")
  func rectangle() {
    var mask = Mask(side: 10)
    // Here a unit is a hundredth of a pixel.
    mask.fill(.polygon((150, 225), (450, 225), (450, 500), (150, 500)))
    #expect(mask.coverage[2 * 10 + 2] == 191)  // three quarters of 255, rounded
    #expect(mask.coverage[2 * 10 + 1] == 96)  // half of that
    #expect(mask.coverage[3 * 10 + 4] == 128)
    #expect(mask.coverage[3 * 10 + 3] == 255)
    #expect(mask.coverage.count { $0 > 0 } == 12)
  }

  /// A fifth of the polygons; with `WHOLE_TESTS`, all.
  @Test("matches sampling with 1024 points per pixel for random polygons")
  func polygons() {
    var random = Lehmer(state: 20_180_806)
    for number in 0..<25 {
      let corners = (0..<(3 + random.next(6))).map { _ in
        (Double(random.next(1400)) - 200, Double(random.next(1400)) - 200)
      }
      guard Sample.includes(number, each: 5) else { continue }
      let path = Path.polygon(corners)
      var mask = Mask(side: 8)
      mask.fill(path)
      let points = path.contours.flatMap { contour in contour.points.map { ($0.x * 0.008, $0.y * 0.008) } }
      for y in 0..<8 {
        for x in 0..<8 {
          let expected = sampled(points, Double(x), Double(y))
          let found = Double(mask.coverage[y * 8 + x]) / 255
          #expect((found - expected).magnitude < 0.04, "pixel \(x), \(y) of \(corners)")
        }
      }
    }
  }

  @Test("unites overlapping shapes")
  func union() {
    let a = Path.polygon((100, 100), (600, 100), (600, 600), (100, 600))
    let b = Path.polygon((350, 350), (850, 350), (850, 850), (350, 850))
    var once = Mask(side: 20)
    once.fill(a + b)
    var twice = Mask(side: 20)
    twice.fill(a)
    twice.fill(b)
    #expect(once.coverage == twice.coverage)
    #expect(area(once) == 100 + 100 - 25)
  }

  @Test("covers a contour in either orientation")
  func direction() {
    var right = Mask(side: 16)
    right.fill(.polygon((100, 100), (900, 200), (500, 900)))
    var left = Mask(side: 16)
    left.fill(.polygon((500, 900), (900, 200), (100, 100)))
    #expect(right.coverage == left.coverage)
  }

  @Test("clips shapes to the image on all sides")
  func outside() {
    var mask = Mask(side: 8)
    mask.fill(.polygon((-5000, -5000), (6000, -5000), (6000, 6000), (-5000, 6000)))
    #expect(mask.coverage.allSatisfy { $0 == 255 })
    var none = Mask(side: 8)
    none.fill(.circle(-500, 500, 400))
    none.fill(.circle(500, 1500, 400))
    none.stroke(.line((-300, -300), (1300, -300)), width: 100)
    #expect(none.coverage.allSatisfy { $0 == 0 })
  }

  @Test("has the areas of circles and of lines with round ends")
  func areas() {
    var circle = Mask(side: 200)
    circle.fill(.circle(500, 500, 400))
    #expect((area(circle) / (Double.pi * 80 * 80) - 1).magnitude < 0.001)
    var line = Mask(side: 200)
    line.stroke(.line((200, 300), (800, 750)), width: 100)
    #expect((area(line) / (20 * 150 + Double.pi * 100) - 1).magnitude < 0.005)
  }

  @Test("keeps the total coverage in a shadow")
  func shadow() {
    var mask = Mask(side: 100)
    mask.fill(.polygon((300, 300), (700, 300), (700, 500), (300, 500)))
    let shadow = mask.shadow(radius: 30, down: 100)
    #expect((area(shadow) / (40 * 20) - 1).magnitude < 0.1)
    #expect(shadow.coverage[50 * 100 + 50] > 240)
    #expect(shadow.coverage[30 * 100 + 50] == 0)
  }

  /// The total coverage.
  private func area(_ mask: Mask) -> Double {
    var sum = 0
    for value in mask.coverage { sum += Int(value) }
    return Double(sum) / 255
  }

  /// The part of 32 x 32 points of a pixel that are inside a contour.
  private func sampled(_ points: [(Double, Double)], _ x: Double, _ y: Double) -> Double {
    var inside = 0
    for i in 0..<32 {
      for j in 0..<32 {
        let (px, py) = (x + (Double(i) + 0.5) / 32, y + (Double(j) + 0.5) / 32)
        var winding = 0
        for (a, b) in zip(points, points.dropFirst() + points.prefix(1)) where (a.1 <= py) != (b.1 <= py) {
          if a.0 + (py - a.1) / (b.1 - a.1) * (b.0 - a.0) > px { winding += a.1 < b.1 ? 1 : -1 }
        }
        if winding != 0 { inside += 1 }
      }
    }
    return Double(inside) / 1024
  }
}

/// Pseudorandom numbers with a fixed seed.
private struct Lehmer {
  var state: UInt64

  mutating func next(_ limit: Int) -> Int {
    state = state * 48_271 % 2_147_483_647
    return Int(state) % limit
  }
}
