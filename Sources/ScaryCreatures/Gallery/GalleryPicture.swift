// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
internal import PNGImages

/// Where a picture's file is, and whether a page can show it.
struct GalleryPicture {
  /// Relative to the page.
  let path: String
  /// What people call the format; nil where it is none that we know.
  let formatName: String?
  /// Whether browsers show the format as a picture.
  let isShown: Bool

  /// What browsers show in an `img` element.
  private static let shown: Set<ImageFormat> = [.png, .jpeg, .gif, .webP, .avif, .bmp]
  /// Formats that are pictures too, and harmless to open: they keep their extension.
  private static let kept: Set<ImageFormat> = [.heic, .tiff, .ico, .icns, .jpeg2000, .jpegXL, .photoshop]

  /// Names the file after what its bytes are. Whatever is no picture becomes `.bin`: as a document of its own kind, HTML
  /// or SVG under a picture's name, it would run scripts when it is opened from the disk.
  init(_ data: Data, path: String) {
    let format = ImageFormat(sniffing: data)
    formatName = format?.name
    isShown = format.map(Self.shown.contains) ?? false
    if let format, isShown || Self.kept.contains(format) {
      self.path = "\(path).\(format.fileExtension)"
    } else {
      self.path = "\(path).bin"
    }
  }
}
