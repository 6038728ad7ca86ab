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
    var run = MarkRun()
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where run.isBounded(with: scalar) { kept.append(scalar) }
    return String(kept)
  }
}
