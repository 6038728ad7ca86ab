// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension DateComponents: SecureKeyedCoding {
  /// `NSDateComponents`.
  public static var archiveClassName: String { "NSDateComponents" }

  /// Stores all components, the largest integer for those that are not set. The day of the year has no place in the
  /// format and makes the archiving fail.
  public func encode(with coder: KeyedArchiver) throws {
    guard dayOfYear == nil else {
      throw KeyedArchiveError(
        .notEncodable, "date components with a day of the year, for which no key is known",
        remedy: "Set month and day instead")
    }
    for (key, component) in DateComponents.storedComponents {
      coder.encode(self[keyPath: component] ?? .max, forKey: key)
    }
    coder.encode(isLeapMonth ?? false, forKey: "NS.isLeapMonth")
    coder.encode(calendar, forKey: "NS.calendar")
    coder.encode(timeZone, forKey: "NS.timezone")
  }

  /// Reads the components that are there. The largest integer stands for one that is not, and so does a month that is no
  /// leap month, for the format has no third.
  public init?(coder: KeyedUnarchiver) throws {
    self.init()
    for (key, component) in DateComponents.storedComponents {
      if let value = try coder.bare(Int.self, key), value != .max { self[keyPath: component] = value }
    }
    if try coder.bare(Bool.self, "NS.isLeapMonth") ?? false { isLeapMonth = true }
    calendar = try coder.decodeIfPresent(Calendar.self, forKey: "NS.calendar")
    timeZone = try coder.decodeIfPresent(TimeZone.self, forKey: "NS.timezone")
  }

  private static var storedComponents: [(String, WritableKeyPath<DateComponents, Int?>)] {
    [
      ("NS.era", \.era), ("NS.year", \.year), ("NS.quarter", \.quarter), ("NS.month", \.month), ("NS.day", \.day),
      ("NS.hour", \.hour), ("NS.minute", \.minute), ("NS.second", \.second), ("NS.nanosec", \.nanosecond),
      ("NS.weekOfYear", \.weekOfYear), ("NS.weekOfMonth", \.weekOfMonth), ("NS.yearForWOY", \.yearForWeekOfYear),
      ("NS.weekday", \.weekday), ("NS.weekdayOrdinal", \.weekdayOrdinal),
    ]
  }
}
