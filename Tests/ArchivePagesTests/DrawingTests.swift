// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@testable import ArchivePages

@Suite("Drawing")
struct DrawingTests {
  @Test("objects with content are boxes, single values lines, references arrows")
  func ring() {
    let drawing = Drawing(.ring)
    #expect(drawing.nodes.map(\.title) == ["ring.plist", "Zoo.Ghost", "Zoo.Ghost", "Zoo.House"])
    #expect(drawing.nodes.map(\.number) == [nil, 1, 3, 4])
    #expect(drawing.nodes.map(\.level) == [0, 1, 2, 2])
    #expect(drawing.nodes[1].lines.map(\.label) == ["name", "friend", "home"])
    #expect(drawing.nodes[1].lines.map(\.text) == ["\"Boo\"", "Zoo.Ghost #3", "Zoo.House #4"])
    #expect(drawing.edges.map { [$0.from, $0.to] } == [[0, 1], [1, 2], [1, 3], [2, 1], [2, 3]])
    #expect(drawing.edges.map(\.kind) == [.tree, .tree, .tree, .cycle, .shared])
    #expect(drawing.edges.map(\.line) == [0, 1, 2, 0, 1])
    #expect(drawing.drawnCount == 3 && drawing.objectCount == 3)
  }

  @Test("draws the nearest objects up to the limit, and marks lines whose object has no box")
  func limits() {
    let two = Drawing(.ring, limit: 2)
    #expect(two.nodes.map(\.number) == [nil, 1, 3] && two.objectCount == 3)
    #expect(two.nodes[1].lines.map(\.isCut) == [false, false, true])
    #expect(Drawing(.ring, depth: 1).nodes.map(\.number) == [nil, 1])
    #expect(Drawing(.ring, limit: 0).nodes.count == 1)
  }

  @Test("the box of the unreferenced objects is not counted as one of them")
  func unreferenced() {
    var outline = Outline(title: "two")
    outline.add(.init(depth: 0, label: .key("root"), kind: .object, number: 1))
    outline.add(.init(depth: 1, label: .key("k"), kind: .number, text: "1"))
    outline.add(.init(depth: 0, label: .none, kind: .group, text: "1 unreferenced object"))
    outline.add(.init(depth: 1, label: .none, kind: .object, number: 3))
    outline.add(.init(depth: 2, label: .key("k"), kind: .number, text: "2"))
    let drawing = Drawing(outline)
    #expect(drawing.nodes.count == 4 && drawing.drawnCount == 2 && drawing.objectCount == 2)
    #expect(Drawing(outline, limit: 1).drawnCount == 1)
    #expect(Drawing(outline, limit: 2).drawnCount == 2)
  }

