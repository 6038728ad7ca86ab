// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A string that is compared, ordered and hashed by its bytes.
///
/// Use it for untrusted text in generic code: keys of dictionaries, members of sets, and properties of types with
/// synthesized conformances. By Swift's rules a precomposed letter equals a letter followed by a combining accent.
/// A property list can contain both as different keys. Swift also normalizes strings, which takes quadratic
/// time for a run of combining marks.
///
/// Direct comparisons of two strings need no wrapper. In the whole package, `==`, `<`, `~=`, `hasPrefix` and
/// `hasSuffix` compare bytes, see `String+Bytes.swift`.
package struct BytewiseString: Hashable, Comparable, Sendable {
  package var text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: Self, b: Self) -> Bool { a.text.hasSameBytes(as: b.text) }

  package static func < (a: Self, b: Self) -> Bool { a.text.bytesPrecede(b.text) }

  package func hash(into hasher: inout Hasher) {
    text.withBytes { bytes in
      var index = 0
      while index &+ 8 <= bytes.count {
        hasher.combine(bytes.bigEndian(at: index, width: 8))
        index &+= 8
      }
      var rest = UInt64(bytes.count)
      while index < bytes.count {
        rest = rest << 8 | UInt64(bytes[index])
        index &+= 1
      }
      hasher.combine(rest)
    }
  }
}

extension BytewiseString: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral text: String) { self.text = text }

  package var description: String { text }
}

extension Sequence where Element == String {
  /// The strings in a form that generic code compares and hashes by their bytes.
  package var exact: [BytewiseString] { map { BytewiseString($0) } }
}

extension Sequence where Element == BytewiseString {
  package var texts: [String] { map(\.text) }
}

extension Set where Element == BytewiseString {
  package func contains(_ text: String) -> Bool { contains(BytewiseString(text)) }

  /// Inserts a string, and returns `false` if it is a member already.
  @discardableResult
  package mutating func insert(_ text: String) -> Bool { insert(BytewiseString(text)).inserted }
}

extension Dictionary where Key == BytewiseString {
  package subscript(text: String) -> Value? {
    get { self[BytewiseString(text)] }
    set { self[BytewiseString(text)] = newValue }
  }

  package subscript(text: String, default value: @autoclosure () -> Value) -> Value {
    get { self[BytewiseString(text), default: value()] }
    set { self[BytewiseString(text), default: value()] = newValue }
  }
}

extension Data {
  /// Returns whether two data have the same bytes, as `==` does. Compiled once: `Data` inlines `==`, which takes 3 kB at each
  /// place.
  @inline(never)
  package func hasSameBytes(as other: Data) -> Bool { self == other }

  /// Returns the number of equal bytes at the beginnings of two data.
  package func equalByteCount(with other: Data) -> Int { span.equalCount(with: other.span) }
}

/// Data as a dictionary key. `Data` hashes only its first bytes, so keys with equal prefixes would collide.
package struct FullyHashedData: Hashable {
  package let data: Data

  package init(_ data: Data) { self.data = data }

  package static func == (a: Self, b: Self) -> Bool { a.data.hasSameBytes(as: b.data) }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(data.count)
    hasher.combine(data.span)
  }
}

/// The limit on runs of combining marks in text that is hashed by Swift's rules.
///
/// `String` hashes and compares a normalized copy. Normalization sorts the marks after a letter in quadratic time.
/// Measured for 200 kB with Swift 6.3 on x86-64, each byte takes 24 ns without marks and 50 ns with runs of 128 marks.
/// With runs of 512 marks it takes 140 ns, and with 4,096 marks 4,200 ns. Writing systems need fewer than ten marks
/// after a letter, and Unicode's stream-safe text format allows 30.
package struct MarkRun {
  /// The maximum length of a run, at which hashing takes twice as long as without marks. A text with fewer UTF-16 units
  /// needs no check.
  package static let longest = 127

  /// Returns whether no run of marks in a text exceeds the limit. The check takes linear time, and less for short or
  /// ASCII text.
  package static func isBounded(_ text: String) -> Bool {
    // A mark takes at least two bytes.
    guard text.utf8.count > 2 * longest, !text.isASCII else { return true }
    var run = MarkRun()
    return text.unicodeScalars.allSatisfy { run.isBounded(with: $0) }
  }

  /// The number of marks since the last letter.
  private var length = 0

  /// Creates a run at the start of a text.
  package init() {}

  /// Adds the next scalar of a text, and returns whether the run that it belongs to is within the limit.
  package mutating func isBounded(with scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // The first combining mark is U+0300.
    case ..<0x300: length = 0
    // These count as letters, but normalization expands them to two marks.
    case 0xF73, 0xF75, 0xF81: length += 2
    default: length = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : length + 1
    }
    return length <= Self.longest
  }

  /// Returns the problem with a text for an error message.
  package static func problem(_ text: String) -> String {
    "too many combining marks in a row: found a string of \(text.utf8.count) bytes; expected at most \(longest) marks"
  }
}
