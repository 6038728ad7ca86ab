// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@Suite("Requirements page")
struct DefaultsRequirementsTests {
  private static func page() throws -> String {
    try String(
      contentsOf: Locations.package.appending(path: "Sources/TypedDefaults/TypedDefaults.docc/Requirements.md"),
      encoding: .utf8)
  }

  @Test("has a row with a test for each of B1 to B42")
  func rows() throws {
    let rows = try Self.page().split(separator: "\n").filter { $0.contains(/^\| B\d+ \|/) }
    #expect(rows.map { String($0.split(separator: " ", maxSplits: 2)[1]) } == (1...42).map { "B\($0)" })
    for row in rows { #expect(row.split(separator: "|").last?.contains("Tests/") == true, "\(row)") }
  }

  @Test("names existing tests")
  func tests() throws {
    let names = try Self.page().matches(of: /`(\w+Tests)\.(\w+)\/(\w+)`/)
    #expect(names.count > 50)
    var tests = TestNames()
    for name in names { #expect(try tests.contains(name.0.dropFirst().dropLast()), "\(name.0)") }
  }
}
