// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import Testing
import ToolTestSupport

@Suite("What cannot be undone is asked for")
struct ConfirmationTests {
  @Test("on a terminal, yes goes on", arguments: ["y", "yes", "Y", " YES \r"])
  func yes(answer: String) {
    let run = ToolRun(.beasts, ["delete", "3"], answers: [answer])
    #expect(run.code == .fine && run.output == "deleted 3\n" && run.errors == "Delete beast 3? [y/N] ")
  }

  @Test("anything else does nothing", arguments: ["", "n", "no", "ye", "yess", "ja", "y\u{0}"])
  func no(answer: String) {
    let run = ToolRun(.beasts, ["delete", "3"], answers: [answer])
    #expect(run.code == .negative && run.output == "" && run.errors == "Delete beast 3? [y/N] ")
  }

  @Test("so does the end of the input, which also ends the line")
  func end() {
    let run = ToolRun(.beasts, ["delete", "3"], answers: [])
    #expect(run.code == .negative && run.output == "" && run.errors == "Delete beast 3? [y/N] \n")
  }

  @Test("each item is asked for")
  func several() {
    let run = ToolRun(.beasts, ["delete", "3", "4", "5"], answers: ["y", "n", "y"])
    #expect(run.code == .negative && run.output == "deleted 3\ndeleted 5\n")
  }

  @Test("where nobody is there, it is an error that names --force, even if the input says yes")
  func nobody() {
    let run = ToolRun(.beasts, ["delete", "3"], input: .init("y\n".utf8))
    #expect(run.code == .usage && run.output == "")
    #expect(
      run.errors
        == "beasts: 3: there is nobody to ask 'Delete beast 3?'. Say --force to do it without asking\n")
  }

  @Test("--no-input never asks")
  func noInput() {
    let run = ToolRun(.beasts, ["delete", "--no-input", "3"], answers: ["y"])
    #expect(run.code == .usage && run.output == "" && !run.errors.contains("[y/N]"))
  }

  @Test("--force does not ask, whoever is there", arguments: [nil, []] as [[String]?])
  func force(answers: [String]?) {
    for arguments in [["-f"], ["--force", "--no-input"]] {
      let run = ToolRun(.beasts, ["delete", "3"] + arguments, answers: answers)
      #expect(run.code == .fine && run.output == "deleted 3\n" && run.errors == "")
    }
  }

  @Test("--dry-run needs no answer")
  func dryRun() {
    let run = ToolRun(.beasts, ["delete", "-n", "3"])
    #expect(run.code == .fine && run.output == "would delete 3\n" && run.errors == "")
  }

  @Test("what could harm a terminal is escaped in the question")
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
