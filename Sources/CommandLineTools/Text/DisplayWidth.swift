// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// How many columns of a terminal text takes.
package enum DisplayWidth {
  /// The columns that a text takes; control characters, which ``EscapedText`` replaces, are not expected.
  package static func of(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// A text in at most so many columns; what is left out is marked by an ellipsis.
  package static func cut(_ text: String, to width: Int) -> String {
    var used = 0
    /// Where the text ends if it has to make room for the ellipsis.
    var end = text.startIndex
    for index in text.indices {
      used += Self.width(text[index])
      if used > width { return width > 0 ? text[..<end] + "…" : "" }
      if used < width { end = text.index(after: index) }
    }
    return text
  }

  private static func width(_ character: Character) -> Int {
    let scalars = character.unicodeScalars
    guard let first = scalars.first else { return 0 }
    if scalars.count == 1 { return width(first) }
    let isEmoji =
      first.properties.isEmojiPresentation
      || first.properties.isEmoji
        && scalars.contains { $0 == "\u{FE0F}" || $0.properties.isEmojiModifier }
    // What is joined to an emoji changes its picture, not its place.
    return isEmoji ? 2 : scalars.reduce(0) { $0 + width($1) }
  }

  private static func width(_ scalar: Unicode.Scalar) -> Int {
    // Nothing below U+0300 but the soft hyphen has another width than one.
    if scalar.value < 0x300 { return scalar == "\u{AD}" ? 0 : 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    // Vowels and finals of Hangul stand in the place of their initial.
    if 0x1160...0x11FF ~= scalar.value || 0xD7B0...0xD7FF ~= scalar.value { return 0 }
    return scalar.properties.isEmojiPresentation || isWide(scalar.value) ? 2 : 1
  }

  private static func isWide(_ value: UInt32) -> Bool {
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if value > wide[middle].upperBound { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }

  /// What is wide or full-width in EastAsianWidth.txt of Unicode 14 and no emoji, with unassigned gaps filled.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4C6,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60,
    0xFFE0...0xFFE6, 0x16FE0...0x1B2FB, 0x1F200...0x1F265, 0x20000...0x3FFFD,
  ]
}
