// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import ScaryCreatures
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

@Suite("scarycreatures: repair")
struct RepairCommandTests {
  /// A library with a damaged data file, a missing one and a missing thumbnail, and a backup from before.
  private func damaged() throws -> (Scratch, backup: String) {
    let scratch = try Scratch()
    let database = try scratch.database()
    for title in ["Ghost", "Yeti", "Bat"] {
      try database.addCreature(title: title, rating: 3, fullImage: picture(60, 50))
    }
    let backup = scratch.path("backup.zip")
    #expect(scratch.run("export", "--all", "-o", backup).code == .fine)
    _ = try scratch.file("library/1.scarycreature/Data.plist", Data("bplist00".utf8))
    for name in ["2.scarycreature/Data.plist", "3.scarycreature/thumbImage.png"] {
      try FileManager.default.removeItem(atPath: scratch.path("library/\(name)"))
    }
    return (scratch, backup)
  }

  @Test("restores data from a backup and remakes thumbnails, after a dry run that says so")
  func backup() throws {
    let (scratch, backup) = try damaged()
    let before = try FileManager.default.subpathsOfDirectory(atPath: scratch.library).sorted()
    let trial = scratch.run("repair", "--backup", backup, "--dry-run")
    #expect(trial.code == .fine, "\(trial.errors)")
    #expect(
      trial.lines == [
        "1\tdata\twould be restored from the backup; the damaged file would be kept as .Data.plist.damaged",
        "2\tdata\twould be restored from the backup", "3\tthumbnail\twould be made again",
      ])
    #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.library).sorted() == before)
    let run = scratch.run("repair", "--backup", backup)
    #expect(run.code == .fine && run.lines.count == 3, "\(run.errors)")
    #expect(try scratch.database().documents().map { try $0.data?.title } == ["Ghost", "Yeti", "Bat"])
    #expect(
      FileManager.default.contents(atPath: scratch.path("library/1.scarycreature/.Data.plist.damaged"))
        == Data("bplist00".utf8))
    #expect(scratch.run("verify").code == .fine)
    #expect(scratch.run("repair", "--backup", backup).output == "")
  }

  @Test("asks before it restores the data of a creature with the same number and other images")
  func reusedNumber() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Alpha", rating: 5, fullImage: picture(300, 200))
    let backup = scratch.path("backup.zip")
    #expect(scratch.run("export", "--all", "-o", backup).code == .fine)
    #expect(scratch.run("delete", "1", "--force").code == .fine)
    try scratch.database().addCreature(title: "Beta", fullImage: picture(200, 300))
    let data = try scratch.file("library/1.scarycreature/Data.plist", Data("junk".utf8))
    for run in [scratch.run("repair", "--backup", backup), scratch.run("repair", "--backup", backup, answers: ["n"])] {
      #expect(run.code != .fine && run.output == "" && run.errors.contains("'Alpha'"), "\(run.errors)")
      #expect(FileManager.default.contents(atPath: data) == Data("junk".utf8))
    }
    let trial = scratch.run("repair", "--backup", backup, "--dry-run")
    #expect(trial.code == .fine && trial.errors.contains("would ask whether to restore creature 1 as 'Alpha'"))
    let plan = scratch.run("repair", "--backup", backup, "--dry-run", "--json")
    #expect(try plan.errors == "" && plan.json.map { $0["asks"] as? Bool } == [true])
    #expect(scratch.run("repair", "--backup", backup, answers: ["y"]).code == .fine)
    #expect(try scratch.database().document(1).data?.title == "Alpha")
  }

  @Test("without a backup says how to repair, and does what it can")
  func noBackup() throws {
    let (scratch, _) = try damaged()
    let run = scratch.run("repair")
    #expect(run.code == .notAnArchive && run.lines == ["3\tthumbnail\tmade again"], "\(run.errors)")
    #expect(run.errors.contains("--backup FILE") && run.errors.contains("edit 1 --overwrite --title TEXT"))
    let one = scratch.run("repair", "3", "9", "--json")
    #expect(one.code == .negative && one.output == "" && one.errors.contains("\"notFound\""), "\(one.errors)")
  }

  @Test("keeps a damaged thumbnail, and says where")
  func thumbnailKept() throws {
    let (scratch, _) = try damaged()
    _ = try scratch.file("library/3.scarycreature/thumbImage.png", Data("no picture".utf8))
    #expect(
      scratch.run("repair", "3", "--dry-run").lines == [
        "3\tthumbnail\twould be made again; the damaged file would be kept as .thumbImage.png.damaged"
      ])
    #expect(
      scratch.run("repair", "3").lines == [
        "3\tthumbnail\tmade again; the damaged file is kept as .thumbImage.png.damaged"
      ])
    #expect(
      FileManager.default.contents(atPath: scratch.path("library/3.scarycreature/.thumbImage.png.damaged"))
        == Data("no picture".utf8))
    #expect(scratch.run("repair", "3").output == "")
  }

  @Test("keeps one of two thumbnails if the one that is shown is damaged", arguments: ["png", "jpg"])
  func twoThumbnails(_ format: String) throws {
    let (scratch, _) = try damaged()
    let folder = scratch.path("library/3.scarycreature")
    try? FileManager.default.removeItem(atPath: "\(folder)/thumbImage.png")
    // Of several files, the first format of the list is shown. A GIF comes after both.
    _ = try scratch.file("library/3.scarycreature/thumbImage.\(format)", Data("no picture".utf8))
    let other = Data("GIF89a".utf8) + [1, 0, 1, 0, 0, 0, 0, 0x3B]
    _ = try scratch.file("library/3.scarycreature/thumbImage.gif", other)
    let kept = ".thumbImage.\(format).damaged"
    #expect(scratch.run("repair", "3").lines == ["3\tthumbnail\tmade again; the damaged file is kept as \(kept)"])
    let thumbs = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.contains("thumbImage") }
      .sorted()
    #expect(
      thumbs.filter { !$0.contains(".previous-") && !$0.contains(".absent-") } == [
        kept, "thumbImage.gif", "thumbImage.png",
      ])
    #expect(FileManager.default.contents(atPath: "\(folder)/\(kept)") == Data("no picture".utf8))
    #expect(FileManager.default.contents(atPath: "\(folder)/thumbImage.gif") == other)
    #expect(scratch.run("repair", "3").output == "")
  }

  @Test("reports a damaged full image, and how to replace it")
  func fullImage() throws {
    let (scratch, _) = try damaged()
    _ = try scratch.file("library/3.scarycreature/fullImage.png", Data("no picture".utf8))
    let run = scratch.run("repair", "3")
    #expect(run.code == .unreadable && run.output == "")
    #expect(run.errors.contains("the full image is damaged") && run.errors.contains("edit 3 --image FILE"))
    #expect(scratch.run("edit", "3", "--image", try scratch.file("new.png", picture(20, 20))).code == .fine)
    #expect(scratch.run("repair", "3").code == .fine)
  }

  @Test("reports a file in the place of a creature once")
  func noFolder() throws {
    let scratch = try Scratch()
    _ = try scratch.file("library/7.scarycreature", Data())
    let run = scratch.run("repair", "7")
    #expect(run.code == .negative && run.errors.split(separator: "\n").count == 1, "\(run.errors)")
  }

  @Test("names the file that is not a backup")
  func noBackupFile() throws {
    let (scratch, _) = try damaged()
    let text = try scratch.file("text", Data("no backup".utf8))
    for file in [text, scratch.library, scratch.path("missing")] {
      let run = scratch.run("repair", "--backup", file)
      #expect(run.code == .unreadable && run.errors.contains("(\(file))"), "\(run.errors)")
    }
  }

  @Test("edit --overwrite replaces damaged data and the images in one change")
  func oneChange() throws {
    let (scratch, _) = try damaged()
    let image = try scratch.file("new.png", picture(20, 20))
    // An image that is refused: the damaged data must remain, too.
    let text = try scratch.file("new.txt", Data("no picture".utf8))
    #expect(scratch.run("edit", "1", "--overwrite", "--title", "New", "--image", text).code != .fine)
    #expect(
      FileManager.default.contents(atPath: scratch.path("library/1.scarycreature/Data.plist")) == Data("bplist00".utf8))
    #expect(scratch.run("edit", "1", "--overwrite", "--title", "New", "--image", image).code == .fine)
    let doc = try scratch.database().document(1)
    #expect(try doc.data?.title == "New" && doc.fullImage == picture(20, 20))
  }

  @Test("edit --overwrite replaces damaged data only, and keeps the damaged file")
  func overwrite() throws {
    let (scratch, _) = try damaged()
    #expect(scratch.run("edit", "1", "--title", "New").code == .notAnArchive)
    #expect(scratch.run("edit", "1", "--overwrite", "--rating", "2").code == .usage)
    #expect(scratch.run("edit", "1", "--overwrite", "--title", "New", "--rating", "2").code == .fine)
    #expect(scratch.run("edit", "2", "--overwrite", "--title", "Newer").code == .fine)
    #expect(scratch.run("edit", "3", "--overwrite", "--title", "Vampire").code == .fine)
    let creatures = try scratch.database().documents().compactMap { try $0.data }
    #expect(creatures.map(\.title) == ["New", "Newer", "Vampire"] && creatures.map(\.rating) == [2, 0, 3])
    let hidden = try FileManager.default.subpathsOfDirectory(atPath: scratch.library).filter { $0.contains("/.") }
      .filter { !$0.hasPrefix(".work") }
    #expect(hidden.filter { !$0.contains(".previous-") } == ["1.scarycreature/.Data.plist.damaged"])
    // Only the valid data are a former save.
    #expect(hidden.filter { $0.contains(".previous-") }.map { $0.prefix(15) } == ["3.scarycreature"])
  }
}

