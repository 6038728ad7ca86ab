// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Text made safe for a page.
///
/// Characters that HTML gives a meaning become references. Control characters, which HTML forbids, become the small
/// pictures that Unicode has for them, and other code points that are no characters the replacement character.
package enum HTMLText {
  /// For the content of an element and for a quoted attribute. The caller isolates the direction of the text.
  package static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars { append(scalar, to: &result) }
    return String(result)
  }

  /// For an attribute that is read as plain text, where no element can isolate the direction: without the characters
  /// that change it, on one line, and not longer than some characters.
  package static func plain(_ text: String, limit: Int = 120) -> String {
    var result = String.UnicodeScalarView()
    // A character may be thousands of code points long, so these are counted.
    let kept = text.unicodeScalars.lazy.filter { !isDirectional($0) }.prefix(limit + 1)
    for scalar in kept.prefix(limit) { append(scalar, to: &result) }
    return String(result) + (kept.count > limit ? "…" : "")
  }

  /// Whether anything of the text is to be seen.
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
