// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

/// One of the tool's commands: its own file, and a row in the table below.
protocol Command: Sendable {
  /// Name, arguments and help.
  static var help: CommandHelp { get }
  /// Takes the command's own arguments, whose number and options are known to be right.
  init(_ arguments: Arguments) throws(UsageError)
  /// Does it.
  func run(on console: Console) -> ExitCode
}

/// All commands.
enum CommandTable {
  static let all: [any Command.Type] = [
    TreeCommand.self, InfoCommand.self, ValidateCommand.self, ConvertCommand.self, RoundtripCommand.self,
    GetCommand.self,
  ]

  /// Their names, for messages.
  static var nameList: String { all.map { $0.help.name }.joined(separator: ", ") }

  /// The command of a name.
  static func command(named name: String) throws(UsageError) -> any Command.Type {
    if let command = all.first(where: { $0.help.name == name }) { return command }
    let near = Suggestion.nearest(to: name, among: all.map { $0.help.name })
    throw UsageError(
      "there is no command '\(name)'",
      remedy: near.map { "Did you mean '\($0)'?" } ?? "There are \(nameList)")
  }
}
