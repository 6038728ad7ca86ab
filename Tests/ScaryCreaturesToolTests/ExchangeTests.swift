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

@Suite("scarycreatures: export, import and verify")
struct ExchangeTests {
  /// A library with three creatures.
  private func filled() throws -> Scratch {
    let scratch = try Scratch()
    let database = try scratch.database()
    try database.addCreature(title: "Ghost, the \"old\" one", rating: 5, fullImage: picture(60, 50))
    try database.addCreature(title: "=1+1", rating: 2)
    try database.addCreature(title: "Yeti\n雪男", rating: 0)
    return scratch
  }

  /// The files of a library with their bytes.
  private func files(_ folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where !name.hasPrefix(".") {
      files[name] = FileManager.default.contents(atPath: "\(folder)/\(name)")
    }
    return files
  }

  @Test("a backup restores an equal library, and other tools can read it")
  func backup() throws {
    let scratch = try filled()
    try scratch.database().document(2).deleteDoc()
    let zip = scratch.path("backup.zip")
    #expect(scratch.run("export", "--all", "-o", zip).code == .fine)
    let other = scratch.path("other")
    let run = ToolRun(.scaryCreatures, ["import", zip, "--keep-numbers", "--library", other])
    #expect(run.code == .fine && run.lines.count == 2, "\(run.errors)")
    #expect(try files(other) == files(scratch.library))
    // What is there already is not imported again.
    let again = scratch.run("import", zip)
    #expect(again.code == .fine)
    #expect(again.lines == ["1\tpresent already\t1.scarycreature", "3\tpresent already\t3.scarycreature"])
    try scratch.database().document(1).setRating(1)
    #expect(scratch.run("import", zip).lines.first == "4\timported\t1.scarycreature")
    guard Python.isPresent else { return }
    let names = try Python.run(
      "import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); print(z.testzip(), *sorted(z.namelist()))", [zip])
    let text = String(decoding: names, as: UTF8.self)
    #expect(text.hasPrefix("None ") && text.contains("1.scarycreature/fullImage.png"))
  }

