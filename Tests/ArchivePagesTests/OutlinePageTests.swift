// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import Foundation
import HTMLPages
import TestSupport
import Testing

/// A page parsed as text, independently of its writer.
struct PageText {
  let text: String

  init(_ outline: Outline, unfolding depth: Int? = nil) {
    text = String(decoding: OutlinePage(outline, unfolding: depth).data, as: UTF8.self)
  }

  /// Returns the text between two markers; the first must occur once.
  func between(_ start: String, _ end: String) throws -> String {
    let parts = text.components(separatedBy: start)
    try #require(parts.count == 2, "\(start) \(parts.count - 1) times")
    return try #require(parts[1].components(separatedBy: end).first)
  }

  /// The JSON, parsed by Foundation.
  var json: [String: Any] {
    get throws {
      let text = try between("<script type=\"application/json\" id=\"data\">", "</script>")
      return try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }
  }
}

@Suite("OutlinePage")
struct OutlinePageTests {
  @Test("its policy allows one script, one style sheet and embedded images, and no loading")
  func policy() throws {
    let page = PageText(.ring)
    let style = try page.between("<style>", "</style>")
    let script = try page.between("</script>\n<script>", "</script>")
    func hash(_ text: String) -> String { Data(SHA256.digest(Array(text.utf8))).base64EncodedString() }
    let policy = try page.between("http-equiv=\"Content-Security-Policy\" content=\"", "\"")
    #expect(
      policy == """
        default-src 'none'; img-src data:; style-src 'sha256-\(hash(style))'; script-src 'sha256-\(hash(script))'; \
        base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'
        """)
    // Ignore comments.
    let code = page.text.split(separator: "\n").filter { !$0.trimmingPrefix(while: { $0 == " " }).hasPrefix("// ") }
    for address in ["http:", "https:", "//", "@import", "url("] {
      #expect(!code.contains { $0.contains(address) }, "\(address)")
    }
    for sink in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function("] {
      #expect(!script.contains(sink), "\(sink)")
    }
  }

  /// The contrast of two colors by WCAG 2.2.
  private static func contrast(_ a: String, _ b: String) throws -> Double {
    func luminance(_ color: String) throws -> Double {
      let digits = color.count == 4 ? color.dropFirst().map { "\($0)\($0)" }.joined() : String(color.dropFirst())
      let number = try #require(Int(digits, radix: 16))
      let parts = [number >> 16, number >> 8 & 0xFF, number & 0xFF].map { part in
        let value = Double(part) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
      }
      return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
    }
    let (x, y) = (try luminance(a), try luminance(b))
    return (max(x, y) + 0.05) / (min(x, y) + 0.05)
  }

  @Test("its texts have enough contrast on all backgrounds, in both themes", arguments: ["light", "dark"])
  func contrast(theme: String) throws {
    let style = try PageText(.ring).between("<style>", "</style>")
    let rules = theme == "light" ? ":root{" : ":root[data-theme=dark]{"
    let block = try #require(style.components(separatedBy: "\n").first { $0.hasPrefix(rules) })
    var colors: [String: String] = [:]
    for match in block.matches(of: /--([a-z0-9]+):(#[0-9a-f]{3,6})[;}]/) { colors[String(match.1)] = String(match.2) }
    let classes = (0..<12).map { "c\($0)" }
    for text in ["ink", "soft", "text", "number", "wrong", "accent"] + classes {
      // `Palette` promises more than the rule.
      let least = classes.contains(text) ? 4.6 : 4.5
      for background in ["box", "pick", "over", "paper", "well"] {
        let (color, behind) = (try #require(colors[text]), try #require(colors[background]))
        #expect(try Self.contrast(color, behind) >= least, "\(text) on \(background)")
      }
    }
    #expect(try Self.contrast(try #require(colors["ink"]), try #require(colors["mark"])) >= 4.5)
    // A text that is paler than its color, or a mark that keeps it, would have less.
    #expect(style.contains("mark{background:var(--mark);color:var(--ink);"))
    let pale = style.matches(of: /opacity:\.?[0-9.]+/).map { String($0.0) }
    #expect(pale.filter { $0 != "opacity:1" } == [])
  }

  @Test("its buttons have names, and its tree has only rows")
  func names() throws {
    let page = PageText(.ring).text
    #expect(page.contains(/<button id="theme"[^>]* aria-label="Theme: Auto"/))
    #expect(page.contains(/<button id="help"[^>]* aria-label="Keys"/))
    #expect(page.contains(/<output id="found"[^>]* role="status"/))
    #expect(page.contains(/role="tree"[^>]*><div id="rows" role="none"><\/div><\/div>/))
  }

  @Test("has each row as seven numbers, each text once, and each preview by its row")
  func data() throws {
    var outline = Outline.ring
    var preview = Preview(byteCount: 3)
    preview.bytes = Data([1, 2, 3])
    outline.add(.init(depth: 1, label: .element(5), kind: .data, text: "<3 bytes>"), preview)
    outline.add(.init(depth: 1, label: .pair("\"a\""), kind: .string, text: "\"Boo\""))
    outline.add(.init(depth: 1, label: .pairKey(2), kind: .null))
    outline.add(.init(depth: 1, label: .pairValue(2), kind: .null))
    outline.add(.init(depth: 0, label: .path("#4.x"), kind: .null))
    let json = try PageText(outline, unfolding: 3).json
    let strings = try #require(json["strings"] as? [String])
    let rows = try #require(json["rows"] as? [Int])
    #expect(strings == ["root", "name", "\"Boo\"", "friend", "home", "rooms", "13", "<3 bytes>", "\"a\"", "#4.x"])
    #expect(Array(rows[0..<14]) == [0, 0, 8, 0, 1, -1, -1, 1, 4, 3, -1, 2, 2, -1])
    #expect(Array(rows[21..<28]) == [2, 12, 8, 0, 1, -1, 0])
    #expect(rows.dropFirst(49).enumerated().filter { $0.offset % 7 == 1 }.map(\.element) == [-7, 33, 19, 23, 38])
    #expect(rows.count == 7 * outline.rows.count)
    #expect(json["classes"] as? [[String]] == [["Zoo.Ghost", "Zoo.Ghost", "NSObject"], ["Zoo.House"]])
    #expect(json["unfold"] as? Int == 3)
    let previews = try #require(json["previews"] as? [String: [String: Any]])
    #expect(previews.keys.sorted() == ["7"])
    #expect(previews["7"]?["bytes"] as? String == "AQID" && previews["7"]?["size"] as? Int == 3)
  }

  @Test("a complete text has its size, too, because its details show it")
  func previewSizes() throws {
    var outline = Outline(title: "sizes")
    outline.add(.init(depth: 0, label: .key("whole"), kind: .string, text: "Grüße"), Preview(text: "Grüße"))
    outline.add(
      .init(depth: 0, label: .key("cut"), kind: .string, text: "Grü…"), Preview(text: "Grü", isCut: true, byteCount: 7))
    var bytes = Preview()
    bytes.bytes = Data([1, 2, 3])
    outline.add(.init(depth: 0, label: .key("bytes"), kind: .data, text: "<3 bytes>"), bytes)
    outline.add(.init(depth: 0, label: .key("date"), kind: .date, text: "2001"), Preview(date: 0))
    let previews = try #require(try PageText(outline).json["previews"] as? [String: [String: Any]])
    #expect(["0", "1", "2", "3"].map { previews[$0]?["size"] as? Int } == [7, 7, 3, nil])
  }

  @Test("rows keep their labels and texts, however many others follow")
  func manyTexts() {
    var outline = Outline(title: "many")
    for number in 0..<70_000 {
      outline.add(.init(depth: 0, label: .key("key \(number % 3)"), kind: .number, text: "\(number % 50_000)"))
    }
    let differing = outline.rows.enumerated().filter { number, row in
      row.label != .key("key \(number % 3)") || row.text != "\(number % 50_000)"
    }
    #expect(outline.rows.count == 70_000 && differing.isEmpty)
  }

  @Test("is deterministic, and shows remarks first")
  func remarks() throws {
    var outline = Outline.ring
    #expect(!PageText(outline).text.contains("<ul class=\"remarks\""))
    outline.remarks = ["one < two"]
    let page = PageText(outline)
    #expect(
      try page.between("<ul class=\"remarks\" aria-label=\"Remarks\">", "</ul>") == "<li><bdi>one &lt; two</bdi></li>")
    #expect(PageText(outline).text == page.text)
    let empty = PageText(Outline(title: ""))
    #expect(try empty.json["rows"] as? [Int] == [])
  }

  @Test("its size is at most the weight of the outline")
  func weight() {
    let empty = PageText(Outline(title: "")).text.utf8.count
    for outline in [Outline.ring, Hostile.outline] {
      var bare = outline
      (bare.title, bare.facts, bare.remarks) = ("", [], [])
      #expect(PageText(bare).text.utf8.count - empty <= bare.weight)
    }
  }
}

@Suite("Escaping in pages")
struct OutlinePageHostileTests {
  private static let page = PageText(Hostile.outline)
  private var page: PageText { Self.page }

  @Test("no text begins or ends an element, or is separated from the JSON")
  func markup() throws {
    // The page and its script create these elements; texts add none.
    let empty = PageText(Outline(title: "")).text
    func count(_ text: String, in page: String) -> Int { page.components(separatedBy: text).count - 1 }
    for mark in ["<script", "</script", "<style", "</style", "<img", "<svg", "<!--", "onerror=", "onload="] {
      let escaped = mark.hasPrefix("on") ? "\"\(mark)" : mark
      #expect(count(escaped, in: page.text) == count(escaped, in: empty), "\(mark)")
    }
    let data = try page.between("<script type=\"application/json\" id=\"data\">", "</script>")
    #expect(!data.contains { "<>&'".contains($0) })
  }

  @Test("every text is read back from the JSON, code point by code point")
  func whole() throws {
    let strings = try #require(try page.json["strings"] as? [String])
    let found = Set(strings.map { Array($0.unicodeScalars.map(\.value)) })
    for text in Hostile.texts where !text.isEmpty {
      #expect(found.contains(Array(text.unicodeScalars.map(\.value))), "\(text.prefix(40))")
    }
    #expect((try page.json["classes"] as? [[String]])?.count == Hostile.texts.count)
  }

  @Test("the page's source has no control characters and no directional characters")
  func source() throws {
    let data = try page.between("<script type=\"application/json\" id=\"data\">", "</script>")
    let title = try page.between("<title>", "</title>")
    for text in [data, title] {
      let found = text.unicodeScalars.first { scalar in
        scalar != "\n" && [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
          || (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
      }
      #expect(found == nil)
    }
    #expect(title.unicodeScalars.count < 800)
  }
}
