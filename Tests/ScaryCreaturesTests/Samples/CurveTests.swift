// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import Testing

@testable import ScaryCreatures

@Suite struct CurveTests {
  @Test("match the platform's sine and cosine")
  func angles() {
    for degrees in stride(from: -725.0, through: 725, by: 2.5) {
      let angle = Angle(degrees: degrees)
      #expect((angle.sine - sin(degrees * .pi / 180)).magnitude < 1e-12)
      #expect((angle.cosine - cos(degrees * .pi / 180)).magnitude < 1e-12)
    }
  }

  @Test("pass through all points")
  func throughPoints() throws {
    let wanted = [(100.0, 500.0), (300, 200), (320, 210), (900, 800)]
    let open = try #require(Path.line((100, 500), (300, 200), (320, 210), (900, 800)).contours.first)
    #expect(!open.isClosed)
    #expect(open.points.first == Point(100, 500))
    #expect(open.points.last == Point(900, 800))
    for point in wanted {
      #expect(open.points.contains { ($0 - Point(point)).length < 1e-9 })
    }
  }

  @Test("have corners at repeated points")
  func corners() throws {
    let line = try #require(Path.line((0, 0), (500, 0), (500, 0), (500, 700)).contours.first)
    #expect(line.points.allSatisfy { ($0.y.magnitude < 1e-9) || ($0.x - 500).magnitude < 1e-9 })
  }

  @Test("approximate a circle to 1/2000")
  func circle() throws {
    let circle = try #require(Path.circle(500, 500, 400).contours.first)
    for point in circle.points { #expect((Point(point.x - 500, point.y - 500).length - 400).magnitude < 0.2) }
  }

  @Test("are transformed correctly")
  func copies() throws {
    let path = Path.polygon((100, 100), (200, 100), (200, 300))
    func near(_ path: Path, _ point: (Double, Double)) -> Bool {
      path.contours.flatMap(\.points).contains { ($0 - Point(point)).length < 1e-9 }
    }
    #expect(near(path.turned(90, around: (100, 100)), (-100, 200)))
    #expect(near(path.moved(5, -5), (205, 295)))
    #expect(near(path.mirrored, (800, 300)))
    #expect(near(path.scaled(2, around: (100, 100)), (300, 500)))
    #expect(path.twice.contours.count == 2)
  }
}
