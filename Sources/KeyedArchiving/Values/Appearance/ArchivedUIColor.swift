// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A `UIColor`.
public struct ArchivedUIColor: SecureKeyedCoding, Hashable, Sendable {
  /// How many components there are, alpha among them.
  public var componentCount: Int
  /// Red; so are the next two, for a color that has them.
  public var red: Float?
  /// Green.
  public var green: Float?
  /// Blue.
  public var blue: Float?
  /// Grey, for a color without red, green and blue.
  public var white: Float?
  /// How opaque it is, from 0 to 1.
  public var alpha: Float

  /// A color of red, green and blue.
  public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
    componentCount = 4
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  /// A grey.
  public init(white: Float, alpha: Float = 1) {
    componentCount = 2
    self.white = white
    self.alpha = alpha
  }

  /// `UIColor`.
  public static var archiveClassName: String { "UIColor" }

  /// Stores the components.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(componentCount, forKey: "UIColorComponentCount")
    if let red { coder.encode(red, forKey: "UIRed") }
    if let green { coder.encode(green, forKey: "UIGreen") }
    if let blue { coder.encode(blue, forKey: "UIBlue") }
    if let white { coder.encode(white, forKey: "UIWhite") }
    coder.encode(alpha, forKey: "UIAlpha")
  }

  /// Reads the components: red, green and blue, or grey.
  public init?(coder: KeyedUnarchiver) throws {
    componentCount = try coder.count("UIColorComponentCount")
    red = try coder.bare(Float.self, "UIRed")
    green = try coder.bare(Float.self, "UIGreen")
    blue = try coder.bare(Float.self, "UIBlue")
    white = try coder.bare(Float.self, "UIWhite")
    alpha = try coder.needed(Float.self, "UIAlpha")
    guard white != nil || (red != nil && green != nil && blue != nil) else {
      throw coder.malformed("a color has neither 'UIWhite' nor all of 'UIRed', 'UIGreen' and 'UIBlue'")
    }
    guard [red, green, blue, white, alpha].allSatisfy({ $0?.isFinite ?? true }) else {
      throw coder.malformed("a component of a color is no number")
    }
  }
}
