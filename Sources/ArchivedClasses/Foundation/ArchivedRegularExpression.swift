// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

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

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool { a.pattern == b.pattern && a.options == b.options }

  /// Hashes all properties.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(pattern)
    hasher.combine(options)
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
