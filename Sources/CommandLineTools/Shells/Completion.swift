// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// What may stand in a place of the command line, as far as a shell can know.
enum Completion: Equatable {
  /// Whatever the user knows.
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
      case .file: .files
      case .folder: .folders
      case .command: .words(tool.commandNames)
      }
  }
}

extension Tool {
  /// What completes an option's value; nil for one that takes none.
  func completion(of option: Option) -> Completion? {
    option.value.map { _ in Completion(option.kind, choices: option.choices, of: self) }
  }

  /// What completes an operand.
  func completion(of operand: CommandHelp.Operand) -> Completion {
    Completion(operand.kind, choices: operand.choices, of: self)
  }

  /// The words that stand in place of a command besides those for commands.
  static let optionWords = ["--help", "--version"]

  /// The name of the shell function that completes this tool's command lines.
  var functionName: String { "_" + name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined() }
}
