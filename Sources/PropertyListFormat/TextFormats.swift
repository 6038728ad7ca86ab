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
    let escaped = escaping(String(shown)) { $0 == "\"" || $0 == "\\" || isHostile($0) }
    return shown.endIndex < text.endIndex ? "\"\(escaped)…\" (\(text.utf8.count) bytes)" : "\"\(escaped)\""
  }

  /// Returns text with the same characters escaped, except those in `kept`.
  package static func plain(_ text: String, keeping kept: [Unicode.Scalar] = []) -> String {
    // Most texts have none. Iterating over a string takes half as long as finding an index.
    guard text.unicodeScalars.contains(where: isHostile) else { return text }
    return escaping(text) { isHostile($0) && !kept.contains($0) }
  }

  /// Returns text with some of its characters escaped. It collects bytes, because appending each character to a string takes
  /// much longer.
  private static func escaping(_ text: String, where isEscaped: (Unicode.Scalar) -> Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 16)
    for scalar in text.unicodeScalars {
      if isEscaped(scalar) {
        append(escaped: scalar, to: &bytes)
      } else if scalar.isASCII {
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      } else {
        bytes.append(contentsOf: scalar.utf8)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func append(escaped scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch scalar {
    case "\"", "\\": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
    case "\n": bytes.append(UInt8(ascii: "n"))
    case "\t": bytes.append(UInt8(ascii: "t"))
    case "\r": bytes.append(UInt8(ascii: "r"))
    case "\0": bytes.append(UInt8(ascii: "0"))
    default: bytes.append(contentsOf: "u{\(String(scalar.value, radix: 16))}".utf8)
    }
  }

  /// Returns whether a character is a control, formatting or bidirectional character, or ends a line.
  ///
  /// The two joiners are not: emoji and several scripts need them.
  @inline(__always) @inlinable
  package static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x80: scalar.value < 0x20 || scalar.value == 0x7F
    // Blocks without such characters, which are most. Finding the category of a character takes ten times as long.
    case 0xAE..<0x600, 0x620..<0x6DD, 0x710..<0x890, 0x900..<0x180E, 0x2070..<0xFEFF, 0x10000..<0x11000,
      0x1F000..<0xE0000:
      false
    default: isHostileByCategory(scalar)
    }
  }

  @inline(never) @usableFromInline
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
    if seconds >= -63_113_904_000, seconds < 252_423_993_600 {
      // Count whole thousandths, because fractions such as .3 have no exact double.
      let ticks = Int64((seconds * 1000).rounded())
      let thousandths = (ticks % 1000 + 1000) % 1000
      if let text = XMLDate.text(Double((ticks - thousandths) / 1000)) {
        return thousandths == 0 ? text : "\(text.dropLast()).\(String(1000 + thousandths).dropFirst())Z"
      }
    }
    return "\(seconds) s since 2001-01-01T00:00:00Z"
  }

  /// Returns a date in the form of ``iso8601(_:)``, followed by its seconds if it is not a whole number of thousandths.
  /// Different dates have different texts.
  package static func exact(_ seconds: Double) -> String {
    let text = iso8601(seconds)
    // A text with spaces has the seconds.
    guard !text.utf8.contains(UInt8(ascii: " ")) else { return text }
    let shown = Double(Int64((seconds * 1000).rounded())) / 1000
    return shown.bitPattern == seconds.bitPattern ? text : "\(text) (\(seconds) s since 2001)"
  }
}
