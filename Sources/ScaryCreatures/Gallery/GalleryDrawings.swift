// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The page's own little drawings.
enum GalleryDrawings {
  /// Someone who looks over the heading's line, and blinks.
  static let logo = """
    <svg class="logo" viewBox="0 0 104 64" aria-hidden="true">\
    <path fill="currentColor" d="M6 64C6 45 9 33 17 24L15 9l13 7C34 12 43 10 52 10s18 2 24 6l13-7-2 15c8 9 11 21 11 40z"/>\
    <circle cx="36" cy="40" r="15" fill="#fff"/><circle cx="68" cy="40" r="15" fill="#fff"/>\
    <circle cx="39" cy="42" r="8" fill="#2a2140"/><circle cx="65" cy="42" r="8" fill="#2a2140"/>\
    <circle cx="36.5" cy="39" r="2.5" fill="#fff"/><circle cx="62.5" cy="39" r="2.5" fill="#fff"/>\
    <ellipse class="lid" cx="36" cy="40" rx="15.5" ry="15.5" fill="currentColor"/>\
    <ellipse class="lid" cx="68" cy="40" rx="15.5" ry="15.5" fill="currentColor"/>\
    </svg>
    """

  /// A sleeping ghost with a few words.
  static func hush(_ classes: String, _ title: String, _ text: String) -> String {
    """
    <div class="\(classes)"><svg viewBox="0 0 120 120" aria-hidden="true">\
    <path fill="currentColor" d="M60 10c27 0 42 19 42 46v46c0 5-5 8-9 5l-10-8-11 10c-3 3-7 3-10 0l-9-9-9 9\
    c-3 3-7 3-10 0L29 99l-8 8c-4 3-9 0-9-5V56C12 29 33 10 60 10z"/>\
    <path fill="none" stroke="#2a2140" stroke-width="4.5" stroke-linecap="round" d="M33 56q8 8 16 0M69 56q8 8 16 0"/>\
    <ellipse cx="59" cy="76" rx="5" ry="6" fill="#2a2140"/></svg>\
    <h2>\(title)</h2><p>\(text)</p></div>\n
    """
  }
}
