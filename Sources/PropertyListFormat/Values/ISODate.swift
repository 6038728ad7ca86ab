// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Dates in ISO 8601 format, in the proleptic Gregorian calendar.
enum ISODate {
  /// Returns a date with its thousandths, such as `2001-01-01T00:00:00.000Z`.
  /// - Returns: The text, or nil for dates outside of the years 1 to 9999.
  static func text(_ date: Date) -> String? {
    // Count whole thousandths, because fractions such as .3 have no exact double.
    let ticks = (date.timeIntervalSinceReferenceDate * 1000).rounded()
    // The years 1 to 9999.
    guard ticks >= -63_113_904_000_000, ticks < 252_423_993_600_000 else { return nil }
    let seconds = (ticks / 1000).rounded(.down)
    return XMLDate.text(seconds).map { "\($0.dropLast()).\(String(1000 + Int(ticks - seconds * 1000)).dropFirst())Z" }
  }

  /// Parses a date such as `2001-01-01T00:00:00.000Z`. The fraction is optional, and `+01:00` can replace `Z`.
  static func date(_ text: String) -> Date? {
    let bytes = Array(text.utf8)
    guard bytes.count > 19, bytes[4] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"),
      let whole = XMLDate.seconds(String(decoding: bytes[..<19], as: UTF8.self) + "Z")
    else { return nil }
    var rest = bytes[19...]
    var fraction: ArraySlice<UInt8> = []
    if rest.first == UInt8(ascii: ".") {
      fraction = rest.dropFirst().prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
      guard !fraction.isEmpty else { return nil }
      rest = rest[fraction.endIndex...]
    }
    guard let offset = offset(of: rest) else { return nil }
    return Double(number(whole - offset, fraction)).map { Date(timeIntervalSinceReferenceDate: $0) }
  }

  /// Returns the decimal number of seconds. Adding a fraction to whole seconds would round twice.
  private static func number(_ whole: Double, _ fraction: ArraySlice<UInt8>) -> String {
    guard whole < 0, let last = fraction.lastIndex(where: { $0 != UInt8(ascii: "0") }) else {
      return "\(Int64(whole)).\(String(decoding: fraction, as: UTF8.self))0"
    }
    // -5 and .25 is -4.75: each digit is replaced by its distance from 9, and the last one by that from 10.
    var digits = fraction[...last].map { UInt8(ascii: "9") - $0 + UInt8(ascii: "0") }
    digits[digits.count - 1] += 1
    return "-\(Int64(-whole) - 1).\(String(decoding: digits, as: UTF8.self))"
  }

  /// Parses the time zone at the end of a date. Returns its distance from UTC, in seconds.
  private static func offset(of zone: ArraySlice<UInt8>) -> Double? {
    guard let sign = zone.first else { return nil }
    if sign == UInt8(ascii: "Z") { return zone.count == 1 ? 0 : nil }
    let digits = zone.dropFirst().filter { $0 != UInt8(ascii: ":") }
    guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), digits.count == 4,
      zone.count == 5 || zone.count == 6 && zone[zone.startIndex + 3] == UInt8(ascii: ":"),
      digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
    else { return nil }
    let numbers = digits.map { Double($0 - UInt8(ascii: "0")) }
    let seconds = (numbers[0] * 10 + numbers[1]) * 3600 + (numbers[2] * 10 + numbers[3]) * 60
    return sign == UInt8(ascii: "-") ? -seconds : seconds
  }
}
