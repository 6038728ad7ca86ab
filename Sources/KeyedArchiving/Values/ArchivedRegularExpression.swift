// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// An `NSRegularExpression`, not compiled.
public struct ArchivedRegularExpression: SecureKeyedCoding, Hashable, Sendable {
  /// The pattern.
  public var pattern: String
  /// The bits of `NSRegularExpression.Options`.
  public var options: Int

  /// Makes an expression.
  public init(pattern: String, options: Int = 0) {
    self.pattern = pattern
    self.options = options
  }

  /// `NSRegularExpression`.
  public static var archiveClassName: String { "NSRegularExpression" }

  /// Stores pattern and options.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(pattern, forKey: "NSPattern")
    coder.encode(options, forKey: "NSOptions")
  }

  /// Reads pattern and options.
  public init?(coder: KeyedUnarchiver) throws {
    pattern = try coder.decode(String.self, forKey: "NSPattern")
    options = try coder.needed(Int.self, "NSOptions")
  }
}
