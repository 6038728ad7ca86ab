// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import ArchivePages
import CommandLineTools
import KeyedArchives
import KeyedArchiving
import PropertyListFormat

/// Creates previews of the data in an archive, within limits for the page.
struct DataPreviews {
  /// The size of the largest image in a page.
  static let maximumImageSize = 4 << 20
  /// The remaining bytes for images.
  private var imageBudget = 24 << 20
  /// The remaining bytes and number of nested archives and property lists.
  private var nestedBudget: Int
  private var nestedCount = 2000
  /// The number of bytes and of text characters in a preview.
  private static let shownBytes = 256, shownText = 4000

  init(of archive: KeyedArchive) {
    nestedBudget = Int(clamping: 4 * max(Int64(archive.propertyList.byteCount), 1 << 16))
  }

  /// The content of data that has rows.
  enum Inside {
    case archive(KeyedArchive, top: [KeyedArchive.Entry])
    case list(PropertyList)
  }

  /// Returns the preview of data and, with `mayOpen`, the archive or list in it.
  mutating func preview(of data: Data, mayOpen: Bool) -> (preview: Preview?, inside: Inside?) {
    guard !data.isEmpty else { return (nil, nil) }
    var preview = Preview(byteCount: data.count)
    preview.bytes = Data(data.prefix(Self.shownBytes))
    switch DataSummary.guess(data) ?? "" {
    case "png", "jpeg", "gif": addImage(data, to: &preview)
    case "text":
      preview.text = Self.text(data)
      preview.isCut = data.count > Self.shownText
    case "keyed archive", "plist": return open(data, preview, mayOpen)
    default: break
    }
    return (preview, nil)
  }

  private mutating func addImage(_ data: Data, to preview: inout Preview) {
    guard let header = PictureHeader(data),
      let image = PreviewImage(.init(header.format), width: header.width, height: header.height, bytes: data)
    else {
      preview.note = "The image has an invalid header, or is too large to show."
      return
    }
    guard data.count <= Self.maximumImageSize, data.count <= imageBudget else {
      preview.note =
        "An image of \(image.width) × \(image.height) pixels, too large for this page; "
        + "'keyedarchive get --raw' writes it."
      return
    }
    imageBudget -= data.count
    preview.image = image
  }

  private mutating func open(_ data: Data, _ preview: Preview, _ mayOpen: Bool) -> (Preview, Inside?) {
    var preview = preview
    guard mayOpen, data.count <= nestedBudget, nestedCount > 0 else {
      preview.note =
        "Not expanded: the page has a limited number of archives, at most \(OutlineReader.maximumLevels - 1) deep."
      return (preview, nil)
    }
    nestedBudget -= data.count
    nestedCount -= 1
    guard let list = try? PropertyList(data) else {
      preview.note = "A damaged property list."
      return (preview, nil)
    }
    guard let archive = try? KeyedArchive(list, archivers: .any), let top = try? archive.top else {
      return (preview, .list(list))
    }
    preview.isArchive = true
    return (preview, .archive(archive, top: top))
  }

  /// Returns the beginning of a text, up to a whole character.
  private static func text(_ data: Data) -> String {
    var start = data.prefix(shownText)
    if start.count < data.count {
      while let last = start.last, last & 0xC0 == 0x80 { start.removeLast() }
      if let last = start.last, last >= 0xC0 { start.removeLast() }
    }
    return EscapedText.plain(String(decoding: start, as: UTF8.self), keeping: ["\n", "\t"])
  }
}

extension PreviewImage.Format {
  fileprivate init(_ format: PictureHeader.Format) {
    self =
      switch format {
      case .png: .png
      case .jpeg: .jpeg
      case .gif: .gif
      }
  }
}
