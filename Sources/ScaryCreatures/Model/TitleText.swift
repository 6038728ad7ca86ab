// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Titles for comparisons, without regard to case and to the composition of accents.
///
/// Swift's string comparison handles the composition. Files that use it do not import `PropertyListFormat`, whose
/// operators compare bytes.
enum TitleText {
  /// Returns a title without regard to case, with at most as many combining marks in a row as Swift compares in a reasonable
  /// time.
  static func folded(_ title: String) -> String {
    // Some letters, such as the two small sigmas, have one capital letter.
    let text = title.uppercased().lowercased()
    guard !MarkRun.isBounded(text) else { return text }
    var run = 0
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      // These are letters that decompose into two marks.
      case 0xF73, 0xF75, 0xF81: run += 2
      default: run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
      }
      if run <= MarkRun.longest { kept.append(scalar) }
    }
    return String(kept)
  }
}
