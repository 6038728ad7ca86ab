// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import KeyedArchivingFoundation
import TestSupport
import Testing

@Suite("Types that only Foundation has")
struct FoundationValueTests {
  private func roundTrip<Value: KeyedCoding>(_ value: Value) throws -> Value {
    let data = try KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: data))
  }

  /// What the toolchain's Foundation archives.
  private func foundation(_ object: NSObject) -> Data {
    let archiver = NSKeyedArchiver(requiringSecureCoding: false)
    archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
    archiver.finishEncoding()
    return archiver.encodedData
  }

  private func fixture(_ name: String) throws -> Data {
    let file = try #require(Corpus.valid.first { $0.name.contains("corelibs-foundation__\(name).archive__") })
    return try file.data()
  }

  @Test("index sets", arguments: [IndexSet(), IndexSet(integer: 5), IndexSet([1, 2, 3, 9, 1000])])
  func indexSets(_ set: IndexSet) throws {
    #expect(try roundTrip(set) == set)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: IndexSet.self, from: foundation(set as NSIndexSet)) == set)
  }

  @Test("an index set that macOS wrote", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func appleIndexSet() throws {
    let set = try KeyedUnarchiver.unarchivedObject(ofClass: IndexSet.self, from: fixture("NSIndexSet-ManyRanges"))
    #expect(set.map { Array($0.rangeView) } == [0..<50, 100..<150, 1000..<1050, (Int.max - 50)..<Int.max])
  }

  @Test("a measurement that macOS wrote", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"))
  func appleMeasurement() throws {
    let made = try KeyedUnarchiver.unarchivedObject(
      ofClass: Measurement<UnitFrequency>.self, from: fixture("NSMeasurement-Frequency"))
    #expect(made == Measurement(value: 1400, unit: UnitFrequency.megahertz))
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(
        ofClass: Measurement<UnitLength>.self, from: fixture("NSMeasurement-Frequency"))
    }
    #expect(error?.code == .typeMismatch)
  }

  @Test("measurements")
  func measurements() throws {
    let length = Measurement(value: 3, unit: UnitLength.miles)
    #expect(try roundTrip(length) == length)
    let warmth = Measurement(value: 21, unit: UnitTemperature.fahrenheit)
    #expect(try roundTrip(warmth) == warmth)
    let thirst = Measurement(value: 30, unit: UnitFuelEfficiency.milesPerGallon)
    #expect(try roundTrip(thirst) == thirst)
    let things = Measurement(value: 2, unit: Unit(symbol: "things"))
    #expect(try roundTrip(things) == things)
    let theirs = foundation(NSMeasurement(doubleValue: 5, unit: UnitMass.kilograms))
    let made = try KeyedUnarchiver.unarchivedObject(ofClass: Measurement<UnitMass>.self, from: theirs)
    #expect(made == Measurement(value: 5, unit: UnitMass.kilograms))
  }

  @Test("character sets")
  func characterSets() throws {
    let sets = [
      CharacterSet(charactersIn: "aé😀"), CharacterSet(charactersIn: "x").inverted, .letters, CharacterSet(),
      CharacterSet(charactersIn: "\u{1F600}"..."\u{1F64F}"),
    ]
    for set in sets { #expect(try roundTrip(set) == set) }
    for set in [NSCharacterSet(charactersIn: "abz"), NSCharacterSet(range: NSRange(location: 65, length: 3))] {
      let made = try KeyedUnarchiver.unarchivedObject(ofClass: CharacterSet.self, from: foundation(set))
      #expect(made == set as CharacterSet)
    }
    let letters = try KeyedUnarchiver.unarchivedObject(
      ofClass: CharacterSet.self, from: foundation(CharacterSet.letters.inverted as NSCharacterSet))
    #expect(letters == CharacterSet.letters.inverted)
  }

  @Test("names of persons")
  func names() throws {
    var name = PersonNameComponents()
    (name.namePrefix, name.givenName, name.familyName) = ("Dr.", "Ada", "Lovelace")
    #expect(try roundTrip(name) == name)
    name.phoneticRepresentation = PersonNameComponents()
    let error = #expect(throws: KeyedArchiveError.self) { _ = try roundTrip(name) }
    #expect(error?.code == .notEncodable)
  }

  @Test("ranges, points, sizes, rectangles and transforms")
  func geometry() throws {
    #expect(try roundTrip(NSRange(location: NSNotFound, length: 0)) == NSRange(location: NSNotFound, length: 0))
    #expect(try roundTrip(CGPoint(x: 1, y: 0.1)) == CGPoint(x: 1, y: 0.1))
    #expect(try roundTrip(CGSize(width: 1, height: 2)) == CGSize(width: 1, height: 2))
    let rect = CGRect(x: 1, y: 2, width: 3, height: 1e30)
    #expect(try roundTrip(rect) == rect)
    let transform = AffineTransform(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6)
    #expect(try roundTrip(transform) == transform)
    let value = foundation(NSValue(rect: rect))
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: CGRect.self, from: value) == rect)
  }

  @Test("regular expressions are compiled on demand, and only if they are any")
  func regularExpressions() throws {
    let expression = try NSRegularExpression(pattern: "(a+)b", options: .caseInsensitive)
    #expect(try roundTrip(ArchivedRegularExpression(expression)).compiled() == expression)
    #expect(throws: (any Error).self) { try ArchivedRegularExpression(pattern: "(").compiled() }
  }

  @Test("what is malformed is refused with the key")
  func malformed() {
    func expect<Value: KeyedCoding>(
      _ type: Value.Type, _ name: String, _ values: [(String, HandmadeList)], _ code: KeyedArchiveError.Code,
      sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let data = HandmadeList.archive(
        [.dictionary(values + [("$class", .uid(2))]), .classRecord(name, "NSObject")])
      let error = #expect(throws: KeyedArchiveError.self, sourceLocation: sourceLocation) {
        try KeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
      }
      #expect(error?.code == code, "\(String(describing: error))", sourceLocation: sourceLocation)
    }
    expect(IndexSet.self, "NSIndexSet", [("NSRangeCount", .integer(1 << 60))], .valueNotFound)
    expect(CharacterSet.self, "NSCharacterSet", [("NSBuiltinID", 0)], .malformedValue)
    expect(NSRange.self, "NSValue", [("NS.special", 1)], .malformedValue)
    expect(CGPoint.self, "NSValue", [("NS.special", 1), ("NS.pointval", 3)], .typeMismatch)
    expect(CGSize.self, "NSValue", [("NS.special", 2)], .valueNotFound)
    expect(CGRect.self, "NSValue", [("NS.special", 3)], .valueNotFound)
    expect(Measurement<UnitLength>.self, "NSMeasurement", [("NS.value", .real(.infinity))], .malformedValue)
    expect(AffineTransform.self, "NSAffineTransform", [("NSTransformStruct", .data([1, 2, 3]))], .malformedValue)
    expect(PersonNameComponents.self, "NSPersonNameComponents", [("NS.givenName", 1)], .typeMismatch)
  }
}
