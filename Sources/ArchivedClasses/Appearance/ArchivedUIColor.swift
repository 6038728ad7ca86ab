// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

public import KeyedArchiving
import PropertyListFormat

/// A `UIColor`.
///
/// Current systems store each component in 4 and in 8 bytes, and additionally the form of `NSColor`. Decoded values of
/// all forms are encoded again.
public struct ArchivedUIColor: SecureKeyedCoding, DynamicArchiveClass, OtherValuesKeeping, Hashable, Sendable {
  /// The number of components, including alpha.
  public var componentCount: Int
  /// The red component of an RGB color.
  public var red: Float? {
    get { storedRed.float }
    set { storedRed.float = newValue }
  }
  /// The green component of an RGB color.
  public var green: Float? {
    get { storedGreen.float }
    set { storedGreen.float = newValue }
  }
  /// The blue component of an RGB color.
  public var blue: Float? {
    get { storedBlue.float }
    set { storedBlue.float = newValue }
  }
  /// The gray component of another color.
  public var white: Float? {
    get { storedWhite.float }
    set { storedWhite.float = newValue }
  }
  /// The opacity, from 0 to 1.
  public var alpha: Float {
    get { storedAlpha.float ?? 0 }
    set { storedAlpha.float = newValue }
  }
  private var storedRed = StoredReal()
  private var storedGreen = StoredReal()
  private var storedBlue = StoredReal()
  private var storedWhite = StoredReal()
  private var storedAlpha: StoredReal
  /// The components in 8 bytes, if they are stored.
  public var precise = Precise()
  /// The form of `NSColor`, if it is stored.
  public var appKit = AppKit()
  /// The name of a system color.
  public var systemColorName: String?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()
  /// The class hints: `NSColor`, if its form is stored.
  private var hints: [String] = []

  /// The components in 8 bytes.
  public struct Precise: Hashable, Sendable {
    /// Red.
    public var red: Double? {
      get { storedRed.value }
      set { storedRed.value = newValue }
    }
    /// Green.
    public var green: Double? {
      get { storedGreen.value }
      set { storedGreen.value = newValue }
    }
    /// Blue.
    public var blue: Double? {
      get { storedBlue.value }
      set { storedBlue.value = newValue }
    }
    /// Gray.
    public var white: Double? {
      get { storedWhite.value }
      set { storedWhite.value = newValue }
    }
    /// The opacity.
    public var alpha: Double? {
      get { storedAlpha.value }
      set { storedAlpha.value = newValue }
    }
    fileprivate var storedRed = StoredReal()
    fileprivate var storedGreen = StoredReal()
    fileprivate var storedBlue = StoredReal()
    fileprivate var storedWhite = StoredReal()
    fileprivate var storedAlpha = StoredReal()

    /// Creates a value without components.
    public init() {}
  }

  /// A color in the form of ``ArchivedColor``.
  public struct AppKit: Hashable, Sendable {
    /// The meaning of the components: ``ArchivedColor/Space/deviceRGB`` or ``ArchivedColor/Space/deviceWhite``.
    public var space: Int?
    /// Red, green, blue and, unless it is 1, alpha.
    public var rgb: ColorComponents?
    /// Gray and, unless it is 1, alpha.
    public var white: ColorComponents?

    /// Creates a value without components.
    public init() {}
  }

  /// Creates an RGB color.
  /// - Parameters:
  ///   - red: The red component.
  ///   - green: The green component.
  ///   - blue: The blue component.
  ///   - alpha: The opacity, from 0 to 1.
  public init(red: Float, green: Float, blue: Float, alpha: Float = 1) {
    componentCount = 4
    storedRed = StoredReal(red)
    storedGreen = StoredReal(green)
    storedBlue = StoredReal(blue)
    storedAlpha = StoredReal(alpha)
  }

  /// Creates a gray color.
  /// - Parameters:
  ///   - white: The gray component.
  ///   - alpha: The opacity, from 0 to 1.
  public init(white: Float, alpha: Float = 1) {
    componentCount = 2
    storedWhite = StoredReal(white)
    storedAlpha = StoredReal(alpha)
  }

