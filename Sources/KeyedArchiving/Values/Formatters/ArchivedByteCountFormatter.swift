// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

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
  public func encode(with coder: KeyedArchiver) {
    if allowedUnits != 0 { coder.encode(allowedUnits, forKey: "NSUnits") }
    if countStyle != 0 { coder.encode(countStyle, forKey: "NSKBSize") }
    if formattingContext != 0 { coder.encode(formattingContext, forKey: "NSFormattingContext") }
    if omitsUnit { coder.encode(true, forKey: "NSNoUnit") }
    if omitsCount { coder.encode(true, forKey: "NSNoCount") }
    if padsWithZeros { coder.encode(true, forKey: "NSZeroPad") }
    if omitsWords { coder.encode(true, forKey: "NSNoNonnumeric") }
    if isNotAdaptive { coder.encode(true, forKey: "NSNoAdaptive") }
  }

  /// Reads what is there.
  public init?(coder: KeyedUnarchiver) throws {
    allowedUnits = try coder.bare(Int.self, "NSUnits") ?? 0
    countStyle = try coder.bare(Int.self, "NSKBSize") ?? 0
    formattingContext = try coder.bare(Int.self, "NSFormattingContext") ?? 0
    omitsUnit = try coder.bare(Bool.self, "NSNoUnit") ?? false
    omitsCount = try coder.bare(Bool.self, "NSNoCount") ?? false
    padsWithZeros = try coder.bare(Bool.self, "NSZeroPad") ?? false
    omitsWords = try coder.bare(Bool.self, "NSNoNonnumeric") ?? false
    isNotAdaptive = try coder.bare(Bool.self, "NSNoAdaptive") ?? false
  }
}
