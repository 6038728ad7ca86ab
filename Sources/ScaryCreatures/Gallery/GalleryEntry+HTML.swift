// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages

/// Pieces of the page that a card and a viewer have in common.
extension GalleryEntry {
  /// The title, isolated so that right-to-left text and overrides in it stay in it.
  var titleHTML: String {
    HTMLText.isVisible(title) ? "<bdi>\(HTMLText.escaped(title))</bdi>" : "<i>Untitled</i>"
  }

  /// What is read aloud in place of the picture.
  var pictureText: String {
    HTMLText.isVisible(title) ? "Picture of \(HTMLText.plain(title))" : "Picture of an untitled creature"
  }

  /// Five faces, and the rating in words for those who do not see them. Without a rating the words are there for all.
  var facesHTML: String {
    let drawing = GalleryDrawings.use("h\(rating.halves)")
    return "<p class=\"faces\">\(drawing)<span\(rating.sortKey > 0 ? " class=\"sr\"" : "")>\(rating.words)</span></p>"
  }

  /// Number and day.
  var metaHTML: String {
    let day = modified.map { "<time datetime=\"\($0.day)\">\($0.words)</time>" } ?? ""
    return "<p class=\"meta\"><span>No. \(number)</span>\(day)</p>"
  }
}
