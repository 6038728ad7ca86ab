// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// An `NSDecimalNumberHandler`: how decimals are rounded.
public struct ArchivedDecimalNumberHandler: SecureKeyedCoding, Hashable, Sendable {
  /// `NSDecimalNumber.RoundingMode`: 0 plain, 1 down, 2 up, 3 to even.
  public var roundingMode: Int
  /// How many digits behind the point are kept.
  public var scale: Int
  /// Whether a result that is not exact is an error.
  public var raisesOnExactness: Bool
  /// Whether one that is too large is an error.
  public var raisesOnOverflow: Bool
  /// Whether one that is too small is an error.
  public var raisesOnUnderflow: Bool
  /// Whether a division by zero is an error.
  public var raisesOnDivideByZero: Bool

  /// Makes a handler; what is not given is as in Foundation's own.
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

  /// `NSDecimalNumberHandler`.
  public static var archiveClassName: String { "NSDecimalNumberHandler" }

  /// Stores everything; errors only if they are wanted.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Reads everything.
  public init?(coder: KeyedUnarchiver) throws {
    self.init()
    try coder.decode(Self.fields, into: &self)
    guard 0...3 ~= roundingMode else {
      throw coder.malformed("'NS.roundingmode' of a decimal number handler is \(roundingMode)")
    }
    guard Int16(exactly: scale) != nil else {
      throw KeyedArchiveError(
        .outOfRange, "'NS.scale' of a decimal number handler is \(scale), which has no 16 bits",
        keyPath: coder.keyPath(to: "NS.scale"))
    }
  }

  private static let fields: [ArchiveField<Self>] = [
    .number("NS.roundingmode", \.roundingMode), .number("NS.scale", \.scale),
    .flag("NS.raise.exactness", \.raisesOnExactness), .flag("NS.raise.overflow", \.raisesOnOverflow),
    .flag("NS.raise.underflow", \.raisesOnUnderflow), .flag("NS.raise.dividebyzero", \.raisesOnDivideByZero),
  ]
}
