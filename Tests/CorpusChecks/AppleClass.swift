// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivedClasses
import Foundation
import HarnessSupport
package import KeyedArchives
package import KeyedArchiving

/// A class of which the corpus has objects that Apple's programs wrote, and the type that stands for it.
package struct AppleClass: Sendable {
  package var name: String
  /// How many such objects the files hold that Python's plistlib can read, counted by a program of its own.
  package var count: Int
  package var type: String
  /// How many of a file's objects are decoded: a few dozen prove what a few hundred do, and a few of those that lead to
  /// most of their file.
  var most = 40
  /// Decodes an object of the corpus as the type.
  var decode: @Sendable (KeyedUnarchiver, String) throws -> any KeyedCoding

  init<Value: KeyedCoding & SendableMetatype>(_ name: String, _ count: Int, _ type: Value.Type) {
    self.name = name
    self.count = count
    self.type = "\(type)"
    decode = { try $0.decode(Value.self, forKey: $1) }
  }

  /// A collection, whose elements may be of any class, mutable ones staying what they are.
  init<Value: KeyedCoding & SendableMetatype>(collection name: String, _ count: Int, _ type: Value.Type) {
    self.init(name, count, type)
    most = 3
    decode = { unarchiver, key in
      let mutable: [any KeyedCoding.Type] = [ArchivedMutableString.self, ArchivedMutableData.self]
      let made = unarchiver.decodeObject(of: mutable + KeyedUnarchiver.valueTypes, forKey: key)
      if let error = unarchiver.error { throw error }
      guard let value = made as? Value else { throw Breach("expected \(Value.self), found another type") }
      return value
    }
  }

  /// The types that have only the values of their properties: those of Swift, collections, parts of other types, and the
  /// structures in an `NSValue`, for which `ArchivedValue` stands if they have more.
  package static let valuesOnly: Set<String> = [
    "String", "ArchiveNumber", "Data", "ArchivedMutableString", "ArchivedMutableData", "ArchiveNull", "Date", "UUID",
    "URL", "DateInterval", "DateComponents", "Decimal", "IndexPath", "ArchivedArray", "ArchivedDictionary",
    "ArchivedSet", "ArchivedOrderedSet", "ArchivedCountedSet", "ArchivedTimeZone", "ArchivedLocale",
    "ArchivedCalendar", "ArchivedPoint", "ArchivedSize", "ArchivedRect", "ArchivedRange",
    "ArchivedEdgeInsets",
  ]

  /// Whether the type archives the values for keys again that it does not know.
  package var keepsUnknownKeys: Bool { !Self.valuesOnly.contains(type) }

  package static let all: [AppleClass] = [
    AppleClass("NSString", 50792, String.self), AppleClass("NSNumber", 17180, ArchiveNumber.self),
    AppleClass("NSData", 155, Data.self), AppleClass("NSMutableString", 2569, ArchivedMutableString.self),
    AppleClass("NSMutableData", 2895, ArchivedMutableData.self), AppleClass("NSURL", 1735, URL.self),
    AppleClass(collection: "NSArray", 5371, ArchivedArray.self),
    AppleClass(collection: "NSMutableArray", 4626, ArchivedArray.self),
    AppleClass(collection: "NSDictionary", 2942, ArchivedDictionary.self),
    AppleClass(collection: "NSMutableDictionary", 14605, ArchivedDictionary.self),
    AppleClass(collection: "NSSet", 49, ArchivedSet.self),
    AppleClass(collection: "NSMutableSet", 359, ArchivedSet.self),
    AppleClass(collection: "NSMutableOrderedSet", 1, ArchivedOrderedSet.self),
    AppleClass(collection: "NSCountedSet", 1, ArchivedCountedSet.self),
    AppleClass("NSColor", 1886, ArchivedColor.self), AppleClass("NSColorSpace", 81, ArchivedColorSpace.self),
    AppleClass("NSFont", 327, ArchivedFont.self), AppleClass("NSFontDescriptor", 4, ArchivedFontDescriptor.self),
    AppleClass("UIFontDescriptor", 1, ArchivedFontDescriptor.self), AppleClass("UIColor", 6, ArchivedUIColor.self),
    AppleClass("UIFont", 2, ArchivedUIFont.self), AppleClass("NSImage", 58, ArchivedImage.self),
    AppleClass("NSBitmapImageRep", 54, ArchivedBitmapImageRep.self), AppleClass("NSShadow", 2, ArchivedShadow.self),
    AppleClass("NSValue", 5334, ArchivedValue.self), AppleClass("NSAffineTransform", 7, ArchivedAffineTransform.self),
    AppleClass("NSDecimalNumberPlaceholder", 38, Decimal.self), AppleClass("NSIndexPath", 46, IndexPath.self),
    AppleClass("NSIndexSet", 9, ArchivedIndexSet.self), AppleClass("NSMutableIndexSet", 5, ArchivedIndexSet.self),
    AppleClass("NSTimeZone", 5, ArchivedTimeZone.self), AppleClass("NSLocale", 3, ArchivedLocale.self),
    AppleClass("NSCalendar", 1, ArchivedCalendar.self), AppleClass("NSMeasurement", 1, ArchivedMeasurement.self),
    AppleClass("NSUnitFrequency", 1, ArchivedUnit.self),
    AppleClass("NSUnitConverterLinear", 1, ArchivedUnitConverter.self),
    AppleClass("NSRegularExpression", 2, ArchivedRegularExpression.self),
    AppleClass("NSExtendedRegularExpressionCheckingResult", 1, ArchivedRegularExpressionResult.self),
    AppleClass("NSComplexRegularExpressionCheckingResult", 1, ArchivedRegularExpressionResult.self),
    AppleClass("NSSortDescriptor", 2, ArchivedSortDescriptor.self),
    AppleClass("NSComparisonPredicate", 1, ArchivedPredicate.self),
    AppleClass("NSEqualityPredicateOperator", 1, ArchivedPredicateOperator.self),
    AppleClass("NSKeyPathExpression", 5, ArchivedExpression.self),
    AppleClass("NSSelfExpression", 5, ArchivedExpression.self),
    AppleClass("NSConstantValueExpression", 1, ArchivedExpression.self),
    AppleClass("NSKeyPathSpecifierExpression", 5, ArchivedExpression.self),
    AppleClass("NSByteCountFormatter", 1, ArchivedByteCountFormatter.self),
    AppleClass("NSISO8601DateFormatter", 2, ArchivedISO8601DateFormatter.self),
    AppleClass("NSDateIntervalFormatter", 1, ArchivedDateIntervalFormatter.self),
    AppleClass("NSDateFormatter", 5, ArchivedDateFormatter.self),
    AppleClass("NSNumberFormatter", 34, ArchivedNumberFormatter.self),
    AppleClass("NSAttributedString", 110, ArchivedAttributedString.self),
    AppleClass("NSMutableAttributedString", 10, ArchivedAttributedString.self),
    AppleClass("NSNull", 18, ArchiveNull.self), AppleClass("NSDate", 368, Date.self),
    AppleClass("NSUUID", 2, UUID.self),
  ]
}

extension KeyedArchive {
  /// Adds keys to an object that no type knows, with a value of each kind that an archiver stores.
  package mutating func addUnknownKeys(to uid: ArchiveUID) throws {
    try setValue(.boolean(true), forKey: "XFlag", of: uid)
    try setValue(.integer(-7), forKey: "XInteger", of: uid)
    try setValue(.double(0.1), forKey: "XReal", of: uid)
    try setValue(.data(Data([1, 2, 3])), forKey: "XData", of: uid)
    try setValue(.string("né"), forKey: "XText", of: uid)
    try setValue(.reference(.null), forKey: "XNil", of: uid)
    // The object itself, which is a cycle.
    try setValue(.reference(uid), forKey: "XSelf", of: uid)
    try setValue(.array([.reference(uid), .reference(.null)]), forKey: "XList", of: uid)
  }
}
