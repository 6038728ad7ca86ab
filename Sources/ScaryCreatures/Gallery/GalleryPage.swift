// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The page as text.
///
/// It is written so that a reader of XML understands it as well: every element is closed, every attribute quoted.
struct GalleryPage {
  let title: String
  /// By number.
  let entries: [GalleryEntry]

  /// What a page without a visible title is called.
  private var heading: String { HTMLText.isVisible(title) ? title : "Scary Creatures" }

  /// The whole document.
  var html: String {
    let rules = GalleryRules(entries: entries)
    let style = "\n\(GalleryStyle.text)\n\(rules.text)"
    let hash = Data(SHA256.digest(Array(style.utf8))).base64EncodedString()
    var html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy(styleHash: hash))"/>
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
    html += "</main>\n<footer class=\"foot wrap\">A still page: no scripts, no network.</footer>\n"
    let shown = entries.filter { $0.viewerPicture != nil }
    for (i, entry) in shown.enumerated() {
      let viewer = GalleryViewer(
        entry: entry, previous: i > 0 ? shown[i - 1].name : nil, next: i + 1 < shown.count ? shown[i + 1].name : nil)
      html += viewer.html
    }
    return html + "</body>\n</html>\n"
  }

  /// What the page may load: pictures from beside it and this one style sheet. On a disk some browsers have no notion of
  /// the page's own place, hence `file:`.
  private static func policy(styleHash: String) -> String {
    "default-src 'none'; img-src 'self' file:; style-src 'sha256-\(styleHash)'; base-uri 'none'; form-action 'none'"
  }

  private static func creatures(_ count: Int) -> String {
    count == 1 ? "1 creature" : "\(grouped(count)) creatures"
  }

  /// With commas between thousands.
  private static func grouped(_ count: Int) -> String {
    let digits = String(count)
    var text = ""
    for (i, digit) in digits.enumerated() {
      if i > 0, (digits.count - i) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// How many creatures are shown, for each of the filter's positions; the style sheet shows one of these.
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

  /// How to sort and what to leave out; nothing where there is nothing.
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
    return "<div class=\"bar\"><div class=\"wrap\">\n" + choice("Sort by", name: "sort", sort)
      + choice("Rating", name: "min", [Option("min-0", "All")] + ratings) + "</div></div>\n"
  }

  /// Light, dark, or what the reader's system prefers: signs, named by words that are read aloud and shown on pointing.
  private var themes: String {
    let options = [("auto", "Automatic"), ("light", "Light"), ("dark", "Dark")].map { name, words in
      Option("theme-\(name)", GalleryDrawings.use(name), more: words, hint: words)
    }
    return choice("Theme", name: "theme", options, class: " theme")
  }

  /// One of a row of radio buttons.
  private struct Option {
    let id: String
    let html: String
    /// What is only read aloud.
    let more: String
    let hint: String?

    init(_ id: String, _ html: String, more: String = "", hint: String? = nil) {
      (self.id, self.html, self.more, self.hint) = (id, html, more, hint)
    }
  }

  /// A row of radio buttons, the first of them chosen.
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
