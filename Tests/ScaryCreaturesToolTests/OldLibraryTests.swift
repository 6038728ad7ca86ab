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

/// A creature as programs without secure coding archived it.
func insecure(_ title: String, _ rating: Double, className: String = "ScaryCreatures.ScaryCreatureData") -> Data {
  HandmadeList.archive([
    ["Title": .uid(2), "Rating": .real(rating), "$class": .uid(3)], .string(title),
    .classRecord(className, "NSObject"),
  ])
}

@Suite("scarycreatures: old libraries")
struct OldLibraryTests {
  @Test("migrate previews, migrates once and continues after an invalid file")
  func migrate() throws {
    let scratch = try Scratch()
    _ = try scratch.file("library/1.scarycreature/Data.plist", insecure("Ghost", 5))
    _ = try scratch.file("library/2.scarycreature/Data.plist", Data("nothing".utf8))
    _ = try scratch.file(
      "library/3.scarycreature/Data.plist", insecure("Yeti", 2.5, className: "Zoo.ScaryCreatureData"))
    try scratch.database().addCreature(title: "New", rating: 1)
    #expect(scratch.run("list", "--json").code == .notAnArchive)
    let dry = scratch.run("migrate", "--dry-run", "--json")
    #expect(try dry.json.map { $0["outcome"] as? String } == ["migrated", "failed", "migrated", "current"])
    #expect(try scratch.database().document(1).stored?.isCurrent == false)
    let run = scratch.run("migrate", "--backup", scratch.path("old"))
    #expect(run.code == .notAnArchive)
    #expect(run.lines.count == 2 && run.lines[0].hasPrefix("1\tmigrated\tinsecure"))
    #expect(run.errors.contains("2 migrated, 1 already secure, 1 failed"))
    #expect(try scratch.database().document(1).stored?.isCurrent == true)
    #expect(try scratch.database().document(3).data == ScaryCreatureData(title: "Yeti", rating: 2.5))
    let kept = try Data(contentsOf: URL(filePath: scratch.path("old/1.scarycreature/Data.plist")))
    #expect(kept == insecure("Ghost", 5))
    #expect(scratch.run("migrate").errors.contains("0 migrated, 3 already secure, 1 failed"))
    // As after an interruption between the backup and the migration. The same file is kept once.
    _ = try scratch.file("library/1.scarycreature/Data.plist", insecure("Ghost", 5))
    #expect(scratch.run("migrate", "--backup", scratch.path("old")).errors.contains("1 migrated"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("old/1.scarycreature")) == ["Data.plist"])
  }

  @Test("migrate changes nothing if the folder of --backup cannot have the old files")
  func unwritableBackup() throws {
    let scratch = try Scratch()
    let old = insecure("Ghost", 5)
    let file = try scratch.file("library/1.scarycreature/Data.plist", old)
    for place in ["taken", "taken/inner"] {
      _ = try scratch.file("taken", Data())
      let run = scratch.run("migrate", "--backup", scratch.path(place))
      #expect(run.code == .notWritten)
      #expect(run.errors.contains("could not open the folder") && run.errors.contains("Pass a folder"), "\(run.errors)")
    }
    _ = try scratch.file("old/1.scarycreature", Data())
    let run = scratch.run("migrate", "--backup", scratch.path("old"))
    #expect(run.code == .notWritten && run.errors.contains("old/1.scarycreature"), "\(run.errors)")
    #expect(try Data(contentsOf: URL(filePath: file)) == old)
  }

  @Test("import copies a .scarybug library with unchanged images")
  func scaryBugs() throws {
    let scratch = try Scratch()
    let bug = HandmadeList.archive(
      [
        ["Title": .uid(2), "Rating": .real(4), "$class": .uid(3)], "Potato Bug",
        .classRecord("ScaryBugData", "NSObject"),
      ], top: [("Data", .uid(1))])
    _ = try scratch.file("Private Documents/7.scarybug/data.plist", bug)
    let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) + Data("JFIF".utf8)
    _ = try scratch.file("Private Documents/7.scarybug/fullImage.jpg", jpeg)
    _ = try scratch.file("Private Documents/7.scarybug/thumbImage.jpg", picture(44, 44))
    _ = try scratch.file("Private Documents/8.scarybug/data.plist", Data())
    let run = scratch.run("import", scratch.path("Private Documents"))
    #expect(run.code == .notAnArchive && run.lines == ["1\timported\t7.scarybug"])
    #expect(run.errors.contains("8.scarybug"))
    let doc = try scratch.database().document(1)
    #expect(try doc.data == ScaryCreatureData(title: "Potato Bug", rating: 4))
    #expect(try doc.fullImage == jpeg)
    #expect(try doc.thumbImage == picture(44, 44))
  }

  @Test("export --to old writes an inline rating")
  func oldReaders() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 5)
    let file = scratch.path("old.plist")
    #expect(scratch.run("export", "1", "--to", "old", "-o", file).code == .fine)
    // Old programs read an inline number.
    final class Reader: NSObject, NSCoding {
      let rating: Float
      func encode(with coder: NSCoder) {}
      init?(coder: NSCoder) { rating = coder.decodeFloat(forKey: "Rating") }
    }
    let unarchiver = try NSKeyedUnarchiver(forReadingFrom: Data(contentsOf: URL(filePath: file)))
    unarchiver.requiresSecureCoding = false
    unarchiver.setClass(Reader.self, forClassName: "ScaryCreatures.ScaryCreatureData")
    #expect((unarchiver.decodeObject(forKey: "root") as? Reader)?.rating == 5)
  }
}
