// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import KeyedArchiving
import TestSupport
import Testing

/// An object that no archiver wrote, and what must be said of it.
struct MalformedObject: Sendable, CustomTestStringConvertible {
  var className: String
  var type: String
  var testDescription: String
  var data: Data
  var code: KeyedArchiveError.Code
  var key: String
  var decode: @Sendable (Data) throws -> Void

  /// `others` are the objects from number 3 on; `key` is what the message must name. A class name may have superclasses'
  /// behind it, with `<` between.
  init<Value: KeyedCoding & SendableMetatype>(
    _ type: Value.Type, _ className: String, _ values: [(String, HandmadeList)], _ others: [HandmadeList],
    _ code: KeyedArchiveError.Code, _ key: String, line: Int = #line
  ) {
    let chain = className.components(separatedBy: " < ") + ["NSObject"]
    self.className = chain[0]
    self.type = "\(Value.self)"
    testDescription = "\(chain[0]), \(key), line \(line)"
    data = HandmadeList.archive(
      [
        .dictionary(values + [("$class", .uid(2))]),
        ["$classname": .string(chain[0]), "$classes": .array(chain.map { .string($0) })],
      ] + others)
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

private let scalars: [MalformedObject] = [
  MalformedObject(String.self, "NSMutableString", [("NS.string", 1)], .typeMismatch, "NS.string"),
  MalformedObject(String.self, "NSMutableString", [("NS.bytes", .data([0xC3]))], .malformedValue, "NS.bytes"),
  MalformedObject(String.self, "NSString", [], .valueNotFound, "NS.bytes"),
  MalformedObject(
    ArchivedMutableString.self, "NSMutableString", [("NS.string", .uid(9))], .damagedArchive, "NS.string"),
  MalformedObject(Data.self, "NSMutableData", [("NS.data", "x")], .typeMismatch, "NS.data"),
  MalformedObject(Data.self, "NSData", [], .valueNotFound, "NS.bytes"),
  MalformedObject(ArchivedMutableData.self, "NSMutableData", [("NS.bytes", 1.5)], .typeMismatch, "NS.bytes"),
  MalformedObject(URL.self, "NSURL", [("NS.base", .uid(0))], .valueNotFound, "NS.relative"),
  MalformedObject(
    URL.self, "NSURL", [("NS.base", .uid(0)), ("NS.relative", .uid(3))], [7], .classNotAllowed, "NS.relative"),
  MalformedObject(
    URL.self, "NSURL", [("NS.base", .uid(3)), ("NS.relative", .uid(3))], ["x"], .classNotAllowed, "NS.base"),
  MalformedObject(UUID.self, "NSUUID", [("NS.uuidbytes", "0123456789abcdef")], .malformedValue, "NS.uuidbytes"),
  MalformedObject(UUID.self, "NSUUID", [], .valueNotFound, "NS.uuidbytes"),
  MalformedObject(UUID.self, "NSUUID", [("NS.uuidbytes", .data([1, 2, 3]))], .malformedValue, "NS.uuidbytes"),
  MalformedObject(Date.self, "NSDate", [("NS.time", nan)], .malformedValue, "NS.time"),
  MalformedObject(Date.self, "NSDate", [("NS.time", "x")], .typeMismatch, "NS.time"),
  MalformedObject(Date.self, "NSDate", [], .valueNotFound, "NS.time"),
  MalformedObject(Date.self, "NSDate", [("NS.time", true)], .typeMismatch, "NS.time"),
  MalformedObject(
    Date.self, "NSDate", [("NS.time", .raw([0x14] + [UInt8](repeating: 0x7F, count: 16)))], .outOfRange, "NS.time"),
  MalformedObject(
    Decimal.self, "NSDecimalNumberPlaceholder", decimal([("NS.exponent", 128)]), .malformedValue, "NS.exponent"),
  MalformedObject(
    Decimal.self, "NSDecimalNumberPlaceholder", decimal([("NS.length", 9)]), .malformedValue, "NS.length"),
  MalformedObject(
    Decimal.self, "NSDecimalNumberPlaceholder", decimal([("NS.length", -1)]), .malformedValue, "NS.length"),
  MalformedObject(
    Decimal.self, "NSDecimalNumberPlaceholder", decimal([("NS.mantissa.bo", 3)]), .malformedValue, "NS.mantissa.bo"),
  MalformedObject(
    Decimal.self, "NSDecimalNumberPlaceholder", decimal([("NS.mantissa", .data([1]))]), .malformedValue, "NS.mantissa"),
  MalformedObject(
    Decimal.self, "NSDecimalNumberPlaceholder", decimal([("NS.mantissa", 1)]), .malformedValue, "NS.mantissa"),
  MalformedObject(
    Decimal.self, "NSDecimalNumberPlaceholder", decimal([("NS.negative", "no")]), .typeMismatch, "NS.negative"),
  MalformedObject(IndexPath.self, "NSIndexPath", [("NSIndexPathLength", -1)], .malformedValue, "NSIndexPathLength"),
  MalformedObject(IndexPath.self, "NSIndexPath", [("NSIndexPathLength", 1)], .valueNotFound, "NSIndexPathValue"),
  MalformedObject(IndexPath.self, "NSIndexPath", [("NSIndexPathLength", 2)], .valueNotFound, "NSIndexPathData"),
  MalformedObject(
    IndexPath.self, "NSIndexPath", [("NSIndexPathLength", .integer(1 << 60)), ("NSIndexPathData", .data([1, 2]))],
    .malformedValue, "NSIndexPathData"),
  MalformedObject(
    IndexPath.self, "NSIndexPath", [("NSIndexPathLength", 2), ("NSIndexPathData", .data([1, 0x80]))],
    .malformedValue, "NSIndexPathData"),
  MalformedObject(
    IndexPath.self, "NSIndexPath",
    [("NSIndexPathLength", 2), ("NSIndexPathData", .data([1] + Array(repeating: 0xFF, count: 9) + [1]))],
    .outOfRange, "NSIndexPathData"),
  MalformedObject(
    IndexPath.self, "NSIndexPath",
    [("NSIndexPathLength", 1), ("NSIndexPathData", .data(Array(repeating: 0xFF, count: 10) + [1]))],
    .valueNotFound, "NSIndexPathValue"),
  MalformedObject(
    IndexPath.self, "NSIndexPath",
    [("NSIndexPathLength", 2), ("NSIndexPathData", .data(Array(repeating: 0xFF, count: 10) + [1]))],
    .malformedValue, "NSIndexPathData"),
  MalformedObject(
    DateInterval.self, "NSDateInterval", [("NS.startDate", .uid(3)), ("NS.endDate", .uid(5))],
    [["NS.time": 2.0, "$class": .uid(4)], .classRecord("NSDate", "NSObject"), ["NS.time": 1.0, "$class": .uid(4)]],
    .malformedValue, "NS.endDate"),
  MalformedObject(DateInterval.self, "NSDateInterval", [], .valueNotFound, "NS.startDate"),
  MalformedObject(DateComponents.self, "NSDateComponents", [("NS.year", 1.5)], .typeMismatch, "NS.year"),
  MalformedObject(DateComponents.self, "NSDateComponents", [("NS.isLeapMonth", 3)], .typeMismatch, "NS.isLeapMonth"),
  MalformedObject(ArchivedTimeZone.self, "NSTimeZone", [("NS.name", .uid(0))], .valueNotFound, "NS.name"),
  MalformedObject(ArchivedTimeZone.self, "NSTimeZone", [("NS.name", .uid(3))], [7], .classNotAllowed, "NS.name"),
  MalformedObject(TimeZone.self, "NSTimeZone", [("NS.name", .uid(3))], ["No/Where"], .malformedValue, "NS."),
  MalformedObject(ArchivedLocale.self, "NSLocale", [], .valueNotFound, "NS.identifier"),
  MalformedObject(
    ArchivedCalendar.self, "NSCalendar", [("NS.identifier", .uid(3)), ("NS.firstwkdy", 8)], ["gregorian"],
    .malformedValue, "NS.firstwkdy"),
  MalformedObject(
    ArchivedCalendar.self, "NSCalendar", [("NS.identifier", .uid(3)), ("NS.mindays", 0)], ["gregorian"],
    .malformedValue, "NS.mindays"),
  MalformedObject(Calendar.self, "NSCalendar", [("NS.identifier", .uid(3))], ["lunar"], .malformedValue, "NS."),
]

private let structures: [MalformedObject] = [
  MalformedObject(
    ArchivedPoint.self, "NSValue", [("NS.special", 1), ("NS.pointval", .uid(3))], ["{1, }"], .malformedValue,
    "NS.pointval"),
  MalformedObject(
    ArchivedValue.self, "NSValue", [("NS.special", 1), ("NS.pointval", .uid(3))], ["{1, nan}"], .malformedValue,
    "NS.pointval"),
  MalformedObject(
    ArchivedValue.self, "NSValue", [("NS.special", 3), ("NS.rectval", .uid(3))], ["{1, 2}"], .malformedValue,
    "NS.rectval"),
  MalformedObject(
    ArchivedValue.self, "NSValue", [("NS.special", 2), ("NS.sizeval", .uid(3))], ["{1, 2}x"], .malformedValue,
    "NS.sizeval"),
  MalformedObject(ArchivedValue.self, "NSValue", [("NS.special", 2)], .valueNotFound, "NS.sizeval"),
  MalformedObject(ArchivedSize.self, "NSValue", [("NS.special", 1)], .malformedValue, "NS.special"),
  MalformedObject(
    ArchivedValue.self, "NSValue",
    [("NS.special", 4), ("NS.rangeval.length", .uid(3)), ("NS.rangeval.location", .uid(4))], [-1, 0],
    .malformedValue, "NS.rangeval.length"),
  MalformedObject(
    ArchivedValue.self, "NSValue", [("NS.special", 4), ("NS.rangeval.length", .uid(3))], [1], .valueNotFound,
    "NS.rangeval.location"),
  MalformedObject(
    ArchivedValue.self, "NSValue",
    [
      ("NS.special", 12), ("NS.edgeval.top", 1.0), ("NS.edgeval.left", nan), ("NS.edgeval.bottom", 1.0),
      ("NS.edgeval.right", 1.0),
    ], .malformedValue, "NS.edgeval.left"),
  MalformedObject(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", .integer(1 << 60)), ("NSRangeData", .data([1, 1]))],
    .malformedValue, "NSRangeData"),
  MalformedObject(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", .integer(1 << 60))], .valueNotFound, "NSRangeData"),
  MalformedObject(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 2), ("NSRangeData", .data([1, 1, 5]))], .malformedValue,
    "NSRangeData"),
  MalformedObject(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 2), ("NSRangeData", .data([1, 5, 2, 5]))],
    .malformedValue, "overlap"),
  MalformedObject(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 1), ("NSLocation", 5), ("NSLength", 0)], .malformedValue,
    "empty"),
  MalformedObject(
    ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", 1), ("NSLocation", .integer(.max)), ("NSLength", 5)],
    .outOfRange, "NSLength"),
  MalformedObject(ArchivedIndexSet.self, "NSIndexSet", [("NSRangeCount", -4)], .malformedValue, "NSRangeCount"),
  MalformedObject(ArchivedCharacterSet.self, "NSCharacterSet", [], .valueNotFound, "character set"),
  MalformedObject(ArchivedCharacterSet.self, "NSCharacterSet", [("NSBuiltinID", 99)], .malformedValue, "NSBuiltinID"),
  MalformedObject(
    ArchivedCharacterSet.self, "NSCharacterSet", [("NSBuiltinID", 5), ("NSBuiltinID2", 99)], .malformedValue,
    "'NSBuiltinID2' is 99"),
  MalformedObject(
    ArchivedCharacterSet.self, "NSCharacterSet", [("NSRange", .integer(0x11_0000 << 32 | 1))], .malformedValue,
    "NSRange"),
  MalformedObject(
    ArchivedCharacterSet.self, "NSCharacterSet", [("NSBitmapObject", .uid(3))], [.data([1, 2])], .malformedValue,
    "bitmap"),
  MalformedObject(
    ArchivedAffineTransform.self, "NSAffineTransform",
    [("NSTransformStruct", .data([2, 0x7F, 0xC0, 0, 0, 0, 0, 0, 0]))], .malformedValue, "NSTransformStruct"),
  MalformedObject(
    ArchivedDecimalNumberHandler.self, "NSDecimalNumberHandler", [("NS.roundingmode", 4), ("NS.scale", 1)],
    .malformedValue, "NS.roundingmode"),
  MalformedObject(
    ArchivedDecimalNumberHandler.self, "NSDecimalNumberHandler", [("NS.roundingmode", 1), ("NS.scale", 70000)],
    .outOfRange, "NS.scale"),
]

