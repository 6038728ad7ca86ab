// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@Suite("The page on what goes wrong")
struct ErrorPageTests {
  @Test(
    "has a row with a remedy for each code of an error, and for no other",
    arguments: [
      ("archives", "KeyedArchiving/KeyedArchiveError.swift"),
      ("migrations", "ArchiveTools/Migration/MigrationRules.swift"),
      ("property lists", "PropertyListFormat/PropertyListError.swift"),
      ("libraries", "DocumentLibraries/LibraryError.swift"),
      ("typed defaults", "TypedDefaults/DefaultsError.swift"),
    ])
  func codes(table: String, file: String) throws {
    let page = try String(
      contentsOf: Locations.package.appending(
        path: "Sources/KeyedArchiving/KeyedArchiving.docc/Troubleshooting.md"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "### The codes of \(table)\n").dropFirst().first)
    let rows = section.components(separatedBy: "\n### ")[0].split(separator: "\n").filter { $0.hasPrefix("| `") }
    var listed: Set<String> = []
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(cells.count == 3 && cells.allSatisfy { !$0.isEmpty }, "\(row)")
      for (place, part) in cells[0].split(separator: "`").enumerated() where place % 2 == 0 {
        listed.insert(String(part))
      }
    }
    let source = try String(contentsOf: Locations.package.appending(path: "Sources/\(file)"), encoding: .utf8)
    let codes = source.matches(of: /public static let ([a-zA-Z]+) = (?:KeyedArchiveError\.)?Code\(/).map {
      String($0.1)
    }
    #expect(!codes.isEmpty && Set(codes) == listed)
  }
}
