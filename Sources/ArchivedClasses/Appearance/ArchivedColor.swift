// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSColor`.
public struct ArchivedColor: SecureKeyedCoding, Hashable, Sendable {
  /// The meaning of the components.
  public enum Space: Int, Hashable, Sendable, CaseIterable {
    /// Calibrated red, green and blue.
    case calibratedRGB = 1
    /// Device red, green and blue.
    case deviceRGB = 2
    /// Calibrated gray.
    case calibratedWhite = 3
    /// Device gray.
    case deviceWhite = 4
    /// Device cyan, magenta, yellow and black. No known file confirms the value 5.
    case deviceCMYK = 5
    /// A named color of a catalog.
    case catalog = 6
    /// An image as a pattern, which ``ArchivedColor/otherValues`` has. No known file confirms the value 10.
    case pattern = 10
  }

  /// The meaning of the components.
  public var space: Space
  /// Red, green, blue and, unless it is 1, alpha; for RGB spaces.
  public var rgb: ColorComponents?
  /// Gray and, unless it is 1, alpha; for white spaces.
  public var white: ColorComponents?
  /// Cyan, magenta, yellow, black and, unless it is 1, alpha.
  public var cmyk: ColorComponents?
  /// The components in the custom space, with alpha.
  public var components: ColorComponents?
  /// The custom space.
  public var customSpace: ArchivedColorSpace?
  /// The name of the catalog.
  public var catalogName: String?
  /// The name of the color in the catalog.
  public var colorName: String?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()
  private(set) var fallbackBox: Box?

  /// A color in a color. Copies are recognized by their identity.
  final class Box: Sendable {
    let color: ArchivedColor

    init(_ color: ArchivedColor) { self.color = color }
  }

  /// The color for systems without the catalog.
  public var fallback: ArchivedColor? {
    get { fallbackBox?.color }
    set { fallbackBox = newValue.map { Box($0) } }
  }

  /// Creates an RGB color.
  /// - Parameters:
  ///   - red: The red component.
  ///   - green: The green component.
  ///   - blue: The blue component.
  ///   - alpha: The opacity, from 0 to 1.
  ///   - space: The meaning of the components.
  public init(red: Double, green: Double, blue: Double, alpha: Double = 1, space: Space = .calibratedRGB) {
    self.space = space
    rgb = ColorComponents([red, green, blue] + (alpha == 1 ? [] : [alpha]))
  }

  /// Creates a gray color.
  /// - Parameters:
  ///   - white: The gray component.
  ///   - alpha: The opacity, from 0 to 1.
  ///   - space: The meaning of the components.
  public init(white: Double, alpha: Double = 1, space: Space = .calibratedWhite) {
    self.space = space
    self.white = ColorComponents([white] + (alpha == 1 ? [] : [alpha]))
  }

  /// Creates a named color of a catalog.
  /// - Parameters:
  ///   - catalog: The name of the catalog.
  ///   - name: The name.
  ///   - fallback: The color for systems without the catalog.
  public init(catalog: String, name: String, fallback: ArchivedColor) {
    space = .catalog
    catalogName = catalog
    colorName = name
    fallbackBox = Box(fallback)
  }

