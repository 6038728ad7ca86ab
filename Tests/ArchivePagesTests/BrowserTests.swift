// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import CommandLineTools
import Foundation
import PNGImages
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

/// The page in a browser. A script presses keys and reports the visible content.
@Suite(
  "A page in a browser", .serialized, .enabled(if: Chromium.isPresent, Comment(rawValue: Chromium.isAbsent)))
struct BrowserTests {
  private let folder: ScratchFolder

  init() throws { folder = try ScratchFolder() }

  /// The common functions of the scripts: keys, typing and visible content.
  private static let tools = """
    const tree = page.getElementById('tree'), view = frame.contentWindow;
    const wait = () => new Promise(done => setTimeout(done, 300));
    const active = () => page.activeElement;
    const line = e => e ? e.textContent : 'nothing';
    const selected = () => line(page.getElementById(tree.getAttribute('aria-activedescendant')));
    const rows = () => [...page.querySelectorAll('.row')].map(line);
    const press = (key, times = 1) => { for (let k = 0; k < times; k++) active().dispatchEvent(
      new view.KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })); };
    const type = text => { const q = page.getElementById('query'); q.focus(); q.value = text;
      q.dispatchEvent(new view.Event('input')); };
    const find = text => { type(text); press('Enter'); };
    const out = [];
    """

  private func probe(_ outline: Outline, _ script: String) throws -> [String] {
    try probe(OutlinePage(outline).data, script)
  }

  /// What `script` returns in the first of ten attempts that returns `expected`, or in the last. The browser's clock also
  /// runs while other tests use the processors.
  private func timed(_ page: Data, until expected: [String], _ script: String) throws -> [String] {
    var said: [String] = []
    for _ in 0..<10 where said != expected { said = try probe(page, isTimed: true, script) }
    return said
  }

  private func probe(_ page: Data, isTimed: Bool = false, _ script: String) throws -> [String] {
    let url = URL(filePath: try folder.file("page.html", page))
    let said = try Chromium.probe(url, isTimed: isTimed, "\(Self.tools)\(script)\nreturn out.join('\\n');")
    return said.components(separatedBy: "\n")
  }

