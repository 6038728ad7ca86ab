// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The details of a value that its row does not show.
package struct Preview: Sendable {
  package var text: String?
  /// Whether the text is incomplete.
  package var isCut = false
  /// The number of bytes of the value; nil if the text or the bytes are complete.
  package var byteCount: Int?
  package var bytes: Data?
  /// The image in data.
  package var image: PreviewImage?
  /// Seconds since 2001.
  package var date: Double?
  /// The color to show as a swatch.
  package var color: Color?
  /// Whether the contained rows are those of a nested archive, which has separate UIDs.
  package var isArchive = false
  /// A remark.
  package var note: String?

  package init(text: String? = nil, isCut: Bool = false, byteCount: Int? = nil, date: Double? = nil) {
    self.text = text
    self.isCut = isCut
    self.byteCount = byteCount
    self.date = date
  }

  /// Creates the preview of a color.
  package init(color: Color) { self.color = color }

  /// An RGB color with 8 bits per component. A page writes it only as numbers.
  package struct Color: Sendable {
    package let red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
      (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }
  }

  var weight: Int {
    160 + (text.map { Outline.weight(of: $0) } ?? 0) + (bytes?.count ?? 0) * 4 / 3 + (image?.bytes.count ?? 0) * 4 / 3
      + (note.map { Outline.weight(of: $0) } ?? 0)
  }
}

/// An image in a page. Its size matters because a browser would try to draw an image of gigabytes, which a small file can
/// claim.
package struct PreviewImage: Sendable {
  /// Formats that every browser shows, and that contain only images.
  package enum Format: String, Sendable {
    case png, jpeg, gif
  }

  /// The maximum number of pixels.
  package static let maximumPixels = 1 << 26

  package let format: Format
  package let width: Int
  package let height: Int
  package let bytes: Data

  /// Creates an image; returns nil for no pixels, or too many.
  package init?(_ format: Format, width: Int, height: Int, bytes: Data) {
    guard width > 0, height > 0, width <= Self.maximumPixels / height else { return nil }
    (self.format, self.width, self.height, self.bytes) = (format, width, height, bytes)
  }
}
