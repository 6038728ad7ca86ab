// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error in reading, creating, scaling or writing an image.
///
/// Two errors are equal if their codes, offsets and formats are equal; ``detail`` is not compared.
public struct PNGError: Error, Sendable {
  /// The kind of error. Later versions may add codes, so a `switch` over codes needs a `default`.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The stable, machine-readable name of the code.
    public let name: String

    init(_ name: String) { self.name = name }

    /// The stable name of the code.
    public var description: String { name }

    /// The data is not a PNG file; ``PNGError/format`` is its actual format, if known.
    public static let notPNG = Code("notPNG")
    /// The signature was changed by a text-mode transfer, which converts line ends or clears the eighth bit.
    public static let damagedSignature = Code("damagedSignature")
    /// The data ends too early.
    public static let truncated = Code("truncated")
    /// The CRC-32 of a chunk or the Adler-32 of the image data does not match.
    public static let checksumMismatch = Code("checksumMismatch")
    /// A chunk has an invalid type or length.
    public static let badChunk = Code("badChunk")
    /// A chunk is missing, misplaced or duplicated.
    public static let badChunkOrder = Code("badChunkOrder")
    /// A critical chunk is unknown.
    public static let unknownCriticalChunk = Code("unknownCriticalChunk")
    /// The file has Xcode's private variant of PNG (a `CgBI` chunk), which app bundles contain.
    public static let appleOptimized = Code("appleOptimized")
    /// The image header has an invalid size, depth, color type or method.
    public static let badHeader = Code("badHeader")
    /// The palette is missing, not allowed, or has an invalid length.
    public static let badPalette = Code("badPalette")
    /// The transparency chunk does not match the color type.
    public static let badTransparency = Code("badTransparency")
    /// The compressed data is not valid zlib or deflate data.
    public static let badCompressedData = Code("badCompressedData")
    /// The decompressed data does not match the image: an unknown filter, a color outside the palette, or a wrong
    /// number of rows.
    public static let badImageData = Code("badImageData")
    /// The image exceeds a limit of ``PNGLimits``.
    public static let limitReached = Code("limitReached")
    /// The caller passed an invalid width, height or number of pixels.
    public static let badDimensions = Code("badDimensions")
  }

  /// The kind of error.
  public var code: Code
  /// The byte offset in the file, if known.
  public var byteOffset: Int?
  /// The actual format of the data, with ``Code/notPNG``, if known.
  public var format: ImageFormat?
  /// A description of the error: what was found and what was expected.
  public var detail: String
  /// How a program can mend it, if it can.
  public var remedy: String?

  /// Creates an error.
  /// - Parameters:
  ///   - code: The kind of error.
  ///   - byteOffset: The byte offset in the file.
  ///   - format: The actual format of the data.
  ///   - detail: A description of the error.
  ///   - remedy: How a program can mend it.
  public init(
    _ code: Code, at byteOffset: Int? = nil, format: ImageFormat? = nil, _ detail: String, remedy: String? = nil
  ) {
    self.code = code
    self.byteOffset = byteOffset
    self.format = format
    self.detail = detail
    self.remedy = remedy
  }
}

extension PNGError: Equatable {
  /// Compares the codes, offsets and formats of two errors.
  /// - Parameters:
  ///   - a: An error.
  ///   - b: Another error.
  /// - Returns: `true` if codes, offsets and formats are equal.
  public static func == (a: Self, b: Self) -> Bool {
    a.code == b.code && a.byteOffset == b.byteOffset && a.format == b.format
  }
}

extension PNGError: CustomStringConvertible, LocalizedError {
  /// The detail, the byte offset and the remedy.
  public var description: String {
    let text = byteOffset.map { "\(detail) (byte \($0))" } ?? detail
    return remedy.map { "\(text). \($0)" } ?? text
  }

  /// The text of ``description``.
  public var errorDescription: String? { description }
}
