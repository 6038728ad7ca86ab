// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import ArchivedClasses
public import Foundation
import KeyedArchiving

extension ArchivedRegularExpression {
  /// The same expression as an archive holds it.
  public init(_ expression: NSRegularExpression) {
    self.init(pattern: expression.pattern, options: Int(expression.options.rawValue))
  }

  /// The expression, ready to be used.
  /// - Throws: what Foundation says of a pattern that is none.
  public func compiled() throws -> NSRegularExpression {
    guard let bits = UInt(exactly: options) else {
      throw KeyedArchiveError(.outOfRange, "'NSOptions' of a regular expression is \(options)")
    }
    return try NSRegularExpression(pattern: pattern, options: NSRegularExpression.Options(rawValue: bits))
  }
}
