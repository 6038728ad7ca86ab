// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeyedArchives
public import KeyedArchiving

/// The settings of an `NSNumberFormatter`.
public struct ArchivedNumberFormatter: SecureKeyedCoding {
  /// Newer settings by their names. Values of classes that were not asked for are `ArchivedObject`s.
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
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Reads what is there.
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

  /// A number, a decimal among them, or nothing.
  private static func anyNumber(
    _ key: String, _ place: ArchiveField<Self>.Place<(any KeyedCoding)?>
  ) -> ArchiveField<Self> {
    ArchiveField(
      encode: { $1.encode($0[keyPath: place], forKey: key) },
      decode: { root, coder in
        let value = try coder.content(forKey: key)
        guard value == nil || value is Decimal || value is any PrimitiveValue && !(value is String) && !(value is Data)
        else {
          throw coder.malformed("'\(key)' must be a number, it is \(value.map { "\(type(of: $0))" } ?? "nil")")
        }
        root[keyPath: place] = value
      })
  }
}
