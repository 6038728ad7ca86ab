// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import KeyedArchiving
import TestSupport
import Testing

/// An object that no archiver wrote, and what must be said of it.
private struct Malformed: Sendable, CustomTestStringConvertible {
  var testDescription: String
  var data: Data
  var code: KeyedArchiveError.Code
  var key: String
  var decode: @Sendable (Data) throws -> Void

  /// `others` are the objects from number 3 on; `key` is what the message must name.
  init<Value: KeyedCoding & SendableMetatype>(
    _ type: Value.Type, _ className: String, _ values: [(String, HandmadeList)], _ others: [HandmadeList],
    _ code: KeyedArchiveError.Code, _ key: String, line: Int = #line
  ) {
    testDescription = "\(className), \(key), line \(line)"
    data = HandmadeList.archive(
      [.dictionary(values + [("$class", .uid(2))]), .classRecord(className, "NSObject")] + others)
    self.code = code
    self.key = key
    decode = { data in
      let unarchiver = try KeyedUnarchiver(forReadingFrom: data)
      let list = [Value.self] + KeyedUnarchiver.valueTypes
      _ = unarchiver.decodeObject(of: list, forKey: "root")
      if let error = unarchiver.error { throw error }
    }
  }

  init<Value: KeyedCoding & SendableMetatype>(
    _ type: Value.Type, _ className: String, _ values: [(String, HandmadeList)], _ code: KeyedArchiveError.Code,
    _ key: String, line: Int = #line
  ) {
    self.init(type, className, values, [], code, key, line: line)
  }
}

private let nan = HandmadeList.real(.nan)
private let mantissa = HandmadeList.data([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])

private func decimal(_ changes: [(String, HandmadeList)]) -> [(String, HandmadeList)] {
  var values: [(String, HandmadeList)] = [
    ("NS.exponent", 0), ("NS.length", 1), ("NS.negative", false), ("NS.compact", true), ("NS.mantissa.bo", 1),
    ("NS.mantissa", mantissa),
  ]
  for (key, value) in changes {
    values.removeAll { $0.0 == key }
    values.append((key, value))
  }
  return values
}

