// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import DocumentLibraries
public import PNGImages
import PropertyListFormat

/// A creature's images, by the names of their files.
public enum CreatureImage: String, CaseIterable, Sendable {
  /// The thumbnail. Lists show it.
  case thumb = "thumbImage.png"
  /// The full image.
  case full = "fullImage.png"

  /// The length of a thumbnail's shorter side, in points of two pixels.
  public static let thumbPoints = 107

  /// The maximum length of a thumbnail's longer side in pixels.
  static let maximumThumbLength = 4096

  /// Makes a thumbnail whose shorter side has 214 pixels. The image is not cropped. Transparent areas become black, as
  /// in the tutorial. If the longer side would exceed 4096 pixels, it has that length, and the shorter side at least one
  /// pixel.
  /// - Parameters:
  ///   - full: The full image.
  ///   - limits: The limits for decoding the image.
  /// - Returns: The thumbnail; nil if the full image is not a PNG image.
  /// - Throws: `LibraryError` with code `LibraryError/Code/notAnImage` or `LibraryError/Code/limitReached`.
  public static func thumbnail(for full: Data, limits: PNGLimits = .default) throws -> Data? {
    guard try check(full, limits: limits, .full, "") == .png else { return nil }
    do {
      let image = try PNGImage(full, limits: limits)
      guard let size = thinSize(image) else {
        return try image.thumbnail(points: thumbPoints, scale: 2, background: .black, limits: limits).pngData()
      }
      return try image.scaled(toWidth: size.width, height: size.height, limits: limits).composited(on: .black).pngData()
    } catch {
      throw failure(error, .full, "")
    }
  }

  /// The size of a thumbnail whose longer side would exceed the maximum; nil for other images.
  private static func thinSize(_ image: PNGImage) -> (width: Int, height: Int)? {
    // A side has less than 2^31 pixels, so no product overflows.
    let (short, long) = (min(image.width, image.height), max(image.width, image.height))
    guard long * 2 * thumbPoints > maximumThumbLength * short else { return nil }
    let thin = max(1, (short * maximumThumbLength + long / 2) / long)
    return image.width < image.height ? (thin, maximumThumbLength) : (maximumThumbLength, thin)
  }

  /// Verifies image bytes and returns their format. For a PNG file, checks the signature, the chunks and the checksums.
  @discardableResult
  static func check(
    _ bytes: Data, limits: PNGLimits = .default, _ image: CreatureImage, _ path: String
  ) throws(LibraryError) -> ImageFormat {
    guard let format = ImageFormat(sniffing: bytes), isPicture(format) else {
      let found = ImageFormat(sniffing: bytes).map { "\($0) data" } ?? "data of an unknown format"
      throw LibraryError(
        .notAnImage, path.isEmpty ? image.rawValue : "\(path)/\(image.rawValue)",
        bytes.isEmpty ? "the image is empty" : "not an image: found \(found)", remedy: "Use a PNG file")
    }
    guard format == .png else { return format }
    do {
      try PNGImage.check(bytes, limits: limits)
    } catch {
      throw failure(error, image, path)
    }
    return format
  }

  /// Returns whether a format is one of raster images.
  package static func isPicture(_ format: ImageFormat) -> Bool {
    [.png, .jpeg, .gif, .webP, .heic, .avif, .tiff, .bmp, .ico, .icns, .jpeg2000, .jpegXL].contains(format)
  }

  private static func failure(_ error: PNGError, _ image: CreatureImage, _ path: String) -> LibraryError {
    LibraryError(
      error.code == .limitReached ? .limitReached : .notAnImage,
      path.isEmpty ? image.rawValue : "\(path)/\(image.rawValue)", error.detail,
      // The limits of a library are fixed.
      remedy: error.code == .limitReached
        ? "Scale the image to at most \(PNGLimits.default.maximumPixelCount / 1_000_000) million pixels" : error.remedy,
      underlying: error)
  }

  /// Verifies the images of a change. A full image without a thumbnail gets a new one, so an old thumbnail never
  /// remains.
  static func complete(_ change: inout DocumentChange) throws {
    for image in allCases {
      if let bytes = change.attachments[image.rawValue] ?? nil { try check(bytes, image, change.path) }
    }
    guard let full = change.attachments[full.rawValue], change.attachments[thumb.rawValue] == nil else { return }
    let thumb = try full.flatMap { try thumbnail(for: $0) }
    // A new document has no old thumbnail to remove.
    guard thumb != nil || !change.path.isEmpty else { return }
    change.attachments[Self.thumb.rawValue] = .some(thumb)
  }
}
