// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
public import KeyedArchiving

extension KeyedUnarchiver {
  /// An allow list for unknown contents: strings, numbers, data, collections, value types of Foundation and the kits,
  /// and `ArchivedObject` for all other classes. Decoding these types runs no code of archived classes.
  ///
  /// ```swift
  /// let settings = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
  /// ```
  ///
  /// Mutable strings and data are decoded as `String` and `Data`. To preserve their classes, insert
  /// `ArchivedMutableString` and `ArchivedMutableData` at the start of the list.
  ///
  /// The contents of values such as an error's user info or a text's attributes are decoded with this list. If the
  /// caller has an allow list, its types come first, and `ArchivedObject` is left out. A list that contains
  /// `ArchivedObject` is used alone, and also allows strings, numbers and data that are primitives.
  public static var valueTypes: [any KeyedCoding.Type] {
    [
      String.self, ArchiveNumber.self, Data.self, Date.self, URL.self, UUID.self, ArchiveNull.self,
      ArchivedArray.self, ArchivedDictionary.self, ArchivedSet.self, ArchivedOrderedSet.self, ArchivedCountedSet.self,
      Decimal.self, IndexPath.self, DateInterval.self, ArchivedTimeZone.self, ArchivedLocale.self,
      ArchivedCalendar.self, ArchivedValue.self, ArchivedIndexSet.self, ArchivedCharacterSet.self,
      ArchivedAttributedString.self, ArchivedError.self, ArchivedException.self, ArchivedNotification.self,
      ArchivedRegularExpression.self, ArchivedRegularExpressionResult.self, ArchivedSortDescriptor.self,
      ArchivedPredicate.self,
      ArchivedExpression.self, ArchivedMeasurement.self, ArchivedUnit.self, ArchivedPersonNameComponents.self,
      ArchivedDecimalNumberHandler.self, ArchivedAffineTransform.self, ArchivedColor.self, ArchivedColorSpace.self,
      ArchivedUIColor.self, ArchivedFont.self, ArchivedFontDescriptor.self, ArchivedUIFont.self, ArchivedImage.self,
      ArchivedUIImage.self, ArchivedBitmapImageRep.self, ArchivedShadow.self, ArchivedByteCountFormatter.self,
      ArchivedISO8601DateFormatter.self, ArchivedDateIntervalFormatter.self, ArchivedDateFormatter.self,
      ArchivedNumberFormatter.self, ArchivedMutableString.self, ArchivedMutableData.self, ArchivedObject.self,
    ]
  }
}
