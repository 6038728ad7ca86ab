// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing
import Zoo

@Suite("The page about class names")
struct ClassNamesPageTests {
  /// Returns the rows of the table whose last column has a title, as code.
  private static func rows(_ title: String) throws -> [[String]] {
    let page = try String(
      contentsOf: Locations.package.appending(path: "Sources/KeyedArchiving/KeyedArchiving.docc/ClassNames.md"),
      encoding: .utf8)
    return MarkdownTable.all(in: page).filter { $0.columns.count == 3 && $0.columns[2] == title }
      .flatMap(\.rows).map { $0.dropFirst().flatMap(MarkdownTable.code) }
  }

  @Test("has each class of the module Zoo, with the name in archives and the name in Swift")
  func classes() throws {
    let rows = try Self.rows("Name in archives")
    #expect(rows.count == Zoo.classes.count)
    #expect(rows.count >= 25)
    for type in Zoo.classes {
      let name = RuntimeClassName(of: type)
      let row = try #require(rows.first { $0[0] == name.swiftName }, "\(name.swiftName) | \(name)")
      #expect(name.name == row[1])
    }
  }

  @Test("has private and local classes, with their names on Apple's systems and elsewhere")
  func privateClasses() throws {
    let rows = try Self.rows("Name on Apple's systems")
    for row in rows { #expect(RuntimeClassName(row[1]).swiftName == row[0]) }
    for type: AnyClass in Zoo.unknownClasses.prefix(4) {
      let name = RuntimeClassName(of: type, fileID: Zoo.fileID)
      #expect(rows.contains { $0[0] == name.swiftName && $0[1] == name.name }, "\(name.swiftName) | \(name)")
    }
    #if !canImport(ObjectiveC)
      for type: AnyClass in Zoo.unknownClasses {
        #expect(RuntimeClassName(of: type).swiftName == RuntimeClassName(of: type).name)
      }
      #expect(
        Set(Zoo.unknownClasses.map { RuntimeClassName(of: $0).name }).isSuperset(of: rows.map { $0[0] }))
    #endif
  }
}