private let collections: [MalformedObject] = [
  MalformedObject(
    Set<String>.self, "NSSet", [("NS.objects", [.uid(3), .uid(4)])], ["a", "a"], .malformedValue, "differ"),
  MalformedObject(ArchivedSet.self, "NSSet", [("NS.objects", 3)], .malformedValue, "NS.objects"),
  MalformedObject(ArchivedSet.self, "NSMutableSet", [("NS.objects", [.uid(9)])], .damagedArchive, "9"),
  MalformedObject(
    ArchivedPredicateOperator.self, "NSPredicateOperator", [("NSModifier", 1)], .valueNotFound, "NSOperatorType"),
  MalformedObject(
    ArchivedExpression.self, "NSFunctionExpression", [("NSExpressionType", 4)], .valueNotFound, "NSSelectorName"),
  MalformedObject(
    ArchivedDictionary.self, "NSDictionary", [("NS.keys", [.uid(3)]), ("NS.objects", [.uid(3), .uid(3)])], ["a"],
    .malformedValue, "1 keys and 2 values"),
  MalformedObject(
    ArchivedDictionary.self, "NSDictionary",
    [("NS.key.0", .uid(3)), ("NS.object.0", .uid(3)), ("NS.object.1", .uid(3))], ["a"], .malformedValue,
    "1 keys and 2 values"),
  MalformedObject(
    ArchivedArray.self, "NSArray", [("NS.object.0", .uid(3)), ("NS.object.2", .uid(3))], ["a"], .malformedValue,
    "NS.object."),
  MalformedObject(ArchivedArray.self, "NSArray", [("NS.objects", "a")], .malformedValue, "NS.objects"),
  MalformedObject(ArchivedArray.self, "NSArray", [("NS.objects", [1])], .typeMismatch, "root[0]"),
  MalformedObject(
    ArchivedOrderedSet.self, "NSOrderedSet", [("NS.object.0", .uid(3)), ("NS.object.5", .uid(3))], ["a"],
    .malformedValue, "NS.object."),
  MalformedObject(ArchivedOrderedSet.self, "NSOrderedSet", [("NS.object.0", 5)], .typeMismatch, "NS.object.0"),
  MalformedObject(
    ArchivedCountedSet.self, "NSCountedSet",
    [("NS.count", .integer(1 << 60)), ("NS.object0", .uid(3)), ("NS.count0", 1)], ["a"], .malformedValue,
    "NS.object1"),
  MalformedObject(
    ArchivedCountedSet.self, "NSCountedSet", [("NS.count", 1), ("NS.object0", .uid(3)), ("NS.count0", 0)], ["a"],
    .malformedValue, "NS.count0"),
  MalformedObject(
    ArchivedCountedSet.self, "NSCountedSet", [("NS.count", 1), ("NS.object0", .uid(3))], ["a"], .valueNotFound,
    "NS.count0"),
  MalformedObject(ArchivedError.self, "NSError", [("NSDomain", .uid(3))], ["d"], .valueNotFound, "NSCode"),
  MalformedObject(
    ArchivedError.self, "NSError", [("NSDomain", .uid(3)), ("NSCode", 1), ("NSUserInfo", .uid(3))], ["d"],
    .classNotAllowed, "NSUserInfo"),
  MalformedObject(ArchivedNotification.self, "NSNotification", [], .valueNotFound, "NS.name"),
  MalformedObject(ArchivedException.self, "NSException", [("NS.name", .uid(0))], .valueNotFound, "NS.name"),
  MalformedObject(
    ArchivedException.self, "NSException", [("NS.name", .uid(3)), ("NS.userinfo", .uid(3))], ["n"], .classNotAllowed,
    "NS.userinfo"),
  MalformedObject(
    ArchivedRegularExpression.self, "NSRegularExpression", [("NSOptions", 0)], .valueNotFound, "NSPattern"),
  MalformedObject(
    ArchivedRegularExpression.self, "NSRegularExpression", [("NSPattern", .uid(3)), ("NSOptions", 0.5)], ["a"],
    .typeMismatch, "NSOptions"),
  MalformedObject(
    ArchivedRegularExpressionResult.self, "NSSimpleRegularExpressionCheckingResult",
    [
      ("NSRegularExpression", .uid(3)), ("NSRangeArray", .uid(6)), ("NSRangeLocation", 1), ("NSRangeLength", 2),
    ],
    [
      ["NSPattern": .uid(4), "NSOptions": 0, "$class": .uid(5)], "a", .classRecord("NSRegularExpression", "NSObject"),
      ["NS.objects": [], "$class": .uid(7)], .classRecord("NSArray", "NSObject"),
    ], .malformedValue, "NSRangeArray"),
  MalformedObject(ArchivedSortDescriptor.self, "NSSortDescriptor", [("NSKey", .uid(0))], .valueNotFound, "NSAscending"),
  MalformedObject(
    ArchivedExpression.self, "NSSelfExpression", [("NSExpressionType", 3)], .malformedValue, "NSExpressionType"),
  MalformedObject(
    ArchivedExpression.self, "NSKeyPathSpecifierExpression", [("NSExpressionType", 10)], .valueNotFound, "NSKeyPath"),
  MalformedObject(
    ArchivedExpression.self, "NSVariableExpression", [("NSExpressionType", 2)], .valueNotFound, "NSVariable"),
  MalformedObject(
    ArchivedExpression.self, "NSKeyPathExpression", [("NSExpressionType", 3), ("NSSelectorName", .uid(3))], [7],
    .classNotAllowed, "NSSelectorName"),
  MalformedObject(
    ArchivedPredicateOperator.self, "NSEqualityPredicateOperator < NSPredicateOperator",
    [("NSOperatorType", 4), ("NSNegate", 2)], .typeMismatch, "NSNegate"),
  MalformedObject(ArchivedPredicate.self, "NSComparisonPredicate", [], .valueNotFound, "NSLeftExpression"),
  MalformedObject(
    ArchivedPredicate.self, "NSCompoundPredicate", [("NSCompoundPredicateType", 7)], .malformedValue,
    "NSCompoundPredicateType"),
]

