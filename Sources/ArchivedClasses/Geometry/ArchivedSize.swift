// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving

/// A size, as `NSValue` holds one.
public struct ArchivedSize: SecureKeyedCoding, Hashable, Sendable {
  /// The width.
  public var width: Double
  /// The height.
  public var height: Double

  /// Makes a size.
  public init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// `NSValue`.
  public static var archiveClassName: String { "NSValue" }

  /// As text under `NS.sizeval`.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(2, forKey: "NS.special")
    coder.encode(text, forKey: "NS.sizeval")
  }

  /// Reads a value that must be a size.
  public init?(coder: KeyedUnarchiver) throws {
    try coder.special(2, "a size")
    self.init(try coder.neededGeometry("NS.sizeval", isNested: false))
  }

  var text: String { GeometryText.text(width, height) }

  init(_ numbers: [Double]) {
    width = numbers[0]
    height = numbers[1]
  }
}
