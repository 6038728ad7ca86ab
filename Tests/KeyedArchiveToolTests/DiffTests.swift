// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import ArchiveTools
import CommandLineTools
import Foundation
import HarnessSupport
import KeyedArchives
import KeyedArchiving
import PropertyListFormat
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("diff")
struct DiffTests {
  private let folder: ScratchFolder
  private let old: String
  private let new: String

  private static let box = Handmade.classRecord("Box")

  init() throws {
    folder = try ScratchFolder()
    old = try folder.file(
      "old.plist",
      Handmade.archive([
        ["Title": .uid(3), "Rating": 5, "gone": true, "when": .uid(4), "$class": .uid(2)], Self.box, "Ghost",
        ["NS.time": 0.0, "$class": .uid(5)], Handmade.classRecord("NSDate"),
      ]))
    new = try folder.file(
      "new.plist",
      Handmade.archive([
        ["Title": .uid(3), "Rating": .uid(6), "a key": .uid(7), "when": .uid(4), "$class": .uid(2)],
        Handmade.classRecord("Crate"), "Yeti\u{1B}[2J", ["NS.time": 1.5, "$class": .uid(5)],
        Handmade.classRecord("NSDate"), 5, ["NS.objects": [.uid(3), .uid(6)], "$class": .uid(8)],
        Handmade.classRecord("NSArray"),
      ]))
  }

