// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import HarnessSupport
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("Expansion bombs")
struct BombTests {
  /// Every command with its options, on standard input.
  static let commands: [[String]] = [
    ["tree", "-"], ["tree", "-d1", "-"], ["tree", "-d1", "-w1", "-p", "root", "-"], ["tree", "-c", "NSArray", "-"],
    ["tree", "-c", "Nobody", "-"], ["get", "-", "root"], ["get", "-", "root[1]"], ["get", "-", "root.nothing"],
    ["get", "--json", "-", "root"], ["get", "--raw", "-", "root"], ["info", "-"], ["info", "--json", "-"],
    ["validate", "-"], ["validate", "--json", "-"], ["validate", "-a", "NSArray", "-"], ["roundtrip", "-"],
    ["roundtrip", "--json", "-"], ["convert", "-", "--to", "binary"], ["convert", "-", "--to", "xml"],
    ["convert", "-", "--to", "json"], ["convert", "-", "--to", "json", "--plain"], ["graph", "-", "--to", "html"],
    ["graph", "-", "--to", "svg"], ["graph", "-", "--to", "dot"],
    ["audit", "-"], ["audit", "--json", "-"], ["audit", "--swift", "-"], ["audit", "--nested", "-"], ["generate", "-"],
  ]

  /// The fixed size of a page: its style sheet and its script.
  private static func page(_ command: [String]) -> Int { command[0] == "graph" ? 60_000 : 0 }

  /// The output limit in `tree --help`.
  private func bound(_ file: Data) -> Int { max(64 * file.count, 16 << 20) + 8 * file.count }

