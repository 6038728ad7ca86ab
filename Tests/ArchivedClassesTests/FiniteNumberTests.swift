// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

@Suite("Numbers that decoders reject")
struct FiniteNumberTests {
  /// Values with a number at each place where a decoder requires a finite one.
  private static func values(_ x: Double) -> [any SecureKeyedCoding] {
    let meters = ArchivedUnit(symbol: "m")
    func unit(_ converter: ArchivedUnitConverter) -> ArchivedUnit {
      ArchivedUnit(dimension: "NSUnitLength", symbol: "m", converter: converter)
    }
    let (short, matrix) = (Float(x), ArchivedAffineTransform.Matrix.self)
    return [
      ArchivedMeasurement(value: x, unit: meters), unit(.linear(coefficient: x, constant: 0)),
      unit(.linear(coefficient: 1, constant: x)), unit(.reciprocal(x)), ArchivedFont(name: "Menlo", size: x),
      ArchivedUIFont(name: "Menlo", pointSize: x), ArchivedShadow(blurRadius: x), ArchivedShadow(horizontalOffset: x),
      ArchivedShadow(verticalOffset: x), ArchivedEdgeInsets(top: x, left: 0, bottom: 0, right: 0),
      ArchivedEdgeInsets(top: 0, left: x, bottom: 0, right: 0),
      ArchivedEdgeInsets(top: 0, left: 0, bottom: x, right: 0),
      ArchivedEdgeInsets(top: 0, left: 0, bottom: 0, right: x),
      ArchivedAffineTransform(matrix.init(m11: short, m12: 1)),
      ArchivedAffineTransform(matrix.init(m22: short)), ArchivedAffineTransform(matrix.init(tX: short)),
      DateInterval(start: Date(timeIntervalSinceReferenceDate: -x.magnitude), duration: 0),
    ]
  }

