// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// A `UIColor`.
///
/// Systems of today store each component twice, the second time in 8 bytes, and the color once more as AppKit's `NSColor`
/// reads it. What was read is kept, and stored again.
public struct ArchivedUIColor: SecureKeyedCoding, DynamicArchiveClass, Hashable, Sendable {
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
  /// The components in 8 bytes, where they are stored.
  public var precise = Precise()
  /// The color as AppKit reads it, where that is stored.
  public var appKit = AppKit()
  /// The name of the system's color that it is.
  public var systemColorName: String?
  /// The classes to take where there is no `UIColor`: `NSColor`, if what AppKit reads is stored.
  private var hints: [String] = []

  /// Components in 8 bytes.
  public struct Precise: Hashable, Sendable {
    /// Red.
    public var red: Double?
    /// Green.
    public var green: Double?
    /// Blue.
    public var blue: Double?
    /// Grey.
    public var white: Double?
    /// How opaque the color is.
    public var alpha: Double?

    /// None.
    public init() {}
  }

  /// A color as an ``ArchivedColor`` holds it.
  public struct AppKit: Hashable, Sendable {
    /// What the components mean: ``ArchivedColor/Space/deviceRGB`` or ``ArchivedColor/Space/deviceWhite``.
    public var space: Int?
    /// Red, green, blue and, unless it is 1, alpha.
    public var rgb: ColorComponents?
    /// Grey and, unless it is 1, alpha.
    public var white: ColorComponents?

    /// None.
    public init() {}
  }

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

  /// Equal if all properties are; texts are compared by their bytes.
  public static func == (a: Self, b: Self) -> Bool {
    a.componentCount == b.componentCount && a.red == b.red && a.green == b.green && a.blue == b.blue
      && a.white == b.white && a.alpha == b.alpha && a.precise == b.precise && a.appKit == b.appKit
      && a.systemColorName == b.systemColorName && a.hints == b.hints
  }

  /// Hashes what tells most colors apart.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(red)
    hasher.combine(green)
    hasher.combine(blue)
    hasher.combine(white)
    hasher.combine(alpha)
    hasher.combine(systemColorName)
  }

  /// `UIColor`.
  public static var archiveClassName: String { "UIColor" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  package var archivedClass: ClassDescription {
    ClassDescription(name: Self.archiveClassName, chain: Self.archiveClassChain, hints: hints)
  }

  /// Stores what is set.
  public func encode(with coder: KeyedArchiver) { coder.encode(self, Self.fields) }

  /// Reads the components: red, green and blue, or grey.
  public init?(coder: KeyedUnarchiver) throws {
    self.init(white: 0)
    try coder.decode(Self.fields, into: &self)
    hints = try coder.classOfObject.hints
    guard componentCount >= 0 else {
      throw coder.malformed("'UIColorComponentCount' is \(componentCount), which is no count")
    }
    guard white != nil || (red != nil && green != nil && blue != nil) else {
      throw coder.malformed("a color has neither 'UIWhite' nor all of 'UIRed', 'UIGreen' and 'UIBlue'")
    }
    let all = [red, green, blue, white, alpha].map { $0.map(Double.init) }
    let precise = [precise.red, precise.green, precise.blue, precise.white, precise.alpha]
    guard (all + precise).allSatisfy({ $0?.isFinite ?? true }) else {
      throw coder.malformed("a component of a color is no number")
    }
  }

  private static let fields: [ArchiveField<Self>] = [
    .optional("UISystemColorName", \.systemColorName), .number("UIColorComponentCount", \.componentCount),
    .optional("UIRed", \.red), .optional("UIRed-Double", \.precise.red),
    .optional("UIGreen", \.green), .optional("UIGreen-Double", \.precise.green),
    .optional("UIBlue", \.blue), .optional("UIBlue-Double", \.precise.blue),
    .optional("UIWhite", \.white), .optional("UIWhite-Double", \.precise.white),
    .number("UIAlpha", \.alpha), .optional("UIAlpha-Double", \.precise.alpha),
    components("NSRGB", \.appKit.rgb, counts: 3...4), components("NSWhite", \.appKit.white, counts: 1...2),
    .optional("NSColorSpace", \.appKit.space),
  ]

  private static func components(
    _ key: String, _ place: ArchiveField<Self>.Place<ColorComponents?>, counts: ClosedRange<Int>
  ) -> ArchiveField<Self> {
    ArchiveField(
      encode: { $1.encode($0[keyPath: place], forKey: key) },
      decode: { $0[keyPath: place] = try $1.components(key, counts: counts) })
  }
}
