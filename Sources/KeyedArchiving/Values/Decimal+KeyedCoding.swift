// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import PropertyListFormat

extension Decimal: SecureKeyedCoding {
  /// The archived class name, `NSDecimalNumberPlaceholder`, which Apple's archives have for every `NSDecimalNumber`.
  public static var archiveClassName: String { "NSDecimalNumberPlaceholder" }

  /// The public class name, `NSDecimalNumber`.
  public static var archiveClassAliases: [String] { ["NSDecimalNumber"] }

  /// The superclass chain, which includes `NSNumber` and `NSValue`.
  public static var archiveClassChain: [String] {
    ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"]
  }

  /// Encodes the exponent, the sign and the mantissa. The mantissa has eight 16-bit digits, the lowest first.
  /// - Parameter coder: The archiver.
  /// - Throws: ``KeyedArchiveError`` with code ``KeyedArchiveError/Code/notEncodable`` if the number has more digits
  ///   than an archive can store.
  public func encode(with coder: KeyedArchiver) throws {
    let mantissa =
      isNaN ? WideMagnitude.zero : WideMagnitude(significand.magnitude.description) ?? .zero
    guard isNaN || !mantissa.isZero || isZero else {
      throw KeyedArchiveError(.notEncodable, "decimal \(self) has more digits than an archive can store")
    }
    let length = (mantissa.significantBitCount + 15) / 16
    coder.encode(Int32(mantissa.isZero ? 0 : exponent), forKey: "NS.exponent")
    coder.encode(Int32(length), forKey: "NS.length")
    coder.encode(isNaN || (!mantissa.isZero && sign == .minus), forKey: "NS.negative")
    let isCompact = mantissa.isZero || mantissa.quotientAndRemainder(dividingBy: 10).remainder != 0
    coder.encode(!isNaN && isCompact, forKey: "NS.compact")
    coder.encode(Int32(1), forKey: "NS.mantissa.bo")
    coder.encodeBytes(Data(mantissa.littleEndianBytes), forKey: "NS.mantissa")
  }

  /// Decodes the exponent, the sign and the mantissa, in either byte order. A negative number without digits is NaN.
  /// - Parameter coder: The unarchiver.
  /// - Throws: ``KeyedArchiveError`` if a value is missing or malformed, or if the number does not fit `Decimal`.
  public init?(coder: KeyedUnarchiver) throws {
    let exponent = try coder.needed(Int.self, "NS.exponent")
    guard -128...127 ~= exponent else {
      throw coder.malformed("invalid 'NS.exponent' of a decimal: found \(exponent); expected -128 to 127")
    }
    let length = try coder.needed(Int.self, "NS.length")
    guard 0...8 ~= length else {
      throw coder.malformed("invalid 'NS.length' of a decimal: found \(length); expected 0 to 8")
    }
    let isNegative = try coder.needed(Bool.self, "NS.negative")
    _ = try coder.primitive(Bool.self, "NS.compact")
    let order = try coder.needed(Int.self, "NS.mantissa.bo")
    guard order == 1 || order == 2 else {
      throw coder.malformed("invalid 'NS.mantissa.bo' of a decimal: found \(order); expected 1 or 2")
    }
    let bytes = try coder.needed([UInt8].self, "NS.mantissa")
    guard bytes.count == 16 else {
      throw coder.malformed("invalid 'NS.mantissa' of a decimal: found \(bytes.count) bytes; expected 16")
    }
    guard length > 0 else {
      self = isNegative ? .nan : 0
      return
    }
    var mantissa = WideMagnitude.zero
    for digit in (0..<length).reversed() {
      let (first, second) = (UInt16(bytes[2 * digit]), UInt16(bytes[2 * digit + 1]))
      mantissa.append(order == 1 ? second << 8 | first : first << 8 | second)
    }
    guard let significand = Decimal(string: mantissa.description) else {
      throw coder.malformed("invalid 'NS.mantissa' of a decimal: expected a number")
    }
    let value = Decimal(sign: isNegative ? .minus : .plus, exponent: exponent, significand: significand)
    guard !value.isNaN, value.isZero == mantissa.isZero else {
      throw KeyedArchiveError(.outOfRange, "\(mantissa) times ten to the power of \(exponent) does not fit Decimal")
    }
    self = value
  }
}
