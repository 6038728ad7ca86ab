// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// A point, as `NSValue` holds one.
public struct ArchivedPoint: SecureKeyedCoding, Hashable, Sendable {
  /// The distance from the left.
  public var x: Double
  /// The distance from the bottom, or the top.
  public var y: Double

  /// Makes a point.
  public init(x: Double, y: Double) {
    self.x = x
    self.y = y
  }

  /// `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// As text under `NS.pointval`.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(1, forKey: "NS.special")
    coder.encode(text, forKey: "NS.pointval")
  }

  /// Reads a value that must be a point.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(1, "a point")
    self.init(try coder.neededGeometry("NS.pointval", isNested: false))
  }

  var text: String { GeometryText.text(x, y) }

  init(_ numbers: [Double]) {
    x = numbers[0]
    y = numbers[1]
  }
}
