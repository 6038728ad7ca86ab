// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A creature's card in the grid.
struct GalleryCard {
  let entry: GalleryEntry

  /// A list item.
  var html: String {
    let image =
      entry.cardPicture.map {
        "<img src=\"\($0.path)\" alt=\"\(entry.pictureText)\" width=\"214\" height=\"214\" loading=\"lazy\" decoding=\"async\"/>"
      } ?? "<div class=\"blank\">\(GalleryDrawings.use("peek"))</div>"
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

  /// A link to a file that cannot be shown. There is little room, so that only the rarer small picture is called so.
  private func download(_ picture: GalleryPicture) -> String {
    let format = picture.formatName ?? "File"
    let isFull = picture.path == entry.fullImage?.path
    let kind = isFull ? "<span class=\"sr\">full picture, </span>" : "small picture, "
    return "<a class=\"get\" href=\"\(picture.path)\" download=\"\">\(GalleryDrawings.use("down"))"
      + "<span><span class=\"sr\">Download </span>\(kind)\(format)"
      + "<span class=\"sr\"> of creature \(entry.number)</span></span></a>"
  }
}
