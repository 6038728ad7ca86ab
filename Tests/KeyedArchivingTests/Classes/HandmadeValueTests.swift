// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

/// An object as the description of the format has it, and the value it is.
private struct Described: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var data: Data
  /// Decodes the object and compares it with the value.
  var matches: @Sendable (Data) throws -> Bool
  var archive: @Sendable () throws -> Data

  init<Value: KeyedCoding & SendableMetatype>(
    _ classes: [String], _ values: [(String, HandmadeList)], _ others: [HandmadeList] = [],
    value: @escaping @Sendable () -> Value, matches: @escaping @Sendable (Value) -> Bool
  ) {
    testDescription = classes[0]
    let record: HandmadeList = [
      "$classname": .string(classes[0]), "$classes": .array((classes + ["NSObject"]).map { .string($0) }),
    ]
    data = HandmadeList.archive([.dictionary(values + [("$class", .uid(2))]), record] + others)
    self.matches = {
      let made = try KeyedUnarchiver.unarchivedObject(ofClass: Value.self, from: $0)
      return matches(try #require(made))
    }
    archive = { try KeyedArchiver.archivedData(withRootObject: value(), requiringSecureCoding: true) }
  }

  init<Value: KeyedCoding & Equatable & Sendable>(
    _ classes: [String], _ values: [(String, HandmadeList)], _ others: [HandmadeList] = [], is value: Value
  ) {
    self.init(classes, values, others, value: { value }, matches: { $0 == value })
  }
}

private let dateClass: HandmadeList = .classRecord("NSDate", "NSObject")
private let dictionaryClass: HandmadeList = .classRecord("NSDictionary", "NSObject")

private func date(_ seconds: Double) -> Date { Date(timeIntervalSinceReferenceDate: seconds) }

private func components() -> DateComponents {
  var components = DateComponents()
  (components.era, components.year, components.quarter, components.month, components.day) = (1, 2020, 1, 2, 29)
  (components.hour, components.minute, components.second, components.nanosecond) = (3, 4, 5, 6)
  (components.weekOfYear, components.weekOfMonth, components.yearForWeekOfYear) = (9, 5, 2020)
  (components.weekday, components.weekdayOrdinal, components.isLeapMonth) = (7, 5, true)
  return components
}

private func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? .nan }

private func decimalValues(_ exponent: Int64, _ digits: [UInt8], negative: Bool = false) -> [(String, HandmadeList)] {
  let length = Int64((digits.count + 1) / 2)
  return [
    ("NS.exponent", .integer(exponent)), ("NS.length", .integer(length)), ("NS.negative", .boolean(negative)),
    ("NS.compact", true), ("NS.mantissa.bo", 1),
    ("NS.mantissa", .data(digits + [UInt8](repeating: 0, count: 16 - digits.count))),
  ]
}

private let decimalClasses = ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue"]

private func name() -> ArchivedPersonNameComponents {
  var name = ArchivedPersonNameComponents()
  (name.namePrefix, name.givenName, name.middleName) = ("Dr.", "Ada", "King")
  (name.familyName, name.nameSuffix, name.nickname) = ("Lovelace", "Jr.", "A")
  return name
}

private func inBothSets() -> ArchivedCharacterSet {
  var set = ArchivedCharacterSet(.builtin(5))
  set.second = .init(4, isInverted: true)
  return set
}

private let rangeClasses = ["NSRegularExpressionCheckingResult", "NSTextCheckingResult"]

