// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import Foundation
import TestSupport
import Testing

/// The script of a page in Node.js, with a small model of a browser's document. It has no layout, so it shows what the
/// script does, not what a browser draws; `BrowserTests` show that.
enum PageScript {
  static let node = Program.installed("node")

  /// Runs a page's script, then `probe`.
  /// - Parameters:
  ///   - outline: The outline of the page.
  ///   - data: JavaScript that returns the page's data from `data`, that of the outline.
  ///   - hash: The part of the address after the page's name.
  ///   - probe: JavaScript that adds lines to `out`, with the functions below.
  /// - Returns: The lines.
  /// - Throws: An error of running Node.js.
  static func run(
    _ outline: Outline, data: String = "return data;", hash: String = "", _ probe: String
  ) throws -> [String] {
    let page = PageText(outline)
    let json = try page.between("<script type=\"application/json\" id=\"data\">", "</script>")
    let script = try page.between("</script>\n<script>", "</script>")
    let text = """
      'use strict';
      \(document)
      location.hash = '\(hash)';
      element('data').textContent = JSON.stringify((data => { \(data) })(\(json)));
      \(script)
      const out = [];
      { \(probe) }
      console.log(out.join('\\n'));
      """
    let run = try #require(node).run(["-"], input: Data(text.utf8))
    #expect(run.code == 0, "\(run.errors.suffix(2000))")
    return run.output.components(separatedBy: "\n").dropLast()
  }

  /// The model: elements by identifier, which exist when they are asked for, keys, timers, and the height to which the
  /// least generous browser limits an element.
  private static let document = #"""
    const HIGHEST = 17895697;
    class Element {
      constructor(name) {
        Object.assign(this, { name, children: [], attributes: {}, listeners: {}, dataset: {}, className: '', value: '',
          id: '', clientHeight: 800, position: 0, style: { setProperty() {} } });
        this.classList = { add: name => { this.className += ' ' + name; } };
      }
      get textContent() { return this.children.map(c => c instanceof Element ? c.textContent : c).join(''); }
      set textContent(text) { this.children = [String(text)]; }
      append(...more) { this.children.push(...more); }
      replaceChildren(...all) { this.children = all; }
      remove() {}
      setAttribute(name, value) { this.attributes[name] = String(value); }
      removeAttribute(name) { delete this.attributes[name]; }
      addEventListener(name, action) { (this.listeners[name] = this.listeners[name] || []).push(action); }
      fire(name, event = {}) {
        for (const action of this.listeners[name] || []) action({ target: this, preventDefault() {}, ...event });
      }
      focus() {}
      get scrollTop() { return this.position; }
      set scrollTop(y) {
        const height = Math.min(parseFloat(element('rows').style.height) || 0, HIGHEST) + 12;
        this.position = Math.round(Math.min(Math.max(y, 0), Math.max(0, height - this.clientHeight)));
      }
    }
    const elements = new Map(), timers = new Map();
    const element = id => {
      if (/^r\d+$/.test(id)) return element('rows').children.find(e => e.id === id) || null;
      if (!elements.has(id)) elements.set(id, new Element(id));
      return elements.get(id);
    };
    const document = Object.assign(new Element('document'), {
      documentElement: new Element('html'), getElementById: element, createElement: name => new Element(name),
      querySelectorAll: () => element('classes').children,
    });
    const location = { hash: '' }, history = { replaceState() {} };
    const addEventListener = () => {}, matchMedia = () => ({ matches: false });
    const ResizeObserver = class { observe() {} }, requestAnimationFrame = action => action();
    const setTimeout = action => { timers.set(timers.size + 1, action); return timers.size; };
    const clearTimeout = timer => { timers.delete(timer); };

