// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// A `UIFont`.
public struct ArchivedUIFont: SecureKeyedCoding, Hashable, Sendable {
  /// The name, such as `Helvetica-Bold`.
  public var name: String
  /// The size in points.
  public var pointSize: Double
  /// Whether the size is stored in 4 bytes, as programs of 32 bits did.
  public var isSizeShort: Bool
  /// UIKit's traits, such as 2 for bold.
  public var traits: Int
  /// Whether it is the system's font.
  public var isSystemFont: Bool

  /// Makes a font.
  public init(name: String, pointSize: Double, traits: Int = 0, isSystemFont: Bool = false) {
    self.name = name
    self.pointSize = pointSize
    isSizeShort = false
    self.traits = traits
    self.isSystemFont = isSystemFont
  }

  /// `UIFont`.
  public static var archiveClassName: String { "UIFont" }

  /// Stores name, size, traits and whether it is the system's.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "UIFontName")
    if isSizeShort {
      coder.encode(Float(pointSize), forKey: "UIFontPointSize")
    } else {
      coder.encode(pointSize, forKey: "UIFontPointSize")
    }
    coder.encode(traits, forKey: "UIFontTraits")
    coder.encode(isSystemFont, forKey: "UISystemFont")
  }

  /// Reads name, size, traits and whether it is the system's.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "UIFontName")
    pointSize = try coder.finite("UIFontPointSize")
    isSizeShort = try coder.kind(forKey: "UIFontPointSize") == .float
    traits = try coder.bare(Int.self, "UIFontTraits") ?? 0
    isSystemFont = try coder.bare(Bool.self, "UISystemFont") ?? false
  }
}
