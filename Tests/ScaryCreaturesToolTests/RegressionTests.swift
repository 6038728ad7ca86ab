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

@Suite("scarycreatures: what once went wrong")
struct RegressionTests {
  @Test("a creature that is named twice is deleted once, and that is fine")
  func twice() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    #expect(scratch.run("delete", "1", "1", "--force").code == .fine)
  }

  @Test("creatures of a folder that cannot be taken over are named")
  func leftBehind() throws {
    let (scratch, other) = (try Scratch(), try Scratch())
    try other.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    try FileManager.default.createDirectory(
      atPath: other.path("library/007.scarycreature"), withIntermediateDirectories: true)
    let run = scratch.run("import", other.library)
    #expect(run.code != .fine && run.errors.contains("007.scarycreature"))
    #expect(try scratch.database().loadScaryCreatureDocs().count == 1)
  }

  @Test("numbers are kept for files of export and nothing else")
  func keepNumbers() throws {
    let (scratch, other) = (try Scratch(), try Scratch())
    try other.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    let run = scratch.run("import", "--keep-numbers", other.library)
    #expect(run.code == .usage && run.errors.contains("--keep-numbers"))
  }

  @Test("export does not put a file in the place of a pipe", .enabled(if: Program.installed("mkfifo") != nil))
  func pipe() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    _ = try Program.installed("mkfifo")?.run([scratch.path("pipe.zip")])
    #expect(scratch.run("export", "--all", "-o", scratch.path("pipe.zip"), "--force").code == .notWritten)
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("pipe.zip"))
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
  }

  @Test("a home folder without a name is not the current one", arguments: ["", "relative"])
  func home(_ home: String) {
    #if !canImport(Darwin)
      #expect(ScaryCreatureDatabase.privateDocsDir(in: ["HOME": home]).path.hasPrefix("/.local/share"))
    #endif
  }
}
