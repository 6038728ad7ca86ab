// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("The archived form of a value")
struct StoredFormTests {
  private static func wide(_ number: UInt8) -> HandmadeList {
    .raw([0x14] + [UInt8](repeating: 0, count: 15) + [number])
  }

  private func root(_ value: some SecureKeyedCoding) throws -> KeyedArchive.Node {
    try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)).root
  }

  @Test("of a range has integers of 8 or 16 bytes, and remains", arguments: [false, true], [false, true])
  func ranges(_ isLengthWide: Bool, _ isLocationWide: Bool) throws {
    let data = HandmadeList.archive([
      [
        "NS.special": 4, "NS.rangeval.length": .uid(3), "NS.rangeval.location": .uid(4), "$class": .uid(2),
      ], .classRecord("NSValue", "NSObject"), isLengthWide ? Self.wide(5) : 5, isLocationWide ? Self.wide(7) : 7,
    ])
    let length: ArchiveNumber = isLengthWide ? .unsigned(5) : .integer(5)
    let location: ArchiveNumber = isLocationWide ? .unsigned(7) : .integer(7)
    let range = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedRange.self, from: data))
    #expect(range == ArchivedRange(location: 7, length: 5))
    #expect(range.hashValue == ArchivedRange(location: 7, length: 5).hashValue)
    let value = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedValue.self, from: data))
    for stored in [try root(range), try root(value)] {
      #expect(stored["NS.rangeval.length"].number == length && stored["NS.rangeval.location"].number == location)
    }
  }

  /// The two classes of arrays.
  static let arrays: [[String]] = [["NSArray", "NSObject"], ["NSMutableArray", "NSArray", "NSObject"]]

  private static func record(_ chain: [String]) -> HandmadeList {
    ["$classname": .string(chain[0]), "$classes": .array(chain.map { .string($0) })]
  }

  @Test("of a function's arguments is an array of either class, and remains", arguments: arrays)
  func arguments(_ chain: [String]) throws {
    let data = HandmadeList.archive([
      [
        "NSExpressionType": 4, "NSOperand": .uid(3), "NSSelectorName": .uid(5), "NSArguments": .uid(6),
        "$class": .uid(2),
      ], .classRecord("NSFunctionExpression", "NSExpression", "NSObject"),
      ["NSExpressionType": 2, "NSVariable": .uid(4), "$class": .uid(8)], "who", "sum:",
      ["NS.objects": [.uid(3)], "$class": .uid(7)], Self.record(chain),
      .classRecord("NSVariableExpression", "NSExpression", "NSObject"),
    ])
    let value = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedExpression.self, from: data))
    #expect(try root(value)["NSArguments"].className == chain[0])
  }

  @Test("of a match's ranges is an array of either class, and remains", arguments: arrays)
  func matches(_ chain: [String]) throws {
    let data = HandmadeList.archive([
      [
        "NSRangeLocation": 7, "NSRangeLength": 5, "NSRegularExpression": .uid(3), "NSRangeArray": .uid(6),
        "$class": .uid(2),
      ],
      .classRecord(
        "NSSimpleRegularExpressionCheckingResult", "NSRegularExpressionCheckingResult", "NSTextCheckingResult",
        "NSObject"),
      ["NSPattern": .uid(4), "NSOptions": 1, "$class": .uid(5)], "b+", .classRecord("NSRegularExpression", "NSObject"),
      ["NS.objects": [.uid(8)], "$class": .uid(7)], Self.record(chain),
      ["NS.special": 4, "NS.rangeval.length": .uid(9), "NS.rangeval.location": .uid(10), "$class": .uid(11)],
      5, 7, .classRecord("NSValue", "NSObject"),
    ])
    let value = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedRegularExpressionResult.self, from: data))
    #expect(try root(value)["NSRangeArray"].className == chain[0])
    #expect(
      value
        == ArchivedRegularExpressionResult(
          expression: .init(pattern: "b+", options: 1), ranges: [ArchivedRange(location: 7, length: 5)]))
  }

  @Test("of a text's attribute sets is an array of either class, and remains", arguments: arrays)
  func attributes(_ chain: [String]) throws {
    let data = HandmadeList.archive([
      ["NSString": .uid(3), "NSAttributes": .uid(4), "NSAttributeInfo": .uid(8), "$class": .uid(2)],
      .classRecord("NSAttributedString", "NSObject"), "ab",
      ["NS.objects": [.uid(6)], "$class": .uid(5)], Self.record(chain),
      ["NS.keys": [], "NS.objects": [], "$class": .uid(7)], .classRecord("NSDictionary", "NSObject"),
      .data([2, 0]),
    ])
    var value = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedAttributedString.self, from: data))
    // Two runs, because one set of attributes for all of the text is stored without an array.
    value.runs = [.init(length: 1, attributes: 0), .init(length: 1, attributes: 0)]
    #expect(try root(value)["NSAttributes"].className == chain[0])
  }

  @Test("of a negative number may have 16 bytes", arguments: [-1, -5, .min] as [Int64])
  func negative(_ number: Int64) throws {
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * Int64($0))) }
    let data = HandmadeList.archive([.raw([0x14] + [UInt8](repeating: 0xFF, count: 8) + bytes)])
    #expect(
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchiveNumber.self, from: data) == .integer(number))
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Int64.self, from: data) == number)
  }

  @Test("of a number of 16 bytes is refused beyond the integers of 8 bytes", arguments: [0x80, 0xFE, 0x01] as [UInt8])
  func tooWide(_ first: UInt8) {
    let data = HandmadeList.archive([.raw([0x14, first] + [UInt8](repeating: 0, count: 15))])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchiveNumber.self, from: data)
    }
    #expect(error?.code == .outOfRange)
  }

  @Test("of a decimal may have the byte order of PowerPC")
  func decimal() throws {
    for (order, digits) in [(1, [0xD3, 0x04]), (2, [0x04, 0xD3])] as [(Int64, [UInt8])] {
      let mantissa = digits + [UInt8](repeating: 0, count: 14)
      let data = HandmadeList.archive([
        [
          "NS.exponent": -2, "NS.length": 1, "NS.negative": true, "NS.compact": true,
          "NS.mantissa.bo": .integer(order), "NS.mantissa": .data(mantissa), "$class": .uid(2),
        ], .classRecord("NSDecimalNumber", "NSNumber", "NSValue", "NSObject"),
      ])
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Decimal.self, from: data) == Decimal(string: "-12.35"))
    }
  }
}