private let texts: [MalformedObject] = [
  MalformedObject(ArchivedAttributedString.self, "NSAttributedString", [], .valueNotFound, "NSString"),
  attributed([1, 0, 0x80], "NSAttributeInfo"), attributed([1, 0, 1]), attributed([1, 0]), attributed([2, 5]),
  attributed([3, 0]),
  attributed([0, 0, 2, 0]),
  MalformedObject(
    ArchivedAttributedString.self, "NSAttributedString", [("NSString", .uid(3)), ("NSAttributeInfo", .uid(4))],
    ["ab", .data([2, 0])], .malformedValue, "NSAttributes"),
  MalformedObject(
    AttributedString.self, "NSAttributedString",
    [("NSString", .uid(3)), ("NSAttributes", .uid(4)), ("NSAttributeInfo", .uid(8))],
    [
      "😀", ["NS.objects": [.uid(6), .uid(6)], "$class": .uid(5)], .classRecord("NSArray", "NSObject"),
      ["NS.keys": [], "NS.objects": [], "$class": .uid(7)], .classRecord("NSDictionary", "NSObject"),
      .data([1, 0, 1, 1]),
    ], .malformedValue, "run"),
]

/// A text of two units with one set of attributes and these runs.
private func attributed(_ runs: [UInt8], _ key: String = "attributed string", line: Int = #line) -> MalformedObject {
  MalformedObject(
    ArchivedAttributedString.self, "NSAttributedString",
    [("NSString", .uid(3)), ("NSAttributes", .uid(4)), ("NSAttributeInfo", .uid(8))],
    [
      "ab", ["NS.objects": [.uid(6)], "$class": .uid(5)], .classRecord("NSArray", "NSObject"),
      ["NS.keys": [], "NS.objects": [], "$class": .uid(7)], .classRecord("NSDictionary", "NSObject"), .data(runs),
    ], .malformedValue, key, line: line)
}

