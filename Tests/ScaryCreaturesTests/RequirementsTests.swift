// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@Suite("Requirements page")
struct RequirementsTests {
  private static func page() throws -> String {
    try String(
      contentsOf: Locations.package.appending(path: "Sources/ScaryCreatures/ScaryCreatures.docc/Requirements.md"),
      encoding: .utf8)
  }

  @Test("has a row for each of A1 to A51, and each row a test")
  func rows() throws {
    let rows = try Self.page().split(separator: "\n").filter { $0.contains(/^\| A\d+ \|/) }
    #expect(
      rows.map { String($0.split(separator: " ", maxSplits: 2)[1]) } == (1...51).map { "A\($0)" })
    for row in rows { #expect(row.split(separator: "|").last?.contains("Tests/") == true, "\(row)") }
  }

  @Test("names tests that exist")
  func tests() throws {
    let names = try Self.page().matches(of: /`(\w+Tests)\.(\w+)\/(\w+)`/)
    #expect(names.count > 60)
    var tests = TestNames()
    for name in names { #expect(try tests.contains(name.0.dropFirst().dropLast()), "\(name.0)") }
  }
}