  /// A twentieth of the commands for each bomb; with `WHOLE_TESTS`, all commands for each.
  @Test(
    "each command answers each bomb or fails with a remedy, within the output limit",
    .notHanging, arguments: Bombs.all.map(\.name))
  func everyCommand(bomb: String) throws {
    let place = try #require(Bombs.all.firstIndex { $0.name == bomb })
    let file = Bombs.all[place].make(20_000)
    for (turn, command) in Self.commands.enumerated() where Sample.includes(turn + place, each: 20) {
      let run = ToolRun(command, input: file)
      #expect([.fine, .negative, .notAnArchive, .classNotAllowed, .limitReached].contains(run.code), "\(command)")
      #expect(run.data.count <= bound(file), "\(command)")
      #expect(run.errors.utf8.count < 4096, "\(command)")
      if run.code == .limitReached { #expect(run.errors.contains(". "), "\(command): no remedy in \(run.errors)") }
    }
  }

  /// A tenth of the commands for each file; with `WHOLE_TESTS`, all commands for each.
  @Test(
    "each command handles an honest file with nearly as many values as bytes", .notHanging,
    arguments: DenseFiles.all.map(\.name))
  func denseFiles(name: String) throws {
    let place = try #require(DenseFiles.all.firstIndex { $0.name == name })
    let file = DenseFiles.all[place].data
    // XML and plain JSON have no references, so they repeat shared parts.
    let repeats: ([String]) -> Bool = {
      $0.contains("xml") || $0.contains("--plain") || $0.starts(with: ["get", "--json"])
    }
    for (turn, command) in Self.commands.enumerated()
    where Sample.includes(turn + place, each: 10) && (name != DenseFiles.oneData || !repeats(command)) {
      let run = ToolRun(command, input: file)
      #expect(run.code != .limitReached, "\(command): \(run.errors)")
    }
  }

  /// An array of `count` references to an array of `count` references to a text.
  private func arrays(_ count: Int) -> Data {
    Handmade.archive([
      ["NS.objects": .array([HandmadeList](repeating: .uid(2), count: count)), "$class": .uid(4)],
      ["NS.objects": .array([HandmadeList](repeating: .uid(3), count: count)), "$class": .uid(4)],
      "text", Handmade.classRecord("NSArray"),
    ])
  }

  @Test("--depth visits an object below it once, however many refer to it")
  func depth() {
    let run = ToolRun("tree", "-d1", "-", input: arrays(5000))
    #expect(run.code == .fine)
    #expect(run.lines.count == 5001)
    #expect(run.lines[0] == "root: NSArray (5000 elements) #1")
    #expect(run.lines.dropFirst().enumerated().allSatisfy { $1 == "  [\($0)]: NSArray (5000 elements) … #2" })
  }

  @Test("an object too deep at first is printed at a later occurrence further up")
  func depthThenShown() {
    let data = Handmade.archive([
      ["a": .uid(2), "b": .uid(3), "$class": .uid(4)], ["c": .uid(3), "$class": .uid(4)], ["d": 1, "$class": .uid(4)],
      Handmade.classRecord("Box"),
    ])
    let expected = ["root: Box #1", "  a: Box #2", "    c: Box … #3", "  b: Box #3", "    d: 1"]
    #expect(ToolRun("tree", "-d2", "-", input: data).lines == expected)
  }

  @Test("plain JSON writes an object once and a text each time, within the output limit")
  func plainJSON() throws {
    let run = ToolRun("get", "--json", "-", "root", input: arrays(5000))
    let json = try #require(try JSONSerialization.jsonObject(with: run.data) as? [Any])
    #expect(json.count == 5000)
    #expect((json[0] as? [String])?.count == 5000)
    #expect(json.dropFirst().allSatisfy { ($0 as? [String: Int]) == ["$seen": 2] })

    // 2000 times 20,000 characters are 40 MB; the file has about 60 kB.
    let text = Handmade.archive([
      ["NS.objects": .array([HandmadeList](repeating: .uid(2), count: 2000)), "$class": .uid(3)],
      .string(String(repeating: "text", count: 5000)), Handmade.classRecord("NSArray"),
    ])
    let cut = ToolRun("convert", "-", "--to", "json", "--plain", input: text)
    #expect(cut.code == .limitReached && cut.data.isEmpty)
    #expect(cut.errors.contains("a part of the archive"))
    #expect(ToolRun("get", "--json", "-", "root[1999]", input: text).code == .fine)
    // The tree prints 1000 characters, and 80 at later occurrences.
    let tree = ToolRun("tree", "-", input: text)
    #expect(tree.code == .fine && tree.lines.count == 2001)
    #expect(tree.lines[1].utf8.count < 1100 && tree.lines[2].utf8.count < 150)
  }

  @Test("a tree that exceeds the output limit ends with an error")
  func longTree() {
    // Lines have about 60 characters, so 64 times the file is less than 4000 times 4000 of them.
    let data = Bombs.all.first { $0.name == "many arrays with one list of elements" }?.make(60_000) ?? Data()
    let run = ToolRun("tree", "-", input: data)
    #expect(run.code == .limitReached)
    #expect(run.lines.count > 1000 && run.data.count <= bound(data))
    #expect(run.errors.contains("tree"))
  }

  @Test("cuts keys and class names to 1000 characters and prints their length")
  func longNames() {
    let name = String(repeating: "N", count: 100_000)
    let data = Handmade.archive([
      .dictionary([(name, .uid(2)), ("$class", .uid(3))]), ["$class": .uid(3)], Handmade.classRecord(name),
    ])
    let cut = String(repeating: "N", count: 1000) + "… (100000 bytes)"
    let cutKey = "\"" + String(repeating: "N", count: 1000) + "…\" (100000 bytes)"
    #expect(ToolRun("tree", "-", input: data).lines == ["root: \(cut) #1", "  \(cutKey): \(cut) #2"])
    // One character of 100,000 marks is as long.
    let marks = "a" + String(repeating: "\u{301}", count: 99_999)
    let marked = Handmade.archive([
      .dictionary([(marks, .integer(1)), ("$class", .uid(2))]), Handmade.classRecord("Box"),
    ])
    #expect(ToolRun("tree", "-", input: marked).data.count < 3000)
    #expect(ToolRun("get", "-", "root.x", input: marked).errors.utf8.count < 3000)
  }

  @Test("reports a dangling reference under a long key in a few words, and limits findings")
  func findings() throws {
    let data = try #require(Bombs.all.first { $0.name.hasPrefix("many references to nothing") }).make(
      Sample.count(50_000, of: 200_000))
    let info = ToolRun("info", "-", input: data)
    #expect(info.code == .notAnArchive && info.errors.utf8.count < 1000)
    #expect(info.errors.contains("dangling reference to object #1000000; '$objects' has only objects #0 to #2"))
    let run = ToolRun("validate", "--json", "-", input: data)
    let findings = try #require(try run.json.first?["findings"] as? [[String: Any]])
    #expect(run.code == .negative)
    #expect(findings.first?["code"] as? String == "danglingReference")
    #expect(findings.last?["code"] as? String == "limitReached")
    // The same for a key of one character: a letter with 100,000 marks.
    let marks = "a" + String(repeating: "\u{301}", count: 100_000)
    let marked = Handmade.archive([
      .dictionary([(marks, .array([HandmadeList](repeating: .uid(9), count: 1000))), ("$class", .uid(2))]),
      Handmade.classRecord("Box"),
    ])
    #expect(ToolRun("info", "-", input: marked).errors.utf8.count < 2000)
    #expect(ToolRun("validate", "-", input: marked).data.count < 4_000_000)
    // A finding takes at least 224 bytes of a budget of 64 times the file.
    #expect(findings.count < 64 * data.count / 224)
  }

