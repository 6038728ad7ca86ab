// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import ScaryCreatures
import TestSupport
import Testing
import ToolTestSupport

@testable import ScaryCreaturesTool

@Suite("scarycreatures: help")
struct HelpTests {
  @Test("the tool has the version of the package")
  func version() {
    #expect(ToolRun(.scaryCreatures, ["--version"]).output == "scarycreatures \(Tool.packageVersion)\n")
  }

  @Test("each command has a help page")
  func pages() {
    for command in Tool.scaryCreatures.commands {
      let page = ToolRun(.scaryCreatures, [command.help.name, "--help"])
      #expect(page.code == .fine && page.output.contains("Usage: scarycreatures \(command.help.name)"))
      if !["completions", "manual"].contains(command.help.name) { #expect(!command.help.examples.isEmpty) }
    }
  }

  #if !canImport(Darwin)
    @Test("each command documents its exit codes without a home folder, and with a device as the library")
    func exitCodes() throws {
      let scratch = try Scratch()
      let words: [String: [String]] = [
        "add": ["Ghost"], "list": [], "show": ["1"], "edit": ["1", "--title", "x"], "rate": ["1", "1"], "undo": ["1"],
        "delete": ["1", "--force"], "restore": [], "trash": ["list"], "export": ["--all", "-o", scratch.path("zip")],
        "import": [Locations.fixtures.appending(path: "creatures/scarybugs").path], "migrate": [], "verify": [],
        "repair": [], "watch": ["--for", "0.01"], "samples": [], "gallery": ["-o", scratch.path("page")], "path": ["1"],
      ]
      let commands = Tool.scaryCreatures.commands.filter { !["completions", "manual"].contains($0.help.name) }
      for help in commands.map({ $0.help }) {
        let arguments = try [help.name] + #require(words[help.name])
        for more in [[], ["--library", "/dev/null"]] {
          let run = ToolRun(.scaryCreatures, arguments + more)
          #expect(run.code != .fine && help.allExitCodes.contains(run.code), "\(help.name) \(more): \(run.code)")
        }
      }
    }
  #endif

  @Test("each example works")
  func examples() throws {
    let scratch = try Scratch()
    let places = [
      "./creatures": scratch.path("creatures"), "gallery": scratch.path("gallery"),
      "backup.zip": scratch.path("backup.zip"),
      "Private Documents": Locations.fixtures.appending(path: "creatures/scarybugs").path,
    ]
    func run(_ example: String) {
      let words = example.matches(of: /'([^']*)'|\S+/).map { String($0.1 ?? $0.0) }
      // The first word is the command, whose name can also be a path.
      let run = ToolRun(
        .scaryCreatures, words.prefix(1) + words.dropFirst().map { places[$0] ?? $0 },
        environment: ["HOME": scratch.path("home")])
      #expect(run.code == .fine, "\(example): \(run.errors)")
    }
    let examples = Tool.scaryCreatures.commands.flatMap { $0.help.examples.map(\.arguments) }
    #expect(examples.count > 12)
    let first = ["samples", "delete", "export"].flatMap { name in examples.filter { $0.hasPrefix(name) } }
    // Other tests check the results. This one checks only that the examples are valid.
    SampleCreature.$imageSide.withValue(50) {
      for example in first + examples.filter({ !first.contains($0) }) { run(example) }
    }
  }
}
