// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import ScaryCreatures
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

@Suite("scarycreatures: gallery")
struct GalleryCommandTests {
  @Test("gallery writes a page, and replaces one only on request")
  func gallery() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "<script>alert(1)</script>", rating: 3, fullImage: picture(300, 200))
    let folder = scratch.path("gallery")
    let run = scratch.run("gallery", "-o", folder, "--title", "My & Co")
    #expect(run.code == .fine && run.output == "\(folder)/index.html\n")
    let page = try String(contentsOfFile: "\(folder)/index.html", encoding: .utf8)
    // The page has one script, its own.
    #expect(page.components(separatedBy: "<script").count == 2 && !page.contains("alert(1)</script>"))
    #expect(page.contains("&lt;script&gt;") && page.contains("My &amp; Co"))
    let image = scratch.path("library/1.scarycreature/fullImage.png")
    #expect(FileManager.default.contentsEqual(atPath: "\(folder)/images/1.png", andPath: image))
    #expect(scratch.run("gallery", "-o", folder).code == .usage)
    #expect(scratch.run("gallery", "-o", folder, "--force").code == .fine)
  }

  private func files(_ folder: String) -> [String] {
    (FileManager.default.enumerator(atPath: folder)?.allObjects as? [String] ?? []).sorted()
  }

  @Test("gallery removes the images of deleted creatures that it wrote, and no other file")
  func stale() throws {
    let scratch = try Scratch()
    for _ in 1...2 { try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20)) }
    let folder = scratch.path("gallery")
    #expect(scratch.run("gallery", "-o", folder).code == .fine)
    let own = ["images", "images/1.png", "index.html", "thumbs", "thumbs/1.png"]
    #expect(files(folder) == ([".gallery-files", "images/2.png", "thumbs/2.png"] + own).sorted())
    // Files of other programs, of which one has a name like those of the gallery.
    let others = ["images/3.png", "images/mine.jpg", "notes.txt"]
    for name in others { _ = try scratch.file("gallery/\(name)", Data("mine".utf8)) }
    #expect(scratch.run("delete", "2", "--force").code == .fine)
    #expect(scratch.run("gallery", "-o", folder, "--force").code == .fine)
    #expect(files(folder) == ([".gallery-files"] + own + others).sorted())
    #expect(
      try String(contentsOfFile: "\(folder)/.gallery-files", encoding: .utf8) == "images/1.png\nthumbs/1.png\n")
    #expect(scratch.run("delete", "1", "--force").code == .fine)
    #expect(scratch.run("gallery", "-o", folder, "--force").code == .fine)
    #expect(files(folder) == ([".gallery-files", "images", "index.html", "thumbs"] + others).sorted())
  }

  /// Writes the images of creatures to a folder until a number of files are written, as a killed command does.
  private func interrupt(_ folder: String, after count: Int, _ body: (String) throws -> Void) throws -> Bool {
    struct Interruption: Error {}
    var files = GalleryFolder(URL(filePath: folder), batch: (1, 1))
    var written = 0
    let items = (1...3).map { GalleryItem(number: $0, title: "Ghost", rating: 0, fullImage: Data("GIF89a \($0)".utf8)) }
    do {
      try Gallery().write(items) { path, bytes in
        guard written < count else { throw Interruption() }
        try files.write(bytes, to: path)
        written += 1
        try body(path)
      }
      return false
    } catch is Interruption {
      return true
    }
  }

  @Test("gallery lists each image before it writes it, so the next one removes what an interrupted one left")
  func interrupted() throws {
    for count in 0...4 {
      let scratch = try Scratch()
      let folder = scratch.path("gallery")
      _ = try scratch.file("gallery/images/mine.jpg", Data("mine".utf8))
      let isInterrupted = try interrupt(folder, after: count) { path in
        let list = try String(contentsOfFile: "\(folder)/.gallery-files", encoding: .utf8)
        let images = files(folder).filter { $0.hasPrefix("images/") && $0 != "images/mine.jpg" }
        #expect(images.contains(path) || path == "index.html")
        #expect(images.allSatisfy { list.contains("\($0)\n") }, "\(images)")
      }
      #expect(isInterrupted == (count < 4))
      // A killed process also leaves the temporary file of an image.
      if count == 1 {
        _ = try scratch.file("gallery/images/.1.gif.keyedarchiver-unfinished", Data("part".utf8))
      }
      try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
      #expect(scratch.run("gallery", "-o", folder, "--force").code == .fine)
      let own = [".gallery-files", "images", "images/1.png", "index.html", "thumbs", "thumbs/1.png"]
      #expect(files(folder) == (own + ["images/mine.jpg"]).sorted(), "after \(count) files")
    }
  }

  @Test("gallery flushes its list once for many images")
  func batches() throws {
    let scratch = try Scratch()
    let folder = scratch.path("gallery")
    var files = GalleryFolder(URL(filePath: folder), batch: (100, 3))
    for number in 1...2 { try files.write(Data("GIF".utf8), to: "images/\(number).gif") }
    #expect(self.files(folder).isEmpty)
    try files.write(Data("GIF".utf8), to: "images/3.gif")
    #expect(self.files(folder) == [".gallery-files", "images", "images/1.gif", "images/2.gif", "images/3.gif"])
    try files.write(Data(repeating: 0, count: 100), to: "images/4.gif")
    try files.write(Data("GIF".utf8), to: "images/5.gif")
    #expect(self.files(folder).suffix(1) == ["images/4.gif"])
    try files.finish()
    #expect(self.files(folder).suffix(1) == ["images/5.gif"])
  }

  @Test("gallery asks before it replaces an image that no gallery wrote", arguments: ["images/1.png", "thumbs/1.png"])
  func foreignImage(_ name: String) throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
    let folder = scratch.path("gallery")
    let mine = try scratch.file("gallery/\(name)", Data("mine".utf8))
    let run = scratch.run("gallery", "-o", folder)
    #expect(run.code == .usage && run.errors.contains("cannot ask 'Replace \(mine)?'"), "\(run.errors)")
    #expect(scratch.run("gallery", "-o", folder, answers: ["n"]).code == .negative)
    #expect(files(folder) == [String(name.prefix(6)), name])
    #expect(try Data(contentsOf: URL(filePath: mine)) == Data("mine".utf8))
    #expect(scratch.run("gallery", "-o", folder, answers: ["y"]).code == .fine)
    #expect(try Data(contentsOf: URL(filePath: mine)) != Data("mine".utf8))
    // Now it is one of the gallery, so only the page is asked about.
    #expect(scratch.run("gallery", "-o", folder).errors.contains("cannot ask 'Replace \(folder)/index.html?'"))
  }

  @Test("gallery does not ask about images of other names and numbers")
  func otherImages() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
    for name in ["2.png", "1.jpg", "mine.png"] { _ = try scratch.file("gallery/images/\(name)", Data("mine".utf8)) }
    #expect(scratch.run("gallery", "-o", scratch.path("gallery")).code == .fine)
    for name in ["2.png", "1.jpg", "mine.png"] {
      #expect(FileManager.default.contents(atPath: scratch.path("gallery/images/\(name)")) == Data("mine".utf8))
    }
  }

  @Test(
    "gallery writes nothing through a link, even with --force", arguments: ["images", "images/1.png", "index.html"])
  func links(_ name: String) throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
    let isFolder = name == "images"
    let kept = try scratch.file(isFolder ? "elsewhere/1.png" : "elsewhere", Data("mine".utf8))
    let link = scratch.path("gallery/\(name)")
    let parent = URL(filePath: link).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: scratch.path("elsewhere"))
    let run = scratch.run("gallery", "-o", scratch.path("gallery"), "--force")
    #expect(run.code == .notWritten, "\(run.errors)")
    #expect(run.errors.contains("found a symbolic link; expected a \(isFolder ? "folder" : "file") (\(link))"))
    #expect(try Data(contentsOf: URL(filePath: kept)) == Data("mine".utf8))
    if isFolder { #expect(files(scratch.path("elsewhere")) == ["1.png"]) }
  }

  @Test(
    "gallery refuses a folder in the library", arguments: ["library", "library/1.scarycreature", "library/new/page"])
  func insideTheLibrary(_ name: String) throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
    let before = files(scratch.library)
    let run = scratch.run("gallery", "-o", scratch.path(name), "--force")
    #expect(run.code == .usage && run.errors.contains("inside the library"), "\(run.errors)")
    #expect(files(scratch.library) == before)
  }

  @Test("gallery refuses a folder whose folder of images is the library", arguments: ["images", "thumbs"])
  func libraryOfImages(_ name: String) throws {
    let scratch = try Scratch()
    let library = scratch.path("page/\(name)")
    try FileManager.default.createDirectory(atPath: scratch.path("page"), withIntermediateDirectories: true)
    #expect(ToolRun(.scaryCreatures, ["add", "Ghost", "--library", library]).code == .fine)
    let before = files(library)
    let run = ToolRun(.scaryCreatures, ["gallery", "-o", scratch.path("page"), "--force", "--library", library])
    #expect(run.code == .usage && run.errors.contains("inside the library"), "\(run.errors)")
    #expect(files(library) == before)
  }

  @Test("gallery does not write its list through a link")
  func linkedList() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
    let target = try scratch.file("target", Data("mine".utf8))
    let folder = scratch.path("gallery")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: "\(folder)/.gallery-files", withDestinationPath: target)
    let run = scratch.run("gallery", "-o", folder)
    #expect(run.code == .notWritten && run.errors.contains("Remove .gallery-files"))
    #expect(try Data(contentsOf: URL(filePath: target)) == Data("mine".utf8))
  }

  @Test("gallery says that its output is not a folder")
  func fileAsFolder() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
    let file = try scratch.file("file", Data())
    let run = scratch.run("gallery", "-o", file)
    #expect(run.code == .notWritten)
    #expect(run.errors.contains("found a file; expected a folder (\(file))"), "\(run.errors)")
  }

  @Test("gallery removes nothing that a list names but no gallery writes")
  func hostileList() throws {
    let scratch = try Scratch()
    // Without an image, because no gallery writes one into a linked folder.
    try scratch.database().addCreature(title: "Ghost")
    let folder = scratch.path("gallery")
    let kept = [
      "gallery/notes.txt", "gallery/images/a.png", "outside.png", "gallery/index.html", "gallery/more/1.png",
      "gallery/images/2024-trip.html", "gallery/images/1.tar.gz",
    ]
    for name in kept { _ = try scratch.file(name, Data("mine".utf8)) }
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder)/thumbs", withDestinationPath: scratch.path("elsewhere"))
    _ = try scratch.file("elsewhere/9.png", Data("mine".utf8))
    let lines = [
      "notes.txt", "images/a.png", "images/../notes.txt", "images/../../outside.png", "index.html", "more/1.png",
      "images/", "/outside.png", scratch.path("outside.png"), "thumbs/9.png", "images", "thumbs",
      "images/2024-trip.html", "images/1.tar.gz",
    ]
    _ = try scratch.file("gallery/.gallery-files", Data((lines.joined(separator: "\n") + "\n").utf8))
    #expect(scratch.run("gallery", "-o", folder, "--force").code == .fine)
    for name in kept + ["elsewhere/9.png"] {
      #expect(FileManager.default.fileExists(atPath: scratch.path(name)), "\(name)")
    }
  }
}
