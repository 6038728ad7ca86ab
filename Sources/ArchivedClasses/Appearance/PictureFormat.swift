// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeyedArchiving

/// The format of an encoded picture, recognized by its first bytes.
///
/// Nothing else of the picture is read, so it may still be damaged.
public struct PictureFormat: Hashable, Sendable, CustomStringConvertible {
  private enum Kind { case png, jpeg, tiff, gif, heic }

  private let kind: Kind

  private init(_ kind: Kind) { self.kind = kind }

  /// Portable Network Graphics.
  public static let png = PictureFormat(.png)
  /// JPEG.
  public static let jpeg = PictureFormat(.jpeg)
  /// TIFF, in either byte order.
  public static let tiff = PictureFormat(.tiff)
  /// GIF 87a or 89a.
  public static let gif = PictureFormat(.gif)
  /// HEIC and HEIF, the formats of phone photos.
  public static let heic = PictureFormat(.heic)

  /// Recognizes the format of a picture. The result is nil for any other data.
  /// - Parameter data: The picture, or at least its first 12 bytes.
  public init?(of data: Data) {
    let start = [UInt8](data.prefix(12))
    if start.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if start.starts(with: [0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if start.starts(with: [0x49, 0x49, 0x2A, 0x00]) || start.starts(with: [0x4D, 0x4D, 0x00, 0x2A]) {
      self = .tiff
    } else if start.starts(with: "GIF87a".utf8) || start.starts(with: "GIF89a".utf8) {
      self = .gif
    } else if start.count == 12, start[4..<8].elementsEqual("ftyp".utf8), Self.isHEIF(start[8...]) {
      self = .heic
    } else {
      return nil
    }
  }

  /// Returns whether the major brand of an ISO base media file is one of still pictures (ISO/IEC 23008-12, annex B).
  private static func isHEIF(_ brand: ArraySlice<UInt8>) -> Bool {
    ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"].contains { brand.elementsEqual($0.utf8) }
  }

  /// The common name, such as `JPEG`.
  public var description: String {
    switch kind {
    case .png: "PNG"
    case .jpeg: "JPEG"
    case .tiff: "TIFF"
    case .gif: "GIF"
    case .heic: "HEIC"
    }
  }

  /// The usual extension of a file's name, without the dot.
  public var fileExtension: String {
    switch kind {
    case .png: "png"
    case .jpeg: "jpg"
    case .tiff: "tiff"
    case .gif: "gif"
    case .heic: "heic"
    }
  }

  /// Returns the width and height in pixels that the header of a PNG or JPEG picture states. The result is nil for other
  /// formats, and for damaged headers.
  static func sizeInPixels(of data: Data) -> ArchivedSize? {
    let header = PictureHeader(data)
    switch PictureFormat(of: data) {
    case .png?: return header.sizeOfPNG()
    case .jpeg?: return header.sizeOfJPEG()
    default: return nil
    }
  }
}

/// Reads numbers of a picture's header.
private struct PictureHeader {
  private let data: Data

  init(_ data: Data) { self.data = data }

  /// Returns a big-endian number, or nil beyond the end.
  private func number(at offset: Int, width: Int) -> Int? {
    guard offset >= 0, offset <= data.count - width else { return nil }
    let start = data.startIndex + offset
    return data[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
  }

  private func size(_ width: Int?, _ height: Int?) -> ArchivedSize? {
    guard let width, let height, width > 0, height > 0 else { return nil }
    return ArchivedSize(width: Double(width), height: Double(height))
  }

  /// Returns the size in the first chunk, IHDR (ISO/IEC 15948, 11.2.2). It is at most 2³¹ - 1.
  func sizeOfPNG() -> ArchivedSize? {
    guard number(at: 8, width: 4) == 13, data.dropFirst(12).starts(with: "IHDR".utf8) else { return nil }
    // Two numbers of 16 bits fit an Int of 32 bits.
    func size(at offset: Int) -> Int? {
      guard let high = number(at: offset, width: 2), high < 0x8000, let low = number(at: offset + 2, width: 2) else {
        return nil
      }
      return high << 16 | low
    }
    return self.size(size(at: 16), size(at: 20))
  }

  /// Returns the size in the frame header (ITU-T T.81, B.2.2), which follows other segments.
  func sizeOfJPEG() -> ArchivedSize? {
    var place = 2
    while number(at: place, width: 1) == 0xFF, let marker = number(at: place + 1, width: 1) {
      switch marker {
      // A fill byte, and markers without a segment.
      case 0xFF: place += 1
      case 0x01, 0xD0...0xD7: place += 2
      // The frame header, except for the tables that the same range has.
      case 0xC0...0xCF where ![0xC4, 0xC8, 0xCC].contains(marker):
        return size(number(at: place + 7, width: 2), number(at: place + 5, width: 2))
      // The start of the scan, or the end of the image.
      case 0xDA, 0xD9: return nil
      default:
        guard let length = number(at: place + 2, width: 2), length >= 2 else { return nil }
        place += 2 + length
      }
    }
    return nil
  }
}

/// Returns the error for data that is not a picture.
func notAPicture(_ data: Data, _ className: String) -> KeyedArchiveError {
  KeyedArchiveError(
    .notEncodable, "data of \(data.count) bytes is not a picture: expected PNG, JPEG, TIFF, GIF or HEIC",
    className: className, remedy: "Pass the bytes of an image file")
}
