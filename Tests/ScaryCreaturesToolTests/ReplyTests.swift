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

@Suite("scarycreatures: output")
struct ReplyTests {
  /// A library with a creature with both images and one without any.
  private func library() throws -> Scratch {
    let scratch = try Scratch()
    let database = try scratch.database()
    let image = try scratch.file("ghost.png", picture(400, 300))
    #expect(scratch.run("add", "Ghost", "--rating", "4.5", "--image", image).code == .fine)
    try database.addCreature(title: "bat\u{1B}[31m")
    return scratch
  }

  @Test("show prints one line per property, with control characters escaped")
  func show() throws {
    let scratch = try library()
    let run = scratch.run("show", "1", "2")
    #expect(run.code == .fine && run.errors == "")
    #expect(
      run.lines.filter { !$0.hasPrefix("Modified") } == [
        "Number    1", "Title     Ghost", "Scary     ☻☻☻☻◐ (4.5)", "Pictures  both", "Layout    secure",
        "Folder    \(scratch.library)/1.scarycreature", "Number    2", #"Title     bat\u{1b}[31m"#,
        "Scary     ····· (0.0)", "Pictures  none", "Layout    secure", "Folder    \(scratch.library)/2.scarycreature",
      ])
    let modified = run.lines.filter { $0.hasPrefix("Modified  ") }.map { $0.dropFirst(10) }
    #expect(modified.count == 2 && modified.allSatisfy { $0.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/) != nil })
  }

  @Test("show --json prints an object with the keys of list")
  func showJSON() throws {
    let scratch = try library()
    let shown = scratch.run("show", "--json", "1", "2")
    #expect(shown.code == .fine && shown.output == scratch.run("list", "--json").output)
    let json = try shown.json
    #expect(json.count == 2 && json[0]["title"] as? String == "Ghost" && json[0]["rating"] as? Double == 4.5)
    #expect(json[0]["thumbImage"] as? Bool == true && json[1]["fullImage"] as? Bool == false)
  }

  @Test("show and list report a thumbnail only if they show it, and list has its row", arguments: [false, true])
  func unreadableThumbnail(isShown: Bool) throws {
    let scratch = try library()
    let thumb = "\(scratch.library)/1.scarycreature/thumbImage.png"
    try FileManager.default.removeItem(atPath: thumb)
    try FileManager.default.createDirectory(atPath: thumb, withIntermediateDirectories: false)
    func run(_ arguments: String...) -> ToolRun {
      ToolRun(
        .scaryCreatures, arguments + ["--thumbs", "--library", scratch.library], isTerminal: isShown,
        environment: ["TERM": "xterm-kitty"])
    }
    #expect(run("show", "1").code == (isShown ? .unreadable : .fine))
    let list = run("list")
    #expect(list.output.contains("Ghost") && list.errors.contains("thumbImage.png") == isShown, "\(list.errors)")
  }

  @Test("show reports missing numbers, shows the others and returns the worst code")
  func showMissing() throws {
    let scratch = try library()
    let run = scratch.run("show", "9", "2")
    #expect(run.code == .negative && run.output.contains("bat"))
    #expect(run.errors.contains("9") && run.lines.count == 7)
  }

  @Test(
    "show --thumbs draws an image only in supported terminals",
    arguments: [
      (["TERM": "xterm-kitty"], "\u{1B}_Ga=T,f=100,r=4,m=0;", "\u{1B}\\\n"),
      (["TERM_PROGRAM": "ghostty"], "\u{1B}_Ga=T,f=100,r=4,m=0;", "\u{1B}\\\n"),
      (["TERM_PROGRAM": "iTerm.app"], "\u{1B}]1337;File=inline=1;height=4;preserveAspectRatio=1:", "\u{7}\n"),
      (["TERM_PROGRAM": "WezTerm"], "\u{1B}]1337;File=inline=1;height=4;preserveAspectRatio=1:", "\u{7}\n"),
      (["TERM": "xterm-256color"], "", ""),
    ] as [([String: String], String, String)])
  func thumbs(_ environment: [String: String], _ start: String, _ end: String) throws {
    let scratch = try library()
    func show(_ arguments: [String], isTerminal: Bool) -> String {
      ToolRun(
        .scaryCreatures, ["show", "1", "--color", "never"] + arguments, isTerminal: isTerminal,
        environment: environment.merging([Library.variable: scratch.library]) { $1 }
      ).output
    }
    let plain = show([], isTerminal: true)
    #expect(plain.hasPrefix("Number    1\n"))
    #expect(show(["--thumbs"], isTerminal: false) == plain)
    let thumb = try #require(try scratch.database().document(1).thumbImage).base64EncodedString()
    #expect(show(["--thumbs"], isTerminal: true) == (start.isEmpty ? "" : start + thumb + end) + plain)
  }

  @Test("list --thumbs draws each image directly above its row")
  func listedThumbs() throws {
    let scratch = try library()
    try scratch.database().addCreature(title: "Yeti", fullImage: picture(30, 40))
    func list(_ arguments: String...) -> ToolRun {
      ToolRun(
        .scaryCreatures, ["list", "--color", "never", "--library", scratch.library] + arguments, isTerminal: true,
        environment: ["TERM": "xterm-kitty"])
    }
    let plain = list().lines
    #expect(plain.count == 4)
    func thumb(_ number: DocumentNumber) throws -> String {
      let image = try #require(try scratch.database().document(number).thumbImage)
      return "\u{1B}_Ga=T,f=100,r=4,m=0;\(image.base64EncodedString())\u{1B}\\"
    }
    let run = list("--thumbs")
    let (first, third) = (try thumb(1), try thumb(3))
    #expect(run.code == .fine && run.lines == [plain[0], first, plain[1], plain[2], third, plain[3]])
  }

  @Test(
    "show --thumbs sends an image to kitty in pieces of 4096 bytes")
  func pieces() throws {
    let environment = ["TERM": "xterm-kitty"]
    let console = Console(
      tool: .scaryCreatures, input: StandardInput(isTerminal: false) { () throws(Failure) in Data() },
      output: TextOutput(isTerminal: true) { _ in .written }, errors: TextOutput(isTerminal: false) { _ in .written },
      environment: environment)
    let arguments = try Arguments(["--thumbs", "1"], for: ShowCommand.help)
    let bytes = Data([0x89, 0x50, 0x4E, 0x47]) + Data((4..<6150).map { UInt8(truncatingIfNeeded: $0) })
    let text = try #require(TerminalPictures(arguments, on: console).text(for: { bytes }))
    let pieces = text.split(separator: "\u{1B}\\").map(String.init)
    // 6150 bytes are 8200 in Base64.
    #expect(pieces.count == 4 && pieces[3] == "\n")
    #expect(pieces[0].hasPrefix("\u{1B}_Ga=T,f=100,r=4,m=1;") && pieces[0].count == 21 + 4096)
    #expect(pieces[1].hasPrefix("\u{1B}_Gm=1;") && pieces[1].count == 7 + 4096)
    #expect(pieces[2].hasPrefix("\u{1B}_Gm=0;") && pieces[2].count == 7 + 8)
    let encoded = pieces.dropLast().map { $0.drop { $0 != ";" }.dropFirst() }.joined()
    #expect(Data(base64Encoded: encoded) == bytes)
    #expect(TerminalPictures(arguments, on: console).text(for: { nil }) == nil)
    // A thumbnail of another format, which kitty does not accept.
    #expect(TerminalPictures(arguments, on: console).text(for: { Data([0xFF, 0xD8, 0xFF]) + bytes }) == nil)
  }

  @Test("samples adds the seven creatures with images on each run")
  func samples() throws {
    let scratch = try Scratch()
    let run = SampleCreature.$imageSide.withValue(50) { scratch.run("samples") }
    #expect(run.code == .fine && run.lines.count == 7)
    #expect(run.lines[0] == "1\t\(scratch.library)/1.scarycreature")
    let json = try scratch.run("list", "--json").json
    #expect(
      json.count == 7 && json.allSatisfy { $0["thumbImage"] as? Bool == true && $0["fullImage"] as? Bool == true })
    let again = try SampleCreature.$imageSide.withValue(50) { try scratch.run("samples", "--json").json }
    #expect(again.map { $0["number"] as? Int } == Array(8...14))
  }

  @Test("--json of writing commands prints an object per creature")
  func json() throws {
    let scratch = try library()
    let image = try scratch.file("image.png", picture(40, 40))
    let added = try scratch.run("add", "Yeti", "--json", "--image", image).json
    #expect(added.count == 1 && added[0]["number"] as? Int == 3 && added[0]["title"] as? String == "Yeti")
    #expect(try scratch.run("path", "3", "--json").json[0]["path"] as? String == "\(scratch.library)/3.scarycreature")
    let trashed = try scratch.run("delete", "3", "--json", "--force", "--trash").json
    #expect(trashed.count == 1 && trashed[0]["trashed"] as? Int == 3)
    let names = try scratch.run("restore", "--json").json.map { $0["name"] as? String }
    #expect(names.count == 1)
    let name = try #require(names.first ?? nil)
    #expect(scratch.run("restore", name, "--dry-run").errors.contains("would restore \(name)"))
    let restored = try scratch.run("restore", name, "--json").json
    #expect(restored.count == 1 && restored[0]["title"] as? String == "Yeti")
    let missing = scratch.run("restore", name)
    #expect(missing.code == .negative && missing.errors.contains("not found in the trash"))
    let page = scratch.path("page")
    let gallery = try scratch.run("gallery", "--output", page, "--json").json
    #expect(
      gallery.count == 1 && gallery[0]["page"] as? String == "\(page)/index.html"
        && gallery[0]["creatures"] as? Int == 3)
  }

  @Test(
    "--dry-run --json prints an object per planned change, and nothing else",
    arguments: [
      (["add", "New"], "add", 1), (["samples"], "samples", 1), (["edit", "1", "--title", "New"], "edit", 1),
      (["rate", "1", "2"], "rate", 1), (["undo", "1", "2"], "undo", 2), (["delete", "1", "2"], "delete", 2),
      (["delete", "1", "--trash"], "delete", 1), (["restore", "3"], "restore", 1), (["trash", "empty"], "trash", 1),
      (["gallery", "-o", "/nowhere"], "gallery", 1),
    ])
  func plans(_ arguments: [String], _ name: String, _ count: Int) throws {
    let scratch = try Scratch()
    for title in ["Ghost", "Yeti", "Bat"] { try scratch.database().addCreature(title: title) }
    for number in [1, 2] as [DocumentNumber] { try scratch.database().document(number).setRating(5) }
    try scratch.database().document(3).moveToTrash()
    let before = try FileManager.default.subpathsOfDirectory(atPath: scratch.library).sorted()
    let run = ToolRun(
      .scaryCreatures, arguments + ["--dry-run", "--json"], environment: [Library.variable: scratch.library])
    #expect(run.code == .fine && run.errors == "", "\(run.errors)")
    let plans = try run.json
    #expect(plans.count == count)
    #expect(plans.allSatisfy { $0["schema"] as? Int == 1 && $0["planned"] as? String == name && $0.count > 2 })
    #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.library).sorted() == before)
  }

  @Test("import previews, imports and prints an object per creature")
  func imports() throws {
    let old = try library()
    let scratch = try Scratch()
    _ = try scratch.database()
    let dry = scratch.run("import", "--dry-run", old.library)
    #expect(
      dry.code == .fine && dry.lines.map { $0.split(separator: "\t")[1] } == ["would be imported", "would be imported"])
    #expect(try scratch.database().contents().numbers.isEmpty)
    let json = try scratch.run("import", "--json", old.library).json
    #expect(json.map { $0["number"] as? Int } == [1, 2])
    #expect(json.allSatisfy { ($0["warnings"] as? [String])?.isEmpty == true && $0["source"] is String })
    let empty = scratch.run("import", try scratch.file("empty/letter.txt", Data()).replacing("/letter.txt", with: ""))
    #expect(empty.code == .negative && empty.errors.contains("no creatures found in the folder"))
  }

  @Test("list and show name the images that a creature has")
  func images() throws {
    let scratch = try library()
    let thumb = "\(scratch.library)/1.scarycreature/thumbImage.png"
    try FileManager.default.removeItem(atPath: thumb)
    #expect(try scratch.run("list", "--json").json[0]["thumbImage"] as? Bool == false)
    #expect(scratch.run("show", "1").lines.contains("Pictures  full"))
    #expect(scratch.run("repair").code == .fine)
    #expect(FileManager.default.fileExists(atPath: thumb))
    try FileManager.default.removeItem(atPath: "\(scratch.library)/1.scarycreature/fullImage.png")
    #expect(scratch.run("show", "1").lines.contains("Pictures  thumb"))
  }

  @Test("export needs an output, and writes binary data to a terminal only with --force")
  func exports() throws {
    let scratch = try library()
    let none = scratch.run("export", "1")
    #expect(none.code == .usage && none.errors.contains("'--output' is missing. Pass -o OUT"))
    func export(_ arguments: String..., isTerminal: Bool) -> ToolRun {
      ToolRun(
        .scaryCreatures, ["export", "-o", "-", "1"] + arguments, isTerminal: isTerminal,
        environment: [Library.variable: scratch.library])
    }
    let refused = export(isTerminal: true)
    #expect(refused.code == .notWritten && refused.data.isEmpty)
    #expect(refused.errors.contains("cannot write binary data to a terminal. Pass a file with -o, or --force"))
    for run in [export("--force", isTerminal: true), export(isTerminal: false)] {
      #expect(run.code == .fine && run.data.starts(with: Data("PK".utf8)))
    }
  }

  @Test("a file in the place of the library is unreadable, and its code is one that help lists")
  func libraryIsFile() throws {
    let scratch = try Scratch()
    let run = scratch.run("list", "--library", try scratch.file("file", Data()))
    #expect(run.code == .unreadable && run.errors.contains("Move the other file away"), "\(run.errors)")
  }

  @Test("an error of an image names the file that was passed")
  func namesImage() throws {
    let scratch = try library()
    let text = try scratch.file("text", Data("no picture".utf8))
    let changes = [["add", "--image"], ["edit", "1", "--image"], ["edit", "1", "-r", "1", "--thumb"]]
    for arguments in changes.map({ $0 + [text] }) {
      let run = ToolRun(.scaryCreatures, arguments, environment: [Library.variable: scratch.library])
      #expect(run.code == .unreadable && run.errors.contains("(\(text))"), "\(run.errors)")
    }
  }

  @Test("edit rejects setting and removing an image at once")
  func usage() throws {
    let scratch = try library()
    let image = try scratch.file("image.png", picture(40, 40))
    let run = scratch.run("edit", "1", "--image", image, "--remove-images")
    #expect(run.code == .usage && run.errors.contains("'--remove-images' conflicts with '--image' and '--thumb'"))
  }

  @Test("library errors have the documented exit codes")
  func codes() {
    struct Odd: Error, CustomStringConvertible { let description = "it is odd" }
    let codes: [(LibraryError.Code, ExitCode)] = [
      (.notFound, .negative), (.notADocument, .negative), (.deleted, .negative), (.invalidValue, .usage),
      (.missingDataFile, .notAnArchive), (.unreadableArchive, .notAnArchive), (.wrongClass, .classNotAllowed),
      (.limitReached, .limitReached), (.cannotRead, .unreadable), (.notAnImage, .unreadable),
      (.badContainer, .unreadable), (.displaced, .unreadable), (.cannotWrite, .notWritten), (.diskFull, .notWritten),
      (.noPermission, .notWritten),
    ]
    for (code, exit) in codes {
      let failure = Failure(any: LibraryError(code, "/p", "it is so", remedy: "Do that"))
      #expect(failure.exit == exit && failure.code == code.name && failure.place == ["/p"])
      #expect(failure.detail == "it is so" && failure.remedy == "Do that")
    }
    for (call, exit) in [(StorageError.Call.open, ExitCode.unreadable), (.list, .unreadable), (.create, .notWritten)] {
      let cause = StorageError(.noPermission, call, "1.scarycreature")
      #expect(Failure(any: LibraryError(.noPermission, "/p", "it is so", underlying: cause)).exit == exit)
    }
    #expect(Failure(any: Odd()).exit == .unreadable && Failure(any: Odd()).detail == "it is odd")
    #expect(Failure(any: Failure(.usage, "x", "y")).exit == .usage)
  }
}