  @Test("a box with too many values has a line with their number, where their arrows begin")
  func more() {
    var outline = Outline(title: "many")
    outline.add(.init(depth: 0, label: .key("root"), kind: .array, text: "30 elements"))
    for place in 0..<30 {
      outline.add(.init(depth: 1, label: .element(place), kind: .array, text: "1 element"))
      outline.add(.init(depth: 2, label: .element(0), kind: .number, text: "\(place)"))
    }
    let drawing = Drawing(outline)
    #expect(drawing.nodes[1].title == "array (30 elements)")
    #expect(
      drawing.nodes[1].lines.count == Drawing.maximumLines && drawing.nodes[1].moreCount == 30 - Drawing.maximumLines)
    #expect(drawing.edges.last?.line == Drawing.maximumLines && drawing.edges.count == 31)
  }

  @Test("nested archives are lines")
  func nested() {
    var outline = Outline(title: "nested")
    outline.add(.init(depth: 0, label: .key("root"), kind: .object, number: 1))
    outline.add(.init(depth: 1, label: .key("data"), kind: .data, text: "<9 bytes>"))
    outline.add(.init(depth: 2, label: .key("root"), kind: .object, number: 1))
    outline.add(.init(depth: 3, label: .key("x"), kind: .null))
    let drawing = Drawing(outline)
    #expect(drawing.objectCount == 1 && drawing.nodes[1].lines.map(\.text) == ["<9 bytes>"])
  }

  @Test("boxes of a column do not overlap, and levels go from left to right")
  func layout() {
    var outline = Outline(title: "tree")
    for a in 0..<5 {
      outline.add(.init(depth: 0, label: .key("a\(a)"), kind: .dictionary))
      for b in 0..<a {
        outline.add(.init(depth: 1, label: .key("b\(b)"), kind: .dictionary))
        for c in 0...b { outline.add(.init(depth: 2, label: .element(c), kind: .number, text: "\(c)")) }
      }
    }
    let drawing = Drawing(outline)
    let layout = DrawingLayout(drawing, headingHeight: 10)
    #expect(layout.boxes.count == drawing.nodes.count)
    for (a, first) in layout.boxes.enumerated() {
      #expect(first.x >= 0 && first.y >= 10 && first.x + first.width < layout.width)
      #expect(first.y + first.height < layout.height)
      for second in layout.boxes[(a + 1)...] where first.x == second.x {
        #expect(first.y + first.height < second.y || second.y + second.height < first.y)
      }
    }
    for edge in drawing.edges where edge.kind == .tree {
      #expect(layout.boxes[edge.from].x + layout.boxes[edge.from].width < layout.boxes[edge.to].x)
      #expect(layout.boxes[edge.from].y <= layout.boxes[edge.to].y)
    }
  }

  @Test("draws a chain of 30,000 objects in linear time", .notHanging)
  func chain() {
    var outline = Outline(title: "chain")
    for depth in 0..<30_000 { outline.add(.init(depth: depth, label: .key("next"), kind: .dictionary)) }
    #expect(Drawing(outline).drawnCount == Drawing.defaultLimit)
    #expect(SVGDrawing(Drawing(outline, limit: 8000)).text.utf8.count < 8_000_000)
  }
}

@Suite("SVGDrawing")
struct SVGDrawingTests {
  @Test("is self-contained, with a title for each object, in light and dark")
  func picture() {
    let svg = SVGDrawing(Drawing(.ring)).text
    #expect(svg.contains("<title id=\"title\">ring.plist</title>"))
    #expect(svg.contains("<title>Zoo.House #4</title>"))
    #expect(svg.contains("all 3 objects with content"))
    #expect(svg.contains("@media (prefers-color-scheme:dark)"))
    #expect(SVGDrawing(Drawing(.ring, limit: 1)).text.contains("1 of 3 objects with content"))
    #expect(!svg.contains("<script") && !svg.contains("href"))
    #expect(svg.components(separatedBy: "http").count == 2, "the name of the format and nothing else")
  }

  @Test("says how many objects have content, also for none and one", arguments: [(0, "no object"), (1, "1 object")])
  func few(count: Int, expected: String) {
    var outline = Outline(title: "url")
    outline.facts = ["binary"]
    for _ in 0..<count {
      outline.add(.init(depth: 0, label: .key("root"), kind: .object, number: 1))
      outline.add(.init(depth: 1, label: .key("x"), kind: .null))
    }
    #expect(SVGDrawing(Drawing(outline)).text.contains("<desc id=\"desc\">binary · \(expected) with content</desc>"))
  }

