// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@testable import KeyedArchiveTool

@Suite("The command line")
struct CommandLineTests {
  @Test(
    "usage errors end with exit code 2 and advice",
    arguments: [
      (["tre", nsurl], "unknown command 'tre'. Did you mean 'tree'?"),
      (["--jsn"], "unknown option '--jsn'. Give a command first"),
      (["tree", "--dept", "3", nsurl], "tree: unknown option '--dept'. Did you mean '--depth'?"),
      (["tree", "-x", nsurl], "tree: unknown option '-x'"),
      (["tree"], "tree: FILE is missing. Usage: keyedarchive tree FILE [options]"),
      (["tree", "a", "b"], "tree: unexpected argument 'b'"),
      (["tree", "--width"], "tree: '--width' needs a value: N"),
      (
        ["tree", "--width", "-1", "a"],
        "tree: invalid value '-1' for '--width': expected a whole number from 0 to \(Int.max)"
      ),
      (
        ["tree", "-d", "99999999999999999999", "a"],
        "'99999999999999999999' for '--depth': expected a whole number from 0 to \(Int.max)"
      ),
      (
        ["generate", "--namespace", "1abc", "a"],
        "invalid name '1abc' for '--namespace': expected at most 200 ASCII letters, digits and underscores, not beginning with "
          + "a digit"
      ),
      (["tree", ""], "tree: FILE is empty: expected a path. Check the variable that it comes from"),
      (["install-git", ""], "FOLDER is empty: expected a path. Check the variable that it comes from, or omit it"),
      (["tree", "--color", "alway", "a"], "Did you mean 'always'?"),
      (["info", "--json=1", "a"], "info: '--json' takes no value"),
      (["convert", "a"], "convert: missing option '--to'"),
      (
        ["convert", "a", "--to", "yaml"], "convert: invalid value 'yaml' for '--to': expected one of binary, xml, json"
      ),
      (["get", "a", "x["], "get: invalid key path \"x[\": expected an index or a key in quotes at character 3"),
      ([], "missing command"),
    ] as [([String], String)])
  func mistakes(arguments: [String], message: String) {
    let run = ToolRun(arguments)
    #expect(run.code == .usage && run.output == "")
    #expect(run.errors.hasPrefix("keyedarchive: ") && run.errors.contains(message))
    #expect(run.errors.filter { $0 == "\n" }.count == 1)
  }

  @Test(
    "with --json, usage errors are JSON, too",
    arguments: [["info", "--json"], ["validate", "--json", "--alow", "A", "x"], ["migrate", "x", "--json"]])
  func jsonMistakes(arguments: [String]) throws {
    let run = ToolRun(arguments)
    let line = try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any]
    let error = try #require(line?["error"] as? [String: Any])
    #expect(run.code == .usage && error["code"] as? String == "usage" && error["exit"] as? Int == 2)
    #expect((error["message"] as? String)?.hasPrefix("\(arguments[0]): ") == true)
  }

  @Test(
    "standard input is an operand only once",
    arguments: [
      ["info", "-", "-"], ["validate", "-", nsurl, "-"], ["diff", "-", "-"], ["diff", "-", "/dev/stdin"],
      ["scan", "-", "-"],
    ])
  func inputTwice(arguments: [String]) {
    let run = ToolRun(arguments, input: Data("x".utf8))
    #expect(run.code == .usage && run.output == "")
    #expect(run.errors.contains("standard input is given twice. Standard input can"))
  }

  @Test(
    "a pipe is an operand only once", .notHanging,
    .enabled(if: Program.installed("mkfifo") != nil, "mkfifo is not installed"))
  func pipeTwice() throws {
    let folder = try ScratchFolder()
    let pipe = folder.path("pipe")
    #expect(try Program.installed("mkfifo")?.run([pipe]).code == 0)
    for arguments in [["diff", pipe, pipe], ["info", pipe, "-", pipe]] {
      let run = ToolRun(arguments)
      #expect(run.code == .usage && run.errors.contains("the pipe '\(pipe)' is given twice"), "\(run.errors)")
    }
  }

  @Test("help names pages that the named library has")
  func documentationPages() throws {
    var count = 0
    for note in Tool.keyedarchive.commands.flatMap({ $0.help.notes }) {
      for match in note.matches(of: #/page "([^"]+)" of the library (\w+)/#) {
        count += 1
        let folder = Locations.package.appending(path: "Sources/\(match.2)/\(match.2).docc")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
        let titles = try names.map {
          try String(contentsOf: folder.appending(path: $0), encoding: .utf8).prefix { $0 != "\n" }
        }
        #expect(titles.contains("# \(match.1)"), "\(note)")
      }
    }
    #expect(count > 0)
  }

  @Test("prints the version, the overview, and a page per command")
  func pages() {
    #expect(ToolRun("--version").output == "keyedarchive \(Tool.packageVersion)\n")
    let overview = ToolRun("--help").output
    for code in ExitCode.allCases {
      #expect(overview.contains("  \(code.rawValue)  \(Tool.keyedarchive.meaning(of: code))\n"))
    }
    for command in Tool.keyedarchive.commands {
      #expect(overview.contains("  \(command.help.name) "))
      let page = ToolRun(command.help.name, "--help")
      #expect(page.code == .fine && page.output == ToolRun("help", command.help.name).output)
      for option in command.help.allOptions { #expect(page.output.contains("--\(option.long)")) }
      // Each command parses its arguments, and writes to standard output.
      for code in ["2  usage error", "7  output not written"] {
        #expect(page.lines.count { $0.hasPrefix("  \(code)") } == 1, "\(command.help.name): \(code)")
      }
      #expect(page.output.split(separator: "\n").allSatisfy { $0.count <= 110 })
    }
  }

  @Test("each example of the help pages works")
  func examples() throws {
    for example in Tool.keyedarchive.commands.flatMap({ $0.help.examples }) {
      let words = example.arguments.split(separator: " ").map { word in
        word.replacing("'", with: "").replacing("Fixtures/", with: Locations.fixtures.path + "/")
      }
      let run = ToolRun(words.map(String.init))
      #expect(run.code == .fine && !run.output.isEmpty && run.errors == "", "\(example.arguments)")
    }
  }
}
