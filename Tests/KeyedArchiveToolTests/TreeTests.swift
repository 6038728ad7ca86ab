// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("tree")
struct TreeTests {
  @Test("--json prints an object for each line")
  func json() throws {
    let data = try Creature.pair()
    let rows = try ToolRun("tree", "--json", "-", input: data).json
    let lines = ToolRun("tree", "-", input: data).lines
    #expect(rows.count == lines.count)
    for (row, line) in zip(rows, lines) {
      #expect(row["schema"] as? Int == 1 && row["file"] as? String == "-")
      #expect((row["level"] as? Int ?? -1) * 2 == line.prefix { $0 == " " }.count)
      #expect(line.contains("\(row["label"] as? String ?? "?"): "))
      if let object = row["object"] as? Int { #expect(line.hasSuffix("#\(object)")) }
      #expect((row["seen"] as? Bool == true) == line.contains("↑"))
    }
    func row(_ label: String) throws -> [String: Any] { try #require(rows.first { $0["label"] as? String == label }) }
    #expect(try row("root")["class"] as? String == "Zoo.Creature" && row("root")["type"] as? String == "object")
    #expect(try row("Title")["value"] as? String == "Ghost" && row("Rating")["type"] as? String == "float")
    #expect(try row("Seen")["value"] as? Double == 0.25 && row("Home")["type"] as? String == "url")
    #expect(try row("Scores")["count"] as? Int == 1 && row("Nothing")["type"] as? String == "null")
    #expect(try row("Image")["value"] as? String == "iVBORw0KGgoAAQIDBAUGBwg=")
  }

  @Test("keys that could look like other lines, paths or values are in quotes, as in key paths")
  func quotedKeys() throws {
    let keys: [(key: String, shown: String)] = [
      ("plain", "plain"), ("NS.time", "NS.time"), ("a.b", #""a.b""#), ("two words", #""two words""#), ("", #""""#),
      ("a: 7\nroot", #""a: 7\nroot""#), ("#7", ##""#7""##), ("[0]", #""[0]""#), (#"a\nb"#, #""a\\nb""#),
      ("\u{1B}[2J", #""\u{1b}[2J""#), (#""q""#, #""\"q\"""#), ("é", "é"),
    ]
    let record = Handmade.classRecord("Box")
    let values = keys.enumerated().map { ($1.key, HandmadeList.integer(Int64($0))) }
    let data = Handmade.archive([.dictionary(values + [("$class", .uid(2))]), record])
    let lines = ["root: Box #1"] + keys.enumerated().map { "  \($1.shown): \($0)" }
    #expect(ToolRun("tree", "-", input: data).lines == lines)
    let audited = ToolRun("audit", "-", input: data).lines
    for (_, shown) in keys { #expect(audited.contains("  \(shown): integer"), "\(shown)") }
    let described = try KeyedArchive(data).description.split(separator: "\n").map(String.init)
    #expect(described == lines)
    let top = Handmade.archive([["$class": .uid(2)], record], top: ["root: 1\nx": .uid(1)])
    #expect(ToolRun("tree", "-", input: top).lines == [#""root: 1\nx": Box #1"#])
    // A key that is cut is in quotes, too.
    let long = String(repeating: "a", count: 2000)
    let fields: [(String, HandmadeList)] = [(long, .integer(1)), ("$class", .uid(2))]
    let cut = Handmade.archive([.dictionary(fields), record])
    #expect(ToolRun("tree", "-", input: cut).lines.last == "  \"\(long.prefix(1000))…\" (2000 bytes): 1")
    // A path is not a key.
    #expect(ToolRun("tree", "--path", #"root["a.b"]"#, "-", input: data).lines == [#"root["a.b"]: 2"#])
  }

  @Test("a tree that is too long is not counted as a damaged value")
  func tooLong() {
    // The UID on top, which is object 11 of the property list, is also each element of the list.
    let count = 60_000
    let head: [UInt8] = [0xAF, 0x12] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) }
    let list = HandmadeList.raw(head + (0..<count).flatMap { _ in [0, 0, 0, 11] as [UInt8] })
    let box: HandmadeList = ["bad": .uid(9_999), "list": list, "$class": .uid(3)]
    let archive = HandmadeList.archive(
      [box, .string(String(repeating: "😀", count: 900)), .classRecord("Box")],
      top: [("root", .uid(1)), ("text", .uid(2))])
    #expect(archive.count < 1 << 18, "a larger archive has a larger limit")
    let run = ToolRun("tree", "-", input: archive)
    #expect(run.code == .limitReached && run.errors.contains("output limit reached"))
    #expect(!run.errors.contains("damaged values"), "\(run.errors)")
  }

  @Test("--json with --depth and --width, and for damaged values")
  func jsonLimits() throws {
    let data = try Creature.pair()
    let depth = try ToolRun("tree", "--json", "--depth", "0", "-", input: data).json
    #expect(depth.count == 1 && depth[0]["cut"] as? Bool == true)
    let width = try ToolRun("tree", "--json", "--path", "root.Tags", "--width", "1", "-", input: data).json
    #expect(width.count == 3 && width[2]["omitted"] as? Int == 1 && width[2]["level"] as? Int == 1)
    let damaged = ToolRun(
      "tree", "--json", "-", input: Handmade.archive([["a": .uid(99), "$class": .uid(2)], Handmade.classRecord("A")]))
    #expect(damaged.code == .notAnArchive && damaged.errors.hasPrefix(#"{"schema":1,"error":{"code":"damagedArchive""#))
    #expect(try damaged.json.last?["type"] as? String == "damaged")
  }

  @Test("prints a URL in one line: key, class, value, UID")
  func url() {
    let run = ToolRun("tree", nsurl)
    #expect(run.output == "root: NSURL \"https://nuomi1.github.io/\" #1\n")
    #expect(run.code == .fine && run.errors == "")
  }

  @Test("prints keys, classes, values, elements, pairs and back references")
  func creature() throws {
    let run = ToolRun("tree", "-", input: try Creature.pair())
    // UIDs depend on the archiver's rules, which other tests cover.
    let text = run.output.replacing(#/#\d+/#, with: "#n")
    let expected = """
      root: Zoo.Creature "Ghost" #n
        Legs: 7
        Scary: true
        Rating: 2.5 (float)
        Weight: 0.5
        Nothing: null
        Title: "Ghost" #n
        Seen: NSDate 2001-01-01T00:00:00.250Z #n
        Image: <17 bytes, png, 89504e47 0d0a1a0a 00010203 04050607 …> #n
        Home: NSURL "https://example.org/a" #n
        ID: NSUUID E621E1F8-C36C-495A-93FC-0C247A3E6E5F #n
        Friend: null
        Tags: NSArray (2 elements) #n
          [0]: "white" #n
          [1]: "loud" #n
        Scores: NSDictionary (1 pair) #n
          "one": 1 #n
        Friends: NSArray (1 element) #n
          [0]: Zoo.Creature "Slug" #n
      """
    // Keys are in the archive's order.
    #expect(Set(expected.split(separator: "\n")).isSubset(of: Set(text.split(separator: "\n"))))
    #expect(text.contains("      Friend: Zoo.Creature \"Ghost\" ↑#n"))
    #expect(run.code == .fine)
  }

  @Test("prints later occurrences as UIDs, which ends cycles")
  func ring() {
    let data = Handmade.archive([
      ["next": .uid(1), "name": .uid(2), "again": .uid(2), "$class": .uid(3)], "x", Handmade.classRecord("Ring"),
    ])
    let expected = """
      root: Ring "x" #1
        next: Ring "x" ↑#1
        name: "x" #2
        again: "x" ↑#2

      """
    #expect(ToolRun("tree", "-", input: data).output == expected)
  }

  @Test("hostile text in strings, keys, classes and messages does not reach the terminal")
  func hostileText() {
    let evil = "\u{1B}[2J\u{7}\n\u{202E}x\""
    let data = Handmade.archive(
      [.dictionary([(evil, .uid(2)), ("$class", .uid(3))]), .string(evil), Handmade.classRecord(evil)],
      top: .dictionary([(evil, .uid(1))]))
    let safe = #"\u{1b}[2J\u{7}\n\u{202e}x"#
    let expected = """
      "\(safe)\\"": \(safe)" #1
        "\(safe)\\"": "\(safe)\\"" #2

      """
    #expect(ToolRun("tree", "-", input: data).output == expected)
    let missing = ToolRun("get", "-", "root\(evil)", input: data)
    #expect(missing.errors.unicodeScalars.filter(EscapedText.isHostile) == ["\n"])
  }

  @Test("--depth, --width and --path print a part")
  func parts() {
    let data = Handmade.archive([
      ["items": .uid(2), "$class": .uid(4)],
      ["NS.objects": .array([.uid(3), .uid(3), .uid(3)]), "$class": .uid(5)],
      "a", Handmade.classRecord("Box"), Handmade.classRecord("NSArray"),
    ])
    #expect(ToolRun("tree", "-d0", "-", input: data).output == "root: Box … #1\n")
    #expect(
      ToolRun("tree", "--depth=1", "-", input: data).lines == ["root: Box #1", "  items: NSArray (3 elements) … #2"])
    let wide = ["root.items: NSArray (3 elements) #2", "  [0]: \"a\" #3", "  … 2 more"]
    #expect(ToolRun("tree", "-w", "1", "-p", "root.items", "-", input: data).lines == wide)
    #expect(
      ToolRun("tree", "--class", "NSArray", "--width=0", "-", input: data).lines == [
        "NSArray (3 elements) #2", "  … 3 more",
      ])
    let both = ToolRun("tree", "--class", "NSArray", "--path", "root", "-", input: data)
    #expect(both.code == .usage && both.errors.contains("'--class' excludes '--path'"))
    let none = ToolRun("tree", "--class", "NSArrey", "-", input: data)
    #expect(none.code == .negative && none.errors.contains("Did you mean 'NSArray'?"))
  }

  @Test(
    "--class says so if the only objects of a class are stored without one",
    arguments: [("NSString", "strings", "x"), ("NSNumber", "numbers", 1), ("NSData", "data", .data([1]))]
      as [(String, String, HandmadeList)])
  func primitives(name: String, noun: String, value: HandmadeList) {
    let data = Handmade.archive([["a": .uid(2), "$class": .uid(3)], value, Handmade.classRecord("Box")])
    let run = ToolRun("tree", "--class", name, "-", input: data)
    let message =
      "no object has a record of the class '\(name)': the \(noun) of the archive are stored without a class. "
      + "To list them, use 'tree' without --class"
    #expect(run.code == .negative && run.output == "" && run.errors == "keyedarchive: -: \(message)\n")
    for other in ["NSString", "NSNumber", "NSData"] where other != name {
      let none = ToolRun("tree", "--class", other, "-", input: data)
      #expect(none.code == .negative && none.errors.contains("the archive has no object of class '\(other)'"))
    }
  }

  @Test("shows mangled class names as in Swift, and finds objects by both names")
  func mangledNames() {
    let name = "_TtGC3Zoo3BoxCVS_4Cage4Bird_"
    let data = Handmade.archive([["a": 1, "$class": .uid(2)], Handmade.classRecord(name)])
    let lines = ["Zoo.Box<Zoo.Cage.Bird> #1", "  a: 1"]
    #expect(ToolRun("tree", "-", input: data).lines == ["root: " + lines[0], lines[1]])
    for name in [name, "Zoo.Box<Zoo.Cage.Bird>"] {
      #expect(ToolRun("tree", "--class", name, "-", input: data).lines == lines)
    }
    #expect(ToolRun("get", "--json", "-", "root", input: data).output.contains(name))
  }

  @Test("prints pairs with object keys, indexed elements, unusual numbers and nil")
  func oddities() {
    let data = Handmade.archive([
      ["NS.keys": [.uid(1), .uid(3), .uid(4)], "NS.objects": [.uid(3), .uid(0), .uid(6)], "$class": .uid(2)],
      Handmade.classRecord("NSDictionary"), 5, .real(.infinity), Handmade.classRecord("NSOrderedSet"),
      ["NS.object.0": .uid(3), "NS.object.1": .uid(7), "$class": .uid(5)], "$null",
    ])
    let expected = """
      root: NSDictionary (3 pairs) #1
        key [0]: NSDictionary ↑#1
        value [0]: 5 #3
        5: null
        inf: NSOrderedSet (2 elements) #6
          [0]: 5 ↑#3
          [1]: null #7

      """
    #expect(ToolRun("tree", "-", input: data).output == expected)
  }

  @Test("prints the elements of a counted set with their counts")
  func countedSet() {
    let data = Handmade.archive([
      ["NS.count": 2, "NS.object0": .uid(3), "NS.count0": 4, "NS.object1": .uid(4), "NS.count1": 5, "$class": .uid(2)],
      HandmadeList.classRecord("NSCountedSet", "NSMutableSet", "NSSet", "NSObject"), "a", ["x": 1, "$class": .uid(5)],
      Handmade.classRecord("Box"),
    ])
    #expect(
      ToolRun("tree", "-", input: data).lines == [
        "root: NSCountedSet (2 pairs) #1", "  NS.count: 2", "  \"a\": 4", "  key [1]: Box #4", "    x: 1",
        "  value [1]: 5",
      ])
  }

  @Test("inline containers that nest too deep are an error with its own remedy")
  func deepContainers() {
    let data = Handmade.archive([["a": Handmade.nested(1, 40), "$class": .uid(2)], Handmade.classRecord("Box")])
    let run = ToolRun("tree", "-", input: data)
    #expect(run.code == .limitReached)
    #expect(run.errors.contains("Store the inner containers as objects of the archive"), "\(run.errors)")
  }

  @Test("reports a damaged part in its place, prints the rest, and sets the exit code")
  func damage() {
    let data = Handmade.archive([
      ["a": .uid(99), "b": .uid(2), "$class": .uid(3)], "fine", Handmade.classRecord("Box"),
    ])
    let run = ToolRun("tree", "-", input: data)
    #expect(run.code == .notAnArchive)
    #expect(run.output.contains("  a: damaged: dangling reference to object #99"))
    #expect(run.output.contains("  b: \"fine\" #2"))
    #expect(run.errors.hasPrefix("keyedarchive: -: dangling reference to object #99"))
  }

  @Test("prints a long chain of objects with limited indentation")
  func deep() throws {
    let count = Sample.count(10_000, of: 100_000)
    let run = ToolRun("tree", "-", input: try Link.chain(count))
    let lines = run.lines
    #expect(run.code == .fine && lines.count == count + 1)
    #expect(run.data.count < 150 * count)
    #expect(
      lines[count - 1].hasPrefix(
        String(repeating: "  ", count: 32) + "(\(count - 1)) next: KeyedArchiveToolTests.Link #"))
    #expect(lines[count].hasSuffix("(\(count)) next: null"))
  }

  @Test("rejects values that a few bytes repeat without bound")
  func bomb() {
    var nested: HandmadeList = [1]
    for _ in 0..<14 { nested = .array([nested, nested]) }
    let sound = Handmade.archive([["x": nested, "$class": .uid(2)], Handmade.classRecord("Box")])
    #expect(ToolRun("tree", "-d1", "-", input: sound).code == .fine)
    // The same with shared objects: 30 arrays, each twice the previous one.
    var rows = (0..<30).map { "{\"array\":[\($0 + 14),\($0 + 14)]}" }
    rows.append("1")
    let json = """
      {"keyedarchive":1,"format":"binary","top":0,"objects":[
      {"dictionary":[[1,5],[2,6],[3,7],[4,10]]},"$version","$archiver","$top","$objects",100000,"NSKeyedArchiver",
      {"dictionary":[[8,9]]},"root",{"uid":1},{"array":[11,12]},"$null",{"dictionary":[[8,13],[44,9]]},
      \(rows.joined(separator: ",")),"$class"]}
      """
    // Object index 43 is the 1, 44 is '$class'.
    let bomb = ToolRun("convert", "-", "--to", "binary", input: Data(json.utf8))
    #expect(bomb.code == .fine && bomb.data.count < 1000)
    #expect(ToolRun("tree", "-", input: bomb.data).code == .limitReached)
  }

  @Test(
    "colors output only for terminals that support it",
    arguments: [
      (["--color", "auto"], true, ["TERM": "xterm"], true), ([], true, ["TERM": "xterm"], true),
      ([], false, ["TERM": "xterm"], false), ([], true, ["TERM": "dumb"], false), ([], true, [:], false),
      ([], true, ["TERM": "xterm", "NO_COLOR": "1"], false), (["--color=always"], false, ["NO_COLOR": "1"], true),
      (["--color", "never"], true, ["TERM": "xterm"], false),
    ] as [([String], Bool, [String: String], Bool)])
  func colour(options: [String], isTerminal: Bool, environment: [String: String], expected: Bool) {
    let run = ToolRun(["tree"] + options + [nsurl], isTerminal: isTerminal, environment: environment)
    #expect(run.output.contains("\u{1B}[") == expected)
  }
}