private let scalars: [Malformed] = [
  Malformed(String.self, "NSMutableString", [("NS.string", 1)], .typeMismatch, "NS.string"),
  Malformed(String.self, "NSMutableString", [("NS.bytes", .data([0xC3]))], .malformedValue, "NS.bytes"),
  Malformed(String.self, "NSString", [], .valueNotFound, "NS.bytes"),
  Malformed(ArchivedMutableString.self, "NSMutableString", [("NS.string", .uid(9))], .damagedArchive, "NS.string"),
  Malformed(Data.self, "NSMutableData", [("NS.data", "x")], .typeMismatch, "NS.data"),
  Malformed(Data.self, "NSData", [], .valueNotFound, "NS.bytes"),
  Malformed(ArchivedMutableData.self, "NSMutableData", [("NS.bytes", 1.5)], .typeMismatch, "NS.bytes"),
  Malformed(URL.self, "NSURL", [("NS.base", .uid(0))], .valueNotFound, "NS.relative"),
  Malformed(URL.self, "NSURL", [("NS.base", .uid(0)), ("NS.relative", .uid(3))], [7], .classNotAllowed, "NS.relative"),
  Malformed(
    URL.self, "NSURL", [("NS.base", .uid(3)), ("NS.relative", .uid(3))], ["x"], .classNotAllowed, "NS.base"),
  Malformed(UUID.self, "NSUUID", [("NS.uuidbytes", "0123456789abcdef")], .malformedValue, "NS.uuidbytes"),
  Malformed(UUID.self, "NSUUID", [], .valueNotFound, "NS.uuidbytes"),
  Malformed(UUID.self, "NSUUID", [("NS.uuidbytes", .data([1, 2, 3]))], .malformedValue, "NS.uuidbytes"),
  Malformed(Date.self, "NSDate", [("NS.time", nan)], .malformedValue, "NS.time"),
  Malformed(Date.self, "NSDate", [("NS.time", "x")], .typeMismatch, "NS.time"),
  Malformed(Date.self, "NSDate", [], .valueNotFound, "NS.time"),
  Malformed(Decimal.self, "NSDecimalNumber", decimal([("NS.exponent", 128)]), .malformedValue, "NS.exponent"),
  Malformed(Decimal.self, "NSDecimalNumber", decimal([("NS.length", 9)]), .malformedValue, "NS.length"),
  Malformed(Decimal.self, "NSDecimalNumber", decimal([("NS.length", -1)]), .malformedValue, "NS.length"),
  Malformed(Decimal.self, "NSDecimalNumber", decimal([("NS.mantissa.bo", 3)]), .malformedValue, "NS.mantissa.bo"),
  Malformed(Decimal.self, "NSDecimalNumber", decimal([("NS.mantissa", .data([1]))]), .malformedValue, "NS.mantissa"),
  Malformed(Decimal.self, "NSDecimalNumber", decimal([("NS.mantissa", 1)]), .malformedValue, "NS.mantissa"),
  Malformed(Decimal.self, "NSDecimalNumber", decimal([("NS.negative", "no")]), .typeMismatch, "NS.negative"),
  Malformed(IndexPath.self, "NSIndexPath", [("NSIndexPathLength", -1)], .malformedValue, "NSIndexPathLength"),
  Malformed(IndexPath.self, "NSIndexPath", [("NSIndexPathLength", 1)], .valueNotFound, "NSIndexPathValue"),
  Malformed(IndexPath.self, "NSIndexPath", [("NSIndexPathLength", 2)], .valueNotFound, "NSIndexPathData"),
  Malformed(
    IndexPath.self, "NSIndexPath", [("NSIndexPathLength", .integer(1 << 60)), ("NSIndexPathData", .data([1, 2]))],
    .malformedValue, "NSIndexPathData"),
  Malformed(
    IndexPath.self, "NSIndexPath", [("NSIndexPathLength", 2), ("NSIndexPathData", .data([1, 0x80]))],
    .malformedValue, "NSIndexPathData"),
  Malformed(
    IndexPath.self, "NSIndexPath",
    [("NSIndexPathLength", 2), ("NSIndexPathData", .data([1] + Array(repeating: 0xFF, count: 9) + [1]))],
    .outOfRange, "NSIndexPathData"),
  Malformed(
    IndexPath.self, "NSIndexPath",
    [("NSIndexPathLength", 1), ("NSIndexPathData", .data(Array(repeating: 0xFF, count: 10) + [1]))],
    .valueNotFound, "NSIndexPathValue"),
  Malformed(
    IndexPath.self, "NSIndexPath",
    [("NSIndexPathLength", 2), ("NSIndexPathData", .data(Array(repeating: 0xFF, count: 10) + [1]))],
    .malformedValue, "NSIndexPathData"),
  Malformed(
    DateInterval.self, "NSDateInterval", [("NS.startDate", .uid(3)), ("NS.endDate", .uid(5))],
    [["NS.time": 2.0, "$class": .uid(4)], .classRecord("NSDate", "NSObject"), ["NS.time": 1.0, "$class": .uid(4)]],
    .malformedValue, "NS.endDate"),
  Malformed(DateInterval.self, "NSDateInterval", [], .valueNotFound, "NS.startDate"),
  Malformed(DateComponents.self, "NSDateComponents", [("NS.year", 1.5)], .typeMismatch, "NS.year"),
  Malformed(DateComponents.self, "NSDateComponents", [("NS.isLeapMonth", 3)], .typeMismatch, "NS.isLeapMonth"),
  Malformed(ArchivedTimeZone.self, "NSTimeZone", [("NS.name", .uid(0))], .valueNotFound, "NS.name"),
  Malformed(ArchivedTimeZone.self, "NSTimeZone", [("NS.name", .uid(3))], [7], .classNotAllowed, "NS.name"),
  Malformed(TimeZone.self, "NSTimeZone", [("NS.name", .uid(3))], ["No/Where"], .malformedValue, "NS."),
  Malformed(ArchivedLocale.self, "NSLocale", [], .valueNotFound, "NS.identifier"),
  Malformed(
    ArchivedCalendar.self, "NSCalendar", [("NS.identifier", .uid(3)), ("NS.firstwkdy", 8)], ["gregorian"],
    .malformedValue, "NS.firstwkdy"),
  Malformed(
    ArchivedCalendar.self, "NSCalendar", [("NS.identifier", .uid(3)), ("NS.mindays", 0)], ["gregorian"],
    .malformedValue, "NS.mindays"),
  Malformed(Calendar.self, "NSCalendar", [("NS.identifier", .uid(3))], ["lunar"], .malformedValue, "NS."),
]

