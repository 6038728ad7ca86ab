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
  public var size: Double
  /// Whether the size is stored in 4 bytes, as programs of 32 bits did.
  public var isSizeShort: Bool
  /// AppKit's flags.
  public var flags: Int
  /// What newer systems store of the font besides.
  public var descriptor: ArchivedFontDescriptor?

  /// Makes a font.
  public init(name: String, size: Double, flags: Int = 16, descriptor: ArchivedFontDescriptor? = nil) {
    self.name = name
    self.size = size
    isSizeShort = false
    self.flags = flags
    self.descriptor = descriptor
  }

  /// `NSFont`.
  public static var archiveClassName: String { "NSFont" }

  /// Stores name, size and flags.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(constant: name, forKey: "NSName")
    if isSizeShort { coder.encode(Float(size), forKey: "NSSize") } else { coder.encode(size, forKey: "NSSize") }
    coder.encode(flags, forKey: "NSfFlags")
    if let descriptor { coder.encode(descriptor, forKey: "NSDescriptor") }
  }

  /// Reads name, size and flags.
  public init?(coder: KeyedUnarchiver) throws {
    name = try coder.decode(String.self, forKey: "NSName")
    size = try coder.finite("NSSize")
    isSizeShort = try coder.kind(forKey: "NSSize") == .float
    flags = try coder.bare(Int.self, "NSfFlags") ?? 0
    descriptor = try coder.decodeIfPresent(ArchivedFontDescriptor.self, forKey: "NSDescriptor")
  }
}

extension KeyedArchiver {
  /// Archives a string that is a constant of a framework: one object for each text.
  fileprivate func encode(constant text: String, forKey key: String) {
    guard layout != .compact, !isTagged(text) else { return encode(text, forKey: key) }
    record(note(sharedAs: "NSString \(text)") { ArchivedScalar(.string(text)) }, key)
  }
}
