// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@Suite("Shells complete command lines from the table that the help is made from")
struct CompletionsTests {
  private static let bash = Program.installed("bash")
  private static let zsh = Program.installed("zsh")
  private static let fish = Program.installed("fish")

  /// What bash offers for the last of some words, in a folder with `a.txt`, `b c.txt` and `folder`.
  ///
  /// The script is sourced and bash itself tells which function it has registered; that one is called with the words
  /// as bash hands them over.
  private func offers(_ words: [String]) throws -> [String] {
    let scratch = try ScratchFolder()
    let script = try scratch.file("script", Data(ToolRun(.beasts, ["completions", "bash"]).data))
    let place = scratch.url.appending(path: "place")
    try FileManager.default.createDirectory(at: place.appending(path: "folder"), withIntermediateDirectories: true)
    for name in ["a.txt", "b c.txt"] { try Data().write(to: place.appending(path: name)) }
    let program = """
      set -u
      source "$1"
      cd "$2"
      shift 2
      registered=$(complete -p beasts)
      [[ $registered =~ ^complete\\ -F\\ ([^ ]+)\\ beasts$ ]] || exit 9
      COMP_WORDS=("$@")
      COMP_CWORD=$(($# - 1))
      "${BASH_REMATCH[1]}" beasts "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
      """
    let run = try #require(Self.bash).run(["-c", program, "bash", script, place.path, "beasts"] + words)
    #expect(run.code == 0 && run.errors == "")
    return run.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test(
    "bash offers what fits the place", .enabled(if: bash != nil, "bash is not installed"),
    arguments: [
      (["de"], ["delete"]), (["--v"], ["--version"]), (["delete", "--f"], ["--force"]),
      (["delete", "--no"], ["--no-input"]), (["delete", ""], []),
      (["list", "--color", ""], ["always", "auto", "never"]),
      // bash takes '--color=' for two words and '--color=al' for three.
      (["list", "--color", "="], ["always", "auto", "never"]), (["list", "--color", "=", "al"], ["always"]),
      (["pack", "--level", "s"], ["small"]), (["pack", "-i", ""], ["folder"]), (["pack", "--into", "f"], ["folder"]),
      (["pack", "--list", "b"], ["b c.txt"]), (["pack", "--name", ""], []), (["pack", "t"], ["tar"]),
      (["pack", ""], ["a.txt", "b c.txt", "folder", "tar", "zip"]), (["pack", "--", "--"], []),
      (["pack", "--", "a"], ["a.txt"]), (["completions", ""], ["bash", "fish", "zsh"]),
      (["manual", "p"], ["pack"]), (["help", "l"], ["list"]), (["nonsense", ""], []),
      ([""], ["--help", "--version", "completions", "delete", "help", "list", "manual", "pack"]),
    ] as [([String], [String])])
  func bashOffers(words: [String], expected: [String]) throws {
    #expect(try offers(words) == expected)
  }

  @Test("bash takes its script for well-formed", .enabled(if: bash != nil, "bash is not installed"))
  func bashSyntax() throws { try checkSyntax(Self.bash) }

  @Test("zsh takes its script for well-formed", .enabled(if: zsh != nil, "zsh is not installed"))
  func zshSyntax() throws { try checkSyntax(Self.zsh) }

  @Test("fish takes its script for well-formed", .enabled(if: fish != nil, "fish is not installed"))
  func fishSyntax() throws { try checkSyntax(Self.fish) }

  private func checkSyntax(_ shell: Program?) throws {
    let shell = try #require(shell)
    let script = ToolRun(.beasts, ["completions", shell.url.lastPathComponent])
    #expect(script.code == .fine && script.errors == "")
    let scratch = try ScratchFolder()
    let run = try shell.run(["-n", scratch.file("script", script.data)])
    #expect(run.code == 0 && run.errors == "")
  }

  @Test("every command and option is in every script", arguments: ["bash", "zsh", "fish"])
  func complete(shell: String) {
    let script = ToolRun(.beasts, ["completions", shell]).output
    for command in Tool.beasts.commands {
      #expect(script.contains(command.help.name))
      for option in command.help.allOptions {
        #expect(script.contains(shell == "fish" ? "-l \(option.long)" : "--\(option.long)"), "\(option.long)")
      }
    }
  }

  @Test("quotes, brackets and backslashes in explanations are escaped as each shell wants it")
  func escaped() {
    let zsh = ToolRun(.beasts, ["completions", "zsh"]).output
    #expect(zsh.contains(#"'*--into=''[where; it'\''s \[the\] \\folder: any]'':FOLDER:_files -/'"#))
    let fish = ToolRun(.beasts, ["completions", "fish"]).output
    #expect(
      fish.contains(#"-s i -l into -r -f -a '(__fish_complete_directories)' -d 'where; it\'s [the] \\folder: any'"#))
  }
}
