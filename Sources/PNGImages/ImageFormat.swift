// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

import DeflateCoding

/// A file format, recognized by its first bytes.
///
/// Old creature folders contain JPEG data in files named `.png`; this type recognizes them.
public struct ImageFormat: Hashable, Sendable, CustomStringConvertible {
  /// The common name, such as `JPEG`.
  public let name: String
  /// The usual file name extension, without the dot.
  public let fileExtension: String
  /// The media type, such as `image/jpeg`.
  public let mediaType: String

  init(_ name: String, _ fileExtension: String, _ mediaType: String) {
    self.name = name
    self.fileExtension = fileExtension
    self.mediaType = mediaType
  }

  /// The name.
  public var description: String { name }

  /// Portable Network Graphics.
  public static let png = ImageFormat("PNG", "png", "image/png")
  /// JPEG, with or without an EXIF or JFIF header.
  public static let jpeg = ImageFormat("JPEG", "jpg", "image/jpeg")
  /// GIF 87a or 89a.
  public static let gif = ImageFormat("GIF", "gif", "image/gif")
  /// WebP.
  public static let webP = ImageFormat("WebP", "webp", "image/webp")
  /// HEIC and HEIF, the formats of phone photos.
  public static let heic = ImageFormat("HEIC", "heic", "image/heic")
  /// AVIF.
  public static let avif = ImageFormat("AVIF", "avif", "image/avif")
  /// TIFF, in either byte order.
  public static let tiff = ImageFormat("TIFF", "tiff", "image/tiff")
  /// Windows bitmap.
  public static let bmp = ImageFormat("BMP", "bmp", "image/bmp")
  /// Windows icon.
  public static let ico = ImageFormat("ICO", "ico", "image/vnd.microsoft.icon")
  /// Apple icon set.
  public static let icns = ImageFormat("ICNS", "icns", "image/icns")
  /// JPEG 2000.
  public static let jpeg2000 = ImageFormat("JPEG 2000", "jp2", "image/jp2")
  /// JPEG XL.
  public static let jpegXL = ImageFormat("JPEG XL", "jxl", "image/jxl")
  /// Photoshop document.
  public static let photoshop = ImageFormat("Photoshop", "psd", "image/vnd.adobe.photoshop")
  /// Portable Document Format.
  public static let pdf = ImageFormat("PDF", "pdf", "application/pdf")
  /// Scalable Vector Graphics and other XML or HTML.
  public static let markup = ImageFormat("XML or HTML text", "xml", "text/xml")
  /// A binary property list, such as an archive under the wrong name.
  public static let propertyList = ImageFormat("binary property list", "plist", "application/x-plist")
  /// A zip file.
  public static let zip = ImageFormat("ZIP", "zip", "application/zip")
}

extension ImageFormat {
  /// Recognizes the format of data; returns nil if it is unknown.
  ///
  /// Only the first bytes are read, so the data may still be damaged.
  /// - Parameter data: A file, or at least its first 70 bytes.
  public init?(sniffing data: Data) {
    guard let format = Self.sniff(data.bytes) else { return nil }
    self = format
  }

  /// Recognizes the format of bytes; returns nil if it is unknown.
  static func sniff(_ bytes: RawSpan) -> ImageFormat? {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if bytes.starts(with: "GIF87a") || bytes.starts(with: "GIF89a") { return .gif }
    if bytes.starts(with: "RIFF"), bytes.has("WEBP", at: 8) { return .webP }
    if bytes.has("ftyp", at: 4) { return sniffBrand(bytes) }
    if bytes.starts(with: [0x49, 0x49, 0x2A, 0x00]) || bytes.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) { return .tiff }
    if bytes.starts(with: [0x00, 0x00, 0x01, 0x00]) { return .ico }
    if bytes.starts(with: "icns") { return .icns }
    if bytes.starts(with: [0x00, 0x00, 0x00, 0x0C]), bytes.has("jP  ", at: 4) { return .jpeg2000 }
    if bytes.starts(with: [0xFF, 0x0A]) { return .jpegXL }
    if bytes.starts(with: [0x00, 0x00, 0x00, 0x0C]), bytes.has("JXL ", at: 4) { return .jpegXL }
    if bytes.starts(with: "8BPS") { return .photoshop }
    if bytes.starts(with: "%PDF-") { return .pdf }
    if bytes.starts(with: "bplist") { return .propertyList }
    if bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]) { return .zip }
    // Two letters are weak evidence, so also check the four bytes that are always zero.
    if bytes.starts(with: "BM"), bytes.has([0, 0, 0, 0], at: 6) { return .bmp }
    if looksLikeMarkup(bytes) { return .markup }
    return nil
  }

  /// Distinguishes formats of the ISO base media family by their major brand (ISO/IEC 23008-12, annex B).
  private static func sniffBrand(_ bytes: RawSpan) -> ImageFormat? {
    for brand in ["avif", "avis"] where bytes.has(brand, at: 8) { return .avif }
    for brand in ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"] where bytes.has(brand, at: 8) {
      return .heic
    }
    return nil
  }

  /// Returns whether the first visible bytes open a tag.
  private static func looksLikeMarkup(_ bytes: RawSpan) -> Bool {
    var i = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while i < min(bytes.byteCount, 64), [0x20, 0x09, 0x0A, 0x0D].contains(bytes.byte(at: i)) { i += 1 }
    guard i + 1 < bytes.byteCount, bytes.byte(at: i) == UInt8(ascii: "<") else { return false }
    let next = bytes.byte(at: i + 1)
    return next == UInt8(ascii: "?") || next == UInt8(ascii: "!") || (next | 0x20 >= 0x61 && next | 0x20 <= 0x7A)
  }
}

extension RawSpan {
  fileprivate func starts(with text: String) -> Bool { has(Array(text.utf8), at: 0) }
  fileprivate func starts(with expected: [UInt8]) -> Bool { has(expected, at: 0) }
  fileprivate func has(_ text: String, at offset: Int) -> Bool { has(Array(text.utf8), at: offset) }

  /// Returns whether the bytes at `offset` are `expected`.
  fileprivate func has(_ expected: [UInt8], at offset: Int) -> Bool {
    guard byteCount - offset >= expected.count else { return false }
    for i in expected.indices where byte(at: offset + i) != expected[i] { return false }
    return true
  }
}
