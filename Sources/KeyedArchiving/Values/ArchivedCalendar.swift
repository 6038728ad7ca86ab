// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

/// An archived calendar. Decoding it needs no calendar, locale or time zone data.
public struct ArchivedCalendar: SecureKeyedCoding, Hashable, Sendable {
  /// The calendar's identifier, such as `gregorian`.
  public var identifier: String
  /// The locale.
  public var locale: ArchivedLocale?
  /// The time zone.
  public var timeZone: ArchivedTimeZone?
  /// The first day of the week; 1 is Sunday.
  public var firstWeekday: Int
  /// The minimum number of days of the first week that are in the new year.
  public var minimumDaysInFirstWeek: Int
  /// The start of the Gregorian calendar.
  public var gregorianStart: Date?

  /// The default start of the Gregorian calendar, 15 October 1582.
  public static let defaultGregorianStart = Date(timeIntervalSinceReferenceDate: -13_197_600_000)

  /// Creates a calendar.
  /// - Parameters:
  ///   - identifier: The calendar's identifier, such as `gregorian`.
  ///   - locale: The locale.
  ///   - timeZone: The time zone.
  ///   - firstWeekday: The first day of the week; 1 is Sunday.
  ///   - minimumDaysInFirstWeek: The minimum number of days of the first week that are in the new year.
  ///   - gregorianStart: The start of the Gregorian calendar.
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

  /// Returns whether all properties are equal. Strings are compared by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.identifier == b.identifier && a.locale == b.locale && a.timeZone == b.timeZone
      && a.firstWeekday == b.firstWeekday && a.minimumDaysInFirstWeek == b.minimumDaysInFirstWeek
      && a.gregorianStart == b.gregorianStart
  }

  /// Hashes the identifier, the locale and the time zone.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(identifier)
    hasher.combine(locale)
    hasher.combine(timeZone)
  }

  /// The archived class name, `NSCalendar`.
  public static var archiveClassName: String { "NSCalendar" }

  /// Encodes all properties. Numbers of days must be from 1 to 7.
  /// - Parameter coder: The archiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` for another number of days, which
  ///   a decoder would reject.
  public func encode(with coder: KeyedArchiver) throws {
    for (name, days) in [("firstWeekday", firstWeekday), ("minimumDaysInFirstWeek", minimumDaysInFirstWeek)]
    where !(1...7 ~= days) {
      throw KeyedArchiveError(
        .notEncodable, "invalid \(name) of a calendar: found \(days); expected 1 to 7",
        remedy: "Set it to a number from 1 to 7")
    }
    coder.encode(identifier, forKey: "NS.identifier")
    coder.encode(locale, forKey: "NS.locale")
    coder.encode(timeZone, forKey: "NS.timezone")
    coder.encode(firstWeekday, forKey: "NS.firstwkdy")
    coder.encode(minimumDaysInFirstWeek, forKey: "NS.mindays")
    coder.encode(gregorianStart, forKey: "NS.gstartdate")
  }

  /// Decodes all properties. Numbers of days must be from 1 to 7.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    identifier = try coder.decode(String.self, forKey: "NS.identifier")
    locale = try coder.decodeIfPresent(ArchivedLocale.self, forKey: "NS.locale")
    timeZone = try coder.decodeIfPresent(ArchivedTimeZone.self, forKey: "NS.timezone")
    firstWeekday = try coder.primitive(Int.self, "NS.firstwkdy") ?? 1
    minimumDaysInFirstWeek = try coder.primitive(Int.self, "NS.mindays") ?? 1
    gregorianStart = try coder.decodeIfPresent(Date.self, forKey: "NS.gstartdate")
    for (key, days) in [("NS.firstwkdy", firstWeekday), ("NS.mindays", minimumDaysInFirstWeek)] where !(1...7 ~= days) {
      throw coder.malformed("invalid '\(key)' of a calendar: found \(days); expected 1 to 7")
    }
  }
}

extension Calendar: SecureKeyedCoding {
  /// The archived class name, `NSCalendar`.
  public static var archiveClassName: String { "NSCalendar" }

  /// Encodes the identifier, locale, time zone and week settings.
  /// - Parameter coder: The archiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` if the calendar has no archived
  ///   name.
  public func encode(with coder: KeyedArchiver) throws {
    guard let name = Calendar.names.first(where: { $0.1 == identifier })?.0 else {
      throw KeyedArchiveError(
        .notEncodable, "unknown calendar: no archived name is known for \(identifier)",
        remedy: "Archive an ArchivedCalendar")
    }
    try ArchivedCalendar(
      identifier: name,
      locale: locale.map { ArchivedLocale(identifier: $0.identifier) } ?? ArchivedLocale(identifier: ""),
      timeZone: ArchivedTimeZone(name: timeZone.identifier), firstWeekday: firstWeekday,
      minimumDaysInFirstWeek: minimumDaysInFirstWeek
    ).encode(with: coder)
  }

  /// Decodes a calendar. The program must know the calendar, the locale and the time zone, and the start of the
  /// Gregorian calendar must be the default. ``ArchivedCalendar`` decodes all others.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is missing or malformed, or if one of these conditions is not met.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedCalendar(coder: coder) else { return nil }
    guard let identifier = Calendar.names.first(where: { $0.0.hasSameBytes(as: archived.identifier) })?.1,
      identifier == .gregorian || identifier == .iso8601 || Locale.isComplete
    else {
      throw KeyedArchiveError(
        .malformedValue, "unknown calendar \(archived.identifier.debugDescription) in this program",
        at: coder.storage.state.place(to: "NS.identifier"),
        remedy: "Request ArchivedCalendar, or link Foundation, which has the calendars that FoundationEssentials lacks")
    }
    if let start = archived.gregorianStart, start != ArchivedCalendar.defaultGregorianStart {
      throw coder.malformed(
        "unsupported 'NS.gstartdate' of a calendar: found \(start.timeIntervalSinceReferenceDate); expected the default"
      )
    }
    self.init(identifier: identifier)
    if let zone = try coder.decodeIfPresent(TimeZone.self, forKey: "NS.timezone") { timeZone = zone }
    // A calendar without a locale is archived with the locale of no region.
    if let name = archived.locale?.identifier, !name.isEmpty {
      locale = try coder.decode(Locale.self, forKey: "NS.locale")
    }
    firstWeekday = archived.firstWeekday
    minimumDaysInFirstWeek = archived.minimumDaysInFirstWeek
  }

  /// The names of calendars in archives.
  private static var names: [(String, Identifier)] {
    [
      ("gregorian", .gregorian), ("iso8601", .iso8601), ("buddhist", .buddhist), ("chinese", .chinese),
      ("coptic", .coptic), ("ethiopic", .ethiopicAmeteMihret), ("ethiopic-amete-alem", .ethiopicAmeteAlem),
      ("hebrew", .hebrew), ("indian", .indian), ("islamic", .islamic), ("islamic-civil", .islamicCivil),
      ("islamic-tbla", .islamicTabular), ("islamic-umalqura", .islamicUmmAlQura), ("japanese", .japanese),
      ("persian", .persian), ("roc", .republicOfChina),
    ]
  }
}
