// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@Suite("Pages that compare the package with others")
struct ComparisonPagesTests {
  @Test(
    "have in each row a test that exists, or a reason",
    arguments: [
      "TypedDefaults/TypedDefaults.docc/OtherSettingsPackages.md",
      "DocumentLibraries/DocumentLibraries.docc/OtherDocumentStores.md",
    ])
  func rows(_ page: String) throws {
    let text = try String(contentsOf: Locations.package.appending(path: "Sources/\(page)"), encoding: .utf8)
    let rows = text.split(separator: "\n").filter {
      $0.hasPrefix("| ") && !$0.hasPrefix("| ---") && !$0.hasPrefix("| feature")
    }
    #expect(rows.count > 20)
    let columns = rows.map { $0.split(separator: "|").count }
    #expect(Set(columns).count == 1, "\(columns)")
    var tests = TestNames()
    for row in rows {
      let last = try #require(row.split(separator: "|").last).trimmingCharacters(in: .whitespaces)
      let names = last.matches(of: /`(\w+Tests)\.(\w+)\/(\w+)`/)
      for name in names { #expect(try tests.contains(name.0.dropFirst().dropLast()), "\(name.0)") }
      #expect(!names.isEmpty || last.hasPrefix("no: ") || last == "all tests run on Linux", "\(row)")
    }
  }
}
