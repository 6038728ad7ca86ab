// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivedClasses
import KeyedArchiving

/// Types by the names that lists of classes have for them.
enum ClassNames {
  static let types: [String: any (KeyedCoding & SendableMetatype).Type] = Fixture.all.merging(
    [
      "NSString": String.self, "NSMutableString": String.self, "NSNumber": ArchiveNumber.self, "NSData": Data.self,
      "NSMutableData": Data.self, "NSDate": Date.self, "NSArray": ArchivedArray.self,
      "NSMutableArray": ArchivedArray.self, "NSDictionary": ArchivedDictionary.self,
      "NSMutableDictionary": ArchivedDictionary.self, "NSSet": ArchivedSet.self, "NSMutableSet": ArchivedSet.self,
      "NSNull": ArchiveNull.self, "NSURL": URL.self, "NSUUID": UUID.self, "NSIndexSet": ArchivedIndexSet.self,
      "NSDecimalNumber": Decimal.self, "NSOrderedSet": ArchivedOrderedSet.self, "NSValue": ArchivedValue.self,
      "NSAttributedString": ArchivedAttributedString.self, "NSError": ArchivedError.self,
      "NSTimeZone": ArchivedTimeZone.self, "NSLocale": Locale.self, "NSDateComponents": DateComponents.self,
    ],
    uniquingKeysWith: { first, _ in first })
}
