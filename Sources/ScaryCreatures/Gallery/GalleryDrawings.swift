// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The page's own little drawings, of lines and areas only: they are sharp at every size, and printed too.
enum GalleryDrawings {
  /// What `use` elements refer to by name. It takes no room itself.
  static let sprites = """
    <svg class="sprites" aria-hidden="true"><defs>
    <symbol id="peek" viewBox="0 0 104 64">\
    <path fill="currentColor" d="M6 64C6 45 9 33 17 24L15 9l13 7C34 12 43 10 52 10s18 2 24 6l13-7-2 15c8 9 11 21 11 40z"/>\
    <circle cx="36" cy="40" r="15" fill="#fff"/><circle cx="68" cy="40" r="15" fill="#fff"/>\
    <circle cx="39" cy="42" r="8" fill="#2a2140"/><circle cx="65" cy="42" r="8" fill="#2a2140"/>\
    <circle cx="36.5" cy="39" r="2.5" fill="#fff"/><circle cx="62.5" cy="39" r="2.5" fill="#fff"/>\
    <ellipse class="lid" cx="36" cy="40" rx="15.5" ry="15.5" fill="currentColor"/>\
    <ellipse class="lid" cx="68" cy="40" rx="15.5" ry="15.5" fill="currentColor"/></symbol>
    \(icons)
    \(GalleryFaces.symbols)
    </defs></svg>\n
    """

  /// Signs of the controls.
  private static let icons = """
    <symbol id="auto" viewBox="0 0 20 20"><path fill="currentColor" fill-rule="evenodd" \
    d="M10 2a8 8 0 1 1 0 16a8 8 0 1 1 0-16zM10 3.8v12.4a6.2 6.2 0 0 0 0-12.4z"/></symbol>
    <symbol id="light" viewBox="0 0 20 20"><circle cx="10" cy="10" r="4" fill="currentColor"/><path \
    stroke="currentColor" stroke-width="1.8" stroke-linecap="round" d="M10 1.9v1.6M10 16.5v1.6M1.9 10h1.6\
    M16.5 10h1.6M4.27 4.27l1.13 1.13M14.6 14.6l1.13 1.13M4.27 15.73l1.13-1.13M14.6 5.4l1.13-1.13"/>\
    </symbol>
    <symbol id="dark" viewBox="0 0 20 20"><path fill="currentColor" \
    d="M8.3 2.4a7.8 7.8 0 1 0 9.3 9.3a6.3 6.3 0 0 1-9.3-9.3z"/></symbol>
    <symbol id="down" viewBox="0 0 20 20"><path fill="none" stroke="currentColor" stroke-width="2.2" \
    stroke-linecap="round" stroke-linejoin="round" d="M10 3v10M5.5 9l4.5 4.5 4.5-4.5M4 17h12"/></symbol>
    """

  /// One of the drawings, by its name. Words beside it say what it means.
  static func use(_ name: String, class: String? = nil) -> String {
    "<svg\(`class`.map { " class=\"\($0)\"" } ?? "") aria-hidden=\"true\"><use href=\"#\(name)\"/></svg>"
  }

  /// A sleeping ghost with a few words, and below them perhaps a way out.
  static func hush(_ classes: String, _ title: String, _ text: String, _ more: String = "") -> String {
    """
    <div class="\(classes)"><svg viewBox="0 0 140 132" aria-hidden="true">\
    <ellipse class="shade" cx="62" cy="125" rx="38" ry="5"/>\
    <path class="ghost" d="M16 60c0-29 20-48 46-48s46 19 46 48v48q-9.2 13-18.4 0t-18.4 0-18.4 0-18.4 0-18.4 0z"/>\
    <ellipse cx="37" cy="72" rx="7" ry="4.5" fill="#f6a9b4"/><ellipse cx="87" cy="72" rx="7" ry="4.5" fill="#f6a9b4"/>\
    <path fill="none" stroke="#2a2140" stroke-width="4" stroke-linecap="round" d="M36 58q7 7 14 0M74 58q7 7 14 0"/>\
    <ellipse cx="62" cy="76" rx="4.5" ry="5.5" fill="#2a2140"/>\
    <path class="zs" d="M114 34h10l-10 12h10M128 14h8l-8 9.5h8"/></svg>\
    <h2>\(title)</h2><p>\(text)</p>\(more)</div>\n
    """
  }
}
