// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Dates in XML property lists, such as `2001-01-01T00:00:00Z`, in the proleptic Gregorian calendar.
/// Its numbers have 64 bits on every platform, because a year can have nine digits.
enum XMLDate {
  /// Days from 1970-01-01 to 2001-01-01.
  private static let referenceDay: Int64 = 11_323
  /// The last number of seconds of the year 999,999,999. Numbers of that size are multiples of four.
  private static let last = 31_556_888_854_473_596.0

  /// Parses a date, and returns the seconds since 2001. Returns nil for another text.
  static func seconds(_ text: String) -> Double? {
    var fields = Scanner(Array(text.utf8))
    fields.skipBlanks()
    let isNegative = fields.take(UInt8(ascii: "-"))
    guard let year = fields.number(digits: 1...9), fields.take(UInt8(ascii: "-")),
      let month = fields.number(digits: 1...2), 1...12 ~= month, fields.take(UInt8(ascii: "-")),
      let day = fields.number(digits: 1...2), fields.take(UInt8(ascii: "T")),
      let hour = fields.number(digits: 1...2), hour < 24, fields.take(UInt8(ascii: ":")),
      let minute = fields.number(digits: 1...2), minute < 60, fields.take(UInt8(ascii: ":")),
      let second = fields.number(digits: 1...2), second < 60, fields.take(UInt8(ascii: "Z"))
    else { return nil }
    fields.skipBlanks()
    let signedYear = isNegative ? -year : year
    guard fields.isAtEnd, 1...daysInMonth(month, signedYear) ~= day else { return nil }
    let days = dayNumber(signedYear, month, day) - referenceDay
    // The number of a second between two multiples of four is rounded, and must not be that of another year.
    return min(Double(days * 86_400 + hour * 3600 + minute * 60 + second), last)
  }

  /// Returns the text of a date, rounded down to whole seconds. Returns nil if the number is NaN, or that of a year with more
  /// than nine digits, which ``seconds(_:)`` does not accept.
  static func text(_ seconds: Double) -> String? {
    guard abs(seconds) <= 2 * last else { return nil }
    let whole = Int64(seconds.rounded(.down))
    let days = floorDivide(whole, 86_400)
    let second = whole - days * 86_400
    let (year, month, day) = date(days + referenceDay)
    guard year.magnitude < 1_000_000_000 else { return nil }
    var text: [UInt8] = []
    text.reserveCapacity(32)
    put(year, 4, "-", to: &text)
    put(month, 2, "-", to: &text)
    put(day, 2, "T", to: &text)
    put(second / 3600, 2, ":", to: &text)
    put(second / 60 % 60, 2, ":", to: &text)
    put(second % 60, 2, "Z", to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends a number, padded with zeros to a number of digits, and the character after it.
  private static func put(_ number: Int64, _ digitCount: Int, _ separator: Unicode.Scalar, to text: inout [UInt8]) {
    if number < 0 { text.append(UInt8(ascii: "-")) }
    let start = text.count
    var rest = number.magnitude
    repeat {
      text.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0 || text.count - start < digitCount
    text[start...].reverse()
    text.append(UInt8(ascii: separator))
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
  }

  private static func daysInMonth(_ month: Int64, _ year: Int64) -> Int64 {
    switch month {
    case 2: isLeap(year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  private static func floorDivide(_ a: Int64, _ b: Int64) -> Int64 {
    a >= 0 || a.isMultiple(of: b) ? a / b : a / b - 1
  }

  /// Returns the days since 1970-01-01. Years start in March, so that the leap day is the last day of a year.
  private static func dayNumber(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let era = floorDivide(marchYear, 400)
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func date(_ dayNumber: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = dayNumber + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// Reads the fields of a date.
  private struct Scanner {
    let bytes: [UInt8]
    var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }

    mutating func skipBlanks() {
      while at < bytes.count, bytes[at] <= 0x20 { at += 1 }
    }

    mutating func take(_ byte: UInt8) -> Bool {
      guard at < bytes.count, bytes[at] == byte else { return false }
      at += 1
      return true
    }

    mutating func number(digits: ClosedRange<Int>) -> Int64? {
      var value: Int64 = 0
      var count = 0
      while at < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[at], count < digits.upperBound {
        value = value * 10 + Int64(bytes[at] - UInt8(ascii: "0"))
        at += 1
        count += 1
      }
      return digits.contains(count) ? value : nil
    }
  }
}
