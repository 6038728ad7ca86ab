// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Escapes text for HTML.
///
/// Characters with a meaning in HTML become character references. Control characters, which HTML forbids, become their
/// Unicode symbols; noncharacters become the replacement character.
package enum HTMLText {
  /// Escapes text for an element's content or a quoted attribute. The caller isolates the direction of the text.
  package static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { append(scalar, to: &result) }
    return String(result)
  }

  /// Escapes text for an attribute that is shown as plain text, where an element cannot isolate its direction.
  /// - Parameters:
  ///   - text: The text.
  ///   - limit: The maximum number of code points.
  /// - Returns: The text on one line, without directional characters, with an ellipsis if it is cut.
  package static func plain(_ text: String, limit: Int = 120) -> String {
    var result = String.UnicodeScalarView()
    // Count code points, because a character may have thousands of them.
    let kept = text.unicodeScalars.lazy.filter { !isDirectional($0) }.prefix(limit + 1)
    for scalar in kept.prefix(limit) { append(scalar, to: &result) }
    return String(result) + (kept.count > limit ? "…" : "")
  }

  /// Returns whether a text has a visible character.
  package static func isVisible(_ text: String) -> Bool {
    text.unicodeScalars.contains {
      !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint && !isDirectional($0)
    }
  }

  private static func append(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
    switch scalar {
    case "&": result.append(contentsOf: "&amp;".unicodeScalars)
    case "<": result.append(contentsOf: "&lt;".unicodeScalars)
    case ">": result.append(contentsOf: "&gt;".unicodeScalars)
    case "\"": result.append(contentsOf: "&quot;".unicodeScalars)
    case "'": result.append(contentsOf: "&#39;".unicodeScalars)
    case "\t", "\n", "\r", "\u{85}", "\u{2028}", "\u{2029}": result.append(" ")
    case "\0"..<" ": result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
    case "\u{7F}": result.append("\u{2421}")
    case "\u{80}"..."\u{9F}": result.append("\u{FFFD}")
    case _ where scalar.properties.isNoncharacterCodePoint: result.append("\u{FFFD}")
    default: result.append(scalar)
    }
  }

  /// Marks, embeddings, overrides and isolates (UAX #9, section 2).
  private static func isDirectional(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}

/// Escapes text for JSON in a `script` element.
///
/// A browser looks for the end of the element before JSON is parsed, so characters of tags and comments are escaped.
/// Control characters, line separators and directional characters are escaped too, because people read a page's source.
package enum ScriptText {
  /// Appends a text in quotation marks.
  package static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    // Copying what lies between escapes as a whole takes less time than copying each character.
    var rest = text[...]
    while let index = rest.unicodeScalars.firstIndex(where: isEscaped) {
      bytes.append(contentsOf: rest[..<index].utf8)
      append(escapeOf: rest.unicodeScalars[index], to: &bytes)
      rest = rest[rest.unicodeScalars.index(after: index)...]
    }
    bytes.append(contentsOf: rest.utf8)
    bytes.append(UInt8(ascii: "\""))
  }

  private static func isEscaped(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "\"", "\\", "<", ">", "&", "'", "\u{7F}", ..<" ": return true
    case "\u{200C}", "\u{200D}": return false
    case _ where scalar.isASCII: return false
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse, .format: return true
    default: return false
    }
  }

  private static func append(escapeOf scalar: Unicode.Scalar, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch scalar {
    case "\"", "\\": bytes.append(UInt8(truncatingIfNeeded: scalar.value))
    case "\n": bytes.append(UInt8(ascii: "n"))
    default:
      for (index, unit) in (UTF16.encode(scalar) ?? .init()).enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: "\\")) }
        bytes.append(UInt8(ascii: "u"))
        // Without a string for each unit, because a text can consist of such characters.
        for shift in [12, 8, 4, 0] as [UInt16] {
          let digit = UInt8(truncatingIfNeeded: unit >> shift & 0xF)
          bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") - 10 + digit)
        }
      }
    }
  }
}