  @Test("each text that archives can choose has an element that isolates its direction")
  func directions() {
    var outline = Outline(title: "\u{202E}title")
    outline.facts = ["\u{202E}fact"]
    let name = outline.index(ofClass: "\u{202E}class")
    outline.add(.init(depth: 0, label: .key("\u{202E}key"), kind: .object, classIndex: name, number: 7))
    outline.add(.init(depth: 1, label: .key("\u{202E}inner"), kind: .string, text: "\u{202E}text"))
    let svg = SVGDrawing(Drawing(outline)).text
    #expect(svg.contains("tspan{unicode-bidi:isolate}"))
    let parts = svg.components(separatedBy: "\u{202E}")
    #expect(parts.count > 6)
    for part in parts.dropLast() { #expect(part.contains(/<tspan[^<>]*>[^<>]*$/), "\(part.suffix(80))") }
    #expect(svg.contains("\u{202E}class</tspan><tspan class=\"number\"> #7</tspan>"))
  }

  @Test("a cycle differs from a shared reference by more than its color")
  func dashes() throws {
    let svg = SVGDrawing(Drawing(.ring)).text
    let dashes = svg.matches(of: /\.(shared|cycle)\{[^}]*stroke-dasharray:([0-9 ]+)/).map { String($0.2) }
    #expect(dashes.count == 2 && Set(dashes).count == 2 && !svg.contains("opacity"))
  }

  @Test("is sound XML that Python reads, whatever the texts are", .enabled(if: Python.isPresent, "\(Python.isAbsent)"))
  func xml() throws {
    let program = """
      import sys, xml.etree.ElementTree as tree
      root = tree.fromstring(sys.stdin.buffer.read())
      names = sorted(set(element.tag.split('}')[1] for element in root.iter()))
      handlers = [key for element in root.iter() for key in element.attrib if key.startswith('on') or 'href' in key]
      print(','.join(names), len(handlers))
      """
    for outline in [Outline.ring, Hostile.outline, Outline(title: "")] {
      let svg = SVGDrawing(Drawing(outline)).text
      let found = String(decoding: try Python.run(program, input: Data(svg.utf8)), as: UTF8.self)
      #expect(found.hasPrefix("defs,desc,marker,path,rect,style,svg,text,title,tspan 0") || outline.rows.isEmpty)
      #expect(found.hasSuffix(" 0\n"))
    }
  }
}

@Suite("GraphvizText")
struct GraphvizTextTests {
  @Test("has one statement per line, with every text in quotes")
  func statements() {
    let lines = GraphvizText(Drawing(.ring)).text.split(separator: "\n")
    #expect(lines.first == "digraph archive {" && lines.last == "}")
    #expect(
      lines.contains(
        ##"  n1 [label="Zoo.Ghost #1\lname: \"Boo\"\lfriend: Zoo.Ghost #3\lhome: Zoo.House #4\l", color="#1d5da7", fillcolor="#e5f1ff", tooltip="Zoo.Ghost #1"];"##
      ))
    #expect(lines.contains(#"  n1 -> n2 [label="friend"];"#))
    #expect(lines.contains { $0.hasPrefix("  n2 -> n1 [label=\"friend\", style=dotted, color=\"#b3261e\"") })
  }

  /// Returns whether a text is in Graphviz's language: names, node numbers, punctuation, and terminated strings.
  private func isSound(_ text: String) -> Bool {
    let string = #""(?:[^"\\\n]|\\["\\l])*""#
    let attributes = #"\[(?:[a-z]+=(?:[A-Za-z0-9.]+|\#(string))(?:, )?)+\]"#
    let statement = #"^  (?:graph|node|edge|n\d+|n\d+ -> n\d+) \#(attributes);$"#
    guard let pattern = try? NSRegularExpression(pattern: statement) else { return false }
    let lines = text.components(separatedBy: "\n")
    guard lines.first == "digraph archive {", lines.suffix(2) == ["}", ""] else { return false }
    return lines.dropFirst().dropLast(2).allSatisfy {
      pattern.firstMatch(in: $0, range: NSRange($0.startIndex..., in: $0)) != nil
    }
  }

  @Test("no text ends its quotes, is a Graphviz escape, or breaks a line")
  func hostile() {
    let text = GraphvizText(Drawing(Hostile.outline)).text
    #expect(isSound(text) && isSound(GraphvizText(Drawing(.ring)).text))
    #expect(!isSound(text.replacing("\\\"", with: "\"")))
    #expect(text.contains(#"\\N \\"#) && text.contains("&amp;lt;b&amp;gt;"))
  }

  @Test("Graphviz reads it", .enabled(if: Program.installed("dot") != nil, "Graphviz is not installed"))
  func graphviz() throws {
    let dot = try #require(Program.installed("dot"))
    for outline in [Outline.ring, Hostile.outline, Outline(title: "")] {
      let run = try dot.run(["-Tsvg"], input: Data(GraphvizText(Drawing(outline)).text.utf8))
      #expect(run.code == 0 && run.output.contains("</svg>"), "\(run.errors)")
    }
  }
}