  /// Returns whether all properties are equal. Compares strings by their bytes.
  /// - Parameters:
  ///   - a: A value.
  ///   - b: Another value.
  /// - Returns: Whether all properties are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.componentCount == b.componentCount && a.storedRed == b.storedRed && a.storedGreen == b.storedGreen
      && a.storedBlue == b.storedBlue && a.storedWhite == b.storedWhite && a.storedAlpha == b.storedAlpha
      && a.precise == b.precise && a.appKit == b.appKit
      && a.systemColorName == b.systemColorName && a.hints == b.hints && a.otherValues == b.otherValues
  }

  /// Hashes the components and names.
  /// - Parameter hasher: The hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(red)
    hasher.combine(green)
    hasher.combine(blue)
    hasher.combine(white)
    hasher.combine(alpha)
    hasher.combine(systemColorName)
  }

  /// The archived class name, `UIColor`.
  public static var archiveClassName: String { "UIColor" }
  package var archivedClass: ClassDescription {
    ClassDescription(name: Self.archiveClassName, chain: Self.archiveClassChain, hints: hints)
  }

  /// Encodes the values that are not nil. Components must be finite, and those of RGB or gray are required.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    if coder.isValid(fault) { coder.encode(self, Self.fields) }
  }

  /// Decodes the components: red, green and blue, or gray.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    self.init(white: 0)
    try coder.decode(Self.fields, into: &self)
    hints = try coder.classOfObject.hints
    try coder.check(fault)
  }

  private var fault: Fault? {
    guard componentCount >= 0 else { return Fault("invalid color: 'UIColorComponentCount' is \(componentCount)") }
    guard white != nil || (red != nil && green != nil && blue != nil) else {
      return Fault("invalid color: expected 'UIWhite', or 'UIRed', 'UIGreen' and 'UIBlue'")
    }
    let all = [red, green, blue, white, alpha].map { $0.map(Double.init) }
    let precise = [precise.red, precise.green, precise.blue, precise.white, precise.alpha]
    guard (all + precise).allSatisfy({ $0?.isFinite ?? true }) else {
      return Fault("invalid color: a component is NaN or infinity")
    }
    guard appKit.rgb?.isValid(3...4) ?? true, appKit.white?.isValid(1...2) ?? true else {
      return Fault("invalid color: a component of 'NSRGB' or 'NSWhite' is NaN or infinity, or their number is wrong")
    }
    return nil
  }

  private static let fields: [ArchiveField<Self>] = [
    .optional("UISystemColorName", \.systemColorName), .number("UIColorComponentCount", \.componentCount),
    component("UIRed", \.storedRed), component("UIRed-Double", \.precise.storedRed),
    component("UIGreen", \.storedGreen), component("UIGreen-Double", \.precise.storedGreen),
    component("UIBlue", \.storedBlue), component("UIBlue-Double", \.precise.storedBlue),
    component("UIWhite", \.storedWhite), component("UIWhite-Double", \.precise.storedWhite),
    alpha, component("UIAlpha-Double", \.precise.storedAlpha),
    components("NSRGB", \.appKit.rgb, counts: 3...4), components("NSWhite", \.appKit.white, counts: 1...2),
    .optional("NSColorSpace", \.appKit.space),
  ]

  private static func component(_ key: String, _ place: ArchiveField<Self>.Place<StoredReal>) -> ArchiveField<Self> {
    ArchiveField(
      key,
      encode: { $0[keyPath: place].encode(with: $1, key) },
      decode: { $0[keyPath: place] = try StoredReal($1, key) })
  }

  private static let alpha = ArchiveField<Self>(
    "UIAlpha",
    encode: { $0.storedAlpha.encode(with: $1, "UIAlpha") },
    decode: { $0.storedAlpha = try StoredReal(needed: "UIAlpha", $1) })

  private static func components(
    _ key: String, _ place: ArchiveField<Self>.Place<ColorComponents?>, counts: ClosedRange<Int>
  ) -> ArchiveField<Self> {
    ArchiveField(
      key,
      encode: { $1.encode($0[keyPath: place], forKey: key) },
      decode: { $0[keyPath: place] = try $1.components(key, counts: counts) })
  }
}
