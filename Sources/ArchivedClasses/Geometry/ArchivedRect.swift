// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// A rectangle, as `NSValue` holds one.
public struct ArchivedRect: SecureKeyedCoding, Hashable, Sendable {
  /// The corner.
  public var origin: ArchivedPoint
  /// The size.
  public var size: ArchivedSize

  /// Makes a rectangle.
  public init(x: Double, y: Double, width: Double, height: Double) {
    origin = ArchivedPoint(x: x, y: y)
    size = ArchivedSize(width: width, height: height)
  }

  /// `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// As text under `NS.rectval`.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(3, forKey: "NS.special")
    coder.encode(text, forKey: "NS.rectval")
  }

  /// Reads a value that must be a rectangle.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(3, "a rectangle")
    self.init(try coder.neededGeometry("NS.rectval", isNested: true))
  }

  var text: String { "{\(origin.text), \(size.text)}" }

  init(_ numbers: [Double]) {
    origin = ArchivedPoint(Array(numbers[..<2]))
    size = ArchivedSize(Array(numbers[2...]))
  }
}
