// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchives
import KeyedArchiving
import TestSupport
import Testing

/// An object as the description of the format has it, and the value it is.
struct DescribedObject: Sendable, CustomTestStringConvertible {
  /// The class and its superclasses, but for `NSObject`.
  var classes: [String]
  var type: String
  var data: Data
  /// Decodes the object.
  var make: @Sendable (Data) throws -> any KeyedCoding
  /// Decodes the object and compares it with the value.
  var matches: @Sendable (Data) throws -> Bool
  var archive: @Sendable () throws -> Data
  var testDescription: String { classes[0] }

  init<Value: KeyedCoding & SendableMetatype>(
    _ classes: [String], _ values: [(String, HandmadeList)], _ others: [HandmadeList] = [],
    value: @escaping @Sendable () -> Value, matches: @escaping @Sendable (Value) -> Bool
  ) {
    self.classes = classes
    self.type = "\(Value.self)"
    let record: HandmadeList = [
      "$classname": .string(classes[0]), "$classes": .array((classes + ["NSObject"]).map { .string($0) }),
    ]
    data = HandmadeList.archive([.dictionary(values + [("$class", .uid(2))]), record] + others)
    let make: @Sendable (Data) throws -> Value = {
      let types = [Value.self] + KeyedUnarchiver.valueTypes
      return try #require(try KeyedUnarchiver.unarchivedObject(ofClasses: types, from: $0) as? Value)
    }
    self.make = make
    self.matches = { matches(try make($0)) }
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

private func pattern() -> ArchivedColor {
  var color = ArchivedColor(white: 0)
  (color.space, color.white) = (.pattern, nil)
  return color
}

/// An image with data that begins like a JPEG, whose header states the size.
private func image() -> ArchivedUIImage {
  let picture = Data([0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 1, 2, 3, 4])
  guard let image = try? ArchivedUIImage(picture: picture, scale: 3) else { preconditionFailure("it is a JPEG") }
  return image
}

private func isImage(_ image: ArchivedUIImage) -> Bool {
  image.picture?.count == 11 && image.scale == 3 && image.sizeInPixels == ArchivedSize(width: 772, height: 258)
    && image.orientation == 0 && image.renderingMode == 0 && image.otherValues.keys.isEmpty
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

/// The first plane of a set with the characters "+" and "$".
private let symbols: [UInt8] = [0, 0, 0, 0, 16, 8] + [UInt8](repeating: 0, count: 8186)

/// A set that newer systems know by its number, and older ones read as a bitmap.
private func inBothForms() -> ArchivedCharacterSet {
  var set = ArchivedCharacterSet(.bitmap(Data(symbols)))
  set.second = .init(14, isInverted: true)
  return set
}

private func transform(_ bytes: [UInt8], _ matrix: ArchivedAffineTransform.Matrix) -> DescribedObject {
  let values: [(String, HandmadeList)] = bytes.isEmpty ? [] : [("NSTransformStruct", .data(bytes))]
  return DescribedObject(
    ["NSAffineTransform"], values, value: { ArchivedAffineTransform(matrix) },
    matches: { (made: ArchivedAffineTransform) in made.matrix == matrix && made.bytes == Data(bytes) })
}

private let rangeClasses = ["NSRegularExpressionCheckingResult", "NSTextCheckingResult"]

/// A real of 4 bytes.
private func short(_ value: Float) -> HandmadeList {
  .raw([0x22] + (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> UInt32(8 * (3 - $0))) })
}

private func modernColor() -> ArchivedUIColor {
  var color = ArchivedUIColor(red: 0.1, green: 0.5, blue: 1, alpha: 0.25)
  (color.precise.red, color.precise.green, color.precise.blue, color.precise.alpha) = (0.1, 0.5, 1, 0.25)
  color.appKit.rgb = ColorComponents([0.1, 0.5, 1, 0.25], endsWithZero: false)
  (color.appKit.space, color.systemColorName) = (2, "linkColor")
  return color
}

private func modernGrey() -> ArchivedUIColor {
  var color = ArchivedUIColor(white: 0.5)
  (color.precise.white, color.precise.alpha) = (0.5, 1)
  (color.appKit.space, color.appKit.white) = (4, ColorComponents([0.5], endsWithZero: false))
  return color
}

private func cmyk() -> ArchivedColor {
  var color = ArchivedColor(white: 0, space: .deviceCMYK)
  (color.white, color.cmyk) = (nil, ColorComponents([0.1, 0.2, 0.3, 0.4, 0.5]))
  return color
}

extension DescribedObject {
  static let all: [DescribedObject] = [
    DescribedObject(["NSMutableString", "NSString"], [("NS.string", "hé")], is: ArchivedMutableString("hé")),
    DescribedObject(
      ["NSMutableData", "NSData"], [("NS.data", .data([1, 2]))], is: ArchivedMutableData(Data([1, 2]))),
    DescribedObject(["NSNull"], [], is: ArchiveNull()),
    DescribedObject(["NSDate"], [("NS.time", -0.5)], is: date(-0.5)),
    DescribedObject(
      ["NSUUID"], [("NS.uuidbytes", .data(Array(0...15)))],
      is: UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
    DescribedObject(
      ["NSURL"], [("NS.base", .uid(3)), ("NS.relative", .uid(5))],
      [["NS.base": .uid(0), "NS.relative": .uid(4), "$class": .uid(2)], "http://a/b/", "c?d"],
      value: { URL(string: "c?d", relativeTo: URL(string: "http://a/b/")) ?? URL(filePath: "/") },
      matches: { $0.relativeString == "c?d" && $0.baseURL?.absoluteString == "http://a/b/" }),
    DescribedObject(
      ["NSCharacterSet"], [("NSBitmap", .data(symbols)), ("NSBuiltinID2", 14), ("NSIsInverted2", true)],
      is: inBothForms()),
    DescribedObject(
      ["NSSimpleRegularExpressionCheckingResult"] + rangeClasses,
      [
        ("NSRangeLocation", 2), ("NSRangeLength", 3), ("NSRegularExpression", .uid(3)), ("NSRangeArray", .uid(6)),
      ],
      [
        ["NSPattern": .uid(4), "NSOptions": 1, "$class": .uid(5)], "b+",
        .classRecord("NSRegularExpression", "NSObject"),
        ["NS.objects": [.uid(8)], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
        ["NS.special": 4, "NS.rangeval.length": .uid(9), "NS.rangeval.location": .uid(10), "$class": .uid(11)], 3, 2,
        .classRecord("NSValue", "NSObject"),
      ],
      is: ArchivedRegularExpressionResult(
        expression: ArchivedRegularExpression(pattern: "b+", options: 1),
        ranges: [ArchivedRange(location: 2, length: 3)])
    ),
    DescribedObject(
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
    DescribedObject(
      ["NSValue"], [("NS.special", 0), ("NS.struct", .data([1, 2, 3]))],
      value: {
        ArchivedValue.other(
          ArchivedObject(
            classes: "NSValue", "NSObject",
            entries: [.init("NS.special", .number(.integer(0))), .init("NS.struct", .data(Data([1, 2, 3])))]))
      },
      matches: {
        guard case .other(let object) = $0 else { return false }
        return object["NS.struct"]?.data == Data([1, 2, 3])
      }),
    DescribedObject(
      ["NSDateInterval"], [("NS.startDate", .uid(3)), ("NS.endDate", .uid(5)), ("NS.duration", 1.5)],
      [["NS.time": 1.0, "$class": .uid(4)], dateClass, ["NS.time": 2.5, "$class": .uid(4)]],
      is: DateInterval(start: date(1), end: date(2.5))),
    DescribedObject(
      ["NSDateComponents"],
      [
        ("NS.era", 1), ("NS.year", 2020), ("NS.quarter", 1), ("NS.month", 2), ("NS.day", 29), ("NS.hour", 3),
        ("NS.minute", 4), ("NS.second", 5), ("NS.nanosec", 6), ("NS.weekOfYear", 9), ("NS.weekOfMonth", 5),
        ("NS.yearForWOY", 2020), ("NS.weekday", 7), ("NS.weekdayOrdinal", 5), ("NS.leapMonth", 1),
        ("NS.isLeapMonth", true),
      ], is: components()),
    DescribedObject(decimalClasses, decimalValues(0, [5]), is: decimal("5")),
    DescribedObject(decimalClasses, decimalValues(-1, [125], negative: true), is: decimal("-12.5")),
    DescribedObject(decimalClasses, decimalValues(0, []), is: decimal("0")),
    DescribedObject(
      decimalClasses, decimalValues(-20, [0xD3, 0x0A, 0x1F, 0xEB, 0x8C, 0xA9, 0x54, 0xAB]),
      is: decimal("0.12345678901234567891")),
    DescribedObject(
      decimalClasses, decimalValues(0, [UInt8](repeating: 0xFF, count: 16)),
      is: decimal("340282366920938463463374607431768211455")),
    DescribedObject(
      decimalClasses,
      [
        ("NS.exponent", 0), ("NS.length", 0), ("NS.negative", true), ("NS.compact", false), ("NS.mantissa.bo", 1),
        ("NS.mantissa", .data([UInt8](repeating: 0, count: 16))),
      ], value: { Decimal.nan }, matches: \.isNaN),
    DescribedObject(
      ["NSIndexPath"], [("NSIndexPathLength", 3), ("NSIndexPathData", .uid(3))],
      [
        ["NS.data": .data([0x0A, 0xAD, 0x09, 0x01]), "$class": .uid(4)],
        .classRecord("NSMutableData", "NSData", "NSObject"),
      ], is: IndexPath(indexes: [10, 1197, 1])),
    DescribedObject(
      ["NSValue"],
      [
        ("NS.special", 12), ("NS.edgeval.top", 1.0), ("NS.edgeval.left", 2.0), ("NS.edgeval.bottom", 3.0),
        ("NS.edgeval.right", 4.0),
      ], is: ArchivedEdgeInsets(top: 1, left: 2, bottom: 3, right: 4)),
    DescribedObject(
      ["NSValue"],
      [
        ("NS.special", 11), ("NS.edgeval.top", 1.0), ("NS.edgeval.left", 2.0), ("NS.edgeval.bottom", 3.0),
        ("NS.edgeval.right", 4.0),
      ], is: ArchivedEdgeInsets(top: 1, left: 2, bottom: 3, right: 4, isUIKit: true)),
    DescribedObject(
      ["NSValue"], [("NS.special", 3), ("NS.rectval", .uid(3))], ["{{0.5, -2}, {512.0003662109375, 1e+20}}"],
      is: ArchivedRect(x: 0.5, y: -2, width: 512.0003662109375, height: 1e20)),
    DescribedObject(
      ["NSValue"], [("NS.special", 2), ("NS.sizeval", .uid(3))], ["{3, 0.25}"],
      is: ArchivedSize(width: 3, height: 0.25)),
    DescribedObject(
      ["NSValue"], [("NS.special", 4), ("NS.rangeval.length", .uid(3)), ("NS.rangeval.location", .uid(4))], [5, 7],
      is: ArchivedRange(location: 7, length: 5)),
    DescribedObject(
      ["NSValue"], [("NS.special", 1), ("NS.pointval", .uid(3))], ["{512.0003662109375, 384.00033569335938}"],
      is: ArchivedPoint(x: 512.0003662109375, y: 384.00033569335938)),
    DescribedObject(
      ["NSDecimalNumberHandler"],
      [("NS.roundingmode", 2), ("NS.scale", 3), ("NS.raise.exactness", true), ("NS.raise.underflow", true)],
      is: ArchivedDecimalNumberHandler(
        roundingMode: 2, scale: 3, raisesOnExactness: true, raisesOnOverflow: false, raisesOnUnderflow: true,
        raisesOnDivideByZero: false)),
    // The handler of a number formatter, and the default one.
    DescribedObject(
      ["NSDecimalNumberHandler"],
      [
        ("NS.roundingmode", 3), ("NS.raise.overflow", true), ("NS.raise.underflow", true),
        ("NS.raise.dividebyzero", true),
      ], is: ArchivedDecimalNumberHandler(roundingMode: 3)),
    DescribedObject(
      ["NSDecimalNumberHandler"],
      [("NS.raise.overflow", true), ("NS.raise.underflow", true), ("NS.raise.dividebyzero", true)],
      is: ArchivedDecimalNumberHandler()),
    DescribedObject(
      ["NSSortDescriptor"], [("NSAscending", false)],
      is: ArchivedSortDescriptor(key: nil, isAscending: false, selector: nil)),
    DescribedObject(
      ["NSISO8601DateFormatter", "NSFormatter"], [("NS.formatOptions", 1907)],
      is: ArchivedISO8601DateFormatter(timeZone: nil)),
    DescribedObject(
      ["NSError"], [("NSDomain", .uid(3)), ("NSCode", -7), ("NSUserInfo", .uid(4))],
      [
        "domain", ["NS.keys": [.uid(6)], "NS.objects": [.uid(7)], "$class": .uid(5)], dictionaryClass, "why", "because",
      ],
      value: { ArchivedError(domain: "domain", code: -7, userInfo: ArchivedDictionary([("why", "because")])) },
      matches: { $0.domain == "domain" && $0.code == -7 && $0.userInfo?["why"] as? String == "because" }),
    DescribedObject(
      ["NSNotification"], [("NS.name", .uid(3)), ("NS.object", .uid(4)), ("NS.userinfo", .uid(0))], ["news", "about"],
      value: { ArchivedNotification(name: "news", object: "about") },
      matches: { $0.name == "news" && $0.object as? String == "about" && $0.userInfo == nil }),
    DescribedObject(
      ["NSPersonNameComponents"],
      [
        ("NS.namePrefix", .uid(3)), ("NS.givenName", .uid(4)), ("NS.middleName", .uid(5)), ("NS.familyName", .uid(6)),
        ("NS.nameSuffix", .uid(7)), ("NS.nickname", .uid(8)), ("NS.nameComponentsPrivate", .uid(9)),
      ],
      [
        "Dr.", "Ada", "King", "Lovelace", "Jr.", "A",
        [
          "NS.namePrefix": .uid(3), "NS.givenName": .uid(4), "NS.middleName": .uid(5), "NS.familyName": .uid(6),
          "NS.nameSuffix": .uid(7), "NS.nickname": .uid(8), "NS.phoneticRepresentation": .uid(0), "$class": .uid(10),
        ], .classRecord("_NSPersonNameComponentsData", "NSObject"),
      ], is: name()),
    DescribedObject(
      ["NSCharacterSet"], [("NSBuiltinID", 5), ("NSIsInverted", true)],
      is: ArchivedCharacterSet(.builtin(5), isInverted: true)),
    DescribedObject(
      ["NSMutableCharacterSet", "NSCharacterSet"], [("NSRange", .integer(279_172_874_243))],
      is: ArchivedCharacterSet(.range(ArchivedRange(location: 65, length: 3)), isMutable: true)),
    DescribedObject(
      ["NSCharacterSet"], [("NSString", "aé😀")], is: ArchivedCharacterSet(.characters("aé😀"))),
    // The bytes as Apple's encoder makes them: 4-byte reals, the first number after a mark of the form.
    transform([], .init()), transform([1, 0x41, 0x20, 0, 0, 0x41, 0xA0, 0, 0], .init(tX: 10, tY: 20)),
    transform([2, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0], .init(m11: 2, m22: 3)),
    transform(
      [0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0x41, 0x20, 0, 0, 0x41, 0xA0, 0, 0], .init(m11: 2, m22: 3, tX: 10, tY: 20)),
    transform(
      [
        0x3F, 0x80, 0, 0, 0x40, 0, 0, 0, 0x40, 0x40, 0, 0, 0x40, 0x80, 0, 0, 0x41, 0x20, 0, 0, 0x41, 0xA0, 0, 0,
      ], .init(m11: 1, m12: 2, m21: 3, m22: 4, tX: 10, tY: 20)),
    DescribedObject(
      ["NSUnitFuelEfficiency", "NSDimension", "NSUnit"], [("NS.symbol", .uid(3)), ("NS.converter", .uid(4))],
      [
        "mpg", ["NS.reciprocal": 235.215, "$class": .uid(5)],
        .classRecord("NSUnitConverterReciprocal", "NSUnitConverter", "NSObject"),
      ], is: ArchivedUnit(dimension: "NSUnitFuelEfficiency", symbol: "mpg", converter: .reciprocal(235.215))),
    DescribedObject(["NSColor"], [("NSColorSpace", 10)], is: pattern()),
    DescribedObject(["NSUnit"], [("NS.symbol", .uid(3))], ["q"], is: ArchivedUnit(symbol: "q")),
    DescribedObject(
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
    DescribedObject(
      ["UIColor"],
      [
        ("UIColorComponentCount", 2), ("UIWhite", .raw([0x22, 0x3F, 0, 0, 0])),
        ("UIAlpha", .raw([0x22, 0x3F, 0x80, 0, 0])),
      ],
      is: ArchivedUIColor(white: 0.5)),
    DescribedObject(
      ["UIColor"],
      [
        ("UISystemColorName", .uid(3)), ("UIColorComponentCount", 4), ("UIRed", short(0.1)), ("UIRed-Double", 0.1),
        ("UIGreen", short(0.5)), ("UIGreen-Double", 0.5), ("UIBlue", short(1)), ("UIBlue-Double", 1.0),
        ("UIAlpha", short(0.25)), ("UIAlpha-Double", 0.25), ("NSRGB", .data(Array("0.1 0.5 1 0.25".utf8))),
        ("NSColorSpace", 2),
      ], ["linkColor"], is: modernColor()),
    DescribedObject(
      ["UIColor"],
      [
        ("UIColorComponentCount", 2), ("UIWhite", short(0.5)), ("UIWhite-Double", 0.5), ("UIAlpha", short(1)),
        ("UIAlpha-Double", 1.0), ("NSWhite", .data(Array("0.5".utf8))), ("NSColorSpace", 4),
      ], is: modernGrey()),
    DescribedObject(
      ["NSColor"], [("NSColorSpace", 5), ("NSCMYK", .data(Array("0.1 0.2 0.3 0.4 0.5\0".utf8)))], is: cmyk()),
    DescribedObject(
      ["UIImage"],
      [
        ("UIImageData", .uid(3)), ("UIScale", short(3)), ("UIImageSizeInPixels", .uid(4)),
        ("UIImageOrientation", 0), ("UIRenderingMode", 0),
      ], [.data([0xFF, 0xD8, 0xFF, 0xC0, 0, 17, 8, 1, 2, 3, 4]), "{772, 258}"],
      value: image, matches: isImage),
    DescribedObject(
      ["NSShadow"],
      [("NSShadowBlurRadius", 1.5), ("NSShadowHoriz", 2.0), ("NSShadowVert", -3.0), ("NSShadowColor", .uid(3))],
      [
        ["NSColorSpace": 3, "NSWhite": .data(Array("0 0.5\0".utf8)), "$class": .uid(4)],
        .classRecord("NSColor", "NSObject"),
      ],
      is: ArchivedShadow(
        blurRadius: 1.5, horizontalOffset: 2, verticalOffset: -3,
        color: .appKit(ArchivedColor(white: 0, alpha: 0.5)))),
    DescribedObject(["NSShadow"], [("NSShadowVert", 2.0)], is: ArchivedShadow(verticalOffset: 2)),
    DescribedObject(["NSShadow"], [("NSShadowColor", .uid(0))], is: ArchivedShadow(color: .noColor)),
    DescribedObject(
      ["NSShadow"], [("NSShadowColor", .uid(3))],
      [
        ["UIColorComponentCount": 2, "UIWhite": short(0.5), "UIAlpha": short(1), "$class": .uid(4)],
        .classRecord("UIColor", "NSObject"),
      ], is: ArchivedShadow(color: .uiKit(ArchivedUIColor(white: 0.5)))),
    DescribedObject(
      ["NSException"], [("NS.name", .uid(3)), ("NS.reason", .uid(4)), ("NS.userinfo", .uid(5))],
      [
        "NSRangeException", "beyond bounds", ["NS.keys": [.uid(3)], "NS.objects": [.uid(4)], "$class": .uid(6)],
        dictionaryClass,
      ],
      value: {
        ArchivedException(
          name: "NSRangeException", reason: "beyond bounds",
          userInfo: ArchivedDictionary([("NSRangeException", "beyond bounds")]))
      },
      matches: {
        $0.name == "NSRangeException" && $0.reason == "beyond bounds"
          && $0.userInfo?["NSRangeException"] as? String == "beyond bounds"
      }),
    DescribedObject(
      ["NSOrderedSet"], [("NS.object.0", .uid(3)), ("NS.object.1", .uid(4))], ["b", "a"],
      value: { ArchivedOrderedSet(["b", "a"]) },
      matches: { $0.elements as? [String] == ["b", "a"] && !$0.isMutable }),
    DescribedObject(
      ["NSUnitConverterReciprocal", "NSUnitConverter"], [("NS.reciprocal", 235.215)],
      is: ArchivedUnitConverter.reciprocal(235.215)),
    DescribedObject(
      ["NSVariableExpression", "NSExpression"], [("NSExpressionType", 2), ("NSVariable", .uid(3))], ["who"],
      value: { ArchivedExpression.variable("who") },
      matches: { if case .variable("who") = $0 { true } else { false } }),
    DescribedObject(
      ["NSConstantValueExpression", "NSExpression"],
      [("NSExpressionType", 0), ("NSConstantValueClassName", .uid(3))], ["_NSPredicateUtilities"],
      value: { ArchivedExpression.constantClass("_NSPredicateUtilities") },
      matches: { if case .constantClass("_NSPredicateUtilities") = $0 { true } else { false } }),
    DescribedObject(
      ["NSTruePredicate", "NSPredicate"], [], value: { ArchivedPredicate.constant(true) },
      matches: { if case .constant(true) = $0 { true } else { false } }),
    DescribedObject(
      ["NSFalsePredicate", "NSPredicate"], [], value: { ArchivedPredicate.constant(false) },
      matches: { if case .constant(false) = $0 { true } else { false } }),
  ]
}
