// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A bound on runs of combining marks, for text that a caller asks to have hashed by Swift's own rules.
///
/// Swift's `String` hashes and compares a normalized copy. The marks behind a letter are put in order for it, one by
/// one, which takes a time that grows with the square of their number. Measured for 200 kB with Swift 6.3 on x86-64:
/// without marks 24 ns a byte, with runs of 128 marks 50 ns, of 512 marks 140 ns, of 4,096 marks 4,200 ns. Writing
/// systems need fewer than ten marks behind a letter, and Unicode's format for streams of text allows 30.
package enum MarkRun {
  /// The longest run of marks that may be hashed by Swift's rules: at twice the cost of none. Texts of fewer UTF-16
  /// units need not be looked at.
  package static let longest = 127

  /// Whether a text has no longer run of marks. Takes a time in proportion to its length; next to none if it is ASCII or
  /// short.
  package static func isBounded(_ text: String) -> Bool {
    // A mark has at least two bytes.
    guard text.utf8.count > 2 * longest, !text.utf8.span.isASCII else { return true }
    var run = 0
    for scalar in text.unicodeScalars {
      // No mark is before this one.
      if scalar.value < 0x300 {
        run = 0
        continue
      }
      switch scalar.value {
      // These count as letters, and are two marks when they are normalized.
      case 0xF73, 0xF75, 0xF81: run += 2
      default: run = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : run + 1
      }
      if run > longest { return false }
    }
    return true
  }
}
