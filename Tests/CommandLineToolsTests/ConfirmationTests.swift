// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import Testing
import ToolTestSupport

@Suite("Confirmation")
struct ConfirmationTests {
  @Test("continues after yes on a terminal", arguments: ["y", "yes", "Y", " YES \r"])
  func yes(answer: String) {
    let run = ToolRun(.beasts, ["delete", "3"], answers: [answer])
    #expect(run.code == .fine && run.output == "deleted 3\n" && run.errors == "Delete beast 3? [y/N] ")
  }

  @Test("does nothing after any other answer", arguments: ["", "n", "no", "ye", "yess", "ja", "y\u{0}"])
  func no(answer: String) {
    let run = ToolRun(.beasts, ["delete", "3"], answers: [answer])
    #expect(run.code == .negative && run.output == "" && run.errors == "Delete beast 3? [y/N] ")
  }

  @Test("does nothing at the end of the input, and ends the line")
  func end() {
    let run = ToolRun(.beasts, ["delete", "3"], answers: [])
    #expect(run.code == .negative && run.output == "" && run.errors == "Delete beast 3? [y/N] \n")
  }

  @Test("asks for each item")
  func several() {
    let run = ToolRun(.beasts, ["delete", "3", "4", "5"], answers: ["y", "n", "y"])
    #expect(run.code == .negative && run.output == "deleted 3\ndeleted 5\n")
  }

  @Test("without a terminal, fails and names --force, even if the input says yes")
  func nobody() {
    let run = ToolRun(.beasts, ["delete", "3"], input: .init("y\n".utf8))
    #expect(run.code == .usage && run.output == "")
    #expect(
      run.errors
        == "beasts: 3: cannot ask 'Delete beast 3?' without a terminal. Add --force to skip the confirmation\n")
  }

  @Test("never asks with --no-input, and names this reason with and without a terminal", arguments: [["y"], nil])
  func noInput(answers: [String]?) {
    let run = ToolRun(.beasts, ["delete", "--no-input", "3"], answers: answers)
    #expect(run.code == .usage && run.output == "")
    #expect(
      run.errors == "beasts: 3: cannot ask 'Delete beast 3?' with --no-input. Add --force to skip the confirmation\n")
  }

  @Test("does not ask with --force", arguments: [nil, []] as [[String]?])
  func force(answers: [String]?) {
    for arguments in [["-f"], ["--force", "--no-input"]] {
      let run = ToolRun(.beasts, ["delete", "3"] + arguments, answers: answers)
      #expect(run.code == .fine && run.output == "deleted 3\n" && run.errors == "")
    }
  }

  @Test("does not ask with --dry-run")
  func dryRun() {
    let run = ToolRun(.beasts, ["delete", "-n", "3"])
    #expect(run.code == .fine && run.output == "would delete 3\n" && run.errors == "")
  }

  @Test("escapes control characters in the question")
  func escaped() throws {
    var asked = ""
    let errors = TextOutput(isTerminal: true) {
      asked += String(decoding: $0, as: UTF8.self)
      return .written
    }
    let console = Console(
      tool: .beasts, input: StandardInput(isTerminal: true, line: { "y" }) { () throws(Failure) in .init() },
      output: TextOutput(isTerminal: true) { _ in .written }, errors: errors)
    let arguments = try Arguments([], for: CommandHelp(name: "", summary: "", options: [.force, .noInput]))
    #expect(try Confirmation(arguments, on: console)("Delete '\u{1B}[2J\n'?"))
    #expect(asked == #"Delete '\u{1b}[2J\n'? [y/N] "#)
  }
}
