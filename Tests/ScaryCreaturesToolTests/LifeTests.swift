// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import DocumentLibraries
import Foundation
import PNGImages
import ScaryCreatures
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

@Suite("scarycreatures: editing commands")
struct LifeTests {
  @Test("add prints the number and the folder of a complete creature")
  func add() throws {
    let scratch = try Scratch()
    let image = try scratch.file("image.png", picture(400, 300))
    let run = scratch.run("add", "Ghost", "--rating", "5", "--image", image)
    #expect(run.code == .fine && run.errors == "")
    #expect(run.output == "1\t\(scratch.library)/1.scarycreature\n")
    let doc = try scratch.database().document(1)
    #expect(try doc.data == ScaryCreatureData(title: "Ghost", rating: 5))
    #expect(try doc.fullImage == Data(contentsOf: URL(filePath: image)))
    let thumb = try PNGImage(#require(try doc.thumbImage))
    #expect(thumb.height == 214 && thumb.width == 285)
  }

  @Test("add takes the title as an operand or an option, but not both")
  func title() throws {
    let scratch = try Scratch()
    #expect(scratch.run("add", "--title", "Ghost", "--rating", "3").code == .fine)
    #expect(scratch.run("add", "Yeti").code == .fine && scratch.run("add").code == .fine)
    let both = scratch.run("add", "Ghost", "--title", "Ghost")
    #expect(both.code == .usage && both.errors.contains("found two titles: 'Ghost' and '--title'"), "\(both.errors)")
    let titles = try scratch.run("list", "--json").json.map { $0["title"] as? String }
    #expect(titles == ["Ghost", "Yeti", "New Creature"])
  }

  @Test("edit saves title, rating and image together or not at all")
  func editTogether() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Panda", rating: 1)
    let image = try scratch.file("image.png", picture(300, 300))
    let letter = try scratch.file("letter.txt", Data("Dear Sir".utf8))
    let all = ["edit", "1", "--title", "Ghost", "--rating", "4", "--image"]
    #expect(ToolRun(.scaryCreatures, all + [letter, "-l", scratch.library]).code == .unreadable)
    #expect(try scratch.database().document(1).data == ScaryCreatureData(title: "Panda", rating: 1))
    let folder = scratch.path("library/1.scarycreature")
    let sound = try Data(contentsOf: URL(filePath: folder + "/Data.plist"))
    // No image is saved if the title cannot be.
    try sound.prefix(50).write(to: URL(filePath: folder + "/Data.plist"))
    #expect(ToolRun(.scaryCreatures, all + [image, "-l", scratch.library]).code == .notAnArchive)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["Data.plist"])
    try sound.write(to: URL(filePath: folder + "/Data.plist"))
    let identity = try FileManager.default.attributesOfItem(atPath: folder)[.systemFileNumber] as? Int
    #expect(ToolRun(.scaryCreatures, all + [image, "-l", scratch.library]).code == .fine)
    let doc = try scratch.database().document(1)
    #expect(try doc.data == ScaryCreatureData(title: "Ghost", rating: 4))
    #expect(try doc.fullImage == Data(contentsOf: URL(filePath: image)) && doc.thumbImage != nil)
    // One exchange replaced the folder.
    #expect(try FileManager.default.attributesOfItem(atPath: folder)[.systemFileNumber] as? Int != identity)
    // An image alone can be saved beside a damaged data file.
    try sound.prefix(50).write(to: URL(filePath: folder + "/Data.plist"))
    #expect(scratch.run("edit", "1", "--remove-images").code == .fine)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    #expect(names.filter { !$0.hasPrefix(".") } == ["Data.plist"])
  }

  @Test("add rejects a file that is not an image, by name")
  func noPicture() throws {
    let scratch = try Scratch()
    let file = try scratch.file("letter.txt", Data("Dear Sir".utf8))
    let run = scratch.run("add", "Ghost", "--image", file)
    #expect(run.code == .unreadable && run.errors.contains("not an image") && run.errors.contains("PNG"))
    #expect(try scratch.database().contents().numbers.isEmpty)
    #expect(scratch.run("add", "Ghost", "--image", scratch.path("missing.png")).errors.contains("no such file"))
  }

