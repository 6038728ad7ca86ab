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

/// What there is to see in the data of an archive, with an end to it: a page holds so much and no more.
struct DataPreviews {
  /// A picture of more bytes is not put into a page.
  static let largestImage = 4 << 20
  /// What all pictures may have together.
  private var imageRoom = 24 << 20
  /// What all archives and property lists inside of data may have together, and how many there may be.
  private var insideRoom: Int
  private var insideCount = 2000
  /// How many bytes of data are shown as they are, and how much of its text.
  private static let shownBytes = 256, shownText = 4000

  init(of archive: KeyedArchive) { insideRoom = 4 * max(archive.propertyList.bytes.count, 1 << 16) }

  /// What data holds that has rows of its own.
  enum Inside {
    case archive(KeyedArchive, top: [KeyedArchive.Entry])
    case list(PropertyList)
  }

  /// Looks at data; `mayOpen` says whether archives and lists are opened.
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
    guard let image = PreviewImage(data) else {
      preview.note = "A picture without a sound header, or one too large to be drawn."
      return
    }
    guard data.count <= Self.largestImage, data.count <= imageRoom else {
      preview.note =
        "A picture of \(image.width) × \(image.height) pixels that is not part of this page, for it has too many bytes; "
        + "'keyedarchive get --raw' writes it."
      return
    }
    imageRoom -= data.count
    preview.image = image
  }

  private mutating func open(_ data: Data, _ preview: Preview, _ mayOpen: Bool) -> (Preview, Inside?) {
    var preview = preview
    guard mayOpen, data.count <= insideRoom, insideCount > 0 else {
      preview.note =
        "What is inside is not shown: archives are opened \(OutlineReader.mostLevels - 1) deep, and only so many."
      return (preview, nil)
    }
    insideRoom -= data.count
    insideCount -= 1
    guard let list = try? PropertyList(data) else {
      preview.note = "It begins as a property list does, but it is damaged."
      return (preview, nil)
    }
    guard let archive = try? KeyedArchive(list, archivers: .any), let top = try? archive.top else {
      return (preview, .list(list))
    }
    preview.isArchive = true
    return (preview, .archive(archive, top: top))
  }

  /// The beginning of data that is text; a character is not cut in two.
  private static func text(_ data: Data) -> String {
    var start = data.prefix(shownText)
    if start.count < data.count {
      while let last = start.last, last & 0xC0 == 0x80 { start.removeLast() }
      if let last = start.last, last >= 0xC0 { start.removeLast() }
    }
    return EscapedText.plain(String(decoding: start, as: UTF8.self), keeping: ["\n", "\t"])
  }
}
