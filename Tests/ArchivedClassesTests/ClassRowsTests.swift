// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import CorpusChecks
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// A row of the page's tables.
private struct ClassRow {
  var classes: [String]
  var types: [String]
  var keys: String
  var evidence: String
}

@Suite("Every row of the page about classes")
struct ClassRowsTests {
  private static func rows() throws -> [ClassRow] {
    let page = try String(
      contentsOf: Locations.package.appending(path: "Sources/ArchivedClasses/ArchivedClasses.docc/ClassesAndKeys.md"),
      encoding: .utf8)
    return MarkdownTable.all(in: page).filter { $0.columns == ["Class", "Swift type", "Keys", "Evidence"] }
      .flatMap(\.rows).map { cells in
        // What stands behind a semicolon is said of the others.
        let classes = MarkdownTable.code(in: String(cells[0].prefix { $0 != ";" }))
        return ClassRow(classes: classes, types: MarkdownTable.code(in: cells[1]), keys: cells[2], evidence: cells[3])
      }
  }

  private static let applesTypes = Dictionary(grouping: AppleClass.all, by: \.name)
  private static let describedTypes = Dictionary(grouping: DescribedObject.all) { $0.classes[0] }

  @Test("has the evidence that the tests have: objects of Apple's, counted, or objects made from the description")
  func evidence() throws {
    let rows = try Self.rows()
    #expect(rows.count > 50)
    for row in rows {
      let apples = row.classes.flatMap { Self.applesTypes[$0] ?? [] }
      if apples.isEmpty {
        #expect(["Read", "Not certain"].contains(row.evidence), "\(row.classes)")
      } else {
        let number = row.evidence.prefixMatch(of: /Apple \((\d+)\)/).flatMap { Int($0.1) }
        #expect(number == apples.map(\.count).reduce(0, +), "\(row.classes)")
      }
      for name in row.classes {
        #expect(
          Self.applesTypes[name] != nil || Self.describedTypes[name] != nil, "no test decodes and encodes \(name)")
      }
    }
    let named = Set(rows.flatMap(\.classes))
    #expect(AppleClass.all.map(\.name).filter { !named.contains($0) } == [])
  }

  /// Tests of types that Swift has itself, beside that of the type which stands for the class.
  private static let otherTests = [
    "String": "ArchivedClassesTests.HandmadeValueTests/objectsWithKeys",
    "Data": "ArchivedClassesTests.HandmadeValueTests/objectsWithKeys",
    "Calendar": "ArchivedClassesTests.CorpusClassTests/swiftTypes",
    "TimeZone": "ArchivedClassesTests.CorpusClassTests/swiftTypes",
    "Locale": "ArchivedClassesTests.CorpusClassTests/swiftTypes",
    "AttributedString": "ArchivedClassesTests.CorpusClassTests/swiftTypes",
    "Bool": "KeyedArchivingTests.CoderTests/scalars", "Float": "KeyedArchivingTests.CoderTests/scalars",
    "Double": "KeyedArchivingTests.CoderTests/scalars",
    "Array": "ArchivedClassesTests.HandmadeValueTests/twoForms",
    "Dictionary": "ArchivedClassesTests.HandmadeValueTests/twoForms",
    "Set": "ArchivedClassesTests.FixtureValueTests/sets",
    "IndexSet": "KeyedArchivingFoundationTests.FoundationValueTests/indexSets",
    "CharacterSet": "KeyedArchivingFoundationTests.FoundationValueTests/characterSets",
    "CGPoint": "KeyedArchivingFoundationTests.FoundationValueTests/geometry",
    "CGSize": "KeyedArchivingFoundationTests.FoundationValueTests/geometry",
    "CGRect": "KeyedArchivingFoundationTests.FoundationValueTests/geometry",
    "NSRange": "KeyedArchivingFoundationTests.FoundationValueTests/geometry",
    "AffineTransform": "KeyedArchivingFoundationTests.FoundationValueTests/geometry",
    "Measurement": "KeyedArchivingFoundationTests.FoundationValueTests/measurements",
    "PersonNameComponents": "KeyedArchivingFoundationTests.FoundationValueTests/names",
  ]

  @Test("names types that a test decodes and encodes objects of that class as")
  func types() throws {
    var tests = TestNames()
    let rows = try Self.rows()
    for row in rows {
      let tested = row.classes.flatMap { name in
        (Self.applesTypes[name] ?? []).map(\.type) + (Self.describedTypes[name] ?? []).map(\.type)
      }
      for type in row.types where !tested.contains(type) {
        let other = try #require(Self.otherTests[type], "no test decodes \(row.classes) as \(type)")
        #expect(try tests.contains(other), "\(type): \(other)")
      }
    }
    let named = Set(rows.flatMap(\.types))
    for type in KeyedUnarchiver.valueTypes where type != ArchivedObject.self {
      #expect(named.contains("\(type)"), "\(type) is in no row")
    }
  }

  @Test("has a payload that no archiver wrote among the malformed ones, if it has any keys")
  func malformed() throws {
    let malformed = Set(MalformedObject.all.map(\.className))
    for row in try Self.rows() where row.keys != "none" {
      let isTested = row.classes.contains { malformed.contains($0) }
      #expect(isTested, "\(row.classes)")
    }
  }

  @Test("names all keys of the objects that are made from the description")
  func keys() throws {
    for row in try Self.rows() where !row.keys.contains(/and so on|others|the same/) {
      let named = Set(MarkdownTable.code(in: row.keys))
      for object in row.classes.flatMap({ Self.describedTypes[$0] ?? [] }) {
        let stored = try KeyedArchive(object.data).root.keys
        #expect(stored.filter { !named.contains($0) } == [], "\(object)")
      }
    }
  }

  /// Names in the description of the format that are no rows: superclasses, and classes that are nobody's to archive.
  private static let noRows: Set<String> = [
    "NSObject", "NSFormatter", "NSDimension", "NSUnitX", "NSUnitConverter", "NSRegularExpressionCheckingResult",
    "NSTextCheckingResult", "NSPredicate", "NSURLRequest", "NSURLResponse",
  ]

  @Test(
    "is there for each class that the description of the format has",
    .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func format() throws {
    let url = try #require(Locations.shared?.appending(path: "format.md"))
    let text = try String(contentsOf: url, encoding: .utf8)
    let part = try #require(text.split(separator: "### 4.1").last?.split(separator: "\n## ").first)
    let described = MarkdownTable.all(in: String(part)).flatMap(\.rows).flatMap { row in
      row[0].matches(of: /\b(NS|UI)[A-Z]\w+/).map { String($0.0) }
    }
    #expect(described.count > 60)
    let page = try Self.rows().flatMap(\.classes) + ["NSDecimalNumber"]
    for name in Set(described).subtracting(Self.noRows) {
      #expect(page.contains { $0 == name || name == "NSSimple" && $0.hasPrefix(name) }, "\(name)")
    }
  }
}
