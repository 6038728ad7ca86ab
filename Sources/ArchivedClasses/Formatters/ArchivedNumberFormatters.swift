// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSNumberFormatter`.
public struct ArchivedNumberFormatter: SecureKeyedCoding, OtherValuesKeeping {
  /// The newer settings by name. Values of classes that were not requested are `ArchivedObject`s.
  public var attributes: ArchivedDictionary?
  /// The format of positive numbers, such as `#,##0.00`.
  public var positiveFormat: String?
  /// The format of negative numbers.
  public var negativeFormat: String?
  /// The text attributes of positive numbers.
  public var positiveAttributes: ArchivedDictionary?
  /// The text attributes of negative numbers.
  public var negativeAttributes: ArchivedDictionary?
  /// The text for nil.
  public var nilText: ArchivedAttributedString?
  /// The text for zero.
  public var zeroText: ArchivedAttributedString?
  /// The text for NaN.
  public var notANumberText: ArchivedAttributedString?
  /// The decimal separator.
  public var decimalSeparator: String?
  /// The thousand separator.
  public var thousandSeparator: String?
  /// A Boolean value that indicates whether numbers have thousand separators.
  public var hasThousandSeparators: Bool
  /// A Boolean value that indicates whether the formatter uses the user's locale.
  public var isLocalized: Bool
  /// A Boolean value that indicates whether the formatter parses fractions.
  public var allowsFloats: Bool
  /// The minimum: a number or a decimal.
  public var minimum: (any KeyedCoding)?
  /// The maximum: a number or a decimal.
  public var maximum: (any KeyedCoding)?
  /// The rounding of numbers.
  public var rounding: ArchivedDecimalNumberHandler?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a formatter.
  /// - Parameters:
  ///   - positiveFormat: The format of positive numbers, such as `#,##0.00`.
  ///   - negativeFormat: The format of negative numbers.
  public init(positiveFormat: String?, negativeFormat: String? = nil) {
    self.positiveFormat = positiveFormat
    self.negativeFormat = negativeFormat
    hasThousandSeparators = false
    isLocalized = false
    allowsFloats = true
  }

  /// The archived class name, `NSNumberFormatter`.
  public static var archiveClassName: String { "NSNumberFormatter" }

  /// The class and its superclasses.
  public static var archiveClassChain: [String] { ["NSNumberFormatter", "NSFormatter", "NSObject"] }

  /// Encodes the settings; newer settings only if they are not nil.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Decodes the stored values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    self.init(positiveFormat: nil)
    try coder.decode(Self.fields, into: &self)
  }

  private static let fields: [ArchiveField<Self>] = [
    .optionalContent("NS.attributes", \.attributes), .object("NS.positiveformat", \.positiveFormat),
    .object("NS.negativeformat", \.negativeFormat),
    .content("NS.positiveattrs", \.positiveAttributes), .content("NS.negativeattrs", \.negativeAttributes),
    .object("NS.zero", \.zeroText), .object("NS.nil", \.nilText), .object("NS.nan", \.notANumberText),
    anyNumber("NS.min", \.minimum), anyNumber("NS.max", \.maximum), .object("NS.rounding", \.rounding),
    .object("NS.decimal", \.decimalSeparator), .object("NS.thousand", \.thousandSeparator),
    .number("NS.hasthousands", \.hasThousandSeparators, ifAbsent: false),
    .number("NS.localized", \.isLocalized, ifAbsent: false),
    .number("NS.allowsfloats", \.allowsFloats, ifAbsent: false),
  ]

  /// A field with a number, a decimal or nil.
  private static func anyNumber(
    _ key: String, _ place: ArchiveField<Self>.Place<(any KeyedCoding)?>
  ) -> ArchiveField<Self> {
    ArchiveField(
      key,
      encode: { root, coder in
        let value = root[keyPath: place]
        if coder.isValid(fault(of: value, key)) { coder.encode(value, forKey: key) }
      },
      decode: { root, coder in
        let value = try coder.content(forKey: key, first: [ArchiveNumber.self, Decimal.self])
        try coder.check(fault(of: value, key))
        root[keyPath: place] = value
      })
  }

  private static func fault(of value: (any KeyedCoding)?, _ key: String) -> Fault? {
    guard let value, !(value is Decimal) else { return nil }
    if value is any PrimitiveValue, !(value is String), !(value is Data) { return nil }
    return Fault("invalid '\(key)': found \(type(of: value)); expected a number")
  }
}

