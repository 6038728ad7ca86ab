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
  /// A list of types for content of which nothing is known: strings, numbers, data, collections, Foundation's and the
  /// kits' values, and `ArchivedObject` for everything else. None of them does more than hold what was read.
  ///
  /// ```swift
  /// let settings = try KeyedUnarchiver.unarchivedObject(ofClasses: KeyedUnarchiver.valueTypes, from: data)
  /// ```
  ///
  /// Mutable strings and data come out as `String` and `Data`, and are archived as such; put `ArchivedMutableString` and
  /// `ArchivedMutableData` in front of the list where they are to stay what they are.
  ///
  /// What values such as an error's user info or a text's attributes hold is made from this list, behind the types that
  /// the caller named.
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
      ArchivedBitmapImageRep.self, ArchivedShadow.self, ArchivedByteCountFormatter.self,
      ArchivedISO8601DateFormatter.self, ArchivedDateIntervalFormatter.self, ArchivedDateFormatter.self,
      ArchivedNumberFormatter.self, ArchivedMutableString.self, ArchivedMutableData.self, ArchivedObject.self,
    ]
  }
}