  @Test("rows have the text of 'tree', with links for references and cycles")
  func outline() throws {
    let said = try probe(
      .ring,
      """
      out.push(...rows(), '--');
      out.push(tree.querySelectorAll('a.link').length, tree.querySelectorAll('a.cycle').length);
      out.push(page.querySelectorAll('[role=treeitem][aria-level][aria-setsize][aria-posinset]').length);
      out.push(view.getComputedStyle(page.querySelector('.row .class')).color);
      """)
    #expect(
      said == [
        "root: Zoo.Ghost #1", "name: \"Boo\" #2", "friend: Zoo.Ghost #3", "friend: Zoo.Ghost ↻#1", "home: Zoo.House #4",
        "rooms: 13", "home: Zoo.House ↑#4", "--", "2", "1", "7", "rgb(29, 93, 167)",
      ])
  }

  @Test("the keyboard alone can move, expand, follow links, search and show help")
  func keyboard() throws {
    let said = try probe(
      .ring,
      """
      out.push(active().id, selected());
      press('ArrowDown', 2); out.push(selected());
      press('ArrowRight'); out.push(selected());
      press('Enter'); await wait(); out.push(selected());
      view.location.hash = '#r3'; await wait(); out.push(selected());
      press('ArrowLeft'); press('ArrowLeft'); out.push(selected(), rows().length);
      press('Home'); press('*'); press('End'); out.push(selected());
      press('/'); out.push(active().id);
      type('rooms'); out.push(rows().join('|'), page.getElementById('found').textContent);
      press('Enter'); out.push(active().id, selected());
      press('Escape'); out.push(rows().length, selected());
      page.getElementById('fold').focus(); press('?'); press('/');
      out.push(page.getElementById('keys').open, active().id);
      tree.focus(); press('?'); out.push(page.getElementById('keys').open);
      """)
    #expect(
      said == [
        "tree", "root: Zoo.Ghost #1", "friend: Zoo.Ghost #3", "friend: Zoo.Ghost ↻#1", "root: Zoo.Ghost #1",
        "friend: Zoo.Ghost ↻#1", "friend: Zoo.Ghost #3", "4", "home: Zoo.House ↑#4", "query",
        "root: Zoo.Ghost #1|friend: Zoo.Ghost #3|home: Zoo.House #4|rooms: 13", "1 match", "tree", "rooms: 13", "7",
        "rooms: 13", "false", "fold", "true",
      ])
  }

  @Test("a selected class filters the rows; the details list referring rows")
  func classes() throws {
    let said = try probe(
      .ring,
      """
      const buttons = [...page.querySelectorAll('#classes button')];
      out.push(...buttons.map(line));
      buttons[1].click(); out.push(buttons[1].getAttribute('aria-pressed'), ...rows());
      buttons[1].click(); out.push(rows().length);
      press('End'); out.push(page.getElementById('details').innerText.replace(/\\s+/g, ' '));
      """)
    #expect(
      said == [
        "Zoo.Ghost2", "Zoo.House1", "true", "root: Zoo.Ghost #1", "friend: Zoo.Ghost #3", "home: Zoo.House #4",
        "home: Zoo.House ↑#4", "7",
        "Zoo.House object #4 Key path root.home Shown elsewhere Its content is at root.friend.home Inside 1 row in all "
          + "Referred to from 2 places root.friend.home root.home (this row)",
      ])
  }

  @Test("hostile texts run and load nothing, add no elements, and are readable")
  func hostile() throws {
    let said = try probe(
      Hostile.outline,
      """
      page.getElementById('unfold').click();
      let problems = 0;
      view.addEventListener('error', () => problems++);
      for (let k = 0; k < 90; k++) press('ArrowDown');
      for (const text of ['<script', '__proto__', '\\\\', '\\u202e']) { type(text); press('Escape'); }
      out.push(page.title.includes('bad') && page.title.length > 20 && page.title !== 'bad', problems);
      out.push(page.querySelectorAll('script').length, page.querySelectorAll('img, svg, iframe, object, embed').length);
      out.push(view.performance.getEntriesByType('resource').length);
      type('onerror='); out.push(rows().some(row => row.includes('<img src=x onerror=')));
      const s = page.createElement('script'); let stopped = false;
      try { s.textContent = "document.title = 'bad'"; } catch { stopped = true; }
      page.body.append(s);
      out.push(stopped || page.title !== 'bad');
      let isMarkup = true; try { page.body.innerHTML = '<b>x</b>'; } catch { isMarkup = false; }
      out.push(isMarkup);
      """)
    #expect(said == ["true", "0", "1", "0", "0", "true", "true", "false"])
  }

  @Test("shows images, dates, texts and bytes of data")
  func previews() throws {
    let png = try PNGImage(width: 2, height: 1, pixels: [255, 0, 0, 255, 0, 255, 0, 255]).pngData()
    var outline = Outline(title: "previews")
    outline.add(.init(depth: 0, label: .key("root"), kind: .dictionary))
    var preview = Preview(byteCount: png.count)
    preview.image = PreviewImage(.png, width: 2, height: 1, bytes: png)
    preview.bytes = png.prefix(256)
    outline.add(.init(depth: 1, label: .key("image"), kind: .data, text: "<png>"), preview)
    outline.add(.init(depth: 1, label: .key("date"), kind: .date, text: "2001-01-01T00:00:00Z"), Preview(date: 0))
    let text = Preview(text: "two\nlines", byteCount: 9)
    outline.add(.init(depth: 1, label: .key("text"), kind: .string, text: "\"two\\nlines\""), text)
    let said = try probe(
      outline,
      """
      press('ArrowDown'); await wait();
      const image = page.querySelector('.picture');
      out.push(image.naturalWidth, image.naturalHeight, image.src.slice(0, 22), page.querySelectorAll('.thumb').length);
      out.push(page.querySelector('.hex').textContent.split('\\n')[0]);
      press('ArrowDown'); out.push(page.getElementById('details').innerText.includes('2001'));
      press('ArrowDown'); out.push(page.querySelector('pre').textContent.replace('\\n', '/'));
      """)
    #expect(
      said == ["2", "1", "data:image/png;base64,", "1", "000  89 50 4e 47 0d 0a 1a 0a  ·PNG····", "true", "two/lines"])
  }

  @Test("100,000 objects need a few dozen elements; keys and searches respond at once")
  func large() throws {
    var outline = Outline(title: "large")
    let name = outline.index(ofClass: "Thing")
    outline.add(.init(depth: 0, label: .key("root"), kind: .array, text: "100000 elements"))
    for number in 1...100_000 {
      outline.add(
        .init(depth: 1, label: .element(number - 1), kind: .object, classIndex: name, number: UInt32(number)))
      outline.add(.init(depth: 2, label: .key("value"), kind: .string, text: "\"text \(number)\""))
    }
    let fine = [
      "true", "true", "true", "true", "root: array 100000 elements|[99998]: Thing #99999|value: \"text 99999\"",
    ]
    let page = OutlinePage(outline).data
    let said = try timed(
      page, until: fine,
      """
      out.push(page.querySelectorAll('*').length < 1500);
      const time = action => { const start = performance.now(); action(); return performance.now() - start; };
      const times = [time(() => press('End')), time(() => find('text 99999')), time(() => press('Escape')),
        time(() => page.getElementById('unfold').click()), time(() => press('PageUp', 10))];
      out.push(Math.max(opened, ...times) < 5000, rows().length < 100, page.querySelectorAll('*').length < 1500);
      find('text 99999'); out.push(rows().join('|'));
      """)
    #expect(said == fine)
  }

  @Test(
    "the largest files of the corpus open in less than 2 seconds and can be searched",
    .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"),
    arguments: [
      ("scn/magicien.JSceneKitExample__level.scn__8d6fefb9", "NSMutableDictionary"),
      ("xcuserstate/adium.adium__UserInterfaceState.xcuserstate__1c59ebaf", "MacBookPro16,1"),
    ] as [(String, String)])
  func corpus(name: String, known: String) throws {
    let file = try #require(Corpus.valid.first { $0.name.hasPrefix(name) })
    let run = ToolRun("graph", file.url.path, "--to", "html")
    #expect(run.code == .fine)
    let fine = ["in time", "true", "true"]
    let said = try timed(
      run.data, until: fine,
      """
      out.push(opened < 2000 ? 'in time' : opened);
      find('\(known)');
      out.push(parseInt(page.getElementById('found').textContent.replace(',', '')) > 0, rows().some(row => row.includes('\(known)')));
      """)
    #expect(said == fine)
  }
}
