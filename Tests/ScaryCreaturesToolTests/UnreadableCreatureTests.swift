// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import ScaryCreatures
import TestSupport
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

@Suite("scarycreatures: creatures whose data cannot be read")
struct UnreadableCreatureTests {
  /// A library with a creature, whose data are damaged or of a newer version of the program.
  private func scratch(newer: Bool = false) throws -> Scratch {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3, fullImage: picture(300, 200))
    var bytes = Data("damaged".utf8)
    if newer {
      bytes = HandmadeList.archive(
        [
          ["Title": .uid(2), "Rating": .real(3), "$class": .uid(3)], "Ghost",
          .classRecord("ScaryCreatures.ScaryCreatureData", "NSObject"),
        ], top: [("root", .uid(1)), ("documentVersion", .integer(99))])
    }
    _ = try scratch.file("library/1.scarycreature/Data.plist", bytes)
    return scratch
  }

  @Test("edit, undo and restore report a change as done, also as JSON", arguments: [false, true])
  func replies(_ isJSON: Bool) throws {
    let scratch = try scratch()
    let image = try scratch.file("new.png", picture(200, 300))
    let path = scratch.path("library/1.scarycreature")
    func expectDone(_ arguments: String...) throws {
      let run = ToolRun(
        .scaryCreatures, arguments + (isJSON ? ["--json"] : []), environment: [Library.variable: scratch.library])
      #expect(run.code == .fine && run.errors == "", "\(arguments): \(run.errors)")
      guard isJSON else { return #expect(run.output == "1\t\(path)\n") }
      let line = try #require(try run.json.first)
      #expect(line["number"] as? Int == 1 && line["path"] as? String == path && line["title"] == nil)
      if arguments[0] == "restore" { #expect(line["formerNumber"] as? Int == 1) }
    }
    try expectDone("edit", "1", "--image", image)
    #expect(try scratch.database().document(1).fullImage == picture(200, 300))
    try expectDone("undo", "1")
    #expect(try scratch.database().document(1).fullImage == picture(300, 200))
    #expect(scratch.run("delete", "1", "--trash", "--force").code == .fine)
    try expectDone("restore", "1")
  }

  @Test("show, list and export report that a newer version is unreadable")
  func newer() throws {
    let scratch = try scratch(newer: true)
    for command in [
      ["show", "1"], ["list"], ["export", "1", "--to", "json"],
      ["export", "1", "--to", "folder", "-o", scratch.path("copy")],
    ] {
      let run = ToolRun(.scaryCreatures, command, environment: [Library.variable: scratch.library])
      #expect(run.code == .unreadable && run.errors.contains("newer version"), "\(command): \(run.code) \(run.errors)")
    }
    // An older program changes nothing.
    let image = try scratch.file("new.png", picture(200, 300))
    for command in [
      ["rate", "1", "2"], ["edit", "1", "--image", image], ["edit", "1", "--title", "x", "--overwrite"],
    ] {
      let run = ToolRun(.scaryCreatures, command, environment: [Library.variable: scratch.library])
      #expect(run.code == .unreadable && run.errors.contains("newer version"), "\(command): \(run.code) \(run.errors)")
    }
    #expect(try scratch.database().document(1).fullImage == picture(300, 200))
  }

  @Test("--dry-run of add, edit and rate refuses what the change refuses", arguments: [false, true])
  func trials(newer: Bool) throws {
    let scratch = try scratch(newer: newer)
    // The checksums of the chunks match, but the compressed data are damaged.
    let png = try #require(
      Data(
        base64Encoded:
          "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAAAAACM"
          + "msGiAAAAA0lEQVQBAgNTNxetAAAAAElFTkSuQmCC"))
    let inside = try scratch.file("inside.png", png)
    let image = try scratch.file("new.png", picture(200, 300))
    for command in [
      ["add", "Yeti", "--image", inside], ["add", "Yeti", "--image", image], ["rate", "1", "2"],
      ["edit", "1", "--title", "x"], ["edit", "1", "--rating", "2"], ["edit", "1", "--image", inside],
      ["edit", "1", "--image", image], ["edit", "1", "--title", "x", "--overwrite"],
    ] {
      func run(_ more: String...) -> ToolRun {
        ToolRun(.scaryCreatures, command + more, environment: [Library.variable: scratch.library])
      }
      let trial = run("--dry-run")
      #expect(trial.code == run().code, "\(command): \(trial.errors)")
    }
  }

  @Test("add --dry-run fails as add does if a file is in the place of the library")
  func fileInTheWay() throws {
    let scratch = try Scratch()
    _ = try scratch.file("library", Data())
    let (trial, run) = (scratch.run("add", "Ghost", "--dry-run"), scratch.run("add", "Ghost"))
    #expect(trial.output == "" && trial.code == run.code && trial.code != .fine, "\(trial.code) \(run.code)")
    #expect(trial.errors == run.errors)
    // A library that does not exist yet is no error.
    let new = try Scratch()
    #expect(new.run("add", "Ghost", "--dry-run").code == .fine)
    #expect(!FileManager.default.fileExists(atPath: new.library))
  }

  @Test("import leaves a source with an unfinished update as it is, and notes the former state")
  func unfinishedUpdate() throws {
    let (source, target) = (try Scratch(), try Scratch())
    let database = try source.database()
    try database.addCreature(title: "Ghost", rating: 3)
    // The name has the hash of the file that the update replaces: FNV-1a of its name, its presence and its own hash.
    func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
      bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
    let data = try Data(contentsOf: URL(filePath: source.path("library/1.scarycreature/Data.plist")))
    let own = (0..<8).reversed().map { UInt8(truncatingIfNeeded: hash(data) >> (8 * $0)) }
    let former = String(hash(Array("Data.plist".utf8) + [0, 1] + own), radix: 16)
    let name = "1-\(String(repeating: "0", count: 16 - former.count))\(former)=Data.plist"
    try database.addCreature(title: "Updated", rating: 4)
    let new = try Data(contentsOf: URL(filePath: source.path("library/2.scarycreature/Data.plist")))
    let pending = "library/.work/update-00000000-0000-0000-0000-000000000000"
    _ = try source.file("\(pending)/\(name)", new)
    let before = try FileManager.default.subpathsOfDirectory(atPath: source.library).sorted()
    for arguments in [["import", source.library, "--dry-run"], ["import", source.library]] {
      let run = ToolRun(.scaryCreatures, arguments, environment: [Library.variable: target.library])
      #expect(run.code == .fine && run.errors.contains("not complete"), "\(arguments): \(run.errors)")
      #expect(try FileManager.default.subpathsOfDirectory(atPath: source.library).sorted() == before)
    }
    #expect(try target.database().documents().map { try $0.data?.title } == ["Ghost", "Updated"])
    // A change of the source completes it.
    #expect(source.run("rate", "1", "5").code == .fine)
    #expect(try source.database().document(1).data == ScaryCreatureData(title: "Updated", rating: 5))
  }
}
