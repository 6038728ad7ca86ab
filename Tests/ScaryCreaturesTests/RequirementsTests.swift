// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@Suite("The table of promises")
struct RequirementsTests {
  private static func page() throws -> String {
    try String(
      contentsOf: Locations.package.appending(path: "Sources/ScaryCreatures/ScaryCreatures.docc/Requirements.md"),
      encoding: .utf8)
  }

  @Test("has a row for each of A1 to A38, and each row a test")
  func rows() throws {
    let rows = try Self.page().split(separator: "\n").filter { $0.contains(/^\| A\d+ \|/) }
    #expect(
      rows.map { String($0.split(separator: " ", maxSplits: 2)[1]) } == (1...38).map { "A\($0)" })
    for row in rows { #expect(row.split(separator: "|").last?.contains("Tests/") == true, "\(row)") }
  }

  @Test("names tests that exist")
  func tests() throws {
    let names = try Self.page().matches(of: /`(\w+Tests)\.(\w+)\/(\w+)`/)
    #expect(names.count > 60)
    var sources: [Substring: [String]] = [:]
    for name in names {
      let (module, suite, function) = (name.1, name.2, name.3)
      if sources[module] == nil {
        sources[module] = try TestFile.all(below: Locations.package.appending(path: "Tests/\(module)"))
          .filter { $0.name.hasSuffix(".swift") }.map { String(decoding: try $0.data(), as: UTF8.self) }
      }
      let isThere = sources[module]?.contains { source in
        source.split(separator: "\n@Suite").contains { part in
          part.contains("struct \(suite) {") && part.contains(" func \(function)(")
        }
      }
      #expect(isThere == true, "\(name.0)")
    }
  }
}
