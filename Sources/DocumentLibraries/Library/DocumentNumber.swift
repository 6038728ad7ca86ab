// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The number that a document has in its library, and its folder in its name. Not negative.
public struct DocumentNumber: Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: Int

  /// Makes a number; nil if it is negative.
  public init?(_ rawValue: Int) {
    guard rawValue >= 0 else { return nil }
    self.rawValue = rawValue
  }

  /// The number that decimal digits stand for, in the one way of writing it: without sign, blanks or leading zeros.
  public init?(_ text: some StringProtocol) {
    let digits = Array(text.utf8)
    guard let number = Self.parse(digits.span) else { return nil }
    self.init(number)
  }

  /// Whether it is smaller.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The number after this one; nil after the largest.
  public var next: DocumentNumber? {
    let (number, overflow) = rawValue.addingReportingOverflow(1)
    return overflow ? nil : DocumentNumber(number)
  }

  /// The number in decimal digits; nil for anything else, and for what is too large.
  static func parse(_ digits: Span<UInt8>) -> Int? {
    guard !digits.isEmpty, digits.count <= 19, digits[0] != 0x30 || digits.count == 1 else { return nil }
    var number = 0
    for index in digits.indices {
      let digit = Int(digits[index]) - 0x30
      guard digit >= 0, digit <= 9 else { return nil }
      let (product, tooLarge) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflow) = product.addingReportingOverflow(digit)
      guard !tooLarge, !overflow else { return nil }
      number = sum
    }
    return number
  }
}

extension DocumentNumber: CustomStringConvertible, ExpressibleByIntegerLiteral {
  /// The decimal digits.
  public var description: String { String(rawValue) }

  /// Makes a number from a literal; a negative one becomes 0.
  public init(integerLiteral value: Int) { rawValue = max(0, value) }
}
