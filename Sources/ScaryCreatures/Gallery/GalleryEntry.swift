// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTMLPages
import PNGImages
import PropertyListFormat

/// A creature as data for the page.
struct GalleryEntry {
  /// The number, with a suffix if it is not unique.
  let name: String
  let number: Int
  let title: String
  let rating: GalleryRating
  let modified: GalleryDate?
  let thumbnail: GalleryPicture?
  let fullImage: GalleryPicture?

  /// The image of the card: the thumbnail, or else the full image.
  var cardPicture: GalleryPicture? {
    [thumbnail, fullImage].compactMap { $0 }.first(where: \.isShown)
  }

  /// The image of the viewer: the full image, or else the thumbnail.
  var viewerPicture: GalleryPicture? {
    [fullImage, thumbnail].compactMap { $0 }.first(where: \.isShown)
  }

  /// The images that not all browsers can display. The page offers them for download.
  var downloads: [GalleryPicture] {
    [fullImage, thumbnail].compactMap { $0 }.filter { !$0.isShown }
  }
}

/// HTML that cards and viewers share.
extension GalleryEntry {
  /// The title, isolated so that right-to-left text and overrides do not affect the text around it.
  var titleHTML: String {
    HTMLText.isVisible(title) ? "<bdi>\(HTMLText.escaped(title))</bdi>" : "<i>Untitled</i>"
  }

  /// The alternative text of the image.
  var pictureText: String {
    HTMLText.isVisible(title) ? "Picture of \(HTMLText.plain(title))" : "Picture of an untitled creature"
  }

  /// An image that the browser loads when it comes into view.
  func image(_ picture: GalleryPicture, _ attributes: String = "") -> String {
    let more = attributes.isEmpty ? "" : " \(attributes)"
    return "<img src=\"\(picture.path)\" alt=\"\(pictureText)\"\(more) loading=\"lazy\" decoding=\"async\"/>"
  }

  /// The image of the viewer. Browsers that display the format of the full image show that one, and others the thumbnail.
  func viewerImage(_ picture: GalleryPicture) -> String {
    guard let full = fullImage, let type = full.mediaType else { return image(picture) }
    return "<picture><source srcset=\"\(full.path)\" type=\"\(type)\"/>\(image(picture))</picture>"
  }

  /// Five faces, and the rating as text for screen readers. Without a rating, the text is visible.
  var facesHTML: String {
    let drawing = GalleryDrawings.use("h\(rating.halves)")
    return "<p class=\"faces\">\(drawing)<span\(rating.sortKey > 0 ? " class=\"sr\"" : "")>\(rating.words)</span></p>"
  }

  /// The number and the day.
  var metaHTML: String {
    let day = modified.map { "<time datetime=\"\($0.day)\">\($0.words)</time>" } ?? ""
    return "<p class=\"meta\"><span>No. \(number)</span>\(day)</p>"
  }
}

/// The card of a creature in the grid.
struct GalleryCard {
  let entry: GalleryEntry

  /// The list item.
  var html: String {
    let size = "width=\"214\" height=\"214\""
    let image =
      entry.cardPicture.map { entry.image($0, size) } ?? "<div class=\"blank\">\(GalleryDrawings.use("peek"))</div>"
    let text = "<div class=\"text\"><h2>\(entry.titleHTML)</h2>\(entry.facesHTML)\(entry.metaHTML)</div>"
    var html = "<li class=\"card r\(entry.rating.points)\" id=\"c\(entry.name)\">"
    if entry.viewerPicture != nil {
      html += "<a class=\"open\" href=\"#p\(entry.name)\">\(image)\(text)</a>"
    } else {
      html += "<div class=\"open\">\(image)\(text)</div>"
    }
    if !entry.downloads.isEmpty {
      html += "<div class=\"gets\">\(entry.downloads.map(download).joined())</div>"
    }
    return html + "</li>\n"
  }

  /// A link to a file that browsers cannot display. Space is short, so only a thumbnail, the rarer case, is labeled.
  private func download(_ picture: GalleryPicture) -> String {
    let format = picture.formatName ?? "File"
    let isFull = picture.path == entry.fullImage?.path
    let kind = isFull ? "<span class=\"sr\">full picture, </span>" : "small picture, "
    return "<a class=\"get\" href=\"\(picture.path)\" download=\"\">\(GalleryDrawings.use("down"))"
      + "<span><span class=\"sr\">Download </span>\(kind)\(format)"
      + "<span class=\"sr\"> of creature \(entry.number)</span></span></a>"
  }
}

/// The full image of a creature, displayed over the page while the address ends in its anchor. Browsers load the image
/// the first time.
struct GalleryViewer {
  let entry: GalleryEntry
  /// The names of its neighbors.
  let previous: String?
  let next: String?

