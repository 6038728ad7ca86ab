// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

/// The inputs of these tests.
private enum HostileArchive {
  static let marks = HostileText.marks(60_000)
  static let thing = HandmadeList.classRecord("Thing", "NSObject")

  /// Archives with a long run of combining marks in each text that a command may compare.
  static let all: [String: Data] = [
    "archiver": HandmadeList.dictionary([
      ("$version", 100_000), ("$archiver", .string(marks)), ("$top", ["root": .uid(0)]), ("$objects", ["$null"]),
    ]).binary,
    "class name": HandmadeList.archive([["$class": .uid(2)], .classRecord(marks, "NSObject")]),
    "key": HandmadeList.archive([.dictionary([(marks, .integer(5)), ("$class", .uid(2))]), thing]),
    "key with $": HandmadeList.archive([.dictionary([("$" + marks, .integer(5)), ("$class", .uid(2))]), thing]),
    "top key": HandmadeList.archive(["x"], top: [(marks, .uid(1))]),
    "string": HandmadeList.archive([.string(marks)]),
    "dictionary": HandmadeList.archive([
      ["NS.keys": [.uid(2)], "NS.objects": [.uid(2)], "$class": .uid(3)], .string(marks),
      .classRecord("NSDictionary", "NSObject"),
    ]),
  ]
}

@Suite("Hostile text", .serialized)
struct HostileTextTests {
  /// A fifth of the commands for each text; with `WHOLE_TESTS`, all commands for each.
  @Test(
    "every command finishes within seconds, whichever text is long",
    arguments: HostileArchive.all.keys.sorted())
  func commands(_ name: String) throws {
    let file = try #require(HostileArchive.all[name])
    let place = HostileArchive.all.keys.sorted().firstIndex(of: name) ?? 0
    for (turn, command) in BombTests.commands.enumerated() where Sample.includes(turn + place, each: 5) {
      let time = HostileText.time {
        let run = ToolRun(command, input: file)
        #expect([.fine, .negative, .notAnArchive, .classNotAllowed, .limitReached].contains(run.code), "\(command)")
      }
      #expect(time < HostileText.patience, "\(command)")
    }
  }

  @Test(
    "comparing, migrating and scanning files with long texts takes seconds", arguments: HostileArchive.all.keys.sorted()
  )
  func severalFiles(_ name: String) throws {
    let file = try #require(HostileArchive.all[name])
    let folder = try ScratchFolder()
    let path = try folder.file("a.plist", file)
    let other = try folder.file("b.plist", file + Data())
    for command in [
      ["diff", path, other], ["migrate", "-n", "--rename-class", "Thing=Other", path], ["scan", folder.url.path],
    ] {
      let time = HostileText.time { _ = ToolRun(command) }
      #expect(time < HostileText.patience, "\(command[0])")
    }
  }

  @Test("rejects rules files and JSON tables with long texts within seconds")
  func json() throws {
    let text = HostileArchive.marks
    let folder = try ScratchFolder()
    let archive = try folder.file("a.plist", try #require(HostileArchive.all["class name"]))
    for rules in [
      #"{"version": 1, "allow": ["\#(text)"], "rules": []}"#, #"{"version": 1, "format": "\#(text)", "rules": []}"#,
      #"{"version": 1, "\#(text)": 1, "\#(text)": 2, "rules": []}"#,
      #"{"version": 1, "rules": [{"rule": "\#(text)"}]}"#,
      #"{"version": 1, "rules": [{"rule": "key", "from": "\#(text)", "to": "b", "class": "\#(text)x"}]}"#,
    ] {
      let path = try folder.file("rules.json", Data(rules.utf8))
      let time = HostileText.time {
        let run = ToolRun("migrate", "-n", "--rules", path, archive)
        #expect(run.code != .limitReached)
      }
      #expect(time < HostileText.patience)
    }
    let table = try folder.file(
      "table.json", Data(#"{"keyedarchive": 1, "format": "\#(text)", "top": 0, "objects": ["\#(text)"]}"#.utf8))
    let time = HostileText.time { _ = ToolRun("convert", table, "--to", "binary") }
    #expect(time < HostileText.patience)
  }

  @Test("a key path finds a key by its bytes, also where a mark stands behind a sign of the grammar", arguments: 0..<4)
  func keyPaths(_ number: Int) throws {
    let (a, b) = HostileText.twins[number]
    let file = HandmadeList.archive([.dictionary([(a, .integer(5)), ("$class", .uid(2))]), HostileArchive.thing])
    #expect(ToolRun("get", "-", "root.\(a)", input: file).output == "5\n")
    #expect(ToolRun("get", "-", "root.\(b)", input: file).code == .negative)
    let marked = HandmadeList.archive([
      .dictionary([("\u{301}x", .integer(6)), ("$class", .uid(2))]), HostileArchive.thing,
    ])
    #expect(ToolRun("get", "-", "root.\u{301}x", input: marked).output == "6\n")
  }
}
