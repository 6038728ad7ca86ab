// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// A creature's full picture, above the page as long as the address ends in its name. The picture is loaded when that
/// happens first.
struct GalleryViewer {
  let entry: GalleryEntry
  /// The names of its neighbours.
  let previous: String?
  let next: String?

  /// A section that is a dialog; nothing without a picture to show.
  var html: String {
    guard let picture = entry.viewerPicture else { return "" }
    var links = ""
    if let previous { links += link("p\(previous)", "back", "Previous picture", " rel=\"prev\"") }
    links += link("c\(entry.name)", "shut", "Close", "")
    if let next { links += link("p\(next)", "on", "Next picture", " rel=\"next\"") }
    return """
      <section class="viewer" id="p\(entry.name)" role="dialog" aria-modal="true" aria-labelledby="t\(entry.name)" \
      tabindex="-1"><a class="veil" href="#c\(entry.name)" tabindex="-1" aria-hidden="true"></a>\
      <figure><img src="\(picture.path)" alt="\(entry.pictureText)" loading="lazy" decoding="async"/>\
      <figcaption><h2 id="t\(entry.name)">\(entry.titleHTML)</h2>\(entry.facesHTML)\(entry.metaHTML)</figcaption></figure>\
      <nav aria-label="Pictures">\(links)</nav></section>\n
      """
  }

  /// The style sheet draws the sign, so that thousands of viewers are not thousands of drawings.
  private func link(_ target: String, _ sign: String, _ words: String, _ more: String) -> String {
    "<a class=\"\(sign)\" href=\"#\(target)\" title=\"\(words)\"\(more)><span class=\"sr\">\(words)</span></a>"
  }
}
