// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

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

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.identifier == b.identifier && a.locale == b.locale && a.timeZone == b.timeZone
      && a.firstWeekday == b.firstWeekday && a.minimumDaysInFirstWeek == b.minimumDaysInFirstWeek
      && a.gregorianStart == b.gregorianStart
  }

  /// Hashes identifier, locale, timeZone.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(locale)
    hasher.combine(timeZone)
  }

  /// `NSCalendar`.
  public static var archiveClassName: String { "NSCalendar" }

  /// Stores everything.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Reads everything; a week has seven days.
  public init?(coder: KeyedUnarchiver) throws {
    self.init(identifier: "")
    try coder.decode(Self.fields, into: &self)
    guard 1...7 ~= firstWeekday else { throw coder.malformed("'NS.firstwkdy' of a calendar is \(firstWeekday)") }
    guard 1...7 ~= minimumDaysInFirstWeek else {
      throw coder.malformed("'NS.mindays' of a calendar is \(minimumDaysInFirstWeek)")
    }
  }

  private static let fields: [ArchiveField<Self>] = [
    .neededObject("NS.identifier", \.identifier), .object("NS.locale", \.locale),
    .object("NS.timezone", \.timeZone), .number("NS.firstwkdy", \.firstWeekday, ifAbsent: 1),
    .number("NS.mindays", \.minimumDaysInFirstWeek, ifAbsent: 1), .object("NS.gstartdate", \.gregorianStart),
  ]
}
