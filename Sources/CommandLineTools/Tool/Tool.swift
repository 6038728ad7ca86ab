// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat
import SystemFiles

/// A command-line tool: its name, its commands, and the texts for its pages.
package struct Tool: Sendable {
  /// The version of this package, which its tools have. The first heading of the changelog names it.
  package static let packageVersion = "1.0.0"

  /// The name on the command line and at the beginning of messages.
  package var name: String
  package var version: String
  /// A phrase that says what the tool is for.
  package var summary: String
  /// The usage line, without the name.
  package var usage: String
  /// Further explanations, one paragraph each.
  package var notes: [String]
  /// The commands; the last ones are those that every tool has.
  package let commands: [any Command.Type]
  /// More detailed meanings of exit codes than ``ExitCode/meaning``.
  package var exitMeanings: [ExitCode: String]
  /// The value of `schema`, the first key of each JSON object; nil omits the key. It increases with each incompatible
  /// change.
  package var schema: Int?

  /// Creates a tool with exactly these commands.
  init(
    name: String, version: String, summary: String, usage: String, notes: [String], allCommands: [any Command.Type],
    exitMeanings: [ExitCode: String], schema: Int?
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.usage = usage
    self.notes = notes
    commands = allCommands
    self.exitMeanings = exitMeanings
    self.schema = schema
  }

  /// The options that the tool accepts instead of a command.
  package static let options: [(label: String, meaning: String)] = [
    ("-h, --help", "print this page, or the page of the command before it"),
    ("-V, --version", "print the version"),
  ]

  /// Returns the meaning of an exit code.
  package func meaning(of code: ExitCode) -> String { exitMeanings[code] ?? code.meaning }

  package var commandNames: [String] { commands.map { $0.help.name } }

  /// Returns the command with a name.
  /// - Throws: ``UsageError`` with a suggestion if the tool has no such command.
  package func command(named name: String) throws(UsageError) -> any Command.Type {
    if let command = commands.first(where: { $0.help.name == name }) { return command }
    let near = Suggestion.nearest(to: name, among: commandNames)
    throw UsageError(
      "unknown command '\(name)'",
      remedy: near.map { "Did you mean '\($0)'?" } ?? "The commands are \(commandNames.joined(separator: ", "))")
  }
}

/// A command of a tool.
package protocol Command: Sendable {
  static var help: CommandHelp { get }
  /// Creates the command from arguments whose number and options were checked.
  init(_ arguments: Arguments) throws(UsageError)
  func run(on console: Console) throws(UsageError) -> ExitCode
}

extension Tool {
  /// Runs a command line of the console's tool, without the name of the program.
  package static func run(_ arguments: [String], on console: Console) -> ExitCode {
    var code: ExitCode
    do {
      code = try console.tool.dispatch(arguments, console)
    } catch {
      report(error, in: arguments, on: console)
      code = .usage
    }
    console.output.flush()
    if case .failed(let reason) = console.output.outcome {
      console.say("standard output: cannot be written: \(reason)")
      code = max(code, .notWritten)
    }
    return code
  }

  /// Reports an error in a command line, which may not have been parsed.
  static func report(_ error: UsageError, in arguments: [String], on console: Console) {
    let json = arguments.prefix { !$0.hasSameBytes(as: "--") }.contains { $0.hasSameBytes(as: "--json") }
    console.report(Failure(.usage, "usage", error.detail, remedy: error.remedy), file: nil, json: json)
  }

  private func dispatch(_ arguments: [String], _ console: Console) throws(UsageError) -> ExitCode {
    guard let first = arguments.first else {
      throw UsageError(
        "missing command",
        remedy: "Give one of \(commandNames.joined(separator: ", ")); '\(name) --help' explains them")
    }
    switch first {
    case "--version", "-V":
      console.output.write("\(name) \(version)\n")
      return .fine
    case "--help", "-h", "help":
      guard let topic = arguments.dropFirst().first(where: { !$0.hasPrefix("-") }) else {
        console.output.write(HelpText(self).overview())
        return .fine
      }
      console.output.write(HelpText(self).page(for: try command(named: topic).help))
      return .fine
    case let option where option.hasPrefix("-"):
      throw UsageError("unknown option '\(option)'", remedy: "Give a command first; see '\(name) --help'")
    default:
      return try run(try command(named: first), Array(arguments.dropFirst()), console)
    }
  }

  private func run(
    _ command: any Command.Type, _ arguments: [String], _ console: Console
  ) throws(UsageError) -> ExitCode {
    do {
      let parsed = try Arguments(arguments, for: command.help)
      if parsed.has(.help) {
        console.output.write(HelpText(self).page(for: command.help))
        return .fine
      }
      try parsed.checkOperands(of: command.help, usage: "\(name) \(command.help.usage)")
      return try command.init(parsed).run(on: console)
    } catch {
      throw UsageError(
        "\(command.help.name): \(error.detail)", remedy: error.remedy ?? "See '\(name) \(command.help.name) --help'")
    }
  }
}
