// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

// Each of these archives once ended the process in a comparison of Foundation on Linux, or kept it busy for minutes.

@Suite("Objects that Foundation cannot compare")
struct FoundationTrapTests {
  private func error(_ value: some KeyedCoding) throws -> KeyedArchiveError {
    let data = try Probe.archive { $0.keyedArchiver?.encode(value, forKey: "value") }
    return try Probe.errorOfReading(data) {
      _ = $0.decodeObject(of: BridgedCollectionTests.classes, forKey: "value")
    }
  }

  private func expectRefusal(_ value: some KeyedCoding) throws {
    #expect(try error(value).code == .typeMismatch)
  }

  @Test("are no elements of sets, whether directly or in other collections")
  func elements() throws {
    func dictionary(_ key: any KeyedCoding) -> ArchivedDictionary { ArchivedDictionary([(key, "v")]) }
    let dates = [1.0, 2.0].map { DateInterval(start: Date(timeIntervalSinceReferenceDate: $0), duration: 1) }
    for keys: [any KeyedCoding] in [
      [ArchivedArray(["a"]), ArchivedArray(["b"])], [dictionary("a"), dictionary("b")], dates,
    ] {
      try expectRefusal(ArchivedSet(keys.map { dictionary($0) }))
      try expectRefusal(ArchivedSet(keys.map { ArchivedSet([$0]) }))
      try expectRefusal(ArchivedDictionary(keys.map { (dictionary($0), 1) }))
    }
    for count in [2, 40] {
      let nested = ["a", "b"].map { end in
        (0..<count).reduce(ArchivedSet([end])) { set, _ in ArchivedSet([set]) }
      }
      try expectRefusal(ArchivedSet(nested))
    }
    let arrays = ["a", "b"].map { end in (0..<400).reduce(ArchivedArray([end])) { array, _ in ArchivedArray([array]) } }
    #expect([.typeMismatch, .limitReached].contains(try error(ArchivedSet(arrays)).code))
  }

  @Test("are no attributes of runs beside each other")
  func runs() throws {
    let date = DateInterval(start: Date(timeIntervalSinceReferenceDate: 1), duration: 1)
    let values: [[any KeyedCoding]] = [
      [date, UUID()], [UUID(), date],
      [ArchivedDictionary([(ArchivedArray(["a"]), 1)]), ArchivedDictionary([("a", 1)])],
      [ArchivedSet([ArchivedSet(["a"])]), ArchivedSet([ArchivedSet(["b"])])],
    ]
    for pair in values {
      try expectRefusal(
        ArchivedAttributedString(
          "ab", attributeSets: pair.map { ArchivedDictionary([("k", $0)]) },
          runs: [.init(length: 1, attributes: 0), .init(length: 1, attributes: 1)]))
    }
  }

  @Test("are texts that are equal for Swift, and several nulls")
  func equalTexts() throws {
    let forms = ["\u{1E69}", "s\u{323}\u{307}", "s\u{307}\u{323}", "\u{1E61}\u{323}", "\u{1E63}\u{307}"]
    let texts = (0..<20).flatMap { number in forms.map { "\($0)\(number)" } }
    let lists: [[any KeyedCoding]] = [texts, (0..<30).map { _ in ArchiveNull() }]
    for list in lists {
      #expect(try error(ArchivedSet(list)).code == .malformedValue)
      #expect(try error(ArchivedOrderedSet(list)).code == .malformedValue)
      #expect(try error(ArchivedCountedSet(list.map { ($0, 1) })).code == .malformedValue)
    }
  }

