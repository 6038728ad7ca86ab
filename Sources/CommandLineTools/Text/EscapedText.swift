// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Text from an archive made safe to show: archives are hostile input, and a terminal obeys what it is sent.
package enum EscapedText {
  /// Text in quotes, with everything escaped that could move the cursor, hide, or change the order of what is read.
  ///
  /// At most `limit` characters are shown; the rest is counted.
  package static func quoted(_ text: String, limit: Int = .max) -> String {
    var out = "\""
    var isCut = false
    var shown = 0
    for scalar in text.unicodeScalars {
      if shown == limit {
        isCut = true
        break
      }
      shown += 1
      switch scalar {
      case "\"": out += "\\\""
      case "\\": out += "\\\\"
      default: append(scalar, to: &out, keeping: [])
      }
    }
    return out + (isCut ? "…\" (\(text.utf8.count) bytes)" : "\"")
  }

  /// Text as it is but for what could do harm; `kept` are control characters that do none where this text goes.
  package static func plain(_ text: String, keeping kept: [Unicode.Scalar] = []) -> String {
    guard text.unicodeScalars.contains(where: isHostile) else { return text }
    var out = ""
    for scalar in text.unicodeScalars { append(scalar, to: &out, keeping: kept) }
    return out
  }

  private static func append(_ scalar: Unicode.Scalar, to out: inout String, keeping kept: [Unicode.Scalar]) {
    guard isHostile(scalar), !kept.contains(scalar) else {
      out.unicodeScalars.append(scalar)
      return
    }
    switch scalar {
    case "\n": out += "\\n"
    case "\t": out += "\\t"
    case "\r": out += "\\r"
    case "\0": out += "\\0"
    default: out += "\\u{\(String(scalar.value, radix: 16))}"
    }
  }

  /// Whether a character is a control, formatting or bidirectional one, or ends a line.
  ///
  /// The two joiners are let through: emoji and several scripts are made with them, and they move nothing.
  package static func isHostile(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return true
    case .format: return scalar != "\u{200C}" && scalar != "\u{200D}"
    default: return false
    }
  }
}
