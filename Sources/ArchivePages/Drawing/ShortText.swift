// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Text for drawings, where there is little room for it.
enum ShortText {
  /// At most so many columns of a text, the last of them an ellipsis where there would be more.
  static func cut(_ text: String, to columns: Int) -> String {
    var kept = String.UnicodeScalarView()
    var width = 0
    // Marks take no column, so their number has a limit of its own.
    var count = 0
    for scalar in text.unicodeScalars {
      width += Self.width(scalar)
      count += 1
      guard width <= columns, count <= 4 * columns else {
        while width >= columns, let last = kept.popLast() { width -= Self.width(last) }
        return String(kept) + "…"
      }
      kept.append(scalar)
    }
    return text
  }

  /// About how many columns a text takes in a font of one width.
  static func width(_ text: String) -> Int { text.unicodeScalars.reduce(0) { $0 + width($1) } }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: 0
    default: scalar.value < 0x1100 ? 1 : 2
    }
  }

  /// Whether a character is one that a line may hold.
  static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
    case .format: scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }
}
