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

/// A creature's pictures, by the names of their files.
public enum CreatureImage: String, CaseIterable, Sendable {
  /// The small one, for lists.
  case thumb = "thumbImage.png"
  /// The large one.
  case full = "fullImage.png"

  /// How long the shorter side of a small picture is, in points of which each is two pixels.
  public static let thumbPoints = 107

  /// Makes the small picture for a large one: the shorter side has 214 pixels, nothing is cut off, nothing shines through:
  /// what is transparent becomes black, as in the tutorial's opaque drawing.
  /// - Returns: nil if the large one is an image of another format than PNG, which is stored as it is.
  /// - Throws: `LibraryError` with code `LibraryError/Code/notAnImage` or `LibraryError/Code/limitReached`.
  public static func thumbnail(for full: Data, limits: PNGLimits = .default) throws -> Data? {
    guard try check(full, limits: limits, .full, "") == .png else { return nil }
    do {
      return try PNGImage(full, limits: limits).thumbnail(
        points: thumbPoints, scale: 2, background: .black, limits: limits
      ).pngData()
    } catch {
      throw failure(error, .full, "")
    }
  }

  /// Tells what image some bytes are. PNG files are checked whole: signature, chunks, checksums.
  @discardableResult
  static func check(
    _ bytes: Data, limits: PNGLimits = .default, _ image: CreatureImage, _ path: String
  ) throws(LibraryError) -> ImageFormat {
    guard let format = ImageFormat(sniffing: bytes), isPicture(format) else {
      let found = ImageFormat(sniffing: bytes).map { "of the kind \($0)" } ?? "of no known kind"
      throw LibraryError(
        .notAnImage, path.isEmpty ? image.rawValue : "\(path)/\(image.rawValue)",
        bytes.isEmpty ? "the image is empty" : "the bytes are no image, but \(found)", remedy: "Give it a PNG file")
    }
    guard format == .png else { return format }
    do {
      try PNGImage.check(bytes, limits: limits)
    } catch {
      throw failure(error, image, path)
    }
    return format
  }

  /// Whether a format is one of pictures made of pixels.
  package static func isPicture(_ format: ImageFormat) -> Bool {
    [.png, .jpeg, .gif, .webP, .heic, .avif, .tiff, .bmp, .ico, .icns, .jpeg2000, .jpegXL].contains(format)
  }

  private static func failure(_ error: PNGError, _ image: CreatureImage, _ path: String) -> LibraryError {
    LibraryError(
      error.code == .limitReached ? .limitReached : .notAnImage,
      path.isEmpty ? image.rawValue : "\(path)/\(image.rawValue)", error.detail, underlying: error)
  }

  /// Checks the pictures of a change. A large one without a small one gets its own: never the one of another picture.
  static func complete(_ change: inout DocumentChange) throws {
    for image in allCases {
      if let bytes = change.attachments[image.rawValue] ?? nil { try check(bytes, image, change.path) }
    }
    guard let full = change.attachments[full.rawValue], change.attachments[thumb.rawValue] == nil else { return }
    let thumb = try full.flatMap { try thumbnail(for: $0) }
    // A new document has no small picture that would have to go.
    guard thumb != nil || !change.path.isEmpty else { return }
    change.attachments[Self.thumb.rawValue] = .some(thumb)
  }
}
