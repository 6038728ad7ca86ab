// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A creature's card in the grid.
struct GalleryCard {
  let entry: GalleryEntry

  /// A list item.
  var html: String {
    let image =
      entry.cardPicture.map {
        "<img src=\"\($0.path)\" alt=\"\(entry.pictureText)\" width=\"214\" height=\"214\" loading=\"lazy\" decoding=\"async\"/>"
      } ?? "<div class=\"blank\"></div>"
    let text = "<div class=\"text\"><h2>\(entry.titleHTML)</h2>\(entry.facesHTML)\(entry.metaHTML)</div>"
    var html = "<li class=\"card r\(entry.rating.points)\" id=\"c\(entry.name)\">"
    if entry.viewerPicture != nil {
      html += "<a class=\"open\" href=\"#p\(entry.name)\">\(image)\(text)</a>"
    } else {
      html += image + text
    }
    for picture in entry.downloads {
      let format = picture.formatName.map { " (\($0))" } ?? ""
      let kind = picture.path == entry.fullImage?.path ? "full picture" : "small picture"
      html += "<a class=\"get\" href=\"\(picture.path)\" download=\"\">Download \(kind)\(format)"
      html += "<span class=\"sr\"> of creature \(entry.number)</span></a>"
    }
    return html + "</li>\n"
  }
}
