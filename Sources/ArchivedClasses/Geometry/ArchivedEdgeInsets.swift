// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// Distances from the four edges, as `NSValue` holds `NSEdgeInsets`.
public struct ArchivedEdgeInsets: SecureKeyedCoding, Hashable, Sendable {
  /// From the top.
  public var top: Double
  /// From the left.
  public var left: Double
  /// From the bottom.
  public var bottom: Double
  /// From the right.
  public var right: Double

  /// Makes insets.
  public init(top: Double, left: Double, bottom: Double, right: Double) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }

  /// `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// As four reals.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(12, forKey: "NS.special")
    coder.encode(top, forKey: "NS.edgeval.top")
    coder.encode(left, forKey: "NS.edgeval.left")
    coder.encode(bottom, forKey: "NS.edgeval.bottom")
    coder.encode(right, forKey: "NS.edgeval.right")
  }

  /// Reads a value that must be insets.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(12, "insets")
    top = try coder.finite("NS.edgeval.top")
    left = try coder.finite("NS.edgeval.left")
    bottom = try coder.finite("NS.edgeval.bottom")
    right = try coder.finite("NS.edgeval.right")
  }
}