@Suite("scarycreatures: undo")
struct UndoCommandTests {
  @Test("brings back what the last change replaced, and then the newer state")
  func undo() throws {
    let scratch = try Scratch()
    for title in ["Ghost", "Yeti"] {
      try scratch.database().addCreature(title: title, rating: 3, fullImage: picture(60, 50))
    }
    let images = try (scratch.database().document(1).fullImage, scratch.database().document(1).thumbImage)
    let other = try scratch.file("other.png", picture(20, 20))
    #expect(scratch.run("edit", "1", "--title", "Old Ghost", "--image", other).code == .fine)
    #expect(scratch.run("rate", "2", "5").code == .fine)
    let trial = scratch.run("undo", "1", "2", "--dry-run")
    #expect(trial.code == .fine && trial.errors.contains("would undo the last change of \(scratch.library)"))
    #expect(try scratch.database().documents().map { try $0.data?.title } == ["Old Ghost", "Yeti"])
    let run = scratch.run("undo", "1", "2", "--json")
    #expect(run.code == .fine, "\(run.errors)")
    #expect(try run.json.map { $0["title"] as? String } == ["Ghost", "Yeti"])
    #expect(try run.json.map { $0["rating"] as? Double } == [3, 3])
    let ghost = try scratch.database().document(1)
    #expect(try ghost.fullImage == images.0 && ghost.thumbImage == images.1)
    #expect(scratch.run("verify").code == .fine)
    #expect(scratch.run("undo", "1").code == .fine)
    #expect(try scratch.database().document(1).data?.title == "Old Ghost")
    #expect(try scratch.database().document(1).fullImage == picture(20, 20))
  }

