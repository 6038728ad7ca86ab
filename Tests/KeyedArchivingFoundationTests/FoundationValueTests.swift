// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
import KeyedArchives
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

  /// The sets that CoreFoundation knows by number, each with scalars that are in it and scalars that are not, by their
  /// general category in Unicode.
  private static let builtins: [(number: Int64, members: [UInt32], others: [UInt32])] = [
    (1, [0x07, 0x200B], [0x41, 0x20]), (2, [0x20, 0x09], [0x0A, 0x41]), (3, [0x20, 0x0A], [0x41]),
    (4, [0x37, 0x0663], [0x41]), (5, [0x41, 0xE9, 0x0301], [0x37]), (6, [0x61], [0x41, 0x37]),
    (7, [0x41, 0x01C5], [0x61]), (8, [0x0301], [0x61]), (9, [0xE9], [0x65]), (10, [0x37, 0x61], [0x2D]),
    (11, [0x21, 0x2D], [0x61, 0x2B]), (12, [0xFFFF, 0x0378], [0x61]), (13, [0x01C5], [0x41, 0x61]),
    (14, [0x2B, 0x24], [0x21]), (15, [0x0A, 0x2028], [0x20]),
  ]

  private func characterSet(_ values: [(String, HandmadeList)]) throws -> CharacterSet {
    let data = HandmadeList.archive(
      [.dictionary(values + [("$class", .uid(2))]), HandmadeList.classRecord("NSCharacterSet", "NSObject")])
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: CharacterSet.self, from: data))
  }

  private func expect(
    _ set: CharacterSet, has members: [UInt32], not others: [UInt32], _ comment: Comment
  ) throws {
    for value in members { #expect(set.contains(try #require(Unicode.Scalar(value))), comment) }
    for value in others { #expect(!set.contains(try #require(Unicode.Scalar(value))), comment) }
  }

  @Test("character sets that have a number in an archive, inverted ones, and two of them together")
  func builtinSets() throws {
    for (number, members, others) in Self.builtins {
      let set = try characterSet([("NSBuiltinID", .integer(number))])
      try expect(set, has: members, not: others, "the set with number \(number)")
      let inverted = try characterSet([("NSBuiltinID", .integer(number)), ("NSIsInverted", true)])
      try expect(inverted, has: others, not: members, "the set without number \(number)")
    }
    let both = try characterSet([("NSBuiltinID", 4), ("NSBuiltinID2", 14)])
    try expect(both, has: [0x37, 0x2B], not: [0x61], "digits and symbols")
    let other = try characterSet([("NSBuiltinID", 4), ("NSBuiltinID2", 5), ("NSIsInverted2", true)])
    try expect(other, has: [0x37, 0x2B], not: [0x61], "digits and what is no letter")
  }

  // Foundation on Linux ends the process when it uses some of these sets, if it makes them of the whole bitmap.
  @Test("character sets of any bitmap have the scalars whose bits are set", arguments: 0..<12)
  func bitmaps(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var planes: [Int: [UInt8]] = [:]
    for number in 0..<17 where number == 0 || Int.random(in: 0..<4, using: &random) == 0 {
      // Blocks of 32 bytes that are empty, full, all the same, or random.
      let style = Int.random(in: 0..<5, using: &random)
      planes[number] = (0..<256).flatMap { _ -> [UInt8] in
        switch style < 4 ? style : Int.random(in: 0..<4, using: &random) {
        case 0: [UInt8](repeating: number == 0 ? 0 : 1, count: 32)
        case 1: [UInt8](repeating: 255, count: 32)
        case 2: [UInt8](repeating: 1, count: 32)
        default: (0..<32).map { _ in .random(in: 0...255, using: &random) }
        }
      }
    }
    var bitmap = planes[0] ?? []
    for number in 1..<17 { if let bits = planes[number] { bitmap += [UInt8(number)] + bits } }
    let fields: [(String, HandmadeList)] = [("NSBitmapObject", .uid(3)), ("$class", .uid(2))]
    for isInverted in [false, true] {
      let data = HandmadeList.archive([
        .dictionary(fields + [("NSIsInverted", .boolean(isInverted))]), .classRecord("NSCharacterSet", "NSObject"),
        .data(bitmap),
      ])
      let set = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: CharacterSet.self, from: data))
      for _ in 0..<2000 {
        let value = UInt32.random(in: 0..<0x11_0000, using: &random)
        guard let scalar = Unicode.Scalar(value) else { continue }
        let byte: UInt8 = planes[Int(value >> 16)]?[Int(value & 0xFFFF) / 8] ?? 0
        let isSet = byte >> UInt8(value % 8) & 1 == 1
        #expect(set.contains(scalar) == (isSet != isInverted), "\(value)")
      }
      #expect(try roundTrip(set) == set)
      #if !canImport(Darwin)
        let object = try KeyedUnarchiver.unarchivedFoundationObject(ofClasses: [NSCharacterSet.self], from: data)
        #expect((object as? NSCharacterSet)?.bitmapRepresentation == set.bitmapRepresentation)
      #endif
    }
  }

  @Test("character sets that are a range have the scalars in it, surrogates aside")
  func ranges() throws {
    let starts: [UInt32] = [0, 1, 0x41, 0xD7FF, 0xD800, 0xDFFF, 0xE000, 0xFFFF, 0x1_0000, 0x10_FFFF]
    for start in starts {
      for end in (starts.map { $0 + 1 } + [start]) where end >= start {
        // The location is in the upper 32 bits, the length in the lower ones.
        let set = try characterSet([("NSRange", .integer(Int64(start) << 32 | Int64(end - start)))])
        for edge in starts {
          for value in [edge, edge + 1, edge &- 1] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(set.contains(scalar) == (start..<end).contains(value), "\(value) in \(start)..<\(end)")
          }
        }
      }
    }
  }

  @Test("units of every dimension that Foundation has, with symbols and converters of one's own")
  func units() throws {
    func check<Kind: Dimension>(_ type: Kind.Type) throws {
      let unit = type.init(symbol: "x", converter: UnitConverterLinear(coefficient: 3, constant: 1))
      let made = try roundTrip(Measurement(value: 2, unit: unit))
      #expect(made.unit == unit && made.value == 2 && made.unit.symbol == "x")
      #expect(made.unit.converter.baseUnitValue(fromValue: 2) == 7)
      let data = try KeyedArchiver.archivedData(
        withRootObject: Measurement(value: 2, unit: unit), requiringSecureCoding: true)
      #expect(try KeyedArchive(data).classNames.contains("NS\(type)"))
    }
    try check(UnitAcceleration.self)
    try check(UnitAngle.self)
    try check(UnitArea.self)
    try check(UnitConcentrationMass.self)
    try check(UnitDispersion.self)
    try check(UnitDuration.self)
    try check(UnitElectricCharge.self)
    try check(UnitElectricCurrent.self)
    try check(UnitElectricPotentialDifference.self)
    try check(UnitElectricResistance.self)
    try check(UnitEnergy.self)
    try check(UnitFrequency.self)
    try check(UnitFuelEfficiency.self)
    try check(UnitIlluminance.self)
    try check(UnitInformationStorage.self)
    try check(UnitLength.self)
    try check(UnitMass.self)
    try check(UnitPower.self)
    try check(UnitPressure.self)
    try check(UnitSpeed.self)
    try check(UnitTemperature.self)
    try check(UnitVolume.self)
  }

  @Test("units whose measure divides a number, and units of dimensions that Foundation does not have")
  func otherUnits() throws {
    // 20 km per litre are 5 litres per 100 km.
    let archived = ArchivedUnit(dimension: "NSUnitFuelEfficiency", symbol: "km/L", converter: .reciprocal(100))
    let unit = try #require(archived.unit as? UnitFuelEfficiency)
    #expect(unit.symbol == "km/L")
    #expect(unit.converter.baseUnitValue(fromValue: 20) == 5 && unit.converter.value(fromBaseUnitValue: 5) == 20)
    #expect(try ArchivedUnit(unit) == archived)

    let spooky = ArchivedUnit(
      dimension: "App.UnitSpookiness", symbol: "boo", converter: .linear(coefficient: 2, constant: 0))
    let dimension = try #require(spooky.unit as? Dimension)
    #expect(dimension.symbol == "boo" && dimension.converter.baseUnitValue(fromValue: 3) == 6)

    final class Odd: UnitConverter, @unchecked Sendable {}  // holds nothing
    let error = #expect(throws: KeyedArchiveError.self) {
      try ArchivedUnit(UnitLength(symbol: "odd", converter: Odd()))
    }
    #expect(
      error?.code == .notEncodable && error?.detail == "the unit odd has a converter without an archived form: Odd")
    #expect(error?.remedy == "Use a linear converter or Foundation's reciprocal converter")
  }

  @Test("units with a converter of another class, which converts to no number")
  func unknownConverter() throws {
    let list = HandmadeList.archive([
      ["NS.value": 5.0, "NS.unit": .uid(3), "$class": .uid(2)], .classRecord("NSMeasurement", "NSObject"),
      ["NS.symbol": .uid(5), "NS.converter": .uid(6), "$class": .uid(4)],
      .classRecord("App.UnitPace", "NSDimension", "NSUnit", "NSObject"), "min/km",
      ["App.factor": 16.7, "$class": .uid(7)], .classRecord("App.PaceConverter", "NSUnitConverter", "NSObject"),
    ])
    let archived = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedMeasurement.self, from: list))
    let dimension = try #require(archived.unit.unit as? Dimension)
    #expect(
      dimension.converter.baseUnitValue(fromValue: 1).isNaN && dimension.converter.value(fromBaseUnitValue: 1).isNaN)
    #expect(try ArchivedUnit(dimension) == archived.unit)
    #expect(archived.unit.unit == dimension)
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedUnarchiver.unarchivedObject(ofClass: Measurement<Unit>.self, from: list)
    }
    #expect(error?.code == .typeMismatch && error?.className == "App.PaceConverter")
    #expect(error?.detail == "the unit min/km has a converter of the class App.PaceConverter")
  }

  #if !canImport(Darwin)
    /// A dimension of the program.
    final class Fright: Dimension, @unchecked Sendable {
      override class func baseUnit() -> Self { Self(symbol: "boo", converter: UnitConverterLinear(coefficient: 1)) }
    }

    @Test("measurements in dimensions of the program are decoded as these, and as data")
    func ownDimension() throws {
      let unit = Fright(symbol: "shriek", converter: UnitConverterLinear(coefficient: 12, constant: 1))
      let measurement = Measurement(value: 2, unit: unit)
      let made = try roundTrip(measurement)
      #expect(made == measurement && made.unit.symbol == "shriek")
      #expect(made.converted(to: .baseUnit()).value == 25)
      let data = try KeyedArchiver.archivedData(withRootObject: measurement, requiringSecureCoding: true)
      // The name is the one of Apple's runtime, as for all classes.
      let name = RuntimeClassName(of: Fright.self).name
      #expect(try KeyedArchive(data).root["NS.unit"].className == name && name.hasPrefix("_TtC"))
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Measurement<Unit>.self, from: data)?.value == 2)
      let plain = try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedMeasurement.self, from: data)
      #expect(plain?.unit.symbol == "shriek")
      // Earlier versions wrote the name in Swift.
      let chain = ["KeyedArchivingFoundationTests.FoundationValueTests.Fright", "NSDimension", "NSUnit", "NSObject"]
      var archived = ArchivedMeasurement(value: 2, unit: try ArchivedUnit(unit))
      archived.unit.classChain = chain
      let former = try KeyedArchiver.archivedData(withRootObject: archived, requiringSecureCoding: true)
      #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Measurement<Fright>.self, from: former) == measurement)
      archived.unit.classChain[0] = "Elsewhere.Fright"
      let other = try KeyedArchiver.archivedData(withRootObject: archived, requiringSecureCoding: true)
      let error = #expect(throws: KeyedArchiveError.self) {
        try KeyedUnarchiver.unarchivedObject(ofClass: Measurement<Fright>.self, from: other)
      }
      #expect(error?.code == .typeMismatch && error?.className == "Elsewhere.Fright")
    }
  #endif

  @Test("names of persons")
  func names() throws {
    var name = PersonNameComponents()
    (name.namePrefix, name.givenName, name.familyName) = ("Dr.", "Ada", "Lovelace")
    #expect(try roundTrip(name) == name)
    name.phoneticRepresentation = PersonNameComponents()
    name.phoneticRepresentation?.givenName = "AY-da"
    #expect(try roundTrip(name) == name)
  }

  @Test("ranges, points, sizes, rectangles and transforms")
  func geometry() throws {
    #expect(try roundTrip(NSRange(location: NSNotFound, length: 0)) == NSRange(location: NSNotFound, length: 0))
    #expect(try roundTrip(CGPoint(x: 1, y: 0.1)) == CGPoint(x: 1, y: 0.1))
    #expect(try roundTrip(CGSize(width: 1, height: 2)) == CGSize(width: 1, height: 2))
    let rect = CGRect(x: 1, y: 2, width: 3, height: 1e30)
    #expect(try roundTrip(rect) == rect)
    for transform in [
      AffineTransform(m11: 1, m12: 2, m21: 3, m22: 4, tX: 5, tY: 6), .identity, AffineTransform(scale: 2),
      AffineTransform(translationByX: 10, byY: 20),
    ] {
      #expect(try roundTrip(transform) == transform)
    }
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
