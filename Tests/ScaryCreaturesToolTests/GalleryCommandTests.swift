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

  @Test("gallery removes nothing that a list names but no gallery writes")
  func hostileList() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", fullImage: picture(30, 20))
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
