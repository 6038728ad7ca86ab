// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// Text that is compared, ordered and hashed by its bytes.
///
/// The type for text that comes from a file or another input, wherever generic code compares it: keys of dictionaries,
/// members of sets, properties of types with synthesized conformances. Swift's own rules for strings treat a letter with
/// an accent and the letter followed by an accent as equal, where a property list has two keys. They also normalize,
/// which takes a time that grows with the square of a run of combining marks.
///
/// Where two strings are compared directly, `==`, `<`, `~=`, `hasPrefix` and `hasSuffix` go by bytes already: this module
/// shadows those of the standard library for the whole package, see `String+Bytes.swift`.
package struct BytewiseString: Hashable, Comparable, Sendable {
  package var text: String

  package init(_ text: String) { self.text = text }

  package static func == (a: Self, b: Self) -> Bool { a.text.hasSameBytes(as: b.text) }

  package static func < (a: Self, b: Self) -> Bool { a.text.bytesPrecede(b.text) }

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

extension BytewiseString: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral text: String) { self.text = text }

  package var description: String { text }
}

extension Sequence where Element == String {
  /// The texts, ready for generic code that compares or hashes them.
  package var exact: [BytewiseString] { map { BytewiseString($0) } }
}

extension Sequence where Element == BytewiseString {
  package var texts: [String] { map(\.text) }
}

extension Set where Element == BytewiseString {
  package func contains(_ text: String) -> Bool { contains(BytewiseString(text)) }

  /// Adds a text; false if it was a member already.
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
