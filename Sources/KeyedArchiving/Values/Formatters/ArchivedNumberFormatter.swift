// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The settings of an `NSNumberFormatter`.
public struct ArchivedNumberFormatter: SecureKeyedCoding {
  /// Newer settings by their names. Values of classes that were not asked for are ``ArchivedObject``s.
  public var attributes: ArchivedDictionary?
  /// How positive numbers are written, such as `#,##0.00`.
  public var positiveFormat: String?
  /// How negative numbers are written.
  public var negativeFormat: String?
  /// How text of positive numbers looks.
  public var positiveAttributes: ArchivedDictionary?
  /// How text of negative numbers looks.
  public var negativeAttributes: ArchivedDictionary?
  /// How no number is written.
  public var nilText: ArchivedAttributedString?
  /// How zero is written.
  public var zeroText: ArchivedAttributedString?
  /// How what is not a number is written.
  public var notANumberText: ArchivedAttributedString?
  /// What stands before the fraction.
  public var decimalSeparator: String?
  /// What stands between thousands.
  public var thousandSeparator: String?
  /// Whether anything does.
  public var hasThousandSeparators: Bool
  /// Whether separators are those of the user's language.
  public var isLocalized: Bool
  /// Whether fractions are understood.
  public var allowsFloats: Bool
  /// The least number that is accepted: a number or a decimal.
  public var minimum: (any KeyedCoding)?
  /// The greatest number that is accepted: a number or a decimal.
  public var maximum: (any KeyedCoding)?
  /// How numbers are rounded.
  public var rounding: ArchivedDecimalNumberHandler?

  /// Makes settings.
  public init(positiveFormat: String?, negativeFormat: String? = nil) {
    self.positiveFormat = positiveFormat
    self.negativeFormat = negativeFormat
    hasThousandSeparators = false
    isLocalized = false
    allowsFloats = true
  }

  /// `NSNumberFormatter`.
  public static var archiveClassName: String { "NSNumberFormatter" }

  /// Down to `NSFormatter`.
  public static var archiveClassChain: [String] { ["NSNumberFormatter", "NSFormatter", "NSObject"] }

  /// Stores everything; newer settings only if there are any.
  public func encode(with coder: KeyedArchiver) {
    if let attributes { coder.encode(attributes, forKey: "NS.attributes") }
    coder.encode(positiveFormat, forKey: "NS.positiveformat")
    coder.encode(negativeFormat, forKey: "NS.negativeformat")
    coder.encode(positiveAttributes, forKey: "NS.positiveattrs")
    coder.encode(negativeAttributes, forKey: "NS.negativeattrs")
    coder.encode(zeroText, forKey: "NS.zero")
    coder.encode(nilText, forKey: "NS.nil")
    coder.encode(notANumberText, forKey: "NS.nan")
    coder.encodeAny(minimum, forKey: "NS.min")
    coder.encodeAny(maximum, forKey: "NS.max")
    coder.encode(rounding, forKey: "NS.rounding")
    coder.encode(decimalSeparator, forKey: "NS.decimal")
    coder.encode(thousandSeparator, forKey: "NS.thousand")
    coder.encode(hasThousandSeparators, forKey: "NS.hasthousands")
    coder.encode(isLocalized, forKey: "NS.localized")
    coder.encode(allowsFloats, forKey: "NS.allowsfloats")
  }

  /// Reads what is there.
  public init?(coder: KeyedUnarchiver) throws {
    attributes = try coder.content(ArchivedDictionary.self, forKey: "NS.attributes")
    positiveFormat = try coder.decodeIfPresent(String.self, forKey: "NS.positiveformat")
    negativeFormat = try coder.decodeIfPresent(String.self, forKey: "NS.negativeformat")
    positiveAttributes = try coder.content(ArchivedDictionary.self, forKey: "NS.positiveattrs")
    negativeAttributes = try coder.content(ArchivedDictionary.self, forKey: "NS.negativeattrs")
    zeroText = try coder.decodeIfPresent(ArchivedAttributedString.self, forKey: "NS.zero")
    nilText = try coder.decodeIfPresent(ArchivedAttributedString.self, forKey: "NS.nil")
    notANumberText = try coder.decodeIfPresent(ArchivedAttributedString.self, forKey: "NS.nan")
    minimum = try coder.anyNumber(forKey: "NS.min")
    maximum = try coder.anyNumber(forKey: "NS.max")
    rounding = try coder.decodeIfPresent(ArchivedDecimalNumberHandler.self, forKey: "NS.rounding")
    decimalSeparator = try coder.decodeIfPresent(String.self, forKey: "NS.decimal")
    thousandSeparator = try coder.decodeIfPresent(String.self, forKey: "NS.thousand")
    hasThousandSeparators = try coder.bare(Bool.self, "NS.hasthousands") ?? false
    isLocalized = try coder.bare(Bool.self, "NS.localized") ?? false
    allowsFloats = try coder.bare(Bool.self, "NS.allowsfloats") ?? false
  }
}

extension KeyedUnarchiver {
  /// A number, a decimal among them, or nothing.
  fileprivate func anyNumber(forKey key: String) throws -> (any KeyedCoding)? {
    guard let value = try content(forKey: key) else { return nil }
    guard value is Decimal || (value is any BareValue && !(value is String) && !(value is Data)) else {
      throw malformed("'\(key)' must be a number, it is \(type(of: value))")
    }
    return value
  }
}

extension KeyedArchiver {
  /// Archives a value of any type as an object.
  func encodeAny(_ value: (any KeyedCoding)?, forKey key: String) {
    record(value.map { $0._note(in: self) } ?? _ArchiverNote(.null), key)
  }
}
