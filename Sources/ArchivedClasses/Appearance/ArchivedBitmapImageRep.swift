// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import KeyedArchiving

/// An `NSBitmapImageRep`: an image as TIFF data.
public struct ArchivedBitmapImageRep: SecureKeyedCoding, Hashable, Sendable {
  /// The TIFF file.
  public var tiff: Data
  /// Whether the image is drawn from right to left.
  public var layoutDirection: Int?

  /// Makes a representation.
  public init(tiff: Data) { self.tiff = tiff }

  /// `NSBitmapImageRep`.
  public static var archiveClassName: String { "NSBitmapImageRep" }

  /// Down to `NSImageRep`.
  public static var archiveClassChain: [String] { ["NSBitmapImageRep", "NSImageRep", "NSObject"] }

  /// Stores the file as an object of its own.
  public func encode(with coder: KeyedArchiver) {
    coder.encode(tiff, forKey: "NSTIFFRepresentation")
    if let layoutDirection { coder.encode(layoutDirection, forKey: "NSInternalLayoutDirection") }
  }

  /// Reads the file; it is not looked into.
  public init?(coder: KeyedUnarchiver) throws {
    tiff = try coder.decode(Data.self, forKey: "NSTIFFRepresentation")
    layoutDirection = try coder.bare(Int.self, "NSInternalLayoutDirection")
  }
}
