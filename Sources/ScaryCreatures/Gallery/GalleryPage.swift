// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import HTMLPages

/// The page.
///
/// The HTML is also well-formed XML: every element is closed and every attribute is quoted.
struct GalleryPage {
  let title: String
  /// The creatures, sorted by number.
  let entries: [GalleryEntry]

  /// The heading, with a default for a title without visible characters.
  private var heading: String { HTMLText.isVisible(title) ? title : "Scary Creatures" }

  /// The HTML document.
  var html: String {
    let rules = GalleryRules(entries: entries)
    let style = "\n\(GalleryStyle.text)\n\(rules.text)"
    let script = "\n\(GalleryScript.text)\n"
    var html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy(style: style, script: script))"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <meta name="referrer" content="no-referrer"/>
      <title>\(HTMLText.plain(heading))</title>
      <style>\(style)</style>
      </head>
      <body>
      \(GalleryDrawings.sprites)\
      <header class="top wrap">
      <div class="brand">
      \(GalleryDrawings.use("peek", class: "logo"))
      <div class="names">
      <h1><bdi>\(HTMLText.escaped(heading))</bdi></h1>
      \(counts(rules))
      </div>
      \(themes)
      </div>
      </header>
      \(controls(rules))\
      <main class="wrap">\n
      """
    if entries.isEmpty {
      html += GalleryDrawings.hush(
        "hush", "No creatures yet", "All is quiet. Whatever joins the library will show up here.")
    } else {
      html += "<ul class=\"grid\">\n"
      for entry in entries { html += GalleryCard(entry: entry).html }
      html += "</ul>\n"
      html += GalleryDrawings.hush(
        "hush none", "Nothing that scary", "No creature has so high a rating. Ask for less, or feed them well.",
        "<label class=\"all\" for=\"min-0\">Show all creatures</label>")
    }
    html += "</main>\n<footer class=\"foot wrap\">A still page without network.</footer>\n"
    let shown = entries.filter { $0.viewerPicture != nil }
    for (i, entry) in shown.enumerated() {
      let viewer = GalleryViewer(
        entry: entry, previous: i > 0 ? shown[i - 1].name : nil, next: i + 1 < shown.count ? shown[i + 1].name : nil)
      html += viewer.html
    }
    if !shown.isEmpty { html += "<script>\(script)</script>\n" }
    return html + "</body>\n</html>\n"
  }

  /// The content security policy: images beside the page, this style sheet and this script, which cannot create markup
  /// from text. Some browsers do not treat files on the disk as the page's origin, so `file:` is allowed.
  private static func policy(style: String, script: String) -> String {
    func hash(_ text: String) -> String { "'sha256-\(Data(SHA256.digest(Array(text.utf8))).base64EncodedString())'" }
    return "default-src 'none'; img-src 'self' file:; style-src \(hash(style)); script-src \(hash(script)); "
      + "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  }

  private static func creatures(_ count: Int) -> String {
    count == 1 ? "1 creature" : "\(grouped(count)) creatures"
  }

  /// Formats a number with commas between thousands.
  private static func grouped(_ count: Int) -> String {
    let digits = String(count)
    var text = ""
    for (i, digit) in digits.enumerated() {
      if i > 0, (digits.count - i) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// The numbers of creatures for each position of the filter. The style sheet displays one of them.
  private func counts(_ rules: GalleryRules) -> String {
    var html = "<p class=\"count\" role=\"status\">"
    let total = Self.creatures(entries.count)
    for points in 0...GalleryRules.highest where points == 0 || !entries.isEmpty {
      html += "<span class=\"k\(points)\">"
      html += points == 0 ? total : "\(Self.grouped(rules.count(atLeast: points))) of \(total)"
      html += "</span>"
    }
    return html + "</p>"
  }

  /// The controls for sorting and filtering; empty without creatures.
  private func controls(_ rules: GalleryRules) -> String {
    guard !entries.isEmpty else { return "" }
    let sort: [Option] = [
      Option("by-number", "Number"), Option("by-title", "Title"),
      Option("by-rating", "Rating", more: ", highest first"), Option("by-date", "Date", more: ", newest first"),
    ]
    let ratings = (1...GalleryRules.highest).map {
      Option(
        "min-\($0)", $0 == GalleryRules.highest ? "\($0)" : "\($0)+",
        more: " (\(Self.creatures(rules.count(atLeast: $0))))")
    }
    return "<section class=\"bar\" aria-label=\"Sort and filter\"><div class=\"wrap\">\n"
      + choice("Sort by", name: "sort", sort)
      + choice("Rating", name: "min", [Option("min-0", "All")] + ratings) + "</div></section>\n"
  }

  /// The themes: automatic, light and dark. Each icon has a label for screen readers and a tooltip.
  private var themes: String {
    let options = [("auto", "Automatic"), ("light", "Light"), ("dark", "Dark")].map { name, words in
      Option("theme-\(name)", GalleryDrawings.use(name), more: words, hint: words)
    }
    return choice("Theme", name: "theme", options, class: " theme")
  }

  /// A radio button.
  private struct Option {
    let id: String
    let html: String
    /// Text for screen readers only.
    let more: String
    let hint: String?

    init(_ id: String, _ html: String, more: String = "", hint: String? = nil) {
      (self.id, self.html, self.more, self.hint) = (id, html, more, hint)
    }
  }

  /// A group of radio buttons with the first one checked.
  private func choice(_ label: String, name: String, _ options: [Option], class: String = "") -> String {
    var html = "<div class=\"choice\(`class`)\" role=\"radiogroup\" aria-labelledby=\"\(name)\">"
    html += "<span class=\"name\" id=\"\(name)\">\(label)</span><div class=\"seg\">"
    for (i, option) in options.enumerated() {
      let checked = i == 0 ? " checked=\"checked\"" : ""
      let more = option.more.isEmpty ? "" : "<span class=\"sr\">\(option.more)</span>"
      let hint = option.hint.map { " title=\"\($0)\"" } ?? ""
      html += "<label\(hint)><input type=\"radio\" name=\"\(name)\" id=\"\(option.id)\"\(checked)/>"
      html += "\(option.html)\(more)</label>"
    }
    return html + "</div></div>\n"
  }
}

/// The style rules for filtering and sorting.
struct GalleryRules {
  /// The highest rating of the filter.
  static let highest = 5

  let entries: [GalleryEntry]

  /// The number of creatures with at least `points` points.
  func count(atLeast points: Int) -> Int {
    entries.count { $0.rating.points >= points }
  }

  /// The style rules as text.
  var text: String {
    var text = ""
    for points in 1...Self.highest {
      let on = "body:has(#min-\(points):checked)"
      text +=
        "\(on) .card:is(\((0..<points).map { ".r\($0)" }.joined(separator: ","))),\(on) .count>.k0{display:none}\n"
      text += "\(on) .count>.k\(points)\(count(atLeast: points) == 0 ? ",\(on) .none" : ""){display:block}\n"
    }
    for (name, property) in [("title", "t"), ("rating", "r"), ("date", "d")] {
      text += "body:has(#by-\(name):checked) .card{order:var(--\(property))}\n"
    }
    let byTitle = ranks(by: titleKeys) { $0 < $1 }
    let byRating = ranks(by: entries.map(\.rating.sortKey)) { $0 > $1 }
    let byDate = ranks(by: entries.map { $0.modified?.seconds ?? -.infinity }) { $0 > $1 }
    for (i, entry) in entries.enumerated() {
      text += "#c\(entry.name){--t:\(byTitle[i]);--r:\(byRating[i]);--d:\(byDate[i])}\n"
    }
    return text
  }

  /// The sort keys of titles: without regard to case and language. Titles without visible characters come last.
  private var titleKeys: [TitleKey] {
    entries.map { TitleKey(isEmpty: !HTMLText.isVisible($0.title), text: TitleText.folded($0.title)) }
  }

  private struct TitleKey {
    let isEmpty: Bool
    let text: String

    static func < (a: TitleKey, b: TitleKey) -> Bool {
      a.isEmpty == b.isEmpty ? a.text < b.text : b.isEmpty
    }
  }

  /// The rank of each element. Equal elements stay in order.
  private func ranks<Key>(by keys: [Key], _ isBefore: (Key, Key) -> Bool) -> [Int] {
    let order = keys.indices.sorted { a, b in
      if isBefore(keys[a], keys[b]) { return true }
      return !isBefore(keys[b], keys[a]) && a < b
    }
    var ranks = [Int](repeating: 0, count: keys.count)
    for (rank, i) in order.enumerated() { ranks[i] = rank }
    return ranks
  }
}
