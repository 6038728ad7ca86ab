// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A point in time, in the two forms of ZIP files.
struct ZipTimestamp: Hashable {
  /// Seconds since 1970 in universal time.
  let seconds: Int64

  /// The time for a missing one: the start of 1980, the first of the DOS form.
  static let none = ZipTimestamp(seconds: 315_532_800)
  /// The last time of the DOS form.
  private static let last: Int64 = 4_354_819_198

  init(seconds: Int64) { self.seconds = seconds }

  /// Creates a time, rounded down and limited to 292 billion years. Not a number becomes ``none``.
  init(secondsSince1970 value: Double) {
    guard !value.isNaN else {
      self = .none
      return
    }
    seconds = Int64(max(-9e18, min(9e18, value.rounded(.down))))
  }
}

extension ZipTimestamp {
  /// The MS-DOS date and time, with a precision of two seconds (APPNOTE 4.4.6), clamped to their range.
  var dos: (date: UInt16, time: UInt16) {
    let clamped = max(Self.none.seconds, min(Self.last, seconds))
    let (year, month, day) = Self.civil(days: clamped / 86400)
    let (hour, minute, second) = (clamped % 86400 / 3600, clamped % 3600 / 60, clamped % 60)
    return (
      UInt16(truncatingIfNeeded: (year - 1980) << 9 | month << 5 | day),
      UInt16(truncatingIfNeeded: hour << 11 | minute << 5 | second >> 1)
    )
  }

  /// Creates a time from an MS-DOS date and time, as universal time; nil if they do not exist.
  init?(dosDate: UInt16, time: UInt16) {
    let (year, month, day) = (Int64(dosDate >> 9) + 1980, Int64(dosDate >> 5 & 15), Int64(dosDate & 31))
    let (hour, minute, second) = (Int64(time >> 11), Int64(time >> 5 & 63), Int64(time & 31) * 2)
    guard (1...12).contains(month), day >= 1, hour < 24, minute < 60, second < 60 else { return nil }
    let days = Self.days(year: year, month: month, day: day)
    // February 30, for example, converts back to another day.
    guard Self.civil(days: days) == (year, month, day) else { return nil }
    seconds = days * 86400 + hour * 3600 + minute * 60 + second
  }

  // Both functions count years from March, so that the leap day is the last, in eras of 400 years with 146,097 days.

  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let (era, yearOfEra) = (marchYear / 400, marchYear % 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The date of a day, counted from January 1, 1970. The day is not negative.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let sinceEraZero = days + 719_468
    let (era, dayOfEra) = (sinceEraZero / 146_097, sinceEraZero % 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
  }
}
