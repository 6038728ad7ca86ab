// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import KeyedArchives
public import KeyedArchiving
import PropertyListFormat

/// An `NSFontDescriptor` or `UIFontDescriptor`.
public struct ArchivedFontDescriptor: SecureKeyedCoding, DynamicArchiveClass {
  /// The attributes. Values of classes that were not asked for are `ArchivedObject`s.
  public var attributes: ArchivedDictionary
  /// Whether it is a `UIFontDescriptor`.
  public var isUIKit: Bool

  /// Makes a descriptor.
  public init(attributes: ArchivedDictionary, isUIKit: Bool = false) {
    self.attributes = attributes
    self.isUIKit = isUIKit
  }

  /// `NSFontDescriptor`.
  public static var archiveClassName: String { "NSFontDescriptor" }
  /// True.
  public static var _hasDynamicClass: Bool { true }

  /// `UIFontDescriptor`.
  public static var archiveClassAliases: [String] { ["UIFontDescriptor"] }

  package var archivedClass: ClassDescription {
    isUIKit
      ? ClassDescription(name: "UIFontDescriptor", chain: ["UIFontDescriptor", "NSFontDescriptor", "NSObject"])
      : ClassDescription(name: Self.archiveClassName, chain: Self.archiveClassChain)
  }

  package var classVariant: ClassVariant { .number(isUIKit ? 1 : 0) }

  /// Stores the attributes.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(attributes, forKey: isUIKit ? "UIFontDescriptorAttributes" : "NSFontDescriptorAttributes")
  }

  /// Reads the attributes.
  public init?(coder: KeyedUnarchiver) throws {
    isUIKit = try coder.classNameOfObject == "UIFontDescriptor"
    let key = isUIKit ? "UIFontDescriptorAttributes" : "NSFontDescriptorAttributes"
    guard let attributes = try coder.content(ArchivedDictionary.self, forKey: key) else {
      throw KeyedArchiveError(
        .valueNotFound, "a font descriptor has no '\(key)'", keyPath: coder.keyPath(to: key))
    }
    self.attributes = attributes
  }
}