  /// The opacity, from 0 to 1.
  public var alpha: Double {
    // Colors of catalogs can nest, and a call for each level could exceed the stack.
    var color = self
    while color.space == .catalog, let next = color.fallback { color = next }
    return switch color.space {
    case .calibratedRGB, .deviceRGB: color.rgb?.values.dropFirst(3).first ?? 1
    case .calibratedWhite, .deviceWhite: color.white?.values.dropFirst(1).first ?? 1
    case .deviceCMYK: (color.cmyk ?? color.components)?.values.dropFirst(4).first ?? 1
    case .catalog, .pattern: 1
    }
  }

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    // A loop, because the colors of fallbacks can nest.
    var (a, b) = (a, b)
    while a.hasSameValues(as: b) {
      if a.fallbackBox === b.fallbackBox { return true }
      guard let first = a.fallback, let second = b.fallback else { return false }
      (a, b) = (first, second)
    }
    return false
  }

  /// Returns whether all properties except the fallbacks are equal.
  private func hasSameValues(as other: Self) -> Bool {
    space == other.space && rgb == other.rgb && white == other.white && cmyk == other.cmyk
      && components == other.components && customSpace == other.customSpace && catalogName == other.catalogName
      && colorName == other.colorName && otherValues == other.otherValues
  }

  /// Hashes the components and names.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(space)
    hasher.combine(rgb)
    hasher.combine(white)
    hasher.combine(cmyk)
    hasher.combine(catalogName)
    hasher.combine(colorName)
  }

  /// The archived class name, `NSColor`.
  public static var archiveClassName: String { "NSColor" }

  /// Encodes the values of the space, which are required. Components must be finite.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    guard coder.isValid(fault) else { return }
    coder.encode(space.rawValue, forKey: "NSColorSpace")
    if let catalogName { coder.encode(catalogName, forKey: "NSCatalogName") }
    if let colorName { coder.encode(colorName, forKey: "NSColorName") }
    if let fallbackBox {
      // AppKit uses shared constants for these colors.
      let number = SharedColors.of(coder).number(of: fallbackBox)
      coder.record(coder.recorded(sharedAs: "NSColor \(number)") { ArchivedInstance(fallbackBox.color) }, "NSColor")
    }
    coder.encode(rgb, forKey: "NSRGB")
    coder.encode(white, forKey: "NSWhite")
    coder.encode(cmyk, forKey: "NSCMYK")
    coder.encode(components, forKey: "NSComponents")
    if let customSpace { coder.encode(customSpace, forKey: "NSCustomColorSpace") }
    otherValues.encode(with: coder)
  }

  /// A text that is unique for each color, except for the custom space, the fallback and the other values.
  var identityText: String {
    let parts = [rgb, white, cmyk, components].map { $0?.text } + [catalogName, colorName]
    let lengths = parts.map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined(separator: " ")
    return "\(space.rawValue) \(lengths)"
  }

  /// Decodes the values of the space, which are required.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    let number = try coder.needed(Int.self, "NSColorSpace")
    guard let space = Space(rawValue: number) else {
      throw KeyedArchiveError(
        .malformedValue, "invalid color: 'NSColorSpace' is \(number); expected 1 to 6, or 10",
        at: coder.place(), remedy: "Request ArchivedObject, which preserves any color")
    }
    self.space = space
    rgb = try coder.components("NSRGB", counts: 3...4)
    white = try coder.components("NSWhite", counts: 1...2)
    cmyk = try coder.components("NSCMYK", counts: 4...5)
    components = try coder.components("NSComponents", counts: 1...32)
    customSpace = try coder.decodeIfPresent(ArchivedColorSpace.self, forKey: "NSCustomColorSpace")
    catalogName = try coder.decodeIfPresent(String.self, forKey: "NSCatalogName")
    colorName = try coder.decodeIfPresent(String.self, forKey: "NSColorName")
    fallbackBox = try coder.decodeIfPresent(ArchivedColor.self, forKey: "NSColor").map { Box($0) }
    otherValues = try coder.otherValues(except: Self.keys)
    try coder.check(fault)
  }

  private static let keys = [
    "NSColorSpace", "NSRGB", "NSWhite", "NSCMYK", "NSComponents", "NSCustomColorSpace", "NSCatalogName", "NSColorName",
    "NSColor",
  ]

  private var fault: Fault? {
    let missing: String? =
      switch space {
      case .calibratedRGB, .deviceRGB: rgb == nil ? "NSRGB" : nil
      case .calibratedWhite, .deviceWhite: white == nil ? "NSWhite" : nil
      case .deviceCMYK: cmyk == nil && components == nil ? "NSCMYK" : nil
      case .catalog: catalogName == nil ? "NSCatalogName" : colorName == nil ? "NSColorName" : nil
      case .pattern: nil
      }
    if let missing {
      return Fault(
        "invalid color of space \(space.rawValue): '\(missing)' is missing", code: .valueNotFound, key: missing)
    }
    let isValid =
      rgb?.isValid(3...4) ?? true && white?.isValid(1...2) ?? true && cmyk?.isValid(4...5) ?? true
      && components?.isValid(1...32) ?? true
    return isValid ? nil : Fault("invalid color: a component is NaN or infinity, or the number of components is wrong")
  }
}
