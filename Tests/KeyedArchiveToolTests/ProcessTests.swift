// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing

@Suite(
  "The built program keeps the contract as a process", .enabled(if: Program.url != nil, "the program was not built"))
struct ProcessTests {
  @Test(
    "exit codes",
    arguments: [
      (["info", nsurl], 0), (["get", nsurl, "root.x"], 1), (["--nonsense"], 2), (["info", "/no/such/file"], 3),
      (["info", #filePath], 4), (["validate", "--allow", "X", nsurl], 5),
      (["convert", nsurl, "--to", "binary", "-o", "/no/such/folder/x"], 7),
    ] as [([String], Int32)])
  func exitCodes(arguments: [String], code: Int32) throws {
    #expect(try Program.run(arguments).code == code)
  }

  @Test("data on standard output, everything else on standard error")
  func streams() throws {
    let run = try Program.run(["info", nsurl, "/no/such/file"])
    #expect(run.output.hasPrefix("\(nsurl): binary") && !run.output.contains("no such"))
    #expect(run.errors.hasPrefix("keyedarchive: /no/such/file: no such file\n"))
  }

  @Test("standard input is read for '-'")
  func standardInput() throws {
    let run = try Program.run(["tree", "-"], input: Data(contentsOf: URL(filePath: nsurl)))
    #expect(run.output == "root: NSURL \"https://nuomi1.github.io/\" #1\n" && run.code == 0)
  }

  @Test("a pipe that closes early ends the program quietly")
  func closedPipe() throws {
    let folder = try ScratchFolder()
    let path = try folder.file("chain.plist", Link.chain(20_000))
    let program = try #require(Program.url).path
    let run = try Program.run(
      ["-c", "\"$0\" tree \"$1\" | head -n 1; echo ${PIPESTATUS[0]}", program, path], program: "/bin/bash")
    #expect(run.output == "root: KeyedArchiveToolTests.Link #1\n0\n" && run.errors == "")
  }

  @Test(
    "a full disk is exit code 7", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "no /dev/full here")
  )
  func fullDisk() throws {
    let program = try #require(Program.url).path
    let run = try Program.run(["-c", "\"$0\" info \"$1\" > /dev/full", program, nsurl], program: "/bin/sh")
    #expect(run.code == 7 && run.errors.hasPrefix("keyedarchive: standard output: could not be written: "))
  }
}

/// The program that was built beside the tests.
enum Program {
  static let url: URL? = {
    let tests = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
    let beside = [
      tests, tests.deletingLastPathComponent(), Bundle.main.bundleURL,
      Bundle.main.bundleURL.deletingLastPathComponent(),
    ]
    return beside.map { $0.appending(path: "keyedarchive") }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
  }()

  /// Runs the program, or another one, to its end.
  static func run(
    _ arguments: [String], input: Data = Data(), program: String? = nil
  ) throws -> (code: Int32, output: String, errors: String) {
    let folder = try ScratchFolder()
    let process = Process()
    process.executableURL = program.map { URL(filePath: $0) } ?? url
    process.arguments = arguments
    process.standardInput = FileHandle(forReadingAtPath: try folder.file("in", input))
    for name in ["out", "err"] { _ = try folder.file(name, Data()) }
    process.standardOutput = FileHandle(forWritingAtPath: folder.path("out"))
    process.standardError = FileHandle(forWritingAtPath: folder.path("err"))
    try process.run()
    process.waitUntilExit()
    func text(_ name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }
    return (process.terminationStatus, try text("out"), try text("err"))
  }
}