  @Test("are not archived", arguments: [Double.infinity, -.infinity, .nan])
  func refused(_ number: Double) throws {
    for value in Self.values(number) {
      let error = #expect(throws: KeyedArchiveError.self, "\(value)") {
        try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      }
      #expect(error?.code == .notEncodable && error?.remedy != nil, "\(value)")
    }
  }

  @Test("are archived if they are finite", arguments: [0, -1.5, 1e30])
  func accepted(_ number: Double) throws {
    for value in Self.values(number) {
      let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClasses: [type(of: value)], from: data) != nil, "\(value)")
    }
  }

  /// The objects of an archive, except for the first, with an integer in place of each real.
  private static var integers: [(type: any SecureKeyedCoding.Type, name: String, entries: [(String, HandmadeList)])] {
    [
      (ArchivedFont.self, "NSFont", [("NSName", .uid(3)), ("NSSize", 13), ("NSfFlags", 16)]),
      (
        ArchivedUIFont.self, "UIFont",
        [("UIFontName", .uid(3)), ("UIFontPointSize", 13), ("UIFontTraits", 0), ("UISystemFont", false)]
      ),
      (
        ArchivedEdgeInsets.self, "NSValue",
        [
          ("NS.special", 12), ("NS.edgeval.top", 1), ("NS.edgeval.left", -2), ("NS.edgeval.bottom", 0),
          ("NS.edgeval.right", 13),
        ]
      ),
    ]
  }

  @Test("Integers in place of reals are read, and stored again as integers", arguments: integers.indices)
  func integer(_ index: Int) throws {
    let (type, name, entries) = Self.integers[index]
    let data = HandmadeList.archive([
      .dictionary(entries + [("$class", .uid(2))]), .classRecord(name, "NSObject"), "Menlo",
    ])
    let value = try #require(
      try KeyedUnarchiver.unarchivedObject(ofClasses: [type], from: data) as? any SecureKeyedCoding)
    let root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)).root
    for case (let key, .integer(let number)) in entries { #expect(root[key].number == .integer(number), "\(key)") }
    // A new value is stored as a real.
    if var font = value as? ArchivedFont {
      #expect(font.size == 13)
      font.size = 14
      let data = try KeyedArchiver.archivedData(withRootObject: font, requiringSecureCoding: true)
      #expect(try KeyedArchive(data).root["NSSize"].number == .double(14))
    }
  }

  /// A number as it is stored, and as it is read.
  private static let numbers: [(stored: HandmadeList, number: ArchiveNumber)] = [
    (.raw([0x22, 0x3E, 0x80, 0, 0]), .float(0.25)), (0.1, .double(0.1)), (1, .integer(1)),
  ]

  @Test(
    "A component of a color is stored again as it was: in 4 bytes, in 8 bytes or as an integer",
    arguments: ["UIRed", "UIGreen", "UIBlue", "UIWhite", "UIAlpha"], 0..<3)
  func components(_ key: String, _ index: Int) throws {
    let (stored, number) = Self.numbers[index]
    let all: [(String, HandmadeList)] = ["UIRed", "UIGreen", "UIBlue", "UIWhite", "UIAlpha"].map {
      ($0, $0 == key ? stored : .raw([0x22, 0x3F, 0, 0, 0]))
    }
    let data = HandmadeList.archive([
      .dictionary(all + [("UIColorComponentCount", 4), ("$class", .uid(2))]), .classRecord("UIColor", "NSObject"),
    ])
    var color = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIColor.self, from: data))
    func root() throws -> KeyedArchive.Node {
      try KeyedArchive(KeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)).root
    }
    for (name, _) in all { #expect(try root()[name].number == (name == key ? number : .float(0.5)), "\(name)") }
    color.red = 0.75
    color.alpha = 0.75
    #expect(try root()["UIRed"].number == .float(0.75) && root()["UIAlpha"].number == .float(0.75))
  }

  @Test(
    "A precise component of a color may have any form, and is stored in it again",
    arguments: ["UIRed", "UIGreen", "UIBlue", "UIWhite", "UIAlpha"], 0..<3)
  func preciseComponents(_ name: String, _ index: Int) throws {
    let ((stored, number), key) = (Self.numbers[index], name + "-Double")
    let short: HandmadeList = .raw([0x22, 0x3F, 0, 0, 0])
    let all = ["UIRed", "UIGreen", "UIBlue", "UIWhite", "UIAlpha"].map { ($0, short) }
    let data = HandmadeList.archive([
      .dictionary(all + [(key, stored), ("UIColorComponentCount", 4), ("$class", .uid(2))]),
      .classRecord("UIColor", "NSObject"),
    ])
    var color = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIColor.self, from: data))
    let precise = color.precise
    let values = [precise.red, precise.green, precise.blue, precise.white, precise.alpha].compactMap(\.self)
    #expect(try values == [#require(number.real ?? number.integer.map(Double.init))])
    func root() throws -> KeyedArchive.Node {
      try KeyedArchive(KeyedArchiver.archivedData(withRootObject: color, requiringSecureCoding: true)).root
    }
    #expect(try root()[key].number == number)
    // A new value is stored in 8 bytes.
    color.precise.red = 0.75
    #expect(try root()["UIRed-Double"].number == .double(0.75))
  }

  @Test("An infinite measurement in an archive is refused", arguments: [Double.infinity, -.infinity, .nan])
  func infiniteMeasurement(_ number: Double) {
    let data = HandmadeList.archive([
      ["NS.value": .real(number), "NS.unit": .uid(3), "$class": .uid(2)],
      .classRecord("NSMeasurement", "NSObject"), ["NS.symbol": .uid(5), "$class": .uid(4)],
      .classRecord("NSUnit", "NSObject"), "m",
    ])
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedMeasurement.self, from: data)
    }
    #expect(error?.code == .malformedValue && error?.description.contains("NS.value") ?? false)
  }

  @Test("A component of a color that exceeds a 4-byte real is refused")
  func largeComponent() {
    let data = HandmadeList.archive([
      ["UIWhite": 1e300, "UIAlpha": 1.0, "UIColorComponentCount": 2, "$class": .uid(2)],
      .classRecord("UIColor", "NSObject"),
    ])
    #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedUIColor.self, from: data)
    }
  }

  @Test("The value of a measurement is stored again as it was", arguments: 0..<3)
  func measurement(_ index: Int) throws {
    let (stored, number) = Self.numbers[index]
    let data = HandmadeList.archive([
      ["NS.value": stored, "NS.unit": .uid(3), "$class": .uid(2)], .classRecord("NSMeasurement", "NSObject"),
      ["NS.symbol": .uid(5), "$class": .uid(4)], .classRecord("NSUnit", "NSObject"), "m",
    ])
    let value = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedMeasurement.self, from: data))
    let root = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)).root
    #expect(root["NS.value"].number == number)
  }

  @Test("A date can be infinite, but not NaN", arguments: [Double.infinity, -.infinity, 1e300])
  func dates(_ seconds: Double) throws {
    let date = Date(timeIntervalSinceReferenceDate: seconds)
    let data = try KeyedArchiver.archivedData(withRootObject: date, requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Date.self, from: data) == date)
    #expect(try KeyedArchiveDecoder().decode([Date].self, from: KeyedArchiveEncoder().encode([date])) == [date])
    let nan = Date(timeIntervalSinceReferenceDate: .nan)
    #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: nan, requiringSecureCoding: true)
    }
    #expect(throws: KeyedArchiveError.self) { try KeyedArchiveEncoder().encode([nan]) }
  }
}
