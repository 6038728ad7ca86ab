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

@Suite("scarycreatures: regressions")
struct RegressionTests {
  @Test("delete deletes a repeated number once")
  func twice() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    #expect(scratch.run("delete", "1", "1", "--force").code == .fine)
  }

  @Test("import names the rejected creatures of a folder")
  func leftBehind() throws {
    let (scratch, other) = (try Scratch(), try Scratch())
    try other.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    try FileManager.default.createDirectory(
      atPath: other.path("library/007.scarycreature"), withIntermediateDirectories: true)
    let run = scratch.run("import", other.library)
    #expect(run.code != .fine && run.errors.contains("007.scarycreature"))
    #expect(try scratch.database().loadScaryCreatureDocs().count == 1)
  }

  @Test("import --keep-numbers accepts only exported files")
  func keepNumbers() throws {
    let (scratch, other) = (try Scratch(), try Scratch())
    try other.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    let run = scratch.run("import", "--keep-numbers", other.library)
    #expect(run.code == .usage && run.errors.contains("--keep-numbers"))
  }

  @Test("export does not replace a pipe", .enabled(if: Program.installed("mkfifo") != nil))
  func pipe() throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 3, fullImage: nil)
    _ = try Program.installed("mkfifo")?.run([scratch.path("pipe.zip")])
    #expect(scratch.run("export", "--all", "-o", scratch.path("pipe.zip"), "--force").code == .notWritten)
    let attributes = try FileManager.default.attributesOfItem(atPath: scratch.path("pipe.zip"))
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
  }

  @Test("an invalid HOME does not select the current folder", arguments: ["", "relative"])
  func home(_ home: String) {
    #if !canImport(Darwin)
      #expect(ScaryCreatureDatabase.privateDocsDir(in: ["HOME": home]).path.hasPrefix("/.local/share"))
    #endif
  }
}