private let appearances: [MalformedObject] = [
  MalformedObject(ArchivedColor.self, "NSColor", [], .valueNotFound, "NSColorSpace"),
  MalformedObject(ArchivedColor.self, "NSColor", [("NSColorSpace", 77)], .malformedValue, "NSColorSpace"),
  MalformedObject(ArchivedColor.self, "NSColor", [("NSColorSpace", 1)], .valueNotFound, "NSRGB"),
  MalformedObject(ArchivedColor.self, "NSColor", [("NSColorSpace", 3)], .valueNotFound, "NSWhite"),
  MalformedObject(ArchivedColor.self, "NSColor", [("NSColorSpace", 6)], .valueNotFound, "NSCatalogName"),
  color("1 0"), color("1 0 0 1 1"), color("a b c"), color("1 2 nan"), color("0.5 \u{0} 1"),
  MalformedObject(ArchivedColor.self, "NSColor", [("NSColorSpace", 1), ("NSRGB", "1 1 1")], .malformedValue, "NSRGB"),
  MalformedObject(ArchivedColorSpace.self, "NSColorSpace", [("NSModel", 1)], .malformedValue, "NSICC"),
  MalformedObject(ArchivedColorSpace.self, "NSColorSpace", [("NSID", "x")], .typeMismatch, "NSID"),
  MalformedObject(
    ArchivedUIColor.self, "UIColor", [("UIColorComponentCount", 4), ("UIAlpha", 1.0)], .malformedValue, "UIRed"),
  MalformedObject(
    ArchivedUIColor.self, "UIColor", [("UIColorComponentCount", 2), ("UIAlpha", nan), ("UIWhite", 1.0)],
    .malformedValue, "UIAlpha"),
  MalformedObject(
    ArchivedFont.self, "NSFont", [("NSName", .uid(3)), ("NSSize", nan)], ["F"], .malformedValue, "NSSize"),
  MalformedObject(
    ArchivedUIColor.self, "UIColor",
    [("UIColorComponentCount", 2), ("UIAlpha", 1.0), ("UIWhite", 1.0), ("UIWhite-Double", nan)], .malformedValue,
    "UIWhite-Double"),
  MalformedObject(
    ArchivedUIColor.self, "UIColor",
    [("UIColorComponentCount", 2), ("UIAlpha", 1.0), ("UIWhite", 1.0), ("NSRGB", .data(Array("1 1".utf8)))],
    .malformedValue, "NSRGB"),
  MalformedObject(
    ArchivedUIColor.self, "UIColor", [("UIColorComponentCount", -1), ("UIAlpha", 1.0), ("UIWhite", 1.0)],
    .malformedValue, "UIColorComponentCount"),
  MalformedObject(ArchivedFont.self, "NSFont", [("NSSize", 1.0)], .valueNotFound, "NSName"),
  MalformedObject(ArchivedFontDescriptor.self, "NSFontDescriptor", [], .valueNotFound, "NSFontDescriptorAttributes"),
  MalformedObject(ArchivedUIFont.self, "UIFont", [("UIFontName", .uid(3))], ["F"], .valueNotFound, "UIFontPointSize"),
  MalformedObject(ArchivedImage.self, "NSImage", [("NSImageFlags", 0)], .valueNotFound, "NSReps"),
  MalformedObject(
    ArchivedImage.self, "NSImage", [("NSImageFlags", 0), ("NSReps", .uid(3))],
    [["NS.objects": [.uid(5)], "$class": .uid(4)], .classRecord("NSArray", "NSObject"), "rep"], .malformedValue,
    "NSReps"),
  MalformedObject(ArchivedUIImage.self, "UIImage", [("UIScale", nan)], .malformedValue, "UIScale"),
  MalformedObject(ArchivedUIImage.self, "UIImage", [("UIImageData", .uid(3))], [7], .classNotAllowed, "UIImageData"),
  MalformedObject(
    ArchivedUIImage.self, "UIImage", [("UIImageSizeInPixels", .uid(3))], ["{nan, 1}"], .malformedValue,
    "UIImageSizeInPixels"),
  MalformedObject(
    ArchivedUIImage.self, "UIImage", [("UIImageSizeInPixels", .uid(3))], ["{1, 2, 3}"], .malformedValue,
    "UIImageSizeInPixels"),
  MalformedObject(ArchivedBitmapImageRep.self, "NSBitmapImageRep", [], .valueNotFound, "NSTIFFRepresentation"),
  MalformedObject(ArchivedShadow.self, "NSShadow", [("NSShadowVert", nan)], .malformedValue, "NSShadowVert"),
]

