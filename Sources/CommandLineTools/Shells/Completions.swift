// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// `completions`: completion scripts for shells.
struct CompletionsCommand: Command {
  static let help = CommandHelp(
    name: "completions", summary: "print a script that completes commands, options and files in a shell",
    operands: [.init(name: "SHELL", meaning: "bash, zsh or fish", choices: Shell.allCases.map(\.rawValue))],
    notes: [
      "bash: 'source' the script from ~/.bashrc. zsh: save it as _TOOL in a folder of $fpath. "
        + "fish: save it as ~/.config/fish/completions/TOOL.fish."
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

/// The possible values of an argument, as far as a shell can know them.
enum Completion: Equatable {
  /// Any value.
  case nothing
  case words([String])
  case files
  case folders

  init(_ kind: ValueKind, choices: [String], of tool: Tool) {
    guard choices.isEmpty else {
      self = .words(choices)
      return
    }
    self =
      switch kind {
      case .text: .nothing
      case .file, .output: .files
      case .folder: .folders
      case .command: .words(tool.commandNames)
      }
  }
}

extension Tool {
  /// Returns the completion of an option's value; nil if it takes none.
  func completion(of option: Option) -> Completion? {
    option.value.map { _ in Completion(option.kind, choices: option.choices, of: self) }
  }

  /// Returns the completion of an operand.
  func completion(of operand: CommandHelp.Operand) -> Completion {
    Completion(operand.kind, choices: operand.choices, of: self)
  }

  /// The options that the tool accepts instead of a command.
  static let optionWords = ["--help", "--version"]

  /// The name of the shell function that completes this tool's command lines.
  var functionName: String { "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() }
}

/// Quotes text so that shells take it literally.
package enum ShellQuote {
  /// Quotes text for bash and zsh.
  package static func posix(_ text: String) -> String { "'" + text.replacing("'", with: #"'\''"#) + "'" }

  /// Quotes text for fish, which interprets `\'` and `\\` in single quotes.
  static func fish(_ text: String) -> String {
    "'" + text.replacing(#"\"#, with: #"\\"#).replacing("'", with: #"\'"#) + "'"
  }
}