private let structures: [Malformed] = [
  Malformed(
    ArchivedPoint.self, "NSValue", [("NS.special", 1), ("NS.pointval", .uid(3))], ["{1, }"], .malformedValue,
    "NS.pointval"),
  Malformed(
    ArchivedValue.self, "NSValue", [("NS.special", 1), ("NS.pointval", .uid(3))], ["{1, nan}"], .malformedValue,
    "NS.pointval"),
  Malformed(
    ArchivedValue.self, "NSValue", [("NS.special", 3), ("NS.rectval", .uid(3))], ["{1, 2}"], .malformedValue,
    "NS.rectval"),
  Malformed(
    ArchivedValue.self, "NSValue", [("NS.special", 2), ("NS.sizeval", .uid(3))], ["{1, 2}x"], .malformedValue,
    "NS.sizeval"),
  Malformed(ArchivedValue.self, "NSValue", [("NS.special", 2)], .valueNotFound, "NS.sizeval"),
  Malformed(ArchivedSize.self, "NSValue", [("NS.special", 1)], .malformedValue, "NS.special"),
  Malformed(
    ArchivedValue.self, "NSValue",
    [("NS.special", 4), ("NS.rangeval.length", .uid(3)), ("NS.rangeval.location", .uid(4))], [-1, 0],
    .malformedValue, "NS.rangeval.length"),
  Malformed(
    ArchivedValue.self, "NSValue", [("NS.special", 4), ("NS.rangeval.length", .uid(3))], [1], .valueNotFound,
    "NS.rangeval.location"),
  Malformed(
    ArchivedValue.self, "NSValue",
    [
      ("NS.special", 12), ("NS.edgeval.top", 1.0), ("NS.edgeval.left", nan), ("NS.edgeval.bottom", 1.0),
      ("NS.edgeval.right", 1.0),
    ], .malformedValue, "NS.edgeval.left"),
  Malformed(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", .integer(1 << 60)), ("NSRangeData", .data([1, 1]))],
    .malformedValue, "NSRangeData"),
  Malformed(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", .integer(1 << 60))], .valueNotFound, "NSRangeData"),
  Malformed(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 2), ("NSRangeData", .data([1, 1, 5]))], .malformedValue,
    "NSRangeData"),
  Malformed(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 2), ("NSRangeData", .data([1, 5, 2, 5]))],
    .malformedValue, "overlap"),
  Malformed(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 1), ("NSLocation", 5), ("NSLength", 0)], .malformedValue,
    "empty"),
  Malformed(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 1), ("NSLocation", .integer(.max)), ("NSLength", 5)],
    .outOfRange, "NSLength"),
  Malformed(ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", -4)], .malformedValue, "NSRangeCount"),
  Malformed(ArchivedCharacterSet.self, "NSCharacterSet", [], .valueNotFound, "character set"),
  Malformed(ArchivedCharacterSet.self, "NSCharacterSet", [("NSBuiltinID", 99)], .malformedValue, "NSBuiltinID"),
  Malformed(
    ArchivedCharacterSet.self, "NSCharacterSet", [("NSRange", .integer(0x11_0000 << 32 | 1))], .malformedValue,
    "NSRange"),
  Malformed(
    ArchivedCharacterSet.self, "NSCharacterSet", [("NSBitmapObject", .uid(3))], [.data([1, 2])], .malformedValue,
    "bitmap"),
  Malformed(ArchivedAffineTransform.self, "NSAffineTransform", [], .valueNotFound, "NSTransformStruct"),
  Malformed(
    ArchivedAffineTransform.self, "NSAffineTransform", [("NSTransformStruct", .data([]))], .malformedValue,
    "NSTransformStruct"),
  Malformed(
    ArchivedAffineTransform.self, "NSAffineTransform",
    [("NSTransformStruct", .data([2, 0x7F, 0xC0, 0, 0, 0, 0, 0, 0]))], .malformedValue, "NSTransformStruct"),
  Malformed(
    ArchivedDecimalNumberHandler.self, "NSDecimalNumberHandler", [("NS.roundingmode", 4), ("NS.scale", 1)],
    .malformedValue, "NS.roundingmode"),
  Malformed(
    ArchivedDecimalNumberHandler.self, "NSDecimalNumberHandler", [("NS.roundingmode", 1), ("NS.scale", 70000)],
    .outOfRange, "NS.scale"),
]

