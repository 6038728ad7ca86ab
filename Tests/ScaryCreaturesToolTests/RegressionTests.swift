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

  @Test(
    "without an absolute HOME, a command names the remedy and makes no folder",
    arguments: [[:], ["HOME": ""], ["HOME": "relative"], ["HOME": "", "XDG_DATA_HOME": "relative"]])
  func home(_ environment: [String: String]) throws {
    #if !canImport(Darwin)
      #expect(ScaryCreatureDatabase.privateDocsDir(in: environment) == nil)
      for command in [["path"], ["list"], ["add", "Ghost"]] {
        let run = ToolRun(.scaryCreatures, command, environment: environment)
        #expect(run.code == .negative && run.output == "", "\(command)")
        #expect(run.errors.contains("Set HOME, or pass a library with --library"), "\(run.errors)")
      }
      let scratch = try Scratch()
      let run = ToolRun(.scaryCreatures, ["path", "--library", scratch.library], environment: environment)
      #expect(run.output == "\(scratch.library)\n")
    #endif
  }

  @Test(
    "a rating is a decimal number",
    arguments: ["0x3", "0x1p1", "3e0", "+3", "-0", "nan", "inf", "", " 3", "3 ", "1,5", "1.2.3", "."])
  func decimalRating(_ text: String) throws {
    let scratch = try Scratch()
    try scratch.database().addCreature(title: "Ghost", rating: 1)
    #expect(scratch.run("rate", "1", "2.5").code == .fine)
    let run = scratch.run("rate", "--", "1", text)
    #expect(run.code == .usage && run.errors.contains("invalid rating '\(text)'"), "\(run.errors)")
    #expect(try scratch.database().document(1).data?.rating == 2.5)
  }

  @Test("add -i <(command) reads the command's output")
  func processSubstitution() throws {
    let scratch = try Scratch()
    let image = try picture(20, 10)
    // A shell passes a pipe by this name. The image fits into the pipe's buffer.
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: image)
    try pipe.fileHandleForWriting.close()
    let run = scratch.run("add", "Ghost", "-i", "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
    #expect(run.code == .fine, "\(run.errors)")
    #expect(try scratch.database().document(1).fullImage == image)
  }

  @Test(
    "says how to mend the process's limit for files, also for a temporary one",
    .enabled(if: Program.built("scarycreatures") != nil && Program.installed("bash") != nil))
  func fileSizeLimit() throws {
    let scratch = try Scratch()
    let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0, 0, 16]) + Data("JFIF".utf8) + Data(count: 100_000)
    let image = try scratch.file("large.jpg", jpeg)
    try scratch.database().addCreature(title: "Ghost", fullImage: jpeg)
    let tool = try #require(Program.built("scarycreatures")?.url.path)
    func run(_ arguments: String...) throws -> Program.Run? {
      // The default of the signal is to end the process.
      try Program.installed("bash")?.run(
        ["-c", "trap '' XFSZ; ulimit -f 20; exec \"$0\" \"$@\"", tool] + arguments,
        environment: [Library.variable: scratch.library, "TMPDIR": scratch.url.path])
    }
    for (run, text) in [
      (try run("add", "Yeti", "--image", image), "writing failed: the file would exceed"),
      (
        try run("export", "--all", "--to", "folder", "-o", scratch.path("copy")),
        "writing a temporary file in the folder failed: the file would exceed"
      ),
    ] {
      #expect(run?.code == ExitCode.notWritten.rawValue)
      #expect(run?.errors.contains(text) == true && run?.errors.contains("ulimit -f") == true, "\(run?.errors ?? "")")
    }
  }
}
