// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchives
import KeyedArchiving
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

  @Test("quotes the messages that today's code has")
  func messages() throws {
    let page = try String(
      contentsOf: Locations.package.appending(
        path: "Sources/KeyedArchiving/KeyedArchiving.docc/Troubleshooting.md"), encoding: .utf8)
    let words = page.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    let creatures = try Data(contentsOf: Locations.fixtures.appending(path: "made/creatures.plist"))
    for data in [creatures.dropLast(8), Data("broken".utf8)] {
      let error = #expect(throws: KeyedArchiveError.self) { try KeyedArchive(Data(data)) }
      let text = try #require(error.map { "\($0)" })
      // The advice can differ between the commands.
      let message = text.components(separatedBy: ". ")[0]
      #expect(message.contains("expected") && words.contains(message))
    }
  }
}
