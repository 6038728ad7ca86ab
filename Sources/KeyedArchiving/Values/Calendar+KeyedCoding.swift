// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

extension Calendar: SecureKeyedCoding {
  /// `NSCalendar`.
  public static var archiveClassName: String { "NSCalendar" }

  /// Stores identifier, locale, time zone and what belongs to weeks.
  public func encode(with coder: KeyedArchiver) throws {
    guard let name = Calendar.names.first(where: { $0.1 == identifier })?.0 else {
      throw KeyedArchiveError(
        .notEncodable, "the calendar \(identifier) has no name that is known", remedy: "Archive an ArchivedCalendar")
    }
    ArchivedCalendar(
      identifier: name,
      locale: locale.map { ArchivedLocale(identifier: $0.identifier) } ?? ArchivedLocale(identifier: ""),
      timeZone: ArchivedTimeZone(name: timeZone.identifier), firstWeekday: firstWeekday,
      minimumDaysInFirstWeek: minimumDaysInFirstWeek
    ).encode(with: coder)
  }

  /// Reads what is stored; this program must know the calendar, the locale and the time zone. ``ArchivedCalendar`` has
  /// any. The start of the Gregorian calendar must be the usual one.
  public init?(coder: KeyedUnarchiver) throws {
    guard let archived = try ArchivedCalendar(coder: coder) else { return nil }
    guard let identifier = Calendar.names.first(where: { $0.0 == archived.identifier })?.1,
      identifier == .gregorian || identifier == .iso8601 || Locale.isComplete
    else {
      throw KeyedArchiveError(
        .malformedValue, "this program knows no calendar \(archived.identifier.debugDescription)",
        keyPath: coder.storage.state.keyPath(to: "NS.identifier"),
        remedy: "Ask for ArchivedCalendar, or link Foundation, which has the calendars that FoundationEssentials lacks")
    }
    if let start = archived.gregorianStart, start != ArchivedCalendar.defaultGregorianStart {
      throw coder.malformed(
        "'NS.gstartdate' of a calendar is \(start.timeIntervalSinceReferenceDate), which Calendar has no place for")
    }
    self.init(identifier: identifier)
    if let zone = try coder.decodeIfPresent(TimeZone.self, forKey: "NS.timezone") { timeZone = zone }
    // The locale of no region is that of a calendar that was given none.
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
