// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Dates as archives have them, seconds since 2001-01-01T00:00:00Z, written in ISO 8601 in UTC.
///
/// Locale, time zone and calendar of the system play no part, and no number of seconds is too large.
package enum DateText {
  /// Such as `2001-01-01T00:00:00Z`; with a fraction, in thousandths, where there is one.
  ///
  /// Years outside 1...9999, which ISO 8601 does not write without agreement, are given in seconds.
  package static func iso8601(_ seconds: Double) -> String {
    guard seconds > -63_113_904_000, seconds < 252_423_993_600 else { return "\(seconds) s since 2001-01-01T00:00:00Z" }
    // Whole thousandths, for a fraction such as .3 has no exact double.
    let ticks = Int((seconds * 1000).rounded())
    let day = Int((Double(ticks) / 86_400_000).rounded(.down))
    let tickOfDay = ticks - day * 86_400_000
    let (second, thousandths) = (tickOfDay / 1000, tickOfDay % 1000)
    let (year, month, dayOfMonth) = civil(day)
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    text += "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if thousandths > 0 { text += ".\(padded(thousandths, 3))" }
    return text + "Z"
  }

  /// The day of the Gregorian calendar, from days since 2001-01-01. Counted from March 1 of a year divisible by 400, so
  /// that the leap day is a year's last.
  private static func civil(_ daysSince2001: Int) -> (year: Int, month: Int, day: Int) {
    let days = daysSince2001 + 730_791  // since 0000-03-01
    let era = days / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * dayOfYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
  }

  private static func padded(_ number: Int, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
