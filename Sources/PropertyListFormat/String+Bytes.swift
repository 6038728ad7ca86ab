// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Comparing strings by their bytes, in the whole package.
//
// The operators and functions below have the signatures of the standard library's. The compiler prefers a declaration of
// any other module to one of the standard library, so each file of the package that imports this module uses these,
// where both operands are known to be strings. Generic code does not: there, wrap the text in an BytewiseString. `.ci/text`
// checks in the object files that nothing uses the standard library's.

extension String {
  @inlinable @inline(__always)
  package static func == (a: String, b: String) -> Bool { a.hasSameBytes(as: b) }

  @inlinable @inline(__always)
  package static func != (a: String, b: String) -> Bool { !a.hasSameBytes(as: b) }

  package static func < (a: String, b: String) -> Bool { a.bytesPrecede(b) }

  package static func > (a: String, b: String) -> Bool { b.bytesPrecede(a) }

  package static func <= (a: String, b: String) -> Bool { !b.bytesPrecede(a) }

  package static func >= (a: String, b: String) -> Bool { !a.bytesPrecede(b) }

  /// Matches a pattern of a `switch`.
  @inlinable @inline(__always)
  package static func ~= (pattern: String, text: String) -> Bool { pattern.hasSameBytes(as: text) }

  package func hasPrefix(_ prefix: String) -> Bool { utf8.span.hasPrefix(prefix.utf8.span) }

  package func hasSuffix(_ suffix: String) -> Bool { utf8.span.hasSuffix(suffix.utf8.span) }

  /// Whether both have the same bytes. Quick where they are the same literal, or both short and equal.
  @inlinable @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    isSameStorage(as: other) || (utf8.count == other.utf8.count && hasSameBytes(asOneOfItsLength: other))
  }

  /// The same for inlinable code of other packages.
  @_spi(Archiving) @inlinable @inline(__always)
  public func isSameASCII(as other: String) -> Bool {
    isSameStorage(as: other) || (utf8.count == other.utf8.count && hasSameBytes(asOneOfItsLength: other))
  }

  /// Whether both are the same short text or share the memory of a long one.
  @inlinable @inline(__always)
  func isSameStorage(as other: String) -> Bool {
    #if compiler(>=6.3)
      _isIdentical(to: other)
    #else
      false
    #endif
  }

  @usableFromInline
  func hasSameBytes(asOneOfItsLength other: String) -> Bool { utf8.span.hasSameBytes(as: other.utf8.span) }

  /// Whether this comes before another in the order of their bytes, which is that of their scalars.
  package func bytesPrecede(_ other: String) -> Bool { utf8.span.precedes(other.utf8.span) }
}

extension Optional where Wrapped == String {
  @inlinable @inline(__always)
  package static func == (a: String?, b: String?) -> Bool {
    switch (a, b) {
    case (let a?, let b?): a.hasSameBytes(as: b)
    case (nil, nil): true
    default: false
    }
  }

  @inlinable @inline(__always)
  package static func != (a: String?, b: String?) -> Bool { !(a == b) }
}

extension Substring {
  package static func == (a: Substring, b: Substring) -> Bool { a.hasSameBytes(as: b) }

  package static func != (a: Substring, b: Substring) -> Bool { !a.hasSameBytes(as: b) }

  package static func == (a: Substring, b: String) -> Bool { a.hasSameBytes(as: b[...]) }

  package static func != (a: Substring, b: String) -> Bool { !a.hasSameBytes(as: b[...]) }

  /// Matches a pattern of a `switch`.
  package static func ~= (pattern: String, text: Substring) -> Bool { text.hasSameBytes(as: pattern[...]) }

  package func hasPrefix(_ prefix: String) -> Bool { utf8.span.hasPrefix(prefix.utf8.span) }

  package func hasSuffix(_ suffix: String) -> Bool { utf8.span.hasSuffix(suffix.utf8.span) }

  /// Whether both have the same bytes.
  package func hasSameBytes(as other: Substring) -> Bool { utf8.span.hasSameBytes(as: other.utf8.span) }
}

extension Array where Element == String {
  package static func == (a: [String], b: [String]) -> Bool {
    a.count == b.count && a.indices.allSatisfy { a[$0].hasSameBytes(as: b[$0]) }
  }

  package static func != (a: [String], b: [String]) -> Bool { !(a == b) }

  package func contains(_ text: String) -> Bool { contains { $0.hasSameBytes(as: text) } }

  package func firstIndex(of text: String) -> Int? { firstIndex { $0.hasSameBytes(as: text) } }

  package func sorted() -> [String] { sorted { $0.bytesPrecede($1) } }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
  /// The case with a raw value that comes from outside. The synthesized `init(rawValue:)` compares by Swift's rules.
  package init?(exactly text: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
    self = found
  }
}

extension Hasher {
  /// Adds a text by its bytes.
  package mutating func combine(_ text: String) { combine(BytewiseString(text)) }

  package mutating func combine(_ text: String?) { combine(text.map { BytewiseString($0) }) }

  package mutating func combine(_ texts: [String]) { combine(texts.exact) }
}

extension Span<UInt8> {
  func hasPrefix(_ prefix: Span<UInt8>) -> Bool {
    prefix.count <= count && extracting(first: prefix.count).hasSameBytes(as: prefix)
  }

  func hasSuffix(_ suffix: Span<UInt8>) -> Bool {
    suffix.count <= count && extracting(last: suffix.count).hasSameBytes(as: suffix)
  }

  func precedes(_ other: Span<UInt8>) -> Bool {
    let common = Swift.min(count, other.count)
    var place = 0
    while place &+ 8 <= common {
      let (a, b) = (bigEndian(at: place, width: 8), other.bigEndian(at: place, width: 8))
      if a != b { return a < b }
      place &+= 8
    }
    while place < common {
      let (a, b) = (self[place], other[place])
      if a != b { return a < b }
      place &+= 1
    }
    return count < other.count
  }
}
