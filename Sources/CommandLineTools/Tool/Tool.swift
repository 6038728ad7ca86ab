// SPDX-License-Identifier: Apache-2.0
// Copyright the KeyedArchiver authors

import PropertyListFormat

/// A tool as a whole: what it is called, what it can do, and what all its pages are made from.
package struct Tool: Sendable {
  /// Its name on the command line and before all that it says.
  package var name: String
  /// Its version.
  package var version: String
  /// What it is for, in a line that continues the name.
  package var summary: String
  /// How it is called, after its name.
  package var usage: String
  /// What else there is to know of it as a whole, a paragraph each.
  package var notes: [String]
  /// Its commands, at the end those that every tool has.
  package private(set) var commands: [any Command.Type]
  /// What exit codes mean where this tool says it in more detail than ``ExitCode/meaning``.
  package var exitMeanings: [ExitCode: String]
  /// The number under `schema` that comes first in each JSON object, increased with each change that could break a
  /// reader; nil for objects without one.
  package var schema: Int?

  /// Makes a tool of its commands; `completions` and `manual` are added.
  package init(
    name: String, version: String, summary: String, usage: String = "COMMAND [options] FILE...", notes: [String] = [],
    commands: [any Command.Type], exitMeanings: [ExitCode: String] = [:], schema: Int? = nil
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.usage = usage
    self.notes = notes
    self.commands = commands + [CompletionsCommand.self, ManualCommand.self]
    self.exitMeanings = exitMeanings
    self.schema = schema
  }

  /// The options that stand in place of a command, and what they do.
  package static let options: [(label: String, meaning: String)] = [
    ("-h, --help", "print this page, or after a command's name that command's"),
    ("-V, --version", "print the version"),
    ("--", "what follows is no option"),
  ]

  /// What an exit code means, for people.
  package func meaning(of code: ExitCode) -> String { exitMeanings[code] ?? code.meaning }

  /// The names of the commands.
  package var commandNames: [String] { commands.map { $0.help.name } }

  /// The command of a name.
  package func command(named name: String) throws(UsageError) -> any Command.Type {
    if let command = commands.first(where: { $0.help.name == name }) { return command }
    let near = Suggestion.nearest(to: name, among: commandNames)
    throw UsageError(
      "there is no command '\(name)'",
      remedy: near.map { "Did you mean '\($0)'?" } ?? "There are \(commandNames.joined(separator: ", "))")
  }
}