  @Test("are not measurements in units of classes that Foundation lacks")
  func dimensions() throws {
    func archive(_ numbers: Range<Int>) -> Data {
      let count = numbers.count
      let fields = HandmadeList.array((0..<count).map { .uid(UInt64(7 + $0)) })
      return HandmadeList.archive(
        [
          ["NS.objects": fields, "$class": .uid(2)], .classRecord("NSSet", "NSObject"),
          .classRecord("NSMeasurement", "NSObject"), .classRecord("MyUnit", "NSDimension", "NSUnit", "NSObject"),
          .classRecord("NSUnitConverterLinear", "NSUnitConverter", "NSObject"),
          ["NS.coefficient": 1.0, "NS.constant": 0.0, "$class": .uid(5)],
        ]
          + numbers.map { ["NS.value": .real(Double($0)), "NS.unit": .uid(UInt64(7 + count + $0)), "$class": .uid(3)] }
          + numbers.map {
            ["NS.symbol": .uid(UInt64(7 + 2 * count + $0)), "NS.converter": .uid(6), "$class": .uid(4)]
          }
          + numbers.map { .string("unit \($0)") })
    }
    let set = try KeyedUnarchiver.unarchivedObject(ofClass: Set<Measurement<Unit>>.self, from: archive(0..<100))
    #expect(set?.count == 100)
    let unit = try #require(set?.first?.unit)
    #expect(try ArchivedUnit(unit).classChain == ["MyUnit", "NSDimension", "NSUnit", "NSObject"])
  }
}

@Suite("Values that Foundation takes long to make")
struct FoundationCostTests {
  private func error(_ values: [any KeyedCoding], _ classes: [AnyClass]) throws -> KeyedArchiveError {
    let data = try Probe.archive { $0.keyedArchiver?.encode(ArchivedArray(values), forKey: "value") }
    return try Probe.errorOfReading(data) { _ = $0.decodeObject(of: [NSArray.self] + classes, forKey: "value") }
  }

  @Test("are patterns with many properties, sets of emoji, or repeated groups", .notHanging)
  func patterns() throws {
    let patterns = [
      String(repeating: "\\p{L}", count: 5000), String(repeating: "\\p{R g_I-Emoji}", count: 50),
      String(repeating: "(?:ab){2,3}", count: 20_000),
    ]
    for pattern in patterns {
      let error = try error([ArchivedRegularExpression(pattern: pattern)], [NSRegularExpression.self])
      #expect(error.code == .limitReached)
    }
    let honest = try Probe.archive { coder in
      let patterns = (0..<100).map { ArchivedRegularExpression(pattern: "^[\\p{L}_]+@[a-z]{2,\($0 + 3)}$") }
      coder.keyedArchiver?.encode(ArchivedArray(patterns), forKey: "value")
    }
    let count = try Probe.read(honest) {
      ($0.decodeObject(of: [NSArray.self, NSRegularExpression.self], forKey: "value") as? NSArray)?.count
    }
    #expect(count == 100)
  }

  @Test("are addresses that share a long base", .notHanging)
  func bases() throws {
    func archive(_ count: Int, _ length: Int) -> Data {
      HandmadeList.archive(
        [
          ["NS.objects": .array((0..<count).map { .uid(UInt64(6 + $0)) }), "$class": .uid(2)],
          .classRecord("NSArray", "NSObject"), .classRecord("NSURL", "NSObject"),
          ["NS.base": .uid(0), "NS.relative": .uid(5), "$class": .uid(3)],
          .string("https://example.com/" + String(repeating: "a", count: length)),
        ]
          + (0..<count).map { _ in ["NS.base": .uid(4), "NS.relative": .uid(UInt64(6 + count)), "$class": .uid(3)] }
          + ["file.txt"])
    }
    func read(_ data: Data) throws -> Any? {
      try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: [NSArray.self, NSURL.self], from: data)
    }
    #expect((try read(archive(1000, 100)) as? NSArray)?.count == 1000)
    let error = #expect(throws: KeyedArchiveError.self) { try read(archive(2000, 50_000)) }
    #expect(error?.code == .limitReached)
  }

  @Test("are texts with a run for each of many marks on one letter", .notHanging)
  func marks() throws {
    func text(_ count: Int) -> ArchivedAttributedString {
      ArchivedAttributedString(
        "e" + String(repeating: "\u{301}", count: count - 1),
        attributeSets: [ArchivedDictionary([("a", 1)]), ArchivedDictionary([("a", 2)])],
        runs: (0..<count).map { .init(length: 1, attributes: $0 % 2) })
    }
    func decode(_ count: Int) throws -> AttributedString? {
      try KeyedUnarchiver.unarchivedObject(
        ofClass: AttributedString.self,
        from: KeyedArchiver.archivedData(withRootObject: text(count), requiringSecureCoding: true))
    }
    #expect(try decode(20)?.unicodeScalars.count == 20)
    let error = #expect(throws: KeyedArchiveError.self) { try decode(5000) }
    #expect(error?.code == .limitReached)
  }
}
