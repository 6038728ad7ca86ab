// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveGenerators
import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// What macOS 10.14 wrote, decoded to values whose content is known from the programs that made the files, and archived
/// again from values alone.
@Suite(
  "The macOS 10.14 fixtures of the corpus", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
struct FixtureValueTests {
  private func fixture(_ name: String) throws -> Data {
    let file = try #require(Corpus.valid.first { $0.name.contains("corelibs-foundation__\(name).archive__") })
    return try file.data()
  }

  private func decode<Value: KeyedCoding>(_ type: Value.Type, _ name: String) throws -> Value {
    try #require(try KeyedUnarchiver.unarchivedObject(ofClass: type, from: fixture(name)))
  }

  private func listed(_ name: String) throws -> any KeyedCoding {
    try #require(try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: fixture(name)))
  }

  private func archive(_ value: any KeyedCoding) throws -> Data {
    let archiver = KeyedArchiver(requiringSecureCoding: true, layout: .appleLegacy)
    archiver.encode(value, forKey: "root")
    return try archiver.encodedData
  }

  private let ranges = [0..<50, 100..<150, 1000..<1050, (Int.max - 50)..<Int.max]
  /// The rules of GMT as that system had them.
  private func gmt(_ rules: Data?) -> ArchivedTimeZone { ArchivedTimeZone(name: "GMT", rules: rules) }

  @Test("index sets", arguments: ["NSIndexSet-ManyRanges", "NSMutableIndexSet-ManyRanges"])
  func manyRanges(_ name: String) throws {
    let set = try decode(ArchivedIndexSet.self, name)
    #expect(set.ranges == ranges)
    #expect(set.isMutable == name.hasPrefix("NSMutable"))
    let anew = ArchivedIndexSet(ranges, isMutable: name.hasPrefix("NSMutable"))
    #expect(try archive(anew) == fixture(name))
  }

  @Test("index sets of one range and of none")
  func fewRanges() throws {
    #expect(try decode(ArchivedIndexSet.self, "NSMutableIndexSet-OneRange").ranges == [0..<50])
    #expect(try archive(ArchivedIndexSet([0..<50], isMutable: true)) == fixture("NSMutableIndexSet-OneRange"))
    #expect(try decode(ArchivedIndexSet.self, "NSIndexSet-Empty").ranges == [])
    #expect(try archive(ArchivedIndexSet()) == fixture("NSIndexSet-Empty"))
  }

  @Test("index paths")
  func indexPaths() throws {
    #expect(try decode(IndexPath.self, "NSIndexPath-OneIndex") == [52])
    #expect(try archive(IndexPath(index: 52)) == fixture("NSIndexPath-OneIndex"))
    #expect(try decode(IndexPath.self, "NSIndexPath-Empty") == [])
    #expect(try archive(IndexPath()) == fixture("NSIndexPath-Empty"))
  }

  @Test("an ordered set, a counted set and sets")
  func sets() throws {
    let ordered = try #require(try listed("NSMutableOrderedSet-Numbers") as? ArchivedOrderedSet)
    #expect(ordered.elements as? [ArchiveNumber] == (1...5).map { .integer($0) })
    #expect(ordered.isMutable)
    let anew = ArchivedOrderedSet([1, 2, 3, 4, 5], isMutable: true)
    #expect(try archive(anew) == fixture("NSMutableOrderedSet-Numbers"))

    let counted = try #require(try listed("NSCountedSet-NumbersAppearingSeveralTimes") as? ArchivedCountedSet)
    #expect(counted.elements as? [ArchiveNumber] == [3, 2, 5, 1, 4].map { .integer($0) })
    #expect(counted.counts == [5, 5, 5, 5, 5])
    // In the order in which they are found; that of a hash set cannot be known.
    let countedAnew = ArchivedCountedSet([3, 2, 5, 1, 4].map { ($0, 5) })
    #expect(try archive(countedAnew) == fixture("NSCountedSet-NumbersAppearingSeveralTimes"))

    #expect(try decode(Set<Int>.self, "NSSet-Numbers") == [1, 2, 3, 4, 5])
    #expect(try archive(ArchivedSet([3, 2, 5, 1, 4])) == fixture("NSSet-Numbers"))
    #expect(try archive(Set<Int>()) == fixture("NSSet-Empty"))
  }

  @Test("a measurement")
  func measurement() throws {
    let unit = ArchivedUnit(
      dimension: "NSUnitFrequency", symbol: "MHz", converter: .linear(coefficient: 1_000_000, constant: 0),
      specifier: 4098)
    #expect(
      try decode(ArchivedMeasurement.self, "NSMeasurement-Frequency") == ArchivedMeasurement(value: 1400, unit: unit))
    #expect(try archive(ArchivedMeasurement(value: 1400, unit: unit)) == fixture("NSMeasurement-Frequency"))
  }

  @Test("an attributed string")
  func attributedString() throws {
    let made = try decode(ArchivedAttributedString.self, "NSMutableAttributedString")
    #expect(made.text == "0123456789" && made.isMutable)
    #expect(made.runs.map(\.length) == [1, 1, 4, 2, 1, 1])
    #expect(made.runs.map(\.attributes) == [0, 1, 2, 1, 3, 0])
    #expect(made.attributeSets.map(\.keys.count) == [0, 2, 2, 2])
    #expect(made.attributeSets[1]["Font"] as? String == "Helvetica")
    #expect(made.attributeSets[1]["Size"] as? ArchiveNumber == .integer(123))
    #expect(made.attributeSets[3]["Font"] as? String == "Times")
    func set(_ size: Int, _ font: String) -> ArchivedDictionary {
      ArchivedDictionary([("Size", size), ("Font", font)])
    }
    let anew = ArchivedAttributedString(
      "0123456789",
      attributeSets: [ArchivedDictionary([]), set(123, "Helvetica"), set(456, "Times"), set(456, "Times")],
      runs: zip([1, 1, 4, 2, 1, 1], [0, 1, 2, 1, 3, 0]).map { .init(length: $0, attributes: $1) }, isMutable: true)
    #expect(try archive(anew) == fixture("NSMutableAttributedString"))
  }

  @Test("an attributed string as Swift's own")
  func swiftAttributedString() throws {
    let made = try decode(AttributedString.self, "NSMutableAttributedString")
    #expect(String(made.characters) == "0123456789")
    #expect(made.runs.map { String(made.characters[$0.range]) } == ["0", "1", "2345", "67", "8", "9"])
    let sets = try made.runs.map { try $0.attributes[ArchivedAttributes.self]?.attributes }
    #expect(sets[0] == nil && sets[5] == nil)
    #expect(try made.runs.map { try $0[ArchivedAttributes.self]?["Font"] as? String }[1] == "Helvetica")
    #expect(try made.runs.map { try $0[ArchivedAttributes.self]?["Size"] as? ArchiveNumber }[2] == .integer(456))
  }

  @Test("regular expressions and what they found")
  func regularExpressions() throws {
    for (name, depth) in [("NSTextCheckingResult-ExtendedRegex", 6), ("NSTextCheckingResult-ComplexRegex", 9)] {
      let pattern =
        Array(repeating: "a", count: depth).joined(separator: "(") + String(repeating: ")", count: depth - 1)
      let expected = ArchivedRegularExpressionResult(
        expression: ArchivedRegularExpression(pattern: pattern),
        ranges: (0..<depth).map { ArchivedRange(location: $0, length: depth - $0) })
      #expect(try decode(ArchivedRegularExpressionResult.self, name) == expected)
      #expect(try archive(expected) == fixture(name), "\(name)")
    }
  }

  @Test("formatters")
  func formatters() throws {
    var bytes = ArchivedByteCountFormatter()
    bytes.allowedUnits = 3
    bytes.countStyle = 2
    bytes.formattingContext = 4
    (bytes.omitsUnit, bytes.omitsCount, bytes.padsWithZeros) = (true, true, true)
    (bytes.omitsWords, bytes.isNotAdaptive) = (true, true)
    #expect(try decode(ArchivedByteCountFormatter.self, "ByteCountFormatter-AllFieldsSet") == bytes)
    #expect(try archive(bytes) == fixture("ByteCountFormatter-AllFieldsSet"))

    for (name, options) in [("ISO8601DateFormatter-Default", 1907), ("ISO8601DateFormatter-OptionsSet", 1366)] {
      let made = try decode(ArchivedISO8601DateFormatter.self, name)
      #expect(made.formatOptions == options && made.timeZone?.name == "GMT" && made.timeZone?.rules?.count == 118)
      let anew = ArchivedISO8601DateFormatter(formatOptions: options, timeZone: gmt(made.timeZone?.rules))
      #expect(try archive(anew) == fixture(name))
    }
  }

  @Test("a date interval formatter with its calendar; of two empty strings in it nothing tells that they are two")
  func dateIntervalFormatter() throws {
    let made = try decode(ArchivedDateIntervalFormatter.self, "DateIntervalFormatter-Default")
    let zone = gmt(made.timeZone?.rules)
    let expected = ArchivedDateIntervalFormatter(
      dateTemplate: "", dateTemplateFromStyles: "y-MM-dd HH:mm", locale: ArchivedLocale(identifier: ""),
      calendar: ArchivedCalendar(identifier: "gregorian", locale: ArchivedLocale(identifier: ""), timeZone: zone),
      timeZone: zone, dateStyle: 1, timeStyle: 1, isModified: true, usesTemplate: false)
    #expect(made == expected)
    let (apple, ours) = try (KeyedArchive(fixture("DateIntervalFormatter-Default")), KeyedArchive(archive(expected)))
    var comparison = NodeComparison(ordered: true)
    #expect(comparison.difference(apple.root, ours.root) == nil)
    // Everything else is the same: the numbers but for that of the second empty string.
    #expect(apple.objectCount == ours.objectCount + 1)
  }

  @Test("the calendar and the time zone in it as Swift's own")
  func calendar() throws {
    let archive = try KeyedArchive(fixture("DateIntervalFormatter-Default"))
    var probed = archive
    let uid = try #require(archive.root["NS.calendar"].uid)
    try probed.setTopValue(.reference(uid), forKey: "calendar")
    let calendar = try KeyedUnarchiver(forReadingFrom: probed.data()).decode(Calendar.self, forKey: "calendar")
    #expect(calendar.identifier == .gregorian && calendar.timeZone.secondsFromGMT() == 0)
    #expect(calendar.firstWeekday == 1 && calendar.minimumDaysInFirstWeek == 1)
  }
}