    const tree = element('tree'), query = element('query');
    const press = key => tree.fire('keydown', { key });
    const type = text => { query.value = text; query.fire('input'); };
    const rows = () => element('rows').children;
    const texts = () => rows().map(e => e.textContent);
    // How far a drawn row is below the upper edge of the tree; nothing if it is not drawn.
    const below = e => e ? Number(/translateY\((-?\d+)px\)/.exec(e.style.transform)[1]) - tree.scrollTop : undefined;
    const isVisible = i => { const y = below(element('r' + i)); return y >= -1 && y <= tree.clientHeight - 25; };
    """#
}

@Suite("The script of a page", .enabled(if: PageScript.node != nil, "node is not installed"))
struct PageScriptTests {
  /// JavaScript that returns the data of a page with a number of rows at one level.
  private func rows(_ count: Int) -> String {
    """
    data.rows = [];
    for (let i = 0; i < \(count); i++) data.rows.push(0, -2 - i, 2, -1, -1, 0, -1);
    data.strings = ['text'];
    return data;
    """
  }

  @Test("shows the rows of an outline and its details")
  func ring() throws {
    let said = try PageScript.run(
      .ring,
      """
      out.push(...texts());
      press('End');
      out.push(element('details').textContent.includes('Shown elsewhere'));
      type('rooms');
      out.push(texts().join('|'), element('found').textContent, element('none').hidden);
      type('nothing like it');
      out.push(element('none').hidden);
      """)
    #expect(
      said == [
        "root: Zoo.Ghost #1", "name: \"Boo\" #2", "friend: Zoo.Ghost #3", "friend: Zoo.Ghost ↻#1", "home: Zoo.House #4",
        "rooms: 13", "home: Zoo.House ↑#4", "true",
        "root: Zoo.Ghost #1|friend: Zoo.Ghost #3|home: Zoo.House #4|rooms: 13", "1 match", "true", "false",
      ])
  }

  /// One of the two long outlines; with `WHOLE_TESTS`, both.
  @Test(
    "draws each row that is selected, also in outlines that are higher than a browser's elements can be",
    arguments: [1, 40] + Sample.cases([400_000, 900_000], each: 2))
  func high(_ count: Int) throws {
    let said = try PageScript.run(
      Outline(title: ""), data: rows(count),
      """
      const last = \(count) - 1;
      press('End'); out.push(isVisible(last));
      press('Home'); out.push(isVisible(0), tree.scrollTop);
      for (let i = 1; i < 100; i++) press('ArrowDown');
      out.push(isVisible(Math.min(99, last)));
      press('End');
      for (let i = 1; i < 100; i++) press('ArrowUp');
      out.push(isVisible(Math.max(0, last - 99)));
      const gaps = rows().map(below).map((y, k, all) => k ? y - all[k - 1] : 25);
      out.push(gaps.every(gap => gap === 25));
      tree.scrollTop = 1e12;
      tree.fire('scroll');
      out.push(isVisible(last));
      """)
    #expect(said == ["true", "true", "0", "true", "true", "true", "true"])
  }

  /// One of four rows; with `WHOLE_TESTS`, each.
  @Test("draws a row that the address names", arguments: Sample.cases([0, 777, 700_000, 899_999], each: 4))
  func address(_ row: Int) throws {
    let said = try PageScript.run(
      Outline(title: ""), data: rows(900_000), hash: "#r\(row)", "out.push(isVisible(\(row)), rows().length < 100);")
    #expect(said == ["true", "true"])
  }

  @Test("keys that are characters act in the tree only, also in an empty one")
  func characterKeys() throws {
    for outline in [Outline.ring, Outline(title: "")] {
      let said = try PageScript.run(
        outline,
        """
        query.focus = () => out.push('search');
        query.select = () => {};
        element('keys').showModal = () => out.push('help');
        for (const key of ['/', '?']) document.fire('keydown', { key, target: element('details') });
        out.push('in the tree');
        press('/'); press('?');
        """)
      #expect(said == ["in the tree", "search", "help"])
    }
  }

  @Test("the number of matches is a text, and rows count their visible siblings during a search")
  func announced() throws {
    let said = try PageScript.run(
      .ring,
      """
      const places = () => rows().map(e => `${e.attributes['aria-posinset']}/${e.attributes['aria-setsize']}`).join(' ');
      out.push(places());
      for (const text of ['rooms', 'home', 'nothing like it']) { type(text); out.push(element('found').textContent, places()); }
      document.fire('keydown', { key: 'Escape', target: query });
      out.push(element('found').textContent, places());
      """)
    let all = "1/1 1/3 2/3 1/2 2/2 1/1 3/3"
    // With 'home', the path to the inner one and the outer one.
    #expect(said == [all, "1 match", "1/1 1/1 1/1 1/1", "2 matches", "1/1 1/2 1/1 2/2", "none found", "", "", all])
  }

  @Test("finds names with accents in either Unicode form")
  func accents() throws {
    var outline = Outline(title: "accents")
    let name = outline.index(ofClass: "Cafe\u{301}")
    outline.add(.init(depth: 0, label: .key("a"), kind: .string, text: "Re\u{301}sume\u{301}"))
    outline.add(.init(depth: 0, label: .key("b"), kind: .string, text: "R\u{E9}sum\u{E9}"))
    outline.add(.init(depth: 0, label: .key("c"), kind: .object, classIndex: name))
    outline.add(
      .init(depth: 0, label: .key("d"), kind: .string, text: "…"), Preview(text: "a long re\u{301}sume\u{301}"))
    let said = try PageScript.run(
      outline,
      """
      for (const text of ['r\\u00e9SUM\\u00c9', 're\\u0301sume\\u0301', 'caf\\u00e9', 'cafe\\u0301']) {
        type(text);
        out.push(texts().map(t => t[0]).join(''));
      }
      """)
    #expect(said == ["abd", "abd", "c", "c"])
  }

  @Test("says that nothing matches only during a search")
  func empty() throws {
    #expect(try PageScript.run(Outline(title: ""), "out.push(element('none').hidden);") == ["true"])
  }

  @Test("the end of a search cancels one that is about to begin")
  func pending() throws {
    let said = try PageScript.run(
      Outline(title: ""), data: rows(20_000),
      """
      type('x'); out.push(timers.size);
      document.fire('keydown', { key: 'Escape', target: query }); out.push(timers.size);
      """)
    #expect(said == ["1", "0"])
  }

  @Test("cuts long texts between characters")
  func cut() throws {
    var outline = Outline(title: "long")
    outline.add(.init(depth: 0, label: .none, kind: .string, text: String(repeating: "a", count: 599) + "👻👻"))
    outline.add(.init(depth: 0, label: .none, kind: .string, text: String(repeating: "a", count: 598) + "👻👻"))
    let said = try PageScript.run(outline, "out.push(...texts().map(t => t.slice(597)));")
    #expect(said == ["aa…", "a👻…"])
  }

  @Test("shows the details of complete and of cut texts")
  func details() throws {
    var outline = Outline(title: "texts")
    outline.add(.init(depth: 0, label: .key("a"), kind: .string, text: "Grüße"), Preview(text: "Grüße"))
    outline.add(
      .init(depth: 0, label: .key("b"), kind: .string, text: "G…"), Preview(text: "G", isCut: true, byteCount: 7000))
    let said = try PageScript.run(
      outline, "out.push(element('details').textContent); press('End'); out.push(element('details').textContent);")
    #expect(said.count == 2 && said[0].contains("Text, 7 bytesGrüße"))
    #expect(said.last?.contains("Text, 7,000 bytes, the beginningG") == true)
  }
}