  /// A section with the role of a dialog; empty without a displayable image.
  var html: String {
    guard let picture = entry.viewerPicture else { return "" }
    var links = ""
    if let previous { links += link("p\(previous)", "back", "Previous picture", " rel=\"prev\"") }
    links += link("c\(entry.name)", "shut", "Close", "")
    if let next { links += link("p\(next)", "on", "Next picture", " rel=\"next\"") }
    return """
      <section class="viewer" id="p\(entry.name)" role="dialog" aria-modal="true" aria-labelledby="t\(entry.name)" \
      tabindex="-1"><a class="veil" href="#c\(entry.name)" tabindex="-1" aria-hidden="true"></a>\
      <figure>\(entry.viewerImage(picture))\
      <figcaption><h2 id="t\(entry.name)">\(entry.titleHTML)</h2>\(entry.facesHTML)\(entry.metaHTML)</figcaption></figure>\
      <nav aria-label="Pictures">\(links)</nav></section>\n
      """
  }

  /// A link. The style sheet draws its icon, so that thousands of viewers need no separate drawings.
  private func link(_ target: String, _ sign: String, _ words: String, _ more: String) -> String {
    "<a class=\"\(sign)\" href=\"#\(target)\" title=\"\(words)\"\(more)><span class=\"sr\">\(words)</span></a>"
  }
}

/// Assigns each creature a unique name for its image files and anchors.
struct GalleryNames {
  private var uses: [Int: Int] = [:]

  /// The number, with the suffix `-2`, `-3` and so on if it repeats.
  mutating func name(for number: Int) -> String {
    let use = (uses[number] ?? 0) + 1
    uses[number] = use
    return use == 1 ? String(number) : "\(number)-\(use)"
  }
}

/// An image file of the page.
struct GalleryPicture {
  /// The path relative to the page.
  let path: String
  /// The name of the format for people; nil for an unknown format.
  let formatName: String?
  /// Whether all browsers display the format.
  let isShown: Bool
  /// The media type of a format that only some browsers display, such as Safari.
  let mediaType: String?

  /// The formats that browsers display in `img` elements.
  private static let shown: Set<ImageFormat> = [.png, .jpeg, .gif, .webP, .avif, .bmp]
  /// The formats that some browsers display.
  private static let shownBySome: Set<ImageFormat> = [.heic, .jpegXL, .jpeg2000, .tiff]
  /// Other image formats that are safe to open. They keep their extensions.
  private static let kept: Set<ImageFormat> = [.heic, .tiff, .ico, .icns, .jpeg2000, .jpegXL, .photoshop]

  /// Names the file by the format of its bytes. Other data get the extension `.bin`: HTML or SVG would run scripts when
  /// opened from the disk.
  init(_ data: Data, path: String) {
    let format = ImageFormat(sniffing: data)
    formatName = format?.name
    isShown = format.map(Self.shown.contains) ?? false
    mediaType = format.flatMap { Self.shownBySome.contains($0) ? $0.mediaType : nil }
    if let format, isShown || Self.kept.contains(format) {
      self.path = "\(path).\(format.fileExtension)"
    } else {
      self.path = "\(path).bin"
    }
  }
}

/// A rating on the page.
enum GalleryRating: Equatable {
  /// 0.
  case none
  /// More than 0, and up to 5.
  case valid(Float)
  /// A value that is not a number or not from 0 to 5.
  case invalid

  init(_ rating: Float) {
    switch rating {
    case 0: self = .none
    case _ where rating > 0 && rating <= 5: self = .valid(rating)
    default: self = .invalid
    }
  }

  /// The whole points, not rounded. The filter uses them, and so finds the creatures of a query with a minimum rating.
  var points: Int { Int(sortKey) }

  /// The rating itself; 0 without a valid rating.
  var sortKey: Float {
    if case .valid(let rating) = self { return rating }
    return 0
  }

  /// The tenths of a point, rounded; 0 only without a valid rating.
  private var tenths: Int { sortKey == 0 ? 0 : max(1, Int(sortKey * 10 + 0.5)) }

  /// The number of colored half faces, 0 to 10, rounded; 0 only without a valid rating.
  var halves: Int { tenths == 0 ? 0 : max(1, (tenths * 2 + 5) / 10) }

  /// The text for screen readers.
  var words: String {
    switch self {
    case .none: "not rated"
    case .valid where tenths % 10 == 0: "rating \(tenths / 10) of 5"
    case .valid: "rating \(tenths / 10).\(tenths % 10) of 5"
    case .invalid: "no valid rating"
    }
  }
}

/// A date on the page: its day in universal time, which does not depend on the system.
struct GalleryDate {
  /// The seconds since 1970. Sorting uses them.
  let seconds: Double
  /// The day, such as `2018-08-06`.
  let day: String
  /// The day for people, such as `6 Aug 2018`.
  let words: String

  private static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Creates a date; nil if its year does not have four digits.
  init?(_ date: Date) {
    seconds = date.timeIntervalSince1970
    // From the year 1000 to the end of 9999.
    guard seconds >= -30_610_224_000, seconds < 253_402_300_800 else { return nil }
    day = String(DateText.iso8601(date.timeIntervalSinceReferenceDate.rounded(.down)).prefix(10))
    let numbers = day.split(separator: "-").compactMap { Int($0) }
    words = "\(numbers[2]) \(Self.months[numbers[1] - 1]) \(numbers[0])"
  }
}
