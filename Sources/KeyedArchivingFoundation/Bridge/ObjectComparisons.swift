// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if !canImport(Darwin)
  import Foundation
  import KeyedArchiving

  /// Which objects Foundation on Linux compares safely.
  ///
  /// It ends the process in some comparisons: of collections whose keys are collections, and of some classes beside each
  /// other. Comparing nested sets takes a time that doubles with each level.
  struct ObjectComparisons {
    /// The reasons for which Foundation compares objects.
    enum Reason: CaseIterable {
      /// They are keys, or elements of sets.
      case hashing
      /// They are the values of one attribute in two runs beside each other.
      case runs
      /// They are attributes, which it converts to values of Swift when it sets them.
      case attributes

      /// The maximum number of nested collections. Foundation converts each of them for each comparison.
      fileprivate var maximumLevels: Int { self == .attributes ? 64 : 4 }
    }

    /// The numbers of nested collections in each collection that can be compared.
    private var levels: [ObjectIdentifier: [Reason: Int]] = [:]

    /// Returns whether Foundation can compare an object with any other such one.
    func areSafe(for value: Any, _ reason: Reason) -> Bool {
      levels(of: value, reason).map { $0 <= reason.maximumLevels } ?? false
    }

    /// Returns the number of nested collections in an object that can be compared; nil for another one.
    private func levels(of value: Any, _ reason: Reason) -> Int? {
      // Foundation wraps values of Swift.
      guard type(of: value) is AnyClass, let object = value as? NSObject else { return 0 }
      switch object {
      case is NSDecimalNumber: return reason == .hashing ? nil : 0
      case is NSString, is NSNumber, is NSData, is NSDate, is NSURL, is NSLocale, is NSCalendar, is NSCharacterSet:
        return 0
      case is NSNull, is NSUUID, is NSIndexPath, is NSIndexSet, is NSTimeZone, is NSDateComponents, is NSValue,
        is NSAffineTransform, is NSDateInterval, is any KeyedCoding:
        return reason == .runs ? nil : 0
      case is NSArray, is NSDictionary, is NSSet: return levels[ObjectIdentifier(object)]?[reason]
      default: return reason == .attributes ? 0 : nil
      }
    }

    /// Adds a collection, which the caller keeps.
    /// - Parameters:
    ///   - collection: The collection.
    ///   - hashed: Its keys, or the elements of a set.
    ///   - values: Its other contents.
    mutating func add(_ collection: NSObject, hashed: [NSObject] = [], values: [Any] = []) {
      guard hashed.allSatisfy(Self.isPlain) else { return }
      for reason in Self.reasons(for: collection) {
        var level = 1
        for value in values {
          guard let inner = levels(of: value, reason) else {
            level = .max
            break
          }
          level = max(level, inner + 1)
        }
        if level <= reason.maximumLevels { levels[ObjectIdentifier(collection), default: [:]][reason] = level }
      }
    }

    private static func reasons(for collection: NSObject) -> [Reason] {
      switch collection {
      // On Linux, all counted sets are equal.
      case is NSCountedSet: [.attributes]
      case is NSSet: [.hashing, .attributes]
      default: Reason.allCases
      }
    }

    /// Returns whether Foundation can convert an object to a value of Swift that is hashable.
    private static func isPlain(_ value: NSObject) -> Bool {
      switch value {
      case is NSDecimalNumber: false
      case is NSString, is NSNumber, is NSData, is NSDate, is NSURL, is NSUUID: true
      default: false
      }
    }
  }
#endif
