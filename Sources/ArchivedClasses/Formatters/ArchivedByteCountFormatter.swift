// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// The settings of an `NSByteCountFormatter`.
public struct ArchivedByteCountFormatter: SecureKeyedCoding, Hashable, Sendable {
  /// The bits of the units that may be used; 0 for the usual ones.
  public var allowedUnits = 0
  /// How many bytes a kilobyte has, as `ByteCountFormatter.CountStyle`.
  public var countStyle = 0
  /// Where the text will stand, as `Formatter.Context`.
  public var formattingContext = 0
  /// Whether the unit is left out.
  public var omitsUnit = false
  /// Whether the number is left out.
  public var omitsCount = false
  /// Whether the fraction is filled up with zeros.
  public var padsWithZeros = false
  /// Whether 0 is written as a number and not as a word.
  public var omitsWords = false
  /// Whether the number of digits is always the same.
  public var isNotAdaptive = false

  /// The settings that are usual.
  public init() {}

  /// `NSByteCountFormatter`.
  public static var archiveClassName: String { "NSByteCountFormatter" }

  /// Down to `NSFormatter`.
  public static var archiveClassChain: [String] { ["NSByteCountFormatter", "NSFormatter", "NSObject"] }

  /// Stores what is not usual.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Reads what is there.
  public init?(coder: KeyedUnarchiver) throws { try coder.decode(Self.fields, into: &self) }

  private static let fields: [ArchiveField<Self>] = [
    .unusual("NSUnits", \.allowedUnits, usual: 0), .unusual("NSKBSize", \.countStyle, usual: 0),
    .unusual("NSFormattingContext", \.formattingContext, usual: 0), .flag("NSNoUnit", \.omitsUnit),
    .flag("NSNoCount", \.omitsCount), .flag("NSZeroPad", \.padsWithZeros), .flag("NSNoNonnumeric", \.omitsWords),
    .flag("NSNoAdaptive", \.isNotAdaptive),
  ]
}
