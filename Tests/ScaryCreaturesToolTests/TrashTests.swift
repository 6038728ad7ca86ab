// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import ScaryCreatures
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

@Suite("scarycreatures: trash")
struct TrashTests {
  /// A library whose trash has creatures 1 and 2, the first one for 40 days.
  private func library() throws -> Scratch {
    let scratch = try Scratch()
    for title in ["Ghost", "bat\u{1B}[31m", "Yeti"] { try scratch.database().addCreature(title: title) }
    #expect(scratch.run("delete", "1", "2", "--trash", "--force").code == .fine)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: -40 * 86_400)],
      ofItemAtPath: scratch.path("library/.trash/1.scarycreature"))
    return scratch
  }

  @Test("restore gives a creature its number back, or says which one it has")
  func restore() throws {
    let scratch = try library()
    let back = scratch.run("restore", "1.scarycreature")
    #expect(back.output == "1\t\(scratch.library)/1.scarycreature\n" && back.errors == "")
    try FileManager.default.createDirectory(
      atPath: scratch.path("library/2.scarycreature"), withIntermediateDirectories: true)
    let moved = scratch.run("restore", "2.scarycreature")
    #expect(moved.code == .fine && moved.output.hasPrefix("4\t"))
    #expect(moved.errors.contains("number 2 is in use, so 2.scarycreature has number 4 now"), "\(moved.errors)")
    #expect(scratch.run("delete", "4", "--trash", "--force").code == .fine)
    let json = try scratch.run("restore", "--json", "4.scarycreature").json
    #expect(json.count == 1 && json[0]["number"] as? Int == 4 && json[0]["formerNumber"] as? Int == 4)
    #expect(scratch.run("trash", "list").output == "")
  }

  @Test("restore takes a number, if only one creature in the trash had it")
  func restoreByNumber() throws {
    let scratch = try library()
    #expect(scratch.run("rate", "2", "5").errors.contains("The trash has '2.scarycreature'. Restore it"))
    #expect(scratch.run("restore", "--dry-run", "2").errors.contains("would restore 2.scarycreature"))
    #expect(scratch.run("restore", "2").output == "2\t\(scratch.library)/2.scarycreature\n")
    #expect(scratch.run("restore", "7").code == .negative)
    #expect(scratch.run("restore", "01").code == .negative)
    let library = URL(filePath: scratch.library)
    for place in ["", ".trash/"] {
      try FileManager.default.copyItem(
        at: library.appending(path: "2.scarycreature"), to: library.appending(path: "\(place)1.scarycreature 2"))
    }
    let both = scratch.run("restore", "1")
    #expect(both.code == .negative && both.errors.contains("'1.scarycreature', '1.scarycreature 2'"), "\(both.errors)")
    #expect(scratch.run("restore", "1.scarycreature 2").output.hasPrefix("1\t"))
    #expect(scratch.run("restore").lines == ["1.scarycreature"])
  }

  @Test("trash list prints a table, or JSON lines")
  func list() throws {
    let scratch = try library()
    let run = scratch.run("trash", "list")
    #expect(run.code == .fine && run.errors == "" && run.lines.count == 3)
    #expect(run.lines[1].hasPrefix("1.scarycreature  Ghost") && run.lines[2].hasPrefix("2.scarycreature  bat"))
    #expect(!run.output.contains("\u{1B}"))
    let json = try scratch.run("trash", "list", "--json").json
    #expect(json.map { $0["name"] as? String } == ["1.scarycreature", "2.scarycreature"])
    #expect(json.map { $0["number"] as? Int } == [1, 2] && json[0]["title"] as? String == "Ghost")
    #expect(json.allSatisfy { $0["schema"] as? Int == 1 })
    let dates = json.compactMap { $0["trashed"] as? String }
    #expect(dates.count == 2 && dates.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil })
    // The names alone, as before.
    #expect(scratch.run("restore").lines == ["1.scarycreature", "2.scarycreature"])
    let old = scratch.run("trash", "list", "--older-than", "30", "--json")
    #expect(try old.json.map { $0["number"] as? Int } == [1])
    // A damaged creature is listed without a title.
    try Data().write(to: URL(filePath: scratch.path("library/.trash/1.scarycreature/Data.plist")))
    #expect(try scratch.run("trash", "list", "--json").json[0]["title"] is NSNull)
    #expect(scratch.run("trash", "list").lines.count == 3)
  }

  @Test("trash empty asks for confirmation, and deletes only creatures in the trash")
  func empty() throws {
    let scratch = try library()
    func names() throws -> [String] { try scratch.database().trash() }
    let refused = scratch.run("trash", "empty")
    #expect(refused.code == .usage && refused.errors.contains("--force"))
    let declined = scratch.run("trash", "empty", answers: ["n"])
    #expect(declined.code == .negative && declined.errors.contains("Delete 2 creatures in the trash permanently?"))
    let dry = scratch.run("trash", "empty", "--dry-run")
    #expect(dry.code == .fine && dry.errors.contains("would delete 1.scarycreature in the trash"))
    #expect(try names() == ["1.scarycreature", "2.scarycreature"])
    #expect(scratch.run("trash", "empty", answers: ["y"]).code == .fine)
    #expect(try names() == [] && scratch.database().contents().numbers == [3])
    // Nothing is left to ask about.
    #expect(scratch.run("trash", "empty").code == .fine)
  }

  @Test("trash empty --older-than deletes only old creatures")
  func olderThan() throws {
    let scratch = try library()
    #expect(try scratch.run("trash", "empty", "--older-than", "41", "--force", "--json").json.isEmpty)
    let json = try scratch.run("trash", "empty", "--older-than", "40", "--force", "--json").json
    #expect(json.count == 1 && json[0]["name"] as? String == "1.scarycreature")
    #expect(json[0]["number"] as? Int == 1 && json[0]["title"] as? String == "Ghost")
    #expect(try scratch.database().trash() == ["2.scarycreature"])
    #expect(try scratch.run("trash", "empty", "--older-than", "0", "--force", "--json").json.count == 1)
    #expect(try scratch.database().trash() == [])
  }

  @Test(
    "usage errors have a remedy",
    arguments: [
      (["trash"], "ACTION is missing: expected one of list, empty. Usage: "),
      (["trash", "lst"], "Did you mean 'list'?"),
      (["trash", "empty", "--older-than", "-1"], "expected a whole number"),
      (["trash", "empty", "--older-than", "soon"], "expected a whole number"),
    ] as [([String], String)])
  func mistakes(arguments: [String], message: String) throws {
    let scratch = try library()
    let run = ToolRun(.scaryCreatures, arguments + ["--library", scratch.library])
    #expect(run.code == .usage && run.errors.contains(message), "\(run.errors)")
    #expect(try scratch.database().trash().count == 2)
  }

  @Test("restore and empty take creatures whose names are not valid UTF-8")
  func invalidName() throws {
    let scratch = try Scratch()
    for title in ["Ghost", "Yeti"] { try scratch.database().addCreature(title: title) }
    #expect(scratch.run("delete", "1", "2", "--trash", "--force").code == .fine)
    let storage = try scratch.database().storage
    for number in [1, 2] {
      let name = StorageName(bytes: Array("\(number).scarycreature ".utf8) + [0xFF])
      try storage.move(
        StoragePath([".trash", StorageName("\(number).scarycreature")]), to: StoragePath([".trash", name]), .replacing)
    }
    #expect(try scratch.run("trash", "list", "--json").json.map { $0["title"] as? String } == ["Ghost", "Yeti"])
    #expect(scratch.run("restore", "1").output == "1\t\(scratch.library)/1.scarycreature\n")
    let run = scratch.run("trash", "empty", "--force")
    #expect(run.code == .fine && run.errors == "", "\(run.errors)")
    #expect(try scratch.database().trash().isEmpty)
  }
}
