// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Makes text from archives safe to show on a terminal, because archives are hostile input.
package enum EscapedText {
  /// Returns text in quotes, with every character escaped that could move the cursor, be invisible or reorder text.
  ///
  /// A text longer than `limit` characters ends with an ellipsis and its byte count.
  package static func quoted(_ text: String, limit: Int = .max) -> String {
    let scalars = text.unicodeScalars
    let end = limit == .max ? nil : scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
    let shown = text[..<(end ?? text.endIndex)]
    let escaped = escaping(shown) { $0 == "\"" || $0 == "\\" || isHostile($0) }
    return shown.endIndex < text.endIndex ? "\"\(escaped)…\" (\(text.utf8.count) bytes)" : "\"\(escaped)\""
  }

  /// Returns text with the same characters escaped, except those in `kept`.
  package static func plain(_ text: String, keeping kept: [Unicode.Scalar] = []) -> String {
    // Most texts have none. Iterating over a string takes half as long as finding an index.
    guard text.unicodeScalars.contains(where: isHostile) else { return text }
    return escaping(text[...]) { isHostile($0) && !kept.contains($0) }
  }

  /// Returns text with some of its characters escaped. Copying what lies between them as a whole takes less time than copying
  /// each character.
  private static func escaping(_ text: Substring, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
    var out = ""
    var rest = text
    while let index = rest.unicodeScalars.firstIndex(where: isEscaped) {
      out += rest[..<index]
      out += escape(rest.unicodeScalars[index])
      rest = rest[rest.unicodeScalars.index(after: index)...]
    }
    return out + rest
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\t": "\\t"
    case "\r": "\\r"
    case "\0": "\\0"
    default: "\\u{\(String(scalar.value, radix: 16))}"
    }
  }

  /// Returns whether a character is a control, formatting or bidirectional character, or ends a line.
  ///
  /// The two joiners are not: emoji and several scripts need them.
  @inlinable
  package static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x80: scalar.value < 0x20 || scalar.value == 0x7F
    // Blocks without such characters, which are most. Finding the category of a character takes ten times as long.
    case 0xAE..<0x600, 0x620..<0x6DD, 0x710..<0x890, 0x900..<0x180E, 0x2070..<0xFEFF, 0x10000..<0x11000: false
    default: isHostileByCategory(scalar)
    }
  }

  @usableFromInline
  static func isHostileByCategory(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
    case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
    default: return false
    }
  }
}

package enum CountText {
  /// Returns a count with a noun that has a regular plural, such as `1 object` or `2 objects`.
  package static func text(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }
}

/// Formats dates of archives, which are seconds since 2001-01-01T00:00:00Z, in ISO 8601 and UTC.
///
/// The result does not depend on locale, time zone or calendar.
package enum DateText {
  /// Returns a date such as `2001-01-01T00:00:00Z`, with thousandths if they are not zero.
  ///
  /// Dates outside the years 1 to 9999 are returned as seconds, because ISO 8601 requires an agreement for them.
  package static func iso8601(_ seconds: Double) -> String {
    guard seconds > -63_113_904_000, seconds < 252_423_993_600 else { return "\(seconds) s since 2001-01-01T00:00:00Z" }
    // Count whole thousandths, because fractions such as .3 have no exact double.
    let ticks = Int64((seconds * 1000).rounded())
    let day = Int((Double(ticks) / 86_400_000).rounded(.down))
    let tickOfDay = Int(ticks - Int64(day) * 86_400_000)
    let (second, thousandths) = (tickOfDay / 1000, tickOfDay % 1000)
    let (year, month, dayOfMonth) = civil(day)
    var text = "\(padded(year, 4))-\(padded(month, 2))-\(padded(dayOfMonth, 2))"
    text += "T\(padded(second / 3600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
    if thousandths > 0 { text += ".\(padded(thousandths, 3))" }
    return text + "Z"
  }

  /// Converts days since 2001-01-01 to the Gregorian calendar. Years are counted from March 1 of a year divisible by
  /// 400, which makes the leap day the last day.
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
