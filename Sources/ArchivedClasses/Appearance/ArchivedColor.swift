// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSColor`.
public struct ArchivedColor: SecureKeyedCoding, Hashable, Sendable {
  /// What the components mean.
  public enum Space: Int, Hashable, Sendable, CaseIterable {
    /// Red, green, blue, as the screen is calibrated.
    case calibratedRGB = 1
    /// Red, green, blue of the device.
    case deviceRGB = 2
    /// Grey, as the screen is calibrated.
    case calibratedWhite = 3
    /// Grey of the device.
    case deviceWhite = 4
    /// Cyan, magenta, yellow, black. That 5 means this is not proved by a file.
    case deviceCMYK = 5
    /// A name in a list of colors.
    case catalog = 6
  }

  /// What the components mean.
  public var space: Space
  /// Red, green, blue and, unless it is 1, alpha; for the RGB spaces.
  public var rgb: ColorComponents?
  /// Grey and, unless it is 1, alpha; for the white spaces.
  public var white: ColorComponents?
  /// Cyan, magenta, yellow, black and, unless it is 1, alpha.
  public var cmyk: ColorComponents?
  /// The components in the color's own space, with alpha.
  public var components: ColorComponents?
  /// The color's own space.
  public var customSpace: ArchivedColorSpace?
  /// The list that the color is in.
  public var catalogName: String?
  /// The color's name in the list.
  public var colorName: String?
  private var fallbacks: [ArchivedColor] = []

  /// The color to take where the list is not known.
  public var fallback: ArchivedColor? {
    get { fallbacks.first }
    set { fallbacks = newValue.map { [$0] } ?? [] }
  }

  /// A color of red, green and blue.
  public init(red: Double, green: Double, blue: Double, alpha: Double = 1, space: Space = .calibratedRGB) {
    self.space = space
    rgb = ColorComponents([red, green, blue] + (alpha == 1 ? [] : [alpha]))
  }

  /// A grey.
  public init(white: Double, alpha: Double = 1, space: Space = .calibratedWhite) {
    self.space = space
    self.white = ColorComponents([white] + (alpha == 1 ? [] : [alpha]))
  }

  /// A color of a list.
  public init(catalog: String, name: String, fallback: ArchivedColor) {
    space = .catalog
    catalogName = catalog
    colorName = name
    fallbacks = [fallback]
  }

  /// How opaque it is, from 0 to 1.
  public var alpha: Double {
    switch space {
    case .calibratedRGB, .deviceRGB: rgb?.values.dropFirst(3).first ?? 1
    case .calibratedWhite, .deviceWhite: white?.values.dropFirst(1).first ?? 1
    case .deviceCMYK: cmyk?.values.dropFirst(4).first ?? 1
    case .catalog: fallback?.alpha ?? 1
    }
  }

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.space == b.space && a.rgb == b.rgb && a.white == b.white && a.cmyk == b.cmyk && a.components == b.components
      && a.customSpace == b.customSpace && a.catalogName == b.catalogName && a.colorName == b.colorName
      && a.fallbacks == b.fallbacks
  }

  /// Hashes what tells most colors apart.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(space)
    hasher.combine(rgb)
    hasher.combine(white)
    hasher.combine(cmyk)
    hasher.combine(catalogName)
    hasher.combine(colorName)
  }

  /// `NSColor`.
  public static var archiveClassName: String { "NSColor" }

  /// Stores what belongs to the space.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(space.rawValue, forKey: "NSColorSpace")
    if let catalogName { coder.encode(catalogName, forKey: "NSCatalogName") }
    if let colorName { coder.encode(colorName, forKey: "NSColorName") }
    if let fallback {
      // AppKit's colors for this are constants.
      let note = coder.note(sharedAs: "NSColor \(fallback.identityText)") { ArchivedInstance(fallback) }
      coder.record(note, "NSColor")
    }
    coder.encode(rgb, forKey: "NSRGB")
    coder.encode(white, forKey: "NSWhite")
    coder.encode(cmyk, forKey: "NSCMYK")
    coder.encode(components, forKey: "NSComponents")
    if let customSpace { coder.encode(customSpace, forKey: "NSCustomColorSpace") }
  }

  /// Another text for each color.
  private var identityText: String {
    let parts = [rgb, white, cmyk, components].map { $0?.text ?? "-" } + [catalogName ?? "-", colorName ?? "-"]
    let lengths = parts.map { "\($0.utf8.count):\($0)" }.joined(separator: " ")
    return "\(space.rawValue) \(lengths) (\(customSpace?.identityText ?? "-")) (\(fallback?.identityText ?? "-"))"
  }

  /// Reads what belongs to the space, which must be there.
  public init?(coder: KeyedUnarchiver) throws {
    let number = try coder.needed(Int.self, "NSColorSpace")
    guard let space = Space(rawValue: number) else {
      throw KeyedArchiveError(
        .malformedValue, "'NSColorSpace' of a color is \(number), which is none of 1 to 6",
        keyPath: coder.keyPath(), remedy: "Ask for ArchivedObject, which holds any color as it is stored")
    }
    self.space = space
    rgb = try coder.components("NSRGB", counts: 3...4)
    white = try coder.components("NSWhite", counts: 1...2)
    cmyk = try coder.components("NSCMYK", counts: 4...5)
    components = try coder.components("NSComponents", counts: 1...32)
    customSpace = try coder.decodeIfPresent(ArchivedColorSpace.self, forKey: "NSCustomColorSpace")
    catalogName = try coder.decodeIfPresent(String.self, forKey: "NSCatalogName")
    colorName = try coder.decodeIfPresent(String.self, forKey: "NSColorName")
    fallbacks = try coder.decodeIfPresent(ArchivedColor.self, forKey: "NSColor").map { [$0] } ?? []
    let missing: String? =
      switch space {
      case .calibratedRGB, .deviceRGB: rgb == nil ? "NSRGB" : nil
      case .calibratedWhite, .deviceWhite: white == nil ? "NSWhite" : nil
      case .deviceCMYK: cmyk == nil && components == nil ? "NSCMYK" : nil
      case .catalog: catalogName == nil ? "NSCatalogName" : colorName == nil ? "NSColorName" : nil
      }
    if let missing {
      throw KeyedArchiveError(
        .valueNotFound, "a color of space \(number) has no '\(missing)'",
        keyPath: coder.keyPath(to: missing))
    }
  }
}
