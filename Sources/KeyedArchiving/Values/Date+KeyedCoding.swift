// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
@_spi(Archiving) import PropertyListFormat

extension Date: SecureKeyedCoding {
  /// The archived class name, `NSDate`.
  public static var archiveClassName: String { "NSDate" }

  /// Encodes the seconds since 2001 for the key `NS.time`. Encoding a date that is not a number (NaN) fails with
  /// ``KeyedArchiveError/Code/notEncodable``.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard !timeIntervalSinceReferenceDate.isNaN else {
      return coder.failWithError(
        KeyedArchiveError(.notEncodable, "invalid date: its time is not a number", remedy: "Set the date to a time"))
    }
    coder.encode(timeIntervalSinceReferenceDate, forKey: "NS.time")
  }

  /// Decodes the seconds since 2001 for the key `NS.time`, a real or an integer. NaN is an error, because the description
  /// of such a date ends the process.
  ///
  /// Apple's archivers store a real. Other programs can store whole seconds as an integer.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if the number is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let stored = try coder.storage.state.number(forKey: "NS.time")
    guard let item = stored else { throw coder.absent("NS.time", Double.self) }
    let seconds =
      item.kind == .integer
      ? Double(try coder.storage.state.read(Int64.self, item)) : try coder.storage.state.read(Double.self, item)
    guard !seconds.isNaN else {
      throw coder.malformed("invalid 'NS.time' of a date: found \(seconds); expected a number")
    }
    self.init(timeIntervalSinceReferenceDate: seconds)
  }
}

extension DateInterval: SecureKeyedCoding {
  /// The archived class name, `NSDateInterval`.
  public static var archiveClassName: String { "NSDateInterval" }

  /// Encodes the dates and the duration for the keys `NS.startDate`, `NS.endDate` and `NS.duration`. Encoding an infinite
  /// interval fails with ``KeyedArchiveError/Code/notEncodable``.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    // The end of a finite interval can be beyond the range of dates.
    guard start.timeIntervalSinceReferenceDate.isFinite, duration.isFinite,
      end.timeIntervalSinceReferenceDate.isFinite
    else {
      return coder.failWithError(
        KeyedArchiveError(
          .notEncodable, "invalid date interval: its start, duration or end is not finite",
          remedy: "Set the start and the duration so that all are finite"))
    }
    coder.encode(start, forKey: "NS.startDate")
    coder.encode(end, forKey: "NS.endDate")
    coder.encode(duration, forKey: "NS.duration")
  }

  /// Decodes the dates, which must be finite. The end must not precede the start.
  ///
  /// As in Apple's decoder, a duration takes precedence over the end, which it can replace. swift-corelibs-foundation
  /// stores no duration.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let start = try coder.decode(Date.self, forKey: "NS.startDate")
    let duration = try coder.primitive(Double.self, "NS.duration")
    let end =
      duration == nil
      ? try coder.decode(Date.self, forKey: "NS.endDate")
      : try coder.decodeIfPresent(Date.self, forKey: "NS.endDate") ?? start
    guard start <= end else { throw coder.malformed("invalid date interval: 'NS.endDate' precedes 'NS.startDate'") }
    guard end.timeIntervalSince(start).isFinite else {
      throw coder.malformed("invalid date interval: found \(start) to \(end); expected finite dates")
    }
    guard let duration else {
      self.init(start: start, end: end)
      return
    }
    guard duration >= 0, start.addingTimeInterval(duration).timeIntervalSinceReferenceDate.isFinite else {
      throw coder.malformed(
        "invalid date interval: 'NS.duration' is \(duration); expected a finite number of at least 0")
    }
    self.init(start: start, duration: duration)
  }
}

extension DateComponents: SecureKeyedCoding {
  /// The archived class name, `NSDateComponents`.
  public static var archiveClassName: String { "NSDateComponents" }

  /// Encodes all components; `Int64.max` represents those that are not set. The leap month is stored for two keys:
  /// `NS.leapMonth` is Apple's, and `NS.isLeapMonth` that of swift-corelibs-foundation. A calendar or time zone that is
  /// nil is not stored, because Apple's decoder rejects a stored nil.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    for (key, component) in DateComponents.storedComponents {
      coder.encode(self[keyPath: component].map(Int64.init) ?? .max, forKey: key)
    }
    if let dayOfYearIfAvailable { coder.encode(Int64(dayOfYearIfAvailable), forKey: "NS.dayOfYear") }
    let isLeapMonth = isLeapMonth ?? false
    coder.encode(isLeapMonth ? 1 : 0, forKey: "NS.leapMonth")
    coder.encode(isLeapMonth, forKey: "NS.isLeapMonth")
    if let calendar { coder.encode(calendar, forKey: "NS.calendar") }
    if let timeZone { coder.encode(timeZone, forKey: "NS.timezone") }
  }

  /// Decodes the components. `Int64.max` represents an unset one, and also `Int.max` on systems with 32 bits. A false leap
  /// month decodes as an unset one, because the format does not distinguish the two.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is malformed, or if the program lacks the calendar or time zone.
  @inline(never)
  public init?(coder: KeyedUnarchiver) throws {
    self.init()
    for (key, component) in DateComponents.storedComponents {
      self[keyPath: component] = try coder.dateComponent(key)
    }
    dayOfYearIfAvailable = try coder.dateComponent("NS.dayOfYear")
    let leapMonth = try coder.primitive(Int64.self, "NS.leapMonth")
    if try coder.primitive(Bool.self, "NS.isLeapMonth") ?? false || leapMonth ?? 0 != 0 { isLeapMonth = true }
    calendar = try coder.decodeIfPresent(Calendar.self, forKey: "NS.calendar")
    timeZone = try coder.decodeIfPresent(TimeZone.self, forKey: "NS.timezone")
  }

  /// The day of the year, which exists since macOS 15. Older systems ignore it.
  private var dayOfYearIfAvailable: Int? {
    get {
      #if OLD_SYSTEMS
        nil
      #else
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) { dayOfYear } else { nil }
      #endif
    }
    set {
      #if !OLD_SYSTEMS
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) { dayOfYear = newValue }
      #endif
    }
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

extension KeyedUnarchiver {
  /// Decodes a date component; nil if it is absent or not set.
  fileprivate func dateComponent(_ key: String) throws -> Int? {
    guard let value = try primitive(Int64.self, key), value != .max, value != Int.max else { return nil }
    guard let number = Int(exactly: value) else {
      throw malformed(
        "date component out of range: '\(key)' is \(value); expected a number of \(Int.bitWidth) bits")
    }
    return number
  }
}
