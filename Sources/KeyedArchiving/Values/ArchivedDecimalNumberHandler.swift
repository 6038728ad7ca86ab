// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

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
  public func encode(with coder: KeyedArchiver) {
    coder.encode(roundingMode, forKey: "NS.roundingmode")
    coder.encode(scale, forKey: "NS.scale")
    if raisesOnExactness { coder.encode(true, forKey: "NS.raise.exactness") }
    if raisesOnOverflow { coder.encode(true, forKey: "NS.raise.overflow") }
    if raisesOnUnderflow { coder.encode(true, forKey: "NS.raise.underflow") }
    if raisesOnDivideByZero { coder.encode(true, forKey: "NS.raise.dividebyzero") }
  }

  /// Reads everything.
  public init?(coder: KeyedUnarchiver) throws {
    roundingMode = try coder.needed(Int.self, "NS.roundingmode")
    guard 0...3 ~= roundingMode else {
      throw coder.malformed("'NS.roundingmode' of a decimal number handler is \(roundingMode)")
    }
    scale = Int(try coder.needed(Int16.self, "NS.scale"))
    raisesOnExactness = try coder.bare(Bool.self, "NS.raise.exactness") ?? false
    raisesOnOverflow = try coder.bare(Bool.self, "NS.raise.overflow") ?? false
    raisesOnUnderflow = try coder.bare(Bool.self, "NS.raise.underflow") ?? false
    raisesOnDivideByZero = try coder.bare(Bool.self, "NS.raise.dividebyzero") ?? false
  }
}
