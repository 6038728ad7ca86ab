// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// String comparison by bytes. The whole package uses it.
//
// The operators and functions below have the signatures of the standard library's. The compiler prefers a declaration
// of another module to one of the standard library, so each file that imports this module uses these if both operands
// are strings. Generic code does not: there, wrap the text in a BytewiseString. `.ci/text` checks the object files for
// uses of the standard library's functions.

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

  package func hasPrefix(_ prefix: String) -> Bool {
    withBytes { bytes in prefix.withBytes { bytes.hasPrefix($0) } }
  }

  package func hasSuffix(_ suffix: String) -> Bool {
    withBytes { bytes in suffix.withBytes { bytes.hasSuffix($0) } }
  }

  /// Returns whether both strings have the same bytes. It takes constant time if both are the same literal, or equal
  /// and short.
  @inlinable @inline(__always)
  package func hasSameBytes(as other: String) -> Bool {
    isSameStorage(as: other) || (utf8.count == other.utf8.count && hasSameBytes(asOneOfItsLength: other))
  }

  /// Returns whether both strings have the same bytes. Inlinable code of other packages uses it.
  /// - Parameter other: The other string.
  /// - Returns: Whether the bytes are equal.
  @_spi(Archiving) @inlinable @inline(__always)
  public func isSameASCII(as other: String) -> Bool {
    isSameStorage(as: other) || (utf8.count == other.utf8.count && hasSameBytes(asOneOfItsLength: other))
  }

  /// Returns whether both are the same short string, or share the storage of a long one.
  @inlinable @inline(__always)
  func isSameStorage(as other: String) -> Bool {
    #if compiler(>=6.3)
      _isIdentical(to: other)
    #else
      false
    #endif
  }

  @usableFromInline
  func hasSameBytes(asOneOfItsLength other: String) -> Bool {
    withBytes { bytes in other.withBytes { bytes.hasSameBytes(as: $0) } }
  }

  /// Returns whether the string is before another one in the order of their bytes, which is the order of their scalars.
  package func bytesPrecede(_ other: String) -> Bool { compareBytes(to: other) < 0 }

  /// Returns whether the string is before another one in the order of their UTF-16 units.
  func precedesInUTF16(_ other: String) -> Bool {
    withBytes { bytes in
      other.withBytes { others in
        let place = bytes.equalCount(with: others)
        guard place < bytes.count, place < others.count else { return bytes.count < others.count }
        let (a, b) = (bytes[place], others[place])
        // Scalars of two units precede U+E000 and the following ones, whose first bytes are less than theirs.
        if a >= 0xF0, 0xEE...0xEF ~= b { return true }
        if b >= 0xF0, 0xEE...0xEF ~= a { return false }
        return a < b
      }
    }
  }

  /// Compares the bytes of two strings lexicographically: negative if these precede, 0 if both are equal.
  package func compareBytes(to other: String) -> Int {
    withBytes { bytes in other.withBytes { bytes.compare(to: $0) } }
  }

  /// Returns the number of equal bytes at the beginnings of two strings.
  package func equalByteCount(with other: String) -> Int {
    withBytes { bytes in other.withBytes { bytes.equalCount(with: $0) } }
  }

  /// A Boolean value that indicates whether all characters are ASCII.
  package var isASCII: Bool { withBytes { $0.isASCII } }
}

extension Span<UInt8> {
  /// The number of equal bytes at the beginnings of two spans.
  func equalCount(with other: Span<UInt8>) -> Int {
    let end = Swift.min(count, other.count)
    var index = 0
    while index &+ 8 <= end {
      let difference = bigEndian(at: index, width: 8) ^ other.bigEndian(at: index, width: 8)
      if difference != 0 { return index &+ difference.leadingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, self[index] == other[index] { index &+= 1 }
    return index
  }
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

  package func hasPrefix(_ prefix: String) -> Bool {
    withBytes { bytes in prefix.withBytes { bytes.hasPrefix($0) } }
  }

  package func hasSuffix(_ suffix: String) -> Bool {
    withBytes { bytes in suffix.withBytes { bytes.hasSuffix($0) } }
  }

  /// Returns whether both have the same bytes.
  package func hasSameBytes(as other: Substring) -> Bool {
    withBytes { bytes in other.withBytes { bytes.hasSameBytes(as: $0) } }
  }
}

extension Array where Element == String {
  package static func == (a: [String], b: [String]) -> Bool {
    // Copies are equal, however many strings they have.
    a.count == b.count && (a.isCopy(of: b) || a.indices.allSatisfy { a[$0].hasSameBytes(as: b[$0]) })
  }

  package static func != (a: [String], b: [String]) -> Bool { !(a == b) }

  package func contains(_ text: String) -> Bool { contains { $0.hasSameBytes(as: text) } }

  package func firstIndex(of text: String) -> Int? { firstIndex { $0.hasSameBytes(as: text) } }

  package func sorted() -> [String] { sorted { $0.bytesPrecede($1) } }
}

extension RawRepresentable where Self: CaseIterable, RawValue == String {
  /// Creates a case from an untrusted raw value. The synthesized `init(rawValue:)` compares by Swift's rules.
  package init?(exactly text: String) {
    guard let found = Self.allCases.first(where: { $0.rawValue == text }) else { return nil }
    self = found
  }
}

extension Hasher {
  /// Hashes the bytes of a string.
  package mutating func combine(_ text: String) { combine(BytewiseString(text)) }

  package mutating func combine(_ text: String?) { combine(text.map { BytewiseString($0) }) }

  package mutating func combine(_ texts: [String]) { combine(texts.exact) }
}

// The bytes of strings. `utf8.span` needs a system of 2025 or later, where all strings have contiguous bytes.

extension String {
  /// Calls a function with the UTF-8 bytes.
  /// - Parameter body: The function.
  /// - Returns: The function's result.
  /// - Throws: The function's error.
  @_spi(Archiving) @inlinable @inline(__always)
  public func withBytes<Value, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    #if !OLD_SYSTEMS
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return try body(utf8.span) }
    #endif
    return try utf8.withContiguousBytes(body)
  }
}

extension Substring {
  /// Calls a function with the UTF-8 bytes.
  func withBytes<Value, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Value) throws(Failure) -> Value {
    #if !OLD_SYSTEMS
      if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) { return try body(utf8.span) }
    #endif
    return try utf8.withContiguousBytes(body)
  }
}

extension Span<UInt8> {
  func hasPrefix(_ prefix: Span<UInt8>) -> Bool {
    prefix.count <= count && extracting(first: prefix.count).hasSameBytes(as: prefix)
  }

  func hasSuffix(_ suffix: Span<UInt8>) -> Bool {
    suffix.count <= count && extracting(last: suffix.count).hasSameBytes(as: suffix)
  }

  /// Compares bytes lexicographically: negative if these precede, 0 if both are equal.
  package func compare(to other: Span<UInt8>) -> Int {
    let common = Swift.min(count, other.count)
    var index = 0
    while index &+ 8 <= common {
      let (a, b) = (bigEndian(at: index, width: 8), other.bigEndian(at: index, width: 8))
      if a != b { return a < b ? -1 : 1 }
      index &+= 8
    }
    while index < common {
      let (a, b) = (self[index], other[index])
      if a != b { return a < b ? -1 : 1 }
      index &+= 1
    }
    return count &- other.count
  }
}
