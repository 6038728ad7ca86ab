// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
package import DocumentLibraries
public import PNGImages
import PropertyListFormat

/// A creature's images, by the names of their files. An image of another format than PNG has the extension of that format, such
/// as `fullImage.jpg`. Creatures of older versions have it as `.png`, too.
public enum CreatureImage: String, CaseIterable, Sendable {
  /// The thumbnail. Lists show it.
  case thumb = "thumbImage.png"
  /// The full image.
  case full = "fullImage.png"

  /// The formats of images, PNG first.
  static let formats: [ImageFormat] = [
    .png, .jpeg, .heic, .webP, .gif, .avif, .tiff, .bmp, .ico, .icns, .jpeg2000, .jpegXL,
  ]

  /// The names that the image's file can have, that of a PNG file first.
  public var fileNames: [String] { Self.formats.map(fileName) }

  /// Returns the name for the image's file.
  /// - Parameter bytes: The image file. If its format is not known, the result is the name of a PNG file.
  /// - Returns: The name, such as `fullImage.jpg`.
  public func fileName(for bytes: Data) -> String {
    fileName(ImageFormat(sniffing: bytes).flatMap { Self.isPicture($0) ? $0 : nil } ?? .png)
  }

  private func fileName(_ format: ImageFormat) -> String {
    "\(self == .thumb ? "thumbImage" : "fullImage").\(format.fileExtension)"
  }

  /// Creates the image of a file's name; nil for other names.
  init?(fileName: String) {
    let name = BytewiseString(fileName)
    guard let image = Self.allCases.first(where: { $0.fileNames.contains { BytewiseString($0) == name } }) else {
      return nil
    }
    self = image
  }

  /// Returns the change of attachments that sets or removes the image: the new file, and no file of another format.
  /// - Parameter bytes: The image file; nil removes the image.
  /// - Returns: The content of each possible file; nil removes a file.
  public func attachments(_ bytes: Data?) -> [String: Data?] {
    var attachments = Dictionary(uniqueKeysWithValues: fileNames.map { ($0, Data?.none) })
    if let bytes { attachments[fileName(for: bytes)] = .some(bytes) }
    return attachments
  }

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
  package static func check(
    _ bytes: Data, limits: PNGLimits = .default, _ image: CreatureImage, _ path: String
  ) throws(LibraryError) -> ImageFormat {
    guard let format = ImageFormat(sniffing: bytes), isPicture(format) else {
      let found = ImageFormat(sniffing: bytes).map { "\($0) data" } ?? "data of an unknown format"
      throw LibraryError(
        .notAnImage, path.isEmpty ? image.rawValue : "\(path)/\(image.rawValue)",
        bytes.isEmpty ? "the image is empty" : "not an image: found \(found)",
        remedy: "Use a PNG file, or another image such as JPEG, HEIC or WebP")
    }
    guard format == .png else { return format }
    do {
      try PNGImage.check(bytes, limits: limits)
    } catch {
      throw failure(error, image, path)
    }
    return format
  }

  /// Returns a warning for each image that has several files. One of them is shown; see `ScaryCreatureDoc.image(_:)`.
  static func warnings(_ names: [String], _ path: String) -> [LibraryFinding] {
    allCases.compactMap { image in
      let found = image.fileNames.filter { names.contains($0) }
      guard let shown = found.first, found.count > 1 else { return nil }
      let others = found.dropFirst().map { "'\($0)'" }.joined(separator: ", ")
      return LibraryFinding(
        .warning, "severalImages", path: path, "several files for one image: '\(shown)' is shown; not shown: \(others)",
        remedy: "Move those that are not shown away, or set the image again")
    }
  }

  /// Returns whether a format is one of raster images.
  package static func isPicture(_ format: ImageFormat) -> Bool { formats.contains(format) }

  private static func failure(_ error: PNGError, _ image: CreatureImage, _ path: String) -> LibraryError {
    LibraryError(
      error.code == .limitReached ? .limitReached : .notAnImage,
      path.isEmpty ? image.rawValue : "\(path)/\(image.rawValue)", error.detail,
      // The limits of a library are fixed.
      remedy: error.code == .limitReached
        ? "Scale the image to at most \(PNGLimits.default.maximumPixelCount / 1_000_000) million pixels" : error.remedy,
      underlying: error)
  }

  /// Verifies the images of a change, and gives each the name of its format. A full image without a thumbnail gets a new
  /// one, so an old thumbnail never remains.
  static func complete(_ change: inout DocumentChange) throws {
    for image in allCases { try image.rename(in: &change) }
    guard full.fileNames.contains(where: { change.attachments[$0] != nil }),
      !thumb.fileNames.contains(where: { change.attachments[$0] != nil })
    else { return }
    let full = full.fileNames.compactMap { change.attachments[$0] ?? nil }.first
    let thumbnail = try full.flatMap { try Self.thumbnail(for: $0) }
    // A new document has no old thumbnail to remove.
    guard thumbnail != nil || !change.path.isEmpty else { return }
    change.attachments.merge(thumb.attachments(thumbnail)) { $1 }
  }

  /// Verifies the image of a change, and moves it to the name of its format. A new document has no other file to remove.
  private func rename(in change: inout DocumentChange) throws {
    let found = fileNames.compactMap { name in (change.attachments[name] ?? nil).map { (name: name, bytes: $0) } }
    guard let image = found.first else { return }
    try Self.check(image.bytes, self, change.path)
    guard found.count == 1 else {
      throw LibraryError(
        .invalidValue, change.path, "two files for one image: '\(found[0].name)' and '\(found[1].name)'",
        remedy: "Set one of them to nil")
    }
    for (name, bytes) in attachments(image.bytes) where bytes != nil || !change.path.isEmpty || name == image.name {
      change.attachments[name] = .some(bytes)
    }
  }
}
