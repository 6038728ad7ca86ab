// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HarnessSupport

/// Texts that take Swift's own comparison a time that grows with the square of their length, and texts that it treats as
/// equal although their bytes differ.
public enum HostileText {
  /// A text with a run of combining marks that is not in canonical order.
  public static func marks(_ count: Int, after start: String = "N") -> String {
    start + String(repeating: "\u{301}", count: count - count / 2) + String(repeating: "\u{323}", count: count / 2)
  }

  /// Pairs that Swift treats as equal: composed and decomposed letters, a sign and its letter, a syllable and its parts,
  /// and two orders of the same marks, which have the same length.
  public static let twins: [(String, String)] = [
    ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), ("\u{AC00}", "\u{1100}\u{1161}"),
    ("a\u{323}\u{307}", "a\u{307}\u{323}"),
  ]

  /// How long a step may take at most: several times what it takes on a busy machine without optimization, and a small
  /// part of what comparing one text of ``marks(_:after:)`` by Swift's rules takes.
  public static let patience = Duration.seconds(5)

  /// The processor time of a step.
  public static func time(_ body: () throws -> Void) rethrows -> Duration { try System.time(body) }
}