private let described: [Described] = [
  Described(["NSMutableString", "NSString"], [("NS.string", "hé")], is: ArchivedMutableString("hé")),
  Described(["NSMutableData", "NSData"], [("NS.data", .data([1, 2]))], is: ArchivedMutableData(Data([1, 2]))),
  Described(["NSNull"], [], is: ArchiveNull()),
  Described(["NSDate"], [("NS.time", -0.5)], is: date(-0.5)),
  Described(
    ["NSUUID"], [("NS.uuidbytes", .data(Array(0...15)))],
    is: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
  Described(
    ["NSURL"], [("NS.base", .uid(3)), ("NS.relative", .uid(5))],
    [["NS.base": .uid(0), "NS.relative": .uid(4), "$class": .uid(2)], "http://a/b/", "c?d"],
    value: { URL(string: "c?d", relativeTo: URL(string: "http://a/b/")) ?? URL(filePath: "/") },
    matches: { $0.relativeString == "c?d" && $0.baseURL?.absoluteString == "http://a/b/" }),
  Described(
    ["NSCharacterSet"], [("NSBuiltinID", 5), ("NSBuiltinID2", 4), ("NSIsInverted2", true)], is: inBothSets()),
  Described(
    ["NSSimpleRegularExpressionCheckingResult"] + rangeClasses,
    [
      ("NSRangeLocation", 2), ("NSRangeLength", 3), ("NSRegularExpression", .uid(3)), ("NSRangeArray", .uid(6)),
    ],
    [
      ["NSPattern": .uid(4), "NSOptions": 1, "$class": .uid(5)], "b+", .classRecord("NSRegularExpression", "NSObject"),
      ["NS.objects": [.uid(8)], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
      ["NS.special": 4, "NS.rangeval.length": .uid(9), "NS.rangeval.location": .uid(10), "$class": .uid(11)], 3, 2,
      .classRecord("NSValue", "NSObject"),
    ],
    is: ArchivedRegularExpressionResult(
      expression: ArchivedRegularExpression(pattern: "b+", options: 1), ranges: [ArchivedRange(location: 2, length: 3)])
  ),
  Described(
    ["NSFunctionExpression", "NSExpression"],
    [
      ("NSExpressionType", 4), ("NSOperand", .uid(3)), ("NSSelectorName", .uid(5)), ("NSArguments", .uid(6)),
    ],
    [
      ["NSExpressionType": 2, "NSVariable": .uid(4), "$class": .uid(8)], "who", "sum:",
      ["NS.objects": [], "$class": .uid(7)], .classRecord("NSMutableArray", "NSArray", "NSObject"),
      .classRecord("NSVariableExpression", "NSExpression", "NSObject"),
    ],
    value: { ArchivedExpression.function(.init(operand: .variable("who"), selector: "sum:", arguments: [])) },
    matches: {
      guard case .function(let call) = $0, case .variable("who")? = call.operand else { return false }
      return call.selector == "sum:" && call.arguments.isEmpty
    }),
  Described(
    ["NSValue"], [("NS.special", 0), ("NS.struct", .data([1, 2, 3]))],
    value: {
      ArchivedValue.other(
        ArchivedObject(
          classes: "NSValue", "NSObject",
          entries: [.init("NS.special", .integer(0)), .init("NS.struct", .data(Data([1, 2, 3])))]))
    },
    matches: {
      guard case .other(let object) = $0 else { return false }
      return object["NS.struct"]?.data == Data([1, 2, 3])
    }),
  Described(
    ["NSDateInterval"], [("NS.startDate", .uid(3)), ("NS.endDate", .uid(5))],
    [["NS.time": 1.0, "$class": .uid(4)], dateClass, ["NS.time": 2.5, "$class": .uid(4)]],
    is: DateInterval(start: date(1), end: date(2.5))),
  Described(
    ["NSDateComponents"],
    [
      ("NS.era", 1), ("NS.year", 2020), ("NS.quarter", 1), ("NS.month", 2), ("NS.day", 29), ("NS.hour", 3),
      ("NS.minute", 4), ("NS.second", 5), ("NS.nanosec", 6), ("NS.weekOfYear", 9), ("NS.weekOfMonth", 5),
      ("NS.yearForWOY", 2020), ("NS.weekday", 7), ("NS.weekdayOrdinal", 5), ("NS.isLeapMonth", true),
      ("NS.calendar", .uid(0)), ("NS.timezone", .uid(0)),
    ], is: components()),
  Described(decimalClasses, decimalValues(0, [5]), is: decimal("5")),
  Described(decimalClasses, decimalValues(-1, [125], negative: true), is: decimal("-12.5")),
  Described(decimalClasses, decimalValues(0, []), is: decimal("0")),
  Described(
    decimalClasses, decimalValues(-20, [0xD3, 0x0A, 0x1F, 0xEB, 0x8C, 0xA9, 0x54, 0xAB]),
    is: decimal("0.12345678901234567891")),
  Described(
    decimalClasses, decimalValues(0, [UInt8](repeating: 0xFF, count: 16)),
    is: decimal("340282366920938463463374607431768211455")),
  Described(
    decimalClasses,
    [
      ("NS.exponent", 0), ("NS.length", 0), ("NS.negative", true), ("NS.compact", false), ("NS.mantissa.bo", 1),
      ("NS.mantissa", .data([UInt8](repeating: 0, count: 16))),
    ], value: { Decimal.nan }, matches: \.isNaN),
  Described(
    ["NSIndexPath"], [("NSIndexPathLength", 3), ("NSIndexPathData", .uid(3))],
    [
      ["NS.data": .data([0x0A, 0xAD, 0x09, 0x01]), "$class": .uid(4)],
      .classRecord("NSMutableData", "NSData", "NSObject"),
    ], is: IndexPath(indexes: [10, 1197, 1])),
  Described(
    ["NSValue"],
    [
      ("NS.special", 12), ("NS.edgeval.top", 1.0), ("NS.edgeval.left", 2.0), ("NS.edgeval.bottom", 3.0),
      ("NS.edgeval.right", 4.0),
    ], is: ArchivedEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)),
  Described(
    ["NSValue"], [("NS.special", 3), ("NS.rectval", .uid(3))], ["{{0.5, -2}, {512.0003662109375, 1e+20}}"],
    is: ArchivedRect(x: 0.5, y: -2, width: 512.0003662109375, height: 1e20)),
  Described(
    ["NSValue"], [("NS.special", 1), ("NS.pointval", .uid(3))], ["{512.0003662109375, 384.00033569335938}"],
    is: ArchivedPoint(x: 512.0003662109375, y: 384.00033569335938)),
  Described(
    ["NSDecimalNumberHandler"],
    [("NS.roundingmode", 2), ("NS.scale", 3), ("NS.raise.exactness", true), ("NS.raise.underflow", true)],
    is: ArchivedDecimalNumberHandler(
      roundingMode: 2, scale: 3, raisesOnExactness: true, raisesOnOverflow: false, raisesOnUnderflow: true,
      raisesOnDivideByZero: false)),
  Described(
    ["NSError"], [("NSDomain", .uid(3)), ("NSCode", -7), ("NSUserInfo", .uid(4))],
    ["domain", ["NS.keys": [.uid(6)], "NS.objects": [.uid(7)], "$class": .uid(5)], dictionaryClass, "why", "because"],
    value: { ArchivedError(domain: "domain", code: -7, userInfo: ArchivedDictionary([("why", "because")])) },
    matches: { $0.domain == "domain" && $0.code == -7 && $0.userInfo?["why"] as? String == "because" }),
  Described(
    ["NSNotification"], [("NS.name", .uid(3)), ("NS.object", .uid(4)), ("NS.userinfo", .uid(0))], ["news", "about"],
    value: { ArchivedNotification(name: "news", object: "about") },
    matches: { $0.name == "news" && $0.object as? String == "about" && $0.userInfo == nil }),
  Described(
    ["NSPersonNameComponents"],
    [
      ("NS.namePrefix", .uid(3)), ("NS.givenName", .uid(4)), ("NS.middleName", .uid(5)), ("NS.familyName", .uid(6)),
      ("NS.nameSuffix", .uid(7)), ("NS.nickname", .uid(8)),
    ], ["Dr.", "Ada", "King", "Lovelace", "Jr.", "A"], is: name()),
  Described(
    ["NSCharacterSet"], [("NSBuiltinID", 5), ("NSIsInverted", true)],
    is: ArchivedCharacterSet(.builtin(5), isInverted: true)),
  Described(
    ["NSMutableCharacterSet", "NSCharacterSet"], [("NSRange", .integer(279_172_874_243))],
    is: ArchivedCharacterSet(.range(ArchivedRange(location: 65, length: 3)), isMutable: true)),
  Described(
    ["NSCharacterSet"], [("NSStringObject", .uid(3))], ["aé😀"], is: ArchivedCharacterSet(.characters("aé😀"))),
  Described(
    ["NSUnitFuelEfficiency", "NSDimension", "NSUnit"], [("NS.symbol", .uid(3)), ("NS.converter", .uid(4))],
    [
      "mpg", ["NS.reciprocal": 235.215, "$class": .uid(5)],
      .classRecord("NSUnitConverterReciprocal", "NSUnitConverter", "NSObject"),
    ], is: ArchivedUnit(dimension: "NSUnitFuelEfficiency", symbol: "mpg", converter: .reciprocal(235.215))),
  Described(["NSUnit"], [("NS.symbol", .uid(3))], ["q"], is: ArchivedUnit(symbol: "q")),
  Described(
    ["NSCompoundPredicate", "NSPredicate"], [("NSCompoundPredicateType", 2), ("NSSubpredicates", .uid(3))],
    [
      ["NS.objects": [.uid(5), .uid(7)], "$class": .uid(4)], .classRecord("NSArray", "NSObject"),
      ["$class": .uid(6)], .classRecord("NSTruePredicate", "NSPredicate", "NSObject"),
      ["$class": .uid(8)], .classRecord("NSFalsePredicate", "NSPredicate", "NSObject"),
    ],
    value: { ArchivedPredicate.compound(type: 2, [.constant(true), .constant(false)]) },
    matches: {
      guard case .compound(2, let predicates) = $0, predicates.count == 2, case .constant(true) = predicates[0],
        case .constant(false) = predicates[1]
      else { return false }
      return true
    }),
  Described(
    ["UIColor"],
    [
      ("UIColorComponentCount", 2), ("UIWhite", .raw([0x22, 0x3F, 0, 0, 0])),
      ("UIAlpha", .raw([0x22, 0x3F, 0x80, 0, 0])),
    ],
    is: ArchivedUIColor(white: 0.5)),
]

@Suite("Values as the description of the format has them")
struct HandmadeValueTests {
  @Test("are what the stored keys say", arguments: described)
  fileprivate func decode(_ row: Described) throws { #expect(try row.matches(row.data)) }

  @Test("are stored under the same keys", arguments: described)
  fileprivate func encode(_ row: Described) throws {
    let (expected, anew) = (try KeyedArchive(row.data), try KeyedArchive(row.archive()))
    var comparison = Comparison(ordered: false)
    #expect(comparison.difference(expected.root, anew.root) == nil)
    #expect(try row.matches(anew.data()))
  }

  @Test("date components that are not set are stored as the largest integer")
  func unsetComponents() throws {
    var components = DateComponents()
    components.year = 2020
    let data = try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root["NS.month"].number == .integer(.max))
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: DateComponents.self, from: data) == components)
    components.dayOfYear = 3
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
  }

  @Test("date components keep their calendar and time zone")
  func zonedComponents() throws {
    var components = components()
    components.calendar = Calendar(identifier: .gregorian)
    components.calendar?.timeZone = .gmt
    components.timeZone = .gmt
    let data = try KeyedArchiver.archivedData(withRootObject: components, requiringSecureCoding: true)
    let root = try KeyedArchive(data).root
    #expect(root["NS.timezone"]["NS.name"].string == "GMT")
    #expect(root["NS.calendar"]["NS.identifier"].string == "gregorian")
    #expect(root["NS.calendar"]["NS.timezone"].uid == root["NS.timezone"].uid)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: DateComponents.self, from: data) == components)
  }

  @Test("a character set is read from the keys of older systems too")
  func oldCharacterSets() throws {
    func decode(_ values: [(String, HandmadeList)], _ other: HandmadeList) throws -> ArchivedCharacterSet? {
      let data = HandmadeList.archive([
        .dictionary(values + [("$class", .uid(2))]), .classRecord("NSCharacterSet", "NSObject"), other,
      ])
      return try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedCharacterSet.self, from: data)
    }
    #expect(try decode([("NSString", .uid(3))], "abc") == ArchivedCharacterSet(.characters("abc")))
    let bits = [UInt8](repeating: 0, count: 8192 + 8193).enumerated().map { $0.offset == 8192 ? 1 : $0.element }
    #expect(
      try decode([("NSBitmap", .uid(3))], .data(bits)) == ArchivedCharacterSet(.bitmap(Data(bits))))
  }

  @Test("strings and data that are objects are read under either of their keys")
  func objectsWithKeys() throws {
    func decode<Value: KeyedCoding>(_ type: Value.Type, _ name: String, _ key: String, _ value: HandmadeList) throws
      -> Value?
    {
      try KeyedUnarchiver.unarchivedObject(
        ofClass: type,
        from: HandmadeList.archive([
          .dictionary([(key, value), ("$class", .uid(2))]), .classRecord(name, "NSObject"),
        ]))
    }
    #expect(try decode(String.self, "NSString", "NS.string", "é") == "é")
    #expect(try decode(String.self, "NSMutableString", "NS.bytes", .data(Array("é".utf8))) == "é")
    #expect(try decode(Data.self, "NSData", "NS.data", .data([7])) == Data([7]))
    #expect(try decode(Data.self, "NSMutableData", "NS.bytes", .data([7])) == Data([7]))
  }

  @Test("collections have two forms, which are the same")
  func twoForms() throws {
    let array = HandmadeList.archive([
      ["NS.object.0": .uid(3), "NS.object.1": .uid(4), "$class": .uid(2)], .classRecord("NSArray", "NSObject"), "a",
      "b",
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String].self, from: array) == ["a", "b"])
    let ordered = HandmadeList.archive([
      ["NS.objects": [.uid(3), .uid(4)], "$class": .uid(2)], .classRecord("NSOrderedSet", "NSObject"), "a", "b",
    ])
    let types: [any KeyedCoding.Type] = [ArchivedOrderedSet.self, String.self]
    let made = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: ordered) as? ArchivedOrderedSet
    #expect(made?.elements as? [String] == ["a", "b"])
    let dictionary = HandmadeList.archive([
      ["NS.key.0": .uid(3), "NS.object.0": .uid(4), "$class": .uid(2)], dictionaryClass, "a", "b",
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [String: String].self, from: dictionary) == ["a": "b"])
    let set = HandmadeList.archive([
      ["NS.object.0": .uid(3), "$class": .uid(2)], .classRecord("NSSet", "NSObject"), "a",
    ])
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Set<String>.self, from: set) == ["a"])
  }

  @Test("mutable collections stay mutable where their type can say so")
  func mutable() throws {
    let value = ArchivedDictionary(
      [("a", ArchivedArray([1], isMutable: true)), ("b", ArchivedSet(["x"], isMutable: true))], isMutable: true)
    let archive = try KeyedArchive(KeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true))
    #expect(archive.root.classDescription?.chain == ["NSMutableDictionary", "NSDictionary", "NSObject"])
    #expect(archive.root["a"].className == "NSMutableArray" && archive.root["b"].className == "NSMutableSet")
    let made = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: archive.data())
    #expect((made as? ArchivedDictionary)?.isMutable == true)
    #expect(((made as? ArchivedDictionary)?["a"] as? ArchivedArray)?.isMutable == true)
  }

  @Test("content of unknown classes is kept as data, that of classes the caller names is theirs")
  func content() throws {
    let objects: [HandmadeList] = [
      ["NSDomain": .uid(3), "NSCode": 1, "NSUserInfo": .uid(4), "$class": .uid(2)],
      .classRecord("NSError", "NSObject"), "d",
      ["NS.keys": [.uid(3)], "NS.objects": [.uid(6)], "$class": .uid(5)], dictionaryClass,
      ["Title": .uid(3), "Rating": .raw([0x22, 0x40, 0, 0, 0]), "$class": .uid(7)],
      .classRecord("ScaryCreatures.ScaryCreatureData", "NSObject"),
    ]
    let data = HandmadeList.archive(objects)
    let error = try #require(try KeyedUnarchiver.unarchivedObject(ofClass: ArchivedError.self, from: data))
    let object = try #require(error.userInfo?["d"] as? ArchivedObject)
    #expect(object.archivedClass.name == "ScaryCreatures.ScaryCreatureData" && object["Title"]?.string == "d")
    let types: [any KeyedCoding.Type] = [ArchivedError.self, Creature.self]
    let named = try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: data) as? ArchivedError
    #expect((named?.userInfo?["d"] as? Creature)?.rating == 2)
  }

  @Test("points, sizes and rectangles that a coder was handed are strings")
  func geometry() throws {
    final class Shape: SecureKeyedCoding {
      let (point, size) = (ArchivedPoint(x: 1, y: 2.5), ArchivedSize(width: 3, height: 4))
      let rect = ArchivedRect(x: 0, y: -1, width: 0.1, height: 1e100)
      static var archiveClassName: String { "Shape" }
      init() {}
      func encode(with coder: KeyedArchiver) {
        coder.encodePoint(point, forKey: "point")
        coder.encodeSize(size, forKey: "size")
        coder.encodeRect(rect, forKey: "rect")
      }
      init?(coder: KeyedUnarchiver) {
        guard coder.decodePoint(forKey: "point") == point, coder.decodeSize(forKey: "size") == size,
          coder.decodeRect(forKey: "rect") == rect, coder.decodePoint(forKey: "none") == ArchivedPoint(x: 0, y: 0)
        else { return nil }
      }
    }
    let data = try KeyedArchiver.archivedData(withRootObject: Shape(), requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root["rect"].string == "{{0, -1}, {0.10000000000000001, 1e+100}}")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Shape.self, from: data) != nil)
  }

  @Test("affine transforms are stored as briefly as Apple stores them")
  func transforms() throws {
    typealias Matrix = ArchivedAffineTransform.Matrix
    let shift = ArchivedAffineTransform(Matrix(tX: 128, tY: 128))
    #expect(shift.bytes == Data([2, 0x43, 0, 0, 0, 0x43, 0, 0, 0]))
    let scale = ArchivedAffineTransform(Matrix(m11: 64, m22: 64, tX: 64, tY: 64))
    #expect(scale.bytes == Data([0x42, 0x80, 0, 0, 0x42, 0x80, 0, 0, 0x42, 0x80, 0, 0, 0x42, 0x80, 0, 0]))
    for matrix in [Matrix(), Matrix(m11: 2, m12: 3, m21: 4, m22: 5, tX: 6, tY: 7), Matrix(m11: 1, m22: 0)] {
      #expect(ArchivedAffineTransform(matrix).matrix == matrix)
    }
  }

  @Test("a time zone that several refer to is one object, as in the system's cache")
  func sharedZone() throws {
    let zone = try #require(TimeZone(identifier: "GMT"))
    let archive = try KeyedArchive(
      KeyedArchiver.archivedData(withRootObject: [zone, zone], requiringSecureCoding: true))
    #expect(archive.root[0].uid == archive.root[1].uid)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: [TimeZone].self, from: archive.data()) == [zone, zone])
  }

  @Test("locales and calendars come out as they went in", arguments: ["gregorian", "buddhist", "islamic-civil"])
  func calendars(_ name: String) throws {
    let identifiers: [String: Calendar.Identifier] = [
      "gregorian": .gregorian, "buddhist": .buddhist, "islamic-civil": .islamicCivil,
    ]
    var calendar = Calendar(identifier: try #require(identifiers[name]))
    calendar.locale = Locale(identifier: "de_DE")
    calendar.timeZone = try #require(TimeZone(identifier: "GMT"))
    (calendar.firstWeekday, calendar.minimumDaysInFirstWeek) = (2, 4)
    let data = try KeyedArchiver.archivedData(withRootObject: calendar, requiringSecureCoding: true)
    #expect(try KeyedArchive(data).root["NS.identifier"].string == name)
    #expect(try KeyedArchive(data).root["NS.locale"]["NS.identifier"].string == "de_DE")
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Calendar.self, from: data) == calendar)
    let locale = Locale(identifier: "fr_CH")
    let other = try KeyedArchiver.archivedData(withRootObject: locale, requiringSecureCoding: true)
    #expect(try KeyedUnarchiver.unarchivedObject(ofClass: Locale.self, from: other) == locale)
  }
}

