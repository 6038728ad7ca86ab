// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

// Searching strings by their bytes, with the names and in place of the standard library's functions; see
// String+Bytes.swift. Those of the standard library go by characters, each of which they normalize to compare it.

extension String {
  /// Whether the text has another one in it.
  package func contains(_ other: String) -> Bool { self[...].contains(other) }

  /// The parts between the places where another text occurs.
  package func split(
    separator: String, maxSplits: Int = Int.max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    self[...].split(
      separator: separator, maxSplits: maxSplits, omittingEmptySubsequences: omittingEmptySubsequences)
  }

  /// The text with another one replaced wherever it occurs.
  package func replacing(_ other: String, with replacement: String) -> String {
    guard contains(other) else { return self }
    return split(separator: other, omittingEmptySubsequences: false).joined(separator: replacement)
  }

  /// What follows a prefix; nil if the text does not begin with it. Unlike `dropFirst`, it never drops marks that follow
  /// the prefix and combine with its last letter.
  package func rest(after prefix: String) -> Substring? { self[...].rest(after: prefix) }

  /// What precedes a suffix; nil if the text does not end with it.
  package func rest(before suffix: String) -> Substring? { self[...].rest(before: suffix) }
}

extension Substring {
  /// Whether the text has another one in it.
  package func contains(_ other: String) -> Bool { firstIndex(of: other) != nil }

  /// The parts between the places where another text occurs.
  package func split(
    separator: String, maxSplits: Int = Int.max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    var parts: [Substring] = []
    var rest = self
    while parts.count < maxSplits, let place = rest.firstIndex(of: separator) {
      let part = rest[..<place]
      if !part.isEmpty || !omittingEmptySubsequences { parts.append(part) }
      rest = rest[rest.utf8.index(place, offsetBy: separator.utf8.count)...]
    }
    if !rest.isEmpty || !omittingEmptySubsequences { parts.append(rest) }
    return parts
  }

  /// What follows a prefix; nil if the text does not begin with it.
  package func rest(after prefix: String) -> Substring? {
    hasPrefix(prefix) ? Substring(utf8.dropFirst(prefix.utf8.count)) : nil
  }

  /// What precedes a suffix; nil if the text does not end with it.
  package func rest(before suffix: String) -> Substring? {
    hasSuffix(suffix) ? Substring(utf8.dropLast(suffix.utf8.count)) : nil
  }

  /// The place of the first occurrence of a text that is not empty. Takes a time in proportion to the product of the
  /// lengths at the most, so the other text should be the program's own.
  private func firstIndex(of other: String) -> Index? {
    let (bytes, wanted) = (utf8.span, other.utf8.span)
    guard wanted.count > 0, wanted.count <= bytes.count else { return nil }
    var place = 0
    search: while place <= bytes.count &- wanted.count {
      for offset in wanted.indices where bytes[place &+ offset] != wanted[offset] {
        place &+= 1
        continue search
      }
      return utf8.index(startIndex, offsetBy: place)
    }
    return nil
  }
}
