// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
@_spi(Archiving) import PropertyListFormat

/// An `NSFont`.
public struct ArchivedFont: SecureKeyedCoding {
  /// The name, such as `Helvetica-Bold`.
  public var name: String
  /// The size in points.
  public var size: Double {
    get { storedSize.value ?? 0 }
    set { storedSize.value = newValue }
  }
  private var storedSize: StoredReal
  /// A Boolean value that indicates whether the size is stored in 4 bytes, as 32-bit programs do.
  public var isSizeShort: Bool
  /// The flags of AppKit.
  public var flags: Int
  /// The descriptor that newer systems store.
  public var descriptor: ArchivedFontDescriptor?
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a font.
  /// - Parameters:
  ///   - name: The name, such as `Helvetica-Bold`.
  ///   - size: The size in points.
  ///   - flags: The flags of AppKit.
  ///   - descriptor: The descriptor that newer systems store.
  public init(name: String, size: Double, flags: Int = 16, descriptor: ArchivedFontDescriptor? = nil) {
    self.name = name
    storedSize = StoredReal(size)
    isSizeShort = false
    self.flags = flags
    self.descriptor = descriptor
  }

  /// The archived class name, `NSFont`.
  public static var archiveClassName: String { "NSFont" }

  /// Encodes the name, size and flags.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(constant: name, forKey: "NSName")
    if isSizeShort {
      coder.encode(finite: size, forKey: "NSSize", isShort: true)
    } else {
      storedSize.encode(with: coder, "NSSize")
    }
    coder.encode(flags.storedFlags, forKey: "NSfFlags")
    if let descriptor { coder.encode(descriptor, forKey: "NSDescriptor") }
    otherValues.encode(with: coder)
  }

  /// Decodes the name, size and flags.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NSName")
    isSizeShort = try coder.kind(forKey: "NSSize") == .float
    // A change of `isSizeShort` decides how the size is stored.
    storedSize = isSizeShort ? StoredReal(try coder.finite("NSSize")) : try StoredReal(needed: "NSSize", coder)
    flags = try coder.flags("NSfFlags") ?? 0
    descriptor = try coder.decodeIfPresent(ArchivedFontDescriptor.self, forKey: "NSDescriptor")
    otherValues = try coder.otherValues(except: ["NSName", "NSSize", "NSfFlags", "NSDescriptor"])
  }
}

extension KeyedArchiver {
  /// Encodes a string constant of a framework. Equal constants share an object.
  fileprivate func encode(constant text: String, forKey key: String) {
    guard layout != .compact, !isTagged(text) else { return encode(text, forKey: key) }
    record(recorded(sharedAs: "NSString \(text)") { BoxedPrimitive(.string(text)) }, key)
  }
}

/// An `NSFontDescriptor` or `UIFontDescriptor`.
public struct ArchivedFontDescriptor: SecureKeyedCoding, DynamicArchiveClass {
  /// The attributes. Values of classes that were not requested are `ArchivedObject`s.
  public var attributes: ArchivedDictionary
  /// A Boolean value that indicates whether the class is `UIFontDescriptor`.
  public var isUIKit: Bool
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a descriptor.
  /// - Parameters:
  ///   - attributes: The attributes.
  ///   - isUIKit: Whether the class is `UIFontDescriptor`.
  public init(attributes: ArchivedDictionary, isUIKit: Bool = false) {
    self.attributes = attributes
    self.isUIKit = isUIKit
  }

  /// The archived class name, `NSFontDescriptor`.
  public static var archiveClassName: String { "NSFontDescriptor" }
  /// Other matching class names: `UIFontDescriptor`.
  public static var archiveClassAliases: [String] { ["UIFontDescriptor"] }

  package var archivedClass: ClassDescription {
    isUIKit
      ? ClassDescription(name: "UIFontDescriptor", chain: ["UIFontDescriptor", "NSFontDescriptor", "NSObject"])
      : ClassDescription(name: Self.archiveClassName, chain: Self.archiveClassChain)
  }

  package var classVariant: ClassVariant { .number(isUIKit ? 1 : 0) }

  /// Encodes the attributes.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(attributes, forKey: isUIKit ? "UIFontDescriptorAttributes" : "NSFontDescriptorAttributes")
    otherValues.encode(with: coder)
  }

  /// Decodes the attributes.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    isUIKit = try coder.classNameOfObject == "UIFontDescriptor"
    let key = isUIKit ? "UIFontDescriptorAttributes" : "NSFontDescriptorAttributes"
    guard let attributes = try coder.content(ArchivedDictionary.self, forKey: key) else {
      throw coder.missing("invalid font descriptor: '\(key)' is missing", key: key)
    }
    self.attributes = attributes
    otherValues = try coder.otherValues(except: [key])
  }
}

/// A `UIFont`.
public struct ArchivedUIFont: SecureKeyedCoding, Hashable, Sendable {
  /// The name, such as `Helvetica-Bold`.
  public var name: String
  /// The size in points.
  public var pointSize: Double {
    get { storedSize.value ?? 0 }
    set { storedSize.value = newValue }
  }
  private var storedSize: StoredReal
  /// A Boolean value that indicates whether the size is stored in 4 bytes, as 32-bit programs do.
  public var isSizeShort: Bool
  /// The traits of UIKit, such as 2 for bold.
  public var traits: Int
  /// A Boolean value that indicates whether the font is the system font.
  public var isSystemFont: Bool
  /// The values for keys that this type does not know.
  public var otherValues = OtherValues()

  /// Creates a font.
  /// - Parameters:
  ///   - name: The name, such as `Helvetica-Bold`.
  ///   - pointSize: The size in points.
  ///   - traits: The traits of UIKit, such as 2 for bold.
  ///   - isSystemFont: Whether the font is the system font.
  public init(name: String, pointSize: Double, traits: Int = 0, isSystemFont: Bool = false) {
    self.name = name
    storedSize = StoredReal(pointSize)
    isSizeShort = false
    self.traits = traits
    self.isSystemFont = isSystemFont
  }

  /// The archived class name, `UIFont`.
  public static var archiveClassName: String { "UIFont" }

  /// Encodes the name, size, traits and system-font flag.
  /// - Parameter coder: The archiver.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(name, forKey: "UIFontName")
    if isSizeShort {
      coder.encode(finite: pointSize, forKey: "UIFontPointSize", isShort: true)
    } else {
      storedSize.encode(with: coder, "UIFontPointSize")
    }
    coder.encode(traits.storedFlags, forKey: "UIFontTraits")
    coder.encode(isSystemFont, forKey: "UISystemFont")
    otherValues.encode(with: coder)
  }

  /// Decodes the name, size, traits and system-font flag.
  /// - Parameter coder: The unarchiver.
  /// - Throws: `KeyedArchiveError` if a value is missing or malformed.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "UIFontName")
    isSizeShort = try coder.kind(forKey: "UIFontPointSize") == .float
    // A change of `isSizeShort` decides how the size is stored.
    storedSize =
      isSizeShort ? StoredReal(try coder.finite("UIFontPointSize")) : try StoredReal(needed: "UIFontPointSize", coder)
    traits = try coder.flags("UIFontTraits") ?? 0
    isSystemFont = try coder.primitive(Bool.self, "UISystemFont") ?? false
    otherValues = try coder.otherValues(except: ["UIFontName", "UIFontPointSize", "UIFontTraits", "UISystemFont"])
  }
}
