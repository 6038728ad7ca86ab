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
    let bytes = text.utf8.span
    var place = 0
    while place &+ 8 <= bytes.count {
      hasher.combine(bytes.bigEndian(at: place, width: 8))
      place &+= 8
    }
    var rest = UInt64(bytes.count)
    while place < bytes.count {
      rest = rest << 8 | UInt64(bytes[place])
      place &+= 1
    }
    hasher.combine(rest)
  }
}

extension String {
  /// Whether this text, which is ASCII, has the same bytes as another. Quick where they are the same literal. What is
  /// equal to ASCII by Swift's rules and other bytes, as the sign for kelvin is to `K`, has more of them.
  @_spi(Archiving) @inlinable @inline(__always)
  public func isSameASCII(as other: String) -> Bool { self == other && utf8.count == other.utf8.count }

  /// Whether both have the same bytes.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.count == other.utf8.count && utf8.span.hasSameBytes(as: other.utf8.span)
  }
}
