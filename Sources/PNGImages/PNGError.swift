// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why bytes could not be read as a PNG image, or an image could not be made, scaled or written.
///
/// Two errors are equal when their codes, places and formats are; ``detail`` is for people and is not compared.
public struct PNGError: Error, Sendable {
  /// What went wrong. New codes may be added, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable name of the code, as machine-readable output prints it.
    public let name: String

    init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The bytes are no PNG file; ``PNGError/format`` says what they are, when that is known.
    public static let notPNG = Code("notPNG")
    /// The signature was changed by a transfer in text mode: line ends converted or the eighth bit lost.
    public static let damagedSignature = Code("damagedSignature")
    /// The bytes end before what they announce.
    public static let truncated = Code("truncated")
    /// The CRC-32 of a chunk or the Adler-32 of the image data is not that of the bytes.
    public static let checksumMismatch = Code("checksumMismatch")
    /// A chunk's type or length is not one the format allows.
    public static let badChunk = Code("badChunk")
    /// A chunk is missing, misplaced or there twice.
    public static let badChunkOrder = Code("badChunkOrder")
    /// A chunk that must be understood and is not.
    public static let unknownCriticalChunk = Code("unknownCriticalChunk")
    /// Xcode's private variant of PNG (a `CgBI` chunk), as it is found inside app bundles.
    public static let appleOptimized = Code("appleOptimized")
    /// The image header holds a size, depth, colour type or method that the format does not have.
    public static let badHeader = Code("badHeader")
    /// The palette is missing, of an odd length, too long, or there where none may be.
    public static let badPalette = Code("badPalette")
    /// The transparency chunk does not fit the colour type.
    public static let badTransparency = Code("badTransparency")
    /// The compressed stream breaks the rules of zlib or deflate.
    public static let badCompressedData = Code("badCompressedData")
    /// The stream is sound but its bytes are no rows of this image: unknown filter, colour outside the palette,
    /// too few or too many rows.
    public static let badImageData = Code("badImageData")
    /// A limit of ``PNGLimits`` was reached.
    public static let limitReached = Code("limitReached")
    /// A width, height or count of pixels that no image can have, handed in by the caller.
    public static let badDimensions = Code("badDimensions")
  }

  /// What went wrong.
  public var code: Code
  /// Where in the file, counted from 0, when known.
  public var byteOffset: Int?
  /// What the bytes are instead, with ``Code/notPNG``, when known.
  public var format: ImageFormat?
  /// What was expected, what was found and what may help, for people.
  public var detail: String

  /// Makes an error.
  public init(_ code: Code, at byteOffset: Int? = nil, format: ImageFormat? = nil, _ detail: String) {
    self.code = code
    self.byteOffset = byteOffset
    self.format = format
    self.detail = detail
  }
}

extension PNGError: Equatable {
  /// Equal when code, place and format are; the detail is not compared.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.byteOffset == b.byteOffset && a.format == b.format
  }
}

extension PNGError: CustomStringConvertible, LocalizedError {
  /// The detail, with the place.
  public var description: String {
    guard let byteOffset else { return detail }
    return "\(detail) (byte \(byteOffset))"
  }

  /// The same text as ``description``.
  public var errorDescription: String? { description }
}
