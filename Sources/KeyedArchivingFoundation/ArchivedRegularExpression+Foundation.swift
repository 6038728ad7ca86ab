// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import ArchivedClasses
public import Foundation
import KeyedArchiving

extension ArchivedRegularExpression {
  /// Converts an expression of Foundation.
  /// - Parameter expression: The regular expression.
  public init(_ expression: NSRegularExpression) {
    self.init(pattern: expression.pattern, options: Int(truncatingIfNeeded: expression.options.rawValue))
  }

  /// Compiles the expression.
  /// - Returns: The compiled expression.
  /// - Throws: An error of Foundation if the pattern is invalid, or `KeyedArchiveError` if the options are.
  public func compiled() throws -> NSRegularExpression {
    // Foundation on Linux keeps 32 bits.
    guard let bits = UInt32(exactly: options).map({ UInt($0) }) else {
      throw KeyedArchiveError(.outOfRange, "invalid regular expression: 'NSOptions' is \(options)")
    }
    return try NSRegularExpression(pattern: pattern, options: NSRegularExpression.Options(rawValue: bits))
  }

  /// The cost of compiling the pattern, in the unit of a byte that is compared.
  ///
  /// Foundation takes 50 microseconds for a property of characters, and 70 milliseconds for a set of emoji sequences. For some
  /// patterns, the time grows with the square of the length.
  var compilationCost: Int64 {
    let length = Int64(pattern.utf8.count)
    guard length < 1 << 20 else { return .max }
    var (propertyCount, emojiCount) = (Int64(0), Int64(0))
    var last: (UInt8, UInt8) = (0, 0)
    for byte in pattern.utf8 {
      switch (last.1, byte) {
      case (UInt8(ascii: "\\"), UInt8(ascii: "p")), (UInt8(ascii: "\\"), UInt8(ascii: "P")),
        (UInt8(ascii: "\\"), UInt8(ascii: "N")), (UInt8(ascii: "["), UInt8(ascii: ":")):
        propertyCount += 1
      default: break
      }
      // The names of properties are compared without case, spaces and these characters.
      if byte == UInt8(ascii: " ") || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") { continue }
      if (last.0 | 0x20, last.1 | 0x20, byte | 0x20) == (UInt8(ascii: "r"), UInt8(ascii: "g"), UInt8(ascii: "i")) {
        emojiCount += 1
      }
      last = (last.1, byte)
    }
    // Only the name of a property means such a set.
    if propertyCount == 0 { emojiCount = 0 }
    return 2048 + 64 * length + length * length / 64 + propertyCount * 12_288 + emojiCount << 24
  }
}
