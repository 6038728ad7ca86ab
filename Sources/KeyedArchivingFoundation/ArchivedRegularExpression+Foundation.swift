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
}
