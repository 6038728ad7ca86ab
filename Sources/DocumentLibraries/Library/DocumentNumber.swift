// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A document's number, which is also in the name of its folder. It is not negative.
public struct DocumentNumber: Hashable, Comparable, Sendable {
  /// The integer.
  public let rawValue: Int

  /// Creates a number.
  /// - Parameter rawValue: The integer. The result is nil if it is negative.
  public init?(_ rawValue: Int) {
    guard rawValue >= 0 else { return nil }
    self.rawValue = rawValue
  }

  /// Creates a number from canonical decimal digits, without sign, spaces and leading zeros.
  /// - Parameter text: The digits. The result is nil for any other text.
  public init?(_ text: some StringProtocol) {
    let digits = ContiguousArray(text.utf8)
    guard let number = Self.parse(digits.span) else { return nil }
    self.init(number)
  }

  /// Returns whether a number is smaller than another.
  /// - Parameters:
  ///   - a: A number.
  ///   - b: Another number.
  /// - Returns: `true` if `a` is smaller than `b`.
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// The next number; nil after the largest.
  public var next: DocumentNumber? {
    let (number, overflow) = rawValue.addingReportingOverflow(1)
    return overflow ? nil : DocumentNumber(number)
  }

  /// Parses canonical decimal digits; nil for other bytes and for numbers that are too large.
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

  /// Creates a number from a literal.
  /// - Parameter value: The integer. A negative one becomes 0.
  public init(integerLiteral value: Int) { rawValue = max(0, value) }
}

/// The names of document folders: digits, a dot, the extension.
enum FolderName {
  static func name(for number: DocumentNumber, extension: String) -> StorageName {
    StorageName("\(number).\(`extension`)")
  }

  /// Parses the name of a document's folder; nil for any other name. `isCanonical` is `false` if the extension has capital
  /// letters.
  static func document(
    _ name: some Sequence<UInt8>, extension: String
  ) -> (number: DocumentNumber, isCanonical: Bool)? {
    let (bytes, `extension`) = (ContiguousArray(name), ContiguousArray(`extension`.utf8))
    guard case .document(let rawNumber, let isCanonical) = meaning(of: bytes.span, extension: `extension`.span),
      let number = DocumentNumber(rawNumber)
    else { return nil }
    return (number, isCanonical)
  }

  /// The result of parsing a name.
  enum Meaning: Equatable {
    /// A document's folder. `isCanonical` is `false` if the extension has capital letters.
    case document(Int, isCanonical: Bool)
    /// A name with the extension whose rest is not a canonical decimal number.
    case notANumber
    /// A canonical decimal number that is too large.
    case tooLarge
    /// A name that is not one of a document.
    case other
  }

  /// Parses a name. The extension may have capital letters, because some disks ignore case.
  static func meaning(of name: Span<UInt8>, extension: Span<UInt8>) -> Meaning {
    let dot = name.count - `extension`.count - 1
    guard dot >= 0, name[dot] == 0x2E, name[0] != 0x2E else { return .other }
    var isCanonical = true
    for index in `extension`.indices {
      let letter = name[dot + 1 + index]
      guard letter != `extension`[index] else { continue }
      guard letter >= 0x41, letter <= 0x5A, letter | 0x20 == `extension`[index] else { return .other }
      isCanonical = false
    }
    if let number = DocumentNumber.parse(name.extracting(0..<dot)) {
      return .document(number, isCanonical: isCanonical)
    }
    let isDecimal = dot > 0 && name[0] != 0x30 && (0..<dot).allSatisfy { 0x30...0x39 ~= name[$0] }
    return isDecimal ? .tooLarge : .notANumber
  }
}