  /// The files of a library with those of the trash and with hidden ones, but without the work folder.
  private func allFiles(_ folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) where !name.hasPrefix(".work") {
      files[name] = FileManager.default.contents(atPath: "\(folder)/\(name)")
    }
    return files
  }

  @Test("a backup of a damaged library names what is damaged, and restores it as it is")
  func damagedBackup() throws {
    let scratch = try filled()
    #expect(scratch.run("delete", "3", "--trash", "--force").code == .fine)
    _ = try scratch.file("library/2.scarycreature/Data.plist", Data("bplist00".utf8))
    _ = try scratch.file("library/1.scarycreature/thumbImage.png", Data("no picture".utf8))
    _ = try scratch.file("library/1.scarycreature/notes/mine.txt", Data("mine".utf8))
    _ = try scratch.file("library/8.scarycreature/fullImage.png", picture(10, 10))
    _ = try scratch.file("library/notes.txt", Data("ours".utf8))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("library/2.scarycreature/fullImage.png"), withDestinationPath: "/etc/passwd")
    let zip = scratch.path("backup.zip")
    let export = scratch.run("export", "--all", "-o", zip)
    #expect(export.code == .negative && export.output == "", "\(export.errors)")
    for text in [
      "1.scarycreature/thumbImage.png: ", "2.scarycreature/Data.plist: ", "8.scarycreature: ",
      "2.scarycreature/fullImage.png: ", "damaged, and saved as it is", "not in the backup: found a symbolic link",
      "4 problems",
    ] { #expect(export.errors.contains(text), "\(text) in \(export.errors)") }

    let check = scratch.run("verify", zip)
    #expect(check.code == .negative && check.errors.contains("0 creatures valid, 2 other valid, 3 problems"))
    #expect(check.lines.count == 3 && check.lines.allSatisfy { $0.hasPrefix("error\t") }, "\(check.output)")

    let other = scratch.path("other")
    let trial = ToolRun(.scaryCreatures, ["import", zip, "--keep-numbers", "--dry-run", "--library", other])
    #expect(trial.lines.contains("2\twould be imported as it is\t2.scarycreature"), "\(trial.output)")
    #expect(!FileManager.default.fileExists(atPath: other))
    let run = ToolRun(.scaryCreatures, ["import", zip, "--keep-numbers", "--library", other])
    #expect(run.code == .negative && run.errors.contains("damaged, and imported as it is"), "\(run.errors)")
    #expect(
      run.lines == [
        "1\timported as it is\t1.scarycreature", "2\timported as it is\t2.scarycreature",
        "8\timported as it is\t8.scarycreature", "-\timported\tnotes.txt", "-\timported\t.trash/3.scarycreature",
      ])
    var expected = try allFiles(scratch.library)
    expected["2.scarycreature/fullImage.png"] = nil
    #expect(try allFiles(other) == expected)
    let again = ToolRun(.scaryCreatures, ["import", zip, "--keep-numbers", "--json", "--library", other])
    #expect(try again.code == .fine && again.json.allSatisfy { $0["state"] as? String == "present" })
    // With new numbers, the trash and other files are left out.
    let merged = ToolRun(.scaryCreatures, ["import", zip, "--json", "--library", scratch.path("third")])
    #expect(
      try merged.json.map { $0["state"] as? String } == ["damaged", "damaged", "damaged", "omitted", "omitted"])
    #expect(try merged.json.map { $0["number"] as? Int } == [1, 2, 3, nil, nil])
  }

  @Test("a backup can pass through pipes")
  func pipes() throws {
    let scratch = try filled()
    let export = scratch.run("export", "--all", "-o", "-")
    #expect(export.code == .fine)
    let run = ToolRun(
      .scaryCreatures, ["import", "-", "--keep-numbers", "--library", scratch.path("other")], input: export.data)
    #expect(run.code == .fine && run.lines.count == 3, "\(run.errors)")
    #expect(try files(scratch.path("other")) == files(scratch.library))
    #expect(ToolRun(.scaryCreatures, ["verify", "-"], input: export.data).code == .fine)
  }

  @Test("export writes to /dev/stdout as to '-', without a question", arguments: ["zip", "json", "csv", "old"])
  func standardOutput(_ format: String) throws {
    let scratch = try filled()
    let runs = ["-", "/dev/stdout"].map { scratch.run("export", "2", "--to", format, "-o", $0) }
    #expect(runs.allSatisfy { $0.code == .fine }, "\(runs[1].errors)")
    #expect(!runs[0].data.isEmpty && runs[0].data == runs[1].data)
  }

  @Test(
    "export does not write a file with the name of a folder, and asks nothing",
    arguments: ["zip", "json", "csv", "old"])
  func folderName(_ format: String) throws {
    let scratch = try filled()
    try FileManager.default.createDirectory(atPath: scratch.path("folder"), withIntermediateDirectories: true)
    for name in ["folder", "folder/", "new/"] {
      let run = scratch.run("export", "2", "--to", format, "-o", scratch.url.path + "/" + name)
      #expect(run.code == .notWritten && run.errors.contains("'\(scratch.url.path)/\(name)'"), "\(name): \(run.errors)")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path("folder")) == [])
    #expect(!FileManager.default.fileExists(atPath: scratch.path("new")))
  }

  @Test("a path with '..' names the library that the system finds with it")
  func parentFolder() throws {
    let scratch = try filled()
    try FileManager.default.createDirectory(atPath: scratch.path("far/away"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: scratch.path("far/away"))
    let lines = scratch.run("list").lines
    #expect(lines.contains { $0.contains("=1+1") })
    // Behind a link, '..' is the folder around the one that the link leads to.
    for path in ["/far/../library", "/link/../../library", "/library/1.scarycreature/.."] {
      let run = ToolRun(.scaryCreatures, ["list", "--library", scratch.url.path + path])
      #expect(run.code == .fine && run.lines == lines, "\(path): \(run.errors)")
    }
    let missing = ToolRun(.scaryCreatures, ["list", "--library", scratch.url.path + "/link/../library"])
    #expect(missing.code == .negative, "\(missing.output)")
  }

  @Test("export writes a repeated number once")
  func namedTwice() throws {
    let scratch = try filled()
    let zip = scratch.path("one.zip")
    #expect(scratch.run("export", "1", "3", "1", "-o", zip).code == .fine)
    let run = ToolRun(.scaryCreatures, ["import", zip, "--library", scratch.path("other")])
    #expect(run.lines.count == 2, "\(run.errors)")
  }

  @Test("a backup is not written into the library that it is of")
  func intoItself() throws {
    let scratch = try filled()
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("link"), withDestinationPath: scratch.path("library/1.scarycreature"))
    let before = try files(scratch.library)
    for output in [
      "library/backup.zip", "library/1.scarycreature/backup.zip", "link/backup.zip", "library/../library/b",
    ] {
      let run = scratch.run("export", "--all", "-o", scratch.path(output))
      #expect(run.code == .usage && run.errors.contains("inside the library"), "\(output): \(run.errors)")
    }
    #expect(try files(scratch.library) == before)
    #expect(scratch.run("export", "--all", "-o", scratch.path("library.zip")).code == .fine)
  }

  @Test("no export is written into the library, through no link", arguments: ["zip", "csv", "json", "old", "folder"])
  func intoTheLibrary(_ format: String) throws {
    let scratch = try filled()
    let link = scratch.path("link.csv")
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: scratch.path("library/2.scarycreature/Data.plist"))
    try FileManager.default.createSymbolicLink(atPath: scratch.path("same"), withDestinationPath: scratch.library)
    let before = try files(scratch.library)
    let outputs = ["library/2.scarycreature/Data.plist", "library/new", "same/new/deep/../file", "link.csv"]
    for output in outputs + (format == "folder" ? ["library", "same"] : []) {
      let run = scratch.run("export", "1", "--to", format, "-o", scratch.path(output), "--force")
      #expect(run.code == .usage && run.errors.contains("inside the library"), "\(output): \(run.errors)")
    }
    #expect(try files(scratch.library) == before)
  }

  @Test("no export creates the missing target of a link in the library", arguments: ["zip", "csv", "json", "old"])
  func danglingLink(_ format: String) throws {
    let scratch = try filled()
    let before = try files(scratch.library)
    for (name, target) in [
      ("absolute", scratch.path("library/3.scarycreature/fullImage.png")), ("relative", "library/new"),
      ("chain", "relative"),
    ] {
      try FileManager.default.createSymbolicLink(atPath: scratch.path(name), withDestinationPath: target)
      let run = scratch.run("export", "1", "--to", format, "-o", scratch.path(name))
      #expect(run.code == .usage && run.errors.contains("inside the library"), "\(name): \(run.errors)")
    }
    #expect(try files(scratch.library) == before)
    try FileManager.default.createSymbolicLink(atPath: scratch.path("outside"), withDestinationPath: "target")
    #expect(scratch.run("export", "1", "--to", format, "-o", scratch.path("outside")).code == .fine)
    #expect(FileManager.default.fileExists(atPath: scratch.path("target")))
  }

  @Test("export and gallery name a link that leads nowhere")
  func brokenLinks() throws {
    let scratch = try filled()
    try FileManager.default.createSymbolicLink(atPath: scratch.path("circle"), withDestinationPath: "circle")
    try FileManager.default.createSymbolicLink(atPath: scratch.path("dangling"), withDestinationPath: "missing")
    let export = scratch.run("export", "--all", "-o", scratch.path("circle"))
    #expect(export.code == .notWritten && export.errors.contains("found symbolic links that lead in a circle"))
    for name in ["circle", "dangling"] {
      let gallery = scratch.run("gallery", "-o", scratch.path(name))
      #expect(gallery.code == .notWritten)
      #expect(gallery.errors.contains("found a symbolic link that leads to no folder; expected a folder"))
    }
  }

  @Test("a backup that a closed pipe cuts off is not written", arguments: [["--all"], ["1"], ["1", "--to", "old"]])
  func closedPipe(_ arguments: [String]) throws {
    let scratch = try filled()
    func export(_ more: String...) -> ToolRun {
      ToolRun(
        .scaryCreatures, ["export"] + arguments + more, environment: [Library.variable: scratch.library],
        outcome: .closed)
    }
    let run = export("-o", "-")
    #expect(run.code == .notWritten && run.errors.contains("cannot write '-': the reader closed the pipe"))
    // The first lines of a table are of use.
    if !arguments.contains("old") { #expect(export("--to", "csv").code == .fine) }
  }

  @Test("verify --json has the keys number and remedy in each finding")
  func findingKeys() throws {
    let scratch = try filled()
    let zip = scratch.path("backup.zip")
    _ = try scratch.file("library/2.scarycreature/Data.plist", Data("bplist00".utf8))
    _ = try scratch.file("library/4.scarycreature", Data())
    #expect(scratch.run("export", "--all", "-o", zip).code == .negative)
    for arguments in [["verify", "--json"], ["verify", "--json", zip]] {
      let findings = try ToolRun(.scaryCreatures, arguments, environment: [Library.variable: scratch.library]).json
      #expect(!findings.isEmpty)
      for finding in findings {
        let keys: Set = ["schema", "severity", "code", "number", "path", "detail", "remedy"]
        #expect(Set(finding.keys) == keys)
      }
    }
  }

  @Test("list reports entries that are not creatures on standard error, also as JSON")
  func listedProblems() throws {
    let scratch = try filled()
    _ = try scratch.file("library/4.scarycreature", Data())
    let (text, json) = (scratch.run("list"), scratch.run("list", "--json"))
    let problem = "4.scarycreature: found a file; expected a folder"
    #expect(text.code == .fine && text.errors == "scarycreatures: \(problem)\n")
    #expect(json.code == .fine && json.errors == "{\"schema\":1,\"note\":\"\(problem)\"}\n", "\(json.errors)")
  }

  @Test("migrate keeps no old files in the library")
  func oldFilesInTheLibrary() throws {
    let scratch = try filled()
    let run = scratch.run("migrate", "--backup", scratch.path("library/1.scarycreature/old"))
    #expect(run.code == .usage && run.errors.contains("inside the library"), "\(run.errors)")
  }

  @Test("export of a table refuses to send control characters to a terminal without --force")
  func terminalControls() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost")
    func run(_ arguments: String..., isTerminal: Bool = true) -> ToolRun {
      ToolRun(
        .scaryCreatures, ["export", "--all", "--to"] + arguments, isTerminal: isTerminal,
        environment: [Library.variable: scratch.library])
    }
    // RFC 4180 demands CR LF.
    #expect(run("csv").code == .fine && run("csv").output.hasSuffix("\r\n"))
    try scratch.database().document(1).setTitle("Gh\rost")
    #expect(run("csv").code == .notWritten)
    try scratch.database().document(1).setTitle("\u{1B}]0;PWN\u{7}")
    let refused = run("csv")
    #expect(refused.code == .notWritten && refused.output == "" && refused.errors.contains("--force"))
    #expect(run("csv", "--force").output.contains("\u{1B}]0;PWN\u{7}"))
    #expect(run("csv", isTerminal: false).output.contains("\u{1B}]0;PWN\u{7}"))
    #expect(run("json").code == .fine && !run("json").output.contains("\u{1B}"))
  }

  @Test("import names damaged images of a library and of a backup, and ends with 1", arguments: [false, true])
  func damagedImages(_ isBackup: Bool) throws {
    let (scratch, other) = (try Scratch(), try Scratch())
    for title in ["Ghost", "Yeti"] { try other.database().addCreature(title: title, fullImage: picture(300, 200)) }
    let image = other.path("library/1.scarycreature/fullImage.png")
    let damaged = try Data(contentsOf: URL(filePath: image)).prefix(100)
    try damaged.write(to: URL(filePath: image))
    let backup = other.path("backup.zip")
    #expect(other.run("export", "--all", "-o", backup).code == .negative)
    let source = isBackup ? backup : other.library
    for options in [["--dry-run"], ["--json", "--dry-run"], []] {
      let run = ToolRun(
        .scaryCreatures, ["import", source] + options, environment: [Library.variable: scratch.library])
      #expect(run.code == .negative, "\(run.errors)")
      #expect(run.errors.contains("1.scarycreature") && run.errors.contains("fullImage.png"), "\(run.errors)")
      if options.contains("--json") {
        #expect(try run.json.map { $0["state"] as? String } == ["damaged", "imported"])
        #expect(run.errors.contains("\"notAnImage\""))
      }
    }
    let copy = scratch.path("library/1.scarycreature/fullImage.png")
    #expect(FileManager.default.contents(atPath: copy) == damaged)
  }

  @Test("export says that numbers and --all conflict")
  func allAndNumbers() throws {
    let scratch = try filled()
    let both = scratch.run("export", "--all", "1", "-o", scratch.path("out.zip"))
    #expect(both.code == .usage && both.errors.contains("'--all' conflicts with numbers"), "\(both.errors)")
    let none = scratch.run("export", "-o", scratch.path("out.zip"))
    #expect(none.code == .usage && none.errors.contains("no creatures selected"), "\(none.errors)")
  }

  @Test("export replaces a file only on request")
  func noOverwriting() throws {
    let scratch = try filled()
    let file = try scratch.file("backup.zip", Data("precious".utf8))
    #expect(scratch.run("export", "--all", "-o", file).code == .usage)
    #expect(try Data(contentsOf: URL(filePath: file)) == Data("precious".utf8))
    #expect(scratch.run("export", "--all", "-o", file, "--force").code == .fine)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).sorted() == ["backup.zip", "library"])
  }

  @Test("export of all to a folder copies damaged creatures, unknown files and the trash to a new library")
  func allToFolder() throws {
    let scratch = try Scratch()
    for _ in 1...3 { try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20)) }
    #expect(scratch.run("delete", "2", "--trash", "--force").code == .fine)
    _ = try scratch.file("library/1.scarycreature/Data.plist", Data("no archive".utf8))
    _ = try scratch.file("library/3.scarycreature/notes/mine.txt", Data("mine".utf8))
    _ = try scratch.file("library/readme.txt", Data("read me".utf8))
    let other = scratch.path("other")
    let run = scratch.run("export", "--all", "--to", "folder", "-o", other)
    #expect(run.code == .negative && run.errors.contains("1.scarycreature/Data.plist"))
    #expect(run.output == "1\t\(other)/1.scarycreature\n3\t\(other)/3.scarycreature\n")
    #expect(try allFiles(other) == allFiles(scratch.path("library")))
    #expect(scratch.run("list", "--library", other).code != .fine)
    // To a library with creatures, only the creatures that it lacks, with new numbers.
    try scratch.database().addCreature(title: "New")
    let more = scratch.run("export", "--all", "--to", "folder", "-o", other)
    #expect(more.code == .negative && more.output == "4\t\(other)/4.scarycreature\n")
    // Other files are not copied then, so no problem of them is reported.
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("library/link"), withDestinationPath: "nowhere")
    let others = scratch.run("export", "--all", "--to", "folder", "-o", other)
    #expect(others.code == .negative && !others.errors.contains("link"), "\(others.errors)")
    let inside = scratch.run("export", "--all", "--to", "folder", "-o", scratch.path("library/copy"))
    #expect(inside.code == .usage && inside.errors.contains("inside the library"))
  }

  @Test("import and verify take a backup from a pipe")
  func piped() throws {
    let scratch = try Scratch()
    for _ in 1...2 { try scratch.database().addCreature(title: "Ghost", fullImage: picture(300, 200)) }
    let backup = scratch.path("backup.zip")
    #expect(scratch.run("export", "--all", "-o", backup).code == .fine)
    let bytes = try Data(contentsOf: URL(filePath: backup))
    let other = scratch.path("other")
    #expect(
      ToolRun(.scaryCreatures, ["import", "-", "--keep-numbers", "--library", other], input: bytes).code == .fine)
    #expect(try allFiles(other) == allFiles(scratch.path("library")))
    #expect(ToolRun(.scaryCreatures, ["verify", "-"], input: bytes).code == .fine)
    #expect(ToolRun(.scaryCreatures, ["verify", "-"], input: bytes.dropLast(1000)).code != .fine)
  }

  @Test("export copies folders byte for byte")
  func folders() throws {
    let scratch = try filled()
    let other = scratch.path("copy")
    #expect(scratch.run("export", "1", "3", "--to", "folder", "-o", other).code == .fine)
    let copied = try files(other)
    let original = try files(scratch.library)
    #expect(copied["2.scarycreature/Data.plist"] == original["3.scarycreature/Data.plist"])
    #expect(copied["1.scarycreature/fullImage.png"] == original["1.scarycreature/fullImage.png"])
  }

  @Test("CSV is readable by Python and has no formulas")
  func csv() throws {
    let scratch = try filled()
    let run = scratch.run("export", "--all", "--to", "csv")
    #expect(run.code == .fine && run.output.hasPrefix("number,title,rating,thumbImage,fullImage,modified\r\n"))
    guard Python.isPresent else { return }
    let read = try Python.run(
      """
      import csv,io,json,sys
      text=sys.stdin.buffer.read().decode('utf-8')
      print(json.dumps([row[1] for row in csv.reader(io.StringIO(text, newline=''))]))
      """, input: run.data)
    #expect(
      try JSONDecoder().decode([String].self, from: read) == ["title", "Ghost, the \"old\" one", " =1+1", "Yeti\n雪男"])
  }

  @Test("JSON has a line per creature")
  func json() throws {
    let scratch = try filled()
    let run = scratch.run("export", "--all", "--to", "json")
    #expect(try run.json.map { $0["title"] as? String } == ["Ghost, the \"old\" one", "=1+1", "Yeti\n雪男"])
  }

  @Test("verify prints a line per problem, and accepts a valid library and backup")
  func verify() throws {
    let scratch = try filled()
    let zip = scratch.path("backup.zip")
    #expect(scratch.run("export", "--all", "-o", zip).code == .fine)
    #expect(scratch.run("verify").code == .fine)
    #expect(scratch.run("verify", zip).code == .fine)
    var bytes = try Data(contentsOf: URL(filePath: zip))
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: URL(filePath: zip))
    #expect(scratch.run("verify", zip).code != .fine)
    _ = try scratch.file("library/1.scarycreature/fullImage.png", Data("no picture".utf8))
    _ = try scratch.file("library/007.scarycreature/Data.plist", Data())
    _ = try scratch.file("library/2.scarycreature/Data.plist", Data("bplist00".utf8))
    let run = scratch.run("verify", "--json")
    let found = try Set(run.json.compactMap { $0["code"] as? String })
    #expect(run.code != .fine && found.isSuperset(of: ["notANumber", "unreadableArchive", "notAnImage"]), "\(found)")
  }

  @Test("verify warns of an image that has several files, and setting the image again leaves one")
  func verifySeveralImages() throws {
    let scratch = try filled()
    let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16] + Array("JFIF".utf8) + [0])
    let picture = try Data(contentsOf: URL(filePath: scratch.path("library/1.scarycreature/fullImage.png")))
    _ = try scratch.file("library/1.scarycreature/fullImage.jpg", jpeg)
    let run = scratch.run("verify", "--json")
    #expect(run.code == .fine)
    let finding = try #require(try run.json.first)
    #expect(try run.json.count == 1 && finding["code"] as? String == "severalImages")
    #expect(finding["severity"] as? String == "warning" && finding["number"] as? Int == 1)
    #expect((finding["detail"] as? String)?.contains("'fullImage.png' is shown; not shown: 'fullImage.jpg'") == true)
    #expect(try scratch.database().document(1).fullImage == picture)
    // The image that is named as shown is the one that is read, also without a PNG file.
    _ = try scratch.file("library/1.scarycreature/fullImage.gif", Data("GIF89a".utf8) + Data(count: 8))
    try FileManager.default.removeItem(atPath: scratch.path("library/1.scarycreature/fullImage.png"))
    #expect(scratch.run("verify").output.contains("'fullImage.jpg' is shown; not shown: 'fullImage.gif'"))
    #expect(try scratch.database().document(1).fullImage == jpeg)
    #expect(scratch.run("edit", "1", "--image", try scratch.file("new.jpg", jpeg)).code == .fine)
    #expect(scratch.run("verify").output == "")
    #expect(try scratch.database().document(1).fullImage == jpeg)
  }

  @Test("verify reports leftovers without removing them; other commands remove them")
  func verifyOnly() throws {
    let scratch = try filled()
    _ = try scratch.file("library/.work/new-file", Data("half".utf8))
    let place = scratch.path("library/.work/replaced-2.scarycreature")
    try FileManager.default.moveItem(atPath: scratch.path("library/2.scarycreature"), toPath: place)
    let before = try FileManager.default.subpathsOfDirectory(atPath: scratch.library).sorted()
    let run = scratch.run("verify", "--json")
    #expect(run.code == .negative)
    #expect(try run.json.compactMap { $0["code"] as? String } == ["leftovers", "displaced"])
    #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.library).sorted() == before)
    #expect(scratch.run("list").code == .fine)
    #expect(scratch.run("verify", "--json").code == .fine)
    #expect(try scratch.database().document(2).data?.title == "=1+1")
  }

  @Test("import --dry-run prints what an import does, of a library and of old apps")
  func dryRun() throws {
    let (source, target) = (try filled(), try Scratch())
    #expect(target.run("add", "Bat").code == .fine)
    let bug = try Data(contentsOf: URL(filePath: source.path("library/2.scarycreature/Data.plist")))
    _ = try target.file("bugs/1.scarybug/data.plist", bug)
    for _ in 0..<2 {
      for folder in [source.library, target.path("bugs")] {
        let before = try FileManager.default.subpathsOfDirectory(atPath: target.library).sorted()
        let trial = target.run("import", folder, "--dry-run")
        #expect(try FileManager.default.subpathsOfDirectory(atPath: target.library).sorted() == before)
        let run = target.run("import", folder)
        let planned = trial.lines.map { $0.replacing("would be imported", with: "imported") }
        #expect(!run.lines.isEmpty && run.lines == planned)
      }
    }
  }

  @Test("import keeps the source unchanged, and reports rejected creatures")
  func importOnly() throws {
    let (source, target) = (try filled(), try Scratch())
    _ = try source.file("library/.work/new-file", Data("half".utf8))
    let place = source.path("library/.work/replaced-2.scarycreature")
    try FileManager.default.moveItem(atPath: source.path("library/2.scarycreature"), toPath: place)
    let before = try FileManager.default.subpathsOfDirectory(atPath: source.library).sorted()
    let run = target.run("import", source.library)
    #expect(run.code == .unreadable && run.lines.count == 2)
    #expect(run.errors.contains("replaced-2.scarycreature"), "\(run.errors)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: source.library).sorted() == before)
  }
}
