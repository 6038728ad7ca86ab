// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// The drawings of the page. They are vector graphics, so they are sharp at every size and in print.
enum GalleryDrawings {
  /// The symbols that `use` elements refer to. The element itself is not displayed.
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

  /// The icons of the controls.
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

  /// Returns a reference to a drawing. Text beside it gives its meaning.
  static func use(_ name: String, class: String? = nil) -> String {
    "<svg\(`class`.map { " class=\"\($0)\"" } ?? "") aria-hidden=\"true\"><use href=\"#\(name)\"/></svg>"
  }

  /// Returns a sleeping ghost with a heading, a text and optional further HTML.
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

/// Ratings as five faces in a row, each more frightened than the one before. Colored faces for the rating cover pale
/// ones. No rating is one sleeping face.
enum GalleryFaces {
  /// The distance between the left edges of two faces, and the width of a face.
  private static let (step, width) = (26, 22)
  private static let row = 4 * step + width

  /// One symbol for each number of half faces, `h0` to `h10`.
  static let symbols: String = {
    var text = """
      <linearGradient id="heat" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="\(row)" y2="0">\
      <stop offset="0" stop-color="#ffd257"/><stop offset=".5" stop-color="#ff9f43"/>\
      <stop offset="1" stop-color="#f0504c"/></linearGradient>
      <g id="pale"><path class="pale" d="\(skins)"/><path class="gaps" d="\(looks)"/></g>
      <g id="heated"><path fill="url(#heat)" d="\(skins)"/><path fill="#2a2140" d="\(looks)"/></g>
      <symbol id="h0" viewBox="0 0 \(width) \(width)"><path class="pale" d="\(circle(11, 11, 11))"/>\
      <path class="nap" d="M5.5 9q2 2 4 0M12.5 9q2 2 4 0M8.5 15.5h5"/></symbol>
      """
    for halves in 1...10 {
      let colored = halves / 2 * step + halves % 2 * width / 2
      text += "\n<symbol id=\"h\(halves)\" viewBox=\"0 0 \(row) \(width)\">"
      if halves < 10 { text += "<use href=\"#pale\"/>" }
      text += "<svg width=\"\(colored)\" height=\"\(width)\"><use href=\"#heated\"/></svg></symbol>"
    }
    return text
  }()

  private static var skins: String { (0..<5).map { circle(Double($0 * step) + 11, 11, 11) }.joined() }

  /// The eyes and the mouths: a smile, a straight face, surprise, fear and a scream.
  private static var looks: String {
    func x(_ face: Int) -> Double { Double(face * step) }
    var path = ""
    for (face, (radius, y)) in [(1.5, 8.5), (1.5, 8.5), (1.7, 8.0), (1.9, 7.5), (2.2, 7.0)].enumerated() {
      path += circle(x(face) + 7, y, radius) + circle(x(face) + 15, y, radius)
    }
    path += "M\(x(0) + 5.5) 12.5q5.5 7.5 11 0q-5.5 3.5-11 0z"
    path += "M\(x(1) + 7.5) 14h7a.9.9 0 0 1 0 1.8h-7a.9.9 0 0 1 0-1.8z"
    for (face, width, height) in [(2, 2.2, 2.4), (3, 2.9, 3.5), (4, 3.6, 4.6)] {
      path += ellipse(x(face) + 11, 15.2 - height / 8, width, height)
    }
    return path
  }

  private static func circle(_ x: Double, _ y: Double, _ radius: Double) -> String { ellipse(x, y, radius, radius) }

  private static func ellipse(_ x: Double, _ y: Double, _ a: Double, _ b: Double) -> String {
    let (left, full) = (number(x - a), number(2 * a))
    return "M\(left) \(number(y))a\(number(a)) \(number(b)) 0 1 0 \(full) 0a\(number(a)) \(number(b)) 0 1 0-\(full) 0z"
  }

  /// Formats a number with at most two decimals.
  private static func number(_ value: Double) -> String {
    let hundredths = Int((value * 100).rounded())
    let (whole, rest) = (hundredths / 100, hundredths % 100)
    if rest == 0 { return "\(whole)" }
    return rest % 10 == 0 ? "\(whole).\(rest / 10)" : "\(whole).\(rest < 10 ? "0" : "")\(rest)"
  }
}
