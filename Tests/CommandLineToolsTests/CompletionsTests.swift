// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import CommandLineTools
import Foundation
import TestSupport
import Testing
import ToolTestSupport

@Suite("Shell completions")
struct CompletionsTests {
  private static let bash = Program.installed("bash")
  private static let zsh = Program.installed("zsh")
  private static let fish = Program.installed("fish")

  /// Returns bash's candidates for the last word, in a folder with `a.txt`, `b c.txt` and `folder`.
  ///
  /// The script is sourced, and the function that it registers is called with the words as bash splits them.
  private func offers(_ words: [String]) throws -> [String] {
    let scratch = try ScratchFolder()
    let (script, place) = try prepare("bash", scratch)
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
    let run = try #require(Self.bash).run(["-c", program, "bash", script, place, "beasts"] + words)
    #expect(run.code == 0 && run.errors == "")
    return run.output.split(separator: "\n").map(String.init).sorted()
  }

  @Test(
    "bash offers the candidates for a position", .enabled(if: bash != nil, "bash is not installed"),
    arguments: [
      (["de"], ["delete"]), (["--v"], ["--version"]), (["delete", "--f"], ["--force"]),
      (["delete", "--no"], ["--no-input"]), (["delete", ""], []),
      (["list", "--color", ""], ["always", "auto", "never"]),
      // bash splits '--color=' into two words and '--color=al' into three.
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

  /// Creates a folder with a shell's script, and one with `a.txt`, `b c.txt` and `folder`.
  private func prepare(_ shell: String, _ scratch: ScratchFolder) throws -> (script: String, place: String) {
    let script = try scratch.file("_beasts", Data(ToolRun(.beasts, ["completions", shell]).data))
    let place = scratch.url.appending(path: "place")
    try FileManager.default.createDirectory(at: place.appending(path: "folder"), withIntermediateDirectories: true)
    for name in ["a.txt", "b c.txt"] { try Data().write(to: place.appending(path: name)) }
    return (script, place.path)
  }

  @Test(
    "fish offers the candidates for a position", .enabled(if: fish != nil, "fish is not installed"),
    arguments: [
      ("beasts de", ["delete"]), ("beasts --v", ["--version"]), ("beasts delete --f", ["--force"]),
      ("beasts list --color ", ["always", "auto", "never"]), ("beasts list --color=al", ["--color=always"]),
      ("beasts pack --level s", ["small"]), ("beasts pack -i ", ["folder/"]), ("beasts pack --into f", ["folder/"]),
      ("beasts pack --name ", []), ("beasts pack t", ["tar"]), ("beasts completions ", ["bash", "fish", "zsh"]),
      ("beasts manual p", ["pack"]), ("beasts help l", ["list"]),
      ("beasts ", ["completions", "delete", "help", "list", "manual", "pack"]),
    ] as [(String, [String])])
  func fishOffers(line: String, expected: [String]) throws {
    let scratch = try ScratchFolder()
    let (script, place) = try prepare("fish", scratch)
    let program = "source $argv[1]; cd $argv[2]; complete -C $argv[3]"
    let run = try #require(Self.fish).run(["--no-config", "-c", program, script, place, line])
    #expect(run.code == 0 && run.errors == "")
    #expect(
      run.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) } == expected)
  }

  @Test(
    "zsh completes the word at a position", .enabled(if: zsh != nil, "zsh is not installed"),
    arguments: [
      ("beasts de", "beasts delete"), ("beasts --v", "beasts --version"),
      ("beasts delete --f", "beasts delete --force"),
      ("beasts list --color=al", "beasts list --color=always"), ("beasts pack --level s", "beasts pack --level small"),
      ("beasts pack --into f", "beasts pack --into folder/"), ("beasts pack --list b", "beasts pack --list b\\ c.txt"),
      ("beasts completions f", "beasts completions fish"), ("beasts manual p", "beasts manual pack"),
    ])
  func zshCompletes(line: String, expected: String) throws {
    let scratch = try ScratchFolder()
    let (script, place) = try prepare("zsh", scratch)
    // A shell in a new terminal, where a key prints the current line.
    let program = """
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell "PS1=; fpath=(${1:h} \\$fpath); cd $2; autoload -Uz compinit; compinit -u -D"
      zpty -w shell 'show() { print -r -- "[[$BUFFER]]"; }; zle -N show; bindkey "^X" show; print -r -- "<""ready>"'
      zpty -r -m shell seen '*<ready>*'
      zpty -n -w shell "$3"$'\\t\\x18'
      zpty -r -m shell seen '*\\[\\[*\\]\\]*'
      print -r -- "$seen"
      """
    let run = try #require(Self.zsh).run(["-f", "-c", program, "zsh", script, place, line])
    let shown = run.output.split(separator: "[[").last?.split(separator: "]]").first ?? ""
    #expect(shown.trimmingCharacters(in: .whitespaces) == expected, "\(run.output) \(run.errors)")
  }

  @Test("bash parses its script", .enabled(if: bash != nil, "bash is not installed"))
  func bashSyntax() throws { try checkSyntax(Self.bash) }

  @Test("zsh parses its script", .enabled(if: zsh != nil, "zsh is not installed"))
  func zshSyntax() throws { try checkSyntax(Self.zsh) }

  @Test("fish parses its script", .enabled(if: fish != nil, "fish is not installed"))
  func fishSyntax() throws { try checkSyntax(Self.fish) }

  private func checkSyntax(_ shell: Program?) throws {
    let shell = try #require(shell)
    let script = ToolRun(.beasts, ["completions", shell.url.lastPathComponent])
    #expect(script.code == .fine && script.errors == "")
    let scratch = try ScratchFolder()
    let run = try shell.run(["-n", scratch.file("script", script.data)])
    #expect(run.code == 0 && run.errors == "")
  }

  @Test("every script has every command and option", arguments: ["bash", "zsh", "fish"])
  func complete(shell: String) {
    let script = ToolRun(.beasts, ["completions", shell]).output
    for command in Tool.beasts.commands {
      #expect(script.contains(command.help.name))
      for option in command.help.allOptions {
        #expect(script.contains(shell == "fish" ? "-l \(option.long)" : "--\(option.long)"), "\(option.long)")
      }
    }
  }

  @Test("escapes quotes, brackets and backslashes in descriptions for each shell")
  func escaped() {
    let zsh = ToolRun(.beasts, ["completions", "zsh"]).output
    #expect(zsh.contains(#"'*--into=''[where; it'\''s \[the\] \\folder: any]'':FOLDER:_files -/'"#))
    let fish = ToolRun(.beasts, ["completions", "fish"]).output
    #expect(
      fish.contains(#"-s i -l into -r -f -a '(__fish_complete_directories)' -d 'where; it\'s [the] \\folder: any'"#))
  }
}