private func color(_ components: String, line: Int = #line) -> MalformedObject {
  MalformedObject(
    ArchivedColor.self, "NSColor", [("NSColorSpace", 1), ("NSRGB", .data(Array(components.utf8)))], .malformedValue,
    "NSRGB", line: line)
}

private let settings: [MalformedObject] = [
  MalformedObject(
    ArchivedByteCountFormatter.self, "NSByteCountFormatter", [("NSUnits", "x")], .typeMismatch, "NSUnits"),
  MalformedObject(
    ArchivedISO8601DateFormatter.self, "NSISO8601DateFormatter", [], .valueNotFound, "NS.formatOptions"),
  MalformedObject(ArchivedDateIntervalFormatter.self, "NSDateIntervalFormatter", [], .valueNotFound, "NS.dateStyle"),
  MalformedObject(ArchivedDateFormatter.self, "NSDateFormatter", [("NS.natural", 1.5)], .typeMismatch, "NS.natural"),
  MalformedObject(
    ArchivedDateFormatter.self, "NSDateFormatter", [("NS.format", .uid(3))], [1], .classNotAllowed, "NS.format"),
  MalformedObject(
    ArchivedNumberFormatter.self, "NSNumberFormatter", [("NS.min", .uid(3))], ["x"], .malformedValue, "NS.min"),
  MalformedObject(ArchivedMeasurement.self, "NSMeasurement", [("NS.value", 1.0)], .valueNotFound, "NS.unit"),
  MalformedObject(ArchivedMeasurement.self, "NSMeasurement", [("NS.value", nan)], .malformedValue, "NS.value"),
  MalformedObject(ArchivedUnit.self, "NSUnit", [], .valueNotFound, "NS.symbol"),
  MalformedObject(
    ArchivedUnitConverter.self, "NSUnitConverterLinear", [("NS.coefficient", 1.0)], .valueNotFound, "NS.constant"),
  MalformedObject(
    ArchivedUnitConverter.self, "NSUnitConverterReciprocal", [("NS.reciprocal", nan)], .malformedValue,
    "NS.reciprocal"),
  MalformedObject(
    ArchivedPersonNameComponents.self, "NSPersonNameComponents", [("NS.givenName", .uid(3))], [1.5],
    .classNotAllowed, "NS.givenName"),
]

extension MalformedObject {
  static let all = scalars + structures + collections + texts + appearances + settings
}