/// An `NSByteCountFormatter`.
public struct ArchivedByteCountFormatter: SecureKeyedCoding, OtherValuesKeeping, Hashable, Sendable {
  /// The bit mask of the allowed units; 0 for the default units.
  public var allowedUnits = 0
  /// The number of bytes in a kilobyte, a `ByteCountFormatter.CountStyle`.
  public var countStyle = 0
  /// The context of the text, a `Formatter.Context`.
  public var formattingContext = 0
  /// A Boolean value that indicates whether the text omits the unit.
  public var omitsUnit = false
  /// A Boolean value that indicates whether the text omits the number.
  public var omitsCount = false
  /// A Boolean value that indicates whether the fraction is padded with zeros.
  public var padsWithZeros = false
  /// A Boolean value that indicates whether zero is a number instead of a word.
  public var omitsWords = false
  /// A Boolean value that indicates whether the number of digits is constant.
  public var isNotAdaptive = false
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a formatter with default settings.
  public init() {}

  /// The archived class name, `NSByteCountFormatter`.
  public static var archiveClassName: String { "NSByteCountFormatter" }

  /// The class and its superclasses.
  public static var archiveClassChain: [String] { ["NSByteCountFormatter", "NSFormatter", "NSObject"] }

  /// Encodes the settings that differ from the defaults.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Decodes the stored values.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws { try coder.decode(Self.fields, into: &self) }

  private static let fields: [ArchiveField<Self>] = [
    .unusual("NSUnits", \.allowedUnits, usual: 0), .unusual("NSKBSize", \.countStyle, usual: 0),
    .unusual("NSFormattingContext", \.formattingContext, usual: 0), .flag("NSNoUnit", \.omitsUnit),
    .flag("NSNoCount", \.omitsCount), .flag("NSZeroPad", \.padsWithZeros), .flag("NSNoNonnumeric", \.omitsWords),
    .flag("NSNoAdaptive", \.isNotAdaptive),
  ]
}

/// An `NSDecimalNumberHandler`: a rounding of decimals.
public struct ArchivedDecimalNumberHandler: SecureKeyedCoding, OtherValuesKeeping, Hashable, Sendable {
  /// The `NSDecimalNumber.RoundingMode`: 0 plain, 1 down, 2 up, 3 bankers.
  public var roundingMode: Int
  /// The number of digits after the decimal separator.
  public var scale: Int
  /// A Boolean value that indicates whether an inexact result raises an exception.
  public var raisesOnExactness: Bool
  /// A Boolean value that indicates whether an overflow raises an exception.
  public var raisesOnOverflow: Bool
  /// A Boolean value that indicates whether an underflow raises an exception.
  public var raisesOnUnderflow: Bool
  /// A Boolean value that indicates whether a division by zero raises an exception.
  public var raisesOnDivideByZero: Bool
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a handler. The defaults are Foundation's.
  /// - Parameters:
  ///   - roundingMode: The `NSDecimalNumber.RoundingMode`: 0 plain, 1 down, 2 up, 3 bankers.
  ///   - scale: The number of digits after the decimal separator.
  ///   - raisesOnExactness: Whether an inexact result raises an exception.
  ///   - raisesOnOverflow: Whether an overflow raises an exception.
  ///   - raisesOnUnderflow: Whether an underflow raises an exception.
  ///   - raisesOnDivideByZero: Whether a division by zero raises an exception.
  public init(
    roundingMode: Int = 0, scale: Int = 32767, raisesOnExactness: Bool = false, raisesOnOverflow: Bool = true,
    raisesOnUnderflow: Bool = true, raisesOnDivideByZero: Bool = true
  ) {
    self.roundingMode = roundingMode
    self.scale = scale
    self.raisesOnExactness = raisesOnExactness
    self.raisesOnOverflow = raisesOnOverflow
    self.raisesOnUnderflow = raisesOnUnderflow
    self.raisesOnDivideByZero = raisesOnDivideByZero
  }

  /// The archived class name, `NSDecimalNumberHandler`.
  public static var archiveClassName: String { "NSDecimalNumberHandler" }

  /// Encodes the settings: the rounding mode if it is not 0, the scale if it is not 32767, and flags if they are true.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    if coder.isValid(fault) { coder.encode(self, Self.fields) }
  }

  /// Decodes the stored settings.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is malformed.
  public init?(coder: KeyedUnarchiver) throws {
    self.init()
    try coder.decode(Self.fields, into: &self)
    try coder.check(fault)
  }

  private var fault: Fault? {
    guard 0...3 ~= roundingMode else {
      return Fault("invalid decimal number handler: 'NS.roundingmode' is \(roundingMode); expected 0 to 3")
    }
    guard Int16(exactly: scale) != nil else {
      return Fault(
        "invalid decimal number handler: 'NS.scale' is \(scale); expected a 16-bit integer", code: .outOfRange,
        key: "NS.scale")
    }
    return nil
  }

  private static let fields: [ArchiveField<Self>] = [
    .unusual("NS.roundingmode", \.roundingMode, usual: 0), .unusual("NS.scale", \.scale, usual: 32767),
    .flag("NS.raise.exactness", \.raisesOnExactness), .flag("NS.raise.overflow", \.raisesOnOverflow),
    .flag("NS.raise.underflow", \.raisesOnUnderflow), .flag("NS.raise.dividebyzero", \.raisesOnDivideByZero),
  ]
}
