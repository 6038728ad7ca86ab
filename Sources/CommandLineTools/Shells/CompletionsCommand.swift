// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// `completions`: how a shell completes the tool's command lines.
struct CompletionsCommand: Command {
  static let help = CommandHelp(
    name: "completions", summary: "print a script that lets a shell complete commands, options and files",
    operands: [.init(name: "SHELL", meaning: "bash, zsh or fish", choices: Shell.allCases.map(\.rawValue))],
    notes: [
      "bash: 'source' the script from ~/.bashrc. zsh: save it in a folder of $fpath, under the tool's name with '_' in "
        + "front. fish: save it in ~/.config/fish/completions, under the tool's name with '.fish' behind."
    ],
    examples: [.init(arguments: "completions bash", meaning: "the script for bash")])

  private enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  private let shell: Shell

  init(_ arguments: Arguments) throws(UsageError) {
    guard let shell = arguments.operands.first.flatMap(Shell.init) else { throw UsageError("SHELL is missing") }
    self.shell = shell
  }

  func run(on console: Console) -> ExitCode {
    switch shell {
    case .bash: console.output.write(BashCompletions(console.tool).script)
    case .zsh: console.output.write(ZshCompletions(console.tool).script)
    case .fish: console.output.write(FishCompletions(console.tool).script)
    }
    return .fine
  }
}
