// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// These functions search strings by their bytes, and shadow the standard library's functions of the same names; see
// String+Bytes.swift. The standard library compares characters, and normalizes each one.

extension String {
  /// Returns whether another text occurs in this one.
  package func contains(_ other: String) -> Bool { self[...].contains(other) }

  /// Returns the parts between the occurrences of a separator.
  package func split(
    separator: String, maxSplits: Int = Int.max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    self[...].split(
      separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
  }

  /// Returns the text with all occurrences of another text replaced.
  package func replacing(_ other: String, with replacement: String) -> String {
    guard contains(other) else { return self }
    return split(separator: other, omittingEmptySubsequences: false).joined(separator: replacement)
  }

  /// Returns the text after a prefix, or nil if the text does not start with it. Unlike `dropFirst`, it never drops
  /// combining marks after the prefix.
  package func rest(after prefix: String) -> Substring? { self[...].rest(after: prefix) }

  /// Returns the text before a suffix, or nil if the text does not end with it.
  package func rest(before suffix: String) -> Substring? { self[...].rest(before: suffix) }
}

extension Substring {
  /// Returns whether another text occurs in this one.
  package func contains(_ other: String) -> Bool { firstIndex(of: other) != nil }

  /// Returns the parts between the occurrences of a separator.
  package func split(
    separator: String, maxSplits: Int = Int.max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    var parts: [Substring] = []
    var rest = self
    while parts.count < maxSplits, let index = rest.firstIndex(of: separator) {
      let part = rest[..<index]
      if !part.isEmpty || !omittingEmptySubsequences { parts.append(part) }
      rest = rest[rest.utf8.index(index, offsetBy: separator.utf8.count)...]
    }
    if !rest.isEmpty || !omittingEmptySubsequences { parts.append(rest) }
    return parts
  }

  /// Returns the text after a prefix, or nil if the text does not start with it.
  package func rest(after prefix: String) -> Substring? {
    hasPrefix(prefix) ? Substring(utf8.dropFirst(prefix.utf8.count)) : nil
  }

  /// Returns the text before a suffix, or nil if the text does not end with it.
  package func rest(before suffix: String) -> Substring? {
    hasSuffix(suffix) ? Substring(utf8.dropLast(suffix.utf8.count)) : nil
  }

  /// Returns the index of the first occurrence of a text that is not empty. The worst case takes time in proportion to
  /// the product of both lengths, so the other text must be trusted.
  private func firstIndex(of other: String) -> Index? {
    withBytes { bytes in other.withBytes { bytes.firstOffset(of: $0) } }
      .map { utf8.index(startIndex, offsetBy: $0) }
  }
}

extension String {
  /// Returns the number that follows `prefix`, if this text is the prefix and a number in its shortest form.
  ///
  /// Collections in an older layout store their elements under such keys: `NS.object.0`, `NS.object.1` and so on.
  package func number(after prefix: String) -> Int? {
    // A longer number exceeds the range of `Int`.
    guard utf8.count - prefix.utf8.count <= 19, hasPrefix(prefix) else { return nil }
    let digits = utf8.dropFirst(prefix.utf8.count)
    var number = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "9") else { return nil }
      let (tens, tooMany) = number.multipliedReportingOverflow(by: 10)
      let (sum, tooLarge) = tens.addingReportingOverflow(Int(digit - UInt8(ascii: "0")))
      guard !tooMany, !tooLarge else { return nil }
      number = sum
    }
    guard let first = digits.first, first != UInt8(ascii: "0") || digits.count == 1 else { return nil }
    return number
  }
}

extension Span<UInt8> {
  /// Returns the offset of the first occurrence of other bytes that are not empty.
  fileprivate func firstOffset(of other: Span<UInt8>) -> Int? {
    guard other.count > 0, other.count <= count else { return nil }
    var start = 0
    search: while start <= count &- other.count {
      for offset in other.indices where self[start &+ offset] != other[offset] {
        start &+= 1
        continue search
      }
      return start
    }
    return nil
  }
}
