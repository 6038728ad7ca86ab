// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchiving
import PropertyListFormat

/// Points, sizes and rectangles as text, `{x, y}` and `{{x, y}, {width, height}}`: how they are archived.
enum GeometryText {
  static func text(_ a: Double, _ b: Double) -> String { "{\(RealText.text(a)), \(RealText.text(b))}" }

  /// The numbers in a text of so many braces; nil if it is not of that form. Blanks may be anywhere.
  static func numbers(_ text: String, isNested: Bool) -> [Double]? {
    var rest = text.utf8.filter { $0 != UInt8(ascii: " ") }[...]
    func take(_ sign: Unicode.Scalar, from rest: inout ArraySlice<UInt8>) -> Bool {
      guard rest.first == UInt8(ascii: sign) else { return false }
      rest.removeFirst()
      return true
    }
    func number(from rest: inout ArraySlice<UInt8>) -> Double? {
      let digits = rest.prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "{") }
      rest = rest.dropFirst(digits.count)
      guard let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite else { return nil }
      return value
    }
    func pair(from rest: inout ArraySlice<UInt8>) -> [Double]? {
      guard take("{", from: &rest), let a = number(from: &rest), take(",", from: &rest),
        let b = number(from: &rest), take("}", from: &rest)
      else { return nil }
      return [a, b]
    }
    guard isNested else {
      guard let pair = pair(from: &rest), rest.isEmpty else { return nil }
      return pair
    }
    guard take("{", from: &rest), let first = pair(from: &rest), take(",", from: &rest),
      let second = pair(from: &rest), take("}", from: &rest), rest.isEmpty
    else { return nil }
    return first + second
  }
}

extension KeyedUnarchiver {
  /// The numbers of a point, size or rectangle; nil if there is none.
  func geometry(_ key: String, isNested: Bool) throws -> [Double]? {
    guard let text = try object(String.self, key) else { return nil }
    guard let numbers = GeometryText.numbers(text, isNested: isNested) else {
      let form = isNested ? "{{x, y}, {width, height}}" : "{x, y}"
      throw malformed("'\(key)' must be \(form), it is \(text.debugDescription)")
    }
    return numbers
  }

  /// Reads one of the kinds of `NSValue`, which must be the one that is wanted.
  func special(_ wanted: Int, _ name: String) throws {
    let found = try needed(Int.self, "NS.special")
    guard found == wanted else {
      throw malformed("'NS.special' of \(name) must be \(wanted), it is \(found)")
    }
  }

  func neededGeometry(_ key: String, isNested: Bool) throws -> [Double] {
    guard let numbers = try geometry(key, isNested: isNested) else {
      throw KeyedArchiveError(
        .valueNotFound, "there is no value for '\(key)', where a text is needed",
        keyPath: keyPath(to: key))
    }
    return numbers
  }
}
