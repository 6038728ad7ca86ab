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
    #expect(!page.contains("<script") && page.contains("&lt;script&gt;") && page.contains("My &amp; Co"))
    let image = scratch.path("library/1.scarycreature/fullImage.png")
    #expect(FileManager.default.contentsEqual(atPath: "\(folder)/images/1.png", andPath: image))
    #expect(scratch.run("gallery", "-o", folder).code == .usage)
    #expect(scratch.run("gallery", "-o", folder, "--force").code == .fine)
  }
}
