// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Decimal: SecureKeyedCoding {
  /// `NSDecimalNumberPlaceholder`, which is what Apple's archives hold for every `NSDecimalNumber`.
  public static var archiveClassName: String { "NSDecimalNumberPlaceholder" }

  /// `NSDecimalNumber`.
  public static var archiveClassAliases: [String] { ["NSDecimalNumber"] }

  /// Down to `NSNumber` and `NSValue`.
  public static var archiveClassChain: [String] {
    ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"]
  }

  /// Stores exponent, sign and mantissa; the latter as eight 16-bit digits, the lowest first.
  public func encode(with coder: KeyedArchiver) throws {
    let mantissa = isNaN ? 0 : UInt128(significand.magnitude.description) ?? 0
    guard isNaN || mantissa != 0 || isZero else {
      throw KeyedArchiveError(.notEncodable, "the decimal \(self) has more digits than can be archived")
    }
    let length = (128 - mantissa.leadingZeroBitCount + 15) / 16
    coder.encode(Int32(mantissa == 0 ? 0 : exponent), forKey: "NS.exponent")
    coder.encode(Int32(length), forKey: "NS.length")
    coder.encode(isNaN || (mantissa != 0 && sign == .minus), forKey: "NS.negative")
    coder.encode(!isNaN && (mantissa == 0 || mantissa % 10 != 0), forKey: "NS.compact")
    coder.encode(Int32(1), forKey: "NS.mantissa.bo")
    let bytes = (0..<16).map { UInt8(truncatingIfNeeded: mantissa >> UInt128(8 * $0)) }
    coder.encodeBytes(Data(bytes), forKey: "NS.mantissa")
  }

  /// Reads exponent, sign and mantissa, in either byte order. A negative number without digits is not a number.
  public init?(coder: KeyedUnarchiver) throws {
    let exponent = try coder.needed(Int.self, "NS.exponent")
    guard -128...127 ~= exponent else { throw coder.malformed("'NS.exponent' of a decimal is \(exponent)") }
    let length = try coder.needed(Int.self, "NS.length")
    guard 0...8 ~= length else { throw coder.malformed("'NS.length' of a decimal is \(length), where it has 8 digits") }
    let isNegative = try coder.needed(Bool.self, "NS.negative")
    _ = try coder.bare(Bool.self, "NS.compact")
    let order = try coder.needed(Int.self, "NS.mantissa.bo")
    guard order == 1 || order == 2 else {
      throw coder.malformed("'NS.mantissa.bo' of a decimal is \(order), which is no byte order")
    }
    let bytes = try coder.needed([UInt8].self, "NS.mantissa")
    guard bytes.count == 16 else {
      throw coder.malformed("'NS.mantissa' of a decimal has \(bytes.count) bytes, not 16")
    }
    guard length > 0 else {
      self = isNegative ? .nan : 0
      return
    }
    var mantissa: UInt128 = 0
    for digit in (0..<length).reversed() {
      let (first, second) = (UInt128(bytes[2 * digit]), UInt128(bytes[2 * digit + 1]))
      mantissa = mantissa << 16 | (order == 1 ? second << 8 | first : first << 8 | second)
    }
    guard let significand = Decimal(string: String(mantissa)) else {
      throw coder.malformed("'NS.mantissa' of a decimal is no number")
    }
    let value = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    guard !value.isNaN, value.isZero == (mantissa == 0) else {
      throw KeyedArchiveError(.outOfRange, "a decimal of \(mantissa) times ten to the power of \(exponent)")
    }
    self = value
  }
}
