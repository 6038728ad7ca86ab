// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A moment as the page shows it: its day in universal time, the same wherever the page is made.
struct GalleryDate {
  /// Seconds, for sorting.
  let seconds: Double
  /// The day, such as `2018-08-06`.
  let day: String
  /// The day in words, such as `6 Aug 2018`.
  let words: String

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Nil for what has no year of four digits, or is no moment at all.
  init?(_ date: Date) {
    seconds = date.timeIntervalSince1970
    // From the year 1000 to the end of 9999.
    guard seconds >= -30_610_224_000, seconds < 253_402_300_800 else { return nil }
    // Days are counted from 1 March of year 0, so that leap days come last in a year, and years in eras of 400, which
    // are all equally long. That day is 719,468 days before 1970, so nothing here is negative.
    let shifted = Int((seconds + 719_468 * 86_400) / 86_400)
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    let year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    func twoDigits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    day = "\(year)-\(twoDigits(month))-\(twoDigits(dayOfMonth))"
    words = "\(dayOfMonth) \(Self.months[month - 1]) \(year)"
  }
}
