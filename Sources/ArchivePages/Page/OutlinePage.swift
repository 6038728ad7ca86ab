// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An outline as a page to explore in a browser: one file, its own script and style sheet, and nothing from anywhere else.
///
/// The rows stand in the page as JSON. The script makes elements of those that are to be seen and of no others, so a page
/// of a hundred thousand rows opens as quickly as one of ten. It makes them of text only: the page's policy lets it use
/// nothing that reads markup, and lets the browser run no other script.
package struct OutlinePage {
  private let outline: Outline
  private let depth: Int?

  /// Prepares a page on which so many levels are unfolded at first; as many as fit if nil.
  package init(_ outline: Outline, unfolding depth: Int? = nil) {
    self.outline = outline
    self.depth = depth
  }

  /// The whole document.
  package var data: Data {
    let style = "\n\(OutlineStyle.text)\n"
    let script = "\n\(OutlineScript.text)\n"
    let head = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(Self.policy(style: style, script: script))">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>\(HTMLText.plain(outline.title))</title>
      <style>\(style)</style>
      </head>
      <body>
      <header>
      <div class="names">
      <h1><bdi>\(HTMLText.escaped(outline.title))</bdi></h1>
      <p class="facts">\(outline.facts.map { "<bdi>\(HTMLText.escaped($0))</bdi>" }.joined(separator: " · "))</p>
      </div>
      <div class="find" role="search">
      <label class="sr" for="query">Search keys, values and classes</label>
      <input id="query" type="search" placeholder="Search" autocomplete="off" autocapitalize="off" spellcheck="false" \
      maxlength="500" aria-keyshortcuts="/" aria-controls="tree">
      <kbd aria-hidden="true">/</kbd>
      <output id="found" for="query"></output>
      </div>
      <div class="tools">
      <button id="fold" type="button" title="Fold everything">Fold</button>
      <button id="unfold" type="button" title="Unfold everything">Unfold</button>
      <button id="theme" type="button" title="Light, dark, or as the system">Auto</button>
      <button id="help" type="button" title="Keys" aria-keyshortcuts="?">?</button>
      </div>
      </header>
      \(remarks)\
      <noscript><p class="remarks">The outline is drawn by a script in this page, and scripts are off.</p></noscript>
      <main>
      <section class="classes" aria-labelledby="classes-title"><h2 id="classes-title">Classes</h2>
      <div id="classes"></div></section>
      <div id="tree" class="tree" role="tree" tabindex="0" aria-label="Outline of the archive">\
      <div id="rows" role="none"></div>\
      <p id="none" hidden>Nothing in this archive matches.</p></div>
      <section id="details" class="details" aria-label="Selected value" tabindex="0"></section>
      </main>
      \(Self.keys)
      <script type="application/json" id="data">
      """
    var bytes = Array(head.utf8)
    var json = OutlineJSON(outline, unfolding: depth)
    json.write(to: &bytes)
    bytes += Array("</script>\n<script>\(script)</script>\n</body>\n</html>\n".utf8)
    return Data(bytes)
  }

  private var remarks: String {
    guard !outline.remarks.isEmpty else { return "" }
    let items = outline.remarks.map { "<li><bdi>\(HTMLText.escaped($0))</bdi></li>" }.joined()
    return "<ul class=\"remarks\" aria-label=\"Remarks\">\(items)</ul>\n"
  }

  /// What the page may do: run its own script, use its own style sheet, and show pictures that are in it. The last two
  /// rules take away from scripts what makes markup of text.
  private static func policy(style: String, script: String) -> String {
    func hash(_ text: String) -> String { "'sha256-\(Data(SHA256.digest(Array(text.utf8))).base64EncodedString())'" }
    return "default-src 'none'; img-src data:; style-src \(hash(style)); script-src \(hash(script)); base-uri 'none'; "
      + "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  }

  private static let keys = """
    <dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
    <dl>
    <div><dt><kbd>↑</kbd> <kbd>↓</kbd></dt>
    <dd>row by row; with <kbd>Page</kbd>, <kbd>Home</kbd> and <kbd>End</kbd> further</dd></div>
    <div><dt><kbd>→</kbd> <kbd>←</kbd></dt><dd>unfold and go inside; fold and go outside</dd></div>
    <div><dt><kbd>Enter</kbd></dt><dd>follow a link, fold or unfold</dd></div>
    <div><dt><kbd>*</kbd></dt><dd>unfold all beside a row</dd></div>
    <div><dt><kbd>/</kbd></dt><dd>search; <kbd>Enter</kbd> or <kbd>↓</kbd> goes to what was found</dd></div>
    <div><dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next and previous match</dd></div>
    <div><dt><kbd>Esc</kbd></dt><dd>end the search and show the row in its place</dd></div>
    <div><dt><kbd>Alt</kbd> <kbd>←</kbd></dt><dd>back to where a link was followed</dd></div>
    </dl>
    <p>↑#12 is an object shown elsewhere; ↻#12 one that this row is inside of, a cycle.</p>
    <form method="dialog"><button>Close</button></form></dialog>
    """
}