@Suite("Swift's attributed strings")
struct AttributedStringTests {
  private func roundTrip(_ text: AttributedString) throws -> AttributedString {
    let data = try KeyedArchiver.archivedData(withRootObject: text, requiringSecureCoding: true)
    return try #require(try KeyedUnarchiver.unarchivedObject(ofClass: AttributedString.self, from: data))
  }

  @Test("keep links, runs and attributes that Swift has no keys for")
  func keep() throws {
    var text = AttributedString("e")
    text.link = URL(string: "http://a/b")
    var tail = AttributedString("\u{301}😀x")
    let font = ArchivedFont(name: "Helvetica", size: 12)
    let unknown = ArchivedObject(classes: "Gadget", "NSObject", entries: [.init("n", .integer(3))])
    tail[ArchivedAttributes.self] = try ArchivedAttributeSet(ArchivedDictionary([("NSFont", font), ("X", unknown)]))
    text.append(tail)
    let made = try roundTrip(text)
    #expect(made == text)
    let set = try #require(made.runs.compactMap { $0[ArchivedAttributes.self] }.first)
    #expect((try set["NSFont"] as? ArchivedFont)?.name == "Helvetica")
    #expect((try set["X"] as? ArchivedObject)?["n"]?.number == .integer(3))
  }

  @Test("plain and empty ones have no attributes")
  func plain() throws {
    for text in [AttributedString(""), AttributedString("plain")] {
      #expect(try roundTrip(text) == text)
      let archived = try ArchivedAttributedString(text)
      #expect(archived.runs.isEmpty && archived.attributeSets.isEmpty)
    }
  }

  @Test("with an attribute that has no form in an archive are refused")
  func refuse() {
    enum Secret: AttributedStringKey {
      typealias Value = Int
      static let name = "secret"
    }
    var text = AttributedString("x")
    text[Secret.self] = 4
    let error = #expect(throws: KeyedArchiveError.self) {
      try KeyedArchiver.archivedData(withRootObject: text, requiringSecureCoding: true)
    }
    #expect(error?.code == .notEncodable)
  }
}
