// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import HTMLPages

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An interactive page for an outline: one file with its own script and style sheet, without external resources.
///
/// The page has the rows as JSON. The script creates elements only for visible rows, so a page of 100,000 rows opens as
/// fast as one of ten. It inserts archive text only as text: the page's policy forbids functions that parse markup, and
/// all other scripts.
package struct OutlinePage {
  private let outline: Outline
  private let depth: Int?

  /// Creates a page whose first `depth` levels are expanded; nil expands as many as fit.
  package init(_ outline: Outline, unfolding depth: Int? = nil) {
    self.outline = outline
    self.depth = depth
  }

  /// The HTML document.
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
      <output id="found" for="query" role="status"></output>
      </div>
      <div class="tools">
      <button id="fold" type="button" title="Fold everything">Fold</button>
      <button id="unfold" type="button" title="Unfold everything">Unfold</button>
      <button id="theme" type="button" aria-label="Theme: Auto" title="Light, dark, or as the system">Auto</button>
      <button id="help" type="button" aria-label="Keys" title="Keys" aria-keyshortcuts="?">?</button>
      </div>
      </header>
      \(remarks)\
      <noscript><p class="remarks">This page needs JavaScript to show the outline, and scripts are disabled.</p></noscript>
      <main>
      <section class="classes" aria-labelledby="classes-title"><h2 id="classes-title">Classes</h2>
      <div id="classes"></div></section>
      <div id="tree" class="tree" role="tree" tabindex="0" aria-label="Outline of the archive">\
      <div id="rows" role="none"></div></div>
      <p id="none" role="status" hidden>Nothing in this archive matches.</p>
      <section id="details" class="details" aria-label="Selected value" tabindex="0"></section>
      </main>
      \(Self.keys)
      <script type="application/json" id="data">
      """
    // Memory that is reserved and not used costs nothing, but data that grows can be in memory twice.
    var page = Data(capacity: head.utf8.count + outline.weight)
    page.append(contentsOf: head.utf8)
    OutlineJSON.write(outline, unfolding: depth, to: &page)
    page.append(contentsOf: "</script>\n<script>\(script)</script>\n</body>\n</html>\n".utf8)
    return page
  }

  private var remarks: String {
    guard !outline.remarks.isEmpty else { return "" }
    let items = outline.remarks.map { "<li><bdi>\(HTMLText.escaped($0))</bdi></li>" }.joined()
    return "<ul class=\"remarks\" aria-label=\"Remarks\">\(items)</ul>\n"
  }

  /// Returns the content security policy: only the page's own script, style sheet and embedded images. The last two
  /// directives forbid creating markup from text.
  private static func policy(style: String, script: String) -> String {
    func hash(_ text: String) -> String { "'sha256-\(Data(SHA256.digest(Array(text.utf8))).base64EncodedString())'" }
    return "default-src 'none'; img-src data:; style-src \(hash(style)); script-src \(hash(script)); base-uri 'none'; "
      + "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
  }

  private static let keys = """
    <dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">Keys</h2>
    <p>They act in the outline, when it has the focus.</p>
    <dl>
    <div><dt><kbd>↑</kbd> <kbd>↓</kbd></dt>
    <dd>previous or next row; <kbd>Page</kbd>, <kbd>Home</kbd> and <kbd>End</kbd> move further</dd></div>
    <div><dt><kbd>→</kbd> <kbd>←</kbd></dt><dd>expand or enter a row; collapse or leave it</dd></div>
    <div><dt><kbd>Enter</kbd></dt><dd>follow a link; expand or collapse a row</dd></div>
    <div><dt><kbd>*</kbd></dt><dd>expand all rows of this level</dd></div>
    <div><dt><kbd>/</kbd></dt><dd>search; <kbd>Enter</kbd> or <kbd>↓</kbd> goes to the first match</dd></div>
    <div><dt><kbd>n</kbd> <kbd>p</kbd></dt><dd>next and previous match</dd></div>
    <div><dt><kbd>Esc</kbd></dt><dd>anywhere: end the search, keep the row, and return to the outline</dd></div>
    <div><dt><kbd>Alt</kbd> <kbd>←</kbd></dt><dd>return from a link</dd></div>
    </dl>
    <p>↑#12 refers to an object shown elsewhere, ↻#12 to an object that contains this row, a cycle.</p>
    <form method="dialog"><button>Close</button></form></dialog>
    """
}