  @Test("prints a line per difference, with exit code 1")
  func lines() {
    let run = ToolRun("diff", old, new)
    #expect(run.code == .negative && run.errors == "")
    #expect(
      run.lines == [
        "c root: Box < NSObject → Crate < NSObject", #"~ root.Title: "Ghost" → "Yeti\u{1b}[2J""#,
        "= root.Rating: 5 inline → 5 boxed", #"+ root["a key"]: NSArray (2 elements) #7"#,
        "~ root.when.NS.time: 0.0 (2001-01-01T00:00:00Z) → 1.5 (2001-01-01T00:00:01.500Z)", "- root.gone: true",
      ])
  }

  @Test("says where long strings and data differ that are shown by the same text")
  func longValues() throws {
    func file(_ name: String, _ end: String) throws -> String {
      let text = String(repeating: "é", count: 2000) + end
      return try folder.file(
        name,
        Handmade.archive([
          ["a": .string(text), "b": .data(Array(text.utf8)), "$class": .uid(2)], Self.box,
        ]))
    }
    let run = ToolRun("diff", try file("1.plist", "x1"), try file("2.plist", "x2"))
    #expect(run.code == .negative && run.lines.count == 2)
    #expect(run.lines.first?.hasSuffix("(differ at byte 4001 of the text in UTF-8)") == true, "\(run.lines)")
    #expect(run.lines.last?.hasSuffix("(differ at byte 4001)") == true, "\(run.lines)")
  }

  @Test("says it for the first differences only if many objects share a long string")
  func sharedLongValues() throws {
    func file(_ name: String, _ end: String) throws -> String {
      let objects: [HandmadeList] = (0..<500).map { _ in ["a": .uid(3), "$class": .uid(2)] }
      let list: HandmadeList = ["list": .array((0..<500).map { .uid(UInt64(4 + $0)) }), "$class": .uid(2)]
      let text: HandmadeList = .string(String(repeating: "x", count: 20_000) + end)
      return try folder.file(name, Handmade.archive([list, Self.box, text] + objects))
    }
    let run = ToolRun("diff", try file("1.plist", "1"), try file("2.plist", "2"))
    #expect(run.code == .negative && run.lines.count == 500)
    #expect(1..<20 ~= run.lines.count { $0.hasSuffix("(differ at byte 20000 of the text in UTF-8)") })
  }

  @Test("--json prints exactly these keys")
  func json() throws {
    let run = ToolRun("diff", "--json", old, new, "--ignore", "class", "--ignore=changed")
    #expect(run.code == .negative)
    #expect(
      run.lines == [
        #"{"schema":1,"old":"\#(old)","new":"\#(new)","same":false,"differences":["#
          + #"{"kind":"form","path":"root.Rating","old":{"type":"integer","value":5},"#
          + #""new":{"type":"integer","value":5,"object":6}},"#
          + #"{"kind":"added","path":"root[\"a key\"]","new":{"type":"object","class":"NSArray","object":7}},"#
          + #"{"kind":"removed","path":"root.gone","old":{"type":"boolean","value":true}}]}"#
      ])
    let shared = try #require(
      try ToolRun("diff", "--json", old, old).json.first)
    #expect(shared["same"] as? Bool == true && (shared["differences"] as? [Any])?.isEmpty == true)
  }

  @Test("--quiet prints nothing")
  func quiet() {
    for option in ["-q", "--quiet"] {
      let different = ToolRun("diff", option, old, new)
      #expect(different.code == .negative && different.output == "" && different.errors == "")
      #expect(ToolRun("diff", option, old, old).code == .fine)
      #expect(ToolRun("diff", option, old, "/no/such").code == .unreadable)
      #expect(ToolRun("diff", option, "--json", old, new).code == .usage)
    }
  }

  @Test("prints every kind of value as text and JSON")
  func kinds() throws {
    let wide: HandmadeList = .raw([0x14] + Array(repeating: 0, count: 7) + [1] + Array(repeating: 0, count: 8))
    let old = try folder.file(
      "kinds old.plist",
      Handmade.archive(
        [
          [
            "a": 1, "b": .raw([0x22, 0x3F, 0, 0, 0]), "c": 0.5, "d": .data([1, 2, 3]), "e": wide,
            "f": .integer(1 << 60), "g": [1, "x"], "h": ["k": 1], "i": .uid(3), "j": .uid(0),
            "k": .raw([0x33] + Array(repeating: 0, count: 8)), "$class": .uid(2),
          ], Self.box, "text",
        ], archiver: "NSKeyedArchiver"))
    let new = try folder.file(
      "kinds new.plist",
      Handmade.archive(
        [
          [
            "a": true, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": .uid(0), "j": 9, "k": 10,
            "$class": .uid(2),
          ], Self.box,
        ], archiver: "SCNKeyedArchiver"))
    let run = ToolRun("diff", old, new)
    #expect(run.code == .negative && run.errors == "")
    #expect(
      run.lines.sorted() == [
        #"~ $archiver: "NSKeyedArchiver" → "SCNKeyedArchiver""#, "~ root.a: 1 → true", "~ root.b: 0.5 (float) → 2",
        "~ root.c: 0.5 → 3",
        "~ root.d: <3 bytes, 010203> → 4", "~ root.e: 18446744073709551616 (16 bytes) → 5",
        "~ root.f: 1152921504606846976 → 6",
        "~ root.g: array (2 elements) → 7", "~ root.h: dictionary (1 key) → 8", #"~ root.i: "text" → null"#,
        "~ root.j: null → 9", "~ root.k: 2001-01-01T00:00:00Z → 10",
      ])
    let json = try #require(try ToolRun("diff", "--json", old, new).json.first)
    let differences = try #require(json["differences"] as? [[String: Any]])
    var found: [String: String] = [:]
    for difference in differences {
      let path = try #require(difference["path"] as? String)
      let sides = try ["old", "new"].map { side in
        let data = try JSONSerialization.data(withJSONObject: difference[side] ?? [:], options: .sortedKeys)
        return String(decoding: data, as: UTF8.self)
      }
      found[path] = sides.joined(separator: " ")
    }
    #expect(
      found == [
        "$archiver": #"{"type":"name","value":"NSKeyedArchiver"} {"type":"name","value":"SCNKeyedArchiver"}"#,
        "root.a": #"{"type":"integer","value":1} {"type":"boolean","value":true}"#,
        "root.b": #"{"type":"float","value":0.5} {"type":"integer","value":2}"#,
        "root.c": #"{"type":"double","value":0.5} {"type":"integer","value":3}"#,
        "root.d": #"{"type":"data","value":"AQID"} {"type":"integer","value":4}"#,
        "root.e": #"{"type":"integer16","value":"18446744073709551616"} {"type":"integer","value":5}"#,
        "root.f": #"{"type":"integer","value":"1152921504606846976"} {"type":"integer","value":6}"#,
        "root.g": #"{"count":2,"type":"array"} {"type":"integer","value":7}"#,
        "root.h": #"{"count":1,"type":"dictionary"} {"type":"integer","value":8}"#,
        "root.i": #"{"object":3,"type":"string","value":"text"} {"type":"null"}"#,
        "root.j": #"{"type":"null"} {"type":"integer","value":9}"#,
        "root.k": #"{"type":"date","value":0} {"type":"integer","value":10}"#,
      ])
  }

  @Test("reports aliasing differences with the path of the other reference")
  func sharing() throws {
    func file(_ name: String, _ second: UInt64) throws -> String {
      try folder.file(
        name,
        Handmade.archive([
          ["a": .uid(3), "b": .uid(second), "$class": .uid(2)], Self.box, ["n": 1, "$class": .uid(2)],
          ["n": 1, "$class": .uid(2)],
        ]))
    }
    let (shared, apart) = (try file("shared.plist", 3), try file("apart.plist", 4))
    #expect(ToolRun("diff", shared, apart).lines == ["s root.b: the object at root.a → a separate object"])
    #expect(ToolRun("diff", apart, shared).lines == ["s root.b: a separate object → the object at root.a"])
    let json = try #require(try ToolRun("diff", "--json", shared, apart).json.first?["differences"] as? [[String: Any]])
    #expect(json.count == 1 && json[0]["kind"] as? String == "sharing")
    let (before, after) = (json[0]["old"] as? [String: Any], json[0]["new"] as? [String: Any])
    #expect(before?["type"] as? String == "shared" && before?["object"] as? Int == 3)
    #expect(before?["path"] as? String == "root.a")
    #expect(after?["type"] as? String == "own" && after?["object"] as? Int == 4)
  }

  @Test("JSON has the record of another class: name, superclasses and hints")
  func classes() throws {
    let hinted: HandmadeList = [
      "$classname": "Crate", "$classes": ["Crate", "Box", "NSObject"], "$classhints": ["Box"],
    ]
    let before = try folder.file("a.plist", Handmade.archive([["$class": .uid(2)], Self.box]))
    let after = try folder.file("b.plist", Handmade.archive([["$class": .uid(2)], hinted]))
    let run = ToolRun("diff", "--json", before, after)
    #expect(
      run.output.contains(
        #""old":{"type":"class","name":"Box","classes":["Box","NSObject"]},"#
          + #""new":{"type":"class","name":"Crate","classes":["Crate","Box","NSObject"],"hints":["Box"]}"#))
  }

  @Test("equal archives in any format have no differences; one may be standard input")
  func same() throws {
    let data = try Data(contentsOf: URL(filePath: old))
    let xml = try folder.file("old.xml", KeyedArchive(data).data(format: .xml))
    for arguments in [["diff", old, xml], ["diff", "-", xml], ["diff", xml, "-"], ["diff", old, old]] {
      let run = ToolRun(arguments, input: data)
      #expect(run.code == .fine && run.output == "" && run.errors == "", "\(arguments)")
    }
  }

  @Test(
    "exit codes",
    arguments: [
      (["OLD"], .usage), (["OLD", "NEW", "x"], .usage), (["-", "-"], .usage), (["OLD", "/no/such/file"], .unreadable),
      (["OLD", "NEW", "-i", "nothing"], .usage), (["OLD", "NEW", "--git", "--json"], .usage),
      (["BAD", "NEW"], .notAnArchive),
      (["OLD", "DAMAGED"], .notAnArchive), (["/no/such/file", "BAD"], .notAnArchive),
      (["OLD", "NEW", "-i", "form"], .negative),
    ] as [([String], ExitCode)])
  func codes(arguments: [String], code: ExitCode) throws {
    let bad = try folder.file("bad", Data("hello".utf8))
    let damaged = try folder.file("damaged", Handmade.archive([["a": .uid(9), "$class": .uid(2)], Self.box]))
    let names = ["OLD": old, "NEW": new, "BAD": bad, "DAMAGED": damaged]
    let run = ToolRun(["diff"] + arguments.map { names[$0] ?? $0 })
    #expect(run.code == code, "\(run.errors)")
    if code > .usage { #expect(run.output == "" && run.errors.hasPrefix("keyedarchive: ")) }
  }

  @Test("get finds each path, whatever the keys are")
  func paths() throws {
    let keys = [
      "plain", "with.dots", ".", "a b", "[0]", "#3", "\"", "'", "\\", "new\nline", "\u{1B}[2J", "", "é", "e\u{301}",
      "\\n", "u{41}",
      "NS.x", "\u{202E}x",
    ]
    func archive(_ value: Int64) -> Data {
      let pairs = keys.map { ($0, HandmadeList.integer(value)) }
      return Handmade.archive([.dictionary(pairs + [("$class", .uid(2)), ("list", [[.integer(value)]])]), Self.box])
    }
    let (a, b) = (try folder.file("a", archive(1)), try folder.file("b", archive(2)))
    let run = ToolRun("diff", a, b)
    #expect(run.lines.count == keys.count + 1)
    for line in run.lines {
      let path = String(try #require(line.dropFirst(2).split(separator: ": 1 → 2").first))
      #expect(ToolRun("get", b, path).output == "2\n", "\(path)")
    }
  }

  @Test("colour where it is asked for, and nothing that a terminal obeys but that", arguments: [false, true])
  func colour(isTerminal: Bool) {
    let run = ToolRun(["diff", old, new], isTerminal: isTerminal, environment: ["TERM": "xterm"])
    #expect(run.output.contains("\u{1B}[") == isTerminal && !run.output.contains("\u{1B}[2J"))
    let plain = ToolRun(["diff", "--color", "never", old, new], isTerminal: true)
    #expect(plain.output == ToolRun("diff", old, new).output)
  }

  /// A quarter of the calls for a third of the bombs; with `WHOLE_TESTS`, all.
  @Test(
    "compares bombs with themselves and each other, or fails with a remedy",
    .notHanging, arguments: Sample.cases(Bombs.all.indices, each: 3))
  func bombs(index: Int) throws {
    let file = try folder.file("a", Bombs.all[index].make(20_000))
    let other = try folder.file("b", Bombs.all[(index + 1) % Bombs.all.count].make(20_000))
    for (turn, arguments) in [
      [file, file], [file, other], [other, file], [file, other, "--json"], [file, other, "-i", "sharing"],
    ].enumerated() where Sample.includes(turn + index, each: 4) {
      let run = ToolRun(["diff"] + arguments)
      #expect([.fine, .negative, .notAnArchive, .limitReached].contains(run.code))
      #expect(run.data.count <= 17 << 20 && run.errors.utf8.count < 4096)
      if arguments == [file, file], run.code != .notAnArchive { #expect(run.code != .negative) }
    }
  }

  // MARK: Property lists

  @Test("compares property lists that are not archives")
  func lists() throws {
    let before = try folder.file(
      "a.plist",
      HandmadeList.dictionary([
        ("same", 1), ("version", "1"), ("gone", .data([1, 2])),
        ("types", .array([.dictionary([("name", "a"), ("roles", .array(["x", "y"]))]), "second"])),
      ]).binary)
    let after = try folder.file(
      "b.plist",
      HandmadeList.dictionary([
        ("version", "2"), ("same", 1), ("a key", true),
        ("types", .array(["first", .dictionary([("roles", .array(["x", "z"])), ("name", "a")]), "second"])),
      ]).binary)
    let run = ToolRun("diff", before, after)
    #expect(run.code == .negative && run.errors == "")
    #expect(
      run.lines.sorted() == [
        #"+ ["a key"]: true"#, #"+ types[0]: "first""#, "- gone: <2 bytes, 0102>",
        #"~ types[1].roles[1] (was types[0].roles[1]): "y" → "z""#, #"~ version: "1" → "2""#,
      ])
    #expect(try ToolRun("diff", "--json", before, after).json.first?["same"] as? Bool == false)
    let same = ToolRun("diff", after, after)
    #expect(same.code == .fine && same.output == "")
  }

  @Test("JSON ends at the output limit inside of a difference, too")
  func longChain() throws {
    let archives = try ["Box", "Crate"].map { try KeyedArchive(Handmade.longChain($0)) }
    let difference = try #require(try archives[1].differences(from: archives[0]).first { $0.kind == .className })
    let limit = OutputLimit(byteCount: 1 << 20)
    var json = JSONWriter()
    #expect(throws: Failure.self) { try json.difference(difference, within: limit, remedy: "") }
    #expect(json.byteCount < limit.byteCount + 400_000)
  }

  @Test("a property list that nests too deep to be compared is named, with what to do")
  func deepLists() throws {
    let sound = try folder.file("sound", HandmadeList.dictionary([("a", 1)]).binary)
    let deep = try folder.file("deep", HandmadeList.dictionary([("a", Handmade.nested(1, 40))]).binary)
    for files in [[deep, sound], [sound, deep]] {
      let run = ToolRun(["diff"] + files)
      let message = "inline containers nest deeper than 32 levels. Compare the files as XML text\n"
      #expect(run.code == .limitReached && run.errors == "keyedarchive: \(deep): \(message)", "\(run.errors)")
    }
  }

  @Test("compares lists of any top-level value and with UIDs")
  func otherLists() throws {
    let before = try folder.file("a.plist", HandmadeList.array([1, .uid(7)]).binary)
    let after = try folder.file("b.plist", HandmadeList.array([2, .uid(8)]).binary)
    let lines = ToolRun("diff", before, after).lines
    #expect(lines == ["~ list[0]: 1 → 2", "~ list[1].CF$UID: 7 → 8"])
  }

  @Test(
    "tells different property lists apart, as textconv does, however similar they are",
    arguments: [
      (.array([1, 2]), .dictionary([("list", [1, 2])])), ("x", .dictionary([("list", "x")])),
      (.dictionary([("u", .uid(3))]), .dictionary([("u", .dictionary([("CF$UID", 3)]))])),
      (.dictionary([("CF$UID", 3)]), .dictionary([("$CF$UID", 3)])),  // A set of the third object of the file.
      (.array([.raw([0xC1, 0, 0, 0, 2]), 1]), .array([.array([1]), 1])),
      (.array([.raw([0xC1, 0, 0, 0, 2]), 1]), .array([.dictionary([("CF$set", [1])]), 1])),
    ] as [(HandmadeList, HandmadeList)])
  func similarLists(a: HandmadeList, b: HandmadeList) throws {
    let files = try [a, b].enumerated().map { try folder.file("\($0.offset).plist", $0.element.binary) }
    for (old, new) in [(files[0], files[1]), (files[1], files[0])] {
      let run = ToolRun("diff", "--json", old, new)
      #expect(try run.code == .negative && run.json.first?["same"] as? Bool == false)
      #expect(ToolRun("diff", old, new).lines.count > 0)
    }
    #expect(ToolRun("textconv", files[0]).output != ToolRun("textconv", files[1]).output)
    for file in files { #expect(ToolRun("diff", file, file).code == .fine) }
  }

  @Test("a difference of the kind of the top-level value has the path '.'")
  func topLevel() throws {
    let (a, b) = (
      try folder.file("a", HandmadeList.array([1, 2]).binary), try folder.file("b", HandmadeList.dictionary([]).binary)
    )
    #expect(ToolRun("diff", a, b).lines == ["~ .: array (2 elements) → dictionary (0 keys)"])
    #expect(ToolRun("diff", "--ignore", "changed", a, b).code == .fine)
  }

  @Test("each of two values whose keys and paths look alike has its own path, which get resolves")
  func similarPaths() throws {
    func archive(_ values: [Int64]) -> Data {
      let v = values.map { HandmadeList.integer($0) }
      return Handmade.archive(
        [
          .dictionary([
            ("NS", .uid(3)), ("NS.rel", v[0]), ("a", .uid(4)), ("a.b", v[1]), ("NS.a.b", v[2]), ("$class", .uid(2)),
          ]), Self.box, .dictionary([("rel", v[3]), ("a.b", v[4]), ("$class", .uid(2))]),
          .dictionary([("b", v[5]), ("$class", .uid(2))]),
        ], top: .dictionary([("root", .uid(1)), ("t", .uid(4)), ("t.b", v[6])]))
    }
    let a = try folder.file("a", archive([1, 2, 3, 4, 5, 6, 7]))
    let b = try folder.file("b", archive([11, 12, 13, 14, 15, 16, 17]))
    let lines = ToolRun("diff", a, b).lines
    #expect(lines.contains("~ root.NS.rel: 1 → 11") && lines.contains(#"~ root["NS"].rel: 4 → 14"#))
    #expect(Set(lines.map { $0.split(separator: ": ")[0] }).count == lines.count)
    for line in lines {
      let path = String(line.dropFirst(2).prefix { $0 != ":" })
      #expect(ToolRun("get", b, path).output == line.split(separator: " ").last.map { "\($0)\n" }, "\(path)")
    }
  }

  @Test("refuses to compare an archive with another property list")
  func mixed() throws {
    let list = try folder.file("list.plist", HandmadeList.dictionary([("a", 1)]).binary)
    for files in [[old, list], [list, old]] {
      let run = ToolRun(["diff"] + files)
      #expect(run.code == .notAnArchive && run.output == "" && run.errors.contains("list.plist: not a keyed archive"))
    }
  }

  @Test("an unreadable file is the only message, because nothing was compared", arguments: [[], ["--json"]])
  func unreadable(options: [String]) {
    let run = ToolRun(["diff"] + options + [old, "/no/such"])
    #expect(run.code == .unreadable && run.output == "" && run.errors.contains("no such file"))
    #expect(run.errors.filter { $0 == "\n" }.count == 1, "\(run.errors)")
  }

  // MARK: Git

  private static let git = Program.installed("git")
  private static let program = Program.built("keyedarchive")

  @Test(
    "git diff lists differences with install-git --command",
    .enabled(if: git != nil && program != nil, "git is not installed, or the program was not built"))
  func gitDiff() throws {
    let git = try #require(Self.git)
    let program = try #require(Self.program)
    let environment = [
      "PATH": program.url.deletingLastPathComponent().path + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
      "HOME": folder.url.path, "GIT_CONFIG_NOSYSTEM": "1", "GIT_PAGER": "cat",
    ]
    func run(_ arguments: String...) throws -> Program.Run {
      try git.run(
        ["-c", "user.name=x", "-c", "user.email=x@example.org"] + arguments, in: folder.url, environment: environment)
    }
    #expect(try run("init", "-q").code == 0)
    let install = try program.run(["install-git", "--command"], in: folder.url, environment: environment)
    #expect(install.code == 0 && install.errors == "")
    try FileManager.default.copyItem(atPath: old, toPath: folder.path("it.plist"))
    try FileManager.default.copyItem(atPath: old, toPath: folder.path("gone.plist"))
    _ = try folder.file("text.plist", Data("no archive\n".utf8))
    _ = try folder.file("Info.plist", HandmadeList.dictionary([("CFBundleVersion", "1"), ("old", true)]).binary)
    #expect(try run("add", "it.plist", "gone.plist", "text.plist", "Info.plist", ".gitattributes").code == 0)
    #expect(try run("commit", "-qm", "first").code == 0)
    try FileManager.default.removeItem(atPath: folder.path("it.plist"))
    try FileManager.default.removeItem(atPath: folder.path("gone.plist"))
    try FileManager.default.copyItem(atPath: new, toPath: folder.path("it.plist"))
    try FileManager.default.copyItem(atPath: new, toPath: folder.path("fresh.plist"))
    _ = try folder.file("text.plist", Data("nor this\n".utf8))
    _ = try folder.file("Info.plist", HandmadeList.dictionary([("CFBundleVersion", "2"), ("new", true)]).binary)
    #expect(try run("add", "-A", "it.plist", "gone.plist", "fresh.plist", "text.plist", "Info.plist").code == 0)
    let diff = try run("diff", "--cached", "--ext-diff")
    #expect(diff.code == 0 && diff.errors == "")
    let lines = diff.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("keyedarchive diff it.plist") && lines.contains(#"~ root.Title: "Ghost" → "Yeti\u{1b}[2J""#))
    #expect(lines.contains("+ an archive of 9 objects: Crate, NSArray, NSDate"))
    #expect(lines.contains("- an archive of 6 objects: Box, NSDate"))
    #expect(lines.contains { $0.hasPrefix("text.plist: not compared: ") })
    #expect(lines.contains(#"~ CFBundleVersion: "1" → "2""#))
    #expect(lines.contains("+ new: true") && lines.contains("- old: true"))
  }

  @Test("says what became of an archive that is another property list now")
  func gitOtherList() throws {
    let list = try folder.file("list", HandmadeList.dictionary([("a", 1), ("b", 2)]).binary)
    let run = ToolRun("diff", "--git", "x", old, "1", "2", list, "3", "4")
    #expect(run.lines.last == "~ an archive of 6 objects: Box, NSDate → a property list of 2 keys")
    #expect(run.code == .fine)
  }

  @Test(
    "says what a property list that is not a dictionary has",
    arguments: [([1, 2, 3], "a property list of 3 elements"), ("text", "the property list \"text\"")]
      as [(HandmadeList, String)])
  func gitTopValue(list: HandmadeList, text: String) throws {
    let path = try folder.file("list", list.binary)
    #expect(ToolRun("diff", "--git", "x", "/dev/null", "1", "2", path, "3", "4").lines.last == "+ \(text)")
  }

  @Test("handles unmerged and renamed paths from git")
  func gitOddities() {
    #expect(ToolRun("diff", "--git", "x.plist").lines == ["keyedarchive diff x.plist", "x.plist: unmerged"])
    let renamed = ToolRun("diff", "--git", "x", old, "1", "2", old, "3", "4", "y", "similarity index 100%")
    #expect(renamed.lines == ["keyedarchive diff x y", "no differences in content"])
    #expect(renamed.code == .fine)
  }

  // MARK: The corpus

  /// ``CorpusTests`` compares valid archives with themselves.
  @Test(
    "an invalid archive of the corpus is rejected", .enabled(if: Corpus.isPresent, "\(Locations.sharedIsAbsent)"),
    arguments: Corpus.invalid)
  func invalid(file: TestFile) { #expect(ToolRun("diff", nsurl, file.url.path).code == .notAnArchive) }
}
