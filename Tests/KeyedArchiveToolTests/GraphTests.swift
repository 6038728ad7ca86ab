// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchivePages
import ArchiveTools
import CommandLineTools
import Foundation
import HarnessSupport
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("graph")
struct GraphTests {
  /// The outline of an archive.
  private func outline(_ data: Data, path: String? = nil, rows: Int? = nil) throws -> Outline {
    try picture(data, path: path, rows: rows).outline
  }

  private func picture(_ data: Data, path: String? = nil, rows: Int? = nil) throws -> ArchivePicture {
    let archive = try Input(Arguments([], for: GraphCommand.help)).archive(data)
    return try ArchivePicture(
      of: archive, named: "a/b.plist", byteCount: data.count, path: path.map { try GraphPath($0) }, maximumRows: rows)
  }

  private func lines(_ outline: Outline) -> [String] {
    outline.rows.map { row in
      let name = row.classIndex.map { outline.classes[$0].name }
      let number = row.number.map { "\(row.home == nil ? "" : "↑")#\($0)" }
      let words = [row.label.text, name, row.text, number].compactMap(\.self).filter { !$0.isEmpty }
      return String(repeating: "  ", count: row.depth) + words.joined(separator: " ")
    }
  }

  @Test("outlines two creatures that refer to each other")
  func creatures() throws {
    let outline = try outline(Creature.pair())
    let tree = ToolRun("tree", "-", input: try Creature.pair()).lines
    #expect(outline.rows.count == tree.count)
    #expect(outline.title == "b.plist" && outline.facts.contains("cyclic"))
    let home = try #require(outline.rows.first { $0.label == .key("Friend") && $0.home != nil })
    #expect(home.home == 0 && home.number == 1)
    let image = try #require(outline.rows.firstIndex { $0.label == .key("Image") })
    // Its header has no size, so it is plain data.
    #expect(outline.previews[image]?.image == nil && outline.previews[image]?.bytes?.count == 17)
    #expect(outline.previews[image]?.note != nil)
    let seen = try #require(outline.rows.firstIndex { $0.label == .key("Seen") })
    #expect(outline.previews[seen]?.date == 0.25)
  }

