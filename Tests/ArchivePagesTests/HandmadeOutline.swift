// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import Foundation

extension Outline {
  /// Two objects in a cycle, and a third one that both refer to.
  static var ring: Outline {
    var outline = Outline(title: "ring.plist")
    outline.facts = ["binary", "7 objects"]
    let ghost = outline.index(ofClass: "Zoo.Ghost", chain: ["Zoo.Ghost", "NSObject"])
    let house = outline.index(ofClass: "Zoo.House")
    outline.add(.init(depth: 0, label: .key("root"), kind: .object, classIndex: ghost, number: 1))
    outline.add(.init(depth: 1, label: .key("name"), kind: .string, number: 2, text: "\"Boo\""))
    outline.add(.init(depth: 1, label: .key("friend"), kind: .object, classIndex: ghost, number: 3))
    outline.add(.init(depth: 2, label: .key("friend"), kind: .object, classIndex: ghost, number: 1, home: 0))
    outline.add(.init(depth: 2, label: .key("home"), kind: .object, classIndex: house, number: 4))
    outline.add(.init(depth: 3, label: .key("rooms"), kind: .number, text: "13"))
    outline.add(.init(depth: 1, label: .key("home"), kind: .object, classIndex: house, number: 4, home: 4))
    return outline
  }
}

/// Texts with a meaning in markup, scripts, Graphviz's language or lines of text.
enum Hostile {
  static let texts = [
    "</script><script>document.title='bad'</script>", "<!--<script>", "<img src=x onerror=\"document.title='bad'\">",
    "\"><svg onload=document.title='bad'>", "javascript:document.title='bad'", "]]></style><style>*{display:none}",
    "\"; n0 -> n1; \\N \\", "&lt;b&gt; &amp; &#x202e;", "a\0b\u{1B}[2J\u{7}\r\n\u{85}\u{2028}\u{2029}c",
    "\u{202E}kcab\u{2066}\u{200F}\u{61C}\u{E0041}\u{FEFF}", "{{constructor.constructor('document.title=1')()}}",
    "__proto__", "constructor", "\u{FFFE}\u{FFFF}\u{10FFFF}\u{E000}", "e\u{301}", "\u{E9}",
    "a" + String(repeating: "\u{301}", count: 5000), String(repeating: "long ", count: 20_000), "",
  ]

  /// Each of the texts as every text of an outline.
  static var outline: Outline {
    let short = texts.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(80))) }
    var outline = Outline(title: short.joined())
    outline.facts = short
    outline.remarks = short
    outline.add(.init(depth: 0, label: .path(outline.title), kind: .object, number: 1))
    for (place, text) in texts.enumerated() {
      let name = outline.index(ofClass: text, chain: [text, text, text])
      let number = UInt32(2 * place + 2)
      let parent = outline.add(
        .init(depth: 1, label: .key(text), kind: .object, classIndex: name, number: number, text: text))
      var preview = Preview(text: text, byteCount: text.utf8.count, date: place == 0 ? .nan : 1e300)
      preview.note = text
      preview.bytes = Data(text.utf8.prefix(256))
      outline.add(.init(depth: 2, label: .pair("\"\(text)\""), kind: .string, number: number + 1, text: text), preview)
      outline.add(.init(depth: 2, label: .key(text), kind: .object, number: number, text: text, home: parent))
      outline.add(.init(depth: 2, label: .none, kind: .damaged, text: text))
    }
    return outline
  }
}
