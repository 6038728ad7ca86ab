// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// Titles as people compare them: small and capital letters alike, and both ways of writing an accent.
///
/// Swift's own rules do the latter. Files that use them do not import `PropertyListFormat`, whose operators compare
/// bytes.
enum TitleText {
  /// A title in small letters, without the marks behind a letter that are more than Swift compares in a reasonable time.
  static func folded(_ title: String) -> String {
    let text = title.lowercased()
    guard !MarkRun.isBounded(text) else { return text }
    var run = 0
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.value {
      // These count as letters, and are two marks when they are normalized.
      case 0xF73, 0xF75, 0xF81: run += 2
      default: run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
      }
      if run <= MarkRun.longest { kept.append(scalar) }
    }
    return String(kept)
  }
}