private let collections: [Malformed] = [
  Malformed(Set<String>.self, "NSSet", [("NS.objects", [.uid(3), .uid(4)])], ["a", "a"], .malformedValue, "differ"),
  Malformed(ArchivedSet.self, "NSSet", [("NS.objects", 3)], .malformedValue, "NS.objects"),
  Malformed(ArchivedSet.self, "NSMutableSet", [("NS.objects", [.uid(9)])], .damagedArchive, "9"),
  Malformed(
    ArchivedPredicateOperator.self, "NSPredicateOperator", [("NSModifier", 1)], .valueNotFound, "NSOperatorType"),
  Malformed(
    ArchivedExpression.self, "NSFunctionExpression", [("NSExpressionType", 4)], .valueNotFound, "NSSelectorName"),
  Malformed(
    ArchivedDictionary.self, "NSDictionary", [("NS.keys", [.uid(3)]), ("NS.objects", [.uid(3), .uid(3)])], ["a"],
    .malformedValue, "1 keys and 2 values"),
  Malformed(
    ArchivedDictionary.self, "NSDictionary",
    [("NS.key.0", .uid(3)), ("NS.object.0", .uid(3)), ("NS.object.1", .uid(3))], ["a"], .malformedValue,
    "1 keys and 2 values"),
  Malformed(
    ArchivedArray.self, "NSArray", [("NS.object.0", .uid(3)), ("NS.object.2", .uid(3))], ["a"], .malformedValue,
    "NS.object."),
  Malformed(ArchivedArray.self, "NSArray", [("NS.objects", "a")], .malformedValue, "NS.objects"),
  Malformed(ArchivedArray.self, "NSArray", [("NS.objects", [1])], .typeMismatch, "root[0]"),
  Malformed(
    ArchivedOrderedSet.self, "NSOrderedSet", [("NS.object.0", .uid(3)), ("NS.object.5", .uid(3))], ["a"],
    .malformedValue, "NS.object."),
  Malformed(ArchivedOrderedSet.self, "NSOrderedSet", [("NS.object.0", 5)], .typeMismatch, "NS.object.0"),
  Malformed(
    ArchivedCountedSet.self, "NSCountedSet",
    [("NS.count", .integer(1 << 60)), ("NS.object0", .uid(3)), ("NS.count0", 1)], ["a"], .malformedValue,
    "NS.object1"),
  Malformed(
    ArchivedCountedSet.self, "NSCountedSet", [("NS.count", 1), ("NS.object0", .uid(3)), ("NS.count0", 0)], ["a"],
    .malformedValue, "NS.count0"),
  Malformed(
    ArchivedCountedSet.self, "NSCountedSet", [("NS.count", 1), ("NS.object0", .uid(3))], ["a"], .valueNotFound,
    "NS.count0"),
  Malformed(ArchivedError.self, "NSError", [("NSDomain", .uid(3))], ["d"], .valueNotFound, "NSCode"),
  Malformed(
    ArchivedError.self, "NSError", [("NSDomain", .uid(3)), ("NSCode", 1), ("NSUserInfo", .uid(3))], ["d"],
    .classNotAllowed, "NSUserInfo"),
  Malformed(ArchivedNotification.self, "NSNotification", [], .valueNotFound, "NS.name"),
  Malformed(ArchivedRegularExpression.self, "NSRegularExpression", [("NSOptions", 0)], .valueNotFound, "NSPattern"),
  Malformed(
    ArchivedRegularExpression.self, "NSRegularExpression", [("NSPattern", .uid(3)), ("NSOptions", 0.5)], ["a"],
    .typeMismatch, "NSOptions"),
  Malformed(
    ArchivedRegularExpressionResult.self, "NSSimpleRegularExpressionCheckingResult",
    [
      ("NSRegularExpression", .uid(3)), ("NSRangeArray", .uid(6)), ("NSRangeLocation", 1), ("NSRangeLength", 2),
    ],
    [
      ["NSPattern": .uid(4), "NSOptions": 0, "$class": .uid(5)], "a", .classRecord("NSRegularExpression", "NSObject"),
      ["NS.objects": [], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
    ], .malformedValue, "NSRangeArray"),
  Malformed(ArchivedSortDescriptor.self, "NSSortDescriptor", [("NSKey", .uid(0))], .valueNotFound, "NSAscending"),
  Malformed(
    ArchivedExpression.self, "NSSelfExpression", [("NSExpressionType", 3)], .malformedValue, "NSExpressionType"),
  Malformed(
    ArchivedExpression.self, "NSKeyPathSpecifierExpression", [("NSExpressionType", 10)], .valueNotFound, "NSKeyPath"),
  Malformed(ArchivedPredicate.self, "NSComparisonPredicate", [], .valueNotFound, "NSLeftExpression"),
  Malformed(
    ArchivedPredicate.self, "NSCompoundPredicate", [("NSCompoundPredicateType", 7)], .malformedValue,
    "NSCompoundPredicateType"),
]

private let texts: [Malformed] = [
  Malformed(ArchivedAttributedString.self, "NSAttributedString", [], .valueNotFound, "NSString"),
  attributed([1, 0, 0x80], "NSAttributeInfo"), attributed([1, 0, 1]), attributed([1, 0]), attributed([2, 5]),
  attributed([3, 0]),
  attributed([0, 0, 2, 0]),
  Malformed(
    ArchivedAttributedString.self, "NSAttributedString", [("NSString", .uid(3)), ("NSAttributeInfo", .uid(4))],
    ["ab", .data([2, 0])], .malformedValue, "NSAttributes"),
  Malformed(
    AttributedString.self, "NSAttributedString",
    [("NSString", .uid(3)), ("NSAttributes", .uid(4)), ("NSAttributeInfo", .uid(8))],
    [
      "😀", ["NS.objects": [.uid(6), .uid(6)], "$class": .uid(5)], .classRecord("NSArray", "NSObject"),
      ["NS.keys": [], "NS.objects": [], "$class": .uid(7)], .classRecord("NSDictionary", "NSObject"),
      .data([1, 0, 1, 1]),
    ], .malformedValue, "run"),
]

/// A text of two units with one set of attributes and these runs.
private func attributed(_ runs: [UInt8], _ key: String = "attributed string", line: Int = #line) -> Malformed {
  Malformed(
    ArchivedAttributedString.self, "NSAttributedString",
    [("NSString", .uid(3)), ("NSAttributes", .uid(4)), ("NSAttributeInfo", .uid(8))],
    [
      "ab", ["NS.objects": [.uid(6)], "$class": .uid(5)], .classRecord("NSArray", "NSObject"),
      ["NS.keys": [], "NS.objects": [], "$class": .uid(7)], .classRecord("NSDictionary", "NSObject"), .data(runs),
    ], .malformedValue, key, line: line)
}

private let appearances: [Malformed] = [
  Malformed(ArchivedColor.self, "NSColor", [], .valueNotFound, "NSColorSpace"),
  Malformed(ArchivedColor.self, "NSColor", [("NSColorSpace", 77)], .malformedValue, "NSColorSpace"),
  Malformed(ArchivedColor.self, "NSColor", [("NSColorSpace", 1)], .valueNotFound, "NSRGB"),
  Malformed(ArchivedColor.self, "NSColor", [("NSColorSpace", 3)], .valueNotFound, "NSWhite"),
  Malformed(ArchivedColor.self, "NSColor", [("NSColorSpace", 6)], .valueNotFound, "NSCatalogName"),
  color("1 0"), color("1 0 0 1 1"), color("a b c"), color("1 2 nan"), color("0.5 \u{0} 1"),
  Malformed(ArchivedColor.self, "NSColor", [("NSColorSpace", 1), ("NSRGB", "1 1 1")], .malformedValue, "NSRGB"),
  Malformed(ArchivedColorSpace.self, "NSColorSpace", [("NSModel", 1)], .malformedValue, "NSICC"),
  Malformed(ArchivedColorSpace.self, "NSColorSpace", [("NSID", "x")], .typeMismatch, "NSID"),
  Malformed(
    ArchivedUIColor.self, "UIColor", [("UIColorComponentCount", 4), ("UIAlpha", 1.0)], .malformedValue, "UIRed"),
  Malformed(
    ArchivedUIColor.self, "UIColor", [("UIColorComponentCount", 2), ("UIAlpha", nan), ("UIWhite", 1.0)],
    .malformedValue, "color"),
  Malformed(ArchivedFont.self, "NSFont", [("NSName", .uid(3)), ("NSSize", nan)], ["F"], .malformedValue, "NSSize"),
  Malformed(ArchivedFont.self, "NSFont", [("NSSize", 1.0)], .valueNotFound, "NSName"),
  Malformed(ArchivedFontDescriptor.self, "NSFontDescriptor", [], .valueNotFound, "NSFontDescriptorAttributes"),
  Malformed(ArchivedUIFont.self, "UIFont", [("UIFontName", .uid(3))], ["F"], .valueNotFound, "UIFontPointSize"),
  Malformed(ArchivedImage.self, "NSImage", [("NSImageFlags", 0)], .valueNotFound, "NSReps"),
  Malformed(
    ArchivedImage.self, "NSImage", [("NSImageFlags", 0), ("NSReps", .uid(3))],
    [["NS.objects": [.uid(5)], "$class": .uid(4)], .classRecord("NSArray", "NSObject"), "rep"], .malformedValue,
    "NSReps"),
  Malformed(ArchivedBitmapImageRep.self, "NSBitmapImageRep", [], .valueNotFound, "NSTIFFRepresentation"),
  Malformed(ArchivedShadow.self, "NSShadow", [("NSShadowVert", nan)], .malformedValue, "NSShadowVert"),
]

private func color(_ components: String, line: Int = #line) -> Malformed {
  Malformed(
    ArchivedColor.self, "NSColor", [("NSColorSpace", 1), ("NSRGB", .data(Array(components.utf8)))], .malformedValue,
    "NSRGB", line: line)
}

private let settings: [Malformed] = [
  Malformed(ArchivedByteCountFormatter.self, "NSByteCountFormatter", [("NSUnits", "x")], .typeMismatch, "NSUnits"),
  Malformed(
    ArchivedISO8601DateFormatter.self, "NSISO8601DateFormatter", [], .valueNotFound, "NS.formatOptions"),
  Malformed(ArchivedDateIntervalFormatter.self, "NSDateIntervalFormatter", [], .valueNotFound, "NS.dateStyle"),
  Malformed(ArchivedDateFormatter.self, "NSDateFormatter", [("NS.natural", 1.5)], .typeMismatch, "NS.natural"),
  Malformed(
    ArchivedDateFormatter.self, "NSDateFormatter", [("NS.format", .uid(3))], [1], .classNotAllowed, "NS.format"),
  Malformed(
    ArchivedNumberFormatter.self, "NSNumberFormatter", [("NS.min", .uid(3))], ["x"], .malformedValue, "NS.min"),
  Malformed(ArchivedMeasurement.self, "NSMeasurement", [("NS.value", 1.0)], .valueNotFound, "NS.unit"),
  Malformed(ArchivedMeasurement.self, "NSMeasurement", [("NS.value", nan)], .malformedValue, "NS.value"),
  Malformed(ArchivedUnit.self, "NSUnit", [], .valueNotFound, "NS.symbol"),
  Malformed(
    ArchivedUnitConverter.self, "NSUnitConverterLinear", [("NS.coefficient", 1.0)], .valueNotFound, "NS.constant"),
  Malformed(
    ArchivedUnitConverter.self, "NSUnitConverterReciprocal", [("NS.reciprocal", nan)], .malformedValue,
    "NS.reciprocal"),
  Malformed(
    ArchivedPersonNameComponents.self, "NSPersonNameComponents", [("NS.givenName", .uid(3))], [1.5],
    .classNotAllowed, "NS.givenName"),
]

@Suite("What no archiver wrote is refused with the key, and nothing is made of it")
struct MalformedValueTests {
  @Test(arguments: scalars + structures + collections + texts + appearances + settings)
  fileprivate func refused(_ malformed: Malformed) {
    let error = #expect(throws: KeyedArchiveError.self) { try malformed.decode(malformed.data) }
    #expect(error?.code == malformed.code, "\(String(describing: error))")
    #expect(error?.description.contains(malformed.key) ?? false, "\(String(describing: error))")
  }
}