  @Test("rings of every kind end", arguments: commands)
  func rings(command: [String]) {
    let ring = Handmade.archive(
      [
        ["NS.keys": [.uid(1), .uid(2)], "NS.objects": [.uid(2), .uid(1)], "$class": .uid(3)],
        ["NS.objects": [.uid(1), .uid(2), .uid(4)], "$class": .uid(5)], Handmade.classRecord("NSDictionary"),
        ["self": .uid(4), "inside": [.uid(4), [.uid(2)]], "$class": .uid(6)], Handmade.classRecord("NSArray"),
        ["$class": .uid(6), "$classname": "Ring"],
      ], top: ["root": .uid(1), "$0": .uid(4)])
    let run = ToolRun(command, input: ring)
    #expect(run.data.count < 20_000 + Self.page(command))
    if command == ["info", "--json", "-"] { #expect(run.output.contains("\"cyclic\":true")) }
  }

  /// A twelfth of the commands for each input; with `WHOLE_TESTS`, all commands for each.
  @Test("prints 10,000 levels of objects, and rejects as many inline containers")
  func levels() throws {
    func some(_ input: Int) -> [[String]] {
      Self.commands.enumerated().filter { Sample.includes($0.offset + input, each: 12) }.map(\.element)
    }
    let chain = try Link.chain(10_000)
    for command in some(0) {
      let run = ToolRun(command, input: chain)
      #expect([.fine, .negative, .classNotAllowed].contains(run.code), "\(command): \(run.errors)")
    }
    #expect(ToolRun("tree", "-", input: chain).lines.count == 10_001)

    var file = ArchiveFile()
    var row = file.row(.array([]))
    for _ in 0..<10_000 { row = file.row(.array([row])) }
    let box = file.classUID("Box")
    let nested = file.data(root: file.object(row: file.fields(box, [("lists", row)])))
    for command in some(1) where !["roundtrip", "convert"].contains(command[0]) {
      let run = ToolRun(command, input: nested)
      #expect(run.code != .fine || command.contains("Nobody") || command.contains("NSArray"), "\(command)")
      #expect(run.errors.utf8.count < 1000 && run.data.count < 1000 + Self.page(command), "\(command)")
    }
    for command in some(1) where ["roundtrip", "convert"].contains(command[0]) {
      let run = ToolRun(command, input: nested)
      #expect([.fine, .negative, .limitReached].contains(run.code), "\(command)")
      #expect(run.data.count < 50 * nested.count, "\(command)")
    }

    let open = String(repeating: "<array>", count: 10_000), close = String(repeating: "</array>", count: 10_000)
    let xml = Data("<plist version=\"1.0\">\(open)\(close)</plist>".utf8)
    let json = Data((String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)).utf8)
    for command in some(2) { #expect(ToolRun(command, input: xml).code == .limitReached, "\(command)") }
    #expect(ToolRun("convert", "-", "--to", "xml", input: json).code == .limitReached)
  }

  @Test("handles many keys of one object")
  func manyKeys() throws {
    let count = Sample.count(10_000, of: 50_000)
    var file = ArchiveFile()
    let (value, box) = (file.row(.integer(7)), file.classUID("Box"))
    let data = file.data(
      root: file.object(row: file.fields(box, (0..<count).map { ("key \($0)", value) })))
    #expect(ToolRun("tree", "-", input: data).lines.last == "  \"key \(count - 1)\": 7")
    #expect(ToolRun("get", "-", "root.key \(count - 1)", input: data).output == "7\n")
    let missing = ToolRun("get", "-", "root.x", input: data)
    #expect(missing.code == .negative && missing.errors.utf8.count < 2000)
    #expect(ToolRun("info", "-", input: data).code == .fine)
    #expect(ToolRun("convert", "-", "--to", "json", "--plain", input: data).code == .fine)
  }

  @Test("finds the location of a difference quickly although all envelope keys are one long text")
  func outermostKeys() throws {
    var table = TableFile()
    let long = table.add(.string(String(repeating: "long", count: 50_000)))
    let null = table.add(.string("$null"))
    let number = table.add(.integer(100_000))
    func text(_ text: String) -> Int { table.add(.string(text)) }
    var pairs = [(key: long, value: number)]
    pairs += [Array](repeating: pairs, count: 40_000).joined()
    let top = table.add(.dictionary([(text("root"), table.add(.uid(0)))]))
    pairs += [
      (text("$version"), number), (text("$archiver"), text("NSKeyedArchiver")), (text("$top"), top),
      (text("$objects"), table.add(.array([null]))),
    ]
    let data = table.data(top: table.add(.dictionary(pairs)))
    let run = ToolRun("roundtrip", "-", input: data)
    #expect(run.code == .negative && run.output.contains("differ at byte"))
  }
}