  @Test("list prints a table, or JSON lines")
  func list() throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.addCreature(title: "Yeti", rating: 3)
    try database.addCreature(title: "Ghost", rating: 4.5)
    try database.addCreature(title: "bat\u{1B}[31m")
    let run = scratch.run("list")
    #expect(run.code == .fine && run.lines.count == 4)
    #expect(run.lines[1].contains("1  ☻☻☻··  Yeti"))
    #expect(run.lines[2].contains("2  ☻☻☻☻◐  Ghost"))
    #expect(run.lines[3].contains("·····") && !run.output.contains("\u{1B}"))
    let json = try scratch.run("list", "--json", "--sort", "title").json
    #expect(json.map { $0["number"] as? Int } == [3, 2, 1])
    #expect(json.allSatisfy { $0["schema"] as? Int == 1 && $0["secure"] as? Bool == true })
    #expect(json[1]["rating"] as? Double == 4.5)
  }

  @Test(
    "list filters, sorts and pages",
    arguments: [
      (["--min-rating", "3"], [1, 2]), (["--title", "YE"], [1]), (["--sort", "rating", "--descending"], [2, 1, 3]),
      (["--limit", "1", "--offset", "1"], [2]), (["--descending", "--limit", "2"], [3, 2]), (["--offset", "9"], []),
    ] as [([String], [Int])])
  func query(arguments: [String], expected: [Int]) throws {
    let scratch = try Scratch()
    let database = try scratch.database()
    for (title, rating) in [("Yeti", 3), ("Ghost", 5), ("Bat", 0)] {
      try database.addCreature(title: title, rating: Float(rating))
    }
    let run = ToolRun(.scaryCreatures, ["list", "--json", "--library", scratch.library] + arguments)
    #expect(try run.json.map { $0["number"] as? Int } == expected)
  }

  @Test("edit and rate change only the given properties")
  func edit() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Panda", rating: 1, fullImage: picture(300, 300))
    let image = scratch.path("library/1.scarycreature/fullImage.png")
    let before = try FileManager.default.attributesOfItem(atPath: image)
    #expect(scratch.run("edit", "1", "--title", "Giant Panda").code == .fine)
    #expect(scratch.run("rate", "1", "2.5").code == .fine)
    #expect(try scratch.database().document(1).data == ScaryCreatureData(title: "Giant Panda", rating: 2.5))
    let after = try FileManager.default.attributesOfItem(atPath: image)
    #expect(before[.systemFileNumber] as? Int == after[.systemFileNumber] as? Int)
    #expect(scratch.run("edit", "1", "--remove-images").code == .fine)
    #expect(try scratch.database().document(1).fullImage == nil)
    #expect(try scratch.database().document(1).thumbImage == nil)
  }

  @Test("delete asks for confirmation, and restore reverts --trash")
  func delete() throws {
    let scratch = try Scratch()
    for title in ["Ghost", "Yeti"] { try scratch.database().addCreature(title: title) }
    let refused = scratch.run("delete", "1")
    #expect(refused.code == .usage && refused.errors.contains("--force"))
    let declined = scratch.run("delete", "1", answers: ["n"])
    #expect(declined.code == .negative && declined.errors.contains("Delete creature 1 'Ghost'?"))
    #expect(try scratch.database().contents().numbers == [1, 2])
    #expect(scratch.run("delete", "1", "--trash", answers: ["y"]).code == .fine)
    #expect(try scratch.database().contents().numbers == [2])
    #expect(scratch.run("restore").lines == ["1.scarycreature"])
    #expect(scratch.run("restore", "1.scarycreature").output.hasPrefix("1\t"))
    #expect(scratch.run("delete", "1", "2", "--force").code == .fine)
    #expect(try scratch.database().contents().numbers.isEmpty)
    #expect(scratch.run("delete", "2", "--force").code == .negative)
  }

  @Test("--dry-run of each writing command writes nothing")
  func dryRun() throws {
    let scratch = try Scratch()
    #expect(scratch.run("samples", "--dry-run").code == .fine)
    #expect(scratch.run("add", "Ghost", "--dry-run").errors.contains("1.scarycreature"))
    #expect(!FileManager.default.fileExists(atPath: scratch.library))
    try scratch.database().addCreature(title: "Ghost", rating: 1)
    let before = try Data(contentsOf: URL(filePath: scratch.path("library/1.scarycreature/Data.plist")))
    for command in [
      ["edit", "1", "--title", "x"], ["rate", "1", "5"], ["delete", "1"], ["migrate"],
      ["gallery", "-o", scratch.path("g")],
      ["export", "--all", "-o", scratch.path("x.zip")],
    ] {
      let run = ToolRun(.scaryCreatures, command + ["--dry-run", "--library", scratch.library])
      #expect(run.code == .fine, "\(command) \(run.errors)")
    }
    #expect(try Data(contentsOf: URL(filePath: scratch.path("library/1.scarycreature/Data.plist"))) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["library"])
  }

  @Test("--dry-run of add and edit checks the images")
  func dryRunOfImages() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost")
    let file = try scratch.file("note.png", Data("no picture".utf8))
    for command in [["add", "Yeti"], ["edit", "1"]] {
      for option in ["--image", "--thumb"] {
        for dryRun in [[], ["--dry-run"]] {
          let run = ToolRun(.scaryCreatures, command + [option, file, "--library", scratch.library] + dryRun)
          #expect(
            run.code == .unreadable && run.errors.contains("not an image") && run.errors.contains("/note.png)"),
            "\(run.errors)")
        }
      }
    }
    #expect(try scratch.database().contents().numbers == [1])
  }

  @Test(
    "usage errors have exit code 2 and a remedy",
    arguments: [
      (["rate", "1", "6"], "invalid rating '6'"), (["rate", "1", "nan"], "from 0 to 5"),
      (["show", "007"], "invalid number '007'"), (["edit", "1"], "nothing to change"),
      (["gallery"], "'--output' is missing"), (["lst"], "Did you mean 'list'?"),
      (["export", "-o", "x"], "no creatures selected"),
    ] as [([String], String)])
  func mistakes(arguments: [String], message: String) throws {
    let scratch = try Scratch()
    let run = ToolRun(.scaryCreatures, arguments + ["--library", scratch.library])
    #expect(run.code == .usage && run.output == "" && run.errors.contains(message), "\(run.errors)")
  }

  @Test("the library comes from the option, the environment or the user's data")
  func place() {
    func path(_ arguments: [String], _ environment: [String: String]) -> String {
      ToolRun(.scaryCreatures, ["path"] + arguments, environment: environment).output
    }
    #expect(path(["-l", "/a/b"], [Library.variable: "/c"]) == "/a/b\n")
    #expect(path([], [Library.variable: "/c"]) == "/c\n")
    #if !canImport(Darwin)
      #expect(path([], ["HOME": "/h"]) == "/h/.local/share/ScaryCreatures/PrivateDocuments\n")
      #expect(path([], ["HOME": "/h", "XDG_DATA_HOME": "/d"]) == "/d/ScaryCreatures/PrivateDocuments\n")
      #expect(path([], ["HOME": "/h", "XDG_DATA_HOME": "d"]) == "/h/.local/share/ScaryCreatures/PrivateDocuments\n")
    #endif
  }

  @Test("every command refuses an empty library, and never takes the user's instead")
  func emptyLibrary() throws {
    let scratch = try Scratch()
    // The user's library, which a command without an option would use.
    let home = ["HOME": scratch.path("home"), "XDG_DATA_HOME": scratch.path("home")]
    let users = URL(filePath: ToolRun(.scaryCreatures, ["path"], environment: home).lines[0])
    #if !canImport(Darwin)
      #expect(users.path.hasPrefix(scratch.path("home")))
      try ScaryCreatureDatabase(at: users).addCreature(title: "Ghost", rating: 5)
    #endif
    let commands = Tool.scaryCreatures.commands.filter { command in
      command.help.options.contains { $0.long == "library" }
    }
    // All commands, except those that every tool has.
    #expect(commands.count == Tool.scaryCreatures.commands.count - 2)
    for command in commands {
      let force = command.help.options.contains { $0.long == "force" } ? ["--force"] : []
      let operands = command.help.operands.flatMap { $0.choices.first.map { [$0] } ?? ["1"] }
      for library in [["--library", ""], ["--library="], ["-l", ""], ["-l", scratch.library, "-l", ""]] {
        for environment in [home, home.merging([Library.variable: scratch.library]) { $1 }] {
          let run = ToolRun(
            .scaryCreatures, [command.help.name] + operands + force + library, environment: environment)
          #expect(run.code == .usage && run.output == "", "\(command.help.name) \(library)")
          #expect(run.errors.contains("'--library' is empty"), "\(run.errors)")
        }
      }
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.library))
    #if !canImport(Darwin)
      #expect(try ScaryCreatureDatabase(at: users).document(1).data?.title == "Ghost")
      // An empty variable is unset.
      let run = ToolRun(
        .scaryCreatures, ["list", "--json"], environment: home.merging([Library.variable: ""]) { $1 })
      #expect(try run.json.map { $0["title"] as? String } == ["Ghost"])
    #endif
  }

  @Test("every option with a path refuses an empty one")
  func emptyPaths() throws {
    let scratch = try Scratch()
    for command in Tool.scaryCreatures.commands {
      for option in command.help.options where option.kind == .file || option.kind == .folder {
        let run = scratch.run(command.help.name, "--\(option.long)", "")
        #expect(run.code == .usage && run.errors.contains("'--\(option.long)' is empty"), "\(run.errors)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: scratch.library))
  }

  @Test("reading commands do not create a library")
  func noLibrary() throws {
    let scratch = try Scratch()
    let run = scratch.run("list")
    #expect(run.code == .negative && run.errors.contains("samples"))
    #expect(!FileManager.default.fileExists(atPath: scratch.library))
  }
}
