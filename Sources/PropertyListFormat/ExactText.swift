// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A string as a dictionary key that is equal only to strings of the same bytes.
///
/// Swift's own equality of strings holds a letter with an accent and the letter followed by an accent for one; in a
/// property list they are two keys.
package struct ExactText: Hashable, Sendable {
  package let text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: Self, b: Self) -> Bool { a.text.hasSameBytes(as: b.text) }

  package func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}

extension String {
  /// Whether both have the same bytes. Quick where they are the same literal.
  package func hasSameBytes(as other: String) -> Bool {
    self == other && utf8.count == other.utf8.count && (utf8.count < 2 || utf8.elementsEqual(other.utf8))
  }
}