  @Test("fails for a creature that was not changed, and goes on with the others")
  func nothing() throws {
    let scratch = try Scratch()
    for title in ["Ghost", "Yeti"] { try scratch.database().addCreature(title: title) }
    #expect(scratch.run("rate", "2", "5").code == .fine)
    for option in ["--dry-run", "--json"] {
      let run = scratch.run("undo", "1", "7", "2", option)
      #expect(run.code == .negative && run.errors.contains("noFormerSave") == (option == "--json"), "\(run.errors)")
    }
    #expect(try scratch.database().documents().map { try $0.data?.rating } == [0, 0])
    #expect(scratch.run("undo").code == .usage && scratch.run("undo", "x").code == .usage)
  }

  @Test("the gallery and the list show the current state only")
  func current() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3, fullImage: picture(60, 50))
    #expect(scratch.run("edit", "1", "--title", "Vampire").code == .fine)
    let titles = try scratch.run("list", "--json").json.map { $0["title"] as? String }
    #expect(titles == ["Vampire"])
    let gallery = scratch.path("gallery")
    #expect(scratch.run("gallery", "-o", gallery).code == .fine)
    for name in try FileManager.default.subpathsOfDirectory(atPath: gallery) {
      let bytes = FileManager.default.contents(atPath: "\(gallery)/\(name)") ?? Data()
      #expect(!name.contains("previous-") && !String(decoding: bytes, as: UTF8.self).contains("Ghost"), "\(name)")
    }
  }

  @Test("repair restores the data that the last change replaced, without a backup")
  func repair() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3)
    #expect(scratch.run("rate", "1", "5").code == .fine)
    _ = try scratch.file("library/1.scarycreature/Data.plist", Data("bplist00".utf8))
    let run = scratch.run("repair", "--json")
    #expect(run.code == .fine, "\(run.errors)")
    #expect(try run.json.map { $0["source"] as? String } == ["formerSave"])
    #expect(try scratch.database().document(1).data == ScaryCreatureData(title: "Ghost", rating: 3))
    _ = try scratch.file("library/1.scarycreature/Data.plist", Data("bplist01".utf8))
    #expect(scratch.run("repair").lines.first?.contains("restored from the former save") == true)
  }
}
