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
