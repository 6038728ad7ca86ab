// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import Foundation
import TestSupport
import Testing
import ToolTestSupport

@Suite(
  "The keyedarchive process", .enabled(if: program != nil, "the program was not built"))
struct ProcessTests {
  @Test(
    "exit codes",
    arguments: [
      (["info", nsurl], 0), (["get", nsurl, "root.x"], 1), (["--nonsense"], 2), (["info", "/no/such/file"], 3),
      (["info", #filePath], 4), (["validate", "--allow", "X", nsurl], 5),
      (["convert", nsurl, "--to", "binary", "-o", "/no/such/folder/x"], 7),
    ] as [([String], Int32)])
  func exitCodes(arguments: [String], code: Int32) throws {
    #expect(try #require(program).run(arguments).code == code)
  }

  @Test("writes data to standard output, and messages to standard error")
  func streams() throws {
    let run = try #require(program).run(["info", nsurl, "/no/such/file"])
    #expect(run.output.hasPrefix("\(nsurl): binary") && !run.output.contains("no such"))
    #expect(run.errors.hasPrefix("keyedarchive: /no/such/file: no such file\n"))
  }

  @Test(
    "reads /dev/stdin, and the output of commands of the shell",
    .enabled(
      if: FileManager.default.fileExists(atPath: "/dev/fd") && Program.installed("bash") != nil,
      "bash is not installed, or there is no /dev/fd"),
    arguments: [
      #"cat "$1" | "$0" tree /dev/stdin"#, #""$0" tree /dev/stdin < "$1""#, #""$0" tree <(cat "$1")"#,
      #""$0" diff <(cat "$1") <(sleep 0.1; cat "$1") && "$0" tree /dev/fd/3 3< <(cat "$1")"#,
    ])
  func pipes(command: String) throws {
    let bash = try #require(Program.installed("bash"))
    let run = try bash.run(["-c", command, try #require(program).url.path, nsurl])
    #expect(run.code == 0 && run.errors == "" && run.output == ToolRun("tree", nsurl).output, "\(run.errors)")
  }

  @Test("reads standard input for '-'")
  func standardInput() throws {
    let run = try #require(program).run(["tree", "-"], input: Data(contentsOf: URL(filePath: nsurl)))
    #expect(run.output == "root: NSURL \"https://nuomi1.github.io/\" #1\n" && run.code == 0)
  }

  @Test(
    "ends quietly if a pipe closes early",
    .enabled(if: Program.installed("bash") != nil, "bash is not installed"),
    arguments: [
      ["tree", "FILE"], ["get", "FILE", "root"], ["get", "--json", "FILE", "root"],
      ["convert", "FILE", "--to", "json"],
      ["convert", "FILE", "--to", "json", "--plain"], ["convert", "FILE", "--to", "xml"],
      ["convert", "FILE", "--to", "binary"], ["validate", "FILE"],
      ["validate", "--json", "FILE"], ["info"] + [String](repeating: "FILE", count: 500),
      ["roundtrip"] + [String](repeating: "FILE", count: 100), ["scan"] + [String](repeating: "FILE", count: 500),
      ["manual"], ["completions", "zsh"],
    ])
  func closedPipe(_ arguments: [String]) throws {
    let bash = try #require(Program.installed("bash"))
    let folder = try ScratchFolder()
    // More output than a pipe holds; for commands with one line per file or finding, many of these.
    let isLines = ["info", "roundtrip", "scan"].contains(arguments[0])
    let file =
      if arguments[0] == "validate" {
        Handmade.archive([Handmade.classRecord("A")] + [HandmadeList](repeating: "nobody refers to it", count: 20_000))
      } else {
        try Link.chain(isLines ? 2 : 20_000)
      }
    let path = try folder.file("file.plist", file)
    let words = arguments.map { $0 == "FILE" ? path : $0 }
    let program = try #require(program).url.path
    let script = "\"$0\" \"$@\" | head -c 10 | wc -c; echo ${PIPESTATUS[0]}"
    let run = try bash.run(["-c", script, program] + words)
    #expect(run.output.split(whereSeparator: \.isWhitespace) == ["10", "0"], "\(run.output)")
    #expect(run.errors == "")
  }

  @Test(
    "ends with exit code 7 on a full disk",
    .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "no /dev/full here")
  )
  func fullDisk() throws {
    let program = try #require(program).url.path
    let run = try #require(Program.installed("sh")).run(["-c", "\"$0\" info \"$1\" > /dev/full", program, nsurl])
    #expect(run.code == 7 && run.errors.hasPrefix("keyedarchive: standard output: cannot be written: "))
  }
}

/// The program built beside the tests.
private let program = Program.built("keyedarchive")