  @Test("nested archives and property lists have rows with their own UIDs")
  func inside() throws {
    let inner = Handmade.archive(
      [["list": .uid(2), "self": .uid(1), "$class": .uid(3)], "inner", Handmade.classRecord("Inner")])
    let list = HandmadeList.dictionary([("a", [1, .string("x")]), ("b", .data([1, 2]))]).binary
    let data = Handmade.archive([
      [
        "archive": .data([UInt8](inner)), "list": .data([UInt8](list)), "text": .data(Array("a\nb".utf8)),
        "$class": .uid(2),
      ],
      Handmade.classRecord("Outer"),
    ])
    let outline = try outline(data)
    let shown = lines(outline).map { $0.contains("<") ? String($0.prefix { $0 != "<" }) : $0 }
    #expect(
      shown == [
        "root Outer #1", "  archive ", "    root Inner #1", "      list \"inner\" #2", "      self Inner ↑#1",
        "  list ",
        "    a 2 elements", "      [0] 1", "      [1] \"x\"", "    b ", "  text ",
      ])
    #expect(outline.previews[1]?.isArchive == true && outline.rows[4].home == 2)
    #expect(outline.previews[10]?.text == "a\nb")
    #expect(outline.classes.map(\.name) == ["Outer", "Inner"])
  }

  @Test("opens nested archives four deep, and limits lists")
  func deepInside() throws {
    var data = Handmade.archive(["bottom"])
    for _ in 0..<8 { data = Handmade.archive([.data([UInt8](data))]) }
    let outline = try outline(data)
    #expect(outline.rows.count == OutlineReader.maximumLevels)
    #expect(outline.rows.map(\.depth) == [0, 1, 2, 3])
    #expect(outline.previews[3]?.note?.contains("Not expanded") == true)

    let list = HandmadeList.array([HandmadeList](repeating: [1, 2], count: 5000)).binary
    let long = try self.outline(Handmade.archive([.data([UInt8](list))]))
    #expect(long.rows.count < OutlineReader.maximumListRows + 10)
    #expect(long.rows.contains { $0.kind == .note })
  }

  @Test("all nested archives together have the budget of one")
  func manyInside() throws {
    // One of the bombs; with `WHOLE_TESTS`, both.
    let count = Sample.count(250, of: 1500)
    let names = ["many arrays with one list of elements", "many class records with one list of superclasses"]
    for name in Sample.cases(names, each: 2) {
      guard let bomb = Bombs.all.first(where: { $0.name == name })?.make(2000) else { continue }
      let data = Handmade.archive(
        [
          ["NS.objects": .array([HandmadeList](repeating: .data([UInt8](bomb)), count: count)), "$class": .uid(2)],
          Handmade.classRecord("NSArray"),
        ])
      let run = ToolRun("graph", "-", "--to", "html", input: data)
      #expect([.fine, .limitReached].contains(run.code), "\(run.errors)")
      #expect(run.data.count < max(64 * data.count, 16 << 20) + 8 * data.count)
    }
  }

  @Test("omits arrows of values without lines, so the drawing is linear in its boxes")
  func arrows() throws {
    let array: HandmadeList = [
      "NS.objects": .array([HandmadeList](repeating: .uid(2), count: 20_000)), "$class": .uid(3),
    ]
    let data = Handmade.archive([
      array, ["x": 1, "$class": .uid(4)], Handmade.classRecord("NSArray"), Handmade.classRecord("Box"),
    ])
    let run = ToolRun("graph", "-", "--to", "dot", input: data)
    #expect(run.code == .fine && run.lines.filter { $0.contains("->") }.count == 15)
  }

  @Test("a property list that contains itself ends")
  func ringInList() throws {
    // An array whose only element is the array.
    let ring: [UInt8] =
      Array("bplist00".utf8) + [0xA1, 0, 8] + [0, 0, 0, 0, 0, 0, 1, 1] + [0, 0, 0, 0, 0, 0, 0, 1]
      + [0, 0, 0, 0, 0, 0, 0, 0] + [0, 0, 0, 0, 0, 0, 0, 10]
    let outline = try outline(Handmade.archive([.data(ring)]))
    #expect(outline.rows.count < OutlineReader.maximumListRows + 10)
  }

  @Test("--path starts at a value, and a remark says so")
  func path() throws {
    let outline = try outline(Creature.pair(), path: "root.Tags")
    #expect(lines(outline).prefix(2).map { $0.split(separator: " ").first } == ["root.Tags", "[0]"])
    #expect(outline.remarks == ["This is the part of the archive at root.Tags."])
    let run = ToolRun("graph", "-", "--to", "dot", "--path", "root.nothing", input: try Creature.pair())
    #expect(run.code == .negative && run.output.isEmpty)
  }

  @Test("a class has the same color in any part of an archive and any format")
  func colours() throws {
    let data = try Creature.pair()
    let (whole, part) = (try outline(data), try outline(data, path: "root.Friends[0]"))
    #expect(whole.classes.map(\.name) == part.classes.map(\.name))
    let place = try #require(whole.rows[0].classIndex)
    #expect(part.rows[0].classIndex == place)
  }

  @Test("shows unreferenced objects after the others")
  func unreferenced() throws {
    let data = Handmade.archive([
      ["a": .uid(0), "$class": .uid(2)], Handmade.classRecord("Box"), ["lost": .uid(4), "$class": .uid(2)], "found",
    ])
    #expect(
      lines(try outline(data)) == [
        "root Box #1", "  a null", "1 unreferenced object", "  Box #3", "    lost \"found\" #4",
      ])
  }

  @Test("marks and reports a damaged part with exit code 4, and draws the rest")
  func damage() throws {
    let data = Handmade.archive([
      ["a": .uid(99), "b": .uid(2), "$class": .uid(3)], "fine", Handmade.classRecord("Box"),
    ])
    let picture = try picture(data)
    #expect(picture.failure?.exit == .notAnArchive)
    #expect(picture.outline.rows[1].kind == .damaged && picture.outline.rows[2].text == "\"fine\"")
    #expect(picture.outline.remarks.first?.contains("danglingReference") == true)
    let run = ToolRun("graph", "-", "--to", "html", input: data)
    #expect(run.code == .notAnArchive && run.output.contains("</html>"))
    #expect(run.errors.hasPrefix("keyedarchive: -: dangling reference to object #99"))
  }

  @Test("notes omitted rows and objects")
  func limits() throws {
    let data = try Link.chain(1000)
    let page = ToolRun("graph", "-", "--to", "html", "--limit", "100", input: data)
    #expect(
      page.code == .fine && page.errors.contains("note: the page has the first 100 rows. To show more, use --limit"))
    #expect(page.output.contains("The page has only the first 100 rows."))
    #expect(try picture(data, rows: 1001).isCut == false && picture(data, rows: 1000).isCut)
    let svg = ToolRun("graph", "-", "--to", "svg", input: data)
    #expect(svg.code == .fine && svg.errors.contains("note: 500 of 1000 objects are drawn"))
    #expect(svg.output.contains("500 of 1000 objects"))
    #expect(ToolRun("graph", "-", "--to", "dot", "--limit", "1000", input: data).errors.isEmpty)
    let two = ToolRun("graph", "-", "--to", "dot", "--depth", "2", input: data)
    #expect(two.lines.filter { $0.contains(" -> ") }.count == 2)
  }

  @Test("the note about omitted objects does not promise more of the page than it has")
  func cutPage() throws {
    #expect(OutlineReader.defaultRows == 400_000)
    let nulls = HandmadeList.array(Array(repeating: .uid(0), count: 400))
    let data = Handmade.archive([
      ["list": nulls, "next": .uid(2), "$class": .uid(3)], ["n": 1, "$class": .uid(3)], .classRecord("A"),
    ])
    let page = ToolRun("graph", "-", "--to", "html", "--limit", "400", "-o", "/dev/null", input: data)
    #expect(page.errors.contains("note: the page has the first 400 rows."), "\(page.errors)")
    // As if the page's default limit were as low.
    for (rows, omission) in [
      (400, "1 of more than 2 objects are drawn; '--to html' shows the first 400 rows"),
      (500, "1 of 3 objects are drawn; '--to html' shows all"),
    ] {
      let picture = try picture(data, rows: rows)
      let drawing = Drawing(picture.outline, limit: 1, depth: .max)
      #expect(GraphCommand.omission(of: drawing, picture) == omission)
    }
    // The limit of a drawing is that of its objects, and its rows have the page's default limit.
    let drawing = ToolRun("graph", "-", "--to", "svg", "--limit", "1", "-o", "/dev/null", input: data)
    #expect(drawing.errors.contains("note: 1 of 3 objects are drawn; '--to html' shows all."), "\(drawing.errors)")
    let part = ToolRun("graph", "-", "--to", "svg", "--limit", "1", "--path", "#2", "-o", "/dev/null", input: data)
    #expect(part.errors == "")
  }

  @Test("draws a long chain of objects without recursion")
  func deep() throws {
    let run = ToolRun("graph", "-", "--to", "html", input: try Link.chain(Sample.count(10_000, of: 100_000)))
    #expect(run.code == .fine && run.data.count < 10_000_000)
  }

  @Test(
    "handles unpaired surrogates, NUL, directional marks and 100,000 letters in all texts",
    arguments: ["html", "svg", "dot"])
  func oddTexts(form: String) throws {
    let half: HandmadeList = .raw([0x62, 0xD8, 0x00, 0x00, 0x41])
    let texts: [HandmadeList] = [
      half, "\0\u{1B}[2J", "\u{202E}abc\u{2066}", .string(String(repeating: "x", count: 100_000)), "</script>", "]]>",
    ]
    for text in texts {
      let data = Handmade.archive([
        ["text": .uid(2), "inline": text, "$class": .uid(3)], text, ["$classname": text, "$classes": [text]],
        ["NS.keys": [.uid(2)], "NS.objects": [.uid(2)], "$class": .uid(5)], Handmade.classRecord("NSDictionary"),
      ])
      let run = ToolRun("graph", "-", "--to", form, input: data)
      #expect([.fine, .notAnArchive].contains(run.code))
      #expect(String(data: run.data, encoding: .utf8) != nil)
      #expect(!run.output.unicodeScalars.contains { $0 != "\n" && EscapedText.isHostile($0) })
      #expect(run.data.count < 200_000)
    }
  }

  /// Prints the key path of each row that is the first of an object, with the UID.
  private static let paths = """
    const html = require('fs').readFileSync(0, 'utf8');
    const json = /<script type="application\\/json" id="data">([^]*?)<\\/script>/.exec(html)[1];
    const script = /<script>\\n([^]*?)\\n<\\/script>/.exec(html)[1];
    const source = script.slice(script.indexOf('const element'), script.indexOf("const tree = element('tree')"));
    const document = { getElementById: () => ({ textContent: json, remove() {} }) };
    const page = new Function('document', 'query', source + '; return { n, path, number, home, nest };')(document, '');
    const rows = [];
    for (let i = 0; i < page.n; i++) {
      if (page.nest[i] < 0 && page.home(i) < 0 && page.number(i) > 0) rows.push([String(page.number(i)), page.path(i)]);
    }
    console.log(JSON.stringify(rows));
    """

  @Test(
    "a key path of a page leads 'get' to the row's value",
    .enabled(if: Program.installed("node") != nil, "Node.js is not installed"))
  func keyPaths() throws {
    let keys = [
      "a", "b", "a.b", "a.b.c", ".a", "a.", "a..b", "NS", "NS.a", "NS.a.b", "NS.", "#2", "#", "[0]", "a[0]", "'", "a b",
      " ",
      "é", "$a", "root", "1", "-",
    ]
    // Each key is on top, in an object and in a dictionary, and leads to a string of its own.
    var objects: [HandmadeList] = []
    func add(_ object: HandmadeList) -> HandmadeList {
      objects.append(object)
      return .uid(UInt64(objects.count))
    }
    func entries(_ place: String) -> [(String, HandmadeList)] {
      keys.map { ($0, add(.string("\($0) in \(place)"))) }
    }
    let dictionary = entries("a dictionary")
    let names = keys.map { add(.string($0)) }
    let pairs = add([
      "NS.keys": .array(names), "NS.objects": .array(dictionary.map(\.1)),
      "$class": add(Handmade.classRecord("NSDictionary")),
    ])
    let inner = add(.dictionary(entries("an inner object") + [("$class", add(Handmade.classRecord("Inner")))]))
    let outer = entries("an object").map { $0.0 == "a" ? ("a", inner) : $0 }
    let box = add(.dictionary(outer + [("pairs", pairs), ("$class", add(Handmade.classRecord("Box")))]))
    let top = entries("top") + [("box", box)]
    let archive = Handmade.archive(objects, top: .dictionary(top))
    let page = ToolRun("graph", "-", "--to", "html", input: archive)
    let run = try #require(Program.installed("node")).run(["-e", Self.paths], input: page.data)
    let rows = try #require(
      try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [[String]], "\(run.errors)")
    var count = 0
    for row in rows where !row[1].isEmpty {
      let (found, expected) = (
        ToolRun("get", "--json", "-", row[1], input: archive),
        ToolRun("get", "--json", "-", "#\(row[0])", input: archive)
      )
      #expect(found.data == expected.data && found.code == .fine, "\(row) \(found.errors)")
      count += 1
    }
    #expect(count > 4 * (keys.count - 2))
  }

  @Test("writes OUT atomically, or not at all")
  func output() throws {
    let folder = try ScratchFolder()
    let run = ToolRun("graph", nsurl, "--to", "svg", "-o", folder.path("url.svg"))
    #expect(run.code == .fine && run.output.isEmpty)
    let svg = try String(contentsOfFile: folder.path("url.svg"), encoding: .utf8)
    #expect(svg.hasPrefix("<?xml") && svg.contains("https://nuomi1.github.io/"))
    #expect(ToolRun("graph", nsurl, "--to", "svg", "-o", folder.path("no/where")).code == .notWritten)
    let missing = ToolRun("graph", nsurl)
    #expect(missing.code == .usage && missing.errors.contains("Add --to html, --to svg or --to dot"))
  }
}
