// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A calendar as it is archived. Reading one needs no calendar, locale or time zone data.
public struct ArchivedCalendar: SecureKeyedCoding, Hashable, Sendable {
  /// The kind of calendar, such as `gregorian`.
  public var identifier: String
  /// The locale.
  public var locale: ArchivedLocale?
  /// The time zone.
  public var timeZone: ArchivedTimeZone?
  /// The first day of the week; 1 is Sunday.
  public var firstWeekday: Int
  /// How many days of the first week must be in the new year.
  public var minimumDaysInFirstWeek: Int
  /// When the Gregorian calendar begins.
  public var gregorianStart: Date?

  /// When the Gregorian calendar begins unless it is set: 15 October 1582.
  public static let defaultGregorianStart = Date(timeIntervalSinceReferenceDate: -13_197_600_000)

  /// Makes a calendar.
  public init(
    identifier: String, locale: ArchivedLocale? = nil, timeZone: ArchivedTimeZone? = nil, firstWeekday: Int = 1,
    minimumDaysInFirstWeek: Int = 1, gregorianStart: Date? = ArchivedCalendar.defaultGregorianStart
  ) {
    self.identifier = identifier
    self.locale = locale
    self.timeZone = timeZone
    self.firstWeekday = firstWeekday
    self.minimumDaysInFirstWeek = minimumDaysInFirstWeek
    self.gregorianStart = gregorianStart
  }

  /// `NSCalendar`.
  public static var archiveClassName: String { "NSCalendar" }

  /// Stores everything.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(identifier, forKey: "NS.identifier")
    coder.encode(locale, forKey: "NS.locale")
    coder.encode(timeZone, forKey: "NS.timezone")
    coder.encode(firstWeekday, forKey: "NS.firstwkdy")
    coder.encode(minimumDaysInFirstWeek, forKey: "NS.mindays")
    coder.encode(gregorianStart, forKey: "NS.gstartdate")
  }

  /// Reads everything; a week has seven days.
  public init?(coder: KeyedUnarchiver) throws {
    identifier = try coder.decode(String.self, forKey: "NS.identifier")
    locale = try coder.decodeIfPresent(ArchivedLocale.self, forKey: "NS.locale")
    timeZone = try coder.decodeIfPresent(ArchivedTimeZone.self, forKey: "NS.timezone")
    gregorianStart = try coder.decodeIfPresent(Date.self, forKey: "NS.gstartdate")
    firstWeekday = try coder.bare(Int.self, "NS.firstwkdy") ?? 1
    guard 1...7 ~= firstWeekday else { throw coder.malformed("'NS.firstwkdy' of a calendar is \(firstWeekday)") }
    minimumDaysInFirstWeek = try coder.bare(Int.self, "NS.mindays") ?? 1
    guard 1...7 ~= minimumDaysInFirstWeek else {
      throw coder.malformed("'NS.mindays' of a calendar is \(minimumDaysInFirstWeek)")
    }
  }
}
