// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Text made safe for JSON that stands in a `script` element of a page.
///
/// A browser looks for the end of the element before anything reads the JSON, so no character that could be part of a tag
/// or a comment stands there as itself. Control characters, line ends and those that change the direction of what is read
/// do not either: a page's source is looked at too.
package enum ScriptText {
  /// Appends text in quotes.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\":
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(UInt8(truncatingIfNeeded: scalar.value))
      case "\n": bytes.append(contentsOf: #"\n"#.utf8)
      case _ where isEscaped(scalar): for unit in UTF16.encode(scalar) ?? .init() { append(unit, to: &bytes) }
      default: bytes.append(contentsOf: UTF8.encode(scalar) ?? .init())
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F || "<>&'".unicodeScalars.contains(scalar) }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse: return true
    case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
    default: return false
    }
  }

  private static func append(_ unit: UInt16, to bytes: inout [UInt8]) {
    let digits = String(unit, radix: 16)
    bytes.append(contentsOf: "\\u".utf8)
    for _ in digits.utf8.count..<4 { bytes.append(UInt8(ascii: "0")) }
    bytes.append(contentsOf: digits.utf8)
  }
}
